/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chain of pure steps from a document to its fitted form. Each step works on the result of the
 * one before, so the struct below is filled from top to bottom and freed as a whole:
 *
 *   parse → undo the record → view → request → profile → overlay → view → plan → emit → apply →
 * view → host ops
 *
 * Two documents are kept: the input as it came, which is what the planner sees as the previous
 * placement and what is given back if nothing changes, and the one that is worked on. Where there
 * is no record they are the same, and the record alone makes a change.
 */
#include "core/render.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/alias.h"
#include "core/emit.h"
#include "core/iothread_users.h"
#include "core/overlay.h"
#include "core/profile_steps.h"
#include "core/record.h"
#include "core/replan.h"
#include "core/request.h"
#include "core/rewrite.h"
#include "core/xml.h"

struct render {
	const struct fit_render_input *input;
	xmlDoc *before; /* NULL: there was no record, and it does not arrive */
	xmlDoc *doc;
	struct fit_remains *remains;
	struct fit_domain input_view;	   /* empty where there was no record */
	const struct fit_domain *previous; /* the input as it is */
	struct fit_domain original;	   /* without our edits */
	struct fit_replan replan;	   /* of a domain that arrives */
	struct fit_overlay_effect overlay;
	xmlDoc *overlaid;	   /* the original with what stays and the overlay; NULL: neither */
	struct fit_domain planned; /* the view of that */
	struct fit_domain fitted;
	struct fit_request request;
	struct fit_claims others; /* the claims themselves belong to the input */
	struct fit_edits edits;
	struct fit_render_result result;
};

void fit_render_result_clear(struct fit_render_result *result)
{
	free(result->xml);
	free(result->report);
	fit_plan_clear(&result->plan);
	fit_profile_clear(&result->profile);
	fit_hostops_clear(&result->ops);
	fit_strlist_clear(&result->notes);
	*result = (struct fit_render_result){0};
}

static void render_clear(struct render *render)
{
	fit_remains_free(&render->remains);
	fit_xml_free_doc(&render->before);
	fit_xml_free_doc(&render->doc);
	fit_domain_clear(&render->input_view);
	fit_domain_clear(&render->original);
	fit_replan_clear(&render->replan);
	fit_overlay_effect_clear(&render->overlay);
	fit_xml_free_doc(&render->overlaid);
	fit_domain_clear(&render->planned);
	fit_domain_clear(&render->fitted);
	fit_request_clear(&render->request);
	free(render->others.items);
	fit_edits_clear(&render->edits);
	fit_render_result_clear(&render->result);
}

static int read_document(struct render *render, struct fit_err *err)
{
	const struct fit_render_input *input = render->input;
	bool fitted;

	render->doc = fit_xml_parse(input->xml, input->length, input->name, err);
	fitted = render->doc && fit_record_find(render->doc);
	render->previous = fitted ? &render->input_view : &render->original;
	if (!render->doc || fit_domain_read(render->doc, input->name,
				    fitted ? &render->input_view : &render->original, err) < 0)
		return -1;
	if (fitted || input->arrives) {
		render->before = xmlCopyDoc(render->doc, 1);
		if (!render->before)
			abort();
	}
	/* Without a record it only looks for those of other versions. */
	if (fit_rewrite_undo(
		    render->doc, input->name, &render->result.notes, &render->remains, err) < 0)
		return -1;
	/* Later, what refers to an iothread of ours is the user's. */
	return fitted ? fit_domain_read(render->doc, input->name, &render->original, err)
		      : fit_iothread_users_check(&render->original, err);
}

static int read_profile(struct render *render, struct fit_err *err)
{
	const struct fit_render_input *input = render->input;
	struct fit_request *request = &render->request;

	if (fit_request_read(render->doc, input->name, request, err) < 0)
		return -1;
	if (input->asked)
		fit_request_merge(request, input->asked);
	if (!request->profiles.count)
		return fit_err_set(err, FIT_ERR_NOTFOUND,
			"%s: the domain requests no profile: give it one with 'virt-fit set' "
			"(plan, diff and render can try one: --profile)",
			input->name);
	if (fit_profile_compose(&request->profiles, request->params, request->param_count,
		    input->load, input->load_context, &render->result.profile, err) < 0)
		return fit_err_prefix(err, "%s: ", render->original.name);
	fit_digest_make(&render->result.profile, request, render->result.digest);
	if (input->only && input->only->count)
		fit_steps_limit(&render->result.profile, input->only);
	return 0;
}

static int blame_overlay(const struct fit_overlay *overlay, struct fit_err *err)
{
	struct fit_overlay_place *places;
	size_t count = fit_overlay_places(overlay, &places);

	if (count)
		fit_err_prefix(err, "with what %s:%u and on says in <domain>: ", places[0].file,
			places[0].line);
	fit_overlay_places_free(places, count);
	return -1;
}

