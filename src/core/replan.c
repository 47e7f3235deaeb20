/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/replan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/profile_steps.h"
#include "core/record.h"
#include "core/rewrite.h"
#include "core/xml.h"

/* Intents that are all about what the guest sees. Of the others, what it sees is not written. */
static const char for_the_guest[] =
	"cpu features hyperv clock interfaces cells vfs passthrough memballoon watchdog iommu lean";

static const char pages_path[] = "memoryBacking/hugepages";

void fit_replan_clear(struct fit_replan *replan)
{
	fit_edits_clear(&replan->kept);
	free(replan->digest);
	free(replan->only);
	*replan = (struct fit_replan){0};
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && fit_streq(text + length - strlen(end), end);
}

/* What libvirt takes from a hook for a guest that runs. The number of iothreads and who uses them
 * are nothing that a guest sees; queues and the kind of memory are. */
static bool is_placement(const struct fit_replan *replan, const char *path)
{
	static const char *const parts[] = {
		"cputune", "numatune", "iothreads", "iothreadids", "vcpu/@placement"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(parts); i++)
		if (fit_starts_with(path, parts[i]))
			return true;
	if (fit_streq(path, pages_path))
		return replan->pages;
	return fit_starts_with(path, "devices/") &&
	       (ends_with(path, "/driver/@iothread") || ends_with(path, "/driver/iothreads"));
}

static bool divides(uint64_t page_kib, const struct fit_domain *arrived)
{
	if (!page_kib)
		return true;
	for (size_t i = 0; i < arrived->cell_count; i++)
		if (arrived->cells[i].memory_kib % page_kib)
			return false;
	return arrived->memory_kib % page_kib == 0;
}

/* Sizes that the memory, which stays as large as it is, is a multiple of. */
static void limit_pages(
	struct fit_replan *replan, const struct fit_domain *arrived, struct fit_profile *profile)
{
	struct fit_intent_memory *memory = &profile->memory;
	size_t count = 0;

	for (size_t i = 0; i < memory->page_size_count; i++)
		if (divides(memory->page_sizes[i], arrived))
			memory->page_sizes[count++] = memory->page_sizes[i];
	replan->pages = replan->pages && count;
	memory->page_size_count = replan->pages ? count : 0;
}

static void limit_profile(struct fit_profile *profile)
{
	fit_autostrlist struct fit_strlist all = {0};
	fit_autostrlist struct fit_strlist left_out = {0};
	fit_autostrlist struct fit_strlist names = {0};

	fit_steps_names(&all);
	fit_strlist_split(&left_out, for_the_guest, " ");
	for (size_t i = 0; i < all.count; i++)
		if (!fit_strlist_contains(&left_out, all.items[i]) &&
			(!profile->only.count ||
				fit_strlist_contains(&profile->only, all.items[i])))
			fit_strlist_add(&names, all.items[i]);
	fit_strlist_clear(&profile->only);
	fit_steps_limit(profile, &names);
}

/* Those of @edits that are placements, or those that are none. */
static void add_edits(const struct fit_replan *replan, const struct fit_edits *edits,
	bool placements, struct fit_edits *ret_edits)
{
	for (size_t i = 0; i < edits->count; i++) {
		const struct fit_edit *edit = &edits->items[i];

		if (is_placement(replan, edit->path) != placements)
			continue;
		if (edit->value)
			fit_edits_set(ret_edits, edit->path, edit->value);
		else
			fit_edits_remove(ret_edits, edit->path);
	}
}

static bool has_facet(const struct fit_record *record, const char *path)
{
	for (size_t i = 0; i < record->facet_count; i++)
		if (fit_streq(record->facets[i].path, path))
			return true;
	return false;
}

int fit_replan_begin(xmlDoc *doc, const char *name, const struct fit_domain *arrived,
	struct fit_profile *profile, struct fit_replan *ret_replan, struct fit_err *err)
{
	struct fit_replan replan = {0};
	struct fit_record record = {0};
	struct fit_edits held = {0};
	int found = fit_record_read(doc, name, &record, err);

	if (found < 0)
		return -1;
	replan.recorded = found > 0;
	replan.pages = arrived->has_hugepages && has_facet(&record, pages_path);
	replan.digest = FIT_STEAL(record.digest);
	replan.only = FIT_STEAL(record.only);
	limit_profile(profile);
	limit_pages(&replan, arrived, profile);
	fit_rewrite_list_held(doc, &record, &held);
	add_edits(&replan, &held, false, &replan.kept);
	fit_edits_clear(&held);
	fit_record_clear(&record);
	*ret_replan = replan;
	return 0;
}

void fit_replan_limit(struct fit_replan *replan, struct fit_edits *edits)
{
	add_edits(replan, edits, true, &replan->kept);
	fit_edits_clear(edits);
	*edits = replan->kept;
	replan->kept = (struct fit_edits){0};
}

static xmlDoc *without_record(xmlDoc *doc)
{
	xmlDoc *copy = xmlCopyDoc(doc, 1);
	xmlNode *record;

	if (!copy)
		abort();
	record = fit_record_find(copy);
	xmlUnlinkNode(record);
	xmlFreeNode(record);
	return copy;
}

bool fit_replan_differs(xmlDoc *before, xmlDoc *after)
{
	fit_autodoc xmlDoc *a = without_record(before);
	fit_autodoc xmlDoc *b = without_record(after);

	return !fit_xml_equivalent(xmlDocGetRootElement(a), xmlDocGetRootElement(b));
}
