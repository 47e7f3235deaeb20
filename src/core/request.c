/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and prints requests. Elements of other namespaces are none of our business; an element
 * without a namespace is, when it looks like a request: libvirt drops it silently on define, and
 * its author would wonder for long why nothing happens.
 */
#include "core/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

/* All versions of the request's namespace start like this. */
#define NAMESPACE_FAMILY "urn:virt-fit:domain:"

#define HOW_TO_WRITE "write <fit:domain xmlns:fit=\"" FIT_REQUEST_NAMESPACE "\" profile=\"...\"/>"

#define WHITE_SPACE " \t\r\n"

void fit_request_clear(struct fit_request *request)
{
	fit_strlist_clear(&request->profiles);
	for (size_t i = 0; i < request->param_count; i++) {
		free(request->params[i].name);
		free(request->params[i].value);
	}
	free(request->params);
	for (size_t i = 0; i < request->device_count; i++)
		free(request->devices[i].netdev);
	free(request->devices);
	*request = (struct fit_request){0};
}

static void put_param(struct fit_request *request, const struct fit_param *param)
{
	struct fit_param *added;

	for (size_t i = 0; i < request->param_count; i++) {
		if (!fit_streq(request->params[i].name, param->name))
			continue;
		free(request->params[i].value);
		request->params[i].value = fit_xstrdup(param->value);
		return;
	}
	added = FIT_APPEND(request->params, request->param_count);
	added->name = fit_xstrdup(param->name);
	added->value = fit_xstrdup(param->value);
}

static void put_device(struct fit_request *request, const struct fit_request_device *device)
{
	struct fit_request_device *added;

	for (size_t i = 0; i < request->device_count; i++) {
		const struct fit_request_device *known = &request->devices[i];

		if (known->netdev || device->netdev
				? fit_streq(known->netdev, device->netdev)
				: fit_pciaddr_equal(known->address, device->address))
			return;
	}
	added = FIT_APPEND(request->devices, request->device_count);
	added->netdev = device->netdev ? fit_xstrdup(device->netdev) : NULL;
	added->address = device->address;
}

void fit_request_merge(struct fit_request *request, const struct fit_request *more)
{
	if (more->profiles.count)
		fit_strlist_clear(&request->profiles);
	for (size_t i = 0; i < more->profiles.count; i++)
		fit_strlist_add(&request->profiles, more->profiles.items[i]);
	for (size_t i = 0; i < more->param_count; i++)
		put_param(request, &more->params[i]);
	for (size_t i = 0; i < more->device_count; i++)
		put_device(request, &more->devices[i]);
	if (more->stale)
		request->stale = more->stale;
}

