/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What refers to an iothread: it must be there, and goes with it. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/iothread_users.h"
#include "core/xml.h"
#include "support_domain.h"

/* Any but 0; libvirt knows no list with a greater number than the last. */
static const unsigned int ids[] = {1, 2, 3, 5, 8190, 8191, 8192, 8193, 16383};

#define ALL ((1U << FIT_ARRAY_SIZE(ids)) - 1)

/* What refers to an iothread, whose number comes where the first %u is. */
static const struct {
	const char *xml, *what, *path;
} users[] = {
	{"<cputune><iothreadpin iothread='%u' cpuset='0'/></cputune>",
		"<iothreadpin iothread='%u'>", "cputune/iothreadpin[@iothread='%u'] (cpuset='0')"},
	{"<cputune><iothreadsched iothreads='%u' scheduler='batch'/></cputune>",
		"<iothreadsched iothreads='%u'>", "cputune/iothreadsched[@iothreads='%u']"},
	{"<devices><disk><driver iothread='%u'/><target dev='vda' bus='virtio'/></disk></devices>",
		"iothread='%u' of disk vda", "devices/disk[target/@dev='vda']/driver/@iothread"},
	{"<devices><controller type='scsi' index='3'><driver iothread='%u'/></controller></devices>",
		"iothread='%u' of scsi controller 3",
		"devices/controller[@type='scsi'][@index='3']/driver/@iothread"},
	/* Libvirt itself wants those of a map. */
	{"<devices><disk><driver><iothreads><iothread id='%u'/></iothreads></driver>"
	 "<target dev='vda' bus='virtio'/></disk></devices>",
		NULL, "devices/disk[target/@dev='vda']/driver/iothreads"},
	{"<devices><controller type='scsi' index='3'><driver><iothreads><iothread id='%u'/>"
	 "</iothreads></driver></controller></devices>",
		NULL, "devices/controller[@type='scsi'][@index='3']/driver/iothreads"},
};

/* @format with each %u replaced. To be freed. */
static char *with_number(const char *format, unsigned int number)
{
	struct fit_buffer text = {0};

	for (const char *end = strstr(format, "%u"); end; end = strstr(format, "%u")) {
		fit_buffer_addf(&text, "%.*s%u", (int)(end - format), format, number);
		format = end + 2;
	}
	fit_buffer_add(&text, format);
	return fit_buffer_steal(&text);
}

/* <iothreadids> with those whose bits are set; before @body. To be freed. */
static char *with_iothreads(unsigned int bits, const char *body)
{
	struct fit_buffer text = {0};

	fit_buffer_add(&text, "<iothreadids>");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(ids); i++)
		if (bits >> i & 1)
			fit_buffer_addf(&text, "<iothread id='%u'/>", ids[i]);
	fit_buffer_addf(&text, "</iothreadids>%s", body);
	return fit_buffer_steal(&text);
}

static void what_refers_to_an_iothread_needs_it(void **state)
{
	(void)state;
	for (size_t user = 0; user < FIT_ARRAY_SIZE(users); user++)
		for (size_t i = 0; users[user].what && i < FIT_ARRAY_SIZE(ids); i++) {
			fit_autofree char *xml = with_number(users[user].xml, ids[i]);
			fit_autofree char *there = with_iothreads(1U << i, xml);
			fit_autofree char *absent = with_iothreads(ALL ^ 1U << i, xml);
			fit_autofree char *what = with_number(users[user].what, ids[i]);
			struct fit_domain good = fit_test_domain(there);
			struct fit_domain bad = fit_test_domain(absent);
			struct fit_err err = FIT_ERR_INIT;

			if (fit_iothread_users_check(&good, &err) < 0)
				fail_msg("%s", err.message);
			assert_int_equal(fit_iothread_users_check(&bad, &err), -1);
			if (!strstr(err.message, what))
				fail_msg("'%s' lacks '%s'", err.message, what);
			fit_domain_clear(&good);
			fit_domain_clear(&bad);
		}
}

