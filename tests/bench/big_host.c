/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * big_host CPUS DOMAINS IRQS
 *
 * Prints the manifest (see sys/manifest.h) of a large host: cores of 2 threads, 8 cores for each
 * L3, 64 CPUs and 2 PFs of 64 VFs for each node, and the interrupts of these; and the definitions
 * of other domains, below etc/libvirt/qemu. Equal arguments, equal text.
 *
 * Of the domains some are pinned to a core and have a VF, those with an even number are meant to be
 * running: they leave the last nodes to others. The rest float.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define CPUS_PER_NODE 64
#define PFS_PER_NODE  2
#define VFS_PER_PF    64
#define CORES_PER_L3  8

struct shape {
	unsigned int cpus, cores, nodes, pfs, domains, irqs;
};

#define CPU_DIRECTORY  "sys/devices/system/cpu"
#define NODE_DIRECTORY "sys/devices/system/node"
#define PF_DIRECTORY   "sys/devices/pci%04x:40/%04x:%02x:00.0"

static void print_host(const struct shape *shape)
{
	printf("proc/sys/kernel/hostname = big\netc/machine-id = 0123456789abcdef\n"
	       "proc/cpuinfo = processor\\t: 0\\nvendor_id\\t: GenuineIntel\\nflags\\t\\t: lm\n" CPU_DIRECTORY
	       "/online = 0-%u\n" CPU_DIRECTORY "/present = 0-%u\n" CPU_DIRECTORY "/isolated = \n"
	       "proc/mounts = hugetlbfs /dev/hugepages hugetlbfs rw,pagesize=2M 0 0\\n"
	       "hugetlbfs /dev/hugepages1G hugetlbfs rw,pagesize=1024M 0 0\n"
	       "proc/swaps = Filename\n"
	       "proc/sys/kernel/sched_rt_period_us = 1000000\n"
	       "proc/sys/kernel/sched_rt_runtime_us = 950000\n",
		shape->cpus - 1, shape->cpus - 1);
}

static void print_cache(unsigned int cpu, int index, int level, const char *sharing)
{
	printf(CPU_DIRECTORY "/cpu%u/cache/index%d/level = %d\n", cpu, index, level);
	printf(CPU_DIRECTORY "/cpu%u/cache/index%d/id = %u\n", cpu, index, cpu);
	printf(CPU_DIRECTORY "/cpu%u/cache/index%d/size = %uK\n", cpu, index, 32U << 4 * level);
	printf(CPU_DIRECTORY "/cpu%u/cache/index%d/shared_cpu_list = %s\n", cpu, index, sharing);
}

static void print_cpu(const struct shape *shape, unsigned int cpu)
{
	unsigned int core = cpu % shape->cores;
	unsigned int l3 = core / CORES_PER_L3 * CORES_PER_L3;
	fit_autofree char *siblings = fit_xasprintf("%u,%u", core, core + shape->cores);
	fit_autofree char *sharing = fit_xasprintf("%u-%u,%u-%u", l3, l3 + CORES_PER_L3 - 1,
		l3 + shape->cores, l3 + shape->cores + CORES_PER_L3 - 1);

	printf(CPU_DIRECTORY "/cpu%u/online = 1\n", cpu);
	printf(CPU_DIRECTORY "/cpu%u/topology/physical_package_id = %u\n", cpu,
		core / (CPUS_PER_NODE / 2));
	printf(CPU_DIRECTORY "/cpu%u/topology/die_id = 0\n", cpu);
	printf(CPU_DIRECTORY "/cpu%u/topology/cluster_id = -1\n", cpu);
	printf(CPU_DIRECTORY "/cpu%u/topology/core_id = %u\n", cpu, core % (CPUS_PER_NODE / 2));
	printf(CPU_DIRECTORY "/cpu%u/topology/thread_siblings_list = %s\n", cpu, siblings);
	for (int index = 0; index < 3; index++)
		print_cache(cpu, index, index < 2 ? 1 : 2, siblings);
	print_cache(cpu, 3, 3, sharing);
}

