/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the log. In the journal, with fields to filter by (journalctl DOMAIN=web01); on stderr
 * for whoever runs it in a terminal or under another supervisor.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "base/memory.h"
#include "base/text.h"
#include "watch/parts.h"

/* systemd says which stream is connected to its journal. */
static bool is_journal(int fd)
{
	const char *stream = getenv("JOURNAL_STREAM");
	fit_autofree char *mine = NULL;
	struct stat info;

	if (!stream || fstat(fd, &info) < 0)
		return false;
	mine = fit_xasprintf("%ju:%ju", (uintmax_t)info.st_dev, (uintmax_t)info.st_ino);
	return fit_streq(stream, mine);
}

static int priority_of(enum fit_log_level level)
{
	switch (level) {
	case FIT_LOG_WARNING:
		return LOG_WARNING;
	case FIT_LOG_NOTICE:
		return LOG_NOTICE;
	case FIT_LOG_INFO:
		break;
	}
	return LOG_INFO;
}

static void send(
	enum fit_log_level level, const char *domain, const char *profile, const char *line)
{
	fit_autofree char *fields[] = {NULL, NULL, NULL, NULL};
	struct iovec parts[4];
	int count = 0;

	fields[0] = fit_xasprintf("MESSAGE=%s", line);
	fields[1] = fit_xasprintf("PRIORITY=%d", priority_of(level));
	fields[2] = domain ? fit_xasprintf("DOMAIN=%s", domain) : NULL;
	fields[3] = profile ? fit_xasprintf("PROFILE=%s", profile) : NULL;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(fields); i++)
		if (fields[i])
			parts[count++] = (struct iovec){fields[i], strlen(fields[i])};
	(void)sd_journal_sendv(parts, count);
}

static bool is_said(const char *text, const char *domain)
{
	return fit_starts_with(text, domain) && text[strlen(domain)] == ':';
}

void fit_watch_log(
	enum fit_log_level level, const char *domain, const char *profile, const char *format, ...)
{
	fit_autofree char *text = NULL;
	fit_autofree char *shown = domain ? fit_printable(domain) : NULL;
	fit_autofree char *line = NULL;
	va_list args;

	va_start(args, format);
	text = fit_xvasprintf(format, args);
	va_end(args);
	/* Most errors begin with the domain. */
	line = shown && !is_said(text, shown) ? fit_xasprintf("%s: %s", shown, text)
					      : fit_xstrdup(text);
	if (is_journal(STDERR_FILENO))
		send(level, domain, profile, line);
	else
		fprintf(stderr, "virt-fit: %s%s\n", level == FIT_LOG_WARNING ? "warning: " : "",
			line);
}
