#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A saved guest starts again after its profile has changed: its devices are in the saved state, so it
# starts as it was saved, and the host is prepared for that. Only its placements are planned anew, where
# the host has changed.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01
virt-fit set web01 low-latency "${modest[@]}"
virsh -q start web01
virsh -q managedsave web01
host_is_as_before "$before"
virt-fit set web01 base low-latency "${modest[@]}"
virsh -q start web01
guest_is web01 running || fail "the guest is $(virsh -q domstate web01)"
threads_are_as_defined web01
[ "$(host_dump)" != "$before" ] || fail "the host was not prepared"
virsh -q destroy web01
host_is_as_before "$before"

# Its core has become housekeeping's: another one is found for it.
read -ra cpus <<<"$(host_cpus)"
vcpu_pin() {
	xml_value "//vcpupin[@vcpu='0']/@cpuset" "$(virsh -q dumpxml web01)"
}
virsh -q start web01
same "the pin" "${cpus[1]}" "$(vcpu_pin)"
virsh -q managedsave web01
mkdir -p "$HOST/etc/virt-fit"
echo "<host xmlns='urn:virt-fit:host:1'><housekeeping cpus='${cpus[1]}'/></host>" \
	>"$HOST/etc/virt-fit/host.xml"
virsh -q start web01
same "the pin" "${cpus[0]}" "$(vcpu_pin)"
threads_are_as_defined web01
virsh -q managedsave web01
host_is_as_before "$before"

# Others have all cores now: it waits, and nothing of it is lost.
GUEST_DISK=$TEST_DIR/another.img
guest_xml another "$(request low-latency)" | sed "s/<vcpu>1</<vcpu>$((${#cpus[@]} - 1))</" >"$TEST_DIR/another.xml"
virsh -q define "$TEST_DIR/another.xml"
virt-fit apply another
virsh -q start another
refuses virsh -q start web01
contains "the refusal" "$refusal" "virt-fit: web01: cannot fit: 1 whole core wanted"
contains "the refusal" "$refusal" "another (running) holds"
same "what is saved" web01 "$(virsh -q list --all --with-managed-save --name)"
virsh -q destroy another
virsh -q start web01
threads_are_as_defined web01
virsh -q destroy web01
host_is_as_before "$before"

# Restored by mistake while it runs: libvirt asks the hook first, and then refuses. What it holds stays.
virt-fit apply web01
virsh -q start web01
virsh -q save web01 "$TEST_DIR/saved"
virsh -q start web01
held=$(host_dump)
refuses virsh -q restore "$TEST_DIR/saved"
contains "the refusal" "$refusal" "already active"
same "the host" "$held" "$(host_dump)"
contains "the status" "$(virt-fit status web01)" "alone on"
virsh -q destroy web01
host_is_as_before "$before"
