#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The project speaks of itself: not of the machine it was written on, of who wrote it with what, of
# where packages come from, or of what is still to be done.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
words='/work/|worktree|deb\.debian\.org|archive\.ubuntu\.com'
words+='|\b(claude|anthropic|chatgpt|copilot|llm|sandbox)\b'
words+='|\b(ai|coding) (agent|assistant|session)|\bthis session\b'
files() {
	tree_files ! -name LICENSE ! -path ./tests/lint/words.sh
}

found=$({
	files | xargs -d '\n' grep -HniE "$words"
	files | xargs -d '\n' grep -HnE '\b(TODO|FIXME|XXX)\b'
} || true)
[ -z "$found" ] || fail "$found"
