/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resource control: which parts of the L3 caches and of the memory bandwidth the kernel can give to
 * groups of threads, and what its default group, all other threads, leaves of the caches. There is
 * nothing to see where the file system is not mounted. With code and data apart (mounted with cdp)
 * L3CODE and L3DATA take the place of L3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

#define INFO	       FIT_PATH_RESCTRL "/info/"
#define WHITE_SPACE    " \t"
#define MASK_BITS_MAX  64
#define PERCENT_MAX    100
#define BANDWIDTH_NAME "MB"

static const char *const cache_names[] = {
	[FIT_CACHE_BOTH] = "L3",
	[FIT_CACHE_CODE] = "L3CODE",
	[FIT_CACHE_DATA] = "L3DATA",
};

static unsigned int read_count(
	const struct fit_probe_run *run, const char *directory, const char *name)
{
	int value = fit_probe_int(run, directory, name, 0);

	return value < 0 ? 0 : (unsigned int)value;
}

static bool read_mask(const struct fit_probe_run *run, const char *directory, uint64_t *ret_mask)
{
	fit_autofree char *text = fit_probe_text(run, directory, "cbm_mask");

	return text && fit_parse_hex(text, UINT64_MAX, ret_mask);
}

/* The mask of @type with all that can be given; 0: nothing can. */
static uint64_t read_cache(const struct fit_probe_run *run, enum fit_cache_type type)
{
	struct fit_cache_control *control = &run->host->l3_control[type];
	char directory[64];
	uint64_t mask = 0;

	snprintf(directory, sizeof(directory), INFO "%s", cache_names[type]);
	if (!read_mask(run, directory, &mask))
		return 0;
	control->bits = (unsigned int)__builtin_popcountll(mask);
	control->min_bits = read_count(run, directory, "min_cbm_bits");
	control->groups = read_count(run, directory, "num_closids");
	return mask;
}

static void read_bandwidth(const struct fit_probe_run *run)
{
	struct fit_bandwidth_control *control = &run->host->bandwidth_control;

	control->step = read_count(run, INFO BANDWIDTH_NAME, "bandwidth_gran");
	control->min = read_count(run, INFO BANDWIDTH_NAME, "min_bandwidth");
	control->groups = read_count(run, INFO BANDWIDTH_NAME, "num_closids");
	control->absolute = fit_streq(run->host->cpu_vendor, "AuthenticAMD") ||
			    fit_streq(run->host->cpu_vendor, "HygonGenuine");
}

static unsigned int longest_run(uint64_t mask)
{
	unsigned int longest = 0;
	unsigned int length = 0;

	for (unsigned int bit = 0; bit < MASK_BITS_MAX; bit++) {
		length = mask >> bit & 1 ? length + 1 : 0;
		longest = length > longest ? length : longest;
	}
	return longest;
}

static void set_room(
	struct fit_host *host, enum fit_cache_type type, uint64_t id, unsigned int room)
{
	for (size_t i = 0; i < host->l3_count; i++)
		if (host->l3_caches[i].id >= 0 && (uint64_t)host->l3_caches[i].id == id)
			host->l3_caches[i].room[type] = room;
}

/* "0=fffff;1=000ff": what the default group has of each cache. */
static void read_held(
	struct fit_host *host, enum fit_cache_type type, const char *text, uint64_t all)
{
	fit_autostrlist struct fit_strlist entries = {0};

	fit_strlist_split(&entries, text, ";" WHITE_SPACE);
	for (size_t i = 0; i < entries.count; i++) {
		const char *mask = entries.items[i];
		uint64_t held;
		uint64_t id;

		if (fit_scan_uint(&mask, INT32_MAX, &id) && *mask == '=' &&
			fit_parse_hex(mask + 1, UINT64_MAX, &held))
			set_room(host, type, id, longest_run(all & ~held));
	}
}

/* "0= 100;1= 100"; more than 100 is a rate. */
static bool has_rate(const char *text)
{
	fit_autostrlist struct fit_strlist words = {0};
	uint64_t value;

	fit_strlist_split(&words, text, ";=" WHITE_SPACE);
	for (size_t i = 1; i < words.count; i += 2)
		if (!fit_parse_uint(words.items[i], PERCENT_MAX, &value))
			return true;
	return false;
}

static void read_schemata(const struct fit_probe_run *run, const uint64_t masks[FIT_CACHE_TYPES])
{
	fit_autofree char *text = fit_probe_text(run, FIT_PATH_RESCTRL, "schemata");
	fit_autostrlist struct fit_strlist lines = {0};

	fit_strlist_split(&lines, text ? text : "", "\n");
	for (size_t i = 0; i < lines.count; i++) {
		char *name = fit_trim(lines.items[i]);
		char *values = strchr(name, ':');

		if (!values)
			continue;
		*values++ = '\0';
		for (size_t type = 0; type < FIT_CACHE_TYPES; type++)
			if (fit_streq(name, cache_names[type]))
				read_held(
					run->host, (enum fit_cache_type)type, values, masks[type]);
		if (fit_streq(name, BANDWIDTH_NAME) && has_rate(values))
			run->host->bandwidth_control.absolute = true;
	}
}

void fit_probe_resctrl(const struct fit_probe_run *run)
{
	struct fit_host *host = run->host;
	uint64_t masks[FIT_CACHE_TYPES] = {0};

	for (size_t type = 0; type < FIT_CACHE_TYPES; type++) {
		masks[type] = read_cache(run, (enum fit_cache_type)type);
		/* What the default group has is not known before the schemata are read. */
		for (size_t i = 0; i < host->l3_count; i++)
			host->l3_caches[i].room[type] = host->l3_control[type].bits;
	}
	read_bandwidth(run);
	read_schemata(run, masks);
}
