/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/rewrite.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_domains.h"
#include "support_libvirt.h"

static const struct fit_record info = {
	.version = (char *)(uintptr_t) "0.1.0",
	.profile = (char *)(uintptr_t) "low-latency \xc3\xa4<&\">",
	.digest = (char *)(uintptr_t) "0123456789abcdef",
	.host = (char *)(uintptr_t) "host",
};

static void apply(xmlDoc *doc, const struct fit_edits *edits, struct fit_remains *remains)
{
	struct fit_err err = FIT_ERR_INIT;

	if (fit_rewrite_apply(doc, "test", edits, &info, remains, &err) < 0)
		fail_msg("apply: %s", err.message);
}

static void undo(xmlDoc *doc, struct fit_strlist *notes, struct fit_remains **ret_remains)
{
	struct fit_err err = FIT_ERR_INIT;

	if (fit_rewrite_undo(doc, "test", notes, ret_remains, &err) < 0)
		fail_msg("undo: %s", err.message);
}

static void no_notes(const struct fit_strlist *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		fail_msg("unexpected note: %s", notes->items[i]);
}

static void show_edits(const struct fit_edits *edits)
{
	for (size_t i = 0; i < edits->count; i++)
		print_error("edit %s = %s\n", edits->items[i].path,
			edits->items[i].value ? edits->items[i].value : "(absent)");
}

/* Fails with the place where the texts part. */
static void same_bytes(
	const char *what, const char *wanted, const char *got, const struct fit_edits *edits)
{
	size_t same = 0;

	if (strcmp(wanted, got) == 0)
		return;
	while (wanted[same] == got[same])
		same++;
	same -= same > 120 ? 120 : same;
	show_edits(edits);
	fail_msg("%s\n--- wanted: …%.300s\n--- got: …%.300s", what, wanted + same, got + same);
}

/* All byte properties of rewrite.h for one document and list of edits. */
static void check_properties(const char *name, const char *text, const struct fit_edits *edits)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(text);
	fit_autofree char *original = fit_xml_print(doc);
	fit_autofree char *fitted = NULL;

	(void)name;
	apply(doc, edits, NULL);
	fitted = fit_xml_print(doc);
	for (int reparsed = 0; reparsed < 2; reparsed++) {
		fit_autodoc xmlDoc *copy = reparsed ? fit_test_parse(fitted) : xmlCopyDoc(doc, 1);
		fit_autostrlist struct fit_strlist notes = {0};
		struct fit_remains *remains = NULL;
		fit_autofree char *reverted = NULL;
		fit_autofree char *without_remains = NULL;
		fit_autofree char *again = NULL;
		fit_autofree char *again_with_remains = NULL;

		undo(copy, &notes, NULL);
		reverted = fit_xml_print(copy);
		same_bytes("undo(apply(x)) = x", original, reverted, edits);
		apply(copy, edits, NULL);
		again = fit_xml_print(copy);
		same_bytes("apply(undo(apply(x))) = apply(x)", fitted, again, edits);
		undo(copy, &notes, &remains);
		apply(copy, edits, remains);
		fit_remains_free(&remains);
		again_with_remains = fit_xml_print(copy);
		same_bytes("the same with remains", fitted, again_with_remains, edits);
		undo(copy, &notes, &remains);
		fit_remains_free(&remains);
		without_remains = fit_xml_print(copy);
		same_bytes("undo, remains dropped", original, without_remains, edits);
		no_notes(&notes);
	}
}

static unsigned int pick(unsigned int count)
{
	return (unsigned int)rand() % count;
}

#define VECTORS \
	"qemu:override/qemu:device[@alias='ua-virt-fit-a']/qemu:frontend/" \
	"qemu:property[@name='vectors']/"

/* Like devices, the last one first. */
static void remove_all(struct fit_edits *edits, const xmlNode *root, const char *name)
{
	unsigned int count = 0;

	fit_xml_for_each (node, fit_xml_child(root, "devices"), name)
		count++;
	for (; count > 0; count--) {
		fit_autofree char *path = fit_xasprintf("devices/%s[%u]", name, count);

		fit_edits_remove(edits, path);
	}
}

