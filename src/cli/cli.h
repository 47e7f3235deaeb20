/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: main.c parses options by the verb's table entry and calls the verb, one file
 * per verb (cmd_*.c). Data goes to stdout, talk to stderr. Exit codes: 0 done, 1 refused or failed,
 * 2 usage.
 */
#ifndef FIT_CLI_CLI_H
#define FIT_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/strlist.h"
#include "core/stale.h"
#include "core/target.h"
#include "sys/fsroot.h"
#include "sys/profile_store.h"

enum { FIT_EXIT_DONE = 0, FIT_EXIT_FAILED = 1, FIT_EXIT_USAGE = 2 };

/* What a verb gets: options parsed, root opened. Options a verb does not accept were refused. */
struct fit_cli {
	const char *verb;
	char **args; /* positional arguments */
	int arg_count;
	const char *connect;	     /* --connect URI; NULL: libvirt's default */
	const char *sysroot;	     /* --sysroot DIR; NULL: the machine */
	const char *host_file;	     /* --host FILE: a capture, whose tree `sysroot` is then */
	const char *save;	     /* --save FILE; NULL: not given */
	const char *allowed;	     /* --allowed CPUS; NULL: all */
	struct fit_strlist profiles; /* --profile NAMES, split; empty: the request decides */
	struct fit_strlist params;   /* --param NAME=VALUE, as given */
	struct fit_strlist devices;  /* --device ADDRESS|NETDEV, as given */
	struct fit_strlist only;     /* --only, --upto: intents; empty: all */
	struct fit_target target;    /* --target VERSIONS; 0: not given */
	bool json;		     /* --json */
	bool dry_run;		     /* -n, --dry-run */
	bool why;		     /* --why */
	bool all;		     /* --all */
	bool once;		     /* --once */
	bool start;		     /* --start */
	enum fit_stale stale;	     /* --stale POLICY */
	unsigned int timeout_s;	     /* --timeout SECONDS */
	struct fit_fsroot root;
	struct fit_profile_store store; /* --profiles DIR replaces the shipped ones */
};

/* Prints "virt-fit: message" to stderr and gives FIT_EXIT_FAILED. */
int fit_cli_fail(const struct fit_err *err);

/* Prints "virt-fit: message" to stderr: what the user should know although it works. */
void fit_cli_note(const char *format, ...) FIT_PRINTF(1, 2);

struct json_object;
/* Prints a JSON value to stdout, indented, and releases it. Gives FIT_EXIT_DONE; main() reports a
 * stdout that cannot be written. */
int fit_cli_print_json(struct json_object *value);

int fit_cmd_apply(struct fit_cli *cli);
int fit_cmd_define(struct fit_cli *cli);
int fit_cmd_diff(struct fit_cli *cli);
int fit_cmd_host(struct fit_cli *cli);
int fit_cmd_list(struct fit_cli *cli);
int fit_cmd_plan(struct fit_cli *cli);
int fit_cmd_profiles(struct fit_cli *cli);
int fit_cmd_render(struct fit_cli *cli);
int fit_cmd_revert(struct fit_cli *cli);
int fit_cmd_set(struct fit_cli *cli);
int fit_cmd_status(struct fit_cli *cli);
int fit_cmd_undo(struct fit_cli *cli);
int fit_cmd_unset(struct fit_cli *cli);
int fit_cmd_wait(struct fit_cli *cli);
int fit_cmd_watch(struct fit_cli *cli);

#endif
