/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles from memory: the grammar, composition, parameters, the digest. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/profile.h"
#include "core/profile_grammar.h"
#include "support_profile.h"

static void expect_error(
	const struct fit_test_file *files, const char *names, const char *params, const char *words)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_profile profile = {.param_count = 42};

	if (fit_test_try_compose(files, names, params, &profile, &err) == 0)
		fail_msg("%s was accepted, '%s' was expected", files[0].text, words);
	if (!strstr(err.message, words))
		fail_msg("'%s' was expected in: %s", words, err.message);
	assert_int_equal(profile.param_count, 42);
}

/* A single profile "a" with this content is refused with these words. */
static void refuse(const char *content, const char *words)
{
	fit_autofree char *text = fit_xasprintf("<profile xmlns='" FIT_PROFILE_NAMESPACE
						"' name='a'><summary>S</summary>\n%s</profile>",
		content);
	const struct fit_test_file files[] = {{"a", text}, {0}};

	expect_error(files, "a", "", words);
}

static const char *setting(
	const struct fit_profile *profile, const char *intent, const char *attribute)
{
	for (size_t i = 0; i < profile->setting_count; i++)
		if (fit_streq(profile->settings[i].intent, intent) &&
			fit_streq(profile->settings[i].attribute, attribute))
			return profile->settings[i].value;
	return NULL;
}

static void every_intent_reaches_its_struct(void **state)
{
	static const struct fit_test_file files[] = {
		P("a", "<cpu mode='host-passthrough' topology='mirror' cache='passthrough'"
		       " existing='replace'/><vcpus place='cores' shared='yes' near='devices' "
		       "span='nodes'/><emulator place='own-core' existing='require'/>"
		       "<iothreads count='3' place='vcpus'/><disks iothread='spread' cache='none' "
		       "io='native'/><memory nodes='as-cpus' binding='strict' pages='1GiB 2MiB "
		       "none' locked='yes'/><interrupts of='others' to='elsewhere'/><interrupts "
		       "of='devices' to='node'/><vfs count='2' class='nvme' pf='41:0.0' "
		       "create='4'/><host><governor value='schedutil' missing='refuse'/>"
		       "<isolate cpus='own'/></host>"),
		{0}};
	struct fit_profile p = fit_test_compose(files, "a", "");

	(void)state;
	assert_true(p.cpu.intent.set && p.cpu.mode == FIT_CPU_MODE_HOST_PASSTHROUGH &&
		    p.cpu.mirror_topology);
	assert_true(p.cpu.passthrough_cache);
	assert_int_equal(p.cpu.intent.existing, FIT_EXISTING_REPLACE);
	assert_string_equal(p.cpu.intent.file, "a.xml");
	assert_int_equal(p.cpu.intent.line, 2);
	assert_int_equal(p.vcpus.place, FIT_PLACE_CORES);
	assert_true(p.vcpus.shared && p.vcpus.near_devices && p.vcpus.span_nodes);
	assert_int_equal(p.vcpus.intent.existing, FIT_EXISTING_KEEP);
	assert_int_equal(p.emulator.place, FIT_PLACE_OWN_CORE);
	assert_int_equal(p.emulator.intent.existing, FIT_EXISTING_REQUIRE);
	assert_false(p.iothreads.automatic);
	assert_int_equal(p.iothreads.count, 3);
	assert_int_equal(p.iothreads.place, FIT_PLACE_VCPUS);
	assert_true(p.disks.spread_iothreads);
	assert_string_equal(p.disks.cache, "none");
	assert_string_equal(p.disks.io, "native");
	assert_true(p.memory.nodes_as_cpus && p.memory.strict && p.memory.locked);
	assert_int_equal(p.memory.page_size_count, 3);
	assert_int_equal(p.memory.page_sizes[0], 1024 * 1024);
	assert_int_equal(p.memory.page_sizes[1], 2048);
	assert_int_equal(p.memory.page_sizes[2], 0);
	assert_true(p.interrupts.intent.set && p.interrupts.others_elsewhere);
	assert_int_equal(p.interrupts.devices_to, FIT_PLACE_NODE);
	assert_int_equal(p.vfs.count, 2);
	assert_int_equal(p.vfs.class, FIT_VF_NVME);
	assert_string_equal(p.vfs.pf, "0000:41:00.0");
	assert_int_equal(p.vfs.create, 4);
	assert_string_equal(p.host[FIT_SETTING_GOVERNOR].value, "schedutil");
	assert_true(p.host[FIT_SETTING_GOVERNOR].missing_refuse);
	assert_true(p.isolate.intent.set && p.isolate.cpus == FIT_ISOLATE_OWN);
	assert_false(p.isolate.missing_refuse);
	assert_string_equal(p.summary, "S a");
	assert_int_equal(strlen(p.digest), 16);
	fit_profile_clear(&p);
}

