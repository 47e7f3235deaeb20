#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads of a running QEMU that libvirt does not pin go to the emulator's CPUs when they are on a
# vCPU's, with the scheduler that the profile says; those that libvirt pins stay.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
private_libvirtd_enter "$@"
. "$TOP/tests/lib/guest.sh"
requires taskset chrt

read -ra cpus <<<"$(host_cpus)"
mkdir -m 0755 "$TEST_DIR/profiles"
cp -r "$BUILD"/profiles/*.xml "$TEST_DIR/profiles/"
cat >"$TEST_DIR/profiles/helpers.xml" <<-'END'
	<profile xmlns="urn:virt-fit:profile:1" name="helpers">
	  <summary>Threads only</summary>
	  <vcpus place="cores" shared="no"/>
	  <host><threads of="qemu" to="emulator" scheduler="fifo" priority="1"/></host>
	</profile>
END
hook() { # OPERATION SUBOPERATION: on this machine itself, whose QEMU it is
	"$BUILD/virt-fit-hook" --profiles "$TEST_DIR/profiles" -- web01 "$1" "$2" - <"$TEST_DIR/vm.xml"
}
where() { # TID
	taskset -cp "$1" | sed 's/.*: //'
}

# The hook is called by hand, with another state of QEMU's threads.
rm /etc/libvirt/hooks/qemu
libvirtd_start
guest_xml web01 "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='helpers'/>" |
	sed "s,<os>,<cputune><vcpupin vcpu='0' cpuset='${cpus[1]}'/><emulatorpin cpuset='${cpus[0]}'/></cputune>&," \
		>"$TEST_DIR/guest.xml"
virsh -q define "$TEST_DIR/guest.xml" >/dev/null
virsh -q start web01
virsh -q dumpxml web01 >"$TEST_DIR/vm.xml"
pid=$(guest_pid web01)
helper="" vcpu=""
for task in /proc/"$pid"/task/*; do
	case $(cat "$task/comm") in
	"CPU "*) vcpu=${task##*/} ;;
	"IO "*) ;;
	*) [ "${task##*/}" = "$pid" ] || helper=${task##*/} ;;
	esac
done
[ -n "$helper" ] || fail "QEMU has no other thread"
# As one that a vCPU's thread has made.
taskset -cp "${cpus[1]}" "$helper" >/dev/null
hook restore begin
hook prepare begin
hook start begin
hook started begin
same "the helper's CPUs" "${cpus[0]}" "$(where "$helper")"
same "the vCPU's" "${cpus[1]}" "$(where "$vcpu")"
contains "the scheduler" "$(chrt --pid "$helper")" SCHED_FIFO
contains "the vCPU's scheduler" "$(chrt --pid "$vcpu")" SCHED_OTHER
hook stopped end
hook release end