/* Does to a copy what apply() will do, for the planner to see. */
static int lay_overlay(struct render *render, struct fit_err *err)
{
	const char *name = render->input->name;
	const struct fit_overlay *overlay = render->result.profile.overlay;
	const struct fit_record info = {0};

	render->overlaid = xmlCopyDoc(render->doc, 1);
	if (!render->overlaid)
		abort();
	if (render->replan.kept.count && fit_rewrite_apply(render->overlaid, name,
						 &render->replan.kept, &info, NULL, err) < 0)
		return -1;
	if (overlay && (fit_overlay_emit(overlay, render->overlaid, render->original.name,
				&render->overlay, err) < 0 ||
			       fit_rewrite_apply(render->overlaid, name, &render->overlay.edits,
				       &info, NULL, err) < 0))
		return -1;
	if (fit_domain_read(render->overlaid, name, &render->planned, err) < 0)
		return overlay ? blame_overlay(overlay, err) : -1;
	return 0;
}

/* The overlay's edits come first: a device that it adds can have edits of intents. */
static void join_overlay(struct render *render)
{
	struct fit_overlay_effect *overlay = &render->overlay;
	struct fit_plan *plan = &render->result.plan;
	fit_autostrlist struct fit_strlist dropped = {0};

	for (size_t i = 0; i < overlay->edits.count; i++)
		fit_plan_reason(plan, FIT_REASON_CHOICE, "domain",
			"%s is written as the profile's <domain> has it",
			overlay->edits.items[i].path);
	for (size_t i = 0; i < overlay->kept.count; i++)
		fit_plan_reason(plan, FIT_REASON_KEPT, "domain", "%s", overlay->kept.items[i]);
	fit_overlay_join(overlay, &render->edits, &dropped);
	for (size_t i = 0; i < dropped.count; i++)
		fit_plan_reason(plan, FIT_REASON_NOTE, "domain",
			"%s is as the profile's <domain> has it, not as planned", dropped.items[i]);
}

static void collect_other_claims(struct render *render)
{
	const struct fit_claims *claims = render->input->claims;

	for (size_t i = 0; claims && i < claims->count; i++)
		if (!fit_claim_is_of(&claims->items[i], &render->original))
			*FIT_APPEND(render->others.items, render->others.count) = claims->items[i];
}

/* Where vCPUs float over no more CPUs than they are, their pins look like those of vCPUs that have
 * these for themselves: then the record says that others may use them, too. */
static void note_floating(struct render *render)
{
	const struct fit_plan *plan = &render->result.plan;
	struct fit_cpuset vcpus = plan->pooled_vcpus;
	struct fit_cpuset held = fit_domain_held_cpus(&render->fitted);
	fit_autofree char *list = NULL;
	xmlNode *record = fit_record_find(render->doc);

	if (!record)
		return;
	if (render->result.profile.vcpus.place == FIT_PLACE_NODE && !plan->vcpus_kept)
		for (size_t i = 0; i < plan->vcpu_count; i++)
			fit_cpuset_add(&vcpus, (unsigned int)i);
	render->fitted.floating_vcpus = vcpus;
	vcpus = fit_domain_held_cpus(&render->fitted);
	if (fit_cpuset_equal(&vcpus, &held)) {
		render->fitted.floating_vcpus = (struct fit_cpuset){0};
		return;
	}
	list = fit_cpuset_format_list(&render->fitted.floating_vcpus);
	xmlNewProp(record, (const xmlChar *)"floating", (const xmlChar *)list);
}

static int apply(struct render *render, struct fit_err *err)
{
	const struct fit_render_input *input = render->input;
	struct fit_profile *profile = &render->result.profile;
	const struct fit_replan *replan = &render->replan;
	fit_autofree char *names = fit_strlist_join(&profile->names, " ");
	fit_autofree char *only =
		profile->only.count ? fit_strlist_join(&profile->only, " ") : NULL;
	char version[] = FIT_VERSION;
	const struct fit_record info = {
		.version = version,
		.profile = names,
		.digest = replan->recorded ? replan->digest : render->result.digest,
		.host = input->host->identity,
		.only = replan->recorded ? replan->only : only,
		.had_metadata = input->had_metadata,
	};

	if (fit_rewrite_apply(render->doc, input->name, &render->overlay.edits, &info,
		    render->remains, err) < 0)
		return -1;
	fit_iothread_users_drop(render->doc, input->name, render->previous, &render->result.notes);
	if (fit_domain_read(render->doc, input->name, &render->fitted, err) < 0)
		return -1;
	note_floating(render);
	fit_alias_disown_taken(&render->fitted, &render->original);
	return fit_iothread_users_check(&render->fitted, err);
}

