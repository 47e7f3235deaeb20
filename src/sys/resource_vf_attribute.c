/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the PF's driver enforces for a VF (sys/vf_link.h), each attribute by itself. They are
 * claimed at `start`: VFs that are made for the domain exist by then, and libvirt has set what it
 * sets. They end with the VF, or at `release`. Below another root than "/" files stand for them.
 *
 * A driver resets the VF over some of them and refuses the next until that is done.
 */
#include "sys/resource_kinds.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/pciaddr.h"
#include "sys/clock.h"
#include "sys/paths.h"
#include "sys/vf_link.h"
#include "sys/wanted.h"

#define RESET_MS 3000
#define POLL_MS	 50
#define VFS_MAX	 UINT16_MAX

/* PF/sriov/NUMBER/ATTRIBUTE, taken apart. */
struct place {
	char pf[sizeof(FIT_PATH_PCI_DEVICES) + 32];
	unsigned int vf;
	enum fit_vf_attribute attribute;
};

static char *make_path(struct fit_pciaddr pf, unsigned int vf, const char *attribute)
{
	return fit_xasprintf(
		FIT_PATH_PCI_DEVICES "/%s/sriov/%u/%s", FIT_PCIADDR_STR(pf), vf, attribute);
}

static bool parse_path(const char *path, struct place *place)
{
	const char *rest = strstr(path, "/sriov/");
	uint64_t number;

	if (!rest || (size_t)(rest - path) >= sizeof(place->pf))
		return false;
	memcpy(place->pf, path, (size_t)(rest - path));
	place->pf[rest - path] = '\0';
	rest += strlen("/sriov/");
	if (!fit_scan_uint(&rest, VFS_MAX, &number) || *rest != '/')
		return false;
	place->vf = (unsigned int)number;
	return fit_vf_attribute_parse(rest + 1, &place->attribute);
}

static char *read_attribute(
	const struct fit_fsroot *root, enum fit_resource_kind kind FIT_UNUSED, const char *path)
{
	fit_autofree char *netdev = NULL;
	struct place place;

	if (!root->real)
		return fit_fsroot_try_read(root, path);
	if (!parse_path(path, &place))
		return NULL;
	netdev = fit_pci_netdev(root, place.pf);
	return netdev ? fit_vf_link_read(netdev, place.vf, place.attribute) : NULL;
}

static int write_once(
	const struct fit_state *state, const char *path, const char *target, struct fit_err *err)
{
	fit_autofree char *netdev = NULL;
	struct place place;

	if (!state->root->real)
		return fit_fsroot_write(state->root, path, target, err);
	if (!parse_path(path, &place))
		return fit_err_set(err, FIT_ERR_INVALID, "/%s is no attribute of a VF", path);
	netdev = fit_pci_netdev(state->root, place.pf);
	if (!netdev)
		return fit_err_sys(err, ENOENT, "/%s has no network device", place.pf);
	return fit_vf_link_write(netdev, place.vf, place.attribute, target, err);
}

/* What a driver's refusal means. */
static void explain(struct fit_err *err)
{
	switch (err->sys_errno) {
	case EOPNOTSUPP:
		(void)fit_err_prefix(err, "the driver of the physical function cannot do that: ");
		break;
	case EAGAIN:
	case EBUSY:
		(void)fit_err_prefix(err, "the VF is still being reset: ");
		break;
	case EINVAL:
		(void)fit_err_prefix(err, "the card does not take this value, or lacks this VF: ");
		break;
	case EPROTONOSUPPORT:
		(void)fit_err_prefix(err, "the card does not know this kind of VLAN: ");
		break;
	default:
		break;
	}
}

static int write_attribute(const struct fit_state *state, enum fit_resource_kind kind,
	const char *path, const char *target, struct fit_err *err)
{
	struct fit_err problem = FIT_ERR_INIT;
	fit_autofree char *now = NULL;
	int64_t deadline = fit_clock_ms() + RESET_MS;

	if (deadline > state->deadline)
		deadline = state->deadline;
	while (write_once(state, path, target, &problem) < 0) {
		if ((problem.sys_errno == EAGAIN || problem.sys_errno == EBUSY) &&
			fit_clock_wait(POLL_MS, deadline))
			continue;
		explain(&problem);
		if (err)
			*err = problem;
		return -1;
	}
	now = read_attribute(state->root, kind, path);
	if (fit_streq(now, target))
		return 0;
	return fit_err_set(err, FIT_ERR_REFUSED, "/%s: '%s' was set, '%s' is there", path, target,
		now ? now : "nothing");
}

const struct fit_resource_ops fit_resource_vf_attribute = {
	.name = "vf-attribute",
	.read = read_attribute,
	.write = write_attribute,
};

/* The other domain that has the VF; NULL: none. */
static const struct fit_journal *owner(const struct fit_expansion *expansion, struct fit_pciaddr vf)
{
	const struct fit_state *state = expansion->state;

	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *journal = &state->journals[i];

		if (!fit_streq(journal->uuid, expansion->journal->uuid) &&
			fit_journal_has_device(journal, vf))
			return journal;
	}
	return NULL;
}

int fit_vf_attribute_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	const struct fit_fsroot *root = expansion->state->root;
	const struct fit_journal *other = owner(expansion, op->device);
	fit_autofree char *directory =
		fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", FIT_PCIADDR_STR(op->device));
	fit_autofree char *path = NULL;
	fit_autofree char *current = NULL;
	fit_autofree char *lacking = NULL;
	struct fit_pciaddr pf = {0};
	unsigned int index = 0;

	if (other)
		return fit_err_set(err, FIT_ERR_REFUSED, "VF %s is held by the domain '%s'",
			FIT_PCIADDR_STR(op->device), other->name);
	if (fit_vf_find(root, op->device, &pf, &index, err) < 0)
		return -1;
	path = make_path(pf, index, op->path);
	current = read_attribute(root, FIT_RESOURCE_VF_ATTRIBUTE, path);
	/* Of one that is yet to be made nothing can be known. */
	if (!current && fit_fsroot_exists(root, directory)) {
		lacking = fit_xasprintf("%s of VF %u of %s cannot be set: its driver does not "
					"offer it",
			op->path, index, FIT_PCIADDR_STR(pf));
		return fit_wanted_lacks(expansion, op, lacking, err);
	}
	fit_wanted_set(&expansion->wanted, FIT_RESOURCE_VF_ATTRIBUTE, op, FIT_STEAL(path),
		fit_xstrdup(op->value));
	return 0;
}
