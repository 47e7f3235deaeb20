/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/options.h"

static const struct fit_verb verbs[] = {
	{"plan", "DOMAIN", "Show a plan", "",
		FIT_OPTION_PROFILE | FIT_OPTION_WHY | FIT_OPTION_ONLY | FIT_OPTION_UPTO, 1, 1,
		NULL},
	{"set", "DOMAIN PROFILE...", "Set", "More.",
		FIT_OPTION_PARAM | FIT_OPTION_DEVICE | FIT_OPTION_DRY_RUN, 2, -1, NULL},
	{"list", "", "List", "", FIT_OPTION_JSON, 0, 0, NULL},
	{0},
};

#define MAX_WORDS 16

/* Parses @line, words separated by '|', whose first is the verb. */
static enum fit_parse_result parse(const char *line, struct fit_cli *cli, struct fit_err *err)
{
	static char storage[512];
	static char *argv[MAX_WORDS];
	char *rest = storage;
	int argc = 0;

	assert_true(strlen(line) < sizeof(storage));
	strcpy(storage, line);
	while (rest && argc < MAX_WORDS - 1)
		argv[argc++] = strsep(&rest, "|");
	argv[argc] = NULL;
	return fit_options_parse(fit_verb_find(verbs, argv[0]), argc, argv, cli, err);
}

static void options_are_accepted_before_between_and_behind_arguments(void **state)
{
	static const char *const lines[] = {
		"set|-n|--param|vfs=2|--device=eth0|-c|test:///default|web|base",
		"set|web|-n|--param=vfs=2|base|--device|eth0|--connect=test:///default",
		"set|web|base|-ctest:///default|--device|eth0|--param|vfs=2|--dry-run",
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(lines); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_cli cli;

		if (parse(lines[i], &cli, &err) != FIT_PARSE_RUN)
			fail_msg("%s: %s", lines[i], err.message);
		assert_true(cli.dry_run);
		assert_string_equal(cli.connect, "test:///default");
		assert_int_equal(cli.params.count, 1);
		assert_string_equal(cli.params.items[0], "vfs=2");
		assert_string_equal(cli.devices.items[0], "eth0");
		assert_int_equal(cli.arg_count, 2);
		assert_string_equal(cli.args[0], "web");
		assert_string_equal(cli.args[1], "base");
		fit_cli_clear(&cli);
	}
}

static void intents_are_checked_and_put_in_order(void **state)
{
	static const struct {
		const char *line, *only;
	} cases[] = {
		{"plan|--only|vcpus,cpu|a", "cpu vcpus"},
		{"plan|--only=memory|a", "memory"},
		{"plan|--upto|cpu|a", "cpu"},
		{"plan|--only|vcpus,nosuch|a", NULL},
		{"plan|--only||a", NULL},
		{"plan|--upto|cpu,vcpus|a", NULL},
		{"plan|--upto|cpu|--only|cpu|a", NULL},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_cli cli;
		enum fit_parse_result result = parse(cases[i].line, &cli, &err);
		fit_autofree char *only = fit_strlist_join(&cli.only, " ");

		assert_int_equal(result, cases[i].only ? FIT_PARSE_RUN : FIT_PARSE_USAGE);
		if (cases[i].only)
			assert_string_equal(only, cases[i].only);
		else if (i != FIT_ARRAY_SIZE(cases) - 1)
			assert_non_null(strstr(err.message, "intents: cpu, "));
		fit_cli_clear(&cli);
	}
}

static void two_dashes_end_the_options(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_cli cli;

	(void)state;
	assert_int_equal(parse("set|-n|--|-web|--json", &cli, &err), FIT_PARSE_RUN);
	assert_true(cli.dry_run);
	assert_false(cli.json);
	assert_int_equal(cli.arg_count, 2);
	assert_string_equal(cli.args[0], "-web");
	assert_string_equal(cli.args[1], "--json");
	fit_cli_clear(&cli);
}

static void a_single_dash_is_an_argument(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_cli cli;

	(void)state;
	assert_int_equal(parse("plan|-", &cli, &err), FIT_PARSE_RUN);
	assert_string_equal(cli.args[0], "-");
	fit_cli_clear(&cli);
}

