# SPDX-License-Identifier: GPL-2.0-or-later
# Odd but sound: CPU 0 is offline and has no topology, ids have gaps (CPUs 2-5 and 8-11, nodes 1 and
# 4, packages 1 and 3), CPU sets are hex masks only, and an NVMe device sits in PCI domain 0x10000.
host sparse GenuineIntel 2-5,8-11 0,2-5,8-11
put $cpu_dir/offline 0
put $cpu_dir/cpu0/online 0
masked_cpu() { # ID PACKAGE CORE SIBLINGS L3-CPUS
	local dir=$cpu_dir/cpu$1
	put $dir/online 1
	put $dir/topology/physical_package_id "$2"
	put $dir/topology/core_id "$3"
	put $dir/topology/thread_siblings "$(mask "$4")"
	put $dir/cache/index0/level 1
	put $dir/cache/index0/shared_cpu_map "$(mask "$4")"
	put $dir/cache/index2/level 3
	put $dir/cache/index2/shared_cpu_map "$(mask "$5")"
}
for c in 2 3 4 5; do masked_cpu $c 1 $((c / 2 * 3)) $((c / 2 * 2))-$((c / 2 * 2 + 1)) 2-5; done
for c in 8 9 10 11; do masked_cpu $c 3 $((c / 2 * 3)) $((c / 2 * 2))-$((c / 2 * 2 + 1)) 8-11; done
masked_node() { # ID CPUS DISTANCES
	put $node_dir/node$1/cpumap "$(mask "$2")"
	put $node_dir/node$1/meminfo "Node $1 MemTotal: 16777216 kB\nNode $1 MemFree: 12582912 kB"
	put $node_dir/node$1/distance "$3"
	pool "$1" 2048 256 256
}
masked_node 1 2-5 "10 20"
masked_node 4 8-11 "20 10"
put $node_dir/online 1,4
root_bus 0000:00
root_bus 10000:e0
pci 0000:00 0000:00:1f.0 060100 8086:a1c8 1 2-5 group=0
pci 10000:e0 10000:e0:02.0 060400 8086:2032 4 8-11 driver=pcieport group=7
pci 10000:e0:02.0 10000:e1:00.0 010802 8086:0a54 4 8-11 driver=nvme group=8 msix=129
irq_columns 2 3 4 5 8 9 10 11
irq 4 IR-IO-APIC 4 ttyS0 2-5,8-11
irq 1048577 VMD-MSI 0 nvme0q0 8-11 10000:e1:00.0
