/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libvirt's event loop, for one thread: it serves the connections that are opened after
 * fit_virt_loop_init(), and what is added here. Callbacks run in that thread; the functions may be
 * called from any.
 */
#ifndef FIT_VIRT_LOOP_H
#define FIT_VIRT_LOOP_H

#include <stdint.h>

#include "base/err.h"

typedef void (*fit_virt_loop_callback)(void *context);

/* Once in a process, before the first connection. */
int fit_virt_loop_init(struct fit_err *err);

/* Waits for something to happen and handles it. */
int fit_virt_loop_turn(struct fit_err *err);

/* @callback is called when @fd can be read. */
int fit_virt_loop_add_fd(
	int fd, fit_virt_loop_callback callback, void *context, struct fit_err *err);

/* A timer that is off; gives its number, or -1. */
int fit_virt_loop_add_timer(fit_virt_loop_callback callback, void *context, struct fit_err *err);
/* It fires every @ms from now on; -1: off. */
void fit_virt_loop_set_timer(int timer, int ms);

#endif
