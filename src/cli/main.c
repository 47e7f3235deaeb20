/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit VERB [OPTIONS] [ARGUMENTS]: the table of verbs, help, and the way out. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/options.h"
#include "sys/capture.h"

#define DOMAIN_HELP \
	"An argument that contains a slash, or ends in .xml and is a file, is a FILE, and - is\n" \
	"standard input; anything else is a DOMAIN: name, UUID or id."

/* To try what is not in the definition. */
#define TRY_OPTIONS (FIT_OPTION_PROFILE | FIT_OPTION_PARAM | FIT_OPTION_DEVICE | FIT_OPTION_TARGET)

/* To apply a profile step by step. */
#define STEP_OPTIONS (FIT_OPTION_ONLY | FIT_OPTION_UPTO)

static const struct fit_verb verbs[] = {
	{"set", "DOMAIN PROFILE...", "Request profiles for a domain and fit its definition",
		"Replaces an earlier request with its parameters and devices. If the request "
		"cannot\n"
		"be met, nothing is changed. 'virt-fit plan' takes the same options, to try them.",
		FIT_OPTION_PARAM | FIT_OPTION_DEVICE | FIT_OPTION_STALE | FIT_OPTION_DRY_RUN, 2, -1,
		fit_cmd_set},
	{"unset", "DOMAIN...", "Take the request and all that was fitted out of a definition", "",
		FIT_OPTION_DRY_RUN, 1, -1, fit_cmd_unset},
	{"list", "", "Show the domains that request profiles, and whether they are fitted", "",
		FIT_OPTION_JSON, 0, 0, fit_cmd_list},
	{"plan", "DOMAIN|FILE", "Show what a domain would get on this host",
		DOMAIN_HELP "\n"
			    "With --all and any number of FILEs, plans all domains, and what is in "
			    "the files,\n"
			    "one beside the other, and shows what is left of the host then. Exit "
			    "code 1 when\n"
			    "one of them does not fit. With --profile, as if all that do not run "
			    "had asked for it.",
		TRY_OPTIONS | STEP_OPTIONS | FIT_OPTION_WHY | FIT_OPTION_JSON | FIT_OPTION_ALL, 1,
		1, fit_cmd_plan},
	{"diff", "DOMAIN|FILE", "Show how fitting would change a definition", DOMAIN_HELP,
		TRY_OPTIONS | STEP_OPTIONS, 1, 1, fit_cmd_diff},
	{"render", "[DOMAIN|FILE]", "Print the fitted definition",
		"Reads standard input when no argument is given.\n" DOMAIN_HELP,
		TRY_OPTIONS | STEP_OPTIONS, 0, 1, fit_cmd_render},
	{"apply", "DOMAIN...", "Fit definitions to their requests, where they are not yet",
		"A running domain keeps running as it is; its next start is fitted.\n"
		"With --only or --upto, what the other intents ask for is left as it was, until an\n"
		"'apply' without.",
		STEP_OPTIONS | FIT_OPTION_DRY_RUN, 1, -1, fit_cmd_apply},
	{"revert", "DOMAIN|FILE", "Take out what was fitted, keep the request",
		"The domain starts again after 'virt-fit apply', or 'virt-fit unset', which takes\n"
		"out the request too. What is left of a FILE goes to standard "
		"output.\n" DOMAIN_HELP,
		FIT_OPTION_DRY_RUN, 1, 1, fit_cmd_revert},
	{"status", "[DOMAIN]", "Show definitions, running domains and what they hold of the host",
		"Without libvirt, shows what is held of the host.", FIT_OPTION_JSON, 0, 1,
		fit_cmd_status},
	{"undo", "[DOMAIN]", "Give the host back what domains that do not run left behind",
		"Needed only after a crash: a stop does it by itself. Domains that run keep what\n"
		"they hold.",
		FIT_OPTION_DRY_RUN | FIT_OPTION_JSON, 0, 1, fit_cmd_undo},
	{"define", "FILE", "Define a domain from its XML and fit it, in one go",
		"As 'virsh define', but nobody sees the definition before it is fitted. If its\n"
		"request cannot be met, nothing is defined. '-' is standard input.",
		FIT_OPTION_START, 1, 1, fit_cmd_define},
	{"wait", "DOMAIN", "Wait until the watcher has fitted a definition",
		"For scripts that define a domain and start it. Ends at once when it is fitted or\n"
		"requests nothing; fails when it cannot be fitted.",
		FIT_OPTION_TIMEOUT, 1, 1, fit_cmd_wait},
	{"watch", "", "Keep all definitions fitted, until it is ended",
		"What the service runs. Fits whatever is defined, edited or requests something else,\n"
		"all again when profiles or the host change, and starts domains whose start came\n"
		"too early.",
		FIT_OPTION_ONCE, 0, 0, fit_cmd_watch},
	{"host", "", "Show the host as virt-fit sees it",
		"With --save, writes what virt-fit reads of the host to a text file instead, without\n"
		"serial numbers, MAC addresses and the host's name. 'virt-fit plan --host FILE' plans\n"
		"for that host, on any machine.",
		FIT_OPTION_SYSROOT | FIT_OPTION_JSON | FIT_OPTION_SAVE, 0, 0, fit_cmd_host},
	{"profiles", "[NAME...]", "List the profiles, or show what these ask for together", "",
		FIT_OPTION_JSON, 0, -1, fit_cmd_profiles},
	{0},
};

