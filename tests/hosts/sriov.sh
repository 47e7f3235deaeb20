# SPDX-License-Identifier: GPL-2.0-or-later
# The least that has everything: 4 CPUs in 2 cores, one node with both page sizes, an igb PF with 1 of
# 7 VFs, a governor. For tests that make or damage many roots.
host sriov AuthenticAMD 0-3
for c in 0 1 2 3; do
	cpu $c 0 0 $((c / 2)) $((c / 2 * 2))-$((c / 2 * 2 + 1)) 0-3
	governor $c schedutil
	put $cpu_dir/cpufreq/policy$c/scaling_available_governors "performance schedutil"
done
node 0 0-3 16777216 8388608 10
pool 0 2048 64 64
pool 0 1048576 4 4
put $node_dir/online 0
root_bus 0000:00
pci 0000:00 0000:00:01.0 060400 1022:1483 0 0-3 driver=pcieport group=1
pci 0000:00:01.0 0000:01:00.0 020000 8086:10c9 0 0-3 driver=igb group=2 msix=10
pci 0000:00:01.0 0000:01:10.0 020000 8086:10ca 0 0-3 driver=igbvf group=3 msix=3
sriov 0000:01:00.0 7 1 128 2
vf 0000:01:00.0 0 0000:01:10.0
netdev 0000:01:00.0 enp1s0f0 up 1
netdev 0000:01:10.0 enp1s0f0v0 down 0
irq_columns 0 1 2 3
irq 9 IR-IO-APIC 9 acpi 0-3
vectors 24 3 0000:01:00.0 enp1s0f0 0-3
vectors 27 3 0000:01:10.0 enp1s0f0v0 0-3
