#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fuzzer for a few seconds, always the same cases; and what it found before, see tests/fuzz.
set -eu
. "$TOP/tests/lib/shell.sh"
fuzzer=$BUILD/tests/fuzz/fuzz
found=("$TOP"/tests/fuzz/cases/*.case)
[ ! -e "${found[0]}" ] || "$fuzzer" "${found[@]}"
"$fuzzer" 1 8 "$TEST_DIR" || {
	cat "$TEST_DIR"/*.case
	fail "the cases above, as $fuzzer FILE takes them"
}
