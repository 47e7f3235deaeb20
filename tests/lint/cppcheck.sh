#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Exceptions stand beside the code, as `cppcheck-suppress`, with their reason.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
requires cppcheck
# missingIncludeSystem: system headers are not needed to judge ours. syntaxError, internalAstError:
# older versions know neither __VA_OPT__ nor statement expressions; the compiler knows syntax.
cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	--inline-suppr --suppress=missingIncludeSystem --suppress=syntaxError \
	--suppress=internalAstError -j "$(nproc)" -Isrc -D_GNU_SOURCE \
	-DFIT_VERSION='""' src hook
