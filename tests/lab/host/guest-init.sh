#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# The whole user space of the lab's guests. A guest says on its console what it sees, a fact a line;
# then it answers pings (address=ADDRESS on the kernel's command line), reads a block of its disks now
# and then, and 200 of its first one, one after the other, for who connects to port 7.
PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
while read -r module; do
	insmod "/lib/$module"
done </modules

# `virsh shutdown` presses the power button.
mkdir -p /etc/acpi/PWRF
printf '#!/bin/sh\npoweroff -f\n' >/etc/acpi/PWRF/00000080
chmod +x /etc/acpi/PWRF/00000080
acpid -l /dev/null

say() { # FACT
	echo "guest: $*"
}

say "cpu model:$(sed -n 's/^model name.*://p' /proc/cpuinfo | head -n 1)"
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
	say "${cpu##*/} package $(cat "$cpu/topology/physical_package_id")" \
		"core $(cat "$cpu/topology/core_id") siblings $(cat "$cpu/topology/thread_siblings_list")"
done
say "memory $(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
for device in /sys/bus/pci/devices/*; do
	say "pci ${device##*/} $(cat "$device/vendor") $(cat "$device/device")"
done

address=$(sed -n 's/.*address=\([^ ]*\).*/\1/p' /proc/cmdline)
# A VF has its link a moment after its driver.
sleep 1
for interface in /sys/class/net/eth*; do
	[ -e "$interface" ] || continue
	name=${interface##*/}
	ip link set "$name" up
	[ "$name" != eth0 ] || [ -z "$address" ] || ip address add "$address/24" dev "$name"
	say "interface $name $(cat "$interface/address") $(basename "$(readlink "$interface/device/driver")")"
done
for disk in /dev/[sv]d? /dev/nvme?n?; do
	[ -b "$disk" ] || continue
	dd if="$disk" of=/dev/null bs=64k count=16 2>/dev/null && say "disk ${disk##*/} can be read"
done
printf '#!/bin/sh\ndd if=%s of=/dev/null bs=4k count=200 iflag=direct 2>&1\n' /dev/[sv]da >/bin/reads
chmod +x /bin/reads
nc -ll -p 7 -e /bin/reads &
say up
while sleep 1; do
	for disk in /dev/[sv]d? /dev/nvme?n?; do
		[ ! -b "$disk" ] || dd if="$disk" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null
	done
done
