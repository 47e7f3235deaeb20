#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A saved guest starts again after its profile has changed: its devices are in the saved state, so it
# starts as it was saved, and the host is prepared for that.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01
virt-fit set web01 low-latency "${modest[@]}"
virsh -q start web01
virsh -q managedsave web01
host_is_as_before "$before"
virt-fit set web01 base low-latency "${modest[@]}"
virsh -q start web01
guest_is web01 running || fail "the guest is $(virsh -q domstate web01)"
threads_are_as_defined web01
[ "$(host_dump)" != "$before" ] || fail "the host was not prepared"
virsh -q destroy web01
host_is_as_before "$before"
