#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With virtqemud in place of libvirtd all is the same, and so it is with a socket in another place, by
# --connect or by libvirt's own variable. Where virtqemud is not installed (Debian 12 has none),
# libvirtd plays it: at its socket, and with nothing at the one of libvirtd.
set -eu
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
guest_stage "$@"
libvirtd_stop TERM
rm -f /run/libvirt/libvirt-sock*
mkdir -p "$PRIVATE/elsewhere"
if command -v virtqemud >/dev/null; then
	libvirtd_program() {
		command -v virtqemud
	}
	cp -n /etc/libvirt/libvirtd.conf /etc/libvirt/virtqemud.conf
	ln -s /run/libvirt/virtqemud-sock "$PRIVATE/elsewhere/socket"
else
	echo "unix_sock_dir = \"$PRIVATE/elsewhere\"" >>/etc/libvirt/libvirtd.conf
	ln -s "$PRIVATE/elsewhere/libvirt-sock" /run/libvirt/virtqemud-sock
	ln -s libvirt-sock "$PRIVATE/elsewhere/socket"
fi
elsewhere="qemu:///system?socket=$PRIVATE/elsewhere/socket"
libvirtd_start
[ ! -e /run/libvirt/libvirt-sock ] || fail "libvirtd is there"

# A life with the watcher, which reaches the daemon of itself.
watch_start
guest_define web01 "$(request low-latency)"
wait_until 10 is_fitted web01
virsh -q start web01
threads_are_as_defined web01
status=$(virt-fit status web01)
contains "the status" "$status" "web01: running, fitted (low-latency)"
contains "the status" "$status" "alone on"
libvirtd_stop TERM
libvirtd_start
# A guest that is destroyed while the daemon still finds it again is lost to libvirt before it is
# destroyed, which is then an error: this waits for that.
virsh -q domblkstat web01 vda >/dev/null
virsh -q destroy web01
host_is_as_before "$before"
virsh -q undefine web01

# A start that comes too early.
early() { # NAME
	guest_xml "$1" "$(request low-latency)" >"$TEST_DIR/early.xml"
	contains "the refusal" "$(printf 'define %s\nstart %s\n' "$TEST_DIR/early.xml" "$1" |
		virsh -q 2>&1 >/dev/null)" "do not start it again"
	wait_until 20 guest_is "$1" running
	is_fitted "$1" || fail "it runs unfitted"
	virsh -q destroy "$1"
	virsh -q undefine "$1"
	host_is_as_before "$before"
}
early web02
watch_stop TERM

# Nothing is where libvirt looks by itself.
mv /run/libvirt/virtqemud-sock "$PRIVATE/elsewhere/moved"
refuses virt-fit list --connect qemu:///system
export LIBVIRT_DEFAULT_URI=$elsewhere
guest_define web03
virt-fit set web03 low-latency "${modest[@]}"
unset LIBVIRT_DEFAULT_URI
contains "the list" "$(virt-fit list --connect "$elsewhere")" web03
export LIBVIRT_DEFAULT_URI=$elsewhere
virsh -q undefine web03
watch_options=(--connect "$elsewhere")
watch_start
early web04
watch_stop TERM
