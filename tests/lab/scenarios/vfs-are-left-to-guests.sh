#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A card without VFs gets some when a domain that wants one starts. The host's own driver for VFs does
# not take them meanwhile, not even for a moment: the host would configure an interface that is about
# to go away.
. "$TOP/tests/lab/scenario.sh"

drivers_of_vfs() {
	local vf
	for vf in "/sys/bus/pci/devices/$IGB"/virtfn*; do
		basename "$(readlink "$vf/driver")"
	done | sort | xargs
}

probes_by_the_host() {
	journalctl -k -o cat | grep -c 'igbvf 0000:41:' || true
}

guest_define web sata 2 192.168.77.11
remember_host
[ -d /sys/bus/pci/drivers/igbvf ] || fail "the host has no driver for VFs"
same "VFs before the start" 0 "$(vfs_of_igb)"
virt-fit set web low-latency sriov --param create=3 "${small_pages[@]}"
probes=$(probes_by_the_host)
virsh -q start web
same "VFs" 3 "$(vfs_of_igb)"
same "drivers of the VFs" vfio-pci "$(drivers_of_vfs)"
guest_is_up web
guest_says web "interface eth0 .* igbvf"
guest_answers 192.168.77.11
virsh -q destroy web
same "VFs after the stop" 0 "$(vfs_of_igb)"
same "VFs that the host's driver took" "$probes" "$(probes_by_the_host)"
host_is_as_before

# Left to itself, it does take them, and says so.
echo 1 >/sys/bus/pci/devices/$IGB/sriov_numvfs
drivers_are() { # NAMES
	[ "$(drivers_of_vfs)" = "$1" ]
}
wait_until 20 drivers_are igbvf
echo 0 >/sys/bus/pci/devices/$IGB/sriov_numvfs
[ "$(probes_by_the_host)" -gt "$probes" ] || fail "the driver does not say when it takes one"
no_program_was_confined
