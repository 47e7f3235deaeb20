/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_render.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/render.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_host.h"
#include "sys/probe.h"

static struct fit_test_machine *of_group;

struct fit_test_machine *fit_test_machine_make(const char *name)
{
	const char *build = getenv("BUILD");
	struct fit_test_machine *machine = fit_xcalloc(1, sizeof(*machine));
	struct fit_err err = FIT_ERR_INIT;

	machine->root = fit_test_host_root(name);
	machine->profiles = fit_xasprintf("%s/profiles", build ? build : "build");
	machine->store = (struct fit_profile_store){
		.root = &machine->root,
		.shipped = machine->profiles,
	};
	if (fit_probe(&machine->root, FIT_PROBE_ALL, &machine->host, NULL, &err) < 0)
		fail_msg("%s: %s", name, err.message);
	return machine;
}

void fit_test_machine_free(struct fit_test_machine *machine)
{
	fit_host_clear(&machine->host);
	fit_test_root_remove(&machine->root);
	free(machine->profiles);
	free(machine);
}

int fit_test_machine_setup(void **state)
{
	*state = of_group = fit_test_machine_make("two-node");
	return 0;
}

int fit_test_machine_teardown(void **state)
{
	fit_test_machine_free(*state);
	return 0;
}

struct fit_test_machine *fit_test_machine(void)
{
	return of_group;
}

char *fit_test_printed(const char *xml)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(xml);

	return fit_xml_print(doc);
}

char *fit_test_reverted(const char *xml, struct fit_strlist *notes)
{
	struct fit_err err = FIT_ERR_INIT;
	char *text = NULL;
	bool changed;

	if (fit_revert(xml, strlen(xml), "vm.xml", notes, &text, &changed, &err) < 0)
		fail_msg("%s", err.message);
	assert_true(changed);
	return text;
}
