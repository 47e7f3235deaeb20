#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Live migration between two libvirtd that see different hosts, there and back, with a watcher beside
# each: the guest gets the placements of the host it comes to, its definition is fitted for that one,
# and what it leaves is as it was. What cannot be met is refused, and the guest runs on. MIGRATIONS says
# how often (default 4).
set -eu
. "$TOP/tests/lib/shell.sh"
migrations=${MIGRATIONS:-4}

# One of the hosts does what it is told, a line at a time, until all namespaces end.
play() { # ARGUMENT...: those of the script
	mkdir -p "$TEST_DIR"
	. "$TOP/tests/lib/guest.sh"
	. "$TOP/tests/lib/watch.sh"
	. "$TOP/tests/lib/private-libvirtd.sh"
	private_libvirtd_enter "$@"
	hostname "$ROLE"
	mkdir -p /run/libvirt
	mount --bind "$TEST_DIR/run" /run/libvirt
	host_make
	echo "$LIBVIRTD_UUID" | tr -d - >"$HOST/etc/machine-id"
	echo "<host xmlns='urn:virt-fit:host:1'><housekeeping cpus='$HOUSEKEEPING'/></host>" \
		>"$HOST/etc/virt-fit/host.xml"
	before=$(host_dump)
	libvirtd_start
	watch_start
	echo 0 >"$TEST_DIR/done"
	local line code
	while read -r line <"$TEST_DIR/do"; do
		code=0
		(eval "$line") >"$TEST_DIR/said" 2>&1 || code=$?
		echo $code >"$TEST_DIR/done"
	done
}

what_it_was() {
	echo "$before"
}

answer() { # one|two
	local code
	code=$(timeout 120 cat "$TEST_DIR/$1/done") || fail "host $1 does not answer: $(cat "$TEST_DIR/$1.log")"
	cat "$TEST_DIR/$1/said"
	return "$code"
}

at() { # one|two COMMAND ARGUMENT...
	local line
	printf -v line '%q ' "${@:2}"
	echo "$line" >"$TEST_DIR/$1/do"
	answer "$1"
}

host_start() { # one|two HOUSEKEEPING UUID
	mkdir -p "$TEST_DIR/$1/run"
	mkfifo "$TEST_DIR/$1/do" "$TEST_DIR/$1/done"
	: >"$TEST_DIR/$1/said"
	ROLE=$1 HOUSEKEEPING=$2 LIBVIRTD_UUID=$3 TEST_DIR=$TEST_DIR/$1 \
		bash "$0" >"$TEST_DIR/$1.log" 2>&1 </dev/null &
	answer "$1"
}

if [ "${ROLE:-}" ]; then
	play "$@"
	exit
fi
if [ "${MIGRATION_INSIDE:-}" != 1 ]; then
	. "$TOP/tests/lib/private-libvirtd.sh"
	private_libvirtd_requires
	# Whatever becomes of this, nothing of it is left.
	MIGRATION_INSIDE=1 exec unshare --mount --pid --net --fork --kill-child --mount-proc bash "$0"
fi
export PRIVATE_LIBVIRTD_KEEPS_NET=1
. "$TOP/tests/lib/guest.sh"
read -ra cpus <<<"$(host_cpus)"
host_start one "${cpus[0]}" 11111111-3f0a-4a53-9d0e-6c1f1f1d2a10
host_start two "${cpus[1]}" 22222222-3f0a-4a53-9d0e-6c1f1f1d2a10

vcpu_pin() { # one|two [OPTION]
	xml_value "//vcpupin[@vcpu='0']/@cpuset" "$(at "$1" virsh -q dumpxml vm "${@:2}")"
}

is_off_housekeeping() { # one|two CPU
	[ -n "$(vcpu_pin "$1")" ] && [ "$(vcpu_pin "$1")" != "$2" ] ||
		fail "the vCPU is pinned to '$(vcpu_pin "$1")' at $1, where $2 is housekeeping"
}

migrate() { # FROM TO [URI]: by which QEMU gets there
	at "$1" virsh -q migrate --live --persistent --undefinesource --unsafe vm \
		"qemu+unix:///system?socket=$TEST_DIR/$2/run/libvirt-sock" \
		--migrateuri "${3:-unix://$TEST_DIR/$2/run/migration}"
}

fitted_here() { # ON
	at "$1" is_fitted vm && [ "$(vcpu_pin "$1" --inactive)" = "$(vcpu_pin "$1")" ]
}

runs_at() { # ON OFF
	at "$1" guest_is vm running
	at "$1" threads_are_as_defined vm
	wait_until 10 fitted_here "$1"
	at "$2" host_is_as_before "$(cat "$TEST_DIR/$2.before")"
	same "domains at $2" "" "$(at "$2" virsh -q list --all --name)"
}

for host in one two; do
	at $host what_it_was >"$TEST_DIR/$host.before"
done
guest_xml vm "$(request low-latency)" >"$TEST_DIR/vm.xml"
at one virsh -q define "$TEST_DIR/vm.xml"
wait_until 10 at one is_fitted vm
at one virsh -q start vm
runs_at one two
is_off_housekeeping one "${cpus[0]}"

for ((i = 0; i < migrations; i += 2)); do
	migrate one two
	runs_at two one
	is_off_housekeeping two "${cpus[1]}"
	migrate two one
	runs_at one two
	is_off_housekeeping one "${cpus[0]}"
done

# As between two machines.
if command -v ip >/dev/null; then
	migrate one two tcp://127.0.0.1:49300
	runs_at two one
	migrate two one tcp://127.0.0.1:49301
	runs_at one two
	is_off_housekeeping one "${cpus[0]}"
fi

# All cores but housekeeping's are another's there.
GUEST_DISK=$TEST_DIR/someone.img
guest_xml someone "$(request low-latency)" | sed "s/<vcpu>1</<vcpu>$((${#cpus[@]} - 1))</" >"$TEST_DIR/someone.xml"
at two virsh -q define "$TEST_DIR/someone.xml"
wait_until 10 at two is_fitted someone
at two virsh -q start someone
held=$(at two host_dump)
! said=$(migrate one two) || fail "it was migrated to where there is no room"
contains "the refusal" "$said" "virt-fit: vm: cannot fit: 1 whole core wanted"
contains "the refusal" "$said" "someone (running) holds"
at one guest_is vm running
at one threads_are_as_defined vm
same "domains at two" someone "$(at two virsh -q list --all --name)"
same "the host two" "$held" "$(at two host_dump)"

at two virsh -q destroy someone
at two host_is_as_before "$(cat "$TEST_DIR/two.before")"
at one virsh -q destroy vm
at one host_is_as_before "$(cat "$TEST_DIR/one.before")"
