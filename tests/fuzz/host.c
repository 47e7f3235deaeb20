/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts by number: those of tests/hosts, which are read once, and made-up ones with what real hosts
 * have, too: SMT or not, offline and isolated CPUs, memoryless nodes, cards, other domains, caches
 * that can be given out. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/memory.h"
#include "draw.h"
#include "support_host.h"
#include "support_plan.h"

static struct fit_host made;
static struct fit_host *known;
static size_t known_count;

void fit_fuzz_hosts_read(void)
{
	fit_autostrlist struct fit_strlist names = {0};

	fit_test_host_names(&names);
	for (size_t i = 0; i < names.count; i++)
		*FIT_APPEND(known, known_count) = fit_test_host(names.items[i]);
}

static void harm(struct fit_host *host)
{
	for (size_t i = 0; i < host->cpu_count; i++) {
		if (fit_cpuset_count(&host->online) > 1 && fit_chance(5))
			fit_made_offline(host, host->cpus[i].id);
		else if (fit_chance(5)) {
			host->cpus[i].isolated = true;
			fit_cpuset_add(&host->isolated, host->cpus[i].id);
		}
	}
	for (size_t i = 0; i < host->node_count; i++) {
		if (fit_chance(10) && host->node_count > 1)
			host->nodes[i].memory_kib = host->nodes[i].free_kib = 0;
	}
}

static void fill_pools(struct fit_host *host)
{
	for (size_t i = 0; i < host->node_count; i++)
		for (size_t j = 0; j < host->nodes[i].pool_count; j++) {
			struct fit_page_pool *pool = &host->nodes[i].pools[j];

			pool->free = fit_draw(40);
			pool->total = pool->free + fit_draw(3);
		}
}

static void add_devices(struct fit_host *host)
{
	unsigned int nodes = (unsigned int)host->node_count;

	if (fit_chance(70))
		fit_made_pf(host, "0000:41:00.0", "eth0", (int)fit_draw(nodes), 8, fit_draw(9));
	if (fit_chance(40))
		fit_made_pf(host, "0000:51:00.0", "eth1", (int)fit_draw(nodes), 4, fit_draw(5));
	if (fit_chance(60)) {
		fit_made_device(host, "0000:01:00.0", 0x030000, (int)fit_draw(nodes), 1);
		fit_made_device(host, "0000:01:00.1", 0x040300, -1, 1);
	}
	if (fit_chance(60))
		fit_made_device(host, "0000:02:00.0", 0x010802, (int)fit_draw(nodes), 2);
}

static struct fit_host make(void)
{
	const struct fit_host_shape shape = {
		.nodes = 1 + fit_draw(4),
		.l3_groups = 1 + fit_draw(2),
		.cores = 1 + fit_draw(6),
		.threads = fit_chance(40) ? 1 : 2,
	};
	struct fit_host host = fit_made_host(shape);

	if (fit_chance(40))
		harm(&host);
	if (fit_chance(60))
		fill_pools(&host);
	if (fit_chance(30))
		fit_xreplace(&host.cpu_vendor, "AuthenticAMD");
	if (fit_chance(70))
		add_devices(&host);
	if (fit_chance(50))
		fit_made_resctrl(&host, 1U << fit_draw(6));
	return host;
}

static void add_claims(const struct fit_host *host, struct fit_claims *claims)
{
	static const char *const names[] = {"alpha", "beta", "gamma"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++) {
		struct fit_claim *claim;

		if (!fit_chance(20))
			continue;
		claim = FIT_APPEND(claims->items, claims->count);
		claim->name = fit_xstrdup(names[i]);
		claim->running = fit_chance(50);
		for (unsigned int n = fit_draw(4); n > 0; n--)
			fit_cpuset_add(&claim->cpus,
				host->cpus[fit_draw((unsigned int)host->cpu_count)].id);
	}
}

const struct fit_host *fit_fuzz_host(uint64_t number, struct fit_claims *ret_claims)
{
	const struct fit_host *host = &made;

	fit_draw_seed(0, number);
	if (fit_chance(30)) {
		host = &known[fit_draw((unsigned int)known_count)];
	} else {
		fit_host_clear(&made);
		made = make();
	}
	add_claims(host, ret_claims);
	return host;
}
