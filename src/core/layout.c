/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/layout.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/memory.h"
#include "core/xml.h"

/* The order in which libvirt prints the children of an element (libvirt 9 and 11). */
static const struct {
	const char *parent;
	const char *children;
} libvirt_order[] = {
	{"domain",
		" name uuid genid title description metadata maxMemory memory currentMemory "
		"blkiotune memtune memoryBacking vcpu vcpus iothreads iothreadids defaultiothread "
		"cputune numatune resource sysinfo bootloader bootloader_args os features cpu "
		"clock on_poweroff on_reboot on_crash on_lockfailure pm perf devices seclabel "
		"launchSecurity "},
	{"devices",
		" emulator disk controller lease filesystem interface smartcard serial parallel "
		"console channel input tpm graphics sound audio video hostdev redirdev "
		"redirfilter hub watchdog memballoon rng nvram panic shmem memory crypto iommu "
		"vsock "},
	{"cputune", " shares period quota global_period global_quota emulator_period "
		    "emulator_quota iothread_period iothread_quota vcpupin emulatorpin iothreadpin "
		    "emulatorsched vcpusched iothreadsched cachetune memorytune "},
	{"numatune", " memory memnode "},
	{"memoryBacking", " hugepages nosharepages locked source access allocation discard "},
	{"cpu", " model vendor topology cache maxphysaddr feature numa "},
	{"disk", " driver auth source backingStore backenddomain geometry blockio mirror target "
		 "iotune readonly shareable transient serial wwn vendor product boot encryption "
		 "alias address "},
	{"controller", " model target master driver alias address pcihole64 "},
	{"interface", " mac source driver vlan virtualport model teaming boot alias rom address "},
	{"hostdev", " driver source teaming boot alias rom address "},
};

bool fit_layout_is_placeholder(const xmlNode *node)
{
	return node->type == XML_PI_NODE && node->_private;
}

static bool is_blank_text(const xmlNode *node)
{
	return node && node->type == XML_TEXT_NODE && xmlIsBlankNode(node);
}

static bool counts(const xmlNode *node)
{
	return node->type != XML_TEXT_NODE && !fit_layout_is_placeholder(node);
}

static xmlNode *first_counted(const xmlNode *parent)
{
	xmlNode *node = parent->children;

	while (node && !counts(node))
		node = node->next;
	return node;
}

bool fit_layout_is_hollow(const xmlNode *node)
{
	for (const xmlNode *child = node->children; child; child = child->next)
		if (!is_blank_text(child) && !fit_layout_is_placeholder(child))
			return false;
	return true;
}

/* No content but placeholders, which stand for nothing. White space behind the last one would be
 * the parent's own. */
static bool is_bare(const xmlNode *parent)
{
	return fit_layout_is_hollow(parent) &&
	       (!parent->last || fit_layout_is_placeholder(parent->last));
}

/* The last line break of the white space before @node with the indentation that follows it; all of
 * the white space when it is on one line. */
static const char *lead_of(const xmlNode *node)
{
	const char *text, *line;

	if (!is_blank_text(node->prev))
		return "";
	text = (const char *)node->prev->content;
	line = strrchr(text, '\n');
	return line ? line : text;
}

static bool breaks_line(const char *lead)
{
	return lead[0] == '\n';
}

/* One level of indentation, as the first child of the root element has it. */
static const char *indent_unit(const xmlNode *node)
{
	const xmlNode *root = xmlDocGetRootElement(node->doc);
	const xmlNode *first = root ? first_counted(root) : NULL;
	const char *lead = first ? lead_of(first) : "";

	return breaks_line(lead) ? lead + 1 : "";
}

static char *add_unit(const char *lead, const xmlNode *node)
{
	return fit_xasprintf("%s%s", lead, breaks_line(lead) ? indent_unit(node) : "");
}

