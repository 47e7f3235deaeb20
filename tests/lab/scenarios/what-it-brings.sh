#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same guest untuned and fitted, both with a VF and a disk, doing the same: what it costs, in
# counts that do not depend on the speed of the machine.
. "$TOP/tests/lab/scenario.sh"

packets=400
reads=200 # what the guest does for who connects to port 7
address=192.168.77.11

vcpu_tasks() {
	local task
	for task in /proc/"$(guest_pid web)"/task/*; do
		case $(cat "$task/comm") in CPU*) echo "$task" ;; esac
	done
}

vcpu_homes() { # CPUs that the vCPUs ran on last
	local task stat
	for task in $(vcpu_tasks); do
		read -r stat <"$task/stat"
		read -ra stat <<<"${stat##*) }"
		echo "${stat[36]}"
	done | sort -u | xargs
}

migrations() { # of the vCPU threads between CPUs
	local task
	for task in $(vcpu_tasks); do
		sed -n 's/^se.nr_migrations *: *//p' "$task/sched"
	done | awk '{ sum += $1 } END { print sum + 0 }'
}

foreign_memory() { # KiB of the guest, whose memory is QEMU's largest mapping, that are not at the card
	awk '{
			pages = other = 0
			for (i = 1; i <= NF; i++) {
				split($i, part, "=")
				if (part[1] ~ /^N[0-9]+$/)
					pages += part[2]
				if (part[1] ~ /^N[0-9]+$/ && part[1] != "N1")
					other += part[2]
				if (part[1] == "kernelpagesize_kB")
					size = part[2]
			}
			if (pages * size > largest) {
				largest = pages * size
				foreign = other * size
			}
		}
		END { print foreign + 0 }' "/proc/$(guest_pid web)/numa_maps"
}

# What came since FILE was copied from /proc/interrupts: of the VF, to CPUs where no vCPU was; of other
# devices, to CPUs where one was; of the VF in all. A vCPU is taken to have been where it ran last.
interrupts_since() { # FILE
	awk -v homes="$(vcpu_homes)" 'BEGIN { split(homes, list, " "); for (i in list) home[list[i]] = 1 }
		$1 ~ /^[0-9]+:$/ {
			for (cpu = 0; cpu < 8; cpu++) {
				count = FILENAME == "/proc/interrupts" ? $(cpu + 2) : -$(cpu + 2)
				if (!/vfio-msi/)
					others += cpu in home ? count : 0
				else {
					all += count
					away += cpu in home ? 0 : count
				}
			}
		}
		END { print away + 0, others + 0, all + 0 }' "$1" /proc/interrupts
}

exits() { # of all guests: there is one
	cat /sys/kernel/debug/kvm/exits
}

ping_it() {
	ping -q -f -c $packets -W 5 $address >/dev/null
}

read_it() {
	contains "what the guest did" "$(timeout 60 cat <"/dev/tcp/$address/7")" "$reads+0 records in"
}

each() { # SUM COUNT
	awk -v sum="$1" -v count="$2" 'BEGIN { printf "%.1f\n", sum / count }'
}

measure() { # fills `numbers`; the guest runs
	local exits=() moved away others all
	guest_is_up web
	guest_answers $address
	# The first time finds nothing prepared, neither in the guest nor in the emulator.
	ping_it
	read_it
	cp /proc/interrupts "$WORK/interrupts"
	moved=$(migrations)
	exits+=("$(exits)")
	ping_it
	exits+=("$(exits)")
	read_it
	exits+=("$(exits)")
	read -r away others all < <(interrupts_since "$WORK/interrupts")
	numbers=("$(foreign_memory) KiB" $(($(migrations) - moved)) "$away of $all" "$others"
		"$(each $((exits[1] - exits[0])) $packets)" "$(each $((exits[2] - exits[1])) $reads)")
}

[ -d /sys/kernel/debug/kvm ] || mount -t debugfs debugfs /sys/kernel/debug
echo 1 >/sys/bus/pci/devices/$IGB/sriov_numvfs
guest_define web virtio 2 $address "
	<interface type='hostdev' managed='yes'>
	  <source><address type='pci' domain='0x0000' bus='0x41' slot='0x10' function='0x0'/></source>
	</interface>"
virsh -q start web
measure
untuned=("${numbers[@]}")
virsh -q destroy web
virt-fit set web low-latency "${small_pages[@]}"
virsh -q start web
measure
virsh -q destroy web
echo 0 >/sys/bus/pci/devices/$IGB/sriov_numvfs

what=("memory on the wrong node" "vCPU migrations" "VF interrupts on CPUs without a vCPU"
	"interrupts of others on its CPUs" "VM exits per packet" "VM exits per disk read")
table "$(printf '%-38s %14s %14s' '' untuned fitted)"
for i in "${!what[@]}"; do
	table "$(printf '%-38s %14s %14s' "${what[i]}" "${untuned[i]}" "${numbers[i]}")"
done
same "memory on the wrong node" "0 KiB" "${numbers[0]}"
same "vCPU migrations" 0 "${numbers[1]}"
