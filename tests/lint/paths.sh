#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Paths of the kernel, of our state and of our configuration are spelled in src/sys/paths.h only, so
# that one look tells what virt-fit touches. Comments may name them.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
requires cc

bad=0
while read -r file; do
	# With comments taken out, but nothing included. /dev/null is a place where nothing happens.
	found=$(cc -fpreprocessed -dD -E -P -x c "$file" 2>/dev/null |
		grep -vE '^#include|"/dev/null"' |
		grep -oE '"([^"]*[^"A-Za-z0-9_.@])?/?(sys|proc|run|etc|dev)/[^"]*"' || true)
	if [ -n "$found" ]; then
		echo "$file: belongs in src/sys/paths.h: $found"
		bad=1
	fi
done < <(tree_files \( -path './src/*.[ch]' -o -path './hook/*.[ch]' \) ! -path ./src/sys/paths.h)
exit $bad
