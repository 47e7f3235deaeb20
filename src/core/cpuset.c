/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cpuset.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

#define WORDS FIT_ARRAY_SIZE(((struct fit_cpuset *)0)->words)

void fit_cpuset_add(struct fit_cpuset *set, unsigned int cpu)
{
	set->words[cpu / 64] |= 1ULL << (cpu % 64);
}

void fit_cpuset_remove(struct fit_cpuset *set, unsigned int cpu)
{
	set->words[cpu / 64] &= ~(1ULL << (cpu % 64));
}

bool fit_cpuset_contains(const struct fit_cpuset *set, unsigned int cpu)
{
	return cpu < FIT_CPUSET_MAX && (set->words[cpu / 64] >> (cpu % 64) & 1);
}

bool fit_cpuset_is_empty(const struct fit_cpuset *set)
{
	return fit_cpuset_next(set, 0) < 0;
}

bool fit_cpuset_equal(const struct fit_cpuset *a, const struct fit_cpuset *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool fit_cpuset_intersects(const struct fit_cpuset *a, const struct fit_cpuset *b)
{
	for (size_t i = 0; i < WORDS; i++)
		if (a->words[i] & b->words[i])
			return true;
	return false;
}

bool fit_cpuset_is_subset(const struct fit_cpuset *inner, const struct fit_cpuset *outer)
{
	for (size_t i = 0; i < WORDS; i++)
		if (inner->words[i] & ~outer->words[i])
			return false;
	return true;
}

size_t fit_cpuset_count(const struct fit_cpuset *set)
{
	size_t count = 0;

	/* Nearly all words of nearly all sets are empty, and without an instruction for it
	 * (baseline x86-64) the builtin is a call. */
	for (size_t i = 0; i < WORDS; i++)
		if (set->words[i])
			count += (size_t)__builtin_popcountll(set->words[i]);
	return count;
}

void fit_cpuset_unite(struct fit_cpuset *set, const struct fit_cpuset *other)
{
	for (size_t i = 0; i < WORDS; i++)
		set->words[i] |= other->words[i];
}

void fit_cpuset_intersect(struct fit_cpuset *set, const struct fit_cpuset *other)
{
	for (size_t i = 0; i < WORDS; i++)
		set->words[i] &= other->words[i];
}

void fit_cpuset_subtract(struct fit_cpuset *set, const struct fit_cpuset *other)
{
	for (size_t i = 0; i < WORDS; i++)
		set->words[i] &= ~other->words[i];
}

int fit_cpuset_next(const struct fit_cpuset *set, unsigned int from)
{
	if (from >= FIT_CPUSET_MAX)
		return -1;
	for (size_t i = from / 64; i < WORDS; i++) {
		uint64_t word = set->words[i];

		if (i == from / 64)
			word &= ~0ULL << (from % 64);
		if (word)
			return (int)(i * 64) + __builtin_ctzll(word);
	}
	return -1;
}

static const char *skip_space(const char *p)
{
	return p + strspn(p, " \t\n");
}

/* A list as it is read: each set has FIT_CPUSET_MAX of the numbers, in their order. */
struct parsed {
	struct fit_cpuset add[2], exclude[2];
	unsigned int limit;
};

/* One item: "N", "A-B", "A-B:used/group", each with an optional leading "^". */
static bool parse_item(const char **text, struct parsed *list)
{
	const char *p = skip_space(*text);
	struct fit_cpuset *target = list->add;
	uint64_t first, last, used = 1, group = 1;

	if (*p == '^') {
		target = list->exclude;
		p++;
	}
	if (!fit_scan_uint(&p, list->limit - 1, &first))
		return false;
	last = first;
	if (*p == '-') {
		p++;
		if (!fit_scan_uint(&p, list->limit - 1, &last) || last < first)
			return false;
		if (*p == ':') {
			p++;
			if (!fit_scan_uint(&p, list->limit, &used) || *p != '/')
				return false;
			p++;
			if (!fit_scan_uint(&p, list->limit, &group) || !used || used > group)
				return false;
		}
	}
	for (uint64_t number = first; number <= last; number++)
		if ((number - first) % group < used)
			fit_cpuset_add(&target[number / FIT_CPUSET_MAX],
				(unsigned int)(number % FIT_CPUSET_MAX));
	*text = skip_space(p);
	return true;
}

static int parse_list(
	const char *text, unsigned int limit, struct fit_cpuset *ret_sets, struct fit_err *err)
{
	struct parsed list = {.limit = limit};
	const char *p = skip_space(text);

	while (*p) {
		if (!parse_item(&p, &list) || (*p && *p != ','))
			return fit_err_set(err, FIT_ERR_INVALID,
				"'%.80s' is not a CPU list such as 0-3,8 (numbers below %u)", text,
				limit);
		if (*p == ',') {
			p = skip_space(p + 1);
			if (!*p)
				return fit_err_set(err, FIT_ERR_INVALID,
					"CPU list '%.80s' ends with a comma", text);
		}
	}
	for (unsigned int i = 0; i < limit / FIT_CPUSET_MAX; i++) {
		fit_cpuset_subtract(&list.add[i], &list.exclude[i]);
		ret_sets[i] = list.add[i];
	}
	return 0;
}

int fit_cpuset_parse_list(const char *text, struct fit_cpuset *ret_set, struct fit_err *err)
{
	return parse_list(text, FIT_CPUSET_MAX, ret_set, err);
}

int fit_iothread_ids_parse(const char *text, struct fit_iothread_ids *ret_set, struct fit_err *err)
{
	return parse_list(text, FIT_IOTHREAD_IDS_MAX, ret_set->parts, err);
}

static int hex_digit(char c)
{
	uint64_t value;

	return fit_parse_hex((char[]){c, '\0'}, 15, &value) ? (int)value : -1;
}

int fit_cpuset_parse_mask(const char *text, struct fit_cpuset *ret_set, struct fit_err *err)
{
	struct fit_cpuset set = {0};
	const char *start = skip_space(text);
	const char *end = start + strlen(start);
	unsigned int group = 0;

	while (end > start && strchr(" \t\n", end[-1]))
		end--;
	if (start == end)
		return fit_err_set(err, FIT_ERR_INVALID, "an empty text is not a CPU mask");
	/* From the right: every comma starts the next 32 bits, however many digits came before. */
	for (unsigned int digits = 0; end > start; end--) {
		int value;

		if (end[-1] == ',' && digits > 0) {
			group++;
			digits = 0;
			continue;
		}
		value = hex_digit(end[-1]);
		if (value < 0 || digits >= 8)
			return fit_err_set(err, FIT_ERR_INVALID,
				"'%.80s' is not a CPU mask in hex groups of 32 bits", text);
		for (unsigned int bit = 0; bit < 4; bit++) {
			unsigned int cpu = group * 32 + digits * 4 + bit;

			if (!(value >> bit & 1))
				continue;
			if (cpu >= FIT_CPUSET_MAX)
				return fit_err_set(err, FIT_ERR_INVALID,
					"a CPU mask names CPU %u, the limit is %d", cpu,
					FIT_CPUSET_MAX - 1);
			fit_cpuset_add(&set, cpu);
		}
		digits++;
	}
	*ret_set = set;
	return 0;
}

static void add_range(struct fit_buffer *buffer, int first, int last)
{
	fit_buffer_addf(buffer, "%s%d", buffer->length ? "," : "", first);
	if (last > first)
		fit_buffer_addf(buffer, "-%d", last);
}

char *fit_cpuset_format_list(const struct fit_cpuset *set)
{
	struct fit_buffer buffer = {0};
	int first = fit_cpuset_next(set, 0);

	while (first >= 0) {
		int last = first;

		while (fit_cpuset_contains(set, (unsigned int)last + 1))
			last++;
		add_range(&buffer, first, last);
		first = fit_cpuset_next(set, (unsigned int)last + 1);
	}
	return fit_buffer_steal(&buffer);
}

char *fit_cpuset_describe(const struct fit_cpuset *set, const char *noun)
{
	fit_autofree char *list = fit_cpuset_format_list(set);

	return fit_xasprintf("%s%s %s", noun, fit_plural(fit_cpuset_count(set)), list);
}

int fit_iothread_ids_next(const struct fit_iothread_ids *set, unsigned int from)
{
	int number = fit_cpuset_next(&set->parts[0], from);

	if (number >= 0)
		return number;
	from = from > FIT_CPUSET_MAX ? from - FIT_CPUSET_MAX : 0;
	number = fit_cpuset_next(&set->parts[1], from);
	return number < 0 ? number : number + FIT_CPUSET_MAX;
}

void fit_iothread_ids_remove(struct fit_iothread_ids *set, unsigned int number)
{
	fit_cpuset_remove(&set->parts[number / FIT_CPUSET_MAX], number % FIT_CPUSET_MAX);
}

char *fit_iothread_ids_format(const struct fit_iothread_ids *set)
{
	struct fit_buffer buffer = {0};
	int first = fit_iothread_ids_next(set, 0);

	while (first >= 0) {
		int last = first;
		int next = fit_iothread_ids_next(set, (unsigned int)first + 1);

		for (; next == last + 1; next = fit_iothread_ids_next(set, (unsigned int)next + 1))
			last = next;
		add_range(&buffer, first, last);
		first = next;
	}
	return fit_buffer_steal(&buffer);
}
