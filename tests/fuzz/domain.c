/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Definitions from the grammar; what has to agree within one (vCPUs, pins, cells, iothread ids) is
 * built in. Nearly all are sound, as far as the rules go. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "draw.h"
#include "grammar.h"

#define IOTHREADS_MAX 4

static struct {
	const struct fit_host *host;
	unsigned int vcpus;
	unsigned int cells;
	unsigned int iothreads[IOTHREADS_MAX];
	unsigned int iothread_count;
	unsigned int letters;
	unsigned int serials;
} shape;

static void add_member(struct fit_buffer *out, const struct fit_cpuset *set)
{
	unsigned int skip = fit_draw((unsigned int)fit_cpuset_count(set));

	fit_cpuset_for_each (id, set)
		if (skip-- == 0)
			fit_buffer_addf(out, "%d", id);
}

/* One to three members. */
static void add_members(struct fit_buffer *out, const struct fit_cpuset *set)
{
	static const char *const separators[] = {",", " , "};

	add_member(out, set);
	for (unsigned int more = fit_draw(3); more > 0; more--) {
		fit_buffer_add(out, fit_draw_from(separators));
		add_member(out, set);
	}
}

static void add_cpus(struct fit_buffer *out)
{
	static const char *const lists[] = {
		"0", "1", "0-1", "2,3", "0-3,^1", "1-7", " 4 , 5 ", "0,0", "12", "0-15"};

	if (fit_chance(10))
		fit_buffer_add(out, fit_draw_from(lists));
	else
		add_members(out, &shape.host->online);
}

static void add_nodes(struct fit_buffer *out)
{
	static const char *const lists[] = {"0", "0", "1", "0-1", "0,1", "2"};

	if (fit_chance(10))
		fit_buffer_add(out, fit_draw_from(lists));
	else
		fit_buffer_addf(out, "%u",
			shape.host->nodes[fit_draw((unsigned int)shape.host->node_count)].id);
}

static void add_vcpus(struct fit_buffer *out)
{
	fit_buffer_addf(out, "%u", shape.vcpus);
}

/* Of the next disk. */
static void add_letter(struct fit_buffer *out)
{
	fit_buffer_addf(out, "%c", 'a' + (int)(shape.letters % 26));
}

static void add_target(struct fit_buffer *out)
{
	add_letter(out);
	shape.letters++;
}

static void add_serial(struct fit_buffer *out)
{
	fit_buffer_addf(out, "%02x", shape.serials++ % 256);
}

static void add_size(struct fit_buffer *out)
{
	static const char *const sizes[] = {"unit='KiB'>4194304", ">2097152", "unit='GiB'>8",
		"unit='MiB'>1000", "unit='G'>3", "unit='bytes'>1073741824", "unit='MiB'>2049"};

	fit_buffer_add(out, fit_draw_from(sizes));
}

static void add_pins(struct fit_buffer *out)
{
	bool odd_order = fit_chance(15);

	for (unsigned int i = 0; i < shape.vcpus; i++) {
		unsigned int vcpu = odd_order ? shape.vcpus - 1 - i : i;

		if (fit_chance(15))
			continue;
		fit_buffer_addf(out, "<vcpupin vcpu='%u' cpuset='", vcpu);
		add_cpus(out);
		fit_buffer_add(out, "'/>");
	}
}

static void add_iothreads(struct fit_buffer *out)
{
	bool ids = fit_chance(60);

	shape.iothread_count = fit_draw(IOTHREADS_MAX + 1);
	if (!ids || fit_chance(70))
		fit_buffer_addf(out, "<iothreads>%u</iothreads>", shape.iothread_count);
	for (unsigned int i = 0; i < shape.iothread_count; i++)
		shape.iothreads[i] =
			ids ? (i ? shape.iothreads[i - 1] : 0) + 1 + fit_draw(3) : i + 1;
	if (!ids)
		return;
	fit_buffer_add(out, "<iothreadids>");
	for (unsigned int i = 0; i < shape.iothread_count; i++)
		fit_buffer_addf(out, "<iothread id='%u'%s/>", shape.iothreads[i],
			fit_chance(20) ? " thread_pool_min='0' thread_pool_max='4'" : "");
	fit_buffer_add(out, "</iothreadids>");
}

