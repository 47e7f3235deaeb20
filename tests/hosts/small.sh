# SPDX-License-Identifier: GPL-2.0-or-later
# A virtual machine: 2 CPUs, one node, no IOMMU, no cpufreq, no huge pages, virtio devices.
host small GenuineIntel 0-1
cpu 0 0 0 0 0 0-1
cpu 1 0 0 1 1 0-1
node 0 0-1 4038652 2531012 10
pool 0 2048 0 0
put $node_dir/online 0
root_bus 0000:00
pci 0000:00 0000:00:00.0 060000 8086:1237 -1 0-1
pci 0000:00 0000:00:01.0 020000 1af4:1000 -1 0-1 driver=virtio-pci msix=3
pci 0000:00 0000:00:02.0 010000 1af4:1001 -1 0-1 driver=virtio-pci msix=2
irq_columns 0 1
irq 1 IO-APIC 1 i8042 0-1
irq 24 PCI-MSIX-0000:00:01.0 0 virtio0-config 0-1 0000:00:01.0
irq 25 PCI-MSIX-0000:00:01.0 1 virtio0-input.0 0-1 0000:00:01.0
irq 26 PCI-MSIX-0000:00:01.0 2 virtio0-output.0 0-1 0000:00:01.0
irq 27 PCI-MSIX-0000:00:02.0 0 virtio1-config 0 0000:00:02.0
irq 28 PCI-MSIX-0000:00:02.0 1 virtio1-req.0 1 0000:00:02.0
