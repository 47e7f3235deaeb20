/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies edits to a domain document and takes them back: the record in <metadata> (namespace
 * FIT_RECORD_NAMESPACE) lists for every edit the value before and the value we wrote (a *facet*).
 *
 * Properties, for every document x and list of edits e:
 *   undo(apply(x, e)) prints the same bytes as x
 *   apply(undo(apply(x, e)), e) prints the same bytes as apply(x, e), and both hold when libvirt
 *   has normalised the document in between (equivalence instead of bytes there).
 * A facet is still ours when what is there now contains what we wrote, up to libvirt's
 * normalisations. If not, the user edited it: the edit stays, becomes the new original and is
 * noted.
 */
#ifndef FIT_CORE_REWRITE_H
#define FIT_CORE_REWRITE_H

#include <stdbool.h>

#include <libxml/tree.h>

#include "base/err.h"
#include "base/strlist.h"
#include "core/edit.h"

#define FIT_RECORD_NAMESPACE "urn:virt-fit:applied:1"

struct fit_facet {
	char *path;
	/* Elements as XML, attributes and text as plain values, but the text before as XML content
	 * (it may have held comments). Both NULL: absent, and libvirt may fill in a default because
	 * of another facet (cpu/@check after cpu/@mode, core/device_address.h). */
	char *before;	/* NULL: absent */
	char *wrote;	/* NULL: we removed it */
	char *lead;	/* removed elements: the text that stood before, when unusual */
	int position;	/* removed elements and attributes: see core/layout.h; else -1 */
	int rank;	/* removed devices: siblings of the same name before it; else -1 */
	bool container; /* an element created only to hold other facets */
	bool sole;	/* added to a parent that had no content at all */
};

struct fit_record {
	char *version;	    /* of the virt-fit that wrote it */
	char *profile;	    /* requested names, space-separated */
	char *digest;	    /* fit_digest_make() */
	char *host;	    /* fit_host.identity */
	char *only;	    /* names of the intents it was limited to, space-separated; NULL: all */
	char *floating;	    /* vCPUs whose CPUs look like their own, and are not; NULL: none */
	char *controllers;  /* PCI controllers of the original: core/controllers.h; NULL: unknown */
	bool sole;	    /* the record was added to a <metadata> that had no content at all */
	bool qemu_declared; /* the namespace of <qemu:override> was not declared on <domain> */
	bool had_metadata;  /* an empty <metadata> stood there before the request was set */
	struct fit_facet *facets; /* in the order they were applied */
	size_t facet_count;
};

void fit_record_clear(struct fit_record *record);

/* Is there something of ours at @path? */
bool fit_record_has_written(const struct fit_record *record, const char *path);

/* 1: there is a record, 0: none, -1: it is malformed (it says where). */
int fit_record_read(
	xmlDoc *doc, const char *name, struct fit_record *ret_record, struct fit_err *err);

/* What undo leaves behind so that apply can put our elements back where libvirt or the user has
 * them now, with what libvirt added to them (MAC, guest address). */
struct fit_remains;
void fit_remains_free(struct fit_remains **remains);

/*
 * Takes the record's edits back and removes the record. Without a record nothing happens. @notes
 * gets one line for every facet that was edited since and therefore stays. With @ret_remains (may
 * be NULL: a plain revert) our elements leave invisible placeholders, which apply or
 * fit_remains_free() removes.
 */
int fit_rewrite_undo(xmlDoc *doc, const char *name, struct fit_strlist *notes,
	struct fit_remains **ret_remains, struct fit_err *err);

/*
 * Applies @edits and writes the record from @info (its facets are ignored). @remains, if given,
 * came from the undo of the same document. An edit whose value is already there writes nothing but
 * keeps no facet either: it is the user's. On failure the document is unusable.
 */
int fit_rewrite_apply(xmlDoc *doc, const char *name, const struct fit_edits *edits,
	const struct fit_record *info, struct fit_remains *remains, struct fit_err *err);

/* Does every facet of the record still hold in the document? If not, *ret_first_missing (to be
 * freed) is the path of the first one that does not. For the hook and `status`. */
bool fit_rewrite_holds(xmlDoc *doc, const struct fit_record *record, char **ret_first_missing);

/* The edits of those facets that hold in the document, or do not, in the order in which they were
 * applied. It may be another one than the record is in. */
void fit_rewrite_list_held(
	xmlDoc *doc, const struct fit_record *record, struct fit_edits *ret_edits);
void fit_rewrite_list_missing(
	xmlDoc *doc, const struct fit_record *record, struct fit_edits *ret_edits);

#endif
