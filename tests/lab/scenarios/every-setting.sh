#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A profile asks for every setting that this host has. Each has its value while the domain runs, the
# vCPUs' CPUs are isolated partitions, and afterwards everything is as it was.
. "$TOP/tests/lab/scenario.sh"

pf=$(basename "$(echo "/sys/bus/pci/devices/$IGB/net/"*)")
mkdir -p /etc/virt-fit/profiles
cat >/etc/virt-fit/profiles/every-setting.xml <<-'END'
	<profile xmlns="urn:virt-fit:profile:1" name="every-setting">
	  <summary>Every setting of the host that an emulated one has</summary>
	  <host>
	    <workqueues missing="refuse" to="elsewhere"/>
	    <transparent-hugepages missing="refuse" value="never"/>
	    <transparent-hugepages-defrag missing="refuse" value="never"/>
	    <ksm missing="refuse" value="on"/>
	    <numa-balancing missing="refuse" value="off"/>
	    <compaction missing="refuse" max="0"/>
	    <stat-interval missing="refuse" min="10s"/>
	    <timer-migration missing="refuse" value="off"/>
	    <rt-runtime missing="refuse" value="unlimited"/>
	    <halt-poll missing="refuse" value="50us"/>
	    <wakeup-latency missing="refuse" max="10us"/>
	    <ethtool of="pfs" missing="refuse" rx-usecs="50" rx-ring="512" features-off="rx-gro"/>
	    <sysctl name="vm.dirty_ratio" value="5" missing="refuse"/>
	    <sysfs path="kernel/mm/ksm/pages_to_scan" value="7" missing="refuse"/>
	  </host>
	</profile>
END
trap 'rm -f /etc/virt-fit/profiles/every-setting.xml; finish' EXIT

card() {
	ethtool -c "$pf" | grep '^rx-usecs:'
	ethtool -g "$pf" | grep '^RX:' | tail -n 1
	ethtool -k "$pf" | grep '^generic-receive-offload:'
}

says() { # FILE WANTED: a word in brackets is the one that is chosen
	same "$1" "$2" "$(sed 's/.*\[\(.*\)\].*/\1/' "$1")"
}

guest_define web
remember_host
before=$(card)
virt-fit set web low-latency sriov every-setting --param partition=isolated "${small_pages[@]}"
virsh -q start web

mm=/sys/kernel/mm vm=/proc/sys/vm kernel=/proc/sys/kernel
says $mm/transparent_hugepage/enabled never
says $mm/transparent_hugepage/defrag never
says $mm/ksm/run 1
says $mm/ksm/pages_to_scan 7
says $kernel/numa_balancing 0
says $kernel/timer_migration 0
says $kernel/sched_rt_runtime_us -1
says $vm/compaction_proactiveness 0
says $vm/stat_interval 10
says $vm/dirty_ratio 5
says /sys/module/kvm/parameters/halt_poll_ns 50000
says /sys/devices/virtual/workqueue/cpumask cf
says /sys/devices/system/cpu/cpu4/power/pm_qos_resume_latency_us 10
same "isolated CPUs" 4-5 "$(cat /sys/fs/cgroup/cpuset.cpus.isolated)"
contains "the card" "$(card | xargs)" "rx-usecs: 50 RX: 512 generic-receive-offload: off"
threads_are_as_defined web
guest_is_up web

virsh -q destroy web
same "the card" "$before" "$(card)"
same "isolated CPUs" "" "$(cat /sys/fs/cgroup/cpuset.cpus.isolated)"
host_is_as_before
no_program_was_confined
