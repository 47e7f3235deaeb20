#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A definition that is not, or no longer, what virt-fit made of the request is refused with the
# command that fits it, and nothing is changed.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml

unfitted() { # WHY [NAME]
	refuses hook "$vm" "${2:-web01}" prepare begin -
	contains "the refusal" "$refusal" "is not fitted: $1"
	[ "$(wc -l <<<"$refusal")" = 1 ] || fail "more than one line: $refusal"
	host_is_as_before
}

domain_xml web01 "$UUID_A" >"$vm"
unfitted "virt-fit has not written into it yet"
case $refusal in *"Fit it with: virt-fit apply web01") ;; *) fail "no command: $refusal" ;; esac

domain_xml "-it's" "$UUID_A" >"$vm"
unfitted "" "-it's"
case $refusal in *"virt-fit apply -- '-it'\\''s'") ;; *) fail "not for a shell: $refusal" ;; esac

fitted "$vm" web01 "$UUID_A"
hook "$vm" web01 prepare begin -
hook_down "$vm" web01

sed -i "s/<vcpu placement=.static.>2/<vcpu placement='static'>2/; s/cpuset=\"[0-9]*\"\/>/cpuset=\"5\"\/>/" "$vm"
unfitted "cputune/vcpupin"

fitted "$vm" web01 "$UUID_A"
sed -i 's/profile="low-latency"\/>/profile="base"\/>/' "$vm"
unfitted "it is fitted for the profile 'low-latency' and asks for 'base'"

fitted "$vm" web01 "$UUID_A"
sed -i 's/governor value="performance"/governor value="powersave"/' "$PROFILES/low-latency.xml"
unfitted "the profile 'low-latency', a parameter or a device has changed since"

hook_host two-node
fitted "$vm" web01 "$UUID_A"
sed -i 's/\(<fit:domain [^>]*\)\/>/\1><fit:device netdev="enp65s0f0"\/><\/fit:domain>/' "$vm"
unfitted "the profile 'low-latency', a parameter or a device has changed since"

hook_host two-node
fitted "$vm" web01 "$UUID_A"
hook_set etc/machine-id 00000000000000000000000000000001
unfitted "it is fitted for another host"

# What else a start can do, with a definition that libvirt does not keep or by what somebody says:
# request before profile before host.
hook_host two-node
starts() {
	hook "$vm" web01 prepare begin -
	hook_down "$vm" web01
	host_is_as_before
}
plain() { # [STALE]: unfitted
	domain_xml web01 "$UUID_A" | sed "s, profile=, ${1:+stale=\"$1\"} profile=," >"$vm"
}
plain
transient=1 starts
plain refuse
transient=1 unfitted "virt-fit has not written into it yet"
plain warn
starts
mkdir -p "$HOST/etc/virt-fit"
echo '<host xmlns="urn:virt-fit:host:1"><start stale="warn"/></host>' >"$HOST/etc/virt-fit/host.xml"
BEFORE=$(hook_dump)
plain
starts
plain refuse
unfitted "virt-fit has not written into it yet"
sed -i 's,</profile>,<start stale="refuse"/></profile>,' "$PROFILES/low-latency.xml"
plain
unfitted "virt-fit has not written into it yet"
plain warn
starts
plain sometimes
refuses hook "$vm" web01 prepare begin -
contains "the refusal" "$refusal" 'stale="sometimes" must be refit, refuse or warn'
