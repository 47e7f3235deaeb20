#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A write that the kernel refuses ends the start with our line and leaves nothing behind, neither at
# prepare nor at a later step.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
private_libvirtd_enter "$@"
. "$TOP/tests/lib/guest.sh"
host_make
libvirtd_start

refused_by() { # FILE REQUEST
	local before
	mount --bind -o ro "$1" "$1" || skip "bind mounts are not permitted"
	before=$(host_dump)
	guest_define web01 "$2"
	virt-fit apply web01
	refuses virsh -q start web01
	contains "the refusal" "$refusal" "virt-fit"
	contains "the refusal" "$refusal" "${1##*/}"
	guest_is web01 "shut off" || fail "the guest runs"
	host_is_as_before "$before"
	umount "$1"
	virsh -q undefine web01
}

# prepare: the pages
pages=$HOST/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages
refused_by "$pages" "$(request low-latency 2MiB)"
