/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file descriptor that closes itself when the variable goes out of scope; -1 is none. */
#ifndef FIT_BASE_FD_H
#define FIT_BASE_FD_H

#include "base/attr.h"

void fit_close_fd(const int *fd); /* keeps errno */

#define fit_autoclose FIT_CLEANUP(fit_close_fd)

#endif
