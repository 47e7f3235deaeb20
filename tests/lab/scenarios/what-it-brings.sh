#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same guest untuned and fitted, both with a VF and a disk, in numbers that do not depend on the
# speed of the machine.
. "$TOP/tests/lab/scenario.sh"

packets=200

exits() { # of all guests: there is one
	cat /sys/kernel/debug/kvm/exits
}

migrations() { # of the vCPU threads between CPUs
	local task
	for task in /proc/"$(guest_pid web)"/task/*; do
		case $(cat "$task/comm") in CPU*) sed -n 's/^se.nr_migrations *: *//p' "$task/sched" ;; esac
	done | awk '{ sum += $1 } END { print sum + 0 }'
}

foreign_memory() { # of the guest, whose memory is QEMU's largest mapping, that is not at the card
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
		END { print foreign + 0 " KiB" }' "/proc/$(guest_pid web)/numa_maps"
}

foreign_interrupts() { # of the VF, that came to other CPUs than those of the guest's vCPUs
	awk -v cpus="$1" 'BEGIN { split(cpus, list, " "); for (i in list) own[list[i]] = 1 }
		/vfio-msi/ { for (cpu = 0; cpu < 8; cpu++) if (!(cpu in own)) sum += $(cpu + 2) }
		END { print sum + 0 }' /proc/interrupts
}

measure() { # fills `numbers`; the guest runs
	local before after moved
	guest_is_up web
	guest_answers 192.168.77.11
	sleep 5
	moved=$(migrations)
	before=$(exits)
	ping -q -f -c $packets -W 5 192.168.77.11 >/dev/null || true
	after=$(exits)
	numbers=("$(foreign_memory)" "$(($(migrations) - moved))" "$(foreign_interrupts "4 5")"
		"$(((after - before) / packets))")
}

[ -d /sys/kernel/debug/kvm ] || mount -t debugfs debugfs /sys/kernel/debug
echo 1 >/sys/bus/pci/devices/$IGB/sriov_numvfs
guest_define web virtio 2 192.168.77.11 "
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

what=("memory on the wrong node" "vCPU migrations" "VF interrupts on foreign CPUs" "VM exits per packet")
table "$(printf '%-32s %12s %12s' '' untuned fitted)"
for i in 0 1 2 3; do
	table "$(printf '%-32s %12s %12s' "${what[i]}" "${untuned[i]}" "${numbers[i]}")"
done
same "memory on the wrong node" "0 KiB" "${numbers[0]}"
same "vCPU migrations" 0 "${numbers[1]}"
