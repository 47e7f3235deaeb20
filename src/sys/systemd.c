/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/systemd.h"

#include <errno.h>
#include <string.h>

#include "base/attr.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/paths.h"
#include "sys/sdbus.h"

#define MANAGER	     "org.freedesktop.systemd1"
#define MANAGER_PATH "/org/freedesktop/systemd1"
#define UNIT_PATH    MANAGER_PATH "/unit"

/* Answers take less than a millisecond; a manager that is being reloaded needs a second or two. */
#define CALL_MS 3000

/* One that did not answer is not asked again for a while: who stops a domain has more to do. */
#define SILENT_MS 30000
static int64_t silent_until;

struct call {
	const struct fit_sdbus *lib; /* NULL: it could not be loaded */
	sd_bus *bus;
	sd_bus_message *request;
	sd_bus_message *reply;
	sd_bus_error error;
	int64_t deadline;
};

static void end_call(struct call *call)
{
	if (!call->lib)
		return;
	call->lib->sd_bus_error_free(&call->error);
	call->lib->sd_bus_message_unref(call->reply);
	call->lib->sd_bus_message_unref(call->request);
	call->lib->sd_bus_close_unref(call->bus);
}

/* The library's calls have a time limit, but not what comes before the first: greeting and
 * authentication. */
static int wait_until_ready(const struct fit_sdbus *lib, sd_bus *bus, int64_t deadline)
{
	int result = 0;

	while (result >= 0 && (result = lib->sd_bus_is_ready(bus)) == 0) {
		int64_t left = deadline - fit_clock_ms();

		if (left <= 0)
			return -ETIMEDOUT;
		result = lib->sd_bus_process(bus, NULL);
		if (result == 0)
			result = lib->sd_bus_wait(bus, (uint64_t)left * 1000);
	}
	return result < 0 ? result : 0;
}

static int connect_to(struct call *call, const char *address)
{
	const struct fit_sdbus *lib = call->lib;
	int result = lib->sd_bus_new(&call->bus);

	if (result >= 0)
		result = lib->sd_bus_set_address(call->bus, address);
	if (result >= 0)
		result = lib->sd_bus_start(call->bus);
	if (result >= 0)
		result = wait_until_ready(lib, call->bus, call->deadline);
	return result;
}

static int fail(const struct call *call, int result, const char *what, const char *unit,
	struct fit_err *err)
{
	if (!call->lib)
		return fit_err_prefix(err, "cannot %s of %s: ", what, unit);
	if (result == -ETIMEDOUT && fit_clock_ms() >= silent_until)
		silent_until = fit_clock_ms() + SILENT_MS;
	if (call->error.message)
		return fit_err_set(err, FIT_ERR_SYSTEM, "cannot %s of %s: systemd says: %s", what,
			unit, call->error.message);
	return fit_err_sys(err, -result, "cannot %s of %s: systemd does not answer", what, unit);
}

/* The manager's own socket is there for root from the first second of the boot to the last, also
 * without a system bus; systemctl(1) uses it too. */
static int open_call(struct call *call, int64_t deadline, struct fit_err *err)
{
	int64_t now = fit_clock_ms();

	call->lib = fit_sdbus_load(err);
	if (!call->lib)
		return -ELIBACC;
	if (now < silent_until)
		return -ETIMEDOUT;
	call->deadline = now + CALL_MS < deadline ? now + CALL_MS : deadline;
	return connect_to(call, FIT_SYSTEMD_ADDRESS);
}

static int send(struct call *call)
{
	int64_t left = call->deadline - fit_clock_ms();

	/* 0 would mean the library's own, much longer, limit. */
	if (left <= 0)
		return -ETIMEDOUT;
	return call->lib->sd_bus_call(
		call->bus, call->request, (uint64_t)left * 1000, &call->error, &call->reply);
}

/* The interface is named by the unit's type, "Slice" for "user.slice". */
static char *interface_of(const char *unit)
{
	const char *type = strrchr(unit, '.') ? strrchr(unit, '.') + 1 : "";

	return fit_xasprintf(MANAGER ".%c%s", *type & ~0x20, *type ? type + 1 : "");
}

