#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Passed-through devices in definitions that libvirt has laid out, and in others: libvirt accepts them, what
# it makes of them stays fitted, and unset gives back what libvirt had made of the original alone,
# with its controllers, root ports and addresses.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
private_libvirtd_enter "$@"
. "$TOP/tests/lib/guest.sh"
libvirtd_start
cd "$TEST_DIR"

definition() { # NAME MACHINE [DEVICES [CPU]]
	cat <<-END
		<domain type='qemu'>
		  <name>$1</name>
		  <memory unit='MiB'>1024</memory>
		  <vcpu>4</vcpu>
		  <os><type arch='x86_64' machine='$2'>hvm</type></os>
		  <features><acpi/></features>
		  ${4:-}
		  <devices>
		    <interface type='user'>
		      <mac address='52:54:00:AA:00:01'/>
		      <model type='virtio'/>
		    </interface>
		    ${3:-}
		  </devices>
		</domain>
	END
}

dump() { # NAME
	virsh -q dumpxml --inactive "$1"
}

# Fits the domain, and takes it back. $fitted is what it was in between.
check() { # NAME PROFILES OPTION...: of `virt-fit set`
	local name=$1 profiles=$2 plain again
	shift 2
	plain=$(dump "$name")
	virt-fit set "$name" "$profiles" "$@" >log 2>&1 || fail "$name: $(cat log)"
	fitted=$(dump "$name")
	virt-fit apply "$name" >log 2>&1 || fail "$name: $(cat log)"
	again=$(dump "$name")
	same "$name, fitted again" "$fitted" "$again"
	grep -q 'already fitted' log || fail "$name: $(cat log)"
	virt-fit unset "$name" >log 2>&1 || fail "$name: $(cat log)"
	same "$name, as it was" "$plain" "$(dump "$name")"
	count=$((count + 1))
}

# The guest's places of the host devices that we added, "bus/slot.function".
places() {
	xmllint --xpath "//hostdev[starts-with(alias/@name,'ua-virt-fit-dev')]/address" - <<<"$fitted" |
		sed -E "s,.*bus=\"0x(..)\" slot=\"0x(..)\" function=\"0x(.)\".*,\1/\2.\3," | paste -sd ' '
}

count=0
private_libvirtd_host gpu

# Four functions behind one root port, which is new.
definition card q35 >card.xml
virsh -q define card.xml >/dev/null
check card gpu --device 0000:01:00.0
bus=$(printf '%02x' "$(xml_value "//controller[alias/@name='ua-virt-fit-port0']/@index" "$fitted")")
same "functions of the card" "$bus/00.0 $bus/00.1 $bus/00.2 $bus/00.3" "$(places)"
check card "gpu nvme" --device 0000:01:00.0 --device 0000:05:00.0 --param rom=off
[ "$(grep -c "<rom bar='off'/>" <<<"$fitted")" = 1 ] || fail "rom: $fitted"
check card nvme --device 0000:05:00.0
places | grep -q '/00.0$' || fail "$fitted"

# A device that is added and taken while the card is there finds no neighbour in our slots.
virt-fit set card gpu --device 0000:01:00.0 >/dev/null
for n in 1 2 3 4 5 6 7 8 9; do
	virsh -q attach-device card --config /dev/stdin <<-END
		<interface type='user'><mac address='52:54:00:bb:00:0$n'/><model type='virtio'/></interface>
	END
done
virt-fit unset card >/dev/null 2>log || fail "$(cat log)"
for function in $(dump card | xmllint --xpath \
	"//controller[@type='pci']/address[@function!='0x0']/@slot" - | grep -o '0x[0-9a-f]*'); do
	[ -n "$(xml_value "//controller/address[@slot='$function'][@function='0x0']/@slot" "$(dump card)")" ] ||
		fail "functions of slot $function without the first: $(dump card)"
done

# The ports that libvirt has put into gaps since come in another order each time.
virsh -q undefine card
virsh -q define card.xml >/dev/null

# Conventional PCI: a slot of its own.
definition old pc >old.xml
virsh -q define old.xml >/dev/null
check old gpu --device 0000:01:00.0
same "functions on conventional PCI" "00/18.0 00/18.1 00/18.2 00/18.3" "$(places)"

# Fitted before libvirt has seen it: stays fitted after.
definition fresh q35 >fresh.xml
virt-fit render --profile gpu --device 0000:01:00.0 fresh.xml >fitted.xml
virsh -q define --validate fitted.xml >/dev/null
dump fresh >defined.xml
virt-fit render --profile gpu --device 0000:01:00.0 defined.xml >again.xml
cmp defined.xml again.xml || fail "$(diff defined.xml again.xml)"
virt-fit revert defined.xml >reverted.xml
virsh -q define --validate reverted.xml >/dev/null
dump fresh >back.xml
! grep -q 'virt-fit' back.xml || fail "$(cat back.xml)"
for function in $(xmllint --xpath "//controller[@type='pci']/address[@function!='0x0']/@slot" back.xml |
	grep -o '0x[0-9a-f]*'); do
	[ -n "$(xml_value "//controller/address[@slot='$function'][@function='0x0']/@slot" "$(cat back.xml)")" ] ||
		fail "functions of slot $function without the first: $(cat back.xml)"
done

# VFs: what an interface can have, NICs that stand in, VFs of a network.
private_libvirtd_host two-node
check card sriov --param vfs=2 --param vlan=42 --param mac='52:54:00:00:00:0A 52:54:00:00:00:0b'
same "MAC" 52:54:00:00:00:0a \
	"$(xml_value "//interface[alias/@name='ua-virt-fit-vf0']/mac/@address" "$fitted")"
same "VLAN" 42 "$(xml_value "//interface[alias/@name='ua-virt-fit-vf1']/vlan/tag/@id" "$fitted")"
check card sriov --param as=hostdev
check card sriov --param class=nvme
check card "gpu sriov" --device 0000:c1:00.0
check card sriov --param teaming=standby
same "interfaces with the MAC" 2 "$(grep -c "<mac address='52:54:00:aa:00:01'/>" <<<"$fitted")"
same "partner" ua-virt-fit-standby0 "$(xml_value "//teaming[@type='transient']/@persistent" "$fitted")"
check old sriov --param teaming=standby

# The MAC that libvirt made stays, also with other settings.
virt-fit set card sriov >/dev/null
mac=$(xml_value "//interface[alias/@name='ua-virt-fit-vf0']/mac/@address" "$(dump card)")
virt-fit set card sriov --param vlan=7 >/dev/null
same "MAC" "$mac" "$(xml_value "//interface[alias/@name='ua-virt-fit-vf0']/mac/@address" "$(dump card)")"
virt-fit unset card >/dev/null

if virsh -q net-list >/dev/null 2>&1; then
	virsh -q net-define /dev/stdin <<-END
		<network>
		  <name>pool &amp; "more"</name>
		  <forward mode='hostdev' managed='yes'><pf dev='enp65s0f0'/></forward>
		</network>
	END
	pool=(--param as=network --param network='pool & "more"')
	check card sriov "${pool[@]}" --param vlan=42
	check card sriov "${pool[@]}" --param teaming=standby
	virt-fit set card sriov --param as=network --param network=none-such 2>log &&
		fail "a network that is not there was taken"
	grep -q "there is no libvirt network 'none-such'" log || fail "$(cat log)"
fi
echo "$count definitions"
