#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A domain that starts before it is fitted (stale="warn") gets what can be changed while it runs: its
# threads are moved, iothreads are added, its CPUs are its own from then on, and what waits for its
# next start is listed. It is not moved onto what another one has.
set -eu
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
guest_stage "$@"
read -ra cpus <<<"$(host_cpus)"

warned() {
	request low-latency | sed "s/profile=/stale='warn' &/"
}

started_unfitted() { # NAME VERB
	GUEST_DISK=$TEST_DIR/$1.img # each its own: QEMU locks it
	guest_xml "$1" "$(warned)" | sed "s/<vcpu>1</<vcpu>$((${#cpus[@]} - 1))</" >"$TEST_DIR/$1.xml"
	if [ "$2" = create ]; then
		virsh -q create "$TEST_DIR/$1.xml" >/dev/null
	else
		virsh -q "define $TEST_DIR/$1.xml; start $1"
	fi
	guest_is "$1" running
}

pinned() { # NAME
	local xml
	xml=$(virsh -q dumpxml "$1")
	[ -n "$(xml_value "//vcpupin[@vcpu='0']/@cpuset" "$xml")" ] &&
		[ -n "$(xml_value "//emulatorpin/@cpuset" "$xml")" ]
}

# The watcher was not there; it comes, and finds it.
started_unfitted early define
! pinned early || fail "it was fitted before it started"
contains "the status" "$(virt-fit status early)" \
	"it was started before it was fitted: what follows it gets after 'virt-fit apply' and another start"
watch_start
wait_until 10 pinned early
threads_are_as_defined early
wait_until 10 is_fitted early # for its next start
wait_until 10 watch_says "it was started before it was fitted; now it has a new iothread 1"
same "the CPUs of its vCPUs" "$(IFS=$'\n'; echo "${cpus[*]:1}")" \
	"$(virsh -q dumpxml early | grep -o "vcpupin .*cpuset='[0-9]*" | grep -o '[0-9]*$' | sort -n)"
status=$(virt-fit status early)
contains "the status" "$status" "it was started before it was fitted: what follows it gets at its next start"
contains "the status" "$status" "alone on"
contains "the status" "$status" "missing           devices/disk[target/@dev='vda']/driver/@iothread"
lacks "the status" "$status" "vcpupin"
# Its CPUs are its own, also for those who only look at what is defined.
GUEST_DISK=$TEST_DIR/second.img
guest_define second
refuses virt-fit set second low-latency "${modest[@]}"
contains "the refusal" "$refusal" "early (running)"
virsh -q undefine second

# Once: nothing is moved by what comes later.
said=$(watch_count "it was started before it was fitted; now")
virsh -q vcpupin early 0 "${cpus[0]}" --live >/dev/null
virsh -q metadata early urn:other x "<a/>" --live --config >/dev/null
sleep 1
same "times that it was fitted" "$said" "$(watch_count "it was started before it was fitted; now")"
virsh -q destroy early
host_is_as_before "$before"

# Started again it is fitted, and nothing is missing.
virsh -q start early
lacks "the status" "$(virt-fit status early)" "missing"
# What another domain has is not touched; it is taken when it is free.
started_unfitted late define
wait_until 10 watch_says "late: cannot fit"
sleep 0.5
! pinned late || fail "it is pinned onto what another domain has"
virsh -q destroy early
virsh -q undefine early
wait_until 10 pinned late
threads_are_as_defined late
virsh -q destroy late
virsh -q undefine late
host_is_as_before "$before"

# A transient domain has no next start.
started_unfitted fleeting create
wait_until 10 pinned fleeting
threads_are_as_defined fleeting
contains "the status" "$(virt-fit status fleeting)" "it has no definition for another start"
virsh -q destroy fleeting
host_is_as_before "$before"
watch_stop TERM
