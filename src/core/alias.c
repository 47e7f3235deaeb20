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
