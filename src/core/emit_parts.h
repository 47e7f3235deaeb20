/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by emit.c and its parts. Private to them. */
#ifndef FIT_CORE_EMIT_PARTS_H
#define FIT_CORE_EMIT_PARTS_H

#include "core/emit.h"
#include "core/target.h"

struct fit_emitter {
	struct fit_plan *plan; /* emission adds reasons, nothing else */
	const struct fit_host *host;
	const struct fit_domain *domain;
	const struct fit_profile *profile;
	const struct fit_target *target;
	fit_is_buffered is_buffered; /* NULL: no file is */
	void *is_buffered_context;
	xmlDoc *original;	   /* NULL: an empty definition, in tests */
	struct fit_lookup *lookup; /* in the original */
	struct fit_edits *edits;
	struct fit_err *err;
};

/*
 * What the profile says about a setting @what which the definition has as @found (NULL: not at all)
 * and we would write as @wanted: 1 write it, 0 leave it, -1 with FIT_ERR_REFUSED.
 */
int fit_emit_decide(const struct fit_emitter *emitter, const struct fit_intent *intent,
	const char *what, const char *found, const char *wanted);

/* A setting that is not a placement. */
struct fit_setting {
	const char *topic; /* of the note that it was left out: static; only with a feature */
	const char *what;  /* for people: "the cache mode of disk vda" */
	const char *path;  /* core/edit.h */
	const char *value; /* as in an edit: an element as XML */
	const char *unset; /* what libvirt has there by itself: nobody's choice; NULL: nothing */
	enum fit_feature feature;
};

/* Writes it if the target can express it (else a note says why not) and the policy of @intent lets
 * us: 1 written, 0 left as it is, -1 with FIT_ERR_REFUSED. */
int fit_emit_setting(const struct fit_emitter *emitter, const struct fit_intent *intent,
	const struct fit_setting *setting);

/* The attribute of the original at @path, to be freed; NULL when there is none. */
char *fit_emit_found(const struct fit_emitter *emitter, const char *path);

/* Has the original an element at @path that contains @value, an element as XML? */
bool fit_emit_is_there(const struct fit_emitter *emitter, const char *path, const char *value);

int fit_emit_cpu(const struct fit_emitter *emitter);
int fit_emit_features(const struct fit_emitter *emitter);
int fit_emit_clock(const struct fit_emitter *emitter);
int fit_emit_cells(const struct fit_emitter *emitter);
int fit_emit_threads(const struct fit_emitter *emitter);
int fit_emit_scheduling(const struct fit_emitter *emitter);
int fit_emit_caches(const struct fit_emitter *emitter);
int fit_emit_memory(const struct fit_emitter *emitter);
int fit_emit_devices(const struct fit_emitter *emitter);
void fit_emit_passthrough(const struct fit_emitter *emitter);

/* Parts of the devices. */
int fit_emit_disks(const struct fit_emitter *emitter);
int fit_emit_interfaces(const struct fit_emitter *emitter);
int fit_emit_iommu(const struct fit_emitter *emitter);
void fit_emit_lean(const struct fit_emitter *emitter);

/* Queues of a device: as many as @wanted, FIT_AUTO for as many as vCPUs, but not more than @most.
 */
unsigned int fit_emit_queues(
	const struct fit_emitter *emitter, unsigned int wanted, unsigned int most);

struct fit_vectors {
	const struct fit_intent *intent;
	const char *topic;
	const char *device;  /* for people */
	const char *path;    /* of the device */
	const char *alias;   /* the end of the one that it gets, if it has none of the user's */
	const char *given;   /* the one that it gets for another reason; NULL: none */
	unsigned int wanted; /* 0: leave; FIT_AUTO: what its queues and the others can use */
	unsigned int queues_unstated; /* that it has when nobody says how many */
	unsigned int per_queue;
	unsigned int others;
};

/* As fit_emit_setting(). After the device's queues were emitted. */
int fit_emit_vectors(const struct fit_emitter *emitter, const struct fit_vectors *vectors);

#endif
