/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options and help texts. There is one table of options; each verb accepts some of them, and its
 * help is made from the same table, so that help and behaviour cannot differ.
 */
#ifndef FIT_CLI_OPTIONS_H
#define FIT_CLI_OPTIONS_H

#include "cli/cli.h"

enum fit_option {
	FIT_OPTION_CONNECT = 1 << 0,
	FIT_OPTION_SYSROOT = 1 << 1,
	FIT_OPTION_PROFILES = 1 << 2,
	FIT_OPTION_PROFILE = 1 << 3,
	FIT_OPTION_PARAM = 1 << 4,
	FIT_OPTION_DEVICE = 1 << 5,
	FIT_OPTION_WHY = 1 << 6,
	FIT_OPTION_JSON = 1 << 7,
	FIT_OPTION_DRY_RUN = 1 << 8,
	FIT_OPTION_HELP = 1 << 9,
	FIT_OPTION_TARGET = 1 << 10,
	FIT_OPTION_ONLY = 1 << 11,
	FIT_OPTION_UPTO = 1 << 12,
	FIT_OPTION_HOST = 1 << 13,
	FIT_OPTION_SAVE = 1 << 14,
	FIT_OPTION_ALLOWED = 1 << 20,
	FIT_OPTION_ALL = 1 << 15, /* of `plan`: any number of arguments */
	FIT_OPTION_ONCE = 1 << 16,
	FIT_OPTION_STALE = 1 << 17,
	FIT_OPTION_TIMEOUT = 1 << 18,
	FIT_OPTION_START = 1 << 19,
	/* Every verb accepts these: where the host, libvirt and the profiles are. */
	FIT_OPTION_COMMON = FIT_OPTION_CONNECT | FIT_OPTION_SYSROOT | FIT_OPTION_HOST |
			    FIT_OPTION_PROFILES | FIT_OPTION_ALLOWED | FIT_OPTION_HELP,
};

struct fit_verb {
	const char *name;
	const char *arguments; /* "DOMAIN...", "" when there are none */
	const char *summary;   /* one line */
	const char *help;      /* more lines, "" when the summary says it all */
	unsigned int options;  /* of enum fit_option, besides FIT_OPTION_COMMON */
	int min_args;
	int max_args; /* -1: no limit */
	int (*run)(struct fit_cli *cli);
};

enum fit_parse_result { FIT_PARSE_RUN, FIT_PARSE_HELP, FIT_PARSE_USAGE };

/*
 * Parses argv[1…] for @verb (argv[0] is the verb's name) into @cli, which fit_cli_clear() frees in
 * any case; strings stay in @argv, whose order changes. FIT_PARSE_USAGE fills @err. The root is not
 * opened here.
 */
enum fit_parse_result fit_options_parse(const struct fit_verb *verb, int argc, char **argv,
	struct fit_cli *cli, struct fit_err *err);

void fit_cli_clear(struct fit_cli *cli);

/* The help of one verb, to be freed. */
char *fit_options_help(const struct fit_verb *verb);

/* The verb of this name, NULL when there is none. The table ends with an entry without name. */
const struct fit_verb *fit_verb_find(const struct fit_verb *verbs, const char *name);

/* The verb that @name is probably a misspelling of, or NULL. */
const struct fit_verb *fit_verb_nearest(const struct fit_verb *verbs, const char *name);

#endif
