#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stopped and release take back what is recorded, once, whatever they are told and whatever the XML
# says by then; without a record they do nothing.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml

# A prepare that fails half-way: the second node's pool cannot be written.
fitted "$vm" vm "$UUID_A" pages-only 2097152 "<numatune><memory mode='strict' nodeset='0-1'/></numatune>"
for node in 0 1; do
	hook_set "sys/devices/system/node/node$node/hugepages/hugepages-2048kB/free_hugepages" 0
done
file=$HOST/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages
if mount --bind -o ro "$file" "$file" 2>/dev/null; then
	refuses hook "$vm" vm prepare begin -
	umount "$file"
	contains "the refusal" "$refusal" "node1/hugepages"
	host_is_as_before
	hook_down "$vm" vm failed
	host_is_as_before
fi

# Nothing was ever done.
fitted "$vm" vm "$UUID_A"
hook_down "$vm" vm
hook "$vm" vm release end destroyed
host_is_as_before

for reason in shutdown destroyed crashed "from snapshot" sometime-later -; do
	hook_up "$vm" vm
	host_is_prepared
	hook_down "$vm" vm "$reason"
	host_is_as_before
	hook "$vm" vm release end "$reason"
done

# release without stopped; a stop before anything started.
hook_up "$vm" vm
hook "$vm" vm release end crashed
host_is_as_before
hook "$vm" vm prepare begin -
hook_down "$vm" vm failed
host_is_as_before

# The request was taken out while it ran; the XML cannot be read at all.
domain_xml vm "$UUID_A" | sed '/fit:domain/d' >"$TEST_DIR/plain.xml"
hook_up "$vm" vm
hook_down "$TEST_DIR/plain.xml" vm
host_is_as_before
echo "<domain" >"$TEST_DIR/broken.xml"
hook_up "$vm" vm
hook_down "$TEST_DIR/broken.xml" vm
host_is_as_before

# A start that nobody cleaned up after: its baselines are not taken for the host's.
hook_up "$vm" vm
hook_up "$vm" vm
hook_down "$vm" vm
host_is_as_before
