#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# undo gives back what the hook could not: here it is gone when the guest stops. Running domains
# keep what they hold, and without libvirt nobody knows what runs.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01 "$(request low-latency)"
virt-fit apply web01
virsh -q start web01
prepared=$(host_dump)
[ "$prepared" != "$before" ] || fail "the host was not prepared"

refuses virt-fit undo web01
contains "the refusal" "$refusal" "runs"
virt-fit undo
same "the host of a running domain" "$prepared" "$(host_dump)"
refuses virt-fit undo nosuch
refuses virt-fit undo --connect test:///default
contains "status" "$(virt-fit status)" "web01: running, fitted (low-latency)"
contains "status" "$(virt-fit status)" "hook: /etc/libvirt/hooks/qemu"

mv /etc/libvirt/hooks/qemu /etc/libvirt/hooks/qemu.away
virsh -q destroy web01
same "the host after a stop without hook" "$prepared" "$(host_dump)"
contains "status" "$(virt-fit status)" "does not run, but holds this"
contains "status --json" "$(virt-fit status --json)" '"stage": "started"'

contains "undo -n" "$(virt-fit undo -n)" "web01: would be undone"
same "the host after undo -n" "$prepared" "$(host_dump)"

libvirtd_stop TERM
refuses virt-fit undo
contains "the refusal" "$refusal" "libvirt must say which domains run"
contains "status" "$(virt-fit status 2>/dev/null)" "web01: state unknown"
same "the host after a refused undo" "$prepared" "$(host_dump)"
# Found only by a daemon that starts after it.
mv /etc/libvirt/hooks/qemu.away /etc/libvirt/hooks/qemu
libvirtd_start

same "undo" "web01: undone" "$(virt-fit undo)"
host_is_as_before "$before"
same "a second undo" "" "$(virt-fit undo)"

# What a killed or failed stop has left without a journal.
virsh -q start web01
mv /etc/libvirt/hooks/qemu /etc/libvirt/hooks/qemu.away
virsh -q destroy web01
rm "$HOST"/run/virt-fit/domains/*
contains "undo -n" "$(virt-fit undo -n)" "left by earlier stops: would be undone"
same "the host after undo -n" "$prepared" "$(host_dump)"
same "undo" "left by earlier stops: undone" "$(virt-fit undo)"
host_is_as_before "$before"
same "a second undo" "" "$(virt-fit undo)"
