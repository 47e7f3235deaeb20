/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/alias.h"

#include <stdarg.h>

#include "base/memory.h"
#include "base/text.h"

bool fit_alias_is_ours(const char *alias)
{
	return alias && fit_starts_with(alias, FIT_ALIAS_PREFIX);
}

bool fit_alias_is_taken(const struct fit_domain *domain, const char *alias)
{
	return fit_strlist_contains(&domain->aliases_like_ours, alias);
}

void fit_alias_disown_unrecorded(struct fit_domain *fitted, const struct fit_record *record)
{
	for (size_t i = 0; i < fitted->hostdev_count; i++) {
		struct fit_domain_hostdev *hostdev = &fitted->hostdevs[i];
		fit_autofree char *path = fit_xasprintf("devices/%s[alias/@name='%s']",
			hostdev->is_interface ? "interface" : "hostdev", hostdev->alias);

		hostdev->ours = hostdev->ours && fit_record_has_written(record, path);
	}
}

void fit_alias_disown_taken(struct fit_domain *fitted, const struct fit_domain *original)
{
	for (size_t i = 0; i < fitted->hostdev_count; i++)
		if (fitted->hostdevs[i].ours &&
			fit_alias_is_taken(original, fitted->hostdevs[i].alias))
			fitted->hostdevs[i].ours = false;
}

char *fit_alias_make(const struct fit_domain *domain, const char *format, ...)
{
	fit_autofree char *name = NULL;
	unsigned int number = 2;
	char *alias;
	va_list args;

	va_start(args, format);
	name = fit_xvasprintf(format, args);
	va_end(args);
	alias = fit_xasprintf(FIT_ALIAS_PREFIX "%s", name);
	while (fit_alias_is_taken(domain, alias)) {
		free(alias);
		alias = fit_xasprintf(FIT_ALIAS_PREFIX "%s-%u", name, number++);
	}
	return alias;
}
