#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A domain without a request is nothing to us: same definition and same life as with no hook, and
# the engine is never called.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
private_libvirtd_enter "$@"
. "$TOP/tests/lib/guest.sh"
host_make
before=$(host_dump)
cat >/usr/sbin/virt-fit-hook <<-END
	#!/bin/bash
	echo "\$@" >>"$TEST_DIR/called"
	exit 1
END

life() { # LOG: of a guest, as libvirt tells it, without what differs from start to start
	{
		virsh -q define "$TEST_DIR/guest.xml"
		virsh -q dumpxml --inactive plain
		virsh -q start plain
		virsh -q dumpxml plain
		virsh -q managedsave plain
		virsh -q start plain
		virsh -q dumpxml plain
		virsh -q destroy plain
		virsh -q dumpxml plain
	} 2>&1 | sed -E "s/(<domain type='qemu') id='[0-9]+'/\1/; s/domain-[0-9]+-/domain-N-/" >"$1"
}

guest_xml plain >"$TEST_DIR/guest.xml"
libvirtd_start
life "$TEST_DIR/with"
libvirtd_stop TERM
mv /etc/libvirt/hooks/qemu /etc/libvirt/qemu.away
libvirtd_start
life "$TEST_DIR/without"

grep -q "<name>plain" "$TEST_DIR/with" || fail "$(cat "$TEST_DIR/with")"
same "a life" "$(cat "$TEST_DIR/without")" "$(cat "$TEST_DIR/with")"
[ ! -e "$TEST_DIR/called" ] || fail "the engine was called: $(cat "$TEST_DIR/called")"
host_is_as_before "$before"
[ ! -e "$HOST/run/virt-fit" ] || fail "state was made"
