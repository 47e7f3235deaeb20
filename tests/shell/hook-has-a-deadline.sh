#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# While a hook runs, everybody who lists domains waits: it does not wait for ever for another one.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
requires flock
hook_host two-node
vm=$TEST_DIR/vm.xml
fitted "$vm" vm "$UUID_A"
hook_down "$vm" vm

flock --no-fork "$HOST/run/virt-fit/lock" sleep 60 &
holder=$!
trap 'shell_leave; kill $holder 2>/dev/null || true' EXIT
wait_until 5 sh -c "! flock -n '$HOST/run/virt-fit/lock' true"
start=$SECONDS
refuses hook "$vm" vm prepare begin -
[ $((SECONDS - start)) -le 13 ] || fail "took $((SECONDS - start)) seconds"
contains "the refusal" "$refusal" "did not finish in time"
same "the host" "$BEFORE" "$(hook_dump)"
kill "$holder" && wait "$holder" 2>/dev/null || true

# A write that the kernel does not return from is interrupted, and what was done before goes back.
hook_set sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages 0
fitted "$vm" vm "$UUID_A" pages-only 2097152 "<numatune><memory mode='strict' nodeset='0-1'/></numatune>"
slow=sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages
"$BUILD/tests/lib/lease" "$HOST/$slow" >"$TEST_DIR/lease" 2>&1 &
holder=$!
wait_until 5 test -s "$TEST_DIR/lease"
if grep -q held "$TEST_DIR/lease"; then
	start=$SECONDS
	refuses hook "$vm" vm prepare begin -
	[ $((SECONDS - start)) -le 13 ] || fail "took $((SECONDS - start)) seconds"
	contains "the refusal" "$refusal" "$slow"
	contains "the refusal" "$refusal" "the kernel took too long"
	host_is_as_before
fi
