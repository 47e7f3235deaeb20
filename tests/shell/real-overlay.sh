#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libvirt takes what a profile's <domain> merges; it stays fitted, starts, and goes without a trace.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"
requires xmllint

mkdir -p "$HOST/etc/virt-fit/profiles"
cat >"$HOST/etc/virt-fit/profiles/mine.xml" <<'END'
<profile xmlns="urn:virt-fit:profile:1" name="mine">
  <summary>All kinds of elements</summary>
  <param name="tickpolicy" type="text" default="catchup"/>
  <domain existing="replace">
    <title>Fitted by hand</title>
    <memory unit="MiB">48</memory>
    <currentMemory unit="MiB">48</currentMemory>
    <memoryBacking><nosharepages/></memoryBacking>
    <features><pmu state="off"/><kvm><hidden state="on"/></kvm></features>
    <clock offset="localtime">
      <timer name="rtc" tickpolicy="${tickpolicy}"/>
      <timer name="hpet" present="no"/>
    </clock>
    <cputune><shares>512</shares></cputune>
    <devices>
      <disk><driver detect_zeroes="on"/><target dev="vda"/></disk>
      <disk type="file" device="cdrom"><target dev="sda" bus="sata"/><readonly/></disk>
      <memballoon model="none"/>
      <channel type="unix"><target type="virtio" name="org.qemu.guest_agent.0"/></channel>
      <interface type="user"><mac address="52:54:00:AA:00:01"/><model type="virtio"/></interface>
    </devices>
  </domain>
</profile>
END

guest_xml web01 | sed "s/<memballoon model='none'/<memballoon model='virtio'/" >"$TEST_DIR/guest.xml"
virsh -q define "$TEST_DIR/guest.xml"
before=$(virsh -q dumpxml --inactive web01)
virt-fit set web01 low-latency mine "${modest[@]}"
fitted=$(virsh -q dumpxml --inactive web01)
for part in "<title>Fitted by hand</title>" "<memory unit='KiB'>49152</memory>" "<nosharepages/>" \
	"<pmu state='off'/>" "<clock offset='localtime'>" "name='rtc' tickpolicy='catchup'" \
	"detect_zeroes='on'" "<memballoon model='none'/>" "org.qemu.guest_agent.0" \
	"52:54:00:aa:00:01" "<target dev='sda' bus='sata'/>" "<acpi/>" "<shares>512</shares>"; do
	contains "the fitted definition" "$fitted" "$part"
done
virt-fit apply web01
same "a second apply" "$fitted" "$(virsh -q dumpxml --inactive web01)"
virsh -q start web01
virsh -q destroy web01

# Another value of a parameter is another profile, for the hook too.
sed -i 's/default="catchup"/default="delay"/' "$HOST/etc/virt-fit/profiles/mine.xml"
refuses virsh -q start web01
contains "the refusal" "$refusal" "has changed since"
virt-fit apply web01
contains "the definition" "$(virsh -q dumpxml --inactive web01)" "name='rtc' tickpolicy='delay'"

virt-fit unset web01
without_metadata() { grep -v metadata; }
same "the definition" "$(without_metadata <<<"$before")" \
	"$(virsh -q dumpxml --inactive web01 | without_metadata)"

# What was none and is a device now got an address and a port from libvirt; both go with it.
cat >"$HOST/etc/virt-fit/profiles/balloon.xml" <<'END'
<profile xmlns="urn:virt-fit:profile:1" name="balloon">
  <summary>A balloon, a video adapter and USB where there is none</summary>
  <domain existing="replace">
    <devices>
      <memballoon model="virtio"/>
      <controller type="usb" index="0" model="qemu-xhci"/>
      <watchdog model="i6300esb" action="none"/>
    </devices>
  </domain>
</profile>
END
guest_xml web02 >"$TEST_DIR/guest.xml"
contains "the definition" "$(cat "$TEST_DIR/guest.xml")" "<memballoon model='none'/>"
virsh -q define "$TEST_DIR/guest.xml"
before=$(virsh -q dumpxml --inactive web02)
ports() { grep -c "model='pcie-root-port'"; }
virt-fit set web02 balloon
fitted=$(virsh -q dumpxml --inactive web02)
contains "the fitted definition" "$fitted" "<memballoon model='virtio'>"
[ "$(ports <<<"$fitted")" -gt "$(ports <<<"$before")" ] || fail "libvirt added no port: $fitted"
virt-fit apply web02
same "a second apply" "$fitted" "$(virsh -q dumpxml --inactive web02)"
virt-fit unset web02
same "the definition" "$(without_metadata <<<"$before")" \
	"$(virsh -q dumpxml --inactive web02 | without_metadata)"
