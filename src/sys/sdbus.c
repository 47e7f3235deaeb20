/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/sdbus.h"

#include <dlfcn.h>
#include <stdbool.h>

/* What the functions belong to since the library has that name (systemd 209). */
#define LIBRARY "libsystemd.so.0"

static int fail(struct fit_err *err)
{
	const char *why = dlerror();

	return fit_err_set(err, FIT_ERR_SYSTEM,
		"systemd runs here, but its library cannot be loaded (%s): install " LIBRARY,
		why ? why : "no reason given");
}

static int find(void *library, const char *name, void *ret_function, struct fit_err *err)
{
	void *found = dlsym(library, name);

	if (!found)
		return fail(err);
	*(void **)ret_function = found;
	return 0;
}

const struct fit_sdbus *fit_sdbus_load(struct fit_err *err)
{
	static struct fit_sdbus functions;
	static bool loaded;
	void *library;

	if (loaded)
		return &functions;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fail(err);
		return NULL;
	}
#define FIND(function) \
	if (find(library, #function, &functions.function, err) < 0) \
		return NULL;
	FIT_SDBUS_FUNCTIONS(FIND)
#undef FIND
	loaded = true;
	return &functions;
}
