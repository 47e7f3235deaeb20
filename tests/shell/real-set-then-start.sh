#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The two commands of the README: set, then virsh start alone.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01
virt-fit set web01 low-latency "${modest[@]}"
virsh -q start web01
threads_are_as_defined web01
[ "$(host_dump)" != "$before" ] || fail "the host was not prepared"
virsh -q destroy web01
host_is_as_before "$before"
