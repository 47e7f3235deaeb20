#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The whole cycle, told as it happens: `./install.sh demo`. Exit code 0 only if all of it worked.
#
# libvirtd, QEMU and its threads are real, and private to the demo. The host settings are written to
# a tree that stands for the host: this machine's CPUs with a network card and a governor, because
# the machine may have neither, and is not to be changed by a demo.
set -eu
if [ -z "${TEST_DIR:-}" ]; then
	TEST_DIR=$(mktemp -d /tmp/virt-fit-demo.XXXXXX)
	export TEST_DIR
	trap 'rm -rf "$TEST_DIR"' EXIT
	bash "$0" "$@"
	exit
fi
TOP=$(cd "$(dirname "$0")/.." && pwd)
. "$TOP/tests/lib/private-libvirtd.sh"
private_libvirtd_enter "$@"
. "$TOP/tests/lib/guest.sh"

chapter() { # TITLE
	printf '\n\033[1m== %s\033[0m\n' "$*"
}

tell() { # TEXT
	printf '%s\n' "$*" | fold -s -w 96
}

shown() { # COMMAND...: as typed, then run
	printf '\n$ %s\n' "$*"
	"$@" 2>&1 | sed 's/^/  /'
	[ "${PIPESTATUS[0]}" = 0 ] || fail "this should have worked: $*"
}

host_settings() {
	local file
	for file in "$HOST"/sys/devices/system/cpu/cpufreq/policy*/scaling_governor; do
		printf '  governor of CPU %-2s          %s\n' "$(basename "$(dirname "$file")" | tr -dc 0-9)" "$(cat "$file")"
	done
	for file in "$HOST"/proc/irq/*/smp_affinity_list; do
		printf '  interrupt %-2s %-14s CPUs %s\n' "$(basename "$(dirname "$file")")" \
			"$(cat "${file%/proc/*}/sys/kernel/irq/$(basename "$(dirname "$file")")/actions")" "$(cat "$file")"
	done
}

chapter "A host, a libvirtd of its own, a guest"
host_make
before=$(host_dump)
libvirtd_start
guest_define web01
tell "libvirtd $(virsh version --daemon | sed -n 's/.*daemon: //p') runs in private namespaces with our hook installed. The guest web01 has one vCPU and a virtio disk; nothing about it is special yet."
shown virt-fit host
definition=$(virsh -q dumpxml --inactive web01)

chapter "What the profile would give it here, and why"
shown virt-fit plan --profile "low-latency" --why web01

chapter "The only command: set"
shown virt-fit set web01 low-latency "${modest[@]}"
tell "" "What changed in the definition:"
diff -u --label before --label fitted <(echo "$definition") <(virsh -q dumpxml --inactive web01) |
	sed 's/^/  /' || true

chapter "The host before the start"
host_settings

chapter "virsh start"
shown virsh start web01
threads_are_as_defined web01
tell "" "Where its threads may run, as the kernel has it (/proc/PID/task):"
pid=$(guest_pid web01)
for task in /proc/"$pid"/task/*; do
	printf '  %-20s CPUs %s\n' "$(cat "$task/comm")" "$(sed -n 's/^Cpus_allowed_list:\t//p' "$task/status")"
done

chapter "The host while it runs"
host_settings
[ "$(host_dump)" != "$before" ] || fail "the host was not prepared"
shown virt-fit status web01

chapter "virsh destroy: the host is as it was"
shown virsh destroy web01
host_settings
host_is_as_before "$before"

chapter "And the definition, if it is no longer wanted"
shown virt-fit unset web01
same "the definition" "$(grep -v metadata <<<"$definition")" \
	"$(virsh -q dumpxml --inactive web01 | grep -v metadata)"
tell "" "Byte for byte what it was. The demo is over; libvirtd, guest and host tree are gone with it."
