#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# QEMU dies of SIGKILL: the host is as before.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01 "$(request low-latency)"
virt-fit apply web01
virsh -q start web01
[ "$(host_dump)" != "$before" ] || fail "the host was not prepared"
kill -9 "$(guest_pid web01)"
wait_until 20 guest_is web01 "shut off"
host_is_as_before "$before"
