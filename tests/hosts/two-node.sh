# SPDX-License-Identifier: GPL-2.0-or-later
# A server: two nodes of 8 cores with 2 threads, two L3 caches each, pools of huge pages, and
#   node 0: e1000e 01:00.0 (management), igb PF 02:00.0 without VFs yet, a chipset that shares a group
#   node 1: igb PF 41:00.0 with 3 of 7 VFs, NVMe PF 81:00.0 with 2 of 4 VFs, a GPU with its sound
host two-node GenuineIntel 0-31
for ((c = 0; c < 32; c++)); do
	core=$((c % 16))
	l3=$((core / 4 * 4))
	cpu $c $((core / 8)) 0 $((core % 8)) $core,$((core + 16)) $l3-$((l3 + 3)),$((l3 + 16))-$((l3 + 19))
	governor $c powersave
done
near0=0-7,16-23
near1=8-15,24-31
node 0 $near0 67108864 50331648 "10 21"
node 1 $near1 67108864 58720256 "21 10"
pool 0 2048 1024 1024
pool 0 1048576 8 8
pool 1 2048 512 512
pool 1 1048576 16 12
put $node_dir/online 0-1

root_bus 0000:00
root_bus 0000:40
root_bus 0000:80
root_bus 0000:c0
pci 0000:00 0000:00:01.0 060400 8086:1901 0 $near0 driver=pcieport group=1
pci 0000:00 0000:00:02.0 060400 8086:1905 0 $near0 driver=pcieport group=2
pci 0000:00 0000:00:17.0 010601 8086:a102 0 $near0 driver=ahci group=3
pci 0000:00 0000:00:1f.0 060100 8086:a145 0 $near0 group=4
pci 0000:00 0000:00:1f.4 0c0500 8086:a123 0 $near0 driver=i801_smbus group=4
pci 0000:00:01.0 0000:01:00.0 020000 8086:10d3 0 $near0 driver=e1000e group=5 msix=5
pci 0000:00:02.0 0000:02:00.0 020000 8086:10c9 0 $near0 driver=igb group=6 msix=10
pci 0000:40 0000:40:01.0 060400 8086:6f02 1 $near1 driver=pcieport group=20
pci 0000:40:01.0 0000:41:00.0 020000 8086:10c9 1 $near1 driver=igb group=21 msix=10
for n in 0 1 2; do
	pci 0000:40:01.0 0000:41:10.$((2 * n)) 020000 8086:10ca 1 $near1 driver=igbvf group=$((22 + n)) msix=3
	vf 0000:41:00.0 $n 0000:41:10.$((2 * n))
	netdev 0000:41:10.$((2 * n)) enp65s0f0v$n down 0
done
pci 0000:80 0000:80:01.0 060400 8086:6f04 1 $near1 driver=pcieport group=30
pci 0000:80:01.0 0000:81:00.0 010802 144d:a824 1 $near1 driver=nvme group=31 msix=33
for n in 1 2; do
	pci 0000:80:01.0 0000:81:00.$n 010802 144d:a824 1 $near1 driver=nvme group=$((31 + n)) msix=9
	vf 0000:81:00.0 $((n - 1)) 0000:81:00.$n
done
pci 0000:c0 0000:c0:01.0 060400 8086:6f08 1 $near1 driver=pcieport group=40
pci 0000:c0:01.0 0000:c1:00.0 030000 10de:2235 1 $near1 group=41
pci 0000:c0:01.0 0000:c1:00.1 040300 10de:1aef 1 $near1 driver=snd_hda_intel group=41
sriov 0000:02:00.0 7 0 128 2
sriov 0000:41:00.0 7 3 128 2
sriov 0000:81:00.0 4 2 1 1
netdev 0000:01:00.0 enp1s0 up 1
netdev 0000:02:00.0 enp2s0 up 1
netdev 0000:41:00.0 enp65s0f0 up 1

irq_columns {0..31}
irq 0 IR-IO-APIC 2 timer 0-31
irq 8 IR-IO-APIC 8 rtc0 0-31
irq 9 IR-IO-APIC 9 acpi 0-31
irq 24 DMAR-MSI 0 dmar0 0
irq 30 IR-PCI-MSI-0000:00:17.0 0 'ahci[0000:00:17.0]' $near0 0000:00:17.0
vectors 31 3 0000:01:00.0 enp1s0 $near0
vectors 40 9 0000:02:00.0 enp2s0 $near0
vectors 60 9 0000:41:00.0 enp65s0f0 $near1
vectors 70 3 0000:41:10.0 enp65s0f0v0 $near1
vectors 73 3 0000:41:10.2 enp65s0f0v1 $near1
vectors 76 3 0000:41:10.4 enp65s0f0v2 $near1
for n in 0 1 2 3 4 5 6 7 8; do
	irq $((80 + n)) IR-PCI-MSIX-0000:81:00.0 $n nvme0q$n $near1 0000:81:00.0
done
irq 90 IR-PCI-MSI-0000:c1:00.1 0 snd_hda_intel:card0 0-31 0000:c1:00.1
