#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A definition that was fitted in part starts, with the host prepared for that part, and one that was
# completed with all.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml

step() { # OPTION...
	"$BUILD/virt-fit" render --sysroot "$HOST" --profiles "$PROFILES" "$@" "$vm.last" >"$vm"
	cp "$vm" "$vm.last"
}

governor() { # of the domain's first CPU
	local cpu
	cpu=$(sed -nE "s/.*<vcpupin vcpu=.0. cpuset=.([0-9]+).\/>.*/\1/p" "$vm" | tail -n 1)
	cat "$HOST/sys/devices/system/cpu/cpufreq/policy$cpu/scaling_governor"
}

domain_xml web01 "$UUID_A" >"$vm.last"
step --only vcpus
before=$(governor)
hook_up "$vm" web01
same "the governor" "$before" "$(governor)"
hook_down "$vm" web01
host_is_as_before

step --only vcpus,governor
hook_up "$vm" web01
same "the governor" performance "$(governor)"
hook_down "$vm" web01
host_is_as_before

step --upto memory
hook_up "$vm" web01
same "the governor" "$before" "$(governor)"
hook_down "$vm" web01
host_is_as_before

step
hook_up "$vm" web01
same "the governor" performance "$(governor)"
hook_down "$vm" web01
host_is_as_before

code=0
"$BUILD/virt-fit" render --only nosuch "$vm" 2>"$TEST_DIR/err" || code=$?
same "the exit code" 2 "$code"
contains "the error" "$(cat "$TEST_DIR/err")" "intents: cpu, "
