/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guests with NUMA cells see on which one's node a device is. Cells are given to the plan here: the
 * definition's count as those that a plan makes. */
#include "support.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/place.h"
#include "support_plan.h"

struct stage {
	struct fit_domain domain;
	struct fit_domain previous;
	struct fit_plan plan;
	struct fit_plan_input input;
	struct fit_planner planner;
};

/* Two cells, on nodes 0 and 1. */
static void set_up(struct stage *s)
{
	*s = (struct stage){.domain = fit_made_domain("vm", 4, GIB)};
	for (unsigned int node = 0; node < 2; node++)
		fit_cpuset_add(&FIT_APPEND(s->plan.cells, s->plan.cell_count)->nodes, node);
	s->input = (struct fit_plan_input){.domain = &s->domain};
	s->planner =
		(struct fit_planner){.input = &s->input, .domain = &s->domain, .plan = &s->plan};
	for (unsigned int bus = 0; bus < 4; bus++)
		fit_cpuset_add(&s->domain.pci_buses, bus);
}

static void end(struct stage *s)
{
	fit_plan_clear(&s->plan);
	fit_domain_clear(&s->domain);
	fit_domain_clear(&s->previous);
}

static void add_vf(struct stage *s, int node)
{
	struct fit_planned_vf *vf = FIT_APPEND(s->plan.vfs, s->plan.vf_count);

	vf->node = node;
	vf->vf.bus = (uint8_t)s->plan.vf_count;
}

static void add_function(struct stage *s, const char *address, int node)
{
	struct fit_planned_device *device = FIT_APPEND(s->plan.devices, s->plan.device_count);

	assert_true(fit_pciaddr_parse(address, &device->addr));
	device->node = node;
}

static struct fit_domain_controller *add_controller(struct fit_domain *domain, const char *model,
	unsigned int index, unsigned int bus_number, int cell)
{
	struct fit_domain_controller *controller =
		FIT_APPEND(domain->controllers, domain->controller_count);

	*controller = (struct fit_domain_controller){
		.type = fit_xstrdup("pci"),
		.model = fit_xstrdup(model),
		.has_index = true,
		.index = index,
		.bus_number = bus_number,
		.cell = cell,
	};
	return controller;
}

/* "pxb 0: 4 240@0/18; port 5@4/0; 5/0.0": expander of cell: index, bus number, slot; root port:
 * index and where it is; where devices are, "-" for libvirt's choice. */
static char *describe(const struct fit_plan *plan)
{
	struct fit_buffer text = {0};

	for (size_t i = 0; i < plan->expander_count; i++)
		fit_buffer_addf(&text, "pxb %u: %u %u@0/%x; ", plan->expanders[i].cell,
			plan->expanders[i].index, plan->expanders[i].bus_number,
			plan->expanders[i].slot);
	for (size_t i = 0; i < plan->port_count; i++)
		fit_buffer_addf(&text, "port %u@%u/%x; ", plan->ports[i].index, plan->ports[i].bus,
			plan->ports[i].slot);
	for (size_t i = 0; i < plan->vf_count + plan->device_count; i++) {
		const struct fit_guest_place *place =
			i < plan->vf_count ? &plan->vfs[i].place
					   : &plan->devices[i - plan->vf_count].place;

		if (place->set)
			fit_buffer_addf(
				&text, "%u/%x.%u ", place->bus, place->slot, place->function);
		else
			fit_buffer_add(&text, "- ");
	}
	return text.length ? fit_buffer_steal(&text) : fit_xstrdup("");
}

static void expect(struct stage *s, const char *wanted)
{
	fit_autofree char *found = NULL;

	fit_place_bus_commit(&s->planner);
	found = describe(&s->plan);
	assert_string_equal(found, wanted);
}

static void devices_are_behind_the_bus_of_their_cell(void **state)
{
	struct stage s;

	(void)state;
	set_up(&s);
	add_vf(&s, 1);
	add_vf(&s, 1);
	add_function(&s, "0000:c1:00.0", 0);
	add_function(&s, "0000:c1:00.1", 0);
	expect(&s, "pxb 0: 4 240@0/18; pxb 1: 5 224@0/17; port 6@5/0; port 7@5/1; port 8@4/0; "
		   "6/0.0 7/0.0 8/0.0 8/0.1 ");
	end(&s);
}

static void without_cells_libvirt_chooses(void **state)
{
	struct stage s;

	(void)state;
	set_up(&s);
	s.plan.cell_count = 1;
	add_vf(&s, 0);
	expect(&s, "- ");
	end(&s);
	set_up(&s);
	add_vf(&s, -1);
	add_vf(&s, 7);
	expect(&s, "- - ");
	end(&s);
}

static void many_devices_need_many_bus_numbers(void **state)
{
	struct stage s;

	(void)state;
	set_up(&s);
	for (unsigned int i = 0; i < 20; i++)
		add_vf(&s, 0);
	fit_place_bus_commit(&s.planner);
	assert_int_equal(s.plan.expander_count, 1);
	assert_int_equal(s.plan.expanders[0].bus_number, 256 - 21);
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(s.plan.ports[i].slot, i);
	end(&s);
}

