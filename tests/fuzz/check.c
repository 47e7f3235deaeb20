/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"
#include "draw.h"
#include "support_libvirt.h"

bool fit_fuzz_broken(struct check *check, const char *property, const char *format, ...)
{
	va_list args;

	if (check->result.outcome == FIT_FUZZ_BROKEN)
		return false;
	check->result.outcome = FIT_FUZZ_BROKEN;
	check->result.property = property;
	free(check->result.detail);
	va_start(args, format);
	if (vasprintf(&check->result.detail, format, args) < 0)
		abort();
	va_end(args);
	return false;
}

/* The case's own profiles, and the shipped ones that they include. */
static int load(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err)
{
	const struct fit_fuzz_case *c = context;
	const char *top = getenv("TOP") ? getenv("TOP") : ".";
	fit_autofree char *path = fit_xasprintf("%s/profiles/%s.xml", top, name);
	FILE *file;

	if (strcmp(name, "first") == 0) {
		*ret_text = fit_xstrdup(c->profiles[0]);
	} else if (strcmp(name, "second") == 0) {
		*ret_text = fit_xstrdup(c->profiles[1]);
	} else if ((file = fopen(path, "re"))) {
		fclose(file);
		*ret_text = fit_fuzz_read_file(path);
	} else {
		return fit_err_set(err, FIT_ERR_NOTFOUND, "no profile '%s'", name);
	}
	*ret_path = FIT_STEAL(path);
	*ret_length = strlen(*ret_text);
	return 0;
}

static int render(struct check *check, const char *xml, const char *profile, bool arrives,
	struct fit_render_result *ret_result, struct fit_err *err)
{
	struct fit_request asked = {0};
	const struct fit_render_input input = {
		.xml = xml,
		.length = strlen(xml),
		.name = "vm.xml",
		.asked = &asked,
		.arrives = arrives,
		.host = check->host,
		.claims = &check->claims,
		.load = load,
		.load_context = (void *)(uintptr_t)check->c,
		.report = FIT_REPORT_WHY,
	};
	int status;

	*err = FIT_ERR_INIT;
	fit_strlist_add(&asked.profiles, profile);
	status = fit_render(&input, ret_result, err);
	fit_request_clear(&asked);
	if (status < 0 && (err->code == FIT_OK || !*err->message ||
				  !xmlCheckUTF8((const xmlChar *)err->message)))
		fit_fuzz_broken(check, "refusal", "code %d, '%s'", err->code, err->message);
	return status;
}

int fit_fuzz_render(struct check *check, const char *xml, const char *profile,
	struct fit_render_result *ret_result, struct fit_err *err)
{
	return render(check, xml, profile, false, ret_result, err);
}

int fit_fuzz_render_arrived(struct check *check, const char *xml,
	struct fit_render_result *ret_result, struct fit_err *err)
{
	return render(check, xml, "first", true, ret_result, err);
}

char *fit_fuzz_revert(struct check *check, const char *xml, struct fit_strlist *notes)
{
	struct fit_strlist ignored = {0};
	struct fit_err err = FIT_ERR_INIT;
	char *text = NULL;
	bool changed;

	if (fit_revert(xml, strlen(xml), "vm.xml", notes ? notes : &ignored, &text, &changed,
		    &err) < 0)
		fit_fuzz_broken(check, "revert", "refused: %s", err.message);
	fit_strlist_clear(&ignored);
	return text;
}

char *fit_fuzz_difference(const char *wanted, const char *found)
{
	size_t same = 0;
	size_t start;

	while (wanted[same] && wanted[same] == found[same])
		same++;
	start = same > 60 ? same - 60 : 0;
	return fit_xasprintf("wanted «%.160s»\nfound  «%.160s»", wanted + start, found + start);
}

bool fit_fuzz_same(struct check *check, const char *property, const char *wanted, const char *found)
{
	fit_autofree char *difference = NULL;

	if (!found || strcmp(wanted, found) == 0)
		return found;
	difference = fit_fuzz_difference(wanted, found);
	return fit_fuzz_broken(check, property, "%s", difference);
}

xmlDoc *fit_fuzz_parse(const char *xml)
{
	struct fit_err err = FIT_ERR_INIT;
	xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "fuzz", &err);

	if (!doc) {
		fprintf(stderr, "fuzz: %s\n%s\n", err.message, xml);
		abort();
	}
	return doc;
}

char *fit_fuzz_as_libvirt(const char *xml)
{
	fit_autodoc xmlDoc *doc = fit_fuzz_parse(xml);

	normalise_as_libvirt(doc);
	return fit_xml_print(doc);
}

/* The first rendering; false when it is refused. */
static bool prepare(struct check *check)
{
	struct fit_render_result first = {0};
	struct fit_err err;
	fit_autodoc xmlDoc *doc = NULL;

	if (fit_fuzz_render(check, check->c->domain, "first", &first, &err) < 0) {
		check->result.detail = fit_xstrdup(err.message);
		if (first.xml || first.report)
			fit_fuzz_broken(check, "refusal", "the result was touched");
		return false;
	}
	check->fitted = FIT_STEAL(first.xml);
	if (!first.changed)
		fit_fuzz_broken(check, "record", "rendered, but nothing changed");
	fit_render_result_clear(&first);
	doc = fit_fuzz_parse(check->c->domain);
	check->plain = fit_xml_print(doc);
	return check->result.outcome != FIT_FUZZ_BROKEN;
}

void fit_fuzz_check(const struct fit_fuzz_case *c, struct fit_fuzz_result *ret_result)
{
	struct check check = {.c = c, .result.outcome = FIT_FUZZ_REFUSED};

	check.host = fit_fuzz_host(c->host, &check.claims);
	if (prepare(&check)) {
		fit_draw_seed(1, c->edits);
		if (fit_fuzz_check_fitted(&check) && fit_fuzz_check_fixpoint(&check) &&
			fit_fuzz_check_libvirt(&check) && fit_fuzz_check_second(&check) &&
			fit_fuzz_check_edits(&check) && fit_fuzz_check_tampered(&check) &&
			fit_fuzz_check_arrival(&check))
			check.result.outcome = FIT_FUZZ_HELD;
	}
	*ret_result = check.result;
	fit_claims_clear(&check.claims);
	free(check.plain);
	free(check.fitted);
}
