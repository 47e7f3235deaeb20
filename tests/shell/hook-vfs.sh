#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# VFs that somebody uses are never taken away to make more; a number that is right is not written.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml

# A card with four of 64 VFs, the third in another program's guest.
pf=0000:b5:00.0
{
	for i in 0 1 2 3; do
		vf=0000:b5:01.$i
		echo "sys/bus/pci/devices/$pf/virtfn$i -> ../$vf"
		echo "sys/bus/pci/devices/$vf/physfn -> ../$pf"
		echo "sys/bus/pci/devices/$vf/driver -> ../../drivers/iavf"
		echo "sys/bus/pci/devices/$vf/class = 0x020000"
		echo "sys/bus/pci/devices/$vf/iommu_group -> ../../../../kernel/iommu_groups/10$i"
		echo "sys/kernel/iommu_groups/10$i/devices/$vf -> ../../../../bus/pci/devices/$vf"
	done
	echo "sys/bus/pci/devices/$pf/class = 0x020000"
	printf "sys/bus/pci/devices/$pf/%s\n" "sriov_totalvfs = 64" "sriov_numvfs = 4" \
		"sriov_offset = 8" "sriov_stride = 1"
} | "$BUILD/tests/lib/mkroot" "$HOST"
BEFORE=$(hook_dump)

profile() { # VFs VFs-TO-CREATE
	cat >"$PROFILES/vfs.xml" <<-END
		<profile xmlns="urn:virt-fit:profile:1" name="vfs">
		  <summary>VFs</summary>
		  <vfs count="$1" class="network" pf="$pf" create="$2"/>
		</profile>
	END
}

vm_with_vfs() { # VFs VFs-TO-CREATE [DEVICE]
	domain_xml vm "$UUID_A" vfs | sed "s,</devices>,${3:-}&," >"$vm.plain"
	profile "$1" 4
	fit_file "$vm.plain" "$vm"
	profile "$1" "$2"
	# Whether it is fitted for that is not what is tested here.
	hook "$vm" vm restore begin -
}

vm_with_vfs 1 4
contains "the definition" "$(cat "$vm")" "'ua-virt-fit-vf0'"
hook "$vm" vm prepare begin -
same "the host" "$BEFORE" "$(hook_dump)"
hook_down "$vm" vm
host_is_as_before

ln -sfn ../../drivers/vfio-pci "$HOST/sys/bus/pci/devices/0000:b5:01.2/driver"
BEFORE=$(hook_dump)
vm_with_vfs 1 8
refuses hook "$vm" vm prepare begin -
contains "the refusal" "$refusal" "VF 2 (0000:b5:01.2) is bound to vfio-pci"
hook_down "$vm" vm failed
host_is_as_before

vm_with_vfs 1 65
refuses hook "$vm" vm prepare begin -
contains "the refusal" "$refusal" "65 VFs wanted, $pf has 64"
hook_down "$vm" vm failed
host_is_as_before

# What the user has called like one of ours needs nothing.
vm_with_vfs 0 9 "<interface type='hostdev' managed='yes'><source><address type='pci' domain='0' \
	bus='0xb5' slot='0x01' function='0x0'/></source><alias name='ua-virt-fit-vf0'/></interface>"
hook "$vm" vm prepare begin -
same "the host" "$BEFORE" "$(hook_dump)"
hook_down "$vm" vm
host_is_as_before

# The card itself, for the guest that has a VF of it: back as it was when that is over.
printf "sys/bus/pci/devices/$pf/%s\n" "net/enp181s0/ifindex = 7" "ethtool/rx-usecs = 3" \
	"ethtool/features/rx-gro = on" | "$BUILD/tests/lib/mkroot" "$HOST"
BEFORE=$(hook_dump)
vm_with_vfs 1 4
ethtool() { # ATTRIBUTES
	cat >"$PROFILES/vfs.xml" <<-END
		<profile xmlns="urn:virt-fit:profile:1" name="vfs">
		  <summary>VFs</summary>
		  <host><ethtool of="pfs" $1/></host>
		</profile>
	END
	hook "$vm" vm restore begin -
	hook "$vm" vm prepare begin -
}
ethtool 'rx-usecs="0" tx-ring="512" features-off="generic-receive-offload"'
hook "$vm" vm start begin -
same "interrupt moderation" 0 "$(cat "$HOST/sys/bus/pci/devices/$pf/ethtool/rx-usecs")"
same "offload" off "$(cat "$HOST/sys/bus/pci/devices/$pf/ethtool/features/rx-gro")"
hook_down "$vm" vm
host_is_as_before

# What the card lacks is found before anything is changed.
refuses ethtool 'rx-usecs="0" tx-ring="512" missing="refuse"'
contains "the refusal" "$refusal" "tx-ring '512' cannot be set for enp181s0"
same "the host" "$BEFORE" "$(hook_dump)"
hook_down "$vm" vm failed
host_is_as_before