bool fit_profile_name_is_valid(const char *name)
{
	static const char alnum[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t length = strlen(name);

	if (length == 0 || length > 64 || !strchr(alnum, name[0]) || strstr(name, ".."))
		return false;
	for (; *name; name++)
		if (!strchr(alnum, *name) && !strchr("._-", *name))
			return false;
	return true;
}

/* What a message needs: which document, and where the error goes. */
struct place {
	const char *document;
	struct fit_err *err;
};

#define fail(place, node, format, ...) \
	fit_err_set((place)->err, FIT_ERR_INVALID, "%s:%u: " format, (place)->document, \
		fit_xml_line(node), ##__VA_ARGS__)

static const char *namespace_of(const xmlNode *node)
{
	return node->ns && node->ns->href ? (const char *)node->ns->href : NULL;
}

/* Refuses attributes other than @first and @second, foreign ones excepted. */
static int check_attributes(
	const struct place *place, const xmlNode *node, const char *first, const char *second)
{
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
		const char *name = (const char *)attr->name;
		bool ours =
			attr->ns && fit_streq((const char *)attr->ns->href, FIT_REQUEST_NAMESPACE);

		if (attr->ns && !ours)
			continue;
		if (!ours && (fit_streq(name, first) || fit_streq(name, second)))
			continue;
		return fail(place, node,
			"<%s> has no attribute %s%s: it has %s and %s, without a prefix",
			node->name, ours ? "with a prefix, such as " : "", name, first, second);
	}
	return 0;
}

/* Refuses text and children of ours or of nobody. */
static int check_empty(const struct place *place, const xmlNode *node)
{
	for (const xmlNode *child = node->children; child; child = child->next) {
		if (child->type == XML_ELEMENT_NODE && namespace_of(child) &&
			!fit_streq(namespace_of(child), FIT_REQUEST_NAMESPACE))
			continue;
		if (child->type == XML_ELEMENT_NODE)
			return fail(
				place, child, "<%s> cannot contain <%s>", node->name, child->name);
		if (child->type != XML_COMMENT_NODE && child->type != XML_PI_NODE &&
			!xmlIsBlankNode(child))
			return fail(place, node, "<%s> cannot contain text", node->name);
	}
	return 0;
}

static int read_profiles(const struct place *place, const xmlNode *node, struct fit_strlist *names)
{
	fit_autofree char *text = fit_xml_attr(node, "profile");

	if (!text)
		return fail(place, node, "the request names no profile: " HOW_TO_WRITE);
	fit_strlist_split(names, text, WHITE_SPACE);
	if (names->count == 0)
		return fail(place, node,
			"the request's profile=\"\" is empty: name one or more profiles, "
			"or remove the element");
	for (size_t i = 0; i < names->count; i++) {
		fit_autofree char *shown = fit_printable(names->items[i]);

		if (!fit_profile_name_is_valid(names->items[i]))
			return fail(place, node,
				"\"%s\" is no profile name: names have up to 64 letters, digits, "
				"'.', '_' and '-', start with a letter or digit, and are separated "
				"by spaces",
				shown);
	}
	return 0;
}

static int read_stale(const struct place *place, const xmlNode *node, struct fit_request *request)
{
	fit_autofree char *text = fit_xml_attr(node, "stale");
	fit_autofree char *shown = text ? fit_printable(text) : NULL;

	if (text && !fit_stale_parse(text, &request->stale))
		return fail(place, node, "stale=\"%s\" must be " FIT_STALE_WORDS, shown);
	return 0;
}

static int read_param(const struct place *place, const xmlNode *node, struct fit_request *request)
{
	fit_autofree char *name = fit_xml_attr(node, "name");
	fit_autofree char *value = fit_xml_attr(node, "value");
	struct fit_param *param;

	if (check_attributes(place, node, "name", "value") < 0 || check_empty(place, node) < 0)
		return -1;
	if (!name || !*name || !value)
		return fail(place, node, "<param> needs name= and value=");
	for (size_t i = 0; i < request->param_count; i++) {
		fit_autofree char *shown = fit_printable(name);

		if (fit_streq(request->params[i].name, name))
			return fail(place, node, "parameter \"%s\" is given twice", shown);
	}
	param = FIT_APPEND(request->params, request->param_count);
	param->name = FIT_STEAL(name);
	param->value = FIT_STEAL(value);
	return 0;
}

static int read_device(const struct place *place, const xmlNode *node, struct fit_request *request)
{
	fit_autofree char *address = fit_xml_attr(node, "address");
	fit_autofree char *netdev = fit_xml_attr(node, "netdev");
	struct fit_request_device device = {0};

	if (check_attributes(place, node, "address", "netdev") < 0 || check_empty(place, node) < 0)
		return -1;
	if (!address == !netdev)
		return fail(place, node, "<device> needs either address= or netdev=");
	if (address && !fit_pciaddr_parse(address, &device.address)) {
		fit_autofree char *shown = fit_printable(address);

		return fail(place, node,
			"\"%s\" is no PCI address: write it as lspci -D does, such as 0000:41:00.0",
			shown);
	}
	if (netdev && !*netdev)
		return fail(place, node, "<device netdev=\"\"> names no network interface");
	for (size_t i = 0; i < request->device_count; i++) {
		const struct fit_request_device *other = &request->devices[i];

		if (fit_streq(other->netdev, netdev) &&
			(netdev || fit_pciaddr_equal(other->address, device.address)))
			return fail(place, node, "this device is given twice");
	}
	device.netdev = FIT_STEAL(netdev);
	*FIT_APPEND(request->devices, request->device_count) = device;
	return 0;
}

static int read_request(const struct place *place, const xmlNode *node, struct fit_request *request)
{
	if (check_attributes(place, node, "profile", "stale") < 0 ||
		read_profiles(place, node, &request->profiles) < 0 ||
		read_stale(place, node, request) < 0)
		return -1;
	for (const xmlNode *child = node->children; child; child = child->next) {
		int status = 0;

		if (child->type == XML_ELEMENT_NODE && !namespace_of(child))
			return fail(place, child,
				"<%s> inside the request has no namespace: give it the same prefix "
				"as the request",
				child->name);
		if (fit_xml_is_in(child, FIT_REQUEST_NAMESPACE, "param"))
			status = read_param(place, child, request);
		else if (fit_xml_is_in(child, FIT_REQUEST_NAMESPACE, "device"))
			status = read_device(place, child, request);
		else if (child->type == XML_ELEMENT_NODE &&
			 fit_streq(namespace_of(child), FIT_REQUEST_NAMESPACE))
			status = fail(place, child,
				"unknown element <%s> in the request: it has <param> and <device>",
				child->name);
		else if ((child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) &&
			 !xmlIsBlankNode(child))
			status = fail(place, node, "the request cannot contain text");
		if (status < 0)
			return -1;
	}
	return 0;
}

/* What else a child of <metadata> without a namespace means is its author's affair. */
static int check_without_namespace(const struct place *place, const xmlNode *node)
{
	if (!fit_xml_is(node, "domain") && !fit_xml_is(node, "profile"))
		return 0;
	return fail(place, node,
		"<%s> in <metadata> has no namespace, and libvirt drops it silently: " HOW_TO_WRITE,
		node->name);
}

/* Is this child of <metadata> the request? 1 yes, 0 no, -1 it is a mistaken one. */
static int recognise(const struct place *place, const xmlNode *node)
{
	const char *uri = namespace_of(node);

	if (node->type != XML_ELEMENT_NODE)
		return 0;
	if (!uri)
		return check_without_namespace(place, node);
	if (!fit_starts_with(uri, NAMESPACE_FAMILY))
		return 0;
	if (!fit_streq(uri, FIT_REQUEST_NAMESPACE))
		return fail(place, node,
			"this virt-fit does not know the namespace %s: " HOW_TO_WRITE, uri);
	if (!fit_streq((const char *)node->name, "domain"))
		return fail(place, node, "<%s> is no request: " HOW_TO_WRITE, node->name);
	return 1;
}

/* The request element of the document: 1 and *@ret_node, 0 when there is none, or -1. */
static int find_request(const struct place *place, xmlDoc *doc, const xmlNode **ret_node)
{
	const xmlNode *root = xmlDocGetRootElement(doc);
	const xmlNode *found = NULL;

	for (const xmlNode *top = root ? root->children : NULL; top; top = top->next) {
		if (top->type == XML_ELEMENT_NODE &&
			fit_streq(namespace_of(top), FIT_REQUEST_NAMESPACE))
			return fail(place, top, "the request must be inside <metadata>");
		if (!fit_xml_is(top, "metadata"))
			continue;
		for (const xmlNode *node = top->children; node; node = node->next) {
			int status = recognise(place, node);

			if (status < 0)
				return -1;
			if (status && found)
				return fail(place, node,
					"second request, the first is in line %u: libvirt keeps "
					"only one",
					fit_xml_line(found));
			if (status)
				found = node;
		}
	}
	if (found)
		*ret_node = found;
	return found != NULL;
}

int fit_request_read(
	xmlDoc *doc, const char *name, struct fit_request *ret_request, struct fit_err *err)
{
	const struct place place = {.document = name, .err = err};
	struct fit_request request = {0};
	const xmlNode *node = NULL;
	int status = find_request(&place, doc, &node);

	if (status <= 0)
		return status;
	if (read_request(&place, node, &request) < 0) {
		fit_request_clear(&request);
		return -1;
	}
	*ret_request = request;
	return 1;
}

/* Adds an element of our namespace to @parent, or as the root of @doc. */
static xmlNode *add_element(xmlDoc *doc, xmlNode *parent, const char *name)
{
	xmlNode *node = xmlNewDocNode(doc, parent ? parent->ns : NULL, (const xmlChar *)name, NULL);

	if (!node)
		abort();
	if (parent)
		return xmlAddChild(parent, node);
	xmlDocSetRootElement(doc, node);
	xmlSetNs(node,
		xmlNewNs(node, (const xmlChar *)FIT_REQUEST_NAMESPACE, (const xmlChar *)"fit"));
	return node;
}

static void set_attribute(xmlNode *node, const char *name, const char *value)
{
	if (!xmlNewProp(node, (const xmlChar *)name, (const xmlChar *)value))
		abort();
}

char *fit_request_print(const struct fit_request *request)
{
	fit_autofree char *profiles = fit_strlist_join(&request->profiles, " ");
	fit_autodoc xmlDoc *doc = xmlNewDoc((const xmlChar *)"1.0");
	xmlNode *root = add_element(doc, NULL, "domain");

	set_attribute(root, "profile", profiles);
	if (request->stale)
		set_attribute(root, "stale", fit_stale_name(request->stale));
	for (size_t i = 0; i < request->param_count; i++) {
		xmlNode *node = add_element(doc, root, "param");

		set_attribute(node, "name", request->params[i].name);
		set_attribute(node, "value", request->params[i].value);
	}
	for (size_t i = 0; i < request->device_count; i++) {
		const struct fit_request_device *device = &request->devices[i];
		xmlNode *node = add_element(doc, root, "device");

		if (device->netdev)
			set_attribute(node, "netdev", device->netdev);
		else
			set_attribute(node, "address", FIT_PCIADDR_STR(device->address));
	}
	return fit_xml_print_node(root);
}