/* The numbers of @list whose bits are set, all on their own. To be freed. */
static char *numbers_of(const char *list, unsigned int bits)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_iothread_ids set;
	struct fit_buffer text = {0};

	assert_int_equal(fit_iothread_ids_parse(list, &set, &err), 0);
	fit_iothread_ids_for_each (id, &set)
		for (size_t i = 0; i < FIT_ARRAY_SIZE(ids); i++)
			if (ids[i] == (unsigned int)id && bits >> i & 1)
				fit_buffer_addf(&text, "%d ", id);
	fit_buffer_add(&text, "");
	return fit_buffer_steal(&text);
}

/* All iothreads were there, of which those of the bits stay. */
static void check_list(const char *list, unsigned int bits)
{
	fit_autofree char *tune = fit_xasprintf(
		"<cputune><iothreadsched iothreads='%s' scheduler='batch'/></cputune>", list);
	fit_autofree char *before = with_iothreads(ALL, tune);
	fit_autofree char *after = with_iothreads(bits, tune);
	struct fit_domain had = fit_test_domain(before);
	fit_autodoc xmlDoc *doc = fit_test_document(after);
	const xmlNode *root = xmlDocGetRootElement(doc);
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *stay = numbers_of(list, bits);
	fit_autofree char *gone = numbers_of(list, ~bits);
	fit_autofree char *text = NULL;
	fit_autofree char *found = NULL;
	size_t number = 0;

	fit_iothread_users_drop(doc, "vm", &had, &notes);
	text = fit_xml_attr(fit_xml_find(root, "cputune/iothreadsched"), "iothreads");
	found = text ? numbers_of(text, ALL) : fit_xstrdup("");
	assert_string_equal(found, stay);
	if (!*gone)
		assert_string_equal(text, list);
	if (!*stay)
		assert_null(fit_xml_child(root, "cputune"));
	for (char *id = strtok(gone, " "); id; id = strtok(NULL, " ")) {
		fit_autofree char *note = fit_xasprintf(
			"cputune/iothreadsched[@iothreads='%s'] goes: iothread %s was", list, id);

		assert_true(number < notes.count && strstr(notes.items[number++], note));
	}
	assert_int_equal(notes.count, number);
	fit_domain_clear(&had);
}

static void lists_keep_the_iothreads_that_stay(void **state)
{
	static const char *const lists[] = {
		"1-3,5,8190-8193,16383", "2", "8192", "16383", " 8190-8191, 1", "1-5,^4"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(lists); i++)
		for (unsigned int bits = 0; bits <= ALL; bits += 1 + bits % 3)
			check_list(lists[i], bits);
}

/* Of ours: what was never there is not ours to take out. */
static void only_what_is_gone_takes_its_users_along(void **state)
{
	(void)state;
	for (size_t user = 0; user < FIT_ARRAY_SIZE(users); user++) {
		fit_autofree char *xml = with_number(users[user].xml, 2);
		fit_autofree char *before = with_iothreads(3, xml);
		fit_autofree char *never = with_iothreads(1, "");
		fit_autofree char *path = with_number(users[user].path, 2);
		fit_autofree char *note =
			fit_xasprintf("%s goes: iothread 2 was of virt-fit, and is", path);
		struct fit_domain had[] = {fit_test_domain(before), fit_test_domain(never)};

		for (size_t i = 0; i < FIT_ARRAY_SIZE(had); i++)
			for (unsigned int bits = 0; bits < 4; bits++) {
				fit_autofree char *body = with_iothreads(bits, xml);
				fit_autodoc xmlDoc *doc = fit_test_document(body);
				fit_autofree char *whole = fit_xml_print(doc);
				fit_autofree char *left = NULL;
				fit_autostrlist struct fit_strlist notes = {0};
				bool goes = i == 0 && !(bits & 2);

				fit_iothread_users_drop(doc, "vm", &had[i], &notes);
				left = fit_xml_print(doc);
				assert_int_equal(notes.count, goes);
				if (goes)
					assert_true(fit_starts_with(notes.items[0], note));
				assert_int_equal(strcmp(whole, left) != 0, goes);
			}
		fit_domain_clear(&had[0]);
		fit_domain_clear(&had[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_refers_to_an_iothread_needs_it),
		cmocka_unit_test(lists_keep_the_iothreads_that_stay),
		cmocka_unit_test(only_what_is_gone_takes_its_users_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
