#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the card is told of a domain's VF: its VLAN, whether it is trusted, whether its frames are
# checked. What an administrator had told it before is back afterwards, for a VF that is a <hostdev>
# (ours to set) and for one that is an <interface> (half of it libvirt's).
. "$TOP/tests/lab/scenario.sh"

pf=$(basename "$(echo "/sys/bus/pci/devices/$IGB/net/"*)")
vf_says() { # what `ip` tells of the first VF
	ip -details link show "$pf" | grep -w 'vf 0'
}

echo 1 >"/sys/bus/pci/devices/$IGB/sriov_numvfs"
udevadm settle
ip link set "$pf" up
ip link set "$pf" vf 0 mac 52:54:00:00:00:07 vlan 7 spoofchk off trust off
# Its driver on the host learns of its address when it takes the VF.
echo 0000:41:10.0 >/sys/bus/pci/drivers/igbvf/unbind
echo 0000:41:10.0 >/sys/bus/pci/drivers/igbvf/bind
before=$(vf_says)
contains "the VF as it is told first" "$before" "vlan 7"
contains "the VF as it is told first" "$before" "spoof checking off"
remember_host_afresh
guest_define web
for as in hostdev interface; do
	virt-fit set web low-latency sriov --param as=$as --param vlan=42 --param trust=on \
		--param spoofchk=on "${small_pages[@]}"
	virsh -q start web
	during=$(vf_says)
	contains "the VF as $as" "$during" "vlan 42"
	contains "the VF as $as" "$during" "spoof checking on"
	contains "the VF as $as" "$during" "trust on"
	contains "the VF as $as" "$during" "$(virsh -q dumpxml web | grep -o '52:54:00:[0-9a-f:]*' | head -n 1)"
	virsh -q destroy web
	same "the VF after it was $as" "$before" "$(vf_says)"
	host_is_as_before
done
echo 0 >"/sys/bus/pci/devices/$IGB/sriov_numvfs"
rm -f "$SETTINGS" # this is not how the host was before
no_program_was_confined
