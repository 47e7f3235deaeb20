/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/contain.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/cpuset.h"
#include "core/xml.h"

static const struct {
	const char *element;
	const char *attribute;
	const char *value;
} libvirt_defaults[] = {
	{"cpu", "check", "none"},
	{"cpu", "check", "partial"},
	{"cpu", "migratable", "on"},
	{"cpu", "migratable", "off"}, /* where the emulator does not know the property */
	{"driver", "name", "qemu"},
	{"driver", "type", "raw"},
	{"topology", "dies", "1"},
	{"topology", "clusters", "1"},
	{"vcpu", "placement", "static"},
};

bool fit_is_libvirt_default(const char *element, const char *attribute, const char *value)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(libvirt_defaults); i++)
		if (strcmp(libvirt_defaults[i].element, element) == 0 &&
			strcmp(libvirt_defaults[i].attribute, attribute) == 0 &&
			strcmp(libvirt_defaults[i].value, value) == 0)
			return true;
	return false;
}

bool fit_is_libvirt_child(const xmlNode *child)
{
	if (fit_xml_is(child->parent, "controller") &&
		(fit_xml_is(child, "model") || fit_xml_is(child, "target")))
		return true;
	return fit_xml_is(child, "mac") || fit_xml_is(child, "address");
}

static bool parse_number(const char *text, uint64_t *ret_value)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return fit_parse_hex(text + 2, UINT64_MAX, ret_value);
	return fit_parse_uint(text, UINT64_MAX, ret_value);
}

static bool number_equal(const char *a, const char *b)
{
	uint64_t a_value, b_value;

	return parse_number(a, &a_value) && parse_number(b, &b_value) && a_value == b_value;
}

static bool list_equal(const char *a, const char *b)
{
	struct fit_cpuset a_set, b_set;

	return fit_cpuset_parse_list(a, &a_set, NULL) == 0 &&
	       fit_cpuset_parse_list(b, &b_set, NULL) == 0 && !fit_cpuset_is_empty(&a_set) &&
	       fit_cpuset_equal(&a_set, &b_set);
}

