# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # scratch and tools are those of run
# Part of tests/bench/run: what planning costs on large hosts, made by big_host.

# In memory, if there is room: they have more than 100,000 files each.
memory=/dev/shm
[ "$(df --output=avail -k $memory 2>/dev/null | tail -n 1)" -gt 2000000 ] 2>/dev/null || memory=/tmp
made=$(mktemp -d $memory/virt-fit-bench.XXXXXX)
hosts="$hosts $made"

big_host() { # CPUS DOMAINS IRQS
	mkdir "$made/$1"
	"$tools/big_host" "$@" | "$BUILD/tests/lib/mkroot" "$made/$1"
}

guest() { # VCPUS
	cat <<-END
		<domain type="kvm">
		  <name>guest</name>
		  <memory unit="GiB">64</memory>
		  <vcpu>$1</vcpu>
		  <os><type arch="x86_64" machine="q35">hvm</type></os>
		  <devices/>
		</domain>
	END
}

# The time of a command that plans for a host, against that of reading the files that it opens.
reading() { # NAME COMMAND...
	local name=$1
	shift
	"$tools/opened" "$(realpath "$made/1024")" "$@" >"$scratch/opened"
	! grep -E 'proc/(irq|interrupts)|msi_irqs|/config$' "$scratch/opened" || fail "$name: reads that in vain"
	read -r subject baseline < <("$tools/compare" 15 "$scratch/opened" "$@" \
		::: "$tools/replay" "$made/1024") || fail "$name: no result"
	judge "$name / reading the same $(wc -l <"$scratch/opened") files" 2 \
		"$(awk -v a="$subject" -v b="$baseline" 'BEGIN { print a / b }')"
}

planning() { # CPUS VCPUS RUNS
	guest "$2" >"$scratch/guest.xml"
	"$tools/plan" "$made/$1" "$BUILD/profiles" "k8s-node sriov" "$scratch/guest.xml" "$3"
}

# 16 nodes, 32 PFs of 64 VFs.
printf '\nplanning for 64 vCPUs and 8 VFs: 1024 CPUs, 2080 network devices, 8192 interrupts, 500 domains\n'
big_host 1024 500 8192
guest 64 >"$scratch/guest.xml"
reading "read and plan" \
	"$tools/plan" "$made/1024" "$BUILD/profiles" "low-latency sriov" "$scratch/guest.xml"
# The domains are libvirt's to tell.
reading "virt-fit plan" "$BUILD/virt-fit" plan --sysroot "$made/1024" \
	--profiles "$BUILD/profiles" --profile "low-latency sriov" --param vfs=8 "$scratch/guest.xml"
read -r microseconds kib _ < <(
	"$tools/plan" "$made/1024" "$BUILD/profiles" "low-latency sriov" "$scratch/guest.xml" 51
)
printf 'planning alone: %d.%d ms\n' $((microseconds / 1000)) $((microseconds % 1000 / 100))
judge "MiB that reading and planning take" 64 "$(awk -v kib="$kib" 'BEGIN { print kib / 1024 }')"

# A sixteenth of the CPUs for the guest, half as many other domains as CPUs.
printf '\n%-8s %9s %12s   %s\n' CPUs us "us/(n log n)" "planning for n/16 vCPUs beside n/2 domains"
for cpus in 64 256 1024 4096; do
	[ -d "$made/$cpus" ] || big_host $cpus $((cpus / 2)) 0
	read -r microseconds _ < <(planning $cpus $((cpus / 16)) 15) || fail "$cpus CPUs: no plan"
	awk -v n=$cpus -v us="$microseconds" 'BEGIN {
		printf "%-8d %9d %12.3f\n", n, us, us / n / (log(n) / log(2))
	}' | tee -a "$scratch/growth"
done
for cpus in 256 1024 4096; do
	judge "n log n: $cpus CPUs / 64 CPUs" 3 \
		"$(awk -v n=$cpus '$1 == 64 { few = $3 } $1 == n { print $3 / few }' "$scratch/growth")"
done
