#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which devices a running domain has is noted anew when one comes or goes, which no hook is told of, and
# when a watcher starts; a reset has the guest looked at again.
set -eu
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
guest_stage "$@"

journal() {
	echo "$HOST/run/virt-fit/domains/$(virsh -q domuuid web01)"
}

noted() { # DEVICE
	grep -qx "device $1" "$(journal)"
}

not_noted() { # DEVICE
	! noted "$1"
}

# A device that libvirt knows nothing of stands for one that was unplugged.
note() { # DEVICE
	sed "/^interrupts-spread-over /a device $1" "$(journal)" >"$HOST/run/virt-fit/new"
	mv "$HOST/run/virt-fit/new" "$(journal)"
}

watch_start
guest_define web01 "$(request low-latency)"
wait_until 5 is_fitted web01
virsh -q start web01
grep -q '^interrupts-spread-over [0-9]' "$(journal)" || fail "$(cat "$(journal)")"

sleep 1 # until what the start has raised is dealt with
note 0000:00:03.0
sleep 0.5
noted 0000:00:03.0 || fail "forgotten for no reason"
truncate -s 1M "$TEST_DIR/second.img"
virsh -q attach-disk web01 "$TEST_DIR/second.img" vdz --targetbus virtio --live >/dev/null
wait_until 5 not_noted 0000:00:03.0

watch_stop KILL
note 0000:00:03.0
watch_start
wait_until 5 not_noted 0000:00:03.0

# Both raise an event of their own.
virsh -q reset web01
virsh -q destroy web01
wait_until 5 host_equals "$before"
watch_stop TERM
