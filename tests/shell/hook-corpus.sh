#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Domains that never asked for virt-fit are none of its business, whatever they look like, and the
# engine survives whatever it is given.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
[ -d "$CORPUS/domains" ] || skip "no corpus"
hook_host two-node

for file in "$CORPUS"/domains/*.xml "$CORPUS"/libvirt/*.xml "$CORPUS"/cases/*.xml; do
	said=$("$BUILD/qemu-gate" vm prepare begin - <"$file" 2>&1) && code=0 || code=$?
	grep -q urn:virt-fit: "$file" || same "gate for $file" "0 " "$code $said"
	for call in "prepare begin" "started begin" "stopped end" "release end" "migrate begin" \
		"reconnect begin"; do
		read -r operation sub <<<"$call"
		code=0
		hook "$file" vm "$operation" "$sub" - 2>"$TEST_DIR/stderr" || code=$?
		[ "$code" -le 1 ] || fail "$file, $operation: exit code $code: $(cat "$TEST_DIR/stderr")"
	done
	hook "$file" vm release end -
done
host_is_as_before
