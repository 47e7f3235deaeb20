/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the guest sees what is added to it. libvirt places a device well that stands alone, on a
 * guest of one node. What it does not do by itself:
 *
 *   - functions of one card go into one slot of the guest too: on PCI Express behind a root port of
 *     their own, on conventional PCI into a slot of the root bus;
 *   - where the guest has NUMA cells, a card is behind an expander bus (pcie-expander-bus) of the
 *     cell that is on its host node: so the guest's kernel knows what is near to it.
 *
 * On the root bus upper slots are taken, libvirt takes the first free one: so it does not put root
 * ports of its own beside ours, which would be left without a function 0 when ours go.
 */
#include "core/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/alias.h"
#include "core/target.h"

#define BUS_MAX 255
/* Chipset devices are above (q35: 1a to 1f), those that libvirt adds start below. */
#define SLOT_HIGHEST 0x18
#define SLOT_LOWEST  3
#define NO_SLOT	     UINT32_MAX
#define FUNCTIONS    8
/* Bus numbers for each expander bus: its own, those of root ports, and some for devices that are
 * plugged in later. */
#define EXPANDER_SPAN 16
/* Left to the root bus, for root ports to come. */
#define ROOT_SPARE 16

/* A VF, or the functions of one slot of the host. */
struct card {
	struct fit_pciaddr addr;
	int node;
	struct fit_guest_place *functions[FUNCTIONS];
	size_t count;
	int cell;    /* of its node; -1: the guest has none, or the host does not say */
	bool ported; /* behind a root port of ours */
};

struct layout {
	struct fit_planner *planner;
	struct fit_plan *plan;
	const struct fit_domain *domain;
	struct card *cards;
	size_t card_count;
	size_t port_count; /* wanted */
	bool keep_buses;   /* our controllers are those of before: they provide the same buses */
};

static bool is_same_card(struct fit_pciaddr a, struct fit_pciaddr b)
{
	return a.domain == b.domain && a.bus == b.bus && a.slot == b.slot;
}

static struct card *add_card(struct layout *layout, struct fit_pciaddr addr, int node)
{
	struct card *card = FIT_APPEND(layout->cards, layout->card_count);

	*card = (struct card){.addr = addr, .node = node, .cell = -1};
	return card;
}

static void list_cards(struct layout *layout)
{
	struct fit_plan *plan = layout->plan;
	struct card *card = NULL;

	for (size_t i = 0; i < plan->vf_count; i++) {
		card = add_card(layout, plan->vfs[i].vf, plan->vfs[i].node);
		card->functions[card->count++] = &plan->vfs[i].place;
	}
	card = NULL;
	for (size_t i = 0; i < plan->device_count; i++) {
		struct fit_planned_device *device = &plan->devices[i];

		if (!card || !is_same_card(card->addr, device->addr) || card->count == FUNCTIONS)
			card = add_card(layout, device->addr, device->node);
		card->functions[card->count++] = &device->place;
	}
}

static bool has_root_ports(const struct fit_domain *domain)
{
	return fit_machine_of(domain) & (FIT_MACHINE_Q35 | FIT_MACHINE_ARM | FIT_MACHINE_RISCV);
}

static bool has_slots(const struct fit_domain *domain)
{
	return fit_machine_of(domain) & (FIT_MACHINE_PC | FIT_MACHINE_PSERIES);
}

/* The highest free slot of the root bus that is not ours yet. */
static unsigned int free_root_slot(const struct layout *layout, size_t taken)
{
	for (unsigned int slot = SLOT_HIGHEST; slot >= SLOT_LOWEST; slot--)
		if (!fit_domain_has_slot(layout->domain, 0, slot) && taken-- == 0)
			return slot;
	return NO_SLOT;
}

