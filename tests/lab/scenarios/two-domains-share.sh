#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two domains have VFs of one card and pages of one pool. Whichever stops first, the other one is not
# disturbed, and the last one gives back all. What a third wants is taken: it is told by whom.
. "$TOP/tests/lab/scenario.sh"

guest_define first sata 2 192.168.77.11
guest_define second sata 2 192.168.77.12
guest_define third sata 4
remember_host

# The number of VFs cannot be changed while one is in use: the first one creates for both.
virt-fit set first low-latency sriov --param create=2 "${small_pages[@]}"
virsh -q start first
virt-fit set second low-latency sriov "${small_pages[@]}"
virsh -q start second

same "VFs" 2 "$(vfs_of_igb)"
same "huge pages" $((2 * GUEST_PAGES)) "$(cat "$NODE1_PAGES")"
[ "$(guest_value first //vcpupin/@cpuset)" != "$(guest_value second //vcpupin/@cpuset)" ] ||
	fail "both are on CPU $(guest_value first //vcpupin/@cpuset)"
refuses virt-fit set third low-latency "${small_pages[@]}"
contains "the refusal" "$refusal" "2 whole cores"
contains "the refusal" "$refusal" "first (running)"
guest_is_up first
guest_is_up second

virsh -q destroy first
same "VFs" 2 "$(vfs_of_igb)"
same "huge pages" "$GUEST_PAGES" "$(cat "$NODE1_PAGES")"
threads_are_as_defined second
guest_answers 192.168.77.12
virsh -q start first
virsh -q destroy second
same "VFs" 2 "$(vfs_of_igb)"
same "huge pages" "$GUEST_PAGES" "$(cat "$NODE1_PAGES")"
guest_is_up first
guest_answers 192.168.77.11
virsh -q destroy first
host_is_as_before
no_program_was_confined
