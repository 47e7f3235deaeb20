#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A request taken out while the domain runs does not leave the host prepared for ever: the stop gives
# back what the start took, and the next start is an ordinary one.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01
virt-fit set web01 low-latency "${modest[@]}"
virsh -q start web01
running=$(host_dump)
[ "$running" != "$before" ] || fail "the host was not prepared"
virt-fit unset web01
virsh -q metadata web01 --live urn:virt-fit:domain:1 --remove >/dev/null
virsh -q metadata web01 --live urn:virt-fit:applied:1 --remove >/dev/null
same "the running domain's host" "$running" "$(host_dump)"
virsh -q destroy web01
host_is_as_before "$before"

virsh -q start web01
host_is_as_before "$before"
virsh -q destroy web01
