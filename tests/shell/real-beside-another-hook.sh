#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a hook is already installed, ours goes beside it into qemu.d and both are called.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
private_libvirtd_enter "$@"
. "$TOP/tests/lib/guest.sh"
rm /etc/libvirt/hooks/qemu
cat >/etc/libvirt/hooks/qemu <<-END
	#!/bin/sh
	echo "\$2" >>"$TEST_DIR/other"
	cat >/dev/null
END
chmod 0755 /etc/libvirt/hooks/qemu
cp /etc/libvirt/hooks/qemu "$TEST_DIR/other-hook"
DESTDIR='' sysconfdir=/etc "$TOP/hook/install-gate" "$BUILD/qemu-gate"
cmp /etc/libvirt/hooks/qemu "$TEST_DIR/other-hook" || fail "the other hook was changed"
[ -x /etc/libvirt/hooks/qemu.d/50-virt-fit ] || fail "no gate in qemu.d"
host_make
before=$(host_dump)
libvirtd_start

guest_define web01 "$(request low-latency)"
refuses virsh -q start web01
virt-fit apply web01
virsh -q start web01
grep -qx started "$TEST_DIR/other" || fail "the other hook was not called"
[ "$(host_dump)" != "$before" ] || fail "the host was not prepared"
virsh -q destroy web01
host_is_as_before "$before"

DESTDIR='' sysconfdir=/etc "$TOP/hook/install-gate" --remove
[ ! -e /etc/libvirt/hooks/qemu.d/50-virt-fit ] || fail "the gate was not removed"
cmp /etc/libvirt/hooks/qemu "$TEST_DIR/other-hook" || fail "the other hook was changed"
