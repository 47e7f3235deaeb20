/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/networks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

static void clear_network(struct fit_network *network)
{
	free(network->name);
	free(network->pf);
	free(network->vfs);
}

void fit_networks_clear(struct fit_networks *networks)
{
	for (size_t i = 0; i < networks->count; i++)
		clear_network(&networks->items[i]);
	free(networks->items);
	*networks = (struct fit_networks){0};
}

int fit_networks_add(
	struct fit_networks *networks, const char *xml, bool active, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "network", err);
	const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
	const xmlNode *forward = fit_xml_child(root, "forward");
	fit_autofree char *mode = fit_xml_attr(forward, "mode");
	fit_autofree char *name = fit_xml_text(fit_xml_child(root, "name"));
	struct fit_network *network;

	if (!doc)
		return -1;
	if (!fit_xml_is(root, "network") || !name)
		return fit_err_set(
			err, FIT_ERR_INVALID, "network: no <network> with a name is here");
	network = FIT_APPEND(networks->items, networks->count);
	network->name = FIT_STEAL(name);
	network->active = active;
	network->gives_vfs = fit_streq(mode, "hostdev");
	if (!network->gives_vfs)
		return 0;
	network->pf = fit_xml_attr(fit_xml_child(forward, "pf"), "dev");
	fit_xml_for_each (node, forward, "address") {
		struct fit_pciaddr addr;

		if (fit_xml_pciaddr(node, &addr, NULL))
			*FIT_APPEND(network->vfs, network->vf_count) = addr;
	}
	return 0;
}

const struct fit_network *fit_networks_find(const struct fit_networks *networks, const char *name)
{
	for (size_t i = 0; i < networks->count; i++)
		if (fit_streq(networks->items[i].name, name))
			return &networks->items[i];
	return NULL;
}
