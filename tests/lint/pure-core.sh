#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# core is pure: the only functions it may call are its own, those of base, libxml2's that do no I/O
# and the ones in pure-core.txt. Clock, environment, locale and randomness are not among them.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"
requires nm

undefined=$(nm -u "$BUILD/libfit-core.a" | sed -nE 's/^ +U +//p' | sort -u)
case $undefined in *__asan_*) skip "a sanitizer build calls the sanitizers" ;; esac

ours=$(nm --defined-only "$BUILD/libfit-core.a" "$BUILD/libfit-base.a" 2>/dev/null |
	sed -nE 's/^[0-9a-f]+ [A-Z] //p')
allowed=$(sed 's/[ \t]*#.*//; /^$/d' tests/lint/pure-core.txt)
# A compiler that fortifies calls memcpy as __memcpy_chk, glibc renames sscanf by C standard.
plain() {
	sed -E 's/@.*//; s/^__isoc(99|23)_//; s/^__(.*)_chk$/\1/'
}

extra=$({
	plain <<<"$undefined" | grep -vxF -f <(echo "$ours" && echo "$allowed") | grep -vE '^(__)?xml'
	grep -E '^xml.*(File|Fd|IO|URL|Catalog|XInclude)' <<<"$undefined"
} || true)
[ -z "$extra" ] || fail "core calls what is not pure, or not yet known to be:"$'\n'"$extra"
