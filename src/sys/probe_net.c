/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which network interfaces the host uses, as far as sysfs and procfs tell: those that have an
 * address or a default route, and those that are part of something else (bridge, bond, macvtap,
 * VLAN). An IPv4 address is known by the route to its network, which the kernel adds with it. The
 * kernel gives each interface that is up an IPv6 address by itself; such link-local ones say
 * nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

#define IPV6_SCOPE_LINK "20" /* include/net/ipv6.h, as if_inet6 prints it */

void fit_probe_net_clear(struct fit_probe_net *net)
{
	fit_strlist_clear(&net->addressed);
	fit_strlist_clear(&net->routed);
}

/* "INTERFACE DESTINATION GATEWAY FLAGS REFERENCES USE METRIC MASK …", below a line of titles */
static void read_routes(struct fit_probe_net *net, const char *text)
{
	fit_autostrlist struct fit_strlist lines = {0};

	fit_strlist_split(&lines, text, "\n");
	for (size_t i = 1; i < lines.count; i++) {
		fit_autostrlist struct fit_strlist words = {0};

		fit_strlist_split(&words, lines.items[i], " \t");
		if (words.count < 8)
			continue;
		fit_strlist_add(fit_streq(words.items[1], "00000000") &&
						fit_streq(words.items[7], "00000000")
					? &net->routed
					: &net->addressed,
			words.items[0]);
	}
}

/* "ADDRESS INDEX PREFIX SCOPE FLAGS INTERFACE" */
static void read_addresses(struct fit_probe_net *net, const char *text)
{
	fit_autostrlist struct fit_strlist lines = {0};

	fit_strlist_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.count; i++) {
		fit_autostrlist struct fit_strlist words = {0};

		fit_strlist_split(&words, lines.items[i], " \t");
		if (words.count >= 6 && !fit_streq(words.items[3], IPV6_SCOPE_LINK))
			fit_strlist_add(&net->addressed, words.items[5]);
	}
}

void fit_probe_net(const struct fit_probe_run *run, struct fit_probe_net *net)
{
	fit_autofree char *routes = fit_fsroot_try_read(run->root, FIT_PATH_ROUTES);
	fit_autofree char *addresses = fit_fsroot_try_read(run->root, FIT_PATH_IPV6_ADDRESSES);

	*net = (struct fit_probe_net){.known = routes};
	if (routes)
		read_routes(net, routes);
	if (addresses)
		read_addresses(net, addresses);
}

/* "upper_br0" is a link to what is made of it. */
static char *find_upper(const struct fit_probe_run *run, const char *directory)
{
	static const char upper[] = "upper_";
	fit_autostrlist struct fit_strlist names = {0};
	fit_autofree char *master = fit_xasprintf("%s/master", directory);
	char *name;

	if (fit_fsroot_list(run->root, directory, &names, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < names.count; i++)
		if (fit_starts_with(names.items[i], upper))
			return fit_xstrdup(names.items[i] + strlen(upper));
	name = fit_strlist_contains(&names, "master") ? fit_fsroot_link_name(run->root, master)
						      : NULL;
	return name;
}

char *fit_probe_net_use(const struct fit_probe_run *run, const struct fit_probe_net *net,
	const char *directory, const struct fit_netdev *netdev)
{
	fit_autofree char *upper = find_upper(run, directory);

	if (upper)
		return fit_xasprintf("is part of %s", upper);
	if (fit_strlist_contains(&net->routed, netdev->name))
		return fit_xstrdup("has the default route");
	if (fit_strlist_contains(&net->addressed, netdev->name))
		return fit_xstrdup("has an address");
	if (netdev->up && !net->known)
		return fit_xstrdup("is up");
	return NULL;
}
