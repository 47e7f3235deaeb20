#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fuzzer for some seconds, always the same 1,200 cases; and what it found before, see tests/fuzz.
set -eu
. "$TOP/tests/lib/shell.sh"
fuzzer=$BUILD/tests/fuzz/fuzz
found=("$TOP"/tests/fuzz/cases/*.case)
[ ! -e "${found[0]}" ] || "$fuzzer" "${found[@]}"
"$fuzzer" 1 600 "$TEST_DIR" 1200 || {
	cat "$TEST_DIR"/*.case
	fail "the cases above, as $fuzzer FILE takes them"
}
