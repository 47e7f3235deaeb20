/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every path of the kernel, of our state and of our configuration is spelled here and nowhere else
 * (tests/lint/paths.sh). All are relative to a struct fit_fsroot unless said otherwise.
 */
#ifndef FIT_SYS_PATHS_H
#define FIT_SYS_PATHS_H

/* Configuration and state */
#define FIT_PATH_ETC_PROFILES "etc/virt-fit/profiles"
#define FIT_PATH_RUN	      "run"
#define FIT_PATH_ETC_ALL      "etc"
#define FIT_NAME_ETC	      "virt-fit"
#define FIT_PATH_ETC	      FIT_PATH_ETC_ALL "/" FIT_NAME_ETC
#define FIT_PATH_HOST_POLICY  "etc/virt-fit/host.xml"
#define FIT_PATH_STATE	      "run/virt-fit" /* 0700, gone with the boot */
#define FIT_PATH_LOCK	      FIT_PATH_STATE "/lock"
#define FIT_PATH_LEDGER	      FIT_PATH_STATE "/ledger"
#define FIT_PATH_LEDGER_NEW   FIT_PATH_STATE "/.ledger.new" /* while it is written: fsroot.h */
#define FIT_PATH_DOMAINS      FIT_PATH_STATE "/domains"	    /* one journal per UUID */
#define FIT_PATH_REQUESTS     FIT_PATH_STATE "/requests"    /* one start request per UUID */
#define FIT_PATH_WATCHER      FIT_PATH_STATE "/watcher"	    /* locked while one runs */
#define FIT_PATH_MACHINE_ID   "etc/machine-id"

/* Where libvirt looks for its hooks, and where ours is when another one is there already. */
#define FIT_PATH_HOOK	    "etc/libvirt/hooks/qemu"
#define FIT_PATH_HOOK_EXTRA "etc/libvirt/hooks/qemu.d/50-virt-fit"
/* Where libvirt's QEMU driver keeps the definitions of persistent domains: NAME.xml. */
#define FIT_PATH_DEFINITIONS "etc/libvirt/qemu"
/* In the gate, so that it is known from a hook of others; hook/install-gate looks for it too. */
#define FIT_GATE_MARKER "virt-fit-gate-marker-"

/* Set by the Makefile; absolute, not below the root handle. */
#ifndef FIT_DATADIR
#define FIT_DATADIR "/usr/share/virt-fit"
#endif
#define FIT_SHIPPED_PROFILES FIT_DATADIR "/profiles"
#ifndef FIT_ENGINE
#define FIT_ENGINE "/usr/sbin/virt-fit-hook"
#endif

/* Our own open files, as programs that we start find them; absolute. */
#define FIT_SELF_FD "/proc/self/fd"

/* Where people and programs mount file systems of huge pages; the size follows. Absolute. */
#define FIT_PATH_HUGETLBFS "/dev/hugepages"

/* Of the names that mounts and swap space have; absolute. */
#define FIT_PATH_DEV "/dev/"

/* Kernel. Below the first two, core/host_settings.def and core/host_write.c name files. */
#define FIT_PATH_SYSFS	      "sys"
#define FIT_PATH_SYSCTL	      "proc/sys"
#define FIT_PATH_BOOT_ID      "proc/sys/kernel/random/boot_id"
#define FIT_PATH_SCHED	      "proc/sys/kernel"
#define FIT_PATH_HOSTNAME     "proc/sys/kernel/hostname"
#define FIT_PATH_CPUINFO      "proc/cpuinfo"
#define FIT_PATH_MEMINFO      "proc/meminfo"
#define FIT_PATH_INTERRUPTS   "proc/interrupts"
#define FIT_PATH_PROC_IRQ     "proc/irq"
#define FIT_PATH_KERNEL_IRQ   "sys/kernel/irq"
#define FIT_PATH_COMPACT      "proc/sys/vm/compact_memory"
#define FIT_PATH_CPU_ONLINE   FIT_PATH_CPU "/online"
#define FIT_PATH_NODE_ONLINE  FIT_PATH_NODE "/online"
#define FIT_PATH_CPU	      "sys/devices/system/cpu"
#define FIT_PATH_CPUFREQ      FIT_PATH_CPU "/cpufreq"
#define FIT_PATH_NODE	      "sys/devices/system/node"
#define FIT_PATH_PCI_DEVICES  "sys/bus/pci/devices"
#define FIT_PATH_HUGEPAGES    "sys/kernel/mm/hugepages"
#define FIT_PATH_RESCTRL      "sys/fs/resctrl"
#define FIT_PATH_CPU_CORE     "sys/devices/cpu_core/cpus" /* hybrid x86 */
#define FIT_PATH_CPU_ATOM     "sys/devices/cpu_atom/cpus"
#define FIT_PATH_PCI_BUS      "sys/bus/pci"
#define FIT_PATH_PCI_DRIVERS  "sys/bus/pci/drivers"
#define FIT_PATH_PCI_PROBE    "sys/bus/pci/drivers_probe"
#define FIT_PATH_IOMMU_GROUPS "sys/kernel/iommu_groups"
#define FIT_PATH_BLOCK	      "sys/class/block"
#define FIT_PATH_MOUNTS	      "proc/self/mountinfo"
#define FIT_PATH_MOUNT_LIST   "proc/mounts" /* what libvirt reads */
#define FIT_PATH_SELF_STATUS  "proc/self/status"
#define FIT_PATH_SWAPS	      "proc/swaps"
#define FIT_PATH_CMDLINE      "proc/cmdline"
/* Of the network namespace that we are in */
#define FIT_PATH_ROUTES		"proc/self/net/route"
#define FIT_PATH_IPV6_ADDRESSES "proc/self/net/if_inet6"
#define FIT_PATH_CPU_POSSIBLE	FIT_PATH_CPU "/possible"
#define FIT_PATH_CGROUP		"sys/fs/cgroup"
#define FIT_PATH_CPUS_ISOLATED	FIT_PATH_CGROUP "/cpuset.cpus.isolated"
#define FIT_PATH_PROC		"proc"
#define FIT_PATH_QEMU_PIDS	"run/libvirt/qemu" /* libvirt's: NAME.pid */
#define FIT_PATH_RUN		"run"
#define FIT_NAME_IRQBALANCE	"irqbalance"
#define FIT_PATH_IRQBALANCE	FIT_PATH_RUN "/" FIT_NAME_IRQBALANCE

/* systemd: there while it is the init program; its settings until the next boot */
#define FIT_PATH_SYSTEMD	   "run/systemd/system"
#define FIT_PATH_SYSTEMD_CONTROL   "run/systemd/system.control"
#define FIT_PATH_SYSTEMD_TRANSIENT "run/systemd/transient"
#define FIT_SYSTEMD_ADDRESS	   "unix:path=/run/systemd/private" /* absolute */

#endif
