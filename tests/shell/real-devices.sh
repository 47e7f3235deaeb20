#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What virt-fit does to devices is valid to libvirt, comes back unchanged from it, starts, and goes
# without a trace: whether the definition was libvirt's own before or somebody's file.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"
requires xmllint
cd "$TEST_DIR"

mkdir -p "$HOST/etc/virt-fit/profiles"
cat >"$HOST/etc/virt-fit/profiles/busy.xml" <<'XML'
<profile xmlns="urn:virt-fit:profile:1" name="busy">
  <summary>All settings of devices</summary>
  <param name="graphics" type="choice" allowed="drop keep" default="keep"/>
  <disks cache="none" io="io_uring" discard="unmap" detect_zeroes="unmap" queues="auto"
      queue_size="512" packed="on" ioeventfd="on" vectors="auto" existing="replace"/>
  <interfaces model="virtio" driver="vhost" queues="auto" rx_queue_size="1024"
      tx_queue_size="256" packed="on" vectors="auto" existing="replace"/>
  <memballoon model="none" existing="replace"/>
  <watchdog itco="none" existing="replace"/>
  <iommu model="auto" existing="replace"/>
  <lean serial="drop" parallel="drop" sound="drop" usb="drop" smartcard="drop" cdrom="drop"
      floppy="drop" graphics="${graphics}" video="drop" controllers="drop"/>
</profile>
XML

# As virt-manager leaves it, and what people write by hand: nothing numbered, several of a kind,
# interfaces without an address or with that of a team, overrides of their own.
sed "s/type='kvm'/type='qemu'/; /<emulator>/d" "$TOP/tests/golden/domains/desktop.xml" >desktop.xml
cat >byhand.xml <<XML
<domain type='qemu' xmlns:q='http://libvirt.org/schemas/domain/qemu/1.0'>
  <name>byhand</name>
  <uuid>5a1e2f30-0000-4000-8000-0000000000b1</uuid>
  <memory unit='MiB'>64</memory>
  <vcpu>2</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type></os>
  <devices>
    <input type='mouse' bus='usb'/>
    <disk type='file' device='floppy'><target dev='fda'/></disk>
    <disk type='file' device='cdrom'><target dev='hdc' bus='ide'/></disk>
    <disk type='file'><source file='$GUEST_DISK'/><target dev='sda' bus='scsi'/></disk>
    <disk type='file'><source file='$GUEST_DISK.2'/><target dev='vda'/><alias name='ua-disk'/></disk>
    <controller type='scsi' model='virtio-scsi'/>
    <interface type='bridge'><source bridge='br0'/><model type='virtio'/></interface>
    <interface type='user'/>
    <interface type='network'>
      <mac address='52:54:00:AA:BB:01'/><source network='default'/><model type='virtio'/>
      <teaming type='persistent'/><alias name='ua-team'/>
    </interface>
    <interface type='hostdev' managed='yes'>
      <mac address='52:54:00:AA:BB:01'/>
      <source><address type='pci' domain='0' bus='0x41' slot='0x10' function='0'/></source>
      <teaming type='transient' persistent='ua-team'/>
    </interface>
    <serial type='pty'><target port='0'/></serial>
    <serial type='null'><target port='1'/></serial>
    <parallel type='pty'/>
    <input type='tablet'/>
    <graphics type='spice' autoport='yes'/>
    <sound model='ac97'/>
    <sound model='ich6'/>
    <video><model type='qxl'/></video>
    <channel type='spicevmc'><target type='virtio' name='com.redhat.spice.0'/></channel>
    <redirdev bus='usb' type='spicevmc'/>
    <redirdev bus='usb' type='spicevmc'/>
  </devices>
  <q:commandline><q:env name='VIRT_FIT_TEST' value='1'/></q:commandline>
  <q:override>
    <q:device alias='ua-disk'>
      <q:frontend><q:property name='vectors' type='unsigned' value='7'/></q:frontend>
    </q:device>
  </q:override>
