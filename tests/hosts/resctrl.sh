# SPDX-License-Identifier: GPL-2.0-or-later
# Two nodes of 8 cores without threads and an L3 cache of 24 MiB each, whose number is not that of the
# node. Of the 12 pieces of each cache the host keeps 8 for itself; one node has huge pages.
host resctrl GenuineIntel 0-15
for ((c = 0; c < 16; c++)); do
	n=$((c / 8))
	cpu $c $n 0 $((c % 8)) $c $((8 * n))-$((8 * n + 7))
	l3_cache $c $((1 - n)) 24576
	governor $c powersave
done
node 0 0-7 33554432 29360128 "10 21"
node 1 8-15 33554432 29360128 "21 10"
pool 0 1048576 16 16
pool 1 1048576 0 0
put $node_dir/online 0-1
resctrl_cache L3 fff 2 8
resctrl_bandwidth 10 20 8
put sys/fs/resctrl/schemata "    L3:0=0ff;1=0ff\n    MB:0= 100;1= 100"
irq_columns {0..15}
irq 9 IR-IO-APIC 9 acpi 0-15
