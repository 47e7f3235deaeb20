/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/strict.h"

struct parser {
	struct fit_strict in;
	struct fit_host_policy *policy;
};

#define fail(parser, node, format, ...) fit_strict_fail(&(parser)->in, node, format, ##__VA_ARGS__)

void fit_host_policy_clear(struct fit_host_policy *policy)
{
	for (size_t i = 0; i < policy->device_count; i++)
		free(policy->devices[i].name);
	free(policy->devices);
	free(policy->file);
	*policy = (struct fit_host_policy){0};
}

/* A list with at least one number in it. */
static int read_list(const struct parser *parser, const xmlNode *node, const char *attribute,
	const char *text, struct fit_cpuset *ret_set)
{
	struct fit_err problem = FIT_ERR_INIT;

	if (fit_cpuset_parse_list(text, ret_set, &problem) < 0)
		return fail(parser, node, "<%s %s=>: %s", node->name, attribute, problem.message);
	if (fit_cpuset_is_empty(ret_set))
		return fail(parser, node, "<%s %s=> is empty: name at least one, as in \"0-1\"",
			node->name, attribute);
	return 0;
}

static int read_housekeeping(const struct parser *parser, const xmlNode *node)
{
	struct fit_host_policy *policy = parser->policy;
	fit_autofree char *cpus = fit_xml_attr(node, "cpus");
	fit_autofree char *cores = fit_xml_attr(node, "cores-per-node");
	uint64_t count = 0;

	if (fit_strict_attributes(&parser->in, node, "cpus cores-per-node") < 0 ||
		fit_strict_childless(&parser->in, node) < 0)
		return -1;
	if (policy->housekeeping_line)
		return fail(parser, node, "second <housekeeping>: the first is in line %u",
			policy->housekeeping_line);
	if (!cpus == !cores)
		return fail(parser, node,
			"<housekeeping> needs one of cpus=\"0-1\" and cores-per-node=\"1\"");
	policy->housekeeping_line = fit_xml_line(node);
	if (cpus)
		return read_list(parser, node, "cpus", cpus, &policy->housekeeping);
	if (!fit_parse_uint(cores, FIT_CPUSET_MAX, &count) || !count) {
		fit_autofree char *shown = fit_printable(cores);

		return fail(parser, node,
			"<housekeeping cores-per-node=\"%s\"> must be a number from 1 to %d", shown,
			FIT_CPUSET_MAX);
	}
	policy->cores_per_node = (unsigned int)count;
	return 0;
}

static int read_allowed(const struct parser *parser, const xmlNode *node)
{
	struct fit_host_policy *policy = parser->policy;
	fit_autofree char *cpus = fit_xml_attr(node, "cpus");

	if (fit_strict_attributes(&parser->in, node, "cpus") < 0 ||
		fit_strict_childless(&parser->in, node) < 0)
		return -1;
	if (policy->allowed_line)
		return fail(parser, node, "second <allowed>: the first is in line %u",
			policy->allowed_line);
	if (!cpus)
		return fail(parser, node, "<allowed> needs cpus=\"0-15\", or cpus=\"self\"");
	policy->allowed_line = fit_xml_line(node);
	policy->allowed_self = fit_streq(cpus, "self");
	return policy->allowed_self ? 0 : read_list(parser, node, "cpus", cpus, &policy->allowed);
}

static int read_keep(const struct parser *parser, const xmlNode *node)
{
	struct fit_host_policy *policy = parser->policy;
	struct fit_policy_device *device;
	fit_autofree char *name = fit_xml_attr(node, "device");
	fit_autofree char *vfs = fit_xml_attr(node, "vfs");

	if (fit_strict_attributes(&parser->in, node, "device vfs") < 0 ||
		fit_strict_childless(&parser->in, node) < 0)
		return -1;
	if (!name || !*name)
		return fail(parser, node,
			"<keep> needs a PCI address or a network interface: <keep device=\"eno1\"/>");
	device = FIT_APPEND(policy->devices, policy->device_count);
	device->name = FIT_STEAL(name);
	device->line = fit_xml_line(node);
	device->some_vfs = vfs != NULL;
	return vfs ? read_list(parser, node, "vfs", vfs, &device->vfs) : 0;
}

static int read_start(const struct parser *parser, const xmlNode *node)
{
	fit_autofree char *stale = fit_xml_attr(node, "stale");

	if (fit_strict_attributes(&parser->in, node, "stale") < 0 ||
		fit_strict_childless(&parser->in, node) < 0)
		return -1;
	if (parser->policy->stale)
		return fail(parser, node, "second <start>");
	if (!fit_stale_parse(stale, &parser->policy->stale))
		return fail(parser, node, "<start> needs stale=, which is " FIT_STALE_WORDS);
	return 0;
}

static int read_root(const struct parser *parser, const xmlNode *root)
{
	const xmlNode *child = NULL;

	if (!fit_xml_is_in(root, FIT_HOST_NAMESPACE, "host"))
		return fail(parser, root,
			"<%s> is not what belongs to the host: it begins with <host "
			"xmlns=\"" FIT_HOST_NAMESPACE "\">",
			root->name);
	if (fit_strict_attributes(&parser->in, root, "") < 0)
		return -1;
	for (;;) {
		int status;

		if (fit_strict_next(&parser->in, root, &child) < 0)
			return -1;
		if (!child)
			return 0;
		if (fit_xml_is_in(child, FIT_HOST_NAMESPACE, "housekeeping"))
			status = read_housekeeping(parser, child);
		else if (fit_xml_is_in(child, FIT_HOST_NAMESPACE, "allowed"))
			status = read_allowed(parser, child);
		else if (fit_xml_is_in(child, FIT_HOST_NAMESPACE, "keep"))
			status = read_keep(parser, child);
		else if (fit_xml_is_in(child, FIT_HOST_NAMESPACE, "start"))
			status = read_start(parser, child);
		else
			status = fail(parser, child,
				"unknown element <%s>%s: <host> has housekeeping, allowed, keep, start",
				child->name, child->ns ? "" : ", in no namespace");
		if (status < 0)
			return -1;
	}
}

int fit_host_policy_parse(const char *file, const char *text, size_t length,
	struct fit_host_policy *ret_policy, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(text, length, file, err);
	struct fit_host_policy policy = {0};
	const struct parser parser = {.in = {file, err}, .policy = &policy};

	if (!doc)
		return -1;
	policy.file = fit_xstrdup(file);
	if (read_root(&parser, xmlDocGetRootElement(doc)) < 0) {
		fit_host_policy_clear(&policy);
		return -1;
	}
	*ret_policy = policy;
	return 0;
}
