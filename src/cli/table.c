/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/table.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* Columns on a terminal: bytes that begin a UTF-8 character. */
static size_t width(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

void fit_table_add(struct fit_table *table, char *text)
{
	*FIT_APPEND(table->cells, table->cell_count) = text;
}

void fit_table_print(const struct fit_table *table)
{
	fit_autofree size_t *widths = fit_xcalloc(table->columns, sizeof(*widths));

	for (size_t i = 0; i < table->cell_count; i++)
		if (width(table->cells[i]) > widths[i % table->columns])
			widths[i % table->columns] = width(table->cells[i]);
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t column = i % table->columns;
		int padding = (int)(widths[column] - width(table->cells[i])) + 2;

		if (column + 1 < table->columns)
			printf("%s%*s", table->cells[i], padding, "");
		else
			puts(table->cells[i]);
	}
}

void fit_table_clear(struct fit_table *table)
{
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i]);
	free(table->cells);
	*table = (struct fit_table){0};
}