/* Edits as the planner makes them. */
static void add_planner_edits(struct fit_edits *edits, xmlDoc *doc)
{
	xmlNode *root = xmlDocGetRootElement(doc);

	fit_edits_set(edits, "cpu/@mode", pick(2) ? "host-passthrough" : "maximum");
	if (pick(2)) {
		fit_edits_remove(edits, "cpu/@match");
		fit_edits_remove(edits, "cpu/model");
	}
	fit_edits_set(edits, "cpu/topology", "<topology sockets='1' cores='4' threads='2'/>");
	fit_edits_set(edits, "cpu/cache", "<cache mode='passthrough'/>");
	fit_edits_remove(edits, "vcpu/@cpuset");
	for (unsigned int i = 0; i < 8; i += 1 + pick(2)) {
		fit_autofree char *path = fit_xasprintf("cputune/vcpupin[@vcpu='%u']", i);

		fit_edits_setf(
			edits, path, "<vcpupin vcpu='%u' cpuset='%u,%u'/>", i, 2 * i, 2 * i + 1);
	}
	fit_edits_set(edits, "cputune/emulatorpin", "<emulatorpin cpuset='0'/>");
	/* Libvirt lists as many ids as are counted. */
	if (!fit_xml_child(root, "iothreads")) {
		fit_edits_set(edits, "iothreads/text()", "2");
		fit_edits_set(edits, "iothreadids/iothread[@id='1']", "<iothread id='1'/>");
		fit_edits_set(edits, "iothreadids/iothread[@id='4']", "<iothread id='4'/>");
	}
	fit_edits_set(edits, "cputune/iothreadpin[@iothread='1']",
		"<iothreadpin iothread='1' cpuset='3'/>");
	fit_edits_set(edits, "numatune/memory", "<memory mode='strict' nodeset='0'/>");
	fit_edits_set(edits, "memoryBacking/hugepages",
		"<hugepages><page size='1' unit='GiB'/></hugepages>");
	if (pick(2))
		fit_edits_set(edits, "memoryBacking/locked", "<locked/>");
	fit_xml_for_each (disk, fit_xml_child(root, "devices"), "disk") {
		fit_autofree char *target = fit_xml_attr(fit_xml_child(disk, "target"), "dev");
		fit_autofree char *path =
			fit_xasprintf("devices/disk[target/@dev='%s']/driver/@iothread", target);

		if (target)
			fit_edits_set(edits, path, "1");
	}
	for (unsigned int i = 0; i < pick(3); i++) {
		fit_autofree char *path =
			fit_xasprintf("devices/interface[alias/@name='ua-virt-fit-vf%u']", i);

		fit_edits_setf(edits, path,
			"<interface type='hostdev' managed='yes'><source><address type='pci' "
			"domain='0' bus='65' slot='16' function='%u'/></source>"
			"<alias name='ua-virt-fit-vf%u'/></interface>",
			i, i);
	}
	if (pick(2))
		fit_edits_remove(edits, "devices/memballoon");
	if (pick(2)) {
		fit_edits_set(edits, VECTORS "@type", "unsigned");
		fit_edits_set(edits, VECTORS "@value", "10");
	}
	if (pick(2))
		remove_all(edits, root, "input");
	if (pick(2))
		remove_all(edits, root, "channel");
}

/* A path is an identity: the name alone must tell the element from its siblings. An edit of what
 * declares a prefix, after an edit of something inside, would leave that without its prefix. */
static bool can_be_named(const xmlNode *node)
{
	const char *name = (const char *)node->name;
	const xmlNode *first = fit_xml_child(node->parent, name);

	return !fit_xml_is(node, "metadata") && !fit_xml_is(node, "name") &&
	       !fit_xml_is(node, "uuid") && !node->nsDef && !fit_xml_next(first, name);
}

/* Names on the way from the root to a random element; false for none that a path can name. */
static bool random_path(xmlDoc *doc, char *path, size_t size)
{
	const xmlNode *node = xmlDocGetRootElement(doc);
	size_t length = 0;
	int depth = 0;

	for (;;) {
		unsigned int count = 0, chosen;

		fit_xml_for_each (child, node, NULL)
			if (!fit_xml_is(child, "metadata") &&
				!strchr((const char *)child->name, ':'))
				count++;
		if (count == 0 || (length && pick(3) == 0) || depth++ == 8)
			return length > 0;
		chosen = pick(count);
		fit_xml_for_each (child, node, NULL)
			if (can_be_named(child) && chosen-- == 0) {
				node = child;
				break;
			}
		length += (size_t)snprintf(path + length, size - length, "%s%s", length ? "/" : "",
			(const char *)node->name);
		if (length > size - 100)
			return false;
	}
}

/* Edits of any place, sensible or not. */
static void add_random_edit(struct fit_edits *edits, xmlDoc *doc)
{
	char path[600];
	const char *name;

	if (!random_path(doc, path, sizeof(path) - 100))
		return;
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	switch (pick(8)) {
	case 0:
		fit_edits_remove(edits, path);
		return;
	case 1: {
		fit_autofree char *value =
			fit_xasprintf("<%s new='1'><x/><y>t</y></%s>", name, name);

		fit_edits_set(edits, path, value);
		return;
	}
	case 2:
		strcat(path, "/@type");
		fit_edits_set(edits, path, "new \"<&>' \n\xc3\xa4");
		return;
	case 3:
		strcat(path, pick(2) ? "/@type" : "/@mode");
		fit_edits_remove(edits, path);
		return;
	case 4:
		strcat(path, "/made/deep[@id='1']/@value");
		fit_edits_set(edits, path, "1");
		return;
	case 5:
		strcat(path, "/address");
		fit_edits_set(edits, path, "<address type='pci'/>");
		return;
	case 6:
		strcat(path, "/only/text()");
		fit_edits_set(edits, path, "a & b");
		return;
	default:
		strcat(path, "/@dev");
		fit_edits_set(edits, path, "0");
	}
}