/* The lead of something that comes behind @anchor (NULL: first in @parent). */
static char *usual_lead(const xmlNode *parent, const xmlNode *anchor)
{
	const xmlNode *model = anchor ? anchor : first_counted(parent);
	const xmlNode *last = parent->last;

	if (model)
		return fit_xstrdup(lead_of(model));
	/* No line break before the root element is kept, but its children may still have one. */
	if (is_bare(parent))
		return parent == xmlDocGetRootElement(parent->doc)
			       ? fit_xstrdup("")
			       : add_unit(lead_of(parent), parent);
	if (is_blank_text(last) && strrchr((const char *)last->content, '\n'))
		return add_unit(strrchr((const char *)last->content, '\n'), parent);
	return fit_xstrdup("");
}

static xmlNode *new_text(const xmlNode *node, const char *text)
{
	xmlNode *created = xmlNewDocText(node->doc, (const xmlChar *)text);

	if (!created)
		abort();
	return created;
}

/* Puts @node and its lead at the start of the gap behind @anchor (NULL: at the start of @parent).
 * The element goes in first: between two elements libxml2 does not merge the text. */
static void link_behind(xmlNode *parent, xmlNode *anchor, xmlNode *node, const char *lead)
{
	if (anchor)
		xmlAddNextSibling(anchor, node);
	else if (parent->children)
		xmlAddPrevSibling(parent->children, node);
	else
		xmlAddChild(parent, node);
	if (*lead)
		xmlAddPrevSibling(node, new_text(node, lead));
}

/* Indents the content of a new element whose own lead is @lead, unless it has text. */
static void indent_content(xmlNode *node, const char *lead)
{
	fit_autofree char *inner = add_unit(lead, node);

	if (!breaks_line(lead) || !node->children)
		return;
	for (const xmlNode *child = node->children; child; child = child->next)
		if (child->type != XML_ELEMENT_NODE)
			return;
	for (xmlNode *child = node->children; child; child = child->next) {
		xmlAddPrevSibling(child, new_text(node, inner));
		indent_content(child, inner);
	}
	xmlAddNextSibling(node->last, new_text(node, lead));
}

void fit_layout_indent(xmlNode *node)
{
	indent_content(node, lead_of(node));
}

/* Place of @name in @order, -1 when it is not there. */
static long rank_of(const char *order, const xmlChar *name)
{
	fit_autofree char *word = fit_xasprintf(" %s ", (const char *)name);
	const char *found = strstr(order, word);

	return found ? found - order : -1;
}

/* The last sibling that libvirt prints before an element of this name. */
static xmlNode *place(const xmlNode *parent, const xmlChar *name)
{
	const char *order = "";
	const xmlChar *behind = NULL;
	long other = -1;
	long rank;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(libvirt_order); i++)
		if (strcmp((const char *)parent->name, libvirt_order[i].parent) == 0)
			order = libvirt_order[i].children;
	rank = rank_of(order, name);
	for (xmlNode *node = parent->last; node; node = node->prev) {
		if (node->type != XML_ELEMENT_NODE)
			continue;
		/* Rows of one name are long: thousands of disks or pins. */
		if (!behind || !xmlStrEqual(behind, node->name))
			other = rank_of(order, node->name);
		behind = node->name;
		if (rank < 0 || (!node->ns && other >= 0 && other <= rank))
			return node;
	}
	return NULL;
}

bool fit_layout_insert_next(xmlNode *parent, xmlNode *node, xmlNode *last)
{
	bool is_next = last && last->parent == parent && xmlStrEqual(last->name, node->name);
	xmlNode *anchor = is_next ? last : place(parent, node->name);
	fit_autofree char *lead = usual_lead(parent, anchor);
	bool sole = is_bare(parent);

	link_behind(parent, anchor, node, lead);
	indent_content(node, lead);
	if (sole && breaks_line(lead))
		xmlAddChild(parent, new_text(node, lead_of(parent)));
	return sole;
}

bool fit_layout_insert(xmlNode *parent, xmlNode *node)
{
	return fit_layout_insert_next(parent, node, NULL);
}