/* The lowest free slot of an expander bus that is not ours yet. */
static unsigned int free_expander_slot(const struct layout *layout, unsigned int bus)
{
	const struct fit_plan *plan = layout->plan;

	for (unsigned int slot = 0; slot < 32; slot++) {
		bool taken = fit_domain_has_slot(layout->domain, bus, slot);

		for (size_t i = 0; i < plan->port_count; i++)
			taken |= plan->ports[i].bus == bus && plan->ports[i].slot == slot;
		if (!taken)
			return slot;
	}
	return NO_SLOT;
}

static const struct fit_domain_controller *previous_controller(
	const struct layout *layout, const char *alias)
{
	const struct fit_domain *previous = layout->planner->input->previous;

	for (size_t i = 0; previous && i < previous->controller_count; i++)
		if (fit_streq(previous->controllers[i].alias, alias) &&
			previous->controllers[i].has_index)
			return &previous->controllers[i];
	return NULL;
}

/* The bus of a controller of ours: as before, or the lowest that is free. Without gaps, which
 * libvirt would fill with root ports that nobody takes away again. */
static unsigned int provide_bus(const struct layout *layout, const char *alias)
{
	const struct fit_plan *plan = layout->plan;
	struct fit_cpuset used = layout->domain->pci_buses;
	unsigned int bus = 1;

	if (layout->keep_buses)
		return previous_controller(layout, alias)->index;
	for (size_t i = 0; i < plan->expander_count; i++)
		fit_cpuset_add(&used, plan->expanders[i].index);
	for (size_t i = 0; i < plan->port_count; i++)
		fit_cpuset_add(&used, plan->ports[i].index);
	while (fit_cpuset_contains(&used, bus))
		bus++;
	return bus;
}

/* Is every controller that is wanted there already, and no other of ours? */
static bool has_same_controllers(const struct layout *layout, const struct fit_strlist *aliases)
{
	const struct fit_domain *previous = layout->planner->input->previous;
	size_t ours = 0;

	for (size_t i = 0; previous && i < previous->controller_count; i++) {
		const char *alias = previous->controllers[i].alias;

		ours += fit_alias_is_ours(alias) && !fit_alias_is_taken(layout->domain, alias);
	}
	for (size_t i = 0; i < aliases->count; i++) {
		const struct fit_domain_controller *controller =
			previous_controller(layout, aliases->items[i]);

		if (!controller ||
			fit_cpuset_contains(&layout->domain->pci_buses, controller->index))
			return false;
	}
	return ours == aliases->count;
}

static char *expander_alias(const struct layout *layout, unsigned int cell)
{
	return fit_alias_make(layout->domain, "pxb%u", cell);
}

static char *port_alias(const struct layout *layout, size_t number)
{
	return fit_alias_make(layout->domain, "port%zu", number);
}

static size_t count_ports(const struct layout *layout, int cell)
{
	size_t count = 0;

	for (size_t i = 0; i < layout->card_count; i++)
		count += layout->cards[i].cell == cell;
	return count;
}

/* The definition's own expander bus for the cell; NULL: there is none. */
static const struct fit_domain_controller *own_expander(
	const struct layout *layout, unsigned int cell)
{
	for (size_t i = 0; i < layout->domain->controller_count; i++) {
		const struct fit_domain_controller *controller = &layout->domain->controllers[i];

		if (fit_streq(controller->model, "pcie-expander-bus") && controller->has_index &&
			controller->bus_number && controller->cell == (int)cell)
			return controller;
	}
	return NULL;
}

/* The lowest bus number of the definition's expander buses: ours are below. */
static unsigned int lowest_expander(const struct layout *layout)
{
	unsigned int lowest = BUS_MAX + 1;
	unsigned int unnumbered = 254; /* libvirt's choice for the first, then downwards */

	for (size_t i = 0; i < layout->domain->controller_count; i++) {
		const struct fit_domain_controller *controller = &layout->domain->controllers[i];
		unsigned int number = controller->bus_number;

		if (!fit_streq(controller->model, "pcie-expander-bus"))
			continue;
		if (!number) {
			number = unnumbered;
			unnumbered -= 2;
		}
		if (number < lowest)
			lowest = number;
	}
	return lowest;
}

