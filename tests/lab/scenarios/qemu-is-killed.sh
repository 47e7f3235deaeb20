#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# QEMU crashes, and nobody was asked: the host is put back all the same.
. "$TOP/tests/lab/scenario.sh"

guest_define web sata
virt-fit set web low-latency sriov "${small_pages[@]}"
remember_host
virsh -q start web
guest_is_up web
kill -KILL "$(guest_pid web)"
wait_until 60 guest_is web "shut off"
# The state changes before the hook has been called for the last time.
wait_until 60 test ! -e "/run/virt-fit/domains/$(virsh -q domuuid web)"
host_is_as_before
no_program_was_confined
