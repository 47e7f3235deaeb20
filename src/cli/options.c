/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/options.h"

#include <getopt.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/profile_steps.h"
#include "core/target.h"
#include "sys/paths.h"

#define TIMEOUT_MAX_S	  86400
#define TIMEOUT_DEFAULT_S 30

struct entry {
	enum fit_option option;
	const char *name;
	char letter;	   /* 0: none */
	const char *value; /* NULL: takes none */
	const char *help;
};

static const struct entry entries[] = {
	{FIT_OPTION_PROFILE, "profile", 0, "NAMES", "use these profiles instead of the requested"},
	{FIT_OPTION_PARAM, "param", 0, "NAME=VALUE", "give a profile parameter a value"},
	{FIT_OPTION_DEVICE, "device", 0, "DEVICE",
		"be near this device, or get it if the profile passes\n"
		"it through: PCI address or network interface"},
	{FIT_OPTION_TARGET, "target", 0, "VERSIONS",
		"write for these: libvirt=9.0,qemu=7.2 (default: those connected to)"},
	{FIT_OPTION_ONLY, "only", 0, "INTENTS",
		"apply only these intents (see 'virt-fit profiles NAME'): cpu,vcpus"},
	{FIT_OPTION_UPTO, "upto", 0, "INTENT", "apply the intents up to this one, in their order"},
	{FIT_OPTION_ALL, "all", 0, NULL, "plan all domains of the host, as if all of them ran"},
	{FIT_OPTION_WHY, "why", 0, NULL, "explain every choice"},
	{FIT_OPTION_JSON, "json", 0, NULL, "print JSON"},
	{FIT_OPTION_DRY_RUN, "dry-run", 'n', NULL, "say what would be done, change nothing"},
	{FIT_OPTION_STALE, "stale", 0, "POLICY",
		"what a start does while the definition is not fitted:\n" FIT_STALE_WORDS},
	{FIT_OPTION_TIMEOUT, "timeout", 0, "SECONDS", "wait no longer (default: 30)"},
	{FIT_OPTION_START, "start", 0, NULL, "start the domain, too"},
	{FIT_OPTION_ONCE, "once", 0, NULL, "fit all that need it now, then end"},
	{FIT_OPTION_CONNECT, "connect", 'c', "URI", "libvirt to talk to (default: as virsh)"},
	{FIT_OPTION_SYSROOT, "sysroot", 0, "DIR", "read the host from the tree at DIR"},
	{FIT_OPTION_HOST, "host", 0, "FILE",
		"read the host from a capture: see 'virt-fit host --help'"},
	{FIT_OPTION_SAVE, "save", 0, "FILE",
		"write a capture of the host ('-': to standard output)"},
	{FIT_OPTION_ALLOWED, "allowed", 0, "CPUS",
		"use only these CPUs; self: those that this process may use"},
	{FIT_OPTION_PROFILES, "profiles", 0, "DIR",
		"shipped profiles, instead of " FIT_SHIPPED_PROFILES},
	{FIT_OPTION_HELP, "help", 'h', NULL, "this text"},
};

/* getopt's tables for what one verb accepts. Values are the index into `entries` plus a base that
 * no letter reaches. */
enum { LONG_BASE = 256 };

struct getopt_tables {
	char letters[2 * FIT_ARRAY_SIZE(entries) + 2];
	struct option options[FIT_ARRAY_SIZE(entries) + 1];
};

static void fill_tables(const struct fit_verb *verb, struct getopt_tables *tables)
{
	char *letter = tables->letters;
	struct option *option = tables->options;

	*tables = (struct getopt_tables){0};
	*letter++ = ':'; /* tells a missing value from an unknown option */
	for (size_t i = 0; i < FIT_ARRAY_SIZE(entries); i++) {
		const struct entry *entry = &entries[i];

		if (!((verb->options | FIT_OPTION_COMMON) & entry->option))
			continue;
		if (entry->letter) {
			*letter++ = entry->letter;
			if (entry->value)
				*letter++ = ':';
		}
		*option++ = (struct option){.name = entry->name,
			.has_arg = entry->value ? required_argument : no_argument,
			.val = LONG_BASE + (int)i};
	}
}

static const struct entry *find_entry(int value)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(entries); i++)
		if (value == LONG_BASE + (int)i || (value && value == entries[i].letter))
			return &entries[i];
	return NULL;
}

static int take_param(struct fit_cli *cli, const char *value, struct fit_err *err)
{
	if (!strchr(value, '=') || value[0] == '=')
		return fit_err_set(
			err, FIT_ERR_INVALID, "--param wants NAME=VALUE, not '%s'", value);
	fit_strlist_add(&cli->params, value);
	return 0;
}

