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
trap 'kill $holder 2>/dev/null || true' EXIT
wait_until 5 sh -c "! flock -n '$HOST/run/virt-fit/lock' true"
start=$SECONDS
refuses hook "$vm" vm prepare begin -
[ $((SECONDS - start)) -le 13 ] || fail "took $((SECONDS - start)) seconds"
contains "the refusal" "$refusal" "did not finish in time"
same "the host" "$BEFORE" "$(hook_dump)"
