/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to domains, on a connection of its own: the calls on another one may take long.
 * Needs the event loop of virt/loop.h, in whose thread the handlers run; they must not call
 * libvirt.
 */
#ifndef FIT_VIRT_EVENTS_H
#define FIT_VIRT_EVENTS_H

#include "virt/connection.h"

enum fit_virt_event {
	FIT_VIRT_ADDED,	    /* defined, where no definition was before */
	FIT_VIRT_REDEFINED, /* defined again, renamed, taken back to a snapshot's */
	FIT_VIRT_REQUESTED, /* the request in its metadata was written or taken out */
	FIT_VIRT_UNDEFINED,
	FIT_VIRT_STARTED,
	FIT_VIRT_STOPPED,
	FIT_VIRT_RESET,	  /* the guest reboots, or was made to */
	FIT_VIRT_PLUGGED, /* a device came or went while it runs */
};

struct fit_virt_handlers {
	void (*event)(void *context, enum fit_virt_event event, const char *uuid);
	void (*lost)(void *context); /* the connection has ended */
	void *context;
};

#define FIT_VIRT_CALLBACKS 5

struct fit_virt_events {
	struct fit_virt virt;
	const struct fit_virt_handlers *handlers;
	int callbacks[FIT_VIRT_CALLBACKS]; /* -1: not registered */
};

/* @events and @handlers must stay where they are until fit_virt_events_close(). */
int fit_virt_events_open(const char *uri, const struct fit_virt_handlers *handlers,
	struct fit_virt_events *events, struct fit_err *err);
void fit_virt_events_close(struct fit_virt_events *events);

/* Lets libvirt notice that the daemon hangs, not only that it is gone. */
void fit_virt_keep_alive(struct fit_virt *virt);

#endif