/* The CPUs of a node, as the kernel lists them. */
static char *node_cpus(const struct shape *shape, unsigned int node)
{
	unsigned int first = node * (CPUS_PER_NODE / 2);

	return fit_xasprintf("%u-%u,%u-%u", first, first + CPUS_PER_NODE / 2 - 1,
		first + shape->cores, first + shape->cores + CPUS_PER_NODE / 2 - 1);
}

static void print_node(const struct shape *shape, unsigned int node)
{
	fit_autofree char *cpus = node_cpus(shape, node);

	printf(NODE_DIRECTORY "/node%u/cpulist = %s\n", node, cpus);
	printf(NODE_DIRECTORY "/node%u/meminfo = Node %u MemTotal: 268435456 kB\\n"
			      "Node %u MemFree: 201326592 kB\n",
		node, node, node);
	for (int gigantic = 0; gigantic < 2; gigantic++) {
		const char *size = gigantic ? "1048576" : "2048";

		printf(NODE_DIRECTORY "/node%u/hugepages/hugepages-%skB/nr_hugepages = %d\n", node,
			size, gigantic ? 96 : 0);
		printf(NODE_DIRECTORY "/node%u/hugepages/hugepages-%skB/free_hugepages = %d\n",
			node, size, gigantic ? 80 : 0);
	}
	printf(NODE_DIRECTORY "/node%u/distance =", node);
	for (unsigned int to = 0; to < shape->nodes; to++)
		printf(" %d", to == node ? 10 : to / 4 == node / 4 ? 16 : 32);
	putchar('\n');
}

/* What a PF and a VF have in common. */
static void print_device(
	const char *directory, unsigned int node, const char *cpus, const char *driver, int group)
{
	fit_autofree char *name = fit_xstrdup(directory + strlen("sys/devices/pci0000:40/"));

	printf("sys/bus/pci/devices/%s -> ../../../%s\n", name, directory + strlen("sys/"));
	printf("%s/class = 0x020000\n%s/vendor = 0x8086\n%s/device = 0x1592\n", directory,
		directory, directory);
	printf("%s/subsystem_vendor = 0x8086\n%s/subsystem_device = 0x0001\n", directory,
		directory);
	printf("%s/numa_node = %u\n%s/local_cpulist = %s\n", directory, node, directory, cpus);
	printf("%s/driver -> ../../../bus/pci/drivers/%s\n", directory, driver);
	printf("%s/iommu_group -> ../../../kernel/iommu_groups/%d\n", directory, group);
}

static void print_pf(const struct shape *shape, unsigned int pf)
{
	unsigned int node = pf / PFS_PER_NODE, bus = 0x41 + pf % PFS_PER_NODE;
	fit_autofree char *cpus = node_cpus(shape, node);
	fit_autofree char *directory = fit_xasprintf(PF_DIRECTORY, node, node, bus);
	int group = (int)(pf * (VFS_PER_PF + 1));

	print_device(directory, node, cpus, "ice", group);
	printf("%s/sriov_totalvfs = %d\n%s/sriov_numvfs = %d\n", directory, VFS_PER_PF, directory,
		VFS_PER_PF);
	printf("%s/sriov_offset = 16\n%s/sriov_stride = 1\n", directory, directory);
	printf("%s/net/eth%u/operstate = up\n%s/net/eth%u/carrier = 1\n", directory, pf, directory,
		pf);
	for (unsigned int vf = 0; vf < VFS_PER_PF; vf++) {
		unsigned int devfn = 16 + vf;
		fit_autofree char *own = fit_xasprintf("sys/devices/pci%04x:40/%04x:%02x:%02x.%x",
			node, node, bus, devfn / 8, devfn % 8);

		print_device(own, node, cpus, "iavf", group + 1 + (int)vf);
		printf("%s/physfn -> ../%04x:%02x:00.0\n", own, node, bus);
		printf("%s/virtfn%u -> ../%04x:%02x:%02x.%x\n", directory, vf, node, bus, devfn / 8,
			devfn % 8);
	}
}

