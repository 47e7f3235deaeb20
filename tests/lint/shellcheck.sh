#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every shell script of the tree.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
requires shellcheck
# SC1091: sourced files are checked by themselves. The parallel form is for two cores, not for speed.
tree_scripts | xargs -d '\n' shellcheck --exclude=SC1091
