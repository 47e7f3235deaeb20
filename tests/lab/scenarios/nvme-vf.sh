#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A VF of the NVMe controller is part of the definition. The domain gets cores and memory of the
# controller's node, and does I/O with it; the controller's own interrupts, which the kernel manages,
# stay where they are.
NEEDS=nvme
. "$TOP/tests/lab/scenario.sh"

nvme_vf() { # creates one, with queues and vectors of its own and the namespace
	local device=/sys/bus/pci/devices/$NVME
	wait_until 20 grep -qx live "$device"/nvme/nvme0/state
	echo 0 >"$device"/sriov_drivers_autoprobe
	echo 0 >"$device"/sriov_numvfs
	echo 1 >"$device"/sriov_numvfs
	nvme virt-mgmt /dev/nvme0 -c 1 -r 0 -a 8 -n 2
	nvme virt-mgmt /dev/nvme0 -c 1 -r 1 -a 8 -n 1
	nvme virt-mgmt /dev/nvme0 -c 1 -a 9
	nvme attach-ns /dev/nvme0 -n 1 -c 1
}

managed_vectors() {
	grep -l '^nvme0q[1-9]' /sys/kernel/irq/*/actions | while read -r file; do
		grep -H '' "/proc/irq/$(basename "${file%/actions}")/smp_affinity_list"
	done
}

nvme_vf
guest_define db sata 2 "" "
	<hostdev mode='subsystem' type='pci' managed='yes'>
	  <source><address domain='0x0000' bus='0x22' slot='0x00' function='0x1'/></source>
	</hostdev>"
virt-fit set db low-latency "${small_pages[@]}"
remember_host_afresh
vectors=$(managed_vectors)
virsh -q start db
guest_is_up db
guest_says db "disk nvme0n1 can be read"
threads_are_as_defined db
memory_is_on_node db 0
same "the managed vectors" "$vectors" "$(managed_vectors)"
virsh -q destroy db
host_is_as_before
no_program_was_confined
