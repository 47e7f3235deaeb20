#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The hook's engine dies while it prepares the host, at any moment: the domain does not start, and
# what was prepared so far is taken back. Afterwards the domain starts as if nothing had been.
. "$TOP/tests/lab/scenario.sh"

guest_define web sata
virt-fit set web low-latency sriov "${small_pages[@]}"
remember_host
kills=0
for moment in 0.2 0.5 1 2; do
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
virsh -q start web
guest_is_up web
virsh -q destroy web
host_is_as_before
no_program_was_confined
