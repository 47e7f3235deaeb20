/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/buffer.h"
#include "base/strlist.h"
#include "sys/capture_parts.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

/* Each name once, in order. */
static void add_interfaces(
	struct fit_buffer *text, struct fit_strlist *names, const char *destination)
{
	fit_strlist_sort(names);
	for (size_t i = 0; i < names->count; i++)
		if (i == 0 || strcmp(names->items[i], names->items[i - 1]) != 0)
			fit_buffer_addf(text, "%s\t%s\t0\t0\t0\t0\t0\t%s\n", names->items[i],
				destination, destination);
}

void fit_capture_add_network(struct fit_capture *capture)
{
	struct fit_host host = {0};
	const struct fit_probe_run run = {.root = capture->root, .host = &host};
	fit_autobuffer struct fit_buffer text = {0};
	struct fit_probe_net net;

	fit_probe_net(&run, &net);
	fit_buffer_add(&text, "Iface\tDestination\n");
	add_interfaces(&text, &net.routed, "00000000");
	add_interfaces(&text, &net.addressed, "000000FF");
	if (net.known)
		fit_capture_add_text(capture, FIT_PATH_ROUTES, text.text, text.length);
	fit_probe_net_clear(&net);
	fit_probe_acs_override(&run);
	if (host.acs_override)
		fit_strlist_addf(&capture->lines, FIT_PATH_CMDLINE " = %s\n", host.acs_override);
	fit_host_clear(&host);
}
