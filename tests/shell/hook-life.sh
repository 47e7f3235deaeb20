#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A fitted domain's life, with any name: the host is prepared, and is byte for byte as before when
# it has ended.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node

# shellcheck disable=SC2016  # meant as it is
for name in web01 "two words" "it's \"quoted\"" 'Пример-例' "-n" "--sysroot" "--" '$(reboot)' '%s%n' '*'; do
	fitted "$TEST_DIR/vm.xml" "$name" "$UUID_A"
	cpu=$(sed -nE "s/.*<vcpupin vcpu=.0. cpuset=.([0-9]+).\/>.*/\1/p" "$TEST_DIR/vm.xml" | tail -n 1)
	hook_up "$TEST_DIR/vm.xml" "$name"
	same "governor of CPU $cpu" performance \
		"$(cat "$HOST/sys/devices/system/cpu/cpufreq/policy$cpu/scaling_governor")"
	same "interrupts on CPU $cpu" "" "$(cd "$HOST/proc/irq" &&
		grep -lEx "(.*,)?$cpu(-.*|,.*)?" -- */smp_affinity_list || true)"
	hook_down "$TEST_DIR/vm.xml" "$name"
	host_is_as_before
done