/* Are there bus numbers for @count root ports more behind an expander bus of the definition? Its
 * numbers end where those of the next one begin. */
static bool has_room(
	const struct layout *layout, const struct fit_domain_controller *expander, size_t count)
{
	unsigned int next = BUS_MAX + 1;

	for (size_t i = 0; i < layout->domain->controller_count; i++) {
		unsigned int other = layout->domain->controllers[i].bus_number;

		if (other > expander->bus_number && other < next)
			next = other;
	}
	for (unsigned int slot = 0; slot < 32; slot++)
		count += fit_domain_has_slot(layout->domain, expander->index, slot);
	return expander->bus_number + count < next;
}

static void note_no_locality(struct layout *layout, int cell, const char *why)
{
	fit_planner_reason(layout->planner, FIT_REASON_NOTE, "devices",
		"the guest does not see that its cell %d is near to its devices: %s", cell, why);
	for (size_t i = 0; i < layout->card_count; i++)
		if (layout->cards[i].cell == cell)
			layout->cards[i].cell = -1;
}

/* Which cell is on the card's node? One cell alone is near to everything. */
static void find_cells(struct layout *layout)
{
	const struct fit_plan *plan = layout->plan;
	fit_autofree char *why = NULL;
	bool possible;

	if (plan->cell_count < 2)
		return;
	possible = fit_target_has(fit_planner_target(layout->planner), layout->domain,
		FIT_FEATURE_EXPANDER_BUS, &why);
	for (size_t i = 0; i < layout->card_count; i++) {
		struct card *card = &layout->cards[i];

		for (size_t c = plan->cell_count; card->node >= 0 && c > 0; c--)
			if (fit_cpuset_contains(
				    &plan->cells[c - 1].nodes, (unsigned int)card->node))
				card->cell = (int)c - 1;
	}
	for (size_t c = 0; c < plan->cell_count && !possible; c++)
		if (count_ports(layout, (int)c))
			note_no_locality(layout, (int)c, why);
}

/* Adds what we need of expander buses, with their bus numbers; the indexes come later. */
static void add_expanders(struct layout *layout)
{
	struct fit_plan *plan = layout->plan;
	unsigned int top = lowest_expander(layout);
	size_t reserved =
		fit_cpuset_count(&layout->domain->pci_buses) + layout->card_count + ROOT_SPARE;

	for (unsigned int cell = 0; cell < plan->cell_count; cell++) {
		const struct fit_domain_controller *own = own_expander(layout, cell);
		size_t ports = count_ports(layout, (int)cell);
		size_t span = ports + 1 > EXPANDER_SPAN ? ports + 1 : EXPANDER_SPAN;

		if (!ports)
			continue;
		if (own && !has_room(layout, own, ports)) {
			note_no_locality(layout, (int)cell,
				"there are no bus numbers left behind its expander bus");
		} else if (!own &&
			   (top < reserved + span ||
				   free_root_slot(layout, plan->expander_count) == NO_SLOT)) {
			note_no_locality(layout, (int)cell,
				"there is no room for an expander bus on its PCI buses");
		} else if (!own) {
			top -= (unsigned int)span;
			*FIT_APPEND(plan->expanders, plan->expander_count) =
				(struct fit_planned_expander){
					.cell = cell,
					.bus_number = top,
				};
		}
	}
}

/* Which cards get a root port, and do our controllers stay what they are? */
static void count_controllers(struct layout *layout)
{
	fit_autostrlist struct fit_strlist aliases = {0};

	for (size_t i = 0; i < layout->plan->expander_count; i++) {
		fit_autofree char *alias = expander_alias(layout, layout->plan->expanders[i].cell);

		fit_strlist_add(&aliases, alias);
	}
	for (size_t i = 0; i < layout->card_count; i++) {
		struct card *card = &layout->cards[i];
		fit_autofree char *alias = port_alias(layout, layout->port_count);

		card->ported =
			card->cell >= 0 || (card->count > 1 && has_root_ports(layout->domain));
		if (!card->ported)
			continue;
		fit_strlist_add(&aliases, alias);
		layout->port_count++;
	}
	layout->keep_buses = has_same_controllers(layout, &aliases);
}

