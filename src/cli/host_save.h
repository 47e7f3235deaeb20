/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit host --save FILE. */
#ifndef FIT_CLI_HOST_SAVE_H
#define FIT_CLI_HOST_SAVE_H

#include "cli/cli.h"

int fit_host_save(struct fit_cli *cli);

#endif
