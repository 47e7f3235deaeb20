# SPDX-License-Identifier: GPL-2.0-or-later
# An AMD server of one socket in NPS4: four nodes of 8 cores with 2 threads, an L3 for every 4 cores,
# a NIC with 4 of 8 VFs on node 2 and a GPU on node 3.
host nps AuthenticAMD 0-63
for ((c = 0; c < 64; c++)); do
	core=$((c % 32))
	l3=$((core / 4 * 4))
	cpu $c 0 0 $core $core,$((core + 32)) $l3-$((l3 + 3)),$((l3 + 32))-$((l3 + 35))
	governor $c schedutil 3350000
	put $cpu_dir/cpufreq/policy$c/scaling_available_governors "performance schedutil powersave"
done
for n in 0 1 2 3; do
	near[n]=$((8 * n))-$((8 * n + 7)),$((8 * n + 32))-$((8 * n + 39))
	distances="12 12 12 12"
	distances=${distances:0:3*n}10${distances:3*n+2}
	node $n ${near[n]} 33554432 29360128 "$distances"
	pool $n 2048 0 0
	pool $n 1048576 8 8
done
put $node_dir/online 0-3
root_bus 0000:00
root_bus 0000:40
root_bus 0000:60
pci 0000:00 0000:00:01.0 060000 1022:1480 0 ${near[0]} group=0
pci 0000:40 0000:40:03.0 060400 1022:1483 2 ${near[2]} driver=pcieport group=10
pci 0000:40:03.0 0000:41:00.0 020000 15b3:101d 2 ${near[2]} driver=mlx5_core group=11 msix=64
for n in 0 1 2 3; do
	pci 0000:40:03.0 0000:41:00.$((n + 2)) 020000 15b3:101e 2 ${near[2]} driver=mlx5_core group=$((12 + n)) msix=12
	vf 0000:41:00.0 $n 0000:41:00.$((n + 2))
	netdev 0000:41:00.$((n + 2)) enp65s0f0v$n down 0
done
sriov 0000:41:00.0 8 4 2 1
netdev 0000:41:00.0 enp65s0f0np0 up 1
pci 0000:60 0000:60:01.0 060400 1022:1483 3 ${near[3]} driver=pcieport group=20
pci 0000:60:01.0 0000:61:00.0 030000 10de:26b9 3 ${near[3]} driver=vfio-pci group=21
pci 0000:60:01.0 0000:61:00.1 040300 10de:22ba 3 ${near[3]} driver=vfio-pci group=21
irq_columns {0..63}
irq 0 IR-IO-APIC 2 timer 0-63
vectors 100 17 0000:41:00.0 mlx5_comp ${near[2]}
