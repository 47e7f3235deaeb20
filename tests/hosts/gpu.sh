# SPDX-License-Identifier: GPL-2.0-or-later
# A workstation: one node of 8 cores with 2 threads and
#   the display that the console is on (00:02.0), a GPU of four functions whose group has a bridge (01:00),
#   a GPU that shares its group with a network card in use (02:00, 03:00),
#   NVMe with the root file system (04:00), free (05:00), in a volume group through multipath (06:00)
host gpu GenuineIntel 0-15
near=0-15
for ((c = 0; c < 16; c++)); do
	core=$((c % 8))
	cpu $c 0 0 $core $core,$((core + 8)) $near
	governor $c powersave
done
node 0 $near 67108864 58720256 10
pool 0 2048 1024 1024
pool 0 1048576 16 16
put $node_dir/online 0

root_bus 0000:00
pci 0000:00 0000:00:01.0 060400 8086:460d 0 $near driver=pcieport group=2
pci 0000:00 0000:00:02.0 030000 8086:4680 0 $near driver=i915 group=1
pci 0000:00 0000:00:06.0 060400 8086:464d 0 $near driver=pcieport group=3
pci 0000:00:01.0 0000:01:00.0 030000 10de:2684 0 $near driver=nvidia group=2
pci 0000:00:01.0 0000:01:00.1 040300 10de:22ba 0 $near driver=snd_hda_intel group=2
pci 0000:00:01.0 0000:01:00.2 0c0330 10de:1ad8 0 $near driver=xhci_hcd group=2
pci 0000:00:01.0 0000:01:00.3 0c8000 10de:1ad9 0 $near group=2
pci 0000:00:06.0 0000:02:00.0 030000 1002:744c 0 $near driver=amdgpu group=5
pci 0000:00:06.0 0000:02:00.1 040300 1002:ab30 0 $near driver=snd_hda_intel group=5
pci 0000:00:06.0 0000:03:00.0 020000 8086:15f3 0 $near driver=igc group=5
pci 0000:00:06.0 0000:04:00.0 010802 144d:a80c 0 $near driver=nvme group=6 msix=33
pci 0000:00:06.0 0000:05:00.0 010802 144d:a80c 0 $near driver=nvme group=7 msix=33
pci 0000:00:06.0 0000:06:00.0 010802 1c5c:1959 0 $near driver=nvme group=8 msix=33
put ${pci_path[0000:00:02.0]}/boot_vga 1
put ${pci_path[0000:01:00.0]}/boot_vga 0
put ${pci_path[0000:02:00.0]}/boot_vga 0
netdev 0000:03:00.0 enp3s0 up 1

block 0000:04:00.0 nvme/nvme0/nvme0n1
block 0000:04:00.0 nvme/nvme0/nvme0n1/nvme0n1p1
block 0000:04:00.0 nvme/nvme0/nvme0n1/nvme0n1p2
block 0000:05:00.0 nvme/nvme1/nvme1n1
block 0000:06:00.0 nvme/nvme2/nvme2c0n1
put sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme2n1/nvme2n1p1/partition 1
put sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme2n1/nvme2n1p1/holders/dm-0/size 8
link sys/class/block/nvme2n1 ../../devices/virtual/nvme-subsystem/nvme-subsys2/nvme2n1
link sys/class/block/nvme2n1p1 ../../devices/virtual/nvme-subsystem/nvme-subsys2/nvme2n1/nvme2n1p1
put proc/self/mountinfo '22 1 0:20 / /proc rw - proc proc rw\n24 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw'
put proc/swaps 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority'

irq_columns {0..15}
irq 9 IR-IO-APIC 9 acpi 0-15
irq 120 IR-PCI-MSI-0000:01:00.0 0 nvidia 0-15 0000:01:00.0
