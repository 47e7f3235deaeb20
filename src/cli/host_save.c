/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/host_save.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/host.h"
#include "sys/capture.h"
#include "sys/probe.h"

/* The host's name in the capture: the file's, without directory and extension. To be freed. */
static char *capture_name(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	char *name = fit_xstrndup(base, strcspn(base, "."));

	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '-';
	if (isalnum((unsigned char)*name))
		return name;
	fit_xreplace(&name, "captured");
	return name;
}

static int write_capture(const char *file, const char *text, struct fit_err *err)
{
	FILE *stream;
	int errnum = 0;

	if (fit_streq(file, "-")) {
		fputs(text, stdout);
		return 0; /* main() reports a stdout that cannot be written */
	}
	stream = fopen(file, "we");
	if (!stream)
		return fit_err_sys(err, errno, "cannot write %s", file);
	if (fputs(text, stream) < 0)
		errnum = errno;
	if (fclose(stream) != 0 && !errnum)
		errnum = errno;
	return errnum ? fit_err_sys(err, errnum, "cannot write %s", file) : 0;
}

int fit_host_save(struct fit_cli *cli)
{
	fit_autofree char *name = capture_name(cli->save);
	fit_autofree char *text = NULL;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_host host = {0};

	/* What is no host is not worth a capture. */
	if (fit_probe(&cli->root, 0, &host, NULL, &err) < 0)
		return fit_cli_fail(&err);
	fit_host_clear(&host);
	if (cli->root.real && geteuid() != 0)
		fit_cli_note(
			"MSI-X table sizes are missing from the capture: only root reads them");
	text = fit_capture_make(&cli->root, name);
	return write_capture(cli->save, text, &err) < 0 ? fit_cli_fail(&err) : FIT_EXIT_DONE;
}
