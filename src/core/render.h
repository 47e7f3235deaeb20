/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * render: (domain XML, host, profile, claims) → fitted domain XML. Undoes the record, plans from
 * the original, emits, applies. render(render(x)) = render(x) byte for byte: when the result says
 * the same as the input, the input is returned as it was.
 */
#ifndef FIT_CORE_RENDER_H
#define FIT_CORE_RENDER_H

#include "base/err.h"
#include "base/strlist.h"
#include "core/claims.h"
#include "core/digest.h"
#include "core/host.h"
#include "core/hostops.h"
#include "core/plan.h"
#include "core/profile.h"
#include "core/target.h"

/* The plan as text, which costs something: see fit_plan_report(). */
enum fit_report {
	FIT_REPORT_NONE,
	FIT_REPORT_PLAIN,
	FIT_REPORT_WHY, /* with choices and rejections */
};

struct fit_render_input {
	const char *xml;
	size_t length;
	const char *name;		 /* for messages */
	const struct fit_request *asked; /* on top of the document's request; NULL: nothing */
	bool had_metadata;		 /* see fit_record */
	const struct fit_strlist *only;	 /* only these intents; NULL or empty: all */
	bool arrives;			 /* its guest runs already: see core/replan.h */
	const struct fit_host *host;
	const struct fit_claims *claims;     /* may contain the domain itself; may be NULL */
	const struct fit_networks *networks; /* of libvirt; NULL: not known */
	const struct fit_target *target;     /* NULL: fit_target_default */
	fit_profile_loader load;
	void *load_context;
	fit_is_buffered is_buffered; /* of the disks' files; NULL: none is */
	void *is_buffered_context;
	enum fit_report report;
};

struct fit_render_result {
	char *xml;    /* the fitted document */
	bool changed; /* false: `xml` is the input, byte for byte */
	struct fit_plan plan;
	struct fit_profile profile;
	char digest[FIT_DIGEST_TEXT]; /* what the record says it was fitted from */
	struct fit_hostops ops;	      /* what the hook will do */
	struct fit_strlist notes;     /* user edits kept */
	char *report;		      /* as asked for; NULL: not */
};

void fit_render_result_clear(struct fit_render_result *result);

/* FIT_ERR_INVALID: bad document, request or profile; FIT_ERR_NOTFOUND: nobody names a profile, or
 * unknown profile; FIT_ERR_REFUSED: cannot be met here. */
int fit_render(const struct fit_render_input *input, struct fit_render_result *ret_result,
	struct fit_err *err);

/* The document without anything of ours but the request. @ret_changed: there was a record. */
int fit_revert(const char *xml, size_t length, const char *name, struct fit_strlist *notes,
	char **ret_xml, bool *ret_changed, struct fit_err *err);

#endif