static int take_timeout(struct fit_cli *cli, const char *value, struct fit_err *err)
{
	uint64_t seconds;

	if (!fit_parse_uint(value, TIMEOUT_MAX_S, &seconds))
		return fit_err_set(err, FIT_ERR_INVALID,
			"--timeout wants seconds, %d at most, not '%s'", TIMEOUT_MAX_S, value);
	cli->timeout_s = (unsigned int)seconds;
	return 0;
}

static int take_steps(
	struct fit_cli *cli, enum fit_option option, const char *value, struct fit_err *err)
{
	if (cli->only.count)
		return fit_err_set(err, FIT_ERR_INVALID,
			"--only or --upto, once (several intents: --only cpu,vcpus)");
	return option == FIT_OPTION_ONLY ? fit_steps_only(value, &cli->only, err)
					 : fit_steps_upto(value, &cli->only, err);
}

static int take_stale(struct fit_cli *cli, const char *value, struct fit_err *err)
{
	if (fit_stale_parse(value, &cli->stale))
		return 0;
	return fit_err_set(
		err, FIT_ERR_INVALID, "--stale wants " FIT_STALE_WORDS ", not '%s'", value);
}

static int take_profiles(struct fit_cli *cli, const char *value, struct fit_err *err)
{
	if (!value[strspn(value, " ,")])
		return fit_err_set(err, FIT_ERR_INVALID, "--profile wants a profile's name");
	fit_strlist_split(&cli->profiles, value, " ,");
	return 0;
}

/* Where an option stores its value as it is; NULL: it does not. */
static const char **value_of(struct fit_cli *cli, enum fit_option option)
{
	switch (option) {
	case FIT_OPTION_CONNECT:
		return &cli->connect;
	case FIT_OPTION_SYSROOT:
		return &cli->sysroot;
	case FIT_OPTION_HOST:
		return &cli->host_file;
	case FIT_OPTION_ALLOWED:
		return &cli->allowed;
	case FIT_OPTION_SAVE:
		return &cli->save;
	case FIT_OPTION_PROFILES:
		return &cli->store.shipped;
	default:
		return NULL;
	}
}

/* What an option without a value switches on; NULL: it has one, or is none of these. */
static bool *flag_of(struct fit_cli *cli, enum fit_option option)
{
	switch (option) {
	case FIT_OPTION_START:
		return &cli->start;
	case FIT_OPTION_ONCE:
		return &cli->once;
	case FIT_OPTION_ALL:
		return &cli->all;
	case FIT_OPTION_WHY:
		return &cli->why;
	case FIT_OPTION_JSON:
		return &cli->json;
	case FIT_OPTION_DRY_RUN:
		return &cli->dry_run;
	default:
		return NULL;
	}
}

static int take(struct fit_cli *cli, enum fit_option option, const char *value, struct fit_err *err)
{
	const char **stored = value_of(cli, option);
	bool *flag = flag_of(cli, option);

	if (stored)
		*stored = value;
	if (flag)
		*flag = true;
	switch (option) {
	case FIT_OPTION_STALE:
		return take_stale(cli, value, err);
	case FIT_OPTION_TIMEOUT:
		return take_timeout(cli, value, err);
	case FIT_OPTION_PROFILE:
		return take_profiles(cli, value, err);
	case FIT_OPTION_PARAM:
		return take_param(cli, value, err);
	case FIT_OPTION_DEVICE:
		fit_strlist_add(&cli->devices, value);
		return 0;
	case FIT_OPTION_TARGET:
		return fit_target_parse(value, &cli->target, err);
	case FIT_OPTION_ONLY:
	case FIT_OPTION_UPTO:
		return take_steps(cli, option, value, err);
	default: /* stored; or --help, which the caller looks for */
		return 0;
	}
}

static int unknown_option(char **argv, struct fit_err *err)
{
	const struct entry *entry = find_entry(optopt);

	if (entry && optopt >= LONG_BASE)
		return fit_err_set(err, FIT_ERR_INVALID, "option --%s takes no value", entry->name);
	if (optopt)
		return fit_err_set(err, FIT_ERR_INVALID, "unknown option '-%c'", optopt);
	return fit_err_set(err, FIT_ERR_INVALID, "unknown option '%s'", argv[optind - 1]);
}

static int check(const struct fit_verb *verb, const struct fit_cli *cli, struct fit_err *err)
{
	if (cli->host_file && cli->sysroot)
		return fit_err_set(err, FIT_ERR_INVALID, "--host or --sysroot, not both");
	if (cli->save && cli->json)
		return fit_err_set(err, FIT_ERR_INVALID, "--save or --json, not both");
	for (int i = 0; i < cli->arg_count; i++)
		if (!cli->args[i][0])
			return fit_err_set(err, FIT_ERR_INVALID, "an argument is empty");
	if (cli->all)
		return 0;
	if (cli->arg_count < verb->min_args)
		return fit_err_set(err, FIT_ERR_INVALID, "an argument is missing");
	if (verb->max_args >= 0 && cli->arg_count > verb->max_args)
		return fit_err_set(err, FIT_ERR_INVALID, "unexpected argument '%s'",
			cli->args[verb->max_args]);
	return 0;
}

