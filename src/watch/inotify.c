/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/inotify.h"

#include <unistd.h>

bool fit_inotify_take(int fd, fit_inotify_taker take, void *context)
{
	char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
	bool any = false;
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer))) > 0) {
		for (const char *at = buffer; at < buffer + got;) {
			const struct inotify_event *event =
				(const struct inotify_event *)(const void *)at;

			any |= take(context, event, event->len ? event->name : "");
			at += sizeof(*event) + event->len;
		}
	}
	return any;
}
