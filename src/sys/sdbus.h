/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The D-Bus client of libsystemd, loaded when it is first asked for: the hook runs at each start
 * and stop of each domain, and few of them have anything to say to systemd. To link it would mean
 * to load it and the five libraries that it needs every time.
 */
#ifndef FIT_SYS_SDBUS_H
#define FIT_SYS_SDBUS_H

#include <systemd/sd-bus.h>

#include "base/err.h"

#define FIT_SDBUS_FUNCTIONS(with) \
	with(sd_bus_new) with(sd_bus_set_address) with(sd_bus_start) with(sd_bus_is_ready) \
		with(sd_bus_process) with(sd_bus_wait) with(sd_bus_call) with(sd_bus_close_unref) \
			with(sd_bus_path_encode) with(sd_bus_error_free) \
				with(sd_bus_message_new_method_call) with(sd_bus_message_append) \
					with(sd_bus_message_append_array) \
						with(sd_bus_message_open_container) \
							with(sd_bus_message_close_container) with( \
								sd_bus_message_enter_container) \
								with(sd_bus_message_read_array) \
									with(sd_bus_message_unref)

struct fit_sdbus {
#define FIT_SDBUS_MEMBER(function) __typeof__(function) *function;
	FIT_SDBUS_FUNCTIONS(FIT_SDBUS_MEMBER)
#undef FIT_SDBUS_MEMBER
};

/* Belongs to the library, and stays loaded. NULL and FIT_ERR_SYSTEM where there is none, or an
 * older one than 240. */
const struct fit_sdbus *fit_sdbus_load(struct fit_err *err);

#endif
