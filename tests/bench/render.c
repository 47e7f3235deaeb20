/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * render ROOT PROFILES NAMES FILE...
 *
 * What a rendering of each FILE with the profiles NAMES costs on the host below ROOT, against
 * libxml2 parsing and printing the same document, both within this process and in turn. A line a
 * file:
 *
 *     BYTES PARSE-AND-PRINT RENDER RENDER-AGAIN FILE
 *
 * medians in microseconds; the last one is of the fitted document, which is undone first. A file
 * that is refused has no line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libxml/parser.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/render.h"
#include "median.h"
#include "sys/probe.h"
#include "sys/profile_store.h"

#define RUNS_MAX 51
#define RUNS_MIN 7
#define ENOUGH	 200000 /* microseconds for a document */

struct bench {
	struct fit_fsroot root;
	struct fit_host host;
	struct fit_profile_store store;
	const char *names;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static char *read_file(const char *path)
{
	struct fit_buffer out = {0};
	FILE *file = fopen(path, "re");
	char block[65536];
	size_t got;

	if (!file) {
		fprintf(stderr, "render: cannot read %s\n", path);
		exit(2);
	}
	while ((got = fread(block, 1, sizeof(block), file)) > 0)
		fit_buffer_add_bytes(&out, block, got);
	fclose(file);
	return fit_buffer_steal(&out);
}

static double time_parse(const char *text)
{
	double start = now();
	xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), NULL, NULL, XML_PARSE_NONET);
	xmlChar *printed = NULL;
	int length;

	xmlDocDumpMemory(doc, &printed, &length);
	xmlFreeDoc(doc);
	xmlFree(printed);
	return now() - start;
}

/* Negative: refused. *@ret_fitted may be NULL. */
static double time_render(struct bench *bench, const char *text, char **ret_fitted)
{
	struct fit_request asked = {0};
	const struct fit_render_input input = {
		.xml = text,
		.length = strlen(text),
		.name = "bench",
		.asked = &asked,
		.host = &bench->host,
		.load = fit_profile_store_load,
		.load_context = &bench->store,
	};
	struct fit_render_result result = {0};
	struct fit_err err = FIT_ERR_INIT;
	double start, took;
	int status;

	fit_strlist_split(&asked.profiles, bench->names, " ");
	start = now();
	status = fit_render(&input, &result, &err);
	took = now() - start;
	if (status == 0 && ret_fitted)
		*ret_fitted = FIT_STEAL(result.xml);
	fit_render_result_clear(&result);
	fit_request_clear(&asked);
	return status == 0 ? took : -1;
}

static void measure(struct bench *bench, const char *path)
{
	fit_autofree char *text = read_file(path);
	fit_autofree char *fitted = NULL;
	double parse[RUNS_MAX], first[RUNS_MAX], again[RUNS_MAX];
	double spent = 0;
	size_t runs = 0;

	if (time_render(bench, text, &fitted) < 0)
		return;
	for (; runs < RUNS_MAX && (runs < RUNS_MIN || spent < ENOUGH); runs++) {
		parse[runs] = time_parse(text);
		first[runs] = time_render(bench, text, NULL);
		again[runs] = time_render(bench, fitted, NULL);
		spent += parse[runs] + first[runs] + again[runs];
	}
	printf("%zu %.1f %.1f %.1f %s\n", strlen(text), median(parse, runs), median(first, runs),
		median(again, runs), path);
}

int main(int argc, char **argv)
{
	struct bench bench = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (argc < 5 || fit_fsroot_open(argv[1], &bench.root, &err) < 0 ||
		fit_probe(&bench.root, FIT_PROBE_ALL, &bench.host, NULL, &err) < 0) {
		fprintf(stderr, "render: %s\n", argc < 5 ? "too few arguments" : err.message);
		return 2;
	}
	bench.store.root = &bench.root;
	bench.store.shipped = argv[2];
	bench.names = argv[3];
	for (int i = 4; i < argc; i++)
		measure(&bench, argv[i]);
	fit_host_clear(&bench.host);
	fit_fsroot_close(&bench.root);
	return 0;
}
