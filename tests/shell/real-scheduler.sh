#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Profile realtime: the vCPU of a running guest has the real-time scheduler of its definition, QEMU's
# other threads have not, and revert takes it out again.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
private_libvirtd_enter "$@"
. "$TOP/tests/lib/guest.sh"
requires xmllint chrt

# Neither every container may ask for it, nor every control group have time for such threads.
refused=$(chrt --fifo 1 true 2>&1) || skip "no real-time scheduler for processes here: $refused"

scheduler() { # PID COMM: policy and priority of the thread of that name
	local task
	for task in /proc/"$1"/task/*; do
		[ "$(cat "$task/comm")" != "$2" ] || chrt --pid "${task##*/}" | sed 's/.*: //' | xargs
	done
}

host_make
libvirtd_start
guest_define web01 "$(request realtime)"
before=$(virsh -q dumpxml --inactive web01)
virt-fit apply web01
fitted=$(virsh -q dumpxml --inactive web01)
contains "the fitted definition" "$fitted" "<vcpusched vcpus='0' scheduler='fifo' priority='1'/>"
contains "the fitted definition" "$fitted" "<nosharepages/>"
virsh -q start web01
pid=$(guest_pid web01)
threads_are_as_defined web01
same "the scheduler of vCPU 0" "SCHED_FIFO 1" "$(scheduler "$pid" "CPU 0/TCG")"
same "that of QEMU itself" "SCHED_OTHER 0" "$(chrt --pid "$pid" | sed 's/.*: //' | xargs)"
same "memory that QEMU lets the kernel merge" off \
	"$(tr '\0' '\n' <"/proc/$pid/cmdline" | grep -o 'mem-merge=[a-z]*' | cut -d = -f 2)"
virsh -q destroy web01
virt-fit revert web01
same "the reverted definition" "$before" "$(virsh -q dumpxml --inactive web01)"
virt-fit set "${modest[@]}" --param scheduler=keep web01 realtime
lacks "the definition without a scheduler" "$(virsh -q dumpxml --inactive web01)" vcpusched
