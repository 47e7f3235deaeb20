#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A non-zero exit at reconnect kills the running guest; at started too. Neither happens, and what was
# saved before the daemon's restart stays what is restored.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml
fitted "$vm" vm "$UUID_A"
hook_up "$vm" vm
running=$(hook_dump)
hook "$vm" vm reconnect begin -
hook "$vm" vm reconnect begin -
same "the running host" "$running" "$(hook_dump)"
hook_down "$vm" vm
host_is_as_before

# Never prepared; unreadable XML; damaged state; no host at all.
hook "$vm" vm reconnect begin -
hook /dev/null vm reconnect begin -
hook /dev/null vm started begin -
hook_up "$vm" vm
echo damaged >"$HOST/run/virt-fit/domains/$UUID_A"
hook "$vm" vm reconnect begin -
hook "$vm" vm started begin -
hook "$vm" vm stopped end -
hook "$vm" vm release end crashed
host_is_as_before
"$BUILD/virt-fit-hook" --sysroot "$TEST_DIR/nowhere" -- vm reconnect begin - <"$vm"
