#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libvirtd is killed and comes back: the guest runs on, prepared, and its stop gives the host back.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01 "$(request low-latency)"
virt-fit apply web01
virsh -q start web01
running=$(host_dump)
[ "$running" != "$before" ] || fail "the host was not prepared"
pid=$(guest_pid web01)

libvirtd_stop KILL
libvirtd_start
sleep 1 # the reconnect hooks run after clients are let in
guest_is web01 running || fail "the guest is $(virsh domstate web01)"
same "the QEMU process" "$pid" "$(guest_pid web01)"
threads_are_as_defined web01
same "the prepared host" "$running" "$(host_dump)"

virsh -q destroy web01
host_is_as_before "$before"