static void check_planner_edits(const char *name, const char *text, size_t length)
{
	(void)length;
	for (int round = 0; round < 3; round++) {
		fit_autodoc xmlDoc *doc = fit_test_parse(text);
		struct fit_edits edits = {0};

		add_planner_edits(&edits, doc);
		check_properties(name, text, &edits);
		fit_edits_clear(&edits);
	}
}

static void check_random_edits(const char *name, const char *text, size_t length)
{
	(void)length;
	for (int round = 0; round < 8; round++) {
		fit_autodoc xmlDoc *doc = fit_test_parse(text);
		struct fit_edits edits = {0};

		for (unsigned int i = pick(8); i > 0; i--)
			add_random_edit(&edits, doc);
		check_properties(name, text, &edits);
		fit_edits_clear(&edits);
	}
}

/* Fails when the documents do not say the same. */
static void same_meaning(
	const char *what, xmlDoc *wanted, xmlDoc *got, const struct fit_edits *edits)
{
	fit_autofree char *wanted_text = NULL;
	fit_autofree char *got_text = NULL;

	if (fit_xml_equivalent(xmlDocGetRootElement(wanted), xmlDocGetRootElement(got)))
		return;
	wanted_text = fit_xml_print(wanted);
	got_text = fit_xml_print(got);
	same_bytes(what, wanted_text, got_text, edits);
}

static xmlDoc *copy_of(xmlDoc *doc)
{
	fit_autofree char *text = fit_xml_print(doc);

	return fit_test_parse(text);
}

/* Apply, as libvirt defines it, undo and apply: nothing new to define. Gives the defined document.
 */
static xmlDoc *check_fixpoint(xmlDoc *original, const struct fit_edits *edits)
{
	fit_autodoc xmlDoc *fitted = copy_of(original);
	fit_autodoc xmlDoc *again = NULL;
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_remains *remains = NULL;

	apply(fitted, edits, NULL);
	normalise_as_libvirt(fitted);
	again = copy_of(fitted);
	undo(again, &notes, &remains);
	apply(again, edits, remains);
	fit_remains_free(&remains);
	same_meaning("apply(undo(N(apply(x)))) = N(apply(x))", fitted, again, edits);
	no_notes(&notes);
	return FIT_STEAL(fitted);
}

/* @original is as libvirt prints it: so is what undo gives. */
static void check_normalised(xmlDoc *original, const struct fit_edits *edits)
{
	fit_autodoc xmlDoc *reverted = check_fixpoint(original, edits);
	fit_autostrlist struct fit_strlist notes = {0};

	undo(reverted, &notes, NULL);
	same_meaning("undo(N(apply(x))) = x", original, reverted, edits);
	no_notes(&notes);
}

static void check_planner_edits_with_libvirt(const char *name, const char *text, size_t length)
{
	(void)name;
	(void)length;
	for (int round = 0; round < 3; round++) {
		fit_autodoc xmlDoc *doc = fit_test_parse(text);
		fit_autodoc xmlDoc *fitted = NULL;
		struct fit_edits edits = {0};

		add_planner_edits(&edits, doc);
		fitted = check_fixpoint(doc, &edits);
		normalise_as_libvirt(doc);
		check_normalised(doc, &edits);
		fit_edits_clear(&edits);
	}
}

static void libvirt_may_normalise_in_between(void **state)
{
	(void)state;
	srand(3);
	for (int round = 0; round < 20; round++)
		for_each_synthetic_domain(check_planner_edits_with_libvirt);
	for_each_corpus_domain(check_planner_edits_with_libvirt);
}

static void synthetic_domains_get_every_byte_back(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 20; round++) {
		for_each_synthetic_domain(check_planner_edits);
		for_each_synthetic_domain(check_random_edits);
	}
}

static void corpus_domains_get_every_byte_back(void **state)
{
	(void)state;
	srand(2);
	if (for_each_corpus_domain(check_planner_edits) == 0)
		skip();
	for_each_corpus_domain(check_random_edits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synthetic_domains_get_every_byte_back),
		cmocka_unit_test(corpus_domains_get_every_byte_back),
		cmocka_unit_test(libvirt_may_normalise_in_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