static void print_help(void)
{
	printf("Usage: virt-fit VERB [OPTIONS] [ARGUMENTS]\n\n"
	       "Makes a libvirt/QEMU virtual machine fit the hardware under it.\n\nVerbs:\n");
	for (const struct fit_verb *verb = verbs; verb->name; verb++)
		printf("  %-9s %-18s %s\n", verb->name, verb->arguments, verb->summary);
	printf("\n'virt-fit VERB --help' says more, 'virt-fit --version' which one this is.\n"
	       "Exit codes: 0 done, 1 refused or failed, 2 usage.\n");
}

/* The name without what could forge lines of our output. */
static int unknown_verb(const char *name)
{
	const struct fit_verb *nearest = fit_verb_nearest(verbs, name);
	fit_autofree char *shown = fit_printable(name);

	if (nearest)
		fit_cli_note("unknown verb '%s'; did you mean '%s'?", shown, nearest->name);
	else
		fit_cli_note("unknown verb '%s'; 'virt-fit --help' lists them", shown);
	return FIT_EXIT_USAGE;
}

static int print_verb_help(const struct fit_verb *verb)
{
	fit_autofree char *help = fit_options_help(verb);

	fputs(help, stdout);
	return FIT_EXIT_DONE;
}

/* The machine's, that of --sysroot, or the one that the capture of --host is unpacked to. */
static int open_root(struct fit_cli *cli, struct fit_unpacked *tree, struct fit_err *err)
{
	if (cli->host_file) {
		if (fit_capture_unpack(cli->host_file, tree, err) < 0)
			return -1;
		cli->sysroot = tree->path;
	}
	if (fit_fsroot_open(cli->sysroot ? cli->sysroot : "/", &cli->root, err) < 0)
		return -1;
	cli->root.shown_as = cli->host_file;
	cli->store.root = &cli->root;
	return 0;
}

static int run_verb(const struct fit_verb *verb, int argc, char **argv)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_unpacked tree = {0};
	struct fit_cli cli;
	int code = FIT_EXIT_FAILED;

	switch (fit_options_parse(verb, argc, argv, &cli, &err)) {
	case FIT_PARSE_HELP:
		code = print_verb_help(verb);
		break;
	case FIT_PARSE_USAGE:
		fit_cli_note("%s: %s\nUsage: virt-fit %s [OPTIONS]%s%s", verb->name, err.message,
			verb->name, verb->arguments[0] ? " " : "", verb->arguments);
		code = FIT_EXIT_USAGE;
		break;
	case FIT_PARSE_RUN:
		code = open_root(&cli, &tree, &err) < 0 ? fit_cli_fail(&err) : verb->run(&cli);
		fit_fsroot_close(&cli.root);
		fit_capture_remove(&tree);
		break;
	}
	fit_cli_clear(&cli);
	return code;
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct fit_verb *verb;

	if (!name) {
		fputs("Usage: virt-fit VERB [OPTIONS] [ARGUMENTS]\n"
		      "'virt-fit --help' lists the verbs.\n",
			stderr);
		return FIT_EXIT_USAGE;
	}
	if (fit_streq(name, "--version")) {
		puts("virt-fit " FIT_VERSION);
		return FIT_EXIT_DONE;
	}
	if (fit_streq(name, "--help") || fit_streq(name, "-h") ||
		(fit_streq(name, "help") && argc == 2)) {
		print_help();
		return FIT_EXIT_DONE;
	}
	if (name[0] == '-') {
		fit_cli_note("a verb comes first, then its options; 'virt-fit --help' lists them");
		return FIT_EXIT_USAGE;
	}
	if (fit_streq(name, "help")) {
		verb = fit_verb_find(verbs, argv[2]);
		return verb ? print_verb_help(verb) : unknown_verb(argv[2]);
	}
	verb = fit_verb_find(verbs, name);
	return verb ? run_verb(verb, argc - 1, argv + 1) : unknown_verb(name);
}

/* A closed standard descriptor would be taken by the next file opened, and our output would go
 * there. /dev/null in the wrong direction makes its use fail instead. */
static void occupy_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	int code;

	occupy_standard_descriptors();
	signal(SIGPIPE, SIG_IGN); /* a reader that went away is a failed write: exit 1 */
	code = run(argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		if (errno != EPIPE)
			fit_cli_note("cannot write to standard output: %s", strerror(errno));
		return code == FIT_EXIT_USAGE ? code : FIT_EXIT_FAILED;
	}
	return code;
}
