/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running guest with two devices on the host of support_executor.h, whose vectors appear and
 * vanish as the kernel has them do, and somebody who follows them. Time passes as a test says.
 */
#ifndef FIT_TESTS_SUPPORT_VECTORS_H
#define FIT_TESTS_SUPPORT_VECTORS_H

#include "support_executor.h"
#include "watch/follower.h"

#define VF_A  "0000:41:10.0"
#define VF_B  "0000:41:10.2"
#define BIRTH "0-7" /* affinity of a new vector */

struct scene {
	struct fixture f;
	struct fit_follower follower;
	struct fit_strlist said;
	int64_t now;
};

/* The guest has started on CPUs 2-5, with both devices; nobody follows it yet. */
void scene_open(struct scene *scene);
void scene_close(struct scene *scene);
void scene_expect_as_before(struct scene *scene);

/* Writes the guest's journal as the hook does. */
void scene_start_guest(struct scene *scene, const char *cpus, bool spread);
void scene_stop_guest(struct scene *scene, struct fit_strlist *notes);

/* A follower that knows nothing: the first, or after the watcher was killed. */
void scene_begin_to_follow(struct scene *scene);
void scene_end_following(struct scene *scene);
/* Has the kernel something to say to it? */
bool scene_is_called(const struct scene *scene);
/* Lets time pass, with a turn whenever one is due. */
void scene_wait(struct scene *scene, int64_t ms);

/* The kernel: a vector is listed, is requested, is both, or goes. */
void vector_listed(struct scene *scene, const char *device_name, unsigned int number);
void vector_requested(
	struct scene *scene, const char *device_name, unsigned int number, unsigned int index);
void vector_appears(
	struct scene *scene, const char *device_name, unsigned int number, unsigned int index);
void vector_vanishes(struct scene *scene, const char *device_name, unsigned int number);

/* Somebody else sets an affinity. */
void vector_moved(struct scene *scene, unsigned int number, const char *cpus);

/* "" when the kernel knows no such interrupt. To be freed. */
char *vector_cpus(const struct scene *scene, unsigned int number);
void vector_is_on(const struct scene *scene, unsigned int number, const char *cpus);

/* What the guest claims of the interrupt: "to:3", NULL: nothing. To be freed. */
char *vector_claim(const struct scene *scene, unsigned int number);

bool scene_has_said(const struct scene *scene, const char *part);

#endif
