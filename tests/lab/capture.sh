#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints this machine, as far as virt-fit reads it, as a manifest for tests/hosts (the format is
# described in tests/unit/support_tree.h). Run it as root on the machine, or in the lab's host.
set -eu
cd /

text_of() { # FILE: escaped; the last newline goes without saying
	sed 's/\\/\\\\/g; s/\t/\\t/g' "$1" 2>/dev/null | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'
}

bytes_of() { # FILE: what libpci needs to find the size of the MSI-X table
	head -c 256 "$1" | od -An -v -tx1 | tr -d '\n' | sed 's/ /\\x/g'
}

{
	echo proc/cpuinfo proc/interrupts proc/meminfo proc/sys/kernel/hostname \
		proc/sys/kernel/random/boot_id etc/machine-id proc/irq/default_smp_affinity | xargs -n 1
	find proc/irq sys/kernel/irq sys/kernel/mm/hugepages -type f
	find sys/devices/system/cpu -type f \( -path '*/topology/*' -o -path '*/cache/*' -o \
		-path '*/cpufreq/*' -o -name online -o -name present -o -name possible -o -name isolated \)
	find sys/devices/system/node -type f \( -path '*/hugepages/*' -o -name cpulist -o -name cpumap -o \
		-name distance -o -name meminfo -o -name online -o -name has_memory -o -name has_cpu \)
	find sys/devices/system/node sys/bus/pci/devices sys/kernel/iommu_groups -type l
	for device in sys/bus/pci/devices/*; do
		device=$(readlink -f "$device")
		find "${device#/}" -maxdepth 1 -type l ! -name 'consumer:*' ! -name 'supplier:*' ! -name firmware_node
		find "${device#/}" -maxdepth 1 -type f \( -name 'sriov_*' -o -name class -o -name vendor -o \
			-name device -o -name 'subsystem_*' -o -name revision -o -name numa_node -o -name config -o \
			-name local_cpulist -o -name driver_override -o -name enable -o -name irq \)
		find "${device#/}/msi_irqs" -type f 2>/dev/null || true
		find "${device#/}/net" -maxdepth 2 -type f \( -name address -o -name operstate -o -name ifindex -o \
			-name dev_port -o -name carrier -o -name flags \) 2>/dev/null || true
	done
} | sort -u | while read -r path; do
	if [ -L "$path" ]; then
		echo "$path -> $(readlink "$path")"
	elif [ "${path##*/}" = config ]; then
		echo "$path := $(bytes_of "$path")"
	elif [ -r "$path" ]; then
		echo "$path = $(text_of "$path")"
	fi
done