/* A literal write is its file's: the last profile that names it wins, however it is spelled. */
static void literal_writes_are_composed_file_by_file(void **state)
{
	static const struct fit_test_file files[] = {
		P("a", "<host><sysctl name='vm.swappiness' value='1'/><sysctl name='vm.dirty_ratio' "
		       "value='5'/><sysfs path='kernel/mm/ksm/pages_to_scan' value='7'/></host>"),
		P("b", "<host><sysctl name='vm/dirty_ratio' value='6' missing='refuse'/></host>"),
		{0}};
	struct fit_profile a = fit_test_compose(files, "a", "");
	struct fit_profile p = fit_test_compose(files, "a b", "");

	(void)state;
	assert_int_equal(p.write_count, 3);
	assert_int_equal(p.writes[0].setting, FIT_SETTING_SYSCTL);
	assert_string_equal(p.writes[0].name, "vm.swappiness");
	assert_string_equal(p.writes[1].name, "vm/dirty_ratio");
	assert_string_equal(p.writes[1].value, "6");
	assert_true(p.writes[1].missing_refuse);
	assert_string_equal(p.writes[1].file, "b.xml");
	assert_false(p.writes[0].missing_refuse);
	assert_int_equal(p.writes[2].setting, FIT_SETTING_SYSFS);
	assert_string_equal(setting(&p, "host sysctl", "vm/dirty_ratio"), "6, missing=refuse");
	assert_string_equal(setting(&p, "host sysfs", "kernel/mm/ksm/pages_to_scan"), "7");
	assert_string_not_equal(a.digest, p.digest);
	fit_profile_clear(&a);
	fit_profile_clear(&p);
}

static void what_no_profile_states_is_not_set(void **state)
{
	static const struct fit_test_file files[] = {P("a", "<vfs/><iothreads/>"), P("b", ""), {0}};
	struct fit_profile p = fit_test_compose(files, "a", "");
	struct fit_profile empty = fit_test_compose(files, "b", "");

	(void)state;
	assert_false(p.cpu.intent.set || p.vcpus.intent.set || p.emulator.intent.set ||
		     p.disks.intent.set || p.memory.intent.set || p.interrupts.intent.set ||
		     p.host[FIT_SETTING_GOVERNOR].intent.set);
	assert_true(p.vfs.intent.set && p.iothreads.intent.set);
	assert_int_equal(p.vfs.count, 1);
	assert_string_equal(p.vfs.pf, "nearest");
	assert_true(p.iothreads.automatic);
	assert_null(p.settings[0].file);
	assert_int_equal(empty.setting_count, 0);
	fit_profile_clear(&p);
	fit_profile_clear(&empty);
}

