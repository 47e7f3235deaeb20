#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every shell script of the tree. The hosts are no scripts of their own but words for one.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
requires shellcheck
# SC1090, SC1091: file names made at run time. SC2015: `a && b || fail` is meant as it reads. SC2034:
# what a library sets, others read.
tree_scripts | grep -v '^tests/hosts/.*\.sh$' |
	xargs -d '\n' -P "$(nproc)" -n 8 shellcheck --external-sources --source-path="$TOP" \
		--exclude=SC1090,SC1091,SC2015,SC2034
