#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The gate is installed beside a hook that is there, never over it, and only ours is removed.
set -eu
. "$TOP/tests/lib/shell.sh"
export DESTDIR=$TEST_DIR/root sysconfdir=/etc
hooks=$DESTDIR/etc/libvirt/hooks
install_gate() { "$TOP/hook/install-gate" "$@"; }
files() { (cd "$DESTDIR" && find . -type f | sort); }

mkdir -p "$DESTDIR"
install_gate --remove
same "files" "" "$(files)"

contains "what is said" "$(install_gate "$BUILD/qemu-gate")" "reload"
cmp "$BUILD/qemu-gate" "$hooks/qemu"
install_gate "$BUILD/qemu-gate"
same "files" ./etc/libvirt/hooks/qemu "$(files)"
install_gate --remove
same "what is left" "" "$(find "$DESTDIR/etc" -mindepth 2)"

mkdir -p "$hooks"
printf '#!/bin/sh\n# see also virt-fit\n' >"$hooks/qemu"
cp "$hooks/qemu" "$TEST_DIR/theirs"
install_gate "$BUILD/qemu-gate"
cmp "$TEST_DIR/theirs" "$hooks/qemu"
cmp "$BUILD/qemu-gate" "$hooks/qemu.d/50-virt-fit"
[ -x "$hooks/qemu.d/50-virt-fit" ] || fail "not executable"
echo theirs >"$hooks/qemu.d/10-other"
install_gate "$BUILD/qemu-gate"
install_gate --remove
same "files" "./etc/libvirt/hooks/qemu
./etc/libvirt/hooks/qemu.d/10-other" "$(files)"
cmp "$TEST_DIR/theirs" "$hooks/qemu"

# Theirs went away: ours moves to its place.
install_gate "$BUILD/qemu-gate"
rm "$hooks/qemu"
install_gate "$BUILD/qemu-gate"
[ ! -e "$hooks/qemu.d/50-virt-fit" ] || fail "it would run twice"

code=0
install_gate "$TEST_DIR/theirs" 2>/dev/null || code=$?
same "exit code for what is not the gate" 1 "$code"
