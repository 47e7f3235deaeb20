#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# QEMU dies while no libvirtd is there to see it: the next one gives the host back.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01 "$(request low-latency)"
virt-fit apply web01
virsh -q start web01
libvirtd_stop KILL
kill -9 "$(guest_pid web01)"
[ "$(host_dump)" != "$before" ] || fail "the host was not prepared"

libvirtd_start
wait_until 20 guest_is web01 "shut off"
wait_until 5 host_equals "$before"
host_is_as_before "$before"
