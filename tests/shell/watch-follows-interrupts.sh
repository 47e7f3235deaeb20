#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The watcher places the vectors of a domain's devices as the hook has noted it, keeps them there, also
# after it was killed, and the hook gives the host back.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml
vf=0000:41:10.0
log=$TEST_DIR/watch.log

options=(--connect test:///default --sysroot "$HOST" --profiles "$PROFILES")

cli() { # VERB ARGUMENT...
	"$BUILD/virt-fit" "$1" "${options[@]}" "${@:2}"
}

watch_start() {
	"$BUILD/virt-fit" watch "${options[@]}" >>"$log" 2>&1 </dev/null &
	watch_pid=$!
	wait_until 10 grep -q "watching the domains" "$log"
}

watch_kill() {
	kill -KILL "$watch_pid"
	wait "$watch_pid" 2>/dev/null || true
	watch_pid=
	: >"$log"
}

# As the kernel does it: listed first, requested later.
vector() { # NUMBER INDEX
	printf '%s\n' "sys/bus/pci/devices/$vf/msi_irqs/$1 = msix" "sys/kernel/irq/$1/chip_name = PCI-MSIX-$vf" \
		"sys/kernel/irq/$1/hwirq = $2" "sys/kernel/irq/$1/actions = vfio-msix[$2]($vf)" \
		"proc/irq/$1/smp_affinity_list = 0-63" | "$BUILD/tests/lib/mkroot" "$HOST"
}

gone() { # NUMBER
	rm -r "$HOST/sys/bus/pci/devices/$vf/msi_irqs/$1" "$HOST/sys/kernel/irq/$1" "$HOST/proc/irq/$1"
}

vcpus() { # of the definition: CPUs, one a line
	sed -nE "s/.*<vcpupin vcpu=.[0-9]+. cpuset=.([0-9]+).\/>.*/\1/p" "$vm" | sort -u
}

on_vcpus() { # NUMBER
	vcpus | grep -qx "$(cat "$HOST/proc/irq/$1/smp_affinity_list")"
}

watch_pid=
leave() {
	local code=$?
	shell_leave
	[ -z "$watch_pid" ] || kill -KILL "$watch_pid" 2>/dev/null || true
	[ $code = 0 ] || cat "$log"
	exit $code
}
trap leave EXIT

rm -rf "$HOST/sys/bus/pci/devices/$vf/msi_irqs"
BEFORE=$(hook_dump)
watch_start
domain_xml web01 "$UUID_A" | sed "s,</devices>,<hostdev mode='subsystem' type='pci' managed='yes'>\
	<source><address domain='0' bus='0x41' slot='0x10' function='0'/></source></hostdev>&," >"$vm.plain"
fit_file "$vm.plain" "$vm"
hook_up "$vm" web01
ln -sfn ../../drivers/vfio-pci "$HOST/sys/bus/pci/devices/$vf/driver"
vector 900 0
wait_until 5 on_vcpus 900
vector 901 1
wait_until 5 on_vcpus 901
[ "$(cat "$HOST/proc/irq/900/smp_affinity_list")" != "$(cat "$HOST/proc/irq/901/smp_affinity_list")" ] ||
	fail "both vectors are on one CPU"
status=$(cli status web01 2>/dev/null)
contains "status" "$status" "interrupt         900, vfio-msix[0] of $vf: on CPU $(cat "$HOST/proc/irq/900/smp_affinity_list")"
contains "the log" "$(cat "$log")" "web01: 2 interrupts of its devices placed on CPUs"

# Somebody else moves one.
echo 63 >"$HOST/proc/irq/900/smp_affinity_list"
wait_until 5 on_vcpus 900
contains "status" "$(cli status web01 2>/dev/null)" "; moved 1 time by somebody else"
json=$(cli status --json web01 2>/dev/null)
contains "status as JSON" "$json" '"name": "vfio-msix[1]"'
contains "status as JSON" "$json" '"moved": 1'

# The watcher is killed; the guest reboots meanwhile, and the next one sees the rest of it.
watch_kill
gone 900
gone 901
vector 900 1
vector 905 0
watch_start
wait_until 5 on_vcpus 900
wait_until 5 on_vcpus 905
same "interrupts" "900 905" "$(cli status web01 2>/dev/null | sed -nE 's/^  interrupt +([0-9]+),.*/\1/p' | sort | xargs)"

# Nobody watches at the stop.
watch_kill
gone 900
gone 905
rmdir "$HOST/sys/bus/pci/devices/$vf/msi_irqs"
ln -sfn ../../../bus/pci/drivers/igbvf "$HOST/sys/bus/pci/devices/$vf/driver"
hook_down "$vm" web01
ln -sfn "$(grep -m 1 -F "$vf/driver -> " <<<"$BEFORE" | sed 's/.* -> //')" "$HOST/sys/bus/pci/devices/$vf/driver"
same "the host" "$BEFORE" "$(hook_dump)"
