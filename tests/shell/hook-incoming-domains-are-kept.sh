#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A domain that arrives by migration, or from a saved state, cannot be fitted before it starts:
# refusing it would lose the state. It is refused only for what cannot work on this host.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml

for operation in migrate restore; do
	# Never fitted, or fitted elsewhere; its pins exist here.
	domain_xml vm "$UUID_A" low-latency 1048576 \
		"<cputune><vcpupin vcpu='0' cpuset='4'/><vcpupin vcpu='1' cpuset='5'/></cputune>" >"$vm"
	hook "$vm" vm $operation begin -
	hook_up "$vm" vm
	host_is_prepared
	hook_down "$vm" vm
	host_is_as_before
	# Once: the next start is an ordinary one.
	refuses hook "$vm" vm prepare begin -

	# A profile that this host does not have.
	domain_xml vm "$UUID_A" only-there >"$vm"
	hook "$vm" vm $operation begin -
	hook_up "$vm" vm
	hook_down "$vm" vm
	host_is_as_before

	domain_xml vm "$UUID_A" low-latency 1048576 \
		"<cputune><vcpupin vcpu='0' cpuset='40'/><vcpupin vcpu='1' cpuset='41'/></cputune>" >"$vm"
	hook "$vm" vm $operation begin -
	refuses hook "$vm" vm prepare begin -
	contains "the refusal" "$refusal" "vCPU 0 is pinned to CPU 40: not online (online: 0-31)"
	hook_down "$vm" vm failed
	host_is_as_before

	hook /dev/null vm $operation begin -
done

# The attempt went no further; a start an hour later is an ordinary one.
domain_xml vm "$UUID_A" low-latency 1048576 \
	"<cputune><vcpupin vcpu='0' cpuset='4'/><vcpupin vcpu='1' cpuset='5'/></cputune>" >"$vm"
hook "$vm" vm restore begin -
touch -d '1 hour ago' "$HOST/run/virt-fit/domains/$UUID_A"
refuses hook "$vm" vm prepare begin -
contains "the refusal" "$refusal" "is not fitted"
host_is_as_before

domain_xml vm "$UUID_A" low-latency 1048576 \
	"<numatune><memory mode='strict' nodeset='7'/></numatune>" >"$vm"
hook "$vm" vm restore begin -
refuses hook "$vm" vm prepare begin -
contains "the refusal" "$refusal" "bound to node 7"
host_is_as_before
