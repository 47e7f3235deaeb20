/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * <cachetune> and <memorytune>: an element for each group of vCPUs that use the same L3 caches. The
 * definition's own go or stay all together, because libvirt refuses sets of vCPUs that overlap.
 */
#include "core/emit_parts.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

static const char *const type_names[] = {
	[FIT_CACHE_BOTH] = "both",
	[FIT_CACHE_CODE] = "code",
	[FIT_CACHE_DATA] = "data",
};

struct kind {
	const char *element;
	const char *what;
	const struct fit_intent *intent;
	const struct fit_strlist *found; /* lists of vCPUs that the definition has such for */
	/* What is inside, for one cache. */
	void (*add)(const struct fit_emitter *emitter, const struct fit_planned_cache *cache,
		struct fit_buffer *text);
};

/* An element of a group that is to be there. */
struct wanted {
	char *list; /* of vCPUs */
	char *path;
	char *value;
};

static void add_cache(const struct fit_emitter *emitter, const struct fit_planned_cache *cache,
	struct fit_buffer *text)
{
	bool whole = cache->bytes % 1024 == 0;
	fit_autofree char *size = whole ? fit_format_size_kib(cache->bytes / 1024)
					: fit_xasprintf("%llu B", (unsigned long long)cache->bytes);
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, size, " ");
	fit_buffer_addf(text, "<cache id='%u' level='%u' type='%s' size='%s' unit='%s'/>",
		cache->id, emitter->profile->cachetune.level,
		type_names[emitter->profile->cachetune.type], words.items[0], words.items[1]);
}

/* A node is, in spite of its name, an L3 cache: what the kernel limits is the way from there. */
static void add_node(const struct fit_emitter *emitter FIT_UNUSED,
	const struct fit_planned_cache *cache, struct fit_buffer *text)
{
	fit_buffer_addf(text, "<node id='%u' bandwidth='%u'/>", cache->id, cache->bandwidth);
}

static struct wanted *format_elements(
	const struct fit_emitter *emitter, const struct kind *kind, size_t *ret_count)
{
	const struct fit_plan *plan = emitter->plan;
	struct wanted *elements = NULL;
	size_t count = 0;

	for (size_t i = 0, next; i < plan->cache_count; i = next) {
		const struct fit_cpuset *vcpus = &plan->caches[i].vcpus;
		struct wanted *element = FIT_APPEND(elements, count);
		struct fit_buffer text = {0};

		element->list = fit_cpuset_format_list(vcpus);
		element->path =
			fit_xasprintf("cputune/%s[@vcpus='%s']", kind->element, element->list);
		fit_buffer_addf(&text, "<%s vcpus='%s'>", kind->element, element->list);
		for (next = i; next < plan->cache_count &&
			       fit_cpuset_equal(vcpus, &plan->caches[next].vcpus);
			next++)
			kind->add(emitter, &plan->caches[next], &text);
		fit_buffer_addf(&text, "</%s>", kind->element);
		element->value = fit_buffer_steal(&text);
	}
	*ret_count = count;
	return elements;
}

static void free_elements(struct wanted *elements, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(elements[i].list);
		free(elements[i].path);
		free(elements[i].value);
	}
	free(elements);
}

/* What the definition has, for people; NULL when it has none, ours if it says the same. */
static char *describe_found(const struct fit_emitter *emitter, const struct kind *kind,
	const struct wanted *elements, size_t count, const char *ours)
{
	fit_autofree char *lists = fit_strlist_join(kind->found, "; ");
	bool same = kind->found->count == count;

	if (!kind->found->count)
		return NULL;
	for (size_t i = 0; i < count; i++)
		same = same && fit_emit_is_there(emitter, elements[i].path, elements[i].value);
	return same ? fit_xstrdup(ours) : fit_xasprintf("set for vCPUs %s in another way", lists);
}

static void write_elements(const struct fit_emitter *emitter, const struct kind *kind,
	const struct wanted *elements, size_t count)
{
	for (size_t i = 0; i < kind->found->count; i++) {
		const char *list = kind->found->items[i];
		fit_autofree char *path =
			fit_xasprintf("cputune/%s[@vcpus='%s']", kind->element, list);
		bool ours = false;

		for (size_t j = 0; j < count; j++)
			ours = ours || fit_streq(list, elements[j].list);
		if (!ours)
			fit_edits_remove(emitter->edits, path);
	}
	for (size_t i = 0; i < count; i++)
		fit_edits_set(emitter->edits, elements[i].path, elements[i].value);
}

static int emit_kind(const struct fit_emitter *emitter, const struct kind *kind)
{
	size_t count;
	struct wanted *elements = format_elements(emitter, kind, &count);
	fit_autobuffer struct fit_buffer ours = {0};
	fit_autofree char *found = NULL;
	int decision;

	for (size_t i = 0; i < count; i++)
		fit_buffer_add(&ours, elements[i].value);
	found = describe_found(emitter, kind, elements, count, ours.text);
	decision = fit_emit_decide(emitter, kind->intent, kind->what, found, ours.text);
	if (decision > 0)
		write_elements(emitter, kind, elements, count);
	free_elements(elements, count);
	return decision;
}

int fit_emit_caches(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;
	const struct kind cache = {"cachetune", "the part of the L3 cache",
		&emitter->profile->cachetune.intent, &emitter->domain->cache_tunes, add_cache};
	const struct kind memory = {"memorytune", "the limit of memory bandwidth",
		&emitter->profile->memorytune.intent, &emitter->domain->memory_tunes, add_node};

	if (!plan->cache_count)
		return 0;
	if (plan->caches[0].bytes && emit_kind(emitter, &cache) < 0)
		return -1;
	return plan->caches[0].bandwidth ? emit_kind(emitter, &memory) : 0;
}