/* The node behind which a node of this position comes; NULL: none. */
static xmlNode *anchor_at(const xmlNode *parent, int position)
{
	xmlNode *anchor = NULL;

	for (xmlNode *node = parent->children; node && position > 0; node = node->next)
		if (counts(node)) {
			anchor = node;
			position--;
		}
	return anchor;
}

void fit_layout_insert_at(xmlNode *parent, xmlNode *node, int position, const char *lead)
{
	xmlNode *anchor = anchor_at(parent, position < 0 ? INT_MAX : position);
	fit_autofree char *usual = usual_lead(parent, anchor);

	link_behind(parent, anchor, node, lead ? lead : usual);
}

int fit_layout_position(const xmlNode *node)
{
	int position = 0;

	for (const xmlNode *prev = node->prev; prev; prev = prev->prev)
		if (counts(prev))
			position++;
	return position;
}

int fit_layout_rank(const xmlNode *node)
{
	int rank = 0;

	for (const xmlNode *prev = node->prev; prev; prev = prev->prev)
		if (fit_xml_is(prev, (const char *)node->name))
			rank++;
	return rank;
}

int fit_layout_position_of_rank(const xmlNode *parent, const xmlChar *name, int position, int rank)
{
	int at = 0;
	int low = 0; /* behind the last one of a lower rank */
	int like = 0;

	for (const xmlNode *node = parent->children; rank >= 0 && node; node = node->next) {
		if (!counts(node))
			continue;
		if (fit_xml_is(node, (const char *)name)) {
			if (like++ == rank)
				return position < low ? low : position > at ? at : position;
			low = at + 1;
		}
		at++;
	}
	return position < low ? low : position;
}

char *fit_layout_remove(xmlNode *node)
{
	xmlNode *parent = node->parent;
	xmlNode *before = node->prev;
	int position = fit_layout_position(node);
	fit_autofree char *lead = NULL;
	fit_autofree char *usual = NULL;

	if (before && before->type == XML_TEXT_NODE) {
		lead = fit_xstrdup((const char *)before->content);
		xmlUnlinkNode(before);
		xmlFreeNode(before);
	} else {
		lead = fit_xstrdup("");
	}
	xmlUnlinkNode(node);
	usual = usual_lead(parent, anchor_at(parent, position));
	return strcmp(lead, usual) == 0 ? NULL : FIT_STEAL(lead);
}

void fit_layout_drop(xmlNode *node)
{
	xmlNode *before = node->prev;
	xmlNode *after = node->next;

	xmlUnlinkNode(node);
	if (!before || before->type != XML_TEXT_NODE)
		return;
	if (is_blank_text(before)) {
		xmlUnlinkNode(before);
		xmlFreeNode(before);
	} else if (after && after->type == XML_TEXT_NODE) {
		xmlTextMerge(before, after);
	}
}

void fit_layout_close(xmlNode *parent)
{
	xmlFreeNode(fit_layout_take_trail(parent));
}

xmlNode *fit_layout_take_trail(xmlNode *parent)
{
	xmlNode *trail = parent->last;

	if (!fit_layout_is_hollow(parent) || !is_blank_text(trail))
		return NULL;
	xmlUnlinkNode(trail);
	return trail;
}

void fit_layout_move_attribute(xmlAttr *attribute, int position)
{
	xmlNode *parent = attribute->parent;
	xmlAttr *next;

	/* libxml2 unlinks attributes, too, but links them at the end only. */
	xmlUnlinkNode((xmlNode *)attribute);
	next = parent->properties;
	while (next && position-- > 0)
		next = next->next;
	if (!next) {
		xmlAddChild(parent, (xmlNode *)attribute);
		return;
	}
	attribute->parent = parent;
	attribute->next = next;
	attribute->prev = next->prev;
	if (next->prev)
		next->prev->next = attribute;
	else
		parent->properties = attribute;
	next->prev = attribute;
}