/* An array of bytes, the lowest CPUs first. */
static void cpus_from_bytes(const uint8_t *bytes, size_t size, struct fit_cpuset *cpus)
{
	for (size_t i = 0; i < size * 8 && i < FIT_CPUSET_MAX; i++)
		if (bytes[i / 8] >> (i % 8) & 1)
			fit_cpuset_add(cpus, (unsigned int)i);
}

static size_t cpus_to_bytes(const struct fit_cpuset *cpus, uint8_t bytes[FIT_CPUSET_MAX / 8])
{
	size_t size = 0;

	memset(bytes, 0, FIT_CPUSET_MAX / 8);
	fit_cpuset_for_each (cpu, cpus) {
		bytes[cpu / 8] |= (uint8_t)(1U << (cpu % 8));
		size = (size_t)cpu / 8 + 1;
	}
	return size;
}

static int get_cpus(struct call *call, const char *unit, struct fit_cpuset *cpus)
{
	const struct fit_sdbus *lib = call->lib;
	fit_autofree char *interface = interface_of(unit);
	fit_autofree char *path = NULL;
	const void *bytes = NULL;
	size_t size = 0;
	int result = lib->sd_bus_path_encode(UNIT_PATH, unit, &path);

	if (result >= 0)
		result = lib->sd_bus_message_new_method_call(call->bus, &call->request, MANAGER,
			path, "org.freedesktop.DBus.Properties", "Get");
	if (result >= 0)
		result = lib->sd_bus_message_append(call->request, "ss", interface, "AllowedCPUs");
	if (result >= 0)
		result = send(call);
	if (result >= 0)
		result = lib->sd_bus_message_enter_container(call->reply, 'v', "ay");
	if (result >= 0)
		result = lib->sd_bus_message_read_array(call->reply, 'y', &bytes, &size);
	if (result >= 0)
		cpus_from_bytes(bytes, size, cpus);
	return result;
}

int fit_systemd_get_cpus(
	const char *unit, int64_t deadline, struct fit_cpuset *ret_cpus, struct fit_err *err)
{
	FIT_CLEANUP(end_call) struct call call = {0};
	struct fit_cpuset cpus = {0};
	int result = open_call(&call, deadline, err);

	if (result >= 0)
		result = get_cpus(&call, unit, &cpus);
	if (result < 0)
		return fail(&call, result, "read AllowedCPUs", unit, err);
	*ret_cpus = cpus;
	return 0;
}

static int set_cpus(struct call *call, const char *unit, const struct fit_cpuset *cpus)
{
	const struct fit_sdbus *lib = call->lib;
	uint8_t bytes[FIT_CPUSET_MAX / 8];
	size_t size = cpus_to_bytes(cpus, bytes);
	sd_bus_message *request;
	int result = lib->sd_bus_message_new_method_call(call->bus, &call->request, MANAGER,
		MANAGER_PATH, MANAGER ".Manager", "SetUnitProperties");

	request = call->request;
	if (result >= 0)
		result = lib->sd_bus_message_append(request, "sb", unit, 1);
	if (result >= 0)
		result = lib->sd_bus_message_open_container(request, 'a', "(sv)");
	if (result >= 0)
		result = lib->sd_bus_message_open_container(request, 'r', "sv");
	if (result >= 0)
		result = lib->sd_bus_message_append(request, "s", "AllowedCPUs");
	if (result >= 0)
		result = lib->sd_bus_message_open_container(request, 'v', "ay");
	if (result >= 0)
		result = lib->sd_bus_message_append_array(request, 'y', bytes, size);
	for (int i = 0; i < 3 && result >= 0; i++)
		result = lib->sd_bus_message_close_container(request);
	return result < 0 ? result : send(call);
}

int fit_systemd_set_cpus(
	const char *unit, const struct fit_cpuset *cpus, int64_t deadline, struct fit_err *err)
{
	FIT_CLEANUP(end_call) struct call call = {0};
	int result = open_call(&call, deadline, err);

	if (result >= 0)
		result = set_cpus(&call, unit, cpus);
	return result < 0 ? fail(&call, result, "set AllowedCPUs", unit, err) : 0;
}