enum fit_parse_result fit_options_parse(const struct fit_verb *verb, int argc, char **argv,
	struct fit_cli *cli, struct fit_err *err)
{
	struct getopt_tables tables;
	int value;

	*cli = (struct fit_cli){
		.verb = verb->name, .root = {.fd = -1}, .timeout_s = TIMEOUT_DEFAULT_S};
	fill_tables(verb, &tables);
	opterr = 0;
	optind = 0; /* GNU: start afresh */
	while ((value = getopt_long(argc, argv, tables.letters, tables.options, NULL)) != -1) {
		const struct entry *entry = find_entry(value == ':' ? optopt : value);

		if (!entry) {
			unknown_option(argv, err);
			return FIT_PARSE_USAGE;
		}
		if (value == ':') {
			fit_err_set(err, FIT_ERR_INVALID, "option --%s wants a value: %s",
				entry->name, entry->value);
			return FIT_PARSE_USAGE;
		}
		if (entry->option == FIT_OPTION_HELP)
			return FIT_PARSE_HELP;
		if (take(cli, entry->option, optarg, err) < 0)
			return FIT_PARSE_USAGE;
	}
	cli->args = argv + optind;
	cli->arg_count = argc - optind;
	return check(verb, cli, err) < 0 ? FIT_PARSE_USAGE : FIT_PARSE_RUN;
}

void fit_cli_clear(struct fit_cli *cli)
{
	fit_strlist_clear(&cli->profiles);
	fit_strlist_clear(&cli->params);
	fit_strlist_clear(&cli->devices);
	fit_strlist_clear(&cli->only);
}

/* Further lines stand below the first. */
static void add_help(struct fit_buffer *buffer, const char *left, const char *help)
{
	const char *end = strchrnul(help, '\n');

	fit_buffer_addf(buffer, "  %-24s %.*s\n", left, (int)(end - help), help);
	if (*end)
		add_help(buffer, "", end + 1);
}

char *fit_options_help(const struct fit_verb *verb)
{
	struct fit_buffer buffer = {0};

	fit_buffer_addf(&buffer, "Usage: virt-fit %s [OPTIONS]%s%s\n\n%s.\n", verb->name,
		verb->arguments[0] ? " " : "", verb->arguments, verb->summary);
	if (verb->help[0])
		fit_buffer_addf(&buffer, "\n%s\n", verb->help);
	fit_buffer_add(&buffer, "\nOptions:\n");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(entries); i++) {
		const struct entry *entry = &entries[i];
		fit_autofree char *left = NULL;

		if (!((verb->options | FIT_OPTION_COMMON) & entry->option))
			continue;
		left = fit_xasprintf("%c%c%s --%s%s%s", entry->letter ? '-' : ' ',
			entry->letter ? entry->letter : ' ', entry->letter ? "," : " ", entry->name,
			entry->value ? " " : "", entry->value ? entry->value : "");
		add_help(&buffer, left, entry->help);
	}
	return fit_buffer_steal(&buffer);
}

const struct fit_verb *fit_verb_find(const struct fit_verb *verbs, const char *name)
{
	for (; verbs->name; verbs++)
		if (fit_streq(verbs->name, name))
			return verbs;
	return NULL;
}

enum { WORD_MAX = 15 };

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters were dropped, added, mistaken or swapped with their neighbour (the "optimal
 * string alignment" distance). */
static size_t distance(const char *a, const char *b)
{
	size_t table[WORD_MAX + 1][WORD_MAX + 1];
	size_t rows = strlen(a);
	size_t columns = strlen(b);

	if (rows > WORD_MAX || columns > WORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= rows; i++) {
		for (size_t j = 0; j <= columns; j++) {
			if (!i || !j) {
				table[i][j] = i + j;
				continue;
			}
			table[i][j] = least_of(table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
				1 + least_of(table[i - 1][j], table[i][j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				table[i][j] = least_of(table[i][j], 1 + table[i - 2][j - 2]);
		}
	}
	return table[rows][columns];
}

const struct fit_verb *fit_verb_nearest(const struct fit_verb *verbs, const char *name)
{
	const struct fit_verb *nearest = NULL;
	size_t least = 3; /* more than two typing errors are another word */

	for (; verbs->name; verbs++) {
		size_t found = distance(verbs->name, name);

		if (found < least && found < strlen(verbs->name)) {
			least = found;
			nearest = verbs;
		}
	}
	return nearest;
}
