#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Somebody dies: the hook's engine while it prepares the host, at any moment; libvirtd under a running
# guest; QEMU. A start that was not finished leaves nothing, a guest does not notice what is not its
# own, and whatever its end is, the host is put back.
. "$TOP/tests/lab/scenario.sh"

guest_define web sata 2 192.168.77.11
virt-fit set web low-latency sriov "${small_pages[@]}"
remember_host

# The engine: the domain does not start, and what was prepared so far is taken back.
kills=0
for moment in 0.2 0.6 1.2; do
	(
		wait_until 20 pidof virt-fit-hook
		sleep $moment
		kill -KILL "$(pidof virt-fit-hook)"
	) &
	if virsh -q start web 2>"$WORK/refusal"; then
		virsh -q destroy web # it was ready before its moment came
	else
		contains "the refusal" "$(cat "$WORK/refusal")" "Hook script execution failed"
		kills=$((kills + 1))
	fi
	wait || true
	host_is_as_before
done
[ $kills -gt 0 ] || fail "the engine was never caught"

# libvirtd, and then it is restarted as an update does.
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

# QEMU. The state changes before the hook has been called for the last time.
kill -KILL "$pid"
wait_until 60 guest_is web "shut off"
wait_until 60 test ! -e "/run/virt-fit/domains/$(virsh -q domuuid web)"
host_is_as_before
no_program_was_confined
