#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a profile's <host> asks for is set while its domains run, shared by them, shown, and given back;
# what the host lacks is said, or refused before anything is changed.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
a=$TEST_DIR/a.xml b=$TEST_DIR/b.xml

profile() { # NAME CONTENT-OF-HOST [INCLUDED]
	cat >"$PROFILES/$1.xml" <<-END
		<profile xmlns="urn:virt-fit:profile:1" name="$1">
		  <summary>Settings of the host</summary>
		  <include profile="${3:-low-latency}"/>
		  <host>$2</host>
		</profile>
	END
}

value() { # WHAT WANTED PATH
	same "$1" "$2" "$(cat "$HOST/$3")"
}

cpu_of() { # FILE: of the first vCPU
	sed -nE "s/.*<vcpupin vcpu=.0. cpuset=.([0-9]+).\/>.*/\1/p" "$1" | tail -n 1
}

as_json() { # EXPRESSION of python, with the JSON as `status`
	"$BUILD/virt-fit" status --sysroot "$HOST" --connect test:///nosuch --json 2>/dev/null |
		python3 -c "import json, sys; status = json.load(sys.stdin); print($1)"
}

profile quiet '<wakeup-latency max="0us"/><energy-preference value="performance"/>
	<transparent-hugepages value="never"/><ksm value="on"/><numa-balancing value="off"/>
	<stat-interval min="10s"/><halt-poll value="50us"/><lockup-watchdog to="elsewhere"/>
	<sysctl name="vm.dirty_ratio" value="5"/><sysfs path="kernel/mm/ksm/pages_to_scan" value="7"/>'
# One that shares its CPUs: what is for cores is not for it.
profile loud '<numa-balancing value="on"/><stat-interval min="5s"/><transparent-hugepages value="always"/>
	<wakeup-latency max="0us"/>' base
fitted "$a" a "$UUID_A" quiet
hook_up "$a" a
cpu=$(cpu_of "$a")
value "wakeup latency" n/a "sys/devices/system/cpu/cpu$cpu/power/pm_qos_resume_latency_us"
value "energy preference" performance \
	"sys/devices/system/cpu/cpufreq/policy$cpu/energy_performance_preference"
value "wakeup latency elsewhere" 0 sys/devices/system/cpu/cpu0/power/pm_qos_resume_latency_us
value "THP" never sys/kernel/mm/transparent_hugepage/enabled
value KSM 1 sys/kernel/mm/ksm/run
value "NUMA balancing" 0 proc/sys/kernel/numa_balancing
value "statistics" 10 proc/sys/vm/stat_interval
value "halt polling" 50000 sys/module/kvm/parameters/halt_poll_ns
value "a sysctl" 5 proc/sys/vm/dirty_ratio
value "a file of sysfs" 7 sys/kernel/mm/ksm/pages_to_scan
[[ $(cat "$HOST/proc/sys/kernel/watchdog_cpumask") != 0-31 ]] || fail "the watchdog is everywhere"
[[ $(cat "$HOST/proc/irq/default_smp_affinity") != *ffffffff ]] || fail "interrupts are born everywhere"
[[ $(cat "$HOST/sys/devices/virtual/workqueue/cpumask") != *ffffffff ]] || fail "work is everywhere"

# Each is listed with what it was.
same "the baseline in status" "1 0" "$(as_json "' '.join(h['baseline'] + ' ' + h['now'] for h in status['host'] if h['kind'] == 'numa-balancing')")"
same "the baseline of a choice" "madvise never" "$(as_json "' '.join(h['baseline'] + ' ' + h['now'] for h in status['host'] if h['kind'] == 'transparent-hugepages')")"
contains status "$("$BUILD/virt-fit" status --sysroot "$HOST" --connect test:///nosuch 2>/dev/null)" \
	"wakeup-latency    0us: /sys/devices/system/cpu/cpu"

# Beside it another one, which outlives it.
fitted "$b" b "$UUID_B" loud
sed -i 's/1-7,17-23/2-7,18-23/' "$b" # beside a
hook_up "$b" b
value "NUMA balancing of both" 0 proc/sys/kernel/numa_balancing
value "THP of both" always sys/kernel/mm/transparent_hugepage/enabled
hook_down "$a" a
value "NUMA balancing of b" 1 proc/sys/kernel/numa_balancing
value "statistics of b" 5 proc/sys/vm/stat_interval
value "THP of b" always sys/kernel/mm/transparent_hugepage/enabled
hook_down "$b" b
host_is_as_before

# Missing: said, or refused, and nothing was changed.
rm "$HOST/proc/sys/kernel/timer_migration"
BEFORE=$(hook_dump)
profile demanding '<timer-migration value="off" missing="refuse"/>'
fitted "$a" a "$UUID_A" demanding
refuses hook "$a" a prepare begin -
contains "the refusal" "$refusal" "demanding.xml:4: timer-migration 'off' cannot be set: there is no /proc/sys/kernel/timer_migration"
host_is_as_before
profile demanding '<timer-migration value="off" missing="warn"/>'
fitted "$a" a "$UUID_A" demanding
hook_up "$a" a
host_is_prepared
hook_down "$a" a
host_is_as_before

# A profile names nothing else.
for host in '<sysctl name="kernel.core_pattern" value="|/bin/sh"/>' '<sysfs path="kernel/mm/../uevent_helper" value="/x"/>' \
	'<sysctl name="vm.nr_hugepages" value="1"/>'; do
	profile demanding "$host"
	refuses fit_file "$a.plain" "$a.out"
	contains "the refusal" "$refusal" "demanding.xml:4: <sys"
done