</domain>
XML
grep -v "q:\|'ua-disk'" byhand.xml | sed "s/ xmlns:q=[^>]*//; s/byhand/simple/; s/b1<.uuid/b2<\/uuid/" >simple.xml

# The definition as libvirt prints it, to FILE.
define() { # FROM FILE
	virsh -q define --validate "$1" >log 2>&1 || fail "$what: $(cat log)"
	virsh -q dumpxml --inactive "$name" >"$2"
}

# A file has no addresses, its disks no bus, its sound no backend: libvirt chooses them, and the order
# of the disks, by what else is there at the first define, and MAC addresses at random.
unplaced() { # FILE
	sed "/<address type='pci'/d; /<audio /d; s/<mac address='.*'/<mac/" "$1" | sort
}

# Whatever the quotes and the order of attributes.
differences() { # FILE FILE
	diff <(xmllint --c14n "$1") <(xmllint --c14n "$2")
}

check() { # DEFINITION [OPTION...]
	name=$1
	shift
	what="$name, $*"
	define "$name.xml" plain.xml
	for from in "$name.xml" plain.xml; do
		what="$name, $from, $*"
		virt-fit render "$@" "./$from" >fitted.xml 2>log || fail "$what: $(cat log)"
		virt-fit render "$@" ./fitted.xml >again.xml 2>log || fail "$what: $(cat log)"
		cmp fitted.xml again.xml || fail "$what: rendered twice: $(differences fitted.xml again.xml)"
		virsh -q undefine "$name"
		define fitted.xml defined.xml
		virt-fit render "$@" ./defined.xml >again.xml 2>log || fail "$what: $(cat log)"
		cmp defined.xml again.xml || fail "$what: not fitted: $(differences defined.xml again.xml)"
		virt-fit revert ./defined.xml >reverted.xml 2>log || fail "$what: $(cat log)"
		[ ! -s log ] || fail "$what: revert has something to say: $(cat log)"
		define reverted.xml back.xml
		if [ "$from" = plain.xml ]; then
			cmp plain.xml back.xml || fail "$what: reverted: $(diff plain.xml back.xml)"
		else
			same "$what: reverted" "$(unplaced plain.xml)" "$(unplaced back.xml)"
		fi
	done
	virsh -q undefine "$name"
}

check desktop --profile lean --param graphics=drop
check desktop --profile busy
check byhand --profile lean
check byhand --profile busy
check simple --profile "busy lean" --param graphics=drop

# A lean guest with overrides starts, with the properties that it was given.
added="<serial type='pty'/><sound model='ich9'/><interface type='user'/>"
guest_xml web01 "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='busy lean'/>" |
	sed "s,<vcpu>1,<vcpu>2,; s,</devices>,$added</devices>,; /type='usb'/d; /memballoon/d" >guest.xml
virsh -q define --validate guest.xml
before=$(virsh -q dumpxml --inactive web01)
virt-fit apply web01
fitted=$(virsh -q dumpxml --inactive web01)
contains "the fitted definition" "$fitted" "<controller type='usb' index='0' model='none'/>"
contains "the fitted definition" "$fitted" "<memballoon model='none'/>"
contains "the fitted definition" "$fitted" "<serial type='pty'>"
contains "the fitted definition" "$fitted" "<qemu:property name='vectors' type='unsigned' value='3'/>"
lacks "the fitted definition" "$fitted" "<sound"
virsh -q start web01
arguments=$(tr '\0' '\n' <"/proc/$(guest_pid web01)/cmdline")
contains "what QEMU was given" "$arguments" '"num-queues":2'
contains "what QEMU was given" "$arguments" '"vectors":3'
contains "what QEMU was given" "$arguments" \
	'"driver":"intel-iommu","id":"iommu0","intremap":"on","caching-mode":true,"device-iotlb":true'
lacks "what QEMU was given" "$arguments" "usb-"
lacks "what QEMU was given" "$arguments" balloon
virsh -q destroy web01
virt-fit revert web01
same "the reverted definition" "$before" "$(virsh -q dumpxml --inactive web01)"