static void the_last_statement_wins_attribute_by_attribute(void **state)
{
	static const struct fit_test_file files[] = {
		P("a", "<vcpus place='cores' shared='yes' near='devices'/><disks cache='none'/>"),
		P("b", "<vcpus shared='no' existing='replace'/>\n<disks cache='keep'/>"),
		P("c", "<vcpus place='node'/><include profile='a'/>"), {0}};
	struct fit_profile p = fit_test_compose(files, "a b", "");
	struct fit_profile c = fit_test_compose(files, "c b a", "");

	(void)state;
	assert_int_equal(p.vcpus.place, FIT_PLACE_CORES);
	assert_true(p.vcpus.near_devices);
	assert_false(p.vcpus.shared);
	assert_int_equal(p.vcpus.intent.existing, FIT_EXISTING_REPLACE);
	assert_string_equal(p.vcpus.intent.file, "b.xml");
	assert_null(p.disks.cache);
	assert_string_equal(p.summary, "S b");
	for (size_t i = 0; i < p.setting_count; i++)
		if (fit_streq(p.settings[i].attribute, "place"))
			assert_string_equal(p.settings[i].file, "a.xml");

	/* Includes come before what includes them, wherever they stand, and only once. */
	assert_int_equal(c.vcpus.place, FIT_PLACE_NODE);
	assert_false(c.vcpus.shared);
	assert_int_equal(c.included.count, 3);
	assert_string_equal(c.included.items[0], "a");
	assert_string_equal(c.included.items[1], "c");
	assert_string_equal(c.included.items[2], "b");
	assert_string_equal(c.files.items[1], "c.xml");
	assert_string_equal(c.summary, "S a");
	assert_int_equal(c.names.count, 3);
	fit_profile_clear(&p);
	fit_profile_clear(&c);
}

static void parameters_are_put_in_wherever_they_stand(void **state)
{
	static const struct fit_test_file files[] = {
		P("a", "<param name='pages' type='sizes' default='2048KiB'>Sizes\n of pages</param>"
		       "<param name='n' type='count' default='07'/><param name='word' type='text' "
		       "default='thr'/><memory pages='${pages} none'/><iothreads count='${n}'/>"
		       "<disks io='${word}eads'/><param name='e' type='choice' allowed='keep  "
		       "replace' default='keep'/>"
		       "<vcpus existing='${e}'/>"),
		P("b", "<param name='n' type='count' default='5'/>"), {0}};
	struct fit_profile p = fit_test_compose(files, "a", "pages=1048576KiB e=replace");
	struct fit_profile b = fit_test_compose(files, "a b", "");

	(void)state;
	assert_string_equal(setting(&p, "memory", "pages"), "1GiB none");
	assert_int_equal(p.iothreads.count, 7);
	assert_string_equal(p.disks.io, "threads");
	assert_int_equal(p.vcpus.intent.existing, FIT_EXISTING_REPLACE);
	assert_int_equal(p.param_count, 4);
	assert_string_equal(p.params[0].value, "1GiB");
	assert_string_equal(p.params[0].fallback, "2MiB");
	assert_string_equal(p.params[0].description, "Sizes of pages");
	assert_string_equal(p.params[0].profile, "a");
	assert_string_equal(p.params[0].file, "a.xml");
	assert_int_equal(b.iothreads.count, 5);
	assert_string_equal(b.params[1].profile, "b");
	fit_profile_clear(&p);
	fit_profile_clear(&b);
}

