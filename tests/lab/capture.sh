#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# capture.sh NAME: prints this machine, as far as virt-fit reads it, as a manifest for tests/hosts (the
# format is described in src/sys/manifest.h). Run it as root on the machine, or in the lab's
# host. What only identifies the machine is left out or made up from NAME.
set -eu
name=${1:?usage: capture.sh NAME}
cd /

mapfile -t devices < <(readlink -f sys/bus/pci/devices/* | sed 's,^/,,' | sort)

files() {
	echo proc/cpuinfo proc/interrupts proc/meminfo proc/irq/default_smp_affinity | xargs -n 1
	find proc/irq -type f \( -name smp_affinity -o -name smp_affinity_list -o -name effective_affinity_list \)
	find sys/kernel/irq -type f \( -name chip_name -o -name hwirq -o -name actions \)
	find sys/kernel/mm/hugepages -type f
	find sys/devices/system/cpu -type f ! -name uevent \( -path '*/topology/*' -o -path '*/cpufreq/*' -o \
		-name online -o -name present -o -name possible -o -name isolated -o \
		-path '*/cache/*/level' -o -path '*/cache/*/type' -o -path '*/cache/*/id' -o -path '*/cache/*/shared_cpu_*' \)
	find sys/devices/system/node -type f \( -path '*/hugepages/*' -o -name cpulist -o -name cpumap -o \
		-name distance -o -name meminfo -o -name online -o -name has_memory -o -name has_cpu \)
	for device in "${devices[@]}"; do
		find "$device" -maxdepth 1 -type f \( -name 'sriov_*' -o -name class -o -name vendor -o \
			-name device -o -name 'subsystem_*' -o -name revision -o -name numa_node -o \
			-name local_cpulist -o -name driver_override -o -name enable -o -name irq \)
		find "$device/msi_irqs" -type f 2>/dev/null || true
		find "$device/net" -maxdepth 2 -type f \( -name address -o -name operstate -o -name ifindex -o \
			-name dev_port -o -name carrier -o -name flags \) 2>/dev/null || true
	done
}

# Few processes, because each costs an emulated host a moment. A file's last newline goes without
# saying; of the CPUs, the first one says what all say. Root may read what has no permission to be
# read, and is told by the attribute that it cannot.
texts() {
	# shellcheck disable=SC2016 # awk's, and the inner shell's
	sort -u | xargs -d '\n' sh -c 'find "$@" -maxdepth 0 -perm /444 2>/dev/null || true' sh | xargs -d '\n' awk '
		function flush() { if (name != "") print name " = " text }
		FNR == 1 { flush(); name = FILENAME; text = ""; enough = 0 }
		name == "proc/cpuinfo" && NF == 0 { enough = 1 }
		enough { next }
		{ gsub(/\\/, "\\\\"); gsub(/\t/, "\\t"); text = FNR == 1 ? $0 : text "\\n" $0 }
		END { flush() }'
}

links() {
	find sys/devices/system/node sys/bus/pci/devices sys/kernel/iommu_groups -type l ! -name 'memory*' \
		-printf '%p -> %l\n'
	find "${devices[@]}" -maxdepth 1 -type l ! -name 'consumer:*' ! -name 'supplier:*' \
		! -name firmware_node -printf '%p -> %l\n'
}

# Those of huge pages; and one that is always there, because a list without lines is no list.
mounts() {
	# shellcheck disable=SC2016 # awk's
	echo "proc/mounts = $(awk '$3 == "hugetlbfs" || $2 == "/proc" {
		gsub(/\\/, "\\\\"); text = text (text == "" ? "" : "\\n") $0 } END { print text }' proc/mounts)"
}

configurations() { # what libpci needs to find the size of the MSI-X table
	local device
	for device in "${devices[@]}"; do
		echo "$device/config := $(od -An -v -tx1 -N 256 "$device/config" | tr -d '\n' | sed 's/ /\\x/g')"
	done
}

files | texts
links
mounts
configurations
id=$(printf %s "$name" | md5sum | cut -c1-32)
echo "proc/sys/kernel/hostname = $name"
echo "etc/machine-id = $id"
echo "proc/sys/kernel/random/boot_id = $(sed -E 's/(.{8})(.{4})(.{4})(.{4})/\1-\2-\3-\4-/' <<<"$id")"
printf '%s\n' run/ etc/virt-fit/
