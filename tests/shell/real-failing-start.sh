#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A write that the kernel refuses ends the start with our line and leaves nothing behind, at prepare as
# at a later step.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

start_fails_for() { # FILE: of the host, which cannot be written
	local before
	mount --bind -o ro "$1" "$1"
	before=$(host_dump)
	refuses virsh -q start web01
	contains "the refusal" "$refusal" "virt-fit"
	contains "the refusal" "$refusal" "${1##*/}"
	guest_is web01 "shut off" || fail "the guest runs"
	host_is_as_before "$before"
	umount "$1"
}

# prepare: pages that are to be added
guest_define web01 "$(request low-latency 2MiB)"
virt-fit apply web01
start_fails_for "$HOST/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages"

# start: the governor, for a profile that insists on it, when libvirt has taken what the guest gets
mkdir -p "$HOST/etc/virt-fit/profiles"
cat >"$HOST/etc/virt-fit/profiles/strict.xml" <<-END
	<profile xmlns="urn:virt-fit:profile:1" name="strict">
	  <summary>low-latency, not without its governor</summary>
	  <include profile="low-latency"/>
	  <host><governor value="performance" missing="refuse"/></host>
	</profile>
END
guest_define web01 "$(request strict)"
virt-fit apply web01
cpu=$(xml_value "//vcpupin[@vcpu='0']/@cpuset" "$(virsh -q dumpxml web01)")
start_fails_for "$HOST/sys/devices/system/cpu/cpufreq/policy$cpu/scaling_governor"

# Nothing of that stays in the way.
virsh -q start web01
