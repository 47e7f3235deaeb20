/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "virt/connection.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libvirt/virterror.h>

#include "base/memory.h"
#include "base/text.h"

static void keep_quiet(void *context FIT_UNUSED, virErrorPtr error FIT_UNUSED)
{
}

static enum fit_err_code code_of(int libvirt_code)
{
	switch (libvirt_code) {
	case VIR_ERR_NO_DOMAIN:
		return FIT_ERR_NOTFOUND;
	case VIR_ERR_XML_ERROR:
	case VIR_ERR_XML_DETAIL:
	case VIR_ERR_XML_INVALID_SCHEMA:
	case VIR_ERR_CONFIG_UNSUPPORTED:
		return FIT_ERR_INVALID;
	default:
		return FIT_ERR_SYSTEM;
	}
}

int fit_virt_fail(struct fit_err *err, const char *format, ...)
{
	fit_autofree char *said = fit_xstrdup(virGetLastErrorMessage());
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	/* Schema errors come with line breaks and end with one. */
	for (char *at = said; (at = strchr(at, '\n'));)
		*at = at[1] ? ' ' : '\0';
	return fit_err_set(err, code_of(virGetLastErrorCode()), "%s: %s", what, said);
}

int fit_virt_open(const char *uri, struct fit_virt *ret_virt, struct fit_err *err)
{
	virConnectPtr connection;
	char *name;

	virSetErrorFunc(NULL, keep_quiet);
	/* Ask for passwords only where somebody can answer. */
	connection =
		virConnectOpenAuth(uri, isatty(STDIN_FILENO) ? virConnectAuthPtrDefault : NULL, 0);
	if (!connection)
		return fit_err_set(err, FIT_ERR_SYSTEM,
			"cannot connect to libvirt%s%s: %s; is its daemon running, and may you use "
			"it?",
			uri ? " at " : "", uri ? uri : "", virGetLastErrorMessage());
	name = virConnectGetURI(connection);
	*ret_virt = (struct fit_virt){
		.connection = connection, .uri = fit_xstrdup(name ? name : "libvirt")};
	free(name);
	return 0;
}

void fit_virt_close(struct fit_virt *virt)
{
	if (virt->connection)
		virConnectClose(virt->connection);
	free(virt->uri);
	*virt = (struct fit_virt){0};
}

bool fit_virt_is_alive(const struct fit_virt *virt)
{
	return virConnectIsAlive(virt->connection) == 1;
}

void fit_virt_versions(
	const struct fit_virt *virt, unsigned int *ret_libvirt, unsigned int *ret_hypervisor)
{
	unsigned long version = 0;

	*ret_libvirt =
		virConnectGetLibVersion(virt->connection, &version) < 0 ? 0 : (unsigned int)version;
	*ret_hypervisor =
		virConnectGetVersion(virt->connection, &version) < 0 ? 0 : (unsigned int)version;
}

bool fit_virt_is_remote(const struct fit_virt *virt)
{
	const char *server = strstr(virt->uri, "://");

	return server && server[3] && server[3] != '/';
}

bool fit_virt_is_system(const struct fit_virt *virt)
{
	return fit_starts_with(virt->uri, "qemu") && strstr(virt->uri, ":///system");
}