static void add_iothreadpins(struct fit_buffer *out)
{
	for (unsigned int i = 0; i < shape.iothread_count; i++) {
		if (fit_chance(40))
			continue;
		fit_buffer_addf(out, "<iothreadpin iothread='%u' cpuset='", shape.iothreads[i]);
		add_cpus(out);
		fit_buffer_add(out, "'/>");
	}
}

static unsigned int draw_iothread(void)
{
	return shape.iothreads[fit_draw(shape.iothread_count)];
}

static void add_iothreadsched(struct fit_buffer *out)
{
	if (shape.iothread_count)
		fit_buffer_addf(out, "<iothreadsched iothreads='%u' scheduler='%s'/>",
			draw_iothread(), fit_chance(50) ? "batch" : "idle");
}

/* An attribute of <driver>. */
static void add_iothread(struct fit_buffer *out)
{
	if (shape.iothread_count)
		fit_buffer_addf(out, " iothread='%u'", draw_iothread());
}

static void add_cells(struct fit_buffer *out)
{
	unsigned int first = 0;

	if (!shape.cells)
		return;
	fit_buffer_add(out, "<numa>");
	for (unsigned int i = 0; i < shape.cells; i++) {
		unsigned int last = shape.vcpus * (i + 1) / shape.cells - 1;

		fit_buffer_add(out, "<cell");
		if (fit_chance(80))
			fit_buffer_addf(out, " id='%u'", i);
		fit_buffer_addf(out, " cpus='%u-%u' memory='%u' unit='%s'%s>", first, last,
			1 + fit_draw(4), fit_chance(80) ? "GiB" : "G",
			fit_chance(20) ? " memAccess='shared'" : "");
		if (fit_chance(30))
			fit_buffer_addf(
				out, "<distances><sibling id='%u' value='10'/></distances>", i);
		fit_buffer_add(out, "</cell>");
		first = last + 1;
	}
	fit_buffer_add(out, "</numa>");
}

/* Cells are agreed on before: <numatune> counts on them. */
static void add_cpu(struct fit_buffer *out)
{
	fit_fuzz_expand(out, shape.cells ? "cpuwithcells" : "cpuwithout");
}

static void add_memnodes(struct fit_buffer *out)
{
	unsigned int count = fit_draw(shape.cells + 1);

	if (fit_chance(5))
		count++;
	for (unsigned int i = 0; i < count; i++) {
		fit_buffer_addf(out, "<memnode cellid='%u' mode='strict' nodeset='", i);
		add_nodes(out);
		fit_buffer_add(out, "'/>");
	}
}

/* Addresses that hosts of the fuzzer have, or not. */
static const char *const addresses[] = {"0000:41:00.0", "0000:41:10.0", "0000:41:10.1",
	"0000:51:00.0", "0000:01:00.0", "0000:01:00.1", "0000:02:00.0", "0000:06:00.0"};

static void add_pciname(struct fit_buffer *out)
{
	fit_buffer_add(out, fit_draw_from(addresses));
}

static void add_pci(struct fit_buffer *out)
{
	const char *text = fit_draw_from(addresses);
	bool plain = fit_chance(20);

	fit_buffer_addf(out,
		plain ? "bus='%d' slot='%d' function='%d'"
		      : "domain='0x0000' bus='0x%02x' slot='0x%02x' function='0x%x'",
		(int)strtol(text + 5, NULL, 16), (int)strtol(text + 8, NULL, 16),
		(int)strtol(text + 11, NULL, 16));
}

static const struct {
	const char *name;
	void (*add)(struct fit_buffer *out);
} builtins[] = {
	{"cpus", add_cpus},
	{"nodes", add_nodes},
	{"vcpus", add_vcpus},
	{"letter", add_letter},
	{"target", add_target},
	{"serial", add_serial},
	{"size", add_size},
	{"pins", add_pins},
	{"iothreads", add_iothreads},
	{"iothreadpins", add_iothreadpins},
	{"iothreadsched", add_iothreadsched},
	{"iothread", add_iothread},
	{"cells", add_cells},
	{"cpu", add_cpu},
	{"memnodes", add_memnodes},
	{"pci", add_pci},
	{"pciname", add_pciname},
};