/* What a profile states by itself is not what a parameter of one that it includes says. */
static void a_value_that_changes_nothing_is_noted(void **state)
{
	static const struct fit_test_file files[] = {
		P("a", "<param name='pages' type='sizes' default='none'/><param name='n' "
		       "type='count' default='1'/><param name='t' type='text' default='x'/>"
		       "<param name='unused' type='count' default='0'/>"
		       "<memory pages='${pages}'/><iothreads count='${n}'/><vfs count='${n}'/>"
		       "<domain existing='replace'><title>${t}</title></domain>"),
		P("b", "<include profile='a'/>\n<memory pages='2MiB'/><iothreads count='2'/>"),
		P("c", "<include profile='b'/>\n<memory pages='${pages}'/><vfs count='0'/>"), {0}};
	static const struct {
		const char *names, *given, *note;
	} cases[] = {
		{"a", "pages=1GiB n=2 t=y", NULL},
		{"b", "", NULL},
		{"b", "pages=1GiB",
			"parameter pages=\"1GiB\" changes nothing: b.xml:3 says <memory "
			"pages=\"2MiB\">"},
		/* Even if it says the same. */
		{"b", "pages=2048KiB",
			"parameter pages=\"2MiB\" changes nothing: b.xml:3 says <memory "
			"pages=\"2MiB\">"},
		/* There is another place for it. */
		{"b", "n=2 t=y", NULL},
		{"c", "pages=1GiB", NULL},
		{"c", "n=2",
			"parameter n=\"2\" changes nothing: b.xml:3 says <iothreads "
			"count=\"2\">"},
		{"a b", "n=2", NULL},
		{"a", "unused=1",
			"parameter unused=\"1\" changes nothing: no profile refers to it"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_profile p = fit_test_compose(files, cases[i].names, cases[i].given);

		assert_int_equal(p.idle.count, cases[i].note != NULL);
		if (cases[i].note)
			assert_string_equal(p.idle.items[0], cases[i].note);
		fit_profile_clear(&p);
	}
}

static void parameter_values_are_never_expanded_again(void **state)
{
	static const struct fit_test_file files[] = {
		P("a", "<param name='x' type='text' default='${x}'/><vfs pf='${x}'/>"), {0}};
	struct fit_profile p = fit_test_compose(files, "a", "");

	(void)state;
	assert_string_equal(p.vfs.pf, "${x}");
	fit_profile_clear(&p);
}

static void bad_parameters_are_refused_with_what_is_wanted(void **state)
{
	static const struct fit_test_file files[] = {
		P("a", "<param name='n' type='count' default='1'/><param name='s' type='size' "
		       "default='1MiB'/><param name='z' type='sizes' default='none'/>"
		       "<param name='c' type='choice' allowed='x y' default='x'/>"
		       "<param name='b' type='yes-no' default='no'/><param name='p' type='pf' "
		       "default='nearest'/>"
		       "<param name='t' type='text' default='t'/>"),
		P("b", "<param name='n' type='size' default='1MiB'/>"), P("c", ""), {0}};
	static const char *const bad[][2] = {
		{"n=-1", "n=\"-1\" must be a number from 0 to 8192 (a.xml:2)"},
		{"n=8193", "number"},
		{"n=", "number"},
		{"n=1x", "number"},
		{"s=1", "size with its unit"},
		{"s=0MiB", "size"},

		{"s=99999999999999999999GiB", "size"},
		{"z=", "page sizes"},
		{"z=3MiB", "page sizes"},
		{"z=1GB", "page sizes"},
		{"z=2MiB,2048KiB", "page sizes"},
		{"c=z", "must be \"x\" or \"y\""},
		{"b=true", "\"yes\" or \"no\""},
		{"p=a/b", "nearest"},
		{"p=0123456789abcdef", "nearest"},
		{"p=41:00.8", "nearest"},
		{"t=", "line of text"},
		{"t=a\nb", "line of text"},
		{"nn=1", "no parameter \"nn\"; parameters: n, s, z, c, b, p, t"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		expect_error(files, "a", bad[i][0], bad[i][1]);
	expect_error(files, "c", "x=1", "parameters: there are none");
	expect_error(files, "a b", "",
		"b.xml:2: parameter n has type size here and type count in a.xml:2");
}

static void includes_are_followed_but_never_in_a_circle(void **state)
{
	static const struct fit_test_file files[] = {P("a", "<include profile='b'/>"),
		P("b", "<include profile='c'/>"), P("c", "<include profile='a'/>"),
		P("self", "<include profile='self'/>"), P("gone", "\n<include profile='x'/>"),
		P("d", "<include profile='e'/><include profile='e'/>"), P("e", ""), {0}};
	static const struct fit_test_file mistaken[] = {
		P("outer", "<include profile='wrong'/>"), P("wrong", "<nothing/>"), {0}};
	struct fit_profile p = fit_test_compose(files, "d e", "");
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	expect_error(files, "a", "", "c.xml:2: profiles include each other: a -> b -> c -> a");
	expect_error(files, "self", "", "self -> self");
	expect_error(files, "gone", "", "gone.xml:3: there is no profile \"x\"");
	assert_int_equal(fit_test_try_compose(files, "nobody", "", &p, &err), -1);
	assert_int_equal(err.code, FIT_ERR_NOTFOUND);
	/* The file with the mistake is the one to look into. */
	assert_int_equal(fit_test_try_compose(mistaken, "outer", "", &p, &err), -1);
	assert_true(fit_starts_with(err.message, "wrong.xml:2: "));
	expect_error(files, "../e", "", "\"../e\" is no profile name");
	expect_error(files, "", "", "no profile is named");
	assert_int_equal(p.included.count, 2);
	fit_profile_clear(&p);
}

/* Profile "pN" includes "pN+1", for ever. */
static int load_endless(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err)
{
	unsigned long last = *(unsigned long *)context;
	unsigned long number = strtoul(name + 1, NULL, 10);

	(void)err;
	*ret_path = fit_xasprintf("%s.xml", name);
	*ret_text =
		number == last
			? fit_xasprintf("<profile xmlns='" FIT_PROFILE_NAMESPACE
					"' name='%s'><summary>S</summary></profile>",
				  name)
			: fit_xasprintf("<profile xmlns='" FIT_PROFILE_NAMESPACE
					"' name='%s'><summary>S</summary><include profile='p%lu'/>"
					"</profile>",
				  name, number + 1);
	*ret_length = strlen(*ret_text);
	return 0;
}

static void deep_includes_end(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autostrlist struct fit_strlist names = {0};
	struct fit_profile profile;
	unsigned long last = 31;

	(void)state;
	fit_strlist_add(&names, "p0");
	assert_int_equal(
		fit_profile_compose(&names, NULL, 0, load_endless, &last, &profile, &err), 0);
	assert_int_equal(profile.included.count, 32);
	assert_string_equal(profile.included.items[0], "p31");
	fit_profile_clear(&profile);
	last = 32;
	assert_int_equal(
		fit_profile_compose(&names, NULL, 0, load_endless, &last, &profile, &err), -1);
	assert_non_null(strstr(err.message, "p31.xml:1: includes are more than 32 deep"));
}

/* What stands in a profile, and what is said about it. */
static const char *const bad_contents[][2] = {
	{"\n<vcpus place='coers'/>", "a.xml:3: <vcpus place=\"coers\">: place must be "
				     "\"cores\", \"node\" or \"none\""},
	{"<vcpus plcae='cores'/>",
		"<vcpus> has no attribute plcae; it has place, shared, dedicated"},
	{"<vcpus x:place='cores' xmlns:x='urn:x'/>", "no attribute x:place"},
	{"<vcpu/>",
		"unknown element <vcpu>: <profile> has summary, include, param, cpu, features, hyperv"},
	{"<vcpus xmlns=''/>", "unknown element <vcpus>, in no namespace"},
	{"<x:vcpus xmlns:x='urn:x'/>", "unknown element <vcpus>"},
	{"<vcpus><cpu/></vcpus>", "<vcpus> cannot contain <cpu>"},
	{"<vcpus>text</vcpus>", "<vcpus> cannot contain text"},
	{"text", "<profile> cannot contain text"},
	{"<![CDATA[text]]>", "<profile> cannot contain text"},
	{"<vcpus/>\n<vcpus/>", "a.xml:3: second statement of vcpus: the first is in line 2"},
	{"<interrupts to='keep'/>", "needs of=, which must be \"others\" or \"devices\""},
	{"<interrupts of='all' to='keep'/>", "must be \"others\" or \"devices\""},
	{"<interrupts of='others'/>", "<interrupts> needs to="},
	{"<interrupts of='others' to='vcpus'/>", "must be \"elsewhere\" or \"keep\""},
	{"<vcpus of='others'/>", "no attribute of"},
	{"<governor/>", "unknown element <governor>"},
	{"<host><vcpus/></host>",
		"unknown element <vcpus>: <host> has energy-preference, governor, "},
	{"<host x='1'/>", "<host> has no attribute x; it has none"},
	{"<host>text</host>", "<host> cannot contain text"},
	{"<host><governor/></host><host><governor/></host>", "second statement"},
	{"<host><governor value=''/></host>", "value must be \"keep\" or a line of text"},
	{"<host><wakeup-latency max='10'/></host>", "max must be \"keep\" or a time with its unit"},
	{"<host><compaction max='101'/></host>", "max must be \"0\", \"keep\" or a number"},
	{"<host><numa-balancing/></host>", "<numa-balancing> needs value="},
	{"<host><new-interrupts/></host>", "unknown element <new-interrupts>"},
	{"<host><sysctl name='vm.dirty_ratio'/></host>", "<sysctl> needs name= and value="},
	{"<host><sysctl name='kernel.modprobe' value='/x'/></host>",
		"<sysctl name=\"kernel.modprobe\">: only what is below"},
	{"<host><sysfs path='kernel/mm/../a' value='1'/></host>", "it must be a plain name"},
	{"<host><sysctl name='vm.dirty_ratio' value='${a}'/></host>", "cannot have parameters"},
	{"<host><sysctl name='vm.${a}' value='1'/></host>", "it must be a plain name"},
	{"<host><sysctl name='vm.dirty_ratio' value='1&#10;2'/></host>", "must be a line of text"},
	{"<host><sysctl name='vm.dirty_ratio' value='  '/></host>", "value must not be blank"},
	{"<host><sysfs path='kernel/mm/ksm/run' value=' '/></host>", ""},
	{"<host><sysctl name='vm.dirty_ratio' value='1' missing='no'/></host>",
		"missing must be \"warn\" or \"refuse\""},
	{"<host><sysctl name='vm.dirty_ratio' value='1' x=''/></host>", "no attribute x"},
	{"<host><sysctl name='vm.dirty_ratio' value='1'/>\n"
	 "<sysctl name='vm/dirty_ratio' value='2'/></host>",
		"a.xml:3: second <sysctl> of vm.dirty_ratio: the first is in line 2"},
	{"<iothreads count='many'/>",
		"count must be \"auto\", \"per-disk\", \"per-node\" or a number from 0 to "
		"8192"},
	{"<vfs pf=''/>", "pf must be \"nearest\""},
	{"<memory pages='none 2MiB'/>", "pages must be page sizes in order"},
	{"<memory pages='2MiB 2MiB'/>", "pages must be page sizes in order"},
	{"<memory pages='2'/>", "pages must be page sizes in order"},
	{"<disks cache='writeback' io='native'/>", "needs cache=\"none\" or \"directsync\""},
	{"<disks cache='fast&#10;x'/>", "<disks cache=\"fast?x\">"},
	{"<include/>", "<include> needs the name of a profile: <include profile=\"base\"/>"},
	{"<include profile='../b'/>", "<include> needs the name of a profile"},
	{"<include profile='b' x=''/>", "<include> has no attribute x"},
	{"<include profile='b'>x</include>", "<include> cannot contain text"},
	{"<summary>again</summary>", "second <summary>"},
	{"<param name='x' type='count'/>", "<param> needs name=, type= and default="},
	{"<param name='' type='count' default='1'/>", "is no parameter name"},
	{"<param name='1x' type='count' default='1'/>", "is no parameter name"},
	{"<param name='x}' type='count' default='1'/>", "is no parameter name"},
	{"<param name='x' type='int' default='1'/>", "types are count, size, sizes, choice"},
	{"<param name='x' type='count' default='a'/>", "default=\"a\" must be a number"},
	{"<param name='x' type='count' default='1' allowed='1'/>", "allowed= goes with"},
	{"<param name='x' type='choice' default='a'/>", "needs allowed="},
	{"<param name='x' type='choice' default='a' allowed=' '/>", "needs allowed="},
	{"<param name='x' type='choice' default='a' allowed='b c'/>", "\"b\" or \"c\""},
	{"<param name='x' type='count' default='1' min='0'/>", "no attribute min"},
	{"<param name='x' type='count' default='1'><b/></param>", "cannot contain <b>"},
	{"<param name='x' type='count' default='1'/><param name='x' type='count' default='1'/>",
		"parameter x is declared twice"},
	{"<vcpus place='${place}'/>", "${place}: no profile declares this parameter"},
	{"<vcpus place='${place'/>", "\"${\" begins a parameter"},
	{"<vcpus place='${}'/>", "\"${\" begins a parameter"},
	{"<param name='x' type='text' default='y'/><vcpus place='${x}'/>",
		"<vcpus place=\"y\"> (with its parameters put in): place must be \"cores\""},
};

static void what_is_wrong_in_a_file_is_said_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad_contents); i++)
		refuse(bad_contents[i][0], bad_contents[i][1]);
}

