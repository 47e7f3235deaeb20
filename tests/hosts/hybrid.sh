# SPDX-License-Identifier: GPL-2.0-or-later
# A workstation: 4 performance cores with 2 threads (CPUs 0-7), 8 efficiency cores in two clusters
# (CPUs 8-15), one L3, one node, a graphics card.
host hybrid GenuineIntel 0-15
for ((c = 0; c < 16; c++)); do
	if ((c < 8)); then
		pair=$((c / 2 * 2))
		cpu $c 0 0 $((c / 2 * 4)) $pair-$((pair + 1)) 0-15
		put $cpu_dir/cpu$c/topology/cluster_id $((c / 2 * 8))
		governor $c powersave 5100000
	else
		cpu $c 0 0 $((c + 24)) $c 0-15
		put $cpu_dir/cpu$c/topology/cluster_id $((c / 4 * 8 + 56))
		governor $c powersave 3800000
	fi
done
put sys/devices/cpu_core/cpus 0-7
put sys/devices/cpu_atom/cpus 8-15
node 0 0-15 32735476 25165824 10
pool 0 2048 0 0
pool 0 1048576 0 0
put $node_dir/online 0
root_bus 0000:00
pci 0000:00 0000:00:00.0 060000 8086:4648 -1 0-15 group=0
pci 0000:00 0000:00:01.0 060400 8086:460d -1 0-15 driver=pcieport group=1
pci 0000:00:01.0 0000:01:00.0 030000 10de:2684 -1 0-15 driver=nvidia group=2
pci 0000:00:01.0 0000:01:00.1 040300 10de:22ba -1 0-15 driver=snd_hda_intel group=2
pci 0000:00 0000:00:1f.6 020000 8086:1a1d -1 0-15 driver=e1000e group=3
netdev 0000:00:1f.6 eno1 up 1
irq_columns {0..15}
irq 120 IR-PCI-MSI-0000:00:1f.6 0 eno1 0-15 0000:00:1f.6
irq 121 IR-PCI-MSI-0000:01:00.0 0 nvidia 0-15 0000:01:00.0
