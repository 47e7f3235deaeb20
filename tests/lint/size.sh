#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file has about 600 lines at most, a function about 60: what is longer does two things.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
{
	tree_files -name '*.[ch]'
	tree_scripts
} | xargs -d '\n' awk '
	FNR == 1 { start = 0 }
	FNR == 621 { print FILENAME ": more than 620 lines"; bad = 1 }
	# Kernel style: the braces of a function body, and only they, stand in column 1.
	/^\{$/ || /^[a-z_]+\(\) \{/ { start = FNR }
	/^\}$/ {
		if (start && FNR - start > 65) {
			print FILENAME ":" start ": a function of " FNR - start " lines"
			bad = 1
		}
		start = 0
	}
	END { exit bad }'
