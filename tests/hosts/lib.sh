# SPDX-License-Identifier: GPL-2.0-or-later
# Words to describe a host with. Each prints lines of a manifest, as the kernel's files would read.
# What several words contribute to (the interrupt table) is printed by finish().

cpu_dir=sys/devices/system/cpu
node_dir=sys/devices/system/node
irq_rows=  # of the interrupt table
declare -A pci_path

put() { # PATH TEXT
	printf '%s = %s\n' "$1" "$2"
}

link() { # PATH TARGET
	printf '%s -> %s\n' "$1" "$2"
}

mask() { # LIST: the kernel's hex mask of 64 CPUs
	local item cpu low=0 high=0
	for item in ${1//,/ }; do
		for ((cpu = ${item%-*}; cpu <= ${item#*-}; cpu++)); do
			if ((cpu < 32)); then ((low |= 1 << cpu)) || true; else ((high |= 1 << (cpu - 32))) || true; fi
		done
	done
	printf '%08x,%08x' $high $low
}

host() { # NAME VENDOR ONLINE [PRESENT]
	put proc/sys/kernel/hostname "$1"
	put proc/sys/kernel/random/boot_id "$(printf %s "$1" | md5sum | sed -E 's/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/\1-\2-\3-\4-\5/')"
	put etc/machine-id "$(printf 'machine %s' "$1" | md5sum | cut -c1-32)"
	put proc/cpuinfo "processor\t: 0\nvendor_id\t: $2\nmodel name\t: Made-up CPU\nflags\t\t: fpu vme sse2 ht lm constant_tsc\n"
	put $cpu_dir/online "$3"
	put $cpu_dir/present "${4:-$3}"
	put $cpu_dir/possible "${4:-$3}"
	put $cpu_dir/isolated ""
	put proc/irq/default_smp_affinity "$(mask "$3")"
	put sys/bus/pci/rescan ""
	settings "${4:-$3}"
	printf '%s\n' run/ etc/virt-fit/ sys/bus/pci/drivers/ sys/kernel/iommu_groups/
}

settings() { # CPUS: of the whole host, as a kernel has them at boot
	put sys/devices/virtual/workqueue/cpumask "$(mask "$1")"
	put sys/kernel/mm/transparent_hugepage/enabled "always [madvise] never"
	put sys/kernel/mm/transparent_hugepage/defrag "always defer defer+madvise [madvise] never"
	put sys/kernel/mm/ksm/run 0
	put sys/kernel/mm/ksm/pages_to_scan 100
	put sys/module/kvm/parameters/halt_poll_ns 200000
	put proc/sys/kernel/numa_balancing 1
	put proc/sys/kernel/timer_migration 1
	put proc/sys/kernel/watchdog_cpumask "$1"
	put proc/sys/vm/stat_interval 1
	put proc/sys/vm/compaction_proactiveness 20
	put proc/sys/vm/dirty_ratio 20
}

cpu() { # ID PACKAGE DIE CORE SIBLINGS [L3-CPUS]
	local dir=$cpu_dir/cpu$1
	[ "$1" = 0 ] || put $dir/online 1
	put $dir/power/pm_qos_resume_latency_us 0
	put $dir/topology/physical_package_id "$2"
	put $dir/topology/die_id "$3"
	put $dir/topology/core_id "$4"
	put $dir/topology/thread_siblings_list "$5"
	put $dir/topology/core_cpus_list "$5"
	cache "$1" 0 1 "$5"
	cache "$1" 2 2 "$5"
	[ -z "${6:-}" ] || cache "$1" 3 3 "$6"
}

cache() { # CPU INDEX LEVEL CPUS
	local dir=$cpu_dir/cpu$1/cache/index$2
	put $dir/level "$3"
	put $dir/shared_cpu_list "$4"
}

# Number and size of the level 3 caches that cpu() made.
l3_cache() { # CPU ID KIB
	put $cpu_dir/cpu$1/cache/index3/id "$2"
	put $cpu_dir/cpu$1/cache/index3/size "$3K"
}

# Resource control as mounted: NAME is L3, or L3CODE and L3DATA.
resctrl_cache() { # NAME MASK MIN-BITS GROUPS
	put sys/fs/resctrl/info/$1/cbm_mask "$2"
	put sys/fs/resctrl/info/$1/min_cbm_bits "$3"
	put sys/fs/resctrl/info/$1/num_closids "$4"
}

resctrl_bandwidth() { # STEP MIN GROUPS
	put sys/fs/resctrl/info/MB/bandwidth_gran "$1"
	put sys/fs/resctrl/info/MB/min_bandwidth "$2"
	put sys/fs/resctrl/info/MB/num_closids "$3"
}

governor() { # CPU GOVERNOR [MAX-KHZ]: a policy of its own
	local dir=$cpu_dir/cpufreq/policy$1
	put $dir/scaling_governor "$2"
	put $dir/scaling_available_governors "performance powersave"
	put $dir/energy_performance_preference balance_performance
	put $dir/energy_performance_available_preferences "default performance balance_performance balance_power power"
	put $dir/affected_cpus "$1"
	put $dir/related_cpus "$1"
	put $dir/cpuinfo_max_freq "${3:-3600000}"
	link $cpu_dir/cpu$1/cpufreq ../cpufreq/policy$1
}

node() { # ID CPUS MEMORY-KIB FREE-KIB DISTANCES
	local dir=$node_dir/node$1
	put $dir/cpulist "$2"
	put $dir/cpumap "$(mask "$2")"
	put $dir/meminfo "Node $1 MemTotal:       $3 kB\nNode $1 MemFree:        $4 kB\nNode $1 MemUsed:        $(($3 - $4)) kB"
	put $dir/distance "$5"
}

pool() { # NODE PAGE-KIB TOTAL FREE
	local dir=$node_dir/node$1/hugepages/hugepages-$2kB
	put $dir/nr_hugepages "$3"
	put $dir/free_hugepages "$4"
	put $dir/surplus_hugepages 0
}

root_bus() { # DOMAIN:BUS
	pci_path[$1]=sys/devices/pci$1
}

# Options: driver=NAME group=N msix=VECTORS (a table of that size in the configuration space)
pci() { # PARENT ADDRESS CLASS VENDOR:DEVICE NODE LOCAL-CPUS [OPTION=VALUE...]
	local addr=$2 dir=${pci_path[$1]}/$2 up option
	pci_path[$addr]=$dir
	up=$(printf '%s' "$dir" | sed -E 's,[^/]+,..,g; s,^\.\./,,')
	link sys/bus/pci/devices/$addr ../../../${dir#sys/}
	put $dir/class "0x$3"
	put $dir/vendor "0x${4%:*}"
	put $dir/device "0x${4#*:}"
	put $dir/subsystem_vendor "0x${4%:*}"
	put $dir/subsystem_device 0x0001
	put $dir/numa_node "$5"
	put $dir/local_cpulist "$6"
	put $dir/driver_override "(null)"
	put $dir/power/control auto
	shift 6
	for option in "$@"; do
		case $option in
		driver=*)
			link $dir/driver "$up/bus/pci/drivers/${option#*=}"
			link sys/bus/pci/drivers/${option#*=}/$addr "../../../../${dir#sys/}"
			;;
		group=*)
			link $dir/iommu_group "$up/kernel/iommu_groups/${option#*=}"
			link sys/kernel/iommu_groups/${option#*=}/devices/$addr "../../../../${dir#sys/}"
			;;
		msix=*) config $dir/config "${option#*=}" ;;
		esac
	done
}

zeros=$(printf '\\x00%.0s' {1..64})

# A configuration space with one capability, MSI-X at 0x40.
config() { # PATH VECTORS
	printf '%s := %s\\x10\\x00%s\\x40%s\\x11\\x00\\x%02x\\x%02x%s\n' "$1" "${zeros:0:24}" \
		"${zeros:0:176}" "${zeros:0:44}" $((($2 - 1) & 255)) $((($2 - 1) >> 8)) "${zeros:0:240}"
}

sriov() { # ADDRESS TOTAL NUMBER OFFSET STRIDE
	local dir=${pci_path[$1]}
	put $dir/sriov_totalvfs "$2"
	put $dir/sriov_numvfs "$3"
	put $dir/sriov_offset "$4"
	put $dir/sriov_stride "$5"
	put $dir/sriov_drivers_autoprobe 1
}

vf() { # PF NUMBER VF: ties two existing devices on one bus
	link "${pci_path[$1]}/virtfn$2" "../$3"
	link "${pci_path[$3]}/physfn" "../$1"
}

netdev() { # ADDRESS NAME OPERSTATE CARRIER
	local dir=${pci_path[$1]}/net/$2
	put $dir/operstate "$3"
	put $dir/carrier "$4"
	link sys/class/net/$2 "../../${dir#sys/}"
}

block() { # ADDRESS PATH: a disk or partition below a device
	local dir=${pci_path[$1]}/$2
	put $dir/size 1000
	link sys/class/block/${2##*/} "../../${dir#sys/}"
}

irq() { # NUMBER CHIP HWIRQ NAME AFFINITY [ADDRESS]
	local row
	printf -v row '%4d:%s  %s    %s-edge      %s\\n' "$1" "$irq_counts" "$2" "$3" "$4"
	irq_rows+=$row
	put proc/irq/$1/smp_affinity_list "$5"
	put proc/irq/$1/smp_affinity "$(mask "$5")"
	put sys/kernel/irq/$1/actions "$4"
	put sys/kernel/irq/$1/hwirq "$3"
	[ -z "${6:-}" ] || put "${pci_path[$6]}/msi_irqs/$1" msix
}

irq_columns() { # CPU...
	local cpu
	irq_header='           '
	irq_counts=
	for cpu in "$@"; do
		irq_header+="CPU$cpu       "
		irq_counts+=' '$((cpu * 7 + 1))
	done
}

# Vectors of a device from IRQ FIRST on: NAME for vector 0, NAME-TxRx-N for the others.
vectors() { # FIRST COUNT ADDRESS NAME AFFINITY
	local i
	irq "$1" IR-PCI-MSIX-$3 0 "$4" "$5" "$3"
	for ((i = 1; i < $2; i++)); do
		irq $(($1 + i)) IR-PCI-MSIX-$3 $i "$4-TxRx-$((i - 1))" "$5" "$3"
	done
}

finish() {
	put proc/interrupts "$irq_header\\n$irq_rows NMI:$irq_counts   Non-maskable interrupts\\n ERR:          0"
}
