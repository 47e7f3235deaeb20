#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# virt-fit host on each host of tests/hosts prints what tests/golden/host has, says the same again, changes
# nothing, and its JSON twin is JSON. UPDATE=1 writes the golden files: read the difference.
set -eu
. "$TOP/tests/lib/shell.sh"

show() {
	"$BUILD/virt-fit" host --sysroot "$TEST_DIR/$name" "$@"
}

for name in $("$TOP/tests/hosts/describe" --list); do
	"$TOP/tests/hosts/make" "$name" "$TEST_DIR/$name"
	before=$("$BUILD/tests/lib/mkroot" --dump "$TEST_DIR/$name")
	golden=$TOP/tests/golden/host/$name.txt
	[ -z "${UPDATE:-}" ] || show >"$golden"
	same "virt-fit host of $name" "$(cat "$golden")" "$(show 2>&1)"
	json=$(show --json)
	same "the JSON of $name, second time" "$json" "$(show --json)"
	same "the tree of $name" "$before" "$("$BUILD/tests/lib/mkroot" --dump "$TEST_DIR/$name")"
	contains "the JSON of $name" "$json" "\"name\": \"$name\""
	if command -v python3 >/dev/null; then
		python3 -m json.tool <<<"$json" >/dev/null || fail "the JSON of $name is none"
	fi
done

mkdir "$TEST_DIR/empty"
refuses "$BUILD/virt-fit" host --sysroot "$TEST_DIR/empty"
contains "the refusal" "$refusal" "is not the root of a system"
refuses "$BUILD/virt-fit" host --sysroot "$TEST_DIR/missing"
contains "the refusal" "$refusal" "$TEST_DIR/missing"
