/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles from the table that virt-fit reads them with: an intent or word that is added there is
 * tried here without further ado. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/profile.h"
#include "core/profile_grammar.h"
#include "draw.h"
#include "grammar.h"

/* One of them suits an attribute that takes other things than words. */
static const char *const values[] = {"0", "1", "2", "3", "4", "8", "64", "256", "1024", "none",
	"2MiB", "1GiB 2MiB", "1GiB 2MiB none", "2MiB none", "4KiB", "nearest", "0000:41:00.0",
	"0000:01:00.0", "eth0", "performance", "yes", "no", "auto", "50%", "0-1", "2-3", "^0",
	"1MiB", "nearest", "1s", "x", "52:54:00:11:22:33", "a,b"};

/* A value that the attribute accepts; NULL when none was found. */
static const char *draw_value(
	const struct fit_profile_element *element, const struct fit_profile_attribute *attribute)
{
	struct fit_profile scratch = {0};
	const char *found = NULL;
	size_t words = 0;

	while (attribute->words && attribute->words[words].word)
		words++;
	if (attribute->unstated && fit_chance(30))
		return attribute->unstated;
	if (words && (!attribute->type || fit_chance(50)))
		return attribute->words[fit_draw((unsigned int)words)].word;
	for (int i = 0; i < 64 && !found; i++) {
		const char *value = fit_draw_from(values);
		fit_autofree char *stored = fit_profile_store(element, attribute, &scratch, value);

		if (stored)
			found = value;
	}
	fit_profile_clear(&scratch);
	return found;
}

/* What a value needs another attribute of its element to be. */
static const struct {
	const char *element, *attribute, *value;
	const char *other;
	const char *needed[2];
} needs[] = {
	{"disks", "io", "native", "cache", {"none", "directsync"}},
};

static bool goes_with(const struct fit_profile_element *element, const char *attribute,
	const char *value, const char *written)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(needs); i++) {
		fit_autofree char *one = NULL;
		fit_autofree char *two = NULL;

		if (strcmp(needs[i].element, element->name) != 0 ||
			strcmp(needs[i].attribute, attribute) != 0 ||
			strcmp(needs[i].value, value) != 0)
			continue;
		one = fit_xasprintf(" %s='%s'", needs[i].other, needs[i].needed[0]);
		two = fit_xasprintf(" %s='%s'", needs[i].other, needs[i].needed[1]);
		return strstr(written, one) || strstr(written, two);
	}
	return true;
}

static void add_element(struct fit_buffer *out, const struct fit_profile_element *element)
{
	if (strcmp(element->name, "vfs") == 0 && fit_chance(80)) {
		fit_fuzz_expand(out, "vfs");
		return;
	}
	fit_buffer_addf(out, "<%s", element->name);
	if (element->of)
		fit_buffer_addf(out, " of='%s'", element->of);
	fit_profile_for_each_attribute (attribute, element) {
		const char *value;

		/* What has no default must be stated. */
		if (attribute->unstated && !fit_chance(65))
			continue;
		value = draw_value(element, attribute);
		if (value &&
			(fit_chance(5) || goes_with(element, attribute->name, value, out->text)))
			fit_buffer_addf(out, " %s='%s'", attribute->name, value);
	}
	fit_buffer_add(out, "/>");
}

static bool has_vfs(const struct fit_host *host)
{
	for (size_t i = 0; i < host->pci_count; i++) {
		const struct fit_pci_device *device = &host->pci[i];

		if (device->class_code >> 16 == 0x02 && device->sriov_numvfs >= 2)
			return true;
	}
	return false;
}

/* Can the host serve it? */
static bool suits(const struct fit_profile_element *element, const struct fit_host *host)
{
	if (strcmp(element->name, "vfs") == 0)
		return has_vfs(host);
	if (strcmp(element->name, "cachetune") == 0)
		return host->l3_control[FIT_CACHE_BOTH].bits;
	if (strcmp(element->name, "memorytune") == 0)
		return host->bandwidth_control.step;
	return true;
}

/* The intents below @parent, NULL: directly below <profile>. */
static void add_elements(struct fit_buffer *out, const char *parent, unsigned int percent,
	const struct fit_host *host)
{
	for (size_t i = 0; i < fit_profile_element_count; i++)
		if (fit_streq(fit_profile_elements[i].parent, parent) && fit_chance(percent) &&
			(suits(&fit_profile_elements[i], host) || fit_chance(5)))
			add_element(out, &fit_profile_elements[i]);
}

static void add_parents(struct fit_buffer *out, unsigned int percent, const struct fit_host *host)
{
	fit_autostrlist struct fit_strlist parents = {0};

	for (size_t i = 0; i < fit_profile_element_count; i++) {
		const char *parent = fit_profile_elements[i].parent;

		if (!parent || fit_strlist_contains(&parents, parent))
			continue;
		fit_strlist_add(&parents, parent);
		fit_buffer_addf(out, "<%s>", parent);
		add_elements(out, parent, percent, host);
		fit_buffer_addf(out, "</%s>", parent);
	}
}

char *fit_fuzz_profile(
	const char *name, const struct fit_strlist *shipped, const struct fit_host *host)
{
	struct fit_buffer out = {0};
	unsigned int percent = fit_chance(30) ? 20 : 70;

	fit_buffer_addf(&out,
		"<profile xmlns='urn:virt-fit:profile:1' name='%s'><summary>S</summary>", name);
	if (shipped->count && fit_chance(30))
		fit_buffer_addf(&out, "<include profile='%s'/>",
			shipped->items[fit_draw((unsigned int)shipped->count)]);
	add_elements(&out, NULL, percent, host);
	add_parents(&out, percent, host);
	fit_buffer_add(&out, "</profile>");
	return fit_buffer_steal(&out);
}
