#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The host loses its power under an autostart domain. At the next boot libvirtd starts it before
# anybody can ask for anything, and the host is prepared for it.
. "$TOP/tests/lab/scenario.sh"

if [ -z "$AFTER_POWER_CYCLE" ]; then
	guest_define web sata 2 192.168.77.11
	virt-fit set web low-latency sriov "${small_pages[@]}"
	virsh -q autostart web
	virsh -q start web
	rm -f "$(guest_console web)"
	power_cycle
fi

wait_until 60 guest_is web running
same "VFs" 1 "$(vfs_of_igb)"
same "huge pages" "$GUEST_PAGES" "$(cat "$NODE1_PAGES")"
contains "status" "$(virt-fit status)" "web: running, fitted (low-latency sriov)"
threads_are_as_defined web
guest_is_up web
guest_answers 192.168.77.11
virsh -q destroy web
same "VFs" 0 "$(vfs_of_igb)"
same "huge pages" 0 "$(cat "$NODE1_PAGES")"
same "our state" "" "$(our_state)"
no_program_was_confined
