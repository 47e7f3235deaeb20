/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/replan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/alias.h"
#include "core/fragment.h"
#include "core/profile_steps.h"
#include "core/record.h"
#include "core/rewrite.h"
#include "core/xml.h"

/* Intents that are all about what the guest sees. Of the others, what it sees is not written. */
static const char for_the_guest[] =
	"cpu features hyperv clock interfaces cells passthrough memballoon watchdog iommu lean";

static const char pages_path[] = "memoryBacking/hugepages";

void fit_replan_clear(struct fit_replan *replan)
{
	fit_edits_clear(&replan->kept);
	fit_edits_clear(&replan->vfs);
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

/* Is it a VF of ours, or of one? */
static bool is_vf(const char *path, bool *ret_itself)
{
	static const char *const kinds[] = {"devices/interface[alias/@name='" FIT_ALIAS_PREFIX "vf",
		"devices/hostdev[alias/@name='" FIT_ALIAS_PREFIX "vf"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(kinds); i++) {
		if (!fit_starts_with(path, kinds[i]))
			continue;
		*ret_itself = ends_with(path, "']") && !strchr(path + strlen(kinds[i]), '/');
		return true;
	}
	return false;
}

/* As many as there are, and nothing that the guest sees of them. */
static void limit_vfs(const struct fit_replan *replan, struct fit_profile *profile)
{
	unsigned int count = 0;

	for (size_t i = 0; i < replan->vfs.count; i++) {
		bool itself = false;

		count += is_vf(replan->vfs.items[i].path, &itself) && itself;
	}
	profile->vfs.count = count;
	profile->vfs.intent.set = profile->vfs.intent.set && count;
	profile->vfs.with_standby = false;
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

static void add_edit(struct fit_edits *edits, const struct fit_edit *edit)
{
	if (edit->value)
		fit_edits_set(edits, edit->path, edit->value);
	else
		fit_edits_remove(edits, edit->path);
}

static void sort_held(struct fit_replan *replan, const struct fit_edits *held)
{
	for (size_t i = 0; i < held->count; i++) {
		const struct fit_edit *edit = &held->items[i];
		bool itself;

		if (is_vf(edit->path, &itself))
			add_edit(&replan->vfs, edit);
		else if (!is_placement(replan, edit->path))
			add_edit(&replan->kept, edit);
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
	sort_held(&replan, &held);
	limit_vfs(&replan, profile);
	fit_edits_clear(&held);
	fit_record_clear(&record);
	*ret_replan = replan;
	return 0;
}

/* The VF as it is, from where the planned one is. */
static char *take_source(
	xmlDoc *doc, const char *name, const char *is, const char *planned, struct fit_err *err)
{
	xmlNode *root = xmlDocGetRootElement(doc);
	xmlNode *vf = fit_fragment_element(root, is, name, err);
	xmlNode *other = vf ? fit_fragment_element(root, planned, name, err) : NULL;
	xmlNode *old = other ? fit_xml_child(vf, "source") : NULL;
	xmlNode *new = other ? fit_xml_child(other, "source") : NULL;
	char *text = NULL;

	if (old && new && !fit_xml_equivalent(old, new)) {
		xmlReplaceNode(old, new);
		xmlFreeNode(old);
		text = fit_xml_print_node(vf);
	} else if (other) {
		text = fit_xstrdup(is);
	}
	xmlFreeNode(vf);
	xmlFreeNode(other);
	return text;
}

static const char *find_value(const struct fit_edits *edits, const char *path)
{
	for (size_t i = 0; i < edits->count; i++)
		if (fit_streq(edits->items[i].path, path))
			return edits->items[i].value;
	return NULL;
}

int fit_replan_limit(struct fit_replan *replan, xmlDoc *doc, const char *name,
	struct fit_edits *edits, struct fit_err *err)
{
	struct fit_edits *limited = &replan->kept;

	for (size_t i = 0; i < replan->vfs.count; i++) {
		const struct fit_edit *is = &replan->vfs.items[i];
		const char *planned = find_value(edits, is->path);
		fit_autofree char *value =
			planned ? take_source(doc, name, is->value, planned, err) : NULL;

		if (planned && !value)
			return -1;
		if (planned)
			fit_edits_set(limited, is->path, value);
		else
			add_edit(limited, is);
	}
	for (size_t i = 0; i < edits->count; i++)
		if (is_placement(replan, edits->items[i].path))
			add_edit(limited, &edits->items[i]);
	fit_edits_clear(edits);
	*edits = *limited;
	*limited = (struct fit_edits){0};
	return 0;
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
