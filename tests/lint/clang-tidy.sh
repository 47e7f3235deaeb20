#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The checks and the reasons for those that are off are in .clang-tidy.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
requires clang-tidy pkg-config
read -ra flags < <(pkg-config --cflags libxml-2.0 libpci libvirt json-c)
# One process each: a shared one would not use the second core. The notes that lead to an error are
# long: where they are wanted, run clang-tidy on that file.
tree_files \( -path './src/*.c' -o -path './hook/*.c' \) |
	xargs -d '\n' -P "$(nproc)" -I FILE clang-tidy --quiet --warnings-as-errors='*' FILE -- \
		-std=gnu17 -Isrc -D_GNU_SOURCE -DFIT_VERSION='""' "${flags[@]}" >"$TEST_DIR/log" 2>&1 ||
	fail "$(grep -E '(error|warning):|^Error' "$TEST_DIR/log")"
