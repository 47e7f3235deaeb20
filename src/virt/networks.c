/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "virt/networks.h"

#include <stdlib.h>

#include "base/memory.h"

/* The definition: a running network also lists what it found on the host. One that is gone since it
 * was listed is none any more. */
static void add_network(virNetworkPtr handle, struct fit_networks *networks)
{
	fit_autofree char *xml = virNetworkGetXMLDesc(handle, VIR_NETWORK_XML_INACTIVE);

	/* A transient one has no other. */
	if (!xml)
		xml = virNetworkGetXMLDesc(handle, 0);
	if (xml && fit_networks_add(networks, xml, virNetworkIsActive(handle) == 1, NULL) < 0)
		return;
}

int fit_virt_networks(
	const struct fit_virt *virt, struct fit_networks *ret_networks, struct fit_err *err)
{
	struct fit_networks networks = {0};
	virNetworkPtr *handles = NULL;
	int count = virConnectListAllNetworks(virt->connection, &handles, 0);

	if (count < 0)
		return fit_virt_fail(err, "cannot list the networks");
	for (int i = 0; i < count; i++) {
		add_network(handles[i], &networks);
		virNetworkFree(handles[i]);
	}
	free(handles);
	*ret_networks = networks;
	return 0;
}
