#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Fifty domains at once: each starts or is refused with a reason, and when all have gone, or were
# killed over it, the host is as it was. SEED=N kills as a failing run did.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
for file in nr_hugepages free_hugepages; do
	hook_set "sys/devices/system/node/node0/hugepages/hugepages-2048kB/$file" 0
done
printf '%s\n' "run/systemd/system/" "sys/fs/cgroup/cgroup.controllers = cpuset cpu io memory" |
	"$BUILD/tests/lib/mkroot" "$HOST"
BEFORE=$(hook_dump)

# Half of them want 512 pages each; every second one wants the CPUs that all the others like it want, too.
count=50
node="<numatune><memory mode='strict' nodeset='0'/></numatune>"
fitted "$TEST_DIR/pages.xml" "a-domain" "$UUID_A" pages-only 1048576 "$node"
fitted "$TEST_DIR/cores.xml" "a-domain" "$UUID_A" low-latency
for i in $(seq $count); do
	template=pages
	[ $((i % 2)) = 1 ] || template=cores
	sed "s/a-domain/vm$i/; s/$UUID_A/$(printf 'aaaaaaaa-0000-4000-8000-0000000000%02d' "$i")/" \
		"$TEST_DIR/$template.xml" >"$TEST_DIR/vm$i.xml"
done

engine() { # NUMBER OPERATION SUBOPERATION
	"$BUILD/virt-fit-hook" --sysroot "$HOST" --profiles "$PROFILES" -- "vm$1" "$2" "$3" - \
		<"$TEST_DIR/vm$1.xml"
}

all() { # OPERATION SUBOPERATION: sets codes
	local i pids=()
	codes=()
	for i in $(seq $count); do
		engine "$i" "$1" "$2" 2>"$TEST_DIR/said$i" &
		pids[i]=$!
	done
	for i in $(seq $count); do
		codes[i]=0
		wait "${pids[i]}" || codes[i]=$?
		[ "${codes[i]}" -le 1 ] || fail "$1 of vm$i exited with ${codes[i]}"
		[ "${codes[i]}" = 0 ] || [ -s "$TEST_DIR/said$i" ] || fail "vm$i was refused without a word"
	done
}

for round in 1 2; do
	all prepare begin
	holders=0
	for i in $(seq $count); do
		if [ $((i % 2)) = 1 ]; then
			same "what became of vm$i" 0 "${codes[i]}"
		elif [ "${codes[i]}" = 0 ]; then
			holders=$((holders + 1))
		else
			contains "the refusal of vm$i" "$(cat "$TEST_DIR/said$i")" "held by the running domain"
		fi
	done
	same "domains on the same CPUs in round $round" 1 "$holders"
	same "pages in round $round" $((count * 256)) "$(pool 0)"
	all start begin
	all started begin
	all stopped end
	all release end
	host_is_as_before
done

# Killed anywhere, by the thousandth of a second.
seed=${SEED:-$$}
echo "SEED=$seed"
RANDOM=$seed
for operation in "prepare begin" "start begin" "started begin" "stopped end" "release end"; do
	read -r name sub <<<"$operation"
	for i in $(seq $count); do
		# In the subshell it would be another one each time.
		printf -v delay 0.%03d $((RANDOM % 300))
		(
			engine "$i" "$name" "$sub" 2>"$TEST_DIR/said$i" &
			sleep "$delay"
			kill -9 $! 2>/dev/null || true
			wait $! 2>/dev/null || true
		) &
	done
	wait
done
all stopped end
all release end
host_is_as_before
