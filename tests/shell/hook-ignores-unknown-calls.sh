#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Operations, sub-operations and argument counts of other libvirt versions are none of our business.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml
domain_xml vm "$UUID_A" >"$vm"

for call in "vm attach begin -" "vm unplug end -" "vm prepare" "vm" "" "- start - start" "vm prepare end -"; do
	read -ra words <<<"$call"
	hook "$vm" ${words[@]+"${words[@]}"}
	"$BUILD/qemu-gate" ${words[@]+"${words[@]}"} <"$vm" || fail "gate: $call"
done
hook "$vm" vm started begin - more
host_is_as_before

# Three arguments after the name's are enough for an operation that is known.
refuses hook "$vm" vm prepare begin
code=0
"$BUILD/virt-fit-hook" --unknown x -- vm prepare begin - <"$vm" 2>/dev/null || code=$?
same "exit code of a usage error" 2 "$code"
