/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hook engine: prepares the host when a domain that asked for it starts, and takes everything
 * back when it has ended.
 *
 *   virt-fit-hook [--sysroot DIR] [--profiles DIR] -- NAME OPERATION SUBOPERATION EXTRA < XML
 *
 * It is called by the gate inside libvirtd's call of the hook, so: it never talks to libvirt
 * (that would wait for ourselves), starts no program, and ends in time. stdout stays
 * empty, but for migrate and restore, where it replaces the domain's XML. stderr gets the one line
 * that explains a refusal; everything else goes to syslog.
 *
 * Only what comes before QEMU runs can refuse. A non-zero exit at reconnect or started would kill
 * the running guest. A refused migration leaves it running where it is, a refused restore leaves
 * the saved state.
 */
#include "engine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <syslog.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/domain.h"

enum { EXIT_FINE = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

/* While a hook runs, everybody who lists domains waits. */
#define WAIT_SECONDS 10 /* for others who change the host */
#define WORK_SECONDS 10 /* for the operation */
#define UNDO_SECONDS 5	/* after an interrupted write, to take back */

static const struct operation {
	const char *name;
	const char *sub;
	int (*run)(struct fit_call *call, struct fit_err *err);
	bool may_refuse;
} operations[] = {
	{"prepare", "begin", fit_call_prepare, true},
	{"start", "begin", fit_call_start, true},
	{"started", "begin", fit_call_started, false},
	{"stopped", "end", fit_call_stopped, false},
	{"release", "end", fit_call_release, false},
	{"reconnect", "begin", fit_call_reconnect, false},
	{"migrate", "begin", fit_call_migrate, true},
	{"restore", "begin", fit_call_restore, true},
};

void fit_call_log(const struct fit_call *call, const struct fit_strlist *notes)
{
	fit_autofree char *name = fit_printable(call->name);

	for (size_t i = 0; i < notes->count; i++)
		syslog(LOG_NOTICE, "domain '%s', %s: %s", name, call->operation, notes->items[i]);
}

void fit_call_log_error(const struct fit_call *call, const struct fit_err *err)
{
	fit_autofree char *name = fit_printable(call->name);

	syslog(LOG_WARNING, "domain '%s', %s: %s", name, call->operation, err->message);
}

/* The first alarm interrupts a write that the kernel takes too long for, the second is the end: the
 * journal has all that the next call needs to clean up. */
static void out_of_time(int signal_number)
{
	(void)signal_number;
	alarm(UNDO_SECONDS);
}

static void limit_time(void)
{
	struct sigaction action = {.sa_handler = out_of_time, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGALRM, &action, NULL);
	alarm(WAIT_SECONDS + WORK_SECONDS);
}

int fit_call_open_state(struct fit_call *call, struct fit_state *ret_state, struct fit_err *err)
{
	if (fit_state_open(&call->root, WAIT_SECONDS * 1000, WORK_SECONDS * 1000, ret_state, err) <
		0)
		return -1;
	alarm(WORK_SECONDS);
	return 0;
}

int fit_call_open_state_and_ask(
	struct fit_call *call, bool tells, struct fit_state *ret_state, struct fit_err *err)
{
	if (fit_irqbalance_open_state(&call->root, tells, WAIT_SECONDS * 1000, WORK_SECONDS * 1000,
		    ret_state, err) < 0)
		return -1;
	alarm(WORK_SECONDS);
	return 0;
}

/* One byte more than is accepted is enough to see that it is too much. */
static char *read_xml(size_t *ret_length)
{
	struct fit_buffer text = {0};
	char chunk[65536];
	ssize_t got;

	while (text.length <= FIT_XML_SIZE_MAX) {
		got = read(STDIN_FILENO, chunk, sizeof(chunk));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		fit_buffer_add_bytes(&text, chunk, (size_t)got);
	}
	*ret_length = text.length;
	return fit_buffer_steal(&text);
}

static void read_call(struct fit_call *call)
{
	fit_autofree char *shown = fit_printable(call->name);
	fit_autofree char *title = fit_xasprintf("domain %s", shown);
	fit_autofree char *uuid = NULL;

	call->xml = read_xml(&call->xml_length);
	call->doc = fit_xml_parse(call->xml, call->xml_length, title, &call->xml_failure);
	if (call->doc) {
		const xmlNode *node = fit_xml_child(xmlDocGetRootElement(call->doc), "uuid");

		uuid = node ? fit_xml_text(node) : NULL;
	}
	if (uuid && fit_uuid_is_valid(uuid))
		call->uuid = FIT_STEAL(uuid);
}

static int run(struct fit_call *call, const struct operation *operation, const char *sysroot)
{
	struct fit_err err = FIT_ERR_INIT;

	if (fit_fsroot_open(sysroot, &call->root, &err) == 0) {
		call->store.root = &call->root;
		read_call(call);
		if (operation->run(call, &err) == 0)
			return EXIT_FINE;
	}
	fit_call_log_error(call, &err);
	if (!operation->may_refuse)
		return EXIT_FINE;
	fprintf(stderr, "virt-fit: %s\n", err.message);
	return EXIT_REFUSED;
}

static int usage(void)
{
	fputs("usage: virt-fit-hook [--sysroot DIR] [--profiles DIR] -- NAME OPERATION "
	      "SUBOPERATION EXTRA\n"
	      "(libvirt's hook calls it, with the domain's XML on stdin)\n",
		stderr);
	return EXIT_USAGE;
}

static const struct operation *find_operation(char **args, int count)
{
	for (size_t i = 0; count >= 3 && i < FIT_ARRAY_SIZE(operations); i++)
		if (fit_streq(args[1], operations[i].name) && fit_streq(args[2], operations[i].sub))
			return &operations[i];
	return NULL;
}

int main(int argc, char **argv)
{
	struct fit_call call = {0};
	const struct operation *operation;
	const char *sysroot = "/";
	int i = 1;
	int code;

	for (; i + 1 < argc && !fit_streq(argv[i], "--"); i += 2) {
		if (fit_streq(argv[i], "--sysroot"))
			sysroot = argv[i + 1];
		else if (fit_streq(argv[i], "--profiles"))
			call.store.shipped = argv[i + 1];
		else
			return usage();
	}
	if (i >= argc || !fit_streq(argv[i], "--"))
		return usage();
	/* Operations that a later libvirt may add are none of our business. */
	operation = find_operation(argv + i + 1, argc - i - 1);
	if (!operation)
		return EXIT_FINE;
	call.name = argv[i + 1];
	call.operation = operation->name;
	umask(077);
	limit_time();
	openlog("virt-fit-hook", LOG_PID, LOG_DAEMON);
	code = run(&call, operation, sysroot);
	fit_xml_free_doc(&call.doc);
	free(call.xml);
	free(call.uuid);
	fit_fsroot_close(&call.root);
	return code;
}