bool fit_value_equal(const char *a, const char *b)
{
	fit_autofree char *a_copy = NULL;
	fit_autofree char *b_copy = NULL;
	const char *a_text, *b_text;

	if (strcmp(a, b) == 0)
		return true;
	a_copy = fit_xstrdup(a);
	b_copy = fit_xstrdup(b);
	a_text = fit_trim(a_copy);
	b_text = fit_trim(b_copy);
	return strcmp(a_text, b_text) == 0 || number_equal(a_text, b_text) ||
	       list_equal(a_text, b_text);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool mac_equal(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

char *fit_attribute_identity(const char *value)
{
	uint64_t number;
	char *text;

	if (parse_number(value, &number))
		return fit_xasprintf("%ju", (uintmax_t)number);
	text = fit_xstrdup(value);
	for (char *p = text; *p; p++)
		*p = lower(*p);
	return text;
}

bool fit_attribute_is(const xmlNode *node, const char *attribute, const char *value)
{
	fit_autofree char *have = fit_xml_attr(node, attribute);

	/* MAC addresses, which libvirt prints in lower case. */
	if (have && strcmp(attribute, "address") == 0)
		return mac_equal(have, value) || number_equal(have, value);
	return have && (strcmp(have, value) == 0 || number_equal(have, value));
}

/* The text of the element itself, without that of its children; trimmed. */
static char *own_text(const xmlNode *node)
{
	return fit_xml_child(node, NULL) ? fit_xstrdup("") : fit_xml_text(node);
}

/* The size that an element with unit= states in an attribute or as its text. */
static bool read_size(const xmlNode *node, uint64_t *ret_kib)
{
	fit_autofree char *unit = fit_xml_attr(node, "unit");
	fit_autofree char *size = fit_xml_attr(node, "size");

	if (!unit)
		return false;
	if (!size)
		size = own_text(node);
	return fit_parse_size_kib(size, unit, ret_kib);
}

static bool attributes_contained(const xmlNode *have, const xmlNode *wanted, bool same_size)
{
	for (const xmlAttr *attr = wanted->properties; attr; attr = attr->next) {
		const char *name = (const char *)attr->name;
		fit_autofree char *wanted_value = NULL;
		fit_autofree char *have_value = NULL;

		if (attr->ns ||
			(same_size && (strcmp(name, "size") == 0 || strcmp(name, "unit") == 0)))
			continue;
		wanted_value = fit_xml_attr(wanted, name);
		have_value = fit_xml_attr(have, name);
		if (!have_value || !fit_value_equal(have_value, wanted_value))
			return false;
	}
	return true;
}

static bool text_contained(const xmlNode *have, const xmlNode *wanted)
{
	fit_autofree char *wanted_text = own_text(wanted);
	fit_autofree char *have_text = own_text(have);

	return *wanted_text == '\0' || fit_value_equal(have_text, wanted_text);
}

static size_t count_children(const xmlNode *node)
{
	size_t count = 0;

	fit_xml_for_each (child, node, NULL)
		count++;
	return count;
}

/* What virt-fit writes has a handful of children; a record that claims more is not ours. */
#define PAIRS_MAX (1U << 20)

/* Bipartite matching of wanted children (rows) to children that contain them (columns). */
struct matching {
	size_t rows;
	size_t columns;
	bool *possible; /* rows × columns */
	size_t *owner;	/* of a column: row + 1; 0: free */
	bool *visited;	/* columns, in this search */
};

static bool assign(struct matching *matching, size_t row)
{
	for (size_t column = 0; column < matching->columns; column++) {
		if (!matching->possible[row * matching->columns + column] ||
			matching->visited[column])
			continue;
		matching->visited[column] = true;
		if (!matching->owner[column] || assign(matching, matching->owner[column] - 1)) {
			matching->owner[column] = row + 1;
			return true;
		}
	}
	return false;
}

static bool children_contained(const xmlNode *have, const xmlNode *wanted)
{
	struct matching matching = {
		.rows = count_children(wanted), .columns = count_children(have)};
	bool contained = true;
	size_t cell = 0;

	if (matching.rows == 0)
		return true;
	if (matching.rows > matching.columns || matching.rows > PAIRS_MAX / matching.columns)
		return false;
	matching.possible = fit_xcalloc(matching.rows, matching.columns);
	matching.owner = fit_xcalloc(matching.columns, sizeof(*matching.owner));
	matching.visited = fit_xcalloc(matching.columns, sizeof(*matching.visited));
	fit_xml_for_each (wanted_child, wanted, NULL)
		fit_xml_for_each (have_child, have, NULL)
			matching.possible[cell++] = fit_xml_contains(have_child, wanted_child);
	for (size_t row = 0; row < matching.rows && contained; row++) {
		memset(matching.visited, 0, matching.columns * sizeof(*matching.visited));
		contained = assign(&matching, row);
	}
	free(matching.possible);
	free(matching.owner);
	free(matching.visited);
	return contained;
}

bool fit_xml_contains(const xmlNode *have, const xmlNode *wanted)
{
	uint64_t have_kib, wanted_kib;
	bool same_size;

	if (!fit_xml_is(have, (const char *)wanted->name))
		return false;
	same_size = read_size(have, &have_kib) && read_size(wanted, &wanted_kib) &&
		    have_kib == wanted_kib;
	return attributes_contained(have, wanted, same_size) &&
	       (same_size || text_contained(have, wanted)) && children_contained(have, wanted);
}

char *fit_xml_difference(const xmlNode *have, const xmlNode *wanted)
{
	fit_autofree char *have_text = own_text(have);
	fit_autofree char *wanted_text = own_text(wanted);

	for (const xmlAttr *attr = wanted->properties; attr; attr = attr->next) {
		const char *name = (const char *)attr->name;
		fit_autofree char *wanted_value = fit_xml_attr(wanted, name);
		fit_autofree char *have_value = fit_xml_attr(have, name);

		if (attr->ns || (have_value && fit_value_equal(have_value, wanted_value)))
			continue;
		if (!have_value)
			return fit_xasprintf("without our %s='%s'", name, wanted_value);
		return fit_xasprintf(
			"%s='%s' instead of our %s='%s'", name, have_value, name, wanted_value);
	}
	if (*wanted_text && !fit_value_equal(have_text, wanted_text))
		return fit_xasprintf("'%s' instead of our '%s'", have_text, wanted_text);
	fit_xml_for_each (child, wanted, NULL) {
		xmlNode *have_child = fit_xml_child(have, (const char *)child->name);

		if (!have_child)
			return fit_xasprintf("without our <%s>", child->name);
		if (!fit_xml_contains(have_child, child))
			return fit_xml_difference(have_child, child);
	}
	return fit_xstrdup("its content is not ours any more");
}
