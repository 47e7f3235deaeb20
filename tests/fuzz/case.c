/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A case in a file:
 *
 *     host 17
 *     edits 4
 *     --- first
 *     <profile …>
 *     --- second
 *     <profile …>
 *     --- domain
 *     <domain …>
 *
 * A part ends before the line break in front of the next one; the last one goes to the end.
 */
#include "fuzz.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "draw.h"

static const char *const profile_names[FIT_FUZZ_PROFILES] = {"first", "second"};

void fit_fuzz_case_clear(struct fit_fuzz_case *c)
{
	free(c->domain);
	for (size_t i = 0; i < FIT_FUZZ_PROFILES; i++)
		free(c->profiles[i]);
	*c = (struct fit_fuzz_case){0};
}

struct fit_fuzz_case fit_fuzz_case_copy(const struct fit_fuzz_case *c)
{
	struct fit_fuzz_case copy = *c;

	copy.domain = fit_xstrdup(c->domain);
	for (size_t i = 0; i < FIT_FUZZ_PROFILES; i++)
		copy.profiles[i] = fit_xstrdup(c->profiles[i]);
	return copy;
}

char *fit_fuzz_case_print(const struct fit_fuzz_case *c)
{
	struct fit_buffer out = {0};

	fit_buffer_addf(&out, "host %ju\nedits %ju\n", (uintmax_t)c->host, (uintmax_t)c->edits);
	for (size_t i = 0; i < FIT_FUZZ_PROFILES; i++)
		fit_buffer_addf(&out, "--- %s\n%s\n", profile_names[i], c->profiles[i]);
	fit_buffer_addf(&out, "--- domain\n%s", c->domain);
	return fit_buffer_steal(&out);
}

char *fit_fuzz_read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct fit_buffer out = {0};
	char block[4096];
	size_t got;

	if (!file) {
		fprintf(stderr, "fuzz: cannot read %s\n", path);
		exit(2);
	}
	while ((got = fread(block, 1, sizeof(block), file)) > 0)
		fit_buffer_add_bytes(&out, block, got);
	fclose(file);
	return fit_buffer_steal(&out);
}

/* Between "--- NAME\n" and the next such line. */
static char *part(const char *text, const char *name, const char *path)
{
	fit_autofree char *head = fit_xasprintf("\n--- %s\n", name);
	const char *start = strstr(text, head);
	const char *end;

	if (!start) {
		fprintf(stderr, "fuzz: %s has no part %s\n", path, name);
		exit(2);
	}
	start += strlen(head);
	end = strstr(start, "\n--- ");
	return end ? fit_xstrndup(start, (size_t)(end - start)) : fit_xstrdup(start);
}

struct fit_fuzz_case fit_fuzz_case_read(const char *path)
{
	fit_autofree char *text = fit_fuzz_read_file(path);
	struct fit_fuzz_case c = {0};
	uintmax_t host, edits;

	if (sscanf(text, "host %ju\nedits %ju", &host, &edits) != 2) {
		fprintf(stderr, "fuzz: %s does not begin with 'host' and 'edits'\n", path);
		exit(2);
	}
	c.host = host;
	c.edits = edits;
	for (size_t i = 0; i < FIT_FUZZ_PROFILES; i++)
		c.profiles[i] = part(text, profile_names[i], path);
	c.domain = part(text, "domain", path);
	return c;
}

struct fit_fuzz_case fit_fuzz_make(
	uint64_t seed, uint64_t number, const struct fit_fuzz_material *material)
{
	struct fit_fuzz_case c = {0};
	const struct fit_strlist *corpus = &material->definitions;
	fit_autofree char *domain = NULL;
	struct fit_claims claims = {0};
	const struct fit_host *host;

	fit_draw_seed(seed, number);
	c.host = fit_draw_number() % 100000;
	c.edits = fit_draw_number() % 100000;
	host = fit_fuzz_host(c.host, &claims);
	fit_claims_clear(&claims);
	/* The host was drawn, too. */
	fit_draw_seed(seed + c.edits, number);
	for (size_t i = 0; i < FIT_FUZZ_PROFILES; i++)
		c.profiles[i] = fit_fuzz_profile(profile_names[i], &material->profiles, host);
	if (corpus->count && fit_chance(30))
		domain = fit_xstrdup(corpus->items[fit_draw((unsigned int)corpus->count)]);
	else
		domain = fit_fuzz_domain(host);
	c.domain = fit_chance(80) ? fit_fuzz_vary(domain) : FIT_STEAL(domain);
	return c;
}

static void read_all(struct fit_strlist *list, const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		*FIT_APPEND(list->items, list->count) = fit_fuzz_read_file(found.gl_pathv[i]);
	globfree(&found);
}

struct fit_fuzz_material fit_fuzz_material_read(void)
{
	static const char *const directories[] = {"domains", "libvirt", "cases"};
	const char *top = getenv("TOP") ? getenv("TOP") : ".";
	fit_autofree char *beside = fit_xasprintf("%s/../shared/corpus", top);
	const char *corpus = getenv("CORPUS") ? getenv("CORPUS") : beside;
	fit_autofree char *profiles = fit_xasprintf("%s/profiles/*.xml", top);
	struct fit_fuzz_material material = {0};
	glob_t found;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(directories); i++) {
		fit_autofree char *pattern = fit_xasprintf("%s/%s/*.xml", corpus, directories[i]);

		read_all(&material.definitions, pattern);
	}
	if (glob(profiles, 0, NULL, &found) != 0)
		return material;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = strrchr(found.gl_pathv[i], '/') + 1;

		fit_strlist_addf(&material.profiles, "%.*s", (int)strlen(name) - 4, name);
	}
	globfree(&found);
	return material;
}