static void print_irqs(const struct shape *shape)
{
	printf("proc/interrupts =");
	for (unsigned int cpu = 0; cpu < shape->cpus; cpu++)
		printf(" CPU%u", cpu);
	for (unsigned int i = 0; i < shape->irqs; i++) {
		printf("\\n%u:", 100 + i);
		for (unsigned int cpu = 0; cpu < shape->cpus; cpu++)
			fputs(" 0", stdout);
		printf(" IR-PCI-MSIX %u-edge ice-%u", i, i);
	}
	putchar('\n');
	for (unsigned int i = 0; i < shape->irqs; i++) {
		unsigned int pf = i % shape->pfs, node = pf / PFS_PER_NODE;

		printf("proc/irq/%u/smp_affinity_list = %u\n", 100 + i, i % shape->cpus);
		printf(PF_DIRECTORY "/msi_irqs/%u = msix\n", node, node, 0x41 + pf % PFS_PER_NODE,
			100 + i);
	}
}

static void print_domain(const struct shape *shape, unsigned int number)
{
	unsigned int most = shape->cores * 3 / 4; /* of the cores, at most */
	unsigned int core = 1 + number * 2, pf = number % (shape->pfs * 3 / 4 + 1);
	unsigned int devfn = 16 + number / (shape->pfs * 3 / 4 + 1);
	bool pinned = core < most;

	printf("etc/libvirt/qemu/other%u.xml = <domain type='kvm'>\\n  <name>other%u</name>\\n"
	       "  <memory unit='GiB'>2</memory>\\n  <vcpu>2</vcpu>\\n",
		number, number);
	if (pinned)
		printf("  <cputune>\\n    <vcpupin vcpu='0' cpuset='%u'/>\\n"
		       "    <vcpupin vcpu='1' cpuset='%u'/>\\n  </cputune>\\n",
			core, core + shape->cores);
	printf("  <os>\\n    <type arch='x86_64' machine='q35'>hvm</type>\\n  </os>\\n  "
	       "<devices>\\n");
	printf("    <disk type='file' device='disk'>\\n      <source file='/d/%u.qcow2'/>\\n"
	       "      <target dev='vda' bus='virtio'/>\\n    </disk>\\n",
		number);
	if (pinned && devfn < 16 + VFS_PER_PF)
		printf("    <hostdev mode='subsystem' type='pci' managed='yes'>\\n      <source>\\n"
		       "        <address domain='0x%04x' bus='0x%02x' slot='0x%02x' "
		       "function='0x%x'/>\\n"
		       "      </source>\\n    </hostdev>\\n",
			pf / PFS_PER_NODE, 0x41 + pf % PFS_PER_NODE, devfn / 8, devfn % 8);
	printf("  </devices>\\n</domain>\n");
}

int main(int argc, char **argv)
{
	struct shape shape = {0};
	uint64_t cpus, domains, irqs;

	if (argc != 4 || !fit_parse_uint(argv[1], 8192, &cpus) || cpus < CPUS_PER_NODE ||
		cpus % CPUS_PER_NODE || !fit_parse_uint(argv[2], 100000, &domains) ||
		!fit_parse_uint(argv[3], 100000, &irqs)) {
		fputs("usage: big_host CPUS DOMAINS IRQS (CPUS: a multiple of 64, up to 8192)\n",
			stderr);
		return 2;
	}
	shape.cpus = (unsigned int)cpus;
	shape.cores = shape.cpus / 2;
	shape.nodes = shape.cpus / CPUS_PER_NODE;
	shape.pfs = shape.nodes * PFS_PER_NODE;
	shape.domains = (unsigned int)domains;
	shape.irqs = (unsigned int)irqs;
	print_host(&shape);
	for (unsigned int cpu = 0; cpu < shape.cpus; cpu++)
		print_cpu(&shape, cpu);
	for (unsigned int node = 0; node < shape.nodes; node++)
		print_node(&shape, node);
	for (unsigned int pf = 0; pf < shape.pfs; pf++)
		print_pf(&shape, pf);
	print_irqs(&shape);
	for (unsigned int number = 0; number < shape.domains; number++)
		print_domain(&shape, number);
	return 0;
}
