#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A profile asks for every setting that this host has. Each has its value while the domain runs, the
# vCPUs' CPUs are isolated partitions, a device that libvirt does not manage has the driver that it is
# passed through with, and afterwards everything is as it was.
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
	    <device-driver value="vfio-pci" missing="refuse"/>
	    <sysctl name="vm.dirty_ratio" value="5" missing="refuse"/>
	    <sysfs path="kernel/mm/ksm/pages_to_scan" value="7" missing="refuse"/>
	  </host>
	</profile>
END

card() {
	ethtool -c "$pf" | grep '^rx-usecs:'
	ethtool -g "$pf" | grep '^RX:' | tail -n 1
	ethtool -k "$pf" | grep '^generic-receive-offload:'
}

says() { # FILE WANTED: a word in brackets is the one that is chosen
	same "$1" "$2" "$(sed 's/.*\[\(.*\)\].*/\1/' "$1")"
}

driver_is() { # NAME, of the first VF
	[ "$(basename "$(readlink /sys/bus/pci/devices/0000:41:10.0/driver)")" = "$1" ]
}

echo 1 >"/sys/bus/pci/devices/$IGB/sriov_numvfs"
wait_until 20 driver_is igbvf
# Without an address of its own it gets another one each time a driver takes it.
ip link set "$pf" vf 0 mac 52:54:00:00:00:07
echo 0000:41:10.0 >/sys/bus/pci/drivers/igbvf/unbind
echo 0000:41:10.0 >/sys/bus/pci/drivers/igbvf/bind
guest_define web sata 2 192.168.77.11 "
	<hostdev mode='subsystem' type='pci' managed='no'>
	  <source><address domain='0x0000' bus='0x41' slot='0x10' function='0x0'/></source>
	</hostdev>"
remember_host_afresh
before=$(card)
virt-fit set web low-latency every-setting --param partition=isolated "${small_pages[@]}"
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
driver_is vfio-pci || fail "the VF has another driver"
threads_are_as_defined web
guest_is_up web
guest_answers 192.168.77.11

virsh -q destroy web
wait_until 20 driver_is igbvf
same "the card" "$before" "$(card)"
same "isolated CPUs" "" "$(cat /sys/fs/cgroup/cpuset.cpus.isolated)"
host_is_as_before
echo 0 >"/sys/bus/pci/devices/$IGB/sriov_numvfs"
rm -f "$SETTINGS" # this is not how the host was before
no_program_was_confined
