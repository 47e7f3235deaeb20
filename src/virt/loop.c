/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "virt/loop.h"

#include <stdlib.h>

#include <libvirt/libvirt.h>

#include "base/memory.h"
#include "virt/connection.h"

/* libvirt's own implementation calls a handle's callback with the descriptor and what happened. */
struct handler {
	fit_virt_loop_callback callback;
	void *context;
};

static struct handler *make_handler(fit_virt_loop_callback callback, void *context)
{
	struct handler *handler = fit_xcalloc(1, sizeof(*handler));

	*handler = (struct handler){callback, context};
	return handler;
}

static void on_fd(int watch FIT_UNUSED, int fd FIT_UNUSED, int events FIT_UNUSED, void *opaque)
{
	const struct handler *handler = opaque;

	handler->callback(handler->context);
}

static void on_timer(int timer FIT_UNUSED, void *opaque)
{
	const struct handler *handler = opaque;

	handler->callback(handler->context);
}

int fit_virt_loop_init(struct fit_err *err)
{
	if (virEventRegisterDefaultImpl() < 0)
		return fit_virt_fail(err, "cannot set up libvirt's event loop");
	return 0;
}

int fit_virt_loop_turn(struct fit_err *err)
{
	if (virEventRunDefaultImpl() < 0)
		return fit_virt_fail(err, "libvirt's event loop");
	return 0;
}

int fit_virt_loop_add_fd(
	int fd, fit_virt_loop_callback callback, void *context, struct fit_err *err)
{
	struct handler *handler = make_handler(callback, context);

	if (virEventAddHandle(fd, VIR_EVENT_HANDLE_READABLE, on_fd, handler, free) < 0) {
		free(handler);
		return fit_virt_fail(err, "cannot watch a descriptor");
	}
	return 0;
}

int fit_virt_loop_add_timer(fit_virt_loop_callback callback, void *context, struct fit_err *err)
{
	struct handler *handler = make_handler(callback, context);
	int timer = virEventAddTimeout(-1, on_timer, handler, free);

	if (timer < 0) {
		free(handler);
		return fit_virt_fail(err, "cannot make a timer");
	}
	return timer;
}

void fit_virt_loop_set_timer(int timer, int ms)
{
	virEventUpdateTimeout(timer, ms);
}
