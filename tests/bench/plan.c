/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan ROOT PROFILES NAMES DOMAIN.xml [RUNS]
 *
 * What planning costs on the host below ROOT, for a definition with the profiles NAMES and 8 VFs,
 * beside the domains that are defined in its etc/libvirt/qemu. Reads all of that, plans once and is
 * silent, to be compared with others; with RUNS it plans so often and prints the median CPU time of
 * planning alone in microseconds, the memory in KiB that the whole program had at most, and how
 * many CPUs, PCI devices and domains there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/plan.h"
#include "core/xml.h"
#include "median.h"
#include "sys/meminfo.h"
#include "sys/probe.h"
#include "sys/profile_store.h"

#define DEFINITIONS "etc/libvirt/qemu"
#define VFS	    8

struct bench {
	struct fit_fsroot root, machine;
	struct fit_host host;
	struct fit_domain domain;
	struct fit_profile profile;
	struct fit_claims claims;
	struct fit_request request;
};

/* The time of this program: others run beside it. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int read_domain(const struct fit_fsroot *root, const char *path, struct fit_domain *ret,
	struct fit_err *err)
{
	fit_autofree char *text = NULL;
	fit_autodoc xmlDoc *doc = NULL;
	size_t length;

	if (fit_fsroot_read(root, path, &text, &length, err) < 0)
		return -1;
	doc = fit_xml_parse(text, length, path, err);
	return doc ? fit_domain_read(doc, path, ret, err) : -1;
}

/* Those with an even number run. */
static int read_others(struct bench *bench, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(&bench->root, DEFINITIONS, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *path = fit_xasprintf(DEFINITIONS "/%s", names.items[i]);
		struct fit_domain domain = {0};

		if (read_domain(&bench->root, path, &domain, err) < 0)
			return -1;
		fit_claims_add(&bench->claims, &domain,
			strtoul(names.items[i] + strlen("other"), NULL, 10) % 2 == 0);
		fit_domain_clear(&domain);
	}
	return 0;
}

static int prepare(struct bench *bench, char **argv, struct fit_err *err)
{
	struct fit_profile_store store = {.root = &bench->machine, .shipped = argv[2]};
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_open(argv[1], &bench->root, err) < 0 ||
		fit_fsroot_open("/", &bench->machine, err) < 0 ||
		fit_probe(&bench->root, FIT_PROBE_PLAN, &bench->host, NULL, err) < 0 ||
		read_others(bench, err) < 0 ||
		read_domain(&bench->machine, argv[4], &bench->domain, err) < 0)
		return -1;
	fit_strlist_split(&names, argv[3], " ");
	if (fit_profile_compose(
		    &names, NULL, 0, fit_profile_store_load, &store, &bench->profile, err) < 0)
		return -1;
	bench->profile.vfs.count = VFS;
	return 0;
}

static int plan(const struct bench *bench, struct fit_err *err)
{
	const struct fit_plan_input input = {
		.host = &bench->host,
		.domain = &bench->domain,
		.request = &bench->request,
		.profile = &bench->profile,
		.claims = &bench->claims,
	};
	struct fit_plan plan = {0};

	if (fit_plan_make(&input, &plan, err) < 0)
		return -1;
	fit_plan_clear(&plan);
	return 0;
}

/* The most memory that this program has had. (The header of getrusage(2) has the name of ours.) */
static uint64_t peak_kib(const struct bench *bench)
{
	fit_autofree char *status = fit_fsroot_try_read(&bench->machine, "proc/self/status");
	uint64_t kib;

	return status && fit_meminfo_find(status, "VmHWM:", &kib) ? kib : 0;
}

static int measure(const struct bench *bench, size_t runs, struct fit_err *err)
{
	fit_autofree double *times = fit_xcalloc(runs, sizeof(*times));

	for (size_t i = 0; i < runs; i++) {
		double start = now();

		if (plan(bench, err) < 0)
			return -1;
		times[i] = now() - start;
	}
	printf("%.0f %llu %zu %zu %zu\n", median(times, runs), (unsigned long long)peak_kib(bench),
		bench->host.cpu_count, bench->host.pci_count, bench->claims.count);
	return 0;
}

int main(int argc, char **argv)
{
	struct bench bench = {0};
	struct fit_err err = FIT_ERR_INIT;
	uint64_t runs = 0;
	int status;

	if (argc < 5 || (argc > 5 && !fit_parse_uint(argv[5], 100000, &runs))) {
		fputs("usage: plan ROOT PROFILES NAMES DOMAIN.xml [RUNS]\n", stderr);
		return 2;
	}
	status = prepare(&bench, argv, &err);
	if (status == 0)
		status = runs ? measure(&bench, runs, &err) : plan(&bench, &err);
	if (status < 0)
		fprintf(stderr, "plan: %s\n", err.message);
	fit_host_clear(&bench.host);
	fit_domain_clear(&bench.domain);
	fit_profile_clear(&bench.profile);
	fit_claims_clear(&bench.claims);
	fit_fsroot_close(&bench.root);
	fit_fsroot_close(&bench.machine);
	return status < 0;
}
