#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A domain asks for low latency and two VFs. It gets what its definition then says, the guest sees
# it too, and after its shutdown the host is as it was. The host's own driver for VFs does not take
# them meanwhile, not even for a moment: the host would configure interfaces that are about to go away.
. "$TOP/tests/lab/scenario.sh"

drivers_of_vfs() {
	local vf
	for vf in "/sys/bus/pci/devices/$IGB"/virtfn*; do
		basename "$(readlink "$vf/driver")"
	done | sort -u | xargs
}

drivers_are() { # NAMES
	[ "$(drivers_of_vfs)" = "$1" ]
}

probes_by_the_host() {
	journalctl -k -o cat | grep -c 'igbvf 0000:41:' || true
}

contains "libvirtd's confinement" "$(cat "/proc/$(pidof libvirtd)/attr/current")" "libvirtd (enforce)"
guest_define web virtio 2 192.168.77.11
remember_host
[ -d /sys/bus/pci/drivers/igbvf ] || fail "the host has no driver for VFs"
probes=$(probes_by_the_host)
virt-fit set web low-latency sriov --param vfs=2 --param create=3 "${small_pages[@]}"
same "VFs before the start" 0 "$(vfs_of_igb)"
virsh -q start web

same "VFs" 3 "$(vfs_of_igb)"
same "drivers of the VFs" vfio-pci "$(drivers_of_vfs)"
same "huge pages" "$GUEST_PAGES" "$(cat "$NODE1_PAGES")"
contains "status" "$(virt-fit status)" "web: running, fitted (low-latency sriov)"
guest_is_up web
guest_says web "cpu model: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
guest_says web "cpu0 package 0 core 0 siblings 0-1"
guest_says web "cpu1 package 0 core 0 siblings 0-1"
guest_says web "disk vda can be read"
same "VFs in the guest" 2 "$(guest_counts web "interface .* igbvf")"
same "node of the VFs" 1 "$(cat /sys/bus/pci/devices/0000:41:10.0/numa_node)"
same "vCPUs" "4 5" "$(guest_value web "//vcpupin[@vcpu='0']/@cpuset") $(guest_value web "//vcpupin[@vcpu='1']/@cpuset")"
threads_are_as_defined web
memory_is_on_node web 1
interrupts_stay_off 4-5
guest_answers 192.168.77.11

guest_shuts_down web
same "VFs that the host's driver took" "$probes" "$(probes_by_the_host)"
host_is_as_before

# Left to itself, it does take them, and says so.
echo 1 >"/sys/bus/pci/devices/$IGB/sriov_numvfs"
wait_until 20 drivers_are igbvf
echo 0 >"/sys/bus/pci/devices/$IGB/sriov_numvfs"
[ "$(probes_by_the_host)" -gt "$probes" ] || fail "the driver does not say when it takes one"
no_program_was_confined