/* Settings of the host for CPUs that the domain would have to have alone. */
static int check_left_out(struct render *render, struct fit_err *err)
{
	struct fit_render_result *result = &render->result;
	fit_autostrlist struct fit_strlist names = {0};
	fit_autofree char *list = NULL;
	bool refuse = fit_hostops_left_out(&result->profile, &result->ops, &names);

	if (!names.count)
		return 0;
	list = fit_strlist_join(&names, ", ");
	if (refuse)
		return fit_err_set(err, FIT_ERR_REFUSED,
			"%s: cannot fit: of %s at least one is not to be missing, and none can be "
			"had: they are for CPUs that the domain has alone, and it has none (<vcpus "
			"place=\"cores\" shared=\"no\"/> gives it some)",
			render->original.name, list);
	fit_plan_reason(&result->plan, FIT_REASON_NOTE, "host",
		"without %s: for CPUs that the domain has alone, and it has none", list);
	return 0;
}

static void finish(struct render *render, const struct fit_plan_input *plan_input)
{
	const struct fit_render_input *input = render->input;
	struct fit_render_result *result = &render->result;

	if (input->arrives)
		result->changed = fit_replan_differs(render->before, render->doc);
	else
		result->changed =
			!render->before || !fit_xml_equivalent(xmlDocGetRootElement(render->before),
						   xmlDocGetRootElement(render->doc));
	result->xml = result->changed ? fit_xml_print(render->doc)
				      : fit_xstrndup(input->xml, input->length);
	if (input->report != FIT_REPORT_NONE)
		result->report = fit_plan_report(
			&result->plan, plan_input, &result->ops, input->report == FIT_REPORT_WHY);
}

static int make(struct render *render, struct fit_err *err)
{
	struct fit_plan_input plan_input = {
		.host = render->input->host,
		.domain = &render->original,
		.request = &render->request,
		.profile = &render->result.profile,
		.claims = &render->others,
		.networks = render->input->networks,
		.target = render->input->target,
		.without_advice = render->input->arrives, /* its size is what it is */
		.is_buffered = render->input->is_buffered,
		.is_buffered_context = render->input->is_buffered_context,
	};

	if (read_document(render, err) < 0 || read_profile(render, err) < 0)
		return -1;
	if (render->input->arrives &&
		fit_replan_begin(render->before, render->input->name, render->previous,
			&render->result.profile, &render->replan, err) < 0)
		return -1;
	plan_input.previous = render->previous;
	plan_input.original = render->doc;
	if (render->result.profile.overlay || render->replan.kept.count) {
		if (lay_overlay(render, err) < 0)
			return -1;
		plan_input.domain = &render->planned;
		plan_input.original = render->overlaid;
		plan_input.covered = &render->overlay.covered;
	}
	collect_other_claims(render);
	if (fit_plan_make(&plan_input, &render->result.plan, err) < 0 ||
		fit_emit(&render->result.plan, &plan_input, &render->edits, err) < 0)
		return -1;
	join_overlay(render);
	if (render->input->arrives && fit_replan_limit(&render->replan, render->doc,
					      render->input->name, &render->overlay.edits, err) < 0)
		return -1;
	if (apply(render, err) < 0)
		return -1;
	fit_hostops_derive(&render->fitted, &render->result.profile, &render->result.ops);
	if (check_left_out(render, err) < 0)
		return -1;
	finish(render, &plan_input);
	return 0;
}

int fit_render(const struct fit_render_input *input, struct fit_render_result *ret_result,
	struct fit_err *err)
{
	struct render render = {.input = input};
	int result = make(&render, err);

	if (result == 0) {
		*ret_result = render.result;
		render.result = (struct fit_render_result){0};
	}
	render_clear(&render);
	return result;
}

static int revert(xmlDoc *doc, const char *name, struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_domain fitted = {0};
	int had = fit_domain_read_iothreads(doc, name, &fitted, NULL);
	int status = fit_rewrite_undo(doc, name, notes, NULL, err);

	if (had == 0 && status == 0)
		fit_iothread_users_drop(doc, name, &fitted, notes);
	fit_domain_clear(&fitted);
	return status;
}

int fit_revert(const char *xml, size_t length, const char *name, struct fit_strlist *notes,
	char **ret_xml, bool *ret_changed, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, length, name, err);
	struct fit_record record = {0};
	int found;

	if (!doc || fit_domain_check(doc, name, err) < 0)
		return -1;
	found = fit_record_read(doc, name, &record, err);
	fit_record_clear(&record);
	if (found < 0)
		return -1;
	if (found && revert(doc, name, notes, err) < 0)
		return -1;
	*ret_xml = found ? fit_xml_print(doc) : fit_xstrndup(xml, length);
	*ret_changed = found;
	return 0;
}