static void expander_buses_of_the_definition_are_used(void **state)
{
	struct stage s;

	(void)state;
	set_up(&s);
	add_controller(&s.domain, "pcie-expander-bus", 3, 200, 1);
	*FIT_APPEND(s.domain.pci_slots, s.domain.pci_slot_count) = (struct fit_guest_slot){3, 0};
	add_vf(&s, 1);
	add_vf(&s, 0);
	expect(&s, "pxb 0: 4 184@0/18; port 5@3/1; port 6@4/0; 5/0.0 6/0.0 ");
	end(&s);
}

static void an_expander_bus_without_room_is_left_alone(void **state)
{
	struct stage s;

	(void)state;
	set_up(&s);
	add_controller(&s.domain, "pcie-expander-bus", 2, 252, 1);
	add_controller(&s.domain, "pcie-expander-bus", 3, 254, 0);
	add_vf(&s, 1);
	add_vf(&s, 1);
	expect(&s, "- - ");
	assert_non_null(fit_made_reason(&s.plan, FIT_REASON_NOTE, "no bus numbers left"));
	end(&s);
	/* One fits. */
	set_up(&s);
	add_controller(&s.domain, "pcie-expander-bus", 2, 252, 1);
	add_controller(&s.domain, "pcie-expander-bus", 3, 254, 0);
	add_vf(&s, 1);
	expect(&s, "port 4@2/0; 4/0.0 ");
	end(&s);
}

static void conventional_pci_has_no_such_buses(void **state)
{
	struct stage s;

	(void)state;
	set_up(&s);
	fit_xreplace(&s.domain.arch, "x86_64");
	fit_xreplace(&s.domain.machine, "pc-i440fx-7.2");
	add_vf(&s, 1);
	expect(&s, "- ");
	assert_non_null(fit_made_reason(
		&s.plan, FIT_REASON_NOTE, "cell 1 is near to its devices: a machine of type"));
	end(&s);
}

static void set_alias(struct fit_domain_controller *controller, const char *alias)
{
	fit_xreplace(&controller->alias, alias);
}

/* What libvirt has added behind ours since does not move ours; with another number of controllers
 * they are numbered anew, and leave no gap. */
static void controllers_stay_where_they_are(void **state)
{
	struct stage s;

	(void)state;
	set_up(&s);
	set_alias(add_controller(&s.previous, "pcie-expander-bus", 6, 240, 1), "ua-virt-fit-pxb1");
	set_alias(add_controller(&s.previous, "pcie-root-port", 7, 0, -1), "ua-virt-fit-port0");
	s.input.previous = &s.previous;
	add_vf(&s, 1);
	expect(&s, "pxb 1: 6 240@0/18; port 7@6/0; 7/0.0 ");
	fit_plan_clear(&s.plan);
	for (unsigned int node = 0; node < 2; node++)
		fit_cpuset_add(&FIT_APPEND(s.plan.cells, s.plan.cell_count)->nodes, node);
	add_vf(&s, 0);
	add_vf(&s, 1);
	expect(&s, "pxb 0: 4 240@0/18; pxb 1: 5 224@0/17; port 6@4/0; port 7@5/0; 6/0.0 7/0.0 ");
	end(&s);
}

/* Also where a controller of the user's is called like one of ours. */
static void a_name_of_the_users_does_not_move_controllers(void **state)
{
	struct stage s;

	(void)state;
	set_up(&s);
	fit_strlist_add(&s.domain.aliases_like_ours, "ua-virt-fit-port0");
	set_alias(add_controller(&s.domain, "pcie-root-port", 3, 0, -1), "ua-virt-fit-port0");
	set_alias(add_controller(&s.previous, "pcie-root-port", 3, 0, -1), "ua-virt-fit-port0");
	set_alias(add_controller(&s.previous, "pcie-expander-bus", 6, 240, 1), "ua-virt-fit-pxb1");
	set_alias(add_controller(&s.previous, "pcie-root-port", 7, 0, -1), "ua-virt-fit-port0-2");
	s.input.previous = &s.previous;
	add_vf(&s, 1);
	expect(&s, "pxb 1: 6 240@0/18; port 7@6/0; 7/0.0 ");
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_behind_the_bus_of_their_cell),
		cmocka_unit_test(without_cells_libvirt_chooses),
		cmocka_unit_test(many_devices_need_many_bus_numbers),
		cmocka_unit_test(expander_buses_of_the_definition_are_used),
		cmocka_unit_test(an_expander_bus_without_room_is_left_alone),
		cmocka_unit_test(conventional_pci_has_no_such_buses),
		cmocka_unit_test(controllers_stay_where_they_are),
		cmocka_unit_test(a_name_of_the_users_does_not_move_controllers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
