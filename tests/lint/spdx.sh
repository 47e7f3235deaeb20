#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every source file names its licence in its first lines.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
{
	tree_files \( -name '*.[ch]' -o -name Makefile -o -name '*.rng' -o -path './profiles/*.xml' \)
	tree_scripts
} | {
	bad=0
	while read -r file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' ||
			{ echo "$file: no SPDX line" && bad=1; }
	done
	exit $bad
}
