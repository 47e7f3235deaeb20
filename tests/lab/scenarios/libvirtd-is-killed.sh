#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libvirtd crashes under a running guest, and is restarted another time: the guest does not notice,
# and its end is cleaned up after as ever.
. "$TOP/tests/lab/scenario.sh"

guest_define web sata 2 192.168.77.11
virt-fit set web low-latency sriov "${small_pages[@]}"
remember_host
virsh -q start web
guest_is_up web
pid=$(guest_pid web)

killed=$(pidof libvirtd)
kill -KILL "$killed"
wait_until 60 guest_is web running
[ "$(pidof libvirtd)" != "$killed" ] || fail "libvirtd was not restarted"
same "QEMU" "$pid" "$(guest_pid web)"
same "VFs" 1 "$(vfs_of_igb)"
guest_answers 192.168.77.11

systemctl restart libvirtd
wait_until 60 guest_is web running
same "QEMU" "$pid" "$(guest_pid web)"
contains "status" "$(virt-fit status)" "web: running, fitted (low-latency sriov)"
threads_are_as_defined web
guest_answers 192.168.77.11

virsh -q destroy web
host_is_as_before
no_program_was_confined
