#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# C files are formatted by clang-format. Its versions do not agree with each other: 14 decides.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
clang_format=$(command -v clang-format-14 || command -v clang-format) ||
	skip "clang-format is not installed"
version=$("$clang_format" --version)
case $version in *"version 14."*) ;; *) skip "$version is not version 14" ;; esac
tree_files -name '*.[ch]' | xargs -d '\n' "$clang_format" --dry-run -Werror
