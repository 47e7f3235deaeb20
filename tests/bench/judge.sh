# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A figure against its limit; `over` becomes 1 when it is above that.

judge() { # NAME LIMIT RATIO
	awk -v name="$1" -v limit="$2" -v ratio="$3" 'BEGIN {
		state = ratio != "" && ratio + 0 <= limit ? "ok" : "over"
		printf "%-64s %7.2f %7.2f   %s\n", name, ratio, limit, state
		exit state == "over"
	}' || over=1
}
