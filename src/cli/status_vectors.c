/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/status_vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/json.h"
#include "sys/wanted.h"

struct view {
	char *name;			     /* without the device, which is said anyway */
	const struct fit_claim_entry *claim; /* NULL: it has not been placed */
	enum fit_irq_wish wish;
	struct fit_cpuset wanted;
	char *affinity;	 /* NULL: not known */
	char *effective; /* the CPUs of them that it comes to; NULL: not known */
};

static void clear_view(struct view *view)
{
	free(view->name);
	free(view->affinity);
	free(view->effective);
}

static struct view look_at(
	const struct fit_fsroot *root, struct fit_journal *journal, const struct fit_vector *vector)
{
	fit_autofree char *effective = fit_sibling_path(vector->path, "effective_affinity_list");
	struct view view = {.name = fit_xstrndup(vector->name, strcspn(vector->name, "(")),
		.claim = fit_vectors_claim(journal, vector->path),
		.affinity = fit_fsroot_try_read(root, vector->path),
		.effective = fit_fsroot_try_read(root, effective)};

	if (view.claim &&
		!fit_irq_contribution_read(view.claim->contribution, &view.wish, &view.wanted))
		view.claim = NULL;
	return view;
}

static bool is_within(const char *list, const struct fit_cpuset *cpus)
{
	struct fit_cpuset set;

	return list && fit_cpuset_parse_list(list, &set, NULL) == 0 &&
	       fit_cpuset_is_subset(&set, cpus);
}

/* An interrupt that is not remapped moves only when it happens. */
static void print_view(const struct fit_vector *vector, const struct view *view)
{
	fit_autofree char *wanted = fit_cpuset_describe(&view->wanted, "CPU");

	printf("  %-17s %u, %s of %s: ", "interrupt", vector->number, view->name,
		FIT_PCIADDR_STR(vector->device));
	if (!view->claim)
		printf("on CPUs %s, as it came", view->affinity ? view->affinity : "unknown");
	else if (view->wish == FIT_IRQ_LEFT)
		printf("left on CPUs %s, not on %s", view->affinity ? view->affinity : "unknown",
			wanted);
	else if (!is_within(view->affinity, &view->wanted))
		printf("on CPUs %s, to be moved to %s", view->affinity ? view->affinity : "unknown",
			wanted);
	else if (view->effective && !is_within(view->effective, &view->wanted))
		printf("on %s from its next one on", wanted);
	else
		printf("on %s", wanted);
	if (view->claim && view->claim->moved)
		printf("; moved %u time%s by somebody else", view->claim->moved,
			fit_plural(view->claim->moved));
	puts("");
}

void fit_status_print_vectors(const struct fit_fsroot *root, struct fit_journal *journal)
{
	struct fit_vectors vectors;

	fit_vectors_find(root, journal, &vectors);
	for (size_t i = 0; i < vectors.count; i++) {
		struct view view = look_at(root, journal, &vectors.items[i]);

		print_view(&vectors.items[i], &view);
		clear_view(&view);
	}
	fit_vectors_clear(&vectors);
}

static struct json_object *json_view(const struct fit_vector *vector, const struct view *view)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "number", json_object_new_int64(vector->number));
	json_object_object_add(
		object, "device", json_object_new_string(FIT_PCIADDR_STR(vector->device)));
	json_object_object_add(object, "name", json_object_new_string(view->name));
	json_object_object_add(object, "wanted", view->claim ? fit_json_cpus(&view->wanted) : NULL);
	json_object_object_add(object, "affinity", fit_json_string_or_null(view->affinity));
	json_object_object_add(object, "effective", fit_json_string_or_null(view->effective));
	json_object_object_add(
		object, "left", json_object_new_boolean(view->claim && view->wish == FIT_IRQ_LEFT));
	json_object_object_add(
		object, "moved", json_object_new_int64(view->claim ? view->claim->moved : 0));
	return object;
}

struct json_object *fit_status_json_vectors(
	const struct fit_fsroot *root, struct fit_journal *journal)
{
	struct json_object *array = json_object_new_array();
	struct fit_vectors vectors;

	fit_vectors_find(root, journal, &vectors);
	for (size_t i = 0; i < vectors.count; i++) {
		struct view view = look_at(root, journal, &vectors.items[i]);

		json_object_array_add(array, json_view(&vectors.items[i], &view));
		clear_view(&view);
	}
	fit_vectors_clear(&vectors);
	return array;
}
