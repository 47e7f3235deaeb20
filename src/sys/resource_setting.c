/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of settings: what the rows of core/host_settings.def say, done. A value is what one
 * asks for: the bracketed word of a choice, not the whole line that the file shows.
 */
#include "sys/wanted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/ledger.h"
#include "sys/resource_kinds.h"

#define WHITE_SPACE " \t\n"

/* Its place among values of the kind, UINT64_MAX: no limit. False when it is none. */
static bool rank(const struct fit_host_setting *setting, const char *text, uint64_t *ret_rank)
{
	bool latency = setting->format == FIT_FORMAT_LATENCY;
	uint64_t number = 0;

	if (fit_streq(text, latency ? "n/a" : "-1"))
		number = latency ? 0 : UINT64_MAX;
	else if (!fit_parse_uint(text, UINT64_MAX - 1, &number))
		return false;
	else if (latency && number == 0)
		number = UINT64_MAX;
	*ret_rank = number;
	return true;
}

static bool parse_cpus(
	const struct fit_host_setting *setting, const char *text, struct fit_cpuset *ret_cpus)
{
	if (setting->format == FIT_FORMAT_MASK)
		return fit_cpuset_parse_mask(text, ret_cpus, NULL) == 0;
	return setting->format == FIT_FORMAT_LIST &&
	       fit_cpuset_parse_list(text, ret_cpus, NULL) == 0;
}

/* Parameters of modules that are true or false take 1 and 0, and show Y and N (param_get_bool()).
 */
static const char *plain(const char *text)
{
	if (fit_streq(text, "Y"))
		return "1";
	return fit_streq(text, "N") ? "0" : text;
}

/* sysctls of several numbers are printed with tabs between. */
static bool equal_words(const char *a, const char *b)
{
	fit_autostrlist struct fit_strlist words_a = {0};
	fit_autostrlist struct fit_strlist words_b = {0};
	fit_autofree char *text_a = NULL;
	fit_autofree char *text_b = NULL;

	fit_strlist_split(&words_a, a, WHITE_SPACE);
	fit_strlist_split(&words_b, b, WHITE_SPACE);
	text_a = fit_strlist_join(&words_a, " ");
	text_b = fit_strlist_join(&words_b, " ");
	return fit_streq(plain(text_a), plain(text_b));
}

static bool equal(enum fit_resource_kind kind, const char *a, const char *b)
{
	const struct fit_host_setting *setting = fit_resource_setting(kind);
	struct fit_cpuset cpus_a, cpus_b;
	uint64_t rank_a, rank_b;

	switch (setting->format) {
	case FIT_FORMAT_NUMBER:
	case FIT_FORMAT_LATENCY:
		if (rank(setting, a, &rank_a) && rank(setting, b, &rank_b))
			return rank_a == rank_b;
		break;
	case FIT_FORMAT_MASK:
	case FIT_FORMAT_LIST:
		if (parse_cpus(setting, a, &cpus_a) && parse_cpus(setting, b, &cpus_b))
			return fit_cpuset_equal(&cpus_a, &cpus_b);
		break;
	case FIT_FORMAT_TEXT:
	case FIT_FORMAT_CHOICE:
		return equal_words(a, b);
	}
	return fit_streq(a, b);
}

/* The lowest or highest contribution; the baseline counts where it is a bound. */
static const char *extreme(const struct fit_host_setting *setting, const char *baseline,
	const struct fit_strlist *contributions)
{
	const char *best = setting->bound ? baseline : contributions->items[0];
	uint64_t best_rank, found;

	for (size_t i = 0; i < contributions->count; i++) {
		const char *text = contributions->items[i];

		if (!rank(setting, text, &found))
			continue;
		if (!rank(setting, best, &best_rank) ||
			(setting->combine == FIT_COMBINE_LOWEST ? found < best_rank
								: found > best_rank))
			best = text;
	}
	return best;
}

/* Without leading groups of zeros, which the kernel refuses where they are too many. */
static char *format_mask(const struct fit_cpuset *cpus)
{
	struct fit_buffer text = {0};

	for (unsigned int group = FIT_CPUSET_MAX / 32; group-- > 0;) {
		uint32_t bits = (uint32_t)(cpus->words[group / 2] >> (group % 2 * 32));

		if (text.length)
			fit_buffer_addf(&text, ",%08x", bits);
		else if (bits)
			fit_buffer_addf(&text, "%x", bits);
	}
	return fit_buffer_steal(&text);
}