static void profile_names_are_split_at_spaces_and_commas_and_add_up(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_cli cli;
	fit_autofree char *joined = NULL;

	(void)state;
	assert_int_equal(parse("plan|--profile|a b,c|--profile=d|x", &cli, &err), FIT_PARSE_RUN);
	joined = fit_strlist_join(&cli.profiles, "+");
	assert_string_equal(joined, "a+b+c+d");
	fit_cli_clear(&cli);
}

static void misuse_is_refused_and_says_what(void **state)
{
	static const char *const cases[][2] = {
		{"plan", "missing"},
		{"plan|a|b", "'b'"},
		{"plan|", "empty"},
		{"plan|a|--json", "'--json'"}, /* another verb's */
		{"plan|a|--nonsense=1", "'--nonsense=1'"},
		{"plan|a|-x", "'-x'"},
		{"plan|a|--why=yes", "--why"},
		{"plan|a|--profile", "--profile"},
		{"plan|a|--profile= ,", "--profile"},
		{"plan|a|-c", "--connect"},
		{"plan|a|--pro", "'--pro'"}, /* --profile or --profiles? */
		{"set|a", "missing"},
		{"set|a|b|--param|vfs", "'vfs'"},
		{"set|a|b|--param|=2", "'=2'"},
		{"list|a", "'a'"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_cli cli;

		if (parse(cases[i][0], &cli, &err) != FIT_PARSE_USAGE)
			fail_msg("accepted: %s", cases[i][0]);
		if (!strstr(err.message, cases[i][1]))
			fail_msg("%s: '%s' does not say %s", cases[i][0], err.message, cases[i][1]);
		fit_cli_clear(&cli);
	}
}

static void help_wins_over_missing_arguments(void **state)
{
	static const char *const lines[] = {"plan|--help", "plan|-h", "set|--dry-run|--help|x"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(lines); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_cli cli;

		assert_int_equal(parse(lines[i], &cli, &err), FIT_PARSE_HELP);
		fit_cli_clear(&cli);
	}
}

static void help_names_exactly_the_options_that_are_accepted(void **state)
{
	fit_autofree char *plan = fit_options_help(&verbs[0]);
	fit_autofree char *set = fit_options_help(&verbs[1]);

	(void)state;
	assert_true(fit_starts_with(plan, "Usage: virt-fit plan [OPTIONS] DOMAIN\n"));
	assert_non_null(strstr(plan, "--why"));
	assert_non_null(strstr(plan, "--profile NAMES"));
	assert_non_null(strstr(plan, "-c, --connect URI"));
	assert_null(strstr(plan, "--json"));
	assert_null(strstr(plan, "--dry-run"));
	assert_non_null(strstr(set, "-n, --dry-run"));
	assert_non_null(strstr(set, "\nMore.\n"));
	assert_null(strstr(set, "--why"));
}

static void misspelt_verbs_find_the_nearest(void **state)
{
	static const char *const cases[][2] = {
		{"plam", "plan"},
		{"pan", "plan"},
		{"lsit", "list"},
		{"sett", "set"},
		{"", NULL},
		{"x", NULL},
		{"something", NULL},
		{"averyveryveryveryverylongword", NULL},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		const struct fit_verb *found = fit_verb_nearest(verbs, cases[i][0]);

		if (!fit_streq(found ? found->name : NULL, cases[i][1]))
			fail_msg("'%s' found %s", cases[i][0], found ? found->name : "nothing");
	}
	assert_null(fit_verb_find(verbs, "pla"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_accepted_before_between_and_behind_arguments),
		cmocka_unit_test(intents_are_checked_and_put_in_order),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(a_single_dash_is_an_argument),
		cmocka_unit_test(profile_names_are_split_at_spaces_and_commas_and_add_up),
		cmocka_unit_test(misuse_is_refused_and_says_what),
		cmocka_unit_test(help_wins_over_missing_arguments),
		cmocka_unit_test(help_names_exactly_the_options_that_are_accepted),
		cmocka_unit_test(misspelt_verbs_find_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