static void number_expanders(struct layout *layout)
{
	struct fit_plan *plan = layout->plan;

	for (size_t i = 0; i < plan->expander_count; i++) {
		struct fit_planned_expander *expander = &plan->expanders[i];
		fit_autofree char *alias = expander_alias(layout, expander->cell);

		expander->index = provide_bus(layout, alias);
		expander->slot = free_root_slot(layout, i);
		fit_planner_reason(layout->planner, FIT_REASON_CHOICE, "devices",
			"guest cell %u gets a PCI Express bus of its own for its devices",
			expander->cell);
	}
}

/* The bus of the card's root port, and a slot there. */
static unsigned int parent_bus(const struct layout *layout, int cell)
{
	const struct fit_domain_controller *own;

	for (size_t i = 0; i < layout->plan->expander_count; i++)
		if ((int)layout->plan->expanders[i].cell == cell)
			return layout->plan->expanders[i].index;
	own = cell >= 0 ? own_expander(layout, (unsigned int)cell) : NULL;
	return own ? own->index : 0;
}

static bool add_port(struct layout *layout, const struct card *card, unsigned int *ret_bus)
{
	struct fit_plan *plan = layout->plan;
	fit_autofree char *alias = port_alias(layout, plan->port_count);
	unsigned int parent = parent_bus(layout, card->cell);
	unsigned int bus = provide_bus(layout, alias);
	size_t on_root = plan->expander_count;
	unsigned int slot;

	for (size_t i = 0; i < plan->port_count; i++)
		on_root += plan->ports[i].bus == 0;
	slot = parent ? free_expander_slot(layout, parent) : free_root_slot(layout, on_root);
	if (bus > BUS_MAX || slot == NO_SLOT)
		return false;
	*FIT_APPEND(plan->ports, plan->port_count) =
		(struct fit_planned_port){.index = bus, .bus = parent, .slot = slot};
	*ret_bus = bus;
	return true;
}

/* The functions in order and none left out: a guest looks for others only behind function 0. */
static void put_card(const struct card *card, unsigned int bus, unsigned int slot)
{
	for (size_t i = 0; i < card->count; i++)
		*card->functions[i] = (struct fit_guest_place){
			.set = true,
			.bus = bus,
			.slot = slot,
			.function = (unsigned int)i,
			.multifunction = i == 0 && card->count > 1,
		};
}

static void place_cards(struct layout *layout)
{
	bool has_place = has_root_ports(layout->domain) || has_slots(layout->domain);
	size_t slots = 0;

	for (size_t i = 0; i < layout->card_count; i++) {
		const struct card *card = &layout->cards[i];
		unsigned int bus = 0;
		unsigned int slot = NO_SLOT;

		if (card->ported)
			slot = add_port(layout, card, &bus) ? 0 : NO_SLOT;
		else if (card->count > 1 && has_slots(layout->domain))
			slot = free_root_slot(layout, slots++);
		if (slot != NO_SLOT)
			put_card(card, bus, slot);
		else if (card->count > 1)
			fit_planner_reason(layout->planner, FIT_REASON_NOTE, "devices",
				"the guest sees the functions of %s as devices of their own: %s",
				FIT_PCIADDR_STR(card->addr),
				has_place ? "there is no room on its PCI buses"
					  : "its machine type has no slots for several functions");
	}
}

void fit_place_bus_commit(struct fit_planner *planner)
{
	struct layout layout = {
		.planner = planner, .plan = planner->plan, .domain = planner->domain};

	list_cards(&layout);
	find_cells(&layout);
	add_expanders(&layout);
	count_controllers(&layout);
	number_expanders(&layout);
	place_cards(&layout);
	free(layout.cards);
}