static char *without(const struct fit_host_setting *setting, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online)
{
	struct fit_cpuset cpus;
	struct fit_cpuset avoided = {0};

	for (size_t i = 0; i < contributions->count; i++)
		if (fit_cpuset_parse_list(contributions->items[i], &cpus, NULL) == 0)
			fit_cpuset_unite(&avoided, &cpus);
	if (!parse_cpus(setting, baseline, &cpus) || !fit_resource_avoid(&cpus, &avoided, online))
		return fit_xstrdup(baseline);
	return setting->format == FIT_FORMAT_MASK ? format_mask(&cpus)
						  : fit_cpuset_format_list(&cpus);
}

static char *target(enum fit_resource_kind kind, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online)
{
	const struct fit_host_setting *setting = fit_resource_setting(kind);

	switch (setting->combine) {
	case FIT_COMBINE_LATEST:
		break;
	case FIT_COMBINE_LOWEST:
	case FIT_COMBINE_HIGHEST:
		return fit_xstrdup(extreme(setting, baseline, contributions));
	case FIT_COMBINE_WITHOUT:
		return without(setting, baseline, contributions, online);
	}
	return fit_xstrdup(contributions->items[contributions->count - 1]);
}

static char *describe(enum fit_resource_kind kind, const char *contribution)
{
	const struct fit_host_setting *setting = fit_resource_setting(kind);
	fit_autofree char *described = NULL;
	struct fit_cpuset cpus;

	if (setting->combine != FIT_COMBINE_WITHOUT ||
		fit_cpuset_parse_list(contribution, &cpus, NULL) < 0)
		return fit_host_setting_value(setting, contribution);
	described = fit_cpuset_describe(&cpus, "CPU");
	return fit_xasprintf("off %s", described);
}

/* Of "always [madvise] never" the word in brackets; of another text all. */
static char *chosen(char *text)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, text, WHITE_SPACE);
	for (size_t i = 0; i < words.count; i++) {
		const char *word = words.items[i];
		size_t length = strlen(word);

		if (length > 2 && word[0] == '[' && word[length - 1] == ']') {
			free(text);
			return fit_xstrndup(word + 1, length - 2);
		}
	}
	return text;
}

static char *read_value(
	const struct fit_fsroot *root, enum fit_resource_kind kind, const char *path)
{
	const struct fit_host_setting *setting = fit_resource_setting(kind);
	fit_autofree char *beside = setting->read ? fit_sibling_path(path, setting->read) : NULL;
	char *text = beside ? fit_fsroot_try_read(root, beside) : NULL;

	if (!text)
		text = fit_fsroot_try_read(root, path);
	return text && setting->format == FIT_FORMAT_CHOICE ? chosen(text) : text;
}

/* @text with its numbers as one reads them who takes them for numbers of @base. To be freed. */
static char *spell_numbers(const char *text, int base)
{
	fit_autostrlist struct fit_strlist words = {0};
	fit_autostrlist struct fit_strlist spelled = {0};

	fit_strlist_split(&words, text, WHITE_SPACE);
	for (size_t i = 0; i < words.count; i++) {
		char *end = NULL;
		long long number;

		errno = 0;
		number = strtoll(words.items[i], &end, base);
		if (errno || *end)
			fit_strlist_add(&spelled, words.items[i]);
		else
			fit_strlist_addf(&spelled, "%lld", number);
	}
	return fit_strlist_join(&spelled, " ");
}

/* What a profile writes literally the kernel spells its own way: "0100" is 64 to a sysctl, and 100
 * to others. Who is killed between the write and a look at what is there leaves that, so both are
 * known before. A value that a driver brings within its limits is not: when we are killed in these
 * microseconds it is taken for somebody else's, left, and said. */
static void announce(const struct fit_fsroot *root FIT_UNUSED, struct fit_ledger_entry *entry,
	const char *target)
{
	static const int bases[] = {0, 10};

	if (fit_resource_setting(entry->kind)->format != FIT_FORMAT_TEXT)
		return;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bases); i++) {
		fit_autofree char *spelled = spell_numbers(target, bases[i]);

		if (!equal_words(spelled, target))
			fit_ledger_entry_will_write(entry, spelled);
	}
}

const struct fit_resource_ops fit_resource_settings = {
	.equal = equal,
	.target = target,
	.describe = describe,
	.read = read_value,
	.announce = announce,
};
