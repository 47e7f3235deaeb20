/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network card's physical function is brought up, for those whose VFs have no link otherwise, or
 * cannot even be made: a bit of its flags, as `ip link set up` sets it.
 */
#include "sys/resource_kinds.h"

#include <net/if.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/wanted.h"

#define UP   "up"
#define DOWN "down"

char *fit_pci_netdev(const struct fit_fsroot *root, const char *directory)
{
	fit_autofree char *parent = fit_xasprintf("%s/net", directory);
	fit_autostrlist struct fit_strlist names = {0};
	const char *first = NULL;
	int64_t lowest = INT64_MAX;

	if (fit_fsroot_list(root, parent, &names, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *path = fit_xasprintf("%s/%s/ifindex", parent, names.items[i]);
		int64_t number;

		if (!fit_fsroot_try_read_int(root, path, &number))
			number = INT64_MAX - 1;
		if (number < lowest) {
			lowest = number;
			first = names.items[i];
		}
	}
	return first ? fit_xstrdup(first) : NULL;
}

static bool read_flags(const struct fit_fsroot *root, const char *path, uint64_t *ret_flags)
{
	fit_autofree char *text = fit_fsroot_try_read(root, path);

	return text && fit_parse_c_uint(text, UINT32_MAX, ret_flags);
}

static char *read_up(
	const struct fit_fsroot *root, enum fit_resource_kind kind FIT_UNUSED, const char *path)
{
	uint64_t flags;

	if (!read_flags(root, path, &flags))
		return NULL;
	return fit_xstrdup(flags & IFF_UP ? UP : DOWN);
}

/* The other bits are those of the moment. */
static int write_up(const struct fit_state *state, enum fit_resource_kind kind FIT_UNUSED,
	const char *path, const char *target, struct fit_err *err)
{
	fit_autofree char *text = NULL;
	uint64_t flags = 0;

	if (!read_flags(state->root, path, &flags))
		return fit_err_set(err, FIT_ERR_REFUSED, "/%s cannot be read", path);
	flags = fit_streq(target, UP) ? flags | IFF_UP : flags & ~(uint64_t)IFF_UP;
	text = fit_xasprintf("0x%llx", (unsigned long long)flags);
	return fit_fsroot_write(state->root, path, text, err);
}

const struct fit_resource_ops fit_resource_pf_up = {
	.name = "pf-up",
	.read = read_up,
	.write = write_up,
};

int fit_pf_up_expand(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *directory = NULL;
	fit_autofree char *netdev = NULL;
	struct fit_pciaddr pf = {0};
	unsigned int index;

	if (fit_vf_find(root, op->device, &pf, &index, err) < 0)
		return -1;
	directory = fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", FIT_PCIADDR_STR(pf));
	netdev = fit_pci_netdev(root, directory);
	if (!netdev)
		return fit_err_set(err, FIT_ERR_REFUSED,
			"%s should be brought up, but has no network device", FIT_PCIADDR_STR(pf));
	fit_wanted_set(&expansion->wanted, FIT_RESOURCE_PF_UP, op,
		fit_xasprintf("%s/net/%s/flags", directory, netdev), fit_xstrdup(UP));
	return 0;
}
