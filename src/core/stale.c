/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/stale.h"

#include <stddef.h>

#include "base/text.h"

const char *fit_stale_name(enum fit_stale stale)
{
	switch (stale) {
	case FIT_STALE_REFIT:
		return "refit";
	case FIT_STALE_REFUSE:
		return "refuse";
	case FIT_STALE_WARN:
		return "warn";
	case FIT_STALE_UNSTATED:
		break;
	}
	return NULL;
}

bool fit_stale_parse(const char *text, enum fit_stale *ret_stale)
{
	for (enum fit_stale stale = FIT_STALE_REFIT; stale <= FIT_STALE_WARN; stale++)
		if (fit_streq(text, fit_stale_name(stale))) {
			*ret_stale = stale;
			return true;
		}
	return false;
}
