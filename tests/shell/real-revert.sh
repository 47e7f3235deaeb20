#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# revert gives what libvirt makes of the original definition, unset takes the request out as well.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01
plain=$(virsh -q dumpxml --inactive web01)
guest_define web01 "$(request low-latency)"
requested=$(virsh -q dumpxml --inactive web01)

virt-fit apply web01
fitted=$(virsh -q dumpxml --inactive web01)
[ "$fitted" != "$requested" ] || fail "apply changed nothing"
virt-fit apply web01
same "a second apply" "$fitted" "$(virsh -q dumpxml --inactive web01)"

virt-fit revert web01
same "the reverted definition" "$requested" "$(virsh -q dumpxml --inactive web01)"
virt-fit apply web01
same "a fit after revert" "$fitted" "$(virsh -q dumpxml --inactive web01)"
virt-fit unset web01
# The metadata element stays when others use it; nobody does here.
without_metadata() { grep -v metadata; }
same "the definition without request" "$(without_metadata <<<"$plain")" \
	"$(virsh -q dumpxml --inactive web01 | without_metadata)"
virsh -q start web01
virsh -q destroy web01
