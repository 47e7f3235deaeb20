#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `make install` puts below DESTDIR: a unit that starts what was installed, and nothing that
# `make uninstall` would leave.
set -eu
. "$TOP/tests/lib/shell.sh"
requires make
case ${BUILD##*/} in build) ;; *) skip "the programs of this variant are not installed" ;; esac

root=$TEST_DIR/root
mkdir "$root"
make -s -C "$TOP" install DESTDIR="$root" prefix=/opt/fit >/dev/null
unit=$root/opt/fit/lib/systemd/system/virt-fit.service
program=$(sed -n 's/^ExecStart=\([^ ]*\) watch$/\1/p' "$unit")
same "what the unit starts" /opt/fit/bin/virt-fit "$program"
[ -x "$root$program" ] || fail "it was not installed"
! grep -n "@[a-z]*@" "$unit" || fail "the unit has what was to be filled in"
[ -d "$root$(sed -n 's,^Documentation=file:,,p' "$unit")" ] || fail "its documentation was not installed"
if command -v systemd-analyze >/dev/null; then
	# In a place where it finds the program.
	sed "s,^ExecStart=,&$root," "$unit" >"$TEST_DIR/virt-fit.service"
	problems=$(systemd-analyze verify "$TEST_DIR/virt-fit.service" 2>&1 | grep virt-fit.service || true)
	same "what systemd says of it" "" "$problems"
fi
make -s -C "$TOP" uninstall DESTDIR="$root" prefix=/opt/fit >/dev/null
same "files that are left" "" "$(find "$root" -type f)"