static void expand(struct fit_buffer *out, const char *text, const char *end);

static void expand_rule(struct fit_buffer *out, const char *name)
{
	unsigned int count = 0;
	unsigned int chosen;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(builtins); i++)
		if (strcmp(builtins[i].name, name) == 0) {
			builtins[i].add(out);
			return;
		}
	for (size_t i = 0; i < fit_fuzz_rule_count; i++)
		count += strcmp(fit_fuzz_rules[i].name, name) == 0;
	if (count == 0) {
		fprintf(stderr, "fuzz: the grammar has no rule '%s'\n", name);
		abort();
	}
	chosen = fit_draw(count);
	for (size_t i = 0; i < fit_fuzz_rule_count; i++) {
		const char *text = fit_fuzz_rules[i].text;

		if (strcmp(fit_fuzz_rules[i].name, name) == 0 && chosen-- == 0)
			expand(out, text, text + strlen(text));
	}
}

/* The closing brace of the one at @text - 1. */
static const char *closing(const char *text)
{
	int depth = 1;

	for (; *text; text++) {
		depth += (*text == '{') - (*text == '}');
		if (depth == 0)
			return text;
	}
	fprintf(stderr, "fuzz: a brace of the grammar is not closed\n");
	abort();
}

/* The alternative's end: a '|' outside of braces, or @end. */
static const char *alternative_end(const char *text, const char *end)
{
	int depth = 0;

	for (; text < end; text++) {
		depth += (*text == '{') - (*text == '}');
		if (depth == 0 && *text == '|')
			break;
	}
	return text;
}

static void expand_alternatives(struct fit_buffer *out, const char *text, const char *end)
{
	unsigned int count = 1;
	unsigned int chosen;
	const char *p = text;

	while ((p = alternative_end(p, end)) < end) {
		p++;
		count++;
	}
	for (chosen = fit_draw(count); chosen > 0; chosen--)
		text = alternative_end(text, end) + 1;
	expand(out, text, alternative_end(text, end));
}

static void expand_number(struct fit_buffer *out, const char *text)
{
	char *rest;
	unsigned int low = (unsigned int)strtoul(text, &rest, 10);
	unsigned int high = (unsigned int)strtoul(rest + 1, NULL, 10);

	fit_buffer_addf(out, "%u", low + fit_draw(high - low + 1));
}

static const char *expand_braces(struct fit_buffer *out, char mark, const char *text)
{
	const char *end = closing(text);
	unsigned int times = 1;

	if (mark == '#') {
		expand_number(out, text);
		return end + 1;
	}
	if (mark == '?')
		times = fit_chance(35);
	else if (mark == '*')
		times = fit_chance(40) ? 0 : fit_draw(4) + 1;
	for (; times > 0; times--)
		expand_alternatives(out, text, end);
	return end + 1;
}

static const char *expand_name(struct fit_buffer *out, const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	fit_autofree char *name = fit_xstrndup(text, length);

	expand_rule(out, name);
	return text + length;
}

static void expand(struct fit_buffer *out, const char *text, const char *end)
{
	while (text < end) {
		if (*text == '$')
			text = expand_name(out, text + 1);
		else if (*text == '{')
			text = expand_braces(out, '\0', text + 1);
		else if (strchr("?*#", *text) && text[1] == '{')
			text = expand_braces(out, *text, text + 2);
		else
			fit_buffer_add_bytes(out, text++, 1);
	}
}

void fit_fuzz_expand(struct fit_buffer *out, const char *name)
{
	expand_rule(out, name);
}

char *fit_fuzz_domain(const struct fit_host *host)
{
	struct fit_buffer out = {0};

	memset(&shape, 0, sizeof(shape));
	shape.host = host;
	shape.vcpus = 1 + fit_draw(fit_chance(80) ? 6 : 16);
	if (fit_chance(40))
		shape.cells = 1 + fit_draw(shape.vcpus < 3 ? shape.vcpus : 3);
	expand_rule(&out, "domain");
	return fit_buffer_steal(&out);
}
