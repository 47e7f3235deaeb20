/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host of tests/hosts with the shipped profiles, for tests that render definitions on it. */
#ifndef FIT_TESTS_SUPPORT_RENDER_H
#define FIT_TESTS_SUPPORT_RENDER_H

#include "base/strlist.h"
#include "core/host.h"
#include "sys/profile_store.h"

struct fit_test_machine {
	struct fit_fsroot root;
	struct fit_host host;
	struct fit_profile_store store;
	char *profiles; /* the directory */
};

struct fit_test_machine *fit_test_machine_make(const char *name);
void fit_test_machine_free(struct fit_test_machine *machine);

/* For a group of tests: "two-node" as their state, and for functions that do not see that. */
int fit_test_machine_setup(void **state);
int fit_test_machine_teardown(void **state);
struct fit_test_machine *fit_test_machine(void);

/* As libxml2 prints it. To be freed. */
char *fit_test_printed(const char *xml);

/* A fitted definition without our edits. To be freed. */
char *fit_test_reverted(const char *xml, struct fit_strlist *notes);

#endif
