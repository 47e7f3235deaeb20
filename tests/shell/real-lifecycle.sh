#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole way: a definition with a request is fitted, started, runs where the plan says on a host
# that was prepared, and leaves the host as it was, byte for byte.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

guest_define web01 "$(request low-latency)"
virt-fit apply web01
virsh -q start web01

threads_are_as_defined web01
cpu=$(xml_value "//vcpupin[@vcpu='0']/@cpuset" "$(virsh -q dumpxml web01)")
same "governor of the guest's CPU" performance \
	"$(cat "$HOST/sys/devices/system/cpu/cpufreq/policy$cpu/scaling_governor")"
for irq in 9 24 25 26; do
	case ",$(cat "$HOST/proc/irq/$irq/smp_affinity_list")," in
	*",$cpu,"*) fail "interrupt $irq is still on CPU $cpu" ;;
	esac
done

virsh -q destroy web01
host_is_as_before "$before"

# One that merely floats over the core holds it from nobody, also where there is no other core for it.
GUEST_DISK=$TEST_DIR/float.img
read -ra cpus <<<"$(host_cpus)"
guest_xml float "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='base'/>" | sed "s/<vcpu>1</<vcpu>$((${#cpus[@]} - 1))</" >"$TEST_DIR/float.xml"
virsh -q define "$TEST_DIR/float.xml"
virt-fit apply float
virsh -q start float
virt-fit unset web01
virt-fit set web01 low-latency "${modest[@]}"
virsh -q start web01
contains "the status" "$(virt-fit status web01)" "alone on"
virsh -q destroy web01
virsh -q destroy float
virsh -q undefine float
host_is_as_before "$before"

# The guest ends by itself.
virsh -q start web01
[ "$(host_dump)" != "$before" ] || fail "the second start did not prepare the host"
virsh -q qemu-monitor-command web01 --hmp quit >/dev/null 2>&1 || true
wait_until 20 guest_is web01 "shut off"
host_is_as_before "$before"
