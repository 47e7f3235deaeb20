#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A result that could not be written is a failure: full disk, closed descriptor, reader gone.
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
"$TOP/tests/hosts/make" two-node "$TEST_DIR/host"
common=(--sysroot "$TEST_DIR/host" --profiles "$BUILD/profiles")
xml=$TOP/tests/golden/domains/plain.xml

expect_failure() { # COMMAND...
	local code=0
	"$@" 2>"$TEST_DIR/err" || code=$?
	[ "$code" = 1 ] || fail "exit code $code instead of 1 from: $*"
}

# A pipe that has lost its reader.
mkfifo "$TEST_DIR/pipe"
exec 3<>"$TEST_DIR/pipe"
exec 4>"$TEST_DIR/pipe" 3<&-

for command in --help "help plan" "host ${common[*]}" "host --json ${common[*]}" \
	"profiles ${common[*]}" "plan ${common[*]} --profile base $xml" \
	"render ${common[*]} --profile base $xml" "diff ${common[*]} --profile base $xml"; do
	read -ra words <<<"$command"
	"$fit" "${words[@]}" >/dev/null
	expect_failure "$fit" "${words[@]}" >/dev/full
	[ -s "$TEST_DIR/err" ] || fail "no word about the full disk from: $command"
	expect_failure "$fit" "${words[@]}" >&-
	expect_failure "$fit" "${words[@]}" >&4
done
