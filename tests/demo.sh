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

bold='' normal=''
[ ! -t 1 ] || bold=$'\033[1m' normal=$'\033[0m'

chapter() { # TITLE
	printf '\n%s== %s%s\n\n' "$bold" "$*" "$normal"
}

tell() { # TEXT
	fold -s -w 96 <<<"$*" | sed 's/ *$//'
}

shown() { # COMMAND...: as typed, then run
	printf '$ %s\n' "$*"
	"$@" 2>&1 | sed 's/^/  /'
	[ "${PIPESTATUS[0]}" = 0 ] || fail "this should have worked: $*"
}

definition() { # without the lines of the record, which only virt-fit reads
	virsh -q dumpxml --inactive web01 |
		sed '/<applied:fitted/,/<\/applied:fitted>/c\    <!-- and the record: what was there before each change -->'
}

threads() {
	local task
	for task in /proc/"$(guest_pid web01)"/task/*; do
		printf '  %-28s CPUs %s\n' "$(cat "$task/comm")" \
			"$(sed -n 's/^Cpus_allowed_list:\t//p' "$task/status")"
	done
}

host_settings() {
	local path
	for path in "$HOST"/sys/devices/system/cpu/cpufreq/policy*; do
		printf '  %-28s %s\n' "governor of CPU ${path##*policy}" "$(cat "$path/scaling_governor")"
	done
	find "$HOST/proc/irq" -mindepth 1 -type d | sort -V | while read -r path; do
		printf '  %-28s CPUs %s\n' \
			"interrupt ${path##*/}, $(cat "$HOST/sys/kernel/irq/${path##*/}/actions")" \
			"$(cat "$path/smp_affinity_list")"
	done
}

chapter "A host, a libvirtd of its own, a guest"
host_make
before=$(host_dump)
libvirtd_start
guest_define web01
plain=$(definition)
tell "libvirtd $(virsh version --daemon | sed -n 's/.*daemon: //p') runs in private namespaces," \
	"with our hook. The guest web01 has one vCPU and a virtio disk and nothing special. The host" \
	"is a tree of files with this machine's CPUs, so that nothing of the machine is changed."
echo
shown virt-fit host

chapter "What the profile low-latency would give it here, and why"
shown virt-fit plan --profile low-latency --why web01

chapter "The only command: set"
tell "Huge pages and locked memory are left out: the guest's memory is real, and this machine may have" \
	"none to give."
echo
shown virt-fit set web01 low-latency "${modest[@]}"
printf '\nThe definition, before and after:\n'
diff -u --label before --label fitted <(echo "$plain") <(definition) | sed 's/^/  /' || true

chapter "The host before the start"
host_settings

chapter "virsh start"
shown virsh -q start web01
threads_are_as_defined web01
printf '\nWhere its threads may run, says the kernel (/proc/PID/task):\n'
threads

chapter "The host while it runs"
host_settings
[ "$(host_dump)" != "$before" ] || fail "the host was not prepared"
echo
shown virt-fit status web01

chapter "virsh destroy: the host is as it was"
shown virsh -q destroy web01
echo
host_settings
host_is_as_before "$before"

chapter "And the definition, when the profile is no longer wanted"
shown virt-fit unset web01
same "the definition" "$(grep -v metadata <<<"$plain")" "$(definition | grep -v metadata)"
tell "It is what it was. The demo is over; libvirtd, guest and host tree are gone with it."