static void what_is_no_profile_is_refused(void **state)
{
	static const char *const bad[][2] = {
		{"", "a.xml: empty"},
		{"<profile", "a.xml:1:"},
		{"<!DOCTYPE profile [<!ENTITY x SYSTEM '/etc/passwd'>]><profile/>", "DOCTYPE"},
		{"<profile name='a'><summary>S</summary></profile>",
			"is no profile: it begins with"},
		{"<domain xmlns='" FIT_PROFILE_NAMESPACE "' name='a'/>", "is no profile"},
		{"<profile xmlns='" FIT_PROFILE_NAMESPACE "'/>",
			"must be \"a\", as the file is called"},
		{"<profile xmlns='" FIT_PROFILE_NAMESPACE "' name='b'/>", "must be \"a\""},
		{"<profile xmlns='" FIT_PROFILE_NAMESPACE "' name='a' x=''/>", "no attribute x"},
		{"<profile xmlns='" FIT_PROFILE_NAMESPACE "' name='a'/>", "no <summary>"},
		{"<profile xmlns='" FIT_PROFILE_NAMESPACE
		 "' name='a'><summary> </summary></profile>",
			"<summary> is empty"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		const struct fit_test_file files[] = {{"a", bad[i][0]}, {0}};

		expect_error(files, "a", "", bad[i][1]);
	}
}

static void expect_digest(bool same, const char *first, const char *second)
{
	fit_autofree char *texts[2] = {NULL, NULL};
	char digests[2][17];

	for (int i = 0; i < 2; i++) {
		fit_autofree char *text =
			fit_xasprintf("<profile xmlns='" FIT_PROFILE_NAMESPACE
				      "' name='a'><summary>%d</summary>%s</profile>",
				i, i ? second : first);
		const struct fit_test_file files[] = {{"a", text}, {0}};
		struct fit_profile profile = fit_test_compose(files, "a", "");

		memcpy(digests[i], profile.digest, sizeof(digests[i]));
		fit_profile_clear(&profile);
	}
	if ((strcmp(digests[0], digests[1]) == 0) != same)
		fail_msg("digests of %s and %s should %s", first, second,
			same ? "be equal" : "differ");
}

static void the_digest_is_of_the_meaning(void **state)
{
	(void)state;
	expect_digest(true, "<cpu mode='keep'/><vfs count='2' pf='41:0.0'/>",
		"<!-- x -->\n<vfs  pf='0000:41:00.0' count='02'/>\n<cpu topology='keep' "
		"mode='keep'/>");
	expect_digest(true, "<memory pages='1GiB  none'/>", "<memory pages='1024MiB none'/>");
	expect_digest(true, "<vfs/>", "<vfs count='1' class='network' create='needed'/>");
	expect_digest(true,
		"<param name='a' type='count' default='1'/><param name='b' type='count' "
		"default='1'/>",
		"<param name='b' type='count' default='01'>x</param><param name='a' type='count' "
		"default='1'/>");
	expect_digest(false, "", "<vfs/>");
	expect_digest(false, "<vfs count='1'/>", "<vfs count='2'/>");
	expect_digest(false, "<vcpus shared='yes'/>", "<vcpus shared='no'/>");
	expect_digest(false, "<emulator place='none'/>", "<iothreads place='none'/>");
	expect_digest(false, "<interrupts of='others' to='keep'/>",
		"<interrupts of='devices' to='keep'/>");
	expect_digest(false, "<cpu existing='keep'/>", "<cpu existing='replace'/>");
	expect_digest(false, "<param name='a' type='count' default='1'/>",
		"<param name='a' type='count' default='2'/>");
	expect_digest(false, "<memory pages='1GiB 2MiB'/>", "<memory pages='2MiB 1GiB'/>");
}

/* The parser keeps what a file states in arrays of FIT_PROFILE_ATTRIBUTES_MAX. */
static void every_element_fits_the_parser(void **state)
{
	(void)state;
	for (size_t i = 0; i < fit_profile_element_count; i++) {
		size_t count = 0;

		fit_profile_for_each_attribute (attribute, &fit_profile_elements[i])
			count++;
		assert_in_range(count, 1, FIT_PROFILE_ATTRIBUTES_MAX);
	}
}

static void what_a_domain_shall_have_is_listed_by_its_path(void **state)
{
	static const struct fit_test_file files[] = {
		P("a", "<domain><clock><timer name='hpet'/><timer name='pit' tickpolicy='delay'/>"
		       "</clock><features><acpi/><kvm><hidden state='on'/></kvm></features>"
		       "<title>A</title></domain>"),
		{0}};
	struct fit_profile profile = fit_test_compose(files, "a", "");
	fit_autostrlist struct fit_strlist lines = {0};
	fit_autofree char *text = NULL;

	(void)state;
	for (size_t i = 0; i < profile.setting_count; i++)
		fit_strlist_addf(
			&lines, "%s=%s", profile.settings[i].attribute, profile.settings[i].value);
	text = fit_strlist_join(&lines, "\n");
	assert_string_equal(text, "existing=keep\nclock/timer[@name='hpet']=\n"
				  "clock/timer[@name='pit']/@tickpolicy=delay\nfeatures/acpi=\n"
				  "features/kvm/hidden/@state=on\ntitle/text()=A");
	fit_profile_clear(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_element_fits_the_parser),
		cmocka_unit_test(every_intent_reaches_its_struct),
		cmocka_unit_test(literal_writes_are_composed_file_by_file),
		cmocka_unit_test(what_no_profile_states_is_not_set),
		cmocka_unit_test(the_last_statement_wins_attribute_by_attribute),
		cmocka_unit_test(parameters_are_put_in_wherever_they_stand),
		cmocka_unit_test(a_value_that_changes_nothing_is_noted),
		cmocka_unit_test(parameter_values_are_never_expanded_again),
		cmocka_unit_test(bad_parameters_are_refused_with_what_is_wanted),
		cmocka_unit_test(includes_are_followed_but_never_in_a_circle),
		cmocka_unit_test(deep_includes_end),
		cmocka_unit_test(what_is_wrong_in_a_file_is_said_with_its_line),
		cmocka_unit_test(what_is_no_profile_is_refused),
		cmocka_unit_test(the_digest_is_of_the_meaning),
		cmocka_unit_test(what_a_domain_shall_have_is_listed_by_its_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
