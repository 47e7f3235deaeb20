#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fuzzer for some seconds, always the same cases; and what it found before, see tests/fuzz.
set -eu
. "$TOP/tests/lib/shell.sh"
fuzzer=$BUILD/tests/fuzz/fuzz
found=("$TOP"/tests/fuzz/cases/*.case)
[ ! -e "${found[0]}" ] || "$fuzzer" "${found[@]}"
cases=600
# Each case is searched for leaks then, which takes many times as long as the case.
case $BUILD in *-san) cases=30 ;; esac
"$fuzzer" 1 600 "$TEST_DIR" "$cases" || {
	cat "$TEST_DIR"/*.case
	fail "the cases above, as $fuzzer FILE takes them"
}
