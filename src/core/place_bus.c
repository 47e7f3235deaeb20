/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the guest sees the devices that are added to it. libvirt places a device well that stands
 * alone. Functions of one card are to be functions of one slot in the guest too, which libvirt does
 * not do by itself: on PCI Express they get a root port of their own, on conventional PCI a slot.
 *
 * Slots are taken from the upper ones of the root bus, libvirt takes the first free one: so it does
 * not put root ports of its own beside ours, which would be left without a function 0 when ours go.
 */
#include "core/place.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/target.h"

#define BUS_MAX 255
/* Chipset devices are above (q35: 1a to 1f), those that libvirt adds start below. */
#define SLOT_HIGHEST 0x18
#define SLOT_LOWEST  3
#define NO_SLOT	     UINT32_MAX

static bool has_root_ports(const struct fit_domain *domain)
{
	return fit_machine_of(domain) & (FIT_MACHINE_Q35 | FIT_MACHINE_ARM | FIT_MACHINE_RISCV);
}

static bool has_slots(const struct fit_domain *domain)
{
	return fit_machine_of(domain) & (FIT_MACHINE_PC | FIT_MACHINE_PSERIES);
}

static bool is_same_card(const struct fit_planned_device *a, const struct fit_planned_device *b)
{
	return a->addr.domain == b->addr.domain && a->addr.bus == b->addr.bus &&
	       a->addr.slot == b->addr.slot;
}

/* The free slot of the root bus for the next of ours; @taken of them are ours already. */
static unsigned int free_slot(const struct fit_domain *domain, size_t taken)
{
	for (unsigned int slot = SLOT_HIGHEST; slot >= SLOT_LOWEST; slot--)
		if (!fit_cpuset_contains(&domain->pci_root_slots, slot) && taken-- == 0)
			return slot;
	return NO_SLOT;
}

/* The bus that a controller of ours has provided so far, if nobody else has it now. */
static bool previous_bus(
	const struct fit_planner *planner, const char *alias, unsigned int *ret_bus)
{
	const struct fit_domain *previous = planner->input->previous;

	for (size_t i = 0; previous && i < previous->controller_count; i++) {
		const struct fit_domain_controller *controller = &previous->controllers[i];

		if (!fit_streq(controller->alias, alias) || !controller->has_index ||
			fit_cpuset_contains(&planner->domain->pci_buses, controller->index))
			continue;
		*ret_bus = controller->index;
		return true;
	}
	return false;
}

/* Does one of our other controllers have it, now or from before? */
static bool is_ours(const struct fit_planner *planner, unsigned int bus)
{
	const struct fit_domain *previous = planner->input->previous;

	for (size_t i = 0; i < planner->plan->port_count; i++)
		if (planner->plan->ports[i].index == bus)
			return true;
	for (size_t i = 0; previous && i < previous->controller_count; i++) {
		const struct fit_domain_controller *controller = &previous->controllers[i];

		if (controller->alias && fit_starts_with(controller->alias, FIT_ALIAS_PREFIX) &&
			controller->has_index && controller->index == bus)
			return true;
	}
	return false;
}

/* Behind all that the definition has: libvirt gives its own the numbers in between. */
static unsigned int new_bus(const struct fit_planner *planner)
{
	unsigned int bus = 1;

	fit_cpuset_for_each (used, &planner->domain->pci_buses)
		if ((unsigned int)used >= bus)
			bus = (unsigned int)used + 1;
	while (is_ours(planner, bus))
		bus++;
	return bus;
}

/* A root port on the root bus; NULL when there is no room. */
static const struct fit_planned_port *add_port(struct fit_planner *planner)
{
	struct fit_plan *plan = planner->plan;
	fit_autofree char *alias = fit_xasprintf(FIT_ALIAS_PREFIX "port%zu", plan->port_count);
	unsigned int slot = free_slot(planner->domain, plan->port_count);
	struct fit_planned_port *port;
	unsigned int bus;

	if (!previous_bus(planner, alias, &bus))
		bus = new_bus(planner);
	if (bus > BUS_MAX || slot == NO_SLOT)
		return NULL;
	port = FIT_APPEND(plan->ports, plan->port_count);
	*port = (struct fit_planned_port){.index = bus, .slot = slot};
	return port;
}

/* The functions of a card into one guest slot, with their numbers in order and none left out: a
 * guest looks at the others only behind function 0. */
static void place_card(struct fit_planner *planner, struct fit_planned_device *functions,
	size_t count, size_t cards)
{
	const struct fit_domain *domain = planner->domain;
	unsigned int bus = 0;
	unsigned int slot = NO_SLOT;

	if (has_root_ports(domain)) {
		const struct fit_planned_port *port = add_port(planner);

		bus = port ? port->index : 0;
		slot = port ? 0 : NO_SLOT;
	} else if (has_slots(domain)) {
		slot = free_slot(domain, cards);
	}
	if (slot == NO_SLOT) {
		fit_planner_reason(planner, FIT_REASON_NOTE, "devices",
			"the guest sees the functions of %s as devices of their own: %s",
			FIT_PCIADDR_STR(functions->addr),
			has_root_ports(domain) || has_slots(domain)
				? "there is no room on its PCI buses"
				: "its machine type has no slots for several functions");
		return;
	}
	for (size_t i = 0; i < count; i++)
		functions[i].place = (struct fit_guest_place){
			.set = true,
			.bus = bus,
			.slot = slot,
			.function = (unsigned int)i,
			.multifunction = i == 0,
		};
}

void fit_place_bus_commit(struct fit_planner *planner)
{
	struct fit_plan *plan = planner->plan;
	size_t cards = 0;

	for (size_t i = 0, end; i < plan->device_count; i = end) {
		end = i + 1;
		while (end < plan->device_count &&
			is_same_card(&plan->devices[i], &plan->devices[end]))
			end++;
		if (end - i > 1)
			place_card(planner, &plan->devices[i], end - i, cards++);
	}
}
