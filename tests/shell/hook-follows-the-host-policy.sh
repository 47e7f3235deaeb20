#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A changed host.xml keeps those domains from starting that were fitted against it, and only those.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml
umask 022
mkdir -p "$HOST/etc/virt-fit"

state() { # CONTENT-OF-HOST
	printf '<host xmlns="urn:virt-fit:host:1">\n%s\n</host>\n' "$1" >"$HOST/etc/virt-fit/host.xml"
}

starts() {
	hook "$vm" web01 prepare begin -
	hook_down "$vm" web01
}

unfitted() { # WHY
	refuses hook "$vm" web01 prepare begin -
	contains "the refusal" "$refusal" "is not fitted: $1"
	contains "the refusal" "$refusal" "Fit it with: virt-fit apply web01"
}

fitted "$vm" web01 "$UUID_A"
pin=$(sed -n "s/.*<vcpupin vcpu=.0. cpuset=.\([0-9]*\).*/\1/p" "$vm" | head -n 1)
[ -n "$pin" ] || fail "no pin in $(cat "$vm")"
starts

# What is not about its CPUs and devices
for content in '<!-- nothing -->' '<housekeeping cpus="0"/>' '<keep device="enp2s0"/>' '<allowed cpus="0-31"/>'; do
	state "$content"
	starts
done

state "<housekeeping cpus=\"0,$pin\"/>"
unfitted "vCPU 0 is pinned to CPU $pin, of the cores for housekeeping by $HOST/etc/virt-fit/host.xml:2"
state "<housekeeping cpus=\"0,$((pin + 16))\"/>"
unfitted "vCPU 0 is pinned to CPU $pin, of the cores for housekeeping"
state "<allowed cpus=\"0-31,^$pin\"/>"
unfitted "vCPU 0 is pinned to CPU $pin, not allowed by $HOST/etc/virt-fit/host.xml:2"

# One that cannot be read keeps nobody from starting.
state '<housekeeping/>'
starts

# Pins of the user's are the user's business.
rm "$HOST/etc/virt-fit/host.xml"
domain_xml web01 "$UUID_A" low-latency 1048576 "<cputune><vcpupin vcpu='0' cpuset='$pin'/><vcpupin vcpu='1' cpuset='$((pin + 16))'/></cputune>" >"$vm.plain"
fit_file "$vm.plain" "$vm"
state "<housekeeping cpus=\"0,$pin\"/>"
starts
