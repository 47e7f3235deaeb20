#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A domain that never asked for anything runs beside one that did: nothing of it changes, not its
# definition, not where it runs, and nothing is done to the host for it.
. "$TOP/tests/lab/scenario.sh"

guest_define plain virtio
defined=$(virsh dumpxml --inactive plain)
remember_host
virsh -q start plain
running=$(virsh dumpxml plain)
threads=$(thread_cpus plain "CPU 0/KVM")
same "CPUs of a plain domain" 0-7 "$threads"
[ ! -e /run/virt-fit/domains ] || [ -z "$(ls /run/virt-fit/domains)" ] || fail "it has a journal"

guest_define web sata
virt-fit set web low-latency sriov "${small_pages[@]}"
virsh -q start web
guest_is_up plain
same "the running domain" "$running" "$(virsh dumpxml plain)"
same "its threads" "$threads" "$(thread_cpus plain "CPU 0/KVM")"
virsh -q destroy web
same "the running domain" "$running" "$(virsh dumpxml plain)"
virsh -q destroy plain
same "its definition" "$defined" "$(virsh dumpxml --inactive plain)"
host_is_as_before
no_program_was_confined
