# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # scratch and tools are those of run
# Part of tests/bench/run: what a hook call costs.

engine=("$BUILD/virt-fit-hook" --sysroot "$scratch/host" --profiles "$BUILD/profiles" -- bench)

printf '%-44s %9s %9s %7s %7s\n' "$runs runs, medians in microseconds" hook baseline ratio limit
figure "gate, domain without profile / read stdin" 1.5 "$plain" \
	"$BUILD/qemu-gate" bench prepare begin - ::: "$tools/read_only"
figure "engine, prepare / parse with libxml2" 2.5 "$scratch/fitted.xml" \
	"${engine[@]}" prepare begin - ::: "$tools/parse_only" \
	::: "${engine[@]}" stopped end - ::: "${engine[@]}" release end shutdown

# What was measured is a prepare that prepares.
"${engine[@]}" prepare begin - <"$scratch/fitted.xml"
ls "$scratch/host/run/virt-fit/domains/"* >/dev/null
"${engine[@]}" release end - <"$scratch/fitted.xml"

# Looking for interrupts of ten domains: against reading once what is read at each look, and, in a second,
# against the 0.2 % of a processor that it may cost.
printf '\n%-44s %9s %9s %7s %7s\n' "processor time in nanoseconds" follow baseline ratio limit
in_memory=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "$scratch")/virt-fit-bench.XXXXXX")
hosts="$hosts $in_memory"
read -r look once second < <("$tools/follow" "$in_memory") || fail "follow: no result"
row "following 10 domains, a look / reading once" 2 "$look" "$once"
row "following 10 domains, a second / its budget" 1 "$second" 2000000
