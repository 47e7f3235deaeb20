/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irqbalance cpus|irqs           what the irqbalance that runs here leaves alone
 * irqbalance cpus|irqs VALUE     tells it
 */
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/irqbalance.h"

int main(int argc, char **argv)
{
	enum fit_irqbalance_list list;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot root;
	fit_autofree char *value = NULL;

	if (argc != 2 && argc != 3) {
		fputs("usage: irqbalance cpus|irqs [VALUE]\n", stderr);
		return 2;
	}
	list = fit_streq(argv[1], "cpus") ? FIT_IRQBALANCE_CPUS : FIT_IRQBALANCE_IRQS;
	if (fit_fsroot_open("/", &root, &err) < 0 ||
		(argc == 3 && fit_irqbalance_write(&root, list, argv[2], &err) < 0)) {
		fprintf(stderr, "irqbalance: %s\n", err.message);
		return 1;
	}
	if (argc == 2) {
		value = fit_irqbalance_read(&root, list);
		if (!value)
			return 1;
		puts(value);
	}
	fit_fsroot_close(&root);
	return 0;
}
