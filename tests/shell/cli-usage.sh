#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Misuse ends with exit code 2 and a usage line on stderr; help goes to stdout, for every verb.
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
verbs=(set unset list plan diff render apply revert status undo host profiles)

misuse() { # TEXT ARGUMENT...: exit 2, nothing on stdout, TEXT on stderr
	local wanted=$1 code=0
	shift
	"$fit" "$@" >"$TEST_DIR/out" 2>"$TEST_DIR/err" </dev/null || code=$?
	[ "$code" = 2 ] || fail "exit code $code instead of 2 from: virt-fit $* ($(cat "$TEST_DIR/err"))"
	[ ! -s "$TEST_DIR/out" ] || fail "virt-fit $* wrote to stdout"
	contains "the complaint about: virt-fit $*" "$(cat "$TEST_DIR/err")" "$wanted"
}

misuse "Usage: virt-fit VERB"
misuse "did you mean 'apply'" aply web01
misuse "unknown verb 'frobnicate'" frobnicate
misuse "unknown verb" ""
misuse "a verb comes first" --json list
misuse "unknown verb 'nonsense'" help nonsense

for verb in "${verbs[@]}"; do
	help=$("$fit" "$verb" --help)
	contains "help of $verb" "$help" "Usage: virt-fit $verb [OPTIONS]"
	same "help of $verb" "$help" "$("$fit" help "$verb")"
	same "help of $verb" "$help" "$("$fit" "$verb" -h)"
	contains "the list of verbs" "$("$fit" --help)" $'\n'"  $verb "
	misuse "Usage: virt-fit $verb" "$verb" --nonsense
	misuse "Usage: virt-fit $verb" "$verb" -Z
	misuse "option --connect wants a value" "$verb" --connect
done
for verb in set unset plan diff apply revert; do
	misuse "an argument is missing" "$verb"
	misuse "an argument is empty" "$verb" "" ""
done
misuse "an argument is missing" set web01
misuse "unexpected argument 'b'" plan a b
misuse "unexpected argument 'a'" list a
misuse "unknown option '--json'" diff --json web01
misuse "unknown option '-n'" plan -n web01
misuse "NAME=VALUE" set --param vfs web01 base

contains "the version" "$("$fit" --version)" "virt-fit "
# Nothing is read or connected to for help.
"$fit" apply --sysroot /nonexistent --connect nonsense:/// --help >/dev/null
