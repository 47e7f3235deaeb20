#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The reason for which a test fails is at the end of what is shown of it, however much daemons and
# guests had to say after it; so is the command, where `set -e` ended it.
set -eu
. "$TOP/tests/lib/shell.sh"
tree=$TEST_DIR/tree
mkdir -p "$tree/tests/shell" "$tree/tests/lint" "$tree/build/tests/unit"
echo "exit 0" >"$tree/tests/lint/one.sh"
cp -r "$TOP/tests/lib" "$TOP/tests/run" "$tree/tests"

shows() { # LINE...: how what is shown of a failing test on stdin ends
	local shown
	{ echo "set -eu; . $(printf %q "$tree/tests/lib/shell.sh")" && cat; } >"$tree/tests/shell/one.sh"
	shown=$(BUILD=$tree/build "$tree/tests/run") && fail "no failure: $shown"
	shown=$(sed '/^FAIL /,$d' <<<"$shown")
	same "the end" "$(printf '    %s\n' "$@")" "$(tail -n $# <<<"$shown")"
}

shows "FAILED: no luck" <<<'fail "no luck"'
shows "FAILED: one" "two" <<'END'
	trap 'shell_leave; echo "--- a guest"; seq 100' EXIT
	fail "one"$'\n'two
END
shows "FAILED: exit code 1 from: grep -q nothing /dev/null" <<'END'
	trap 'shell_leave; echo "--- a guest"; seq 100' EXIT
	look() {
		grep -q nothing /dev/null
		echo found
	}
	look
END
