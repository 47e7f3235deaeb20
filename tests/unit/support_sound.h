/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for every host that was probed, however odd or damaged it is. */
#ifndef FIT_TESTS_SUPPORT_SOUND_H
#define FIT_TESTS_SUPPORT_SOUND_H

#include "core/host.h"

/* @what is being looked at, for messages. */
void fit_expect_sound_host(const char *what, const struct fit_host *host);

#endif
