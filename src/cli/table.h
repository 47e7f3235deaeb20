/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables on standard output, with columns as wide as what is in them. */
#ifndef FIT_CLI_TABLE_H
#define FIT_CLI_TABLE_H

#include <stddef.h>

struct fit_table {
	size_t columns;
	char **cells; /* row by row */
	size_t cell_count;
};

/* Adds the next cell; @text is taken over. */
void fit_table_add(struct fit_table *table, char *text);
void fit_table_print(const struct fit_table *table);
void fit_table_clear(struct fit_table *table);

#endif
