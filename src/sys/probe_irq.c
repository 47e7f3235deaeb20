/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts: the numbered rows of /proc/interrupts, their affinity, and the PCI device that lists
 * them in its msi_irqs directory. A row has a count for each online CPU, then the chip, the
 * hardware number with the flow type, and the names of the handlers:
 *
 *      50:  0  0  IR-PCI-MSIX-0000:41:10.0    0-edge      vfio-msix[0](0000:41:10.0)
 *      11:  5  0     GICv3  27 Level     arch_timer
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

static const char *skip_word(const char *text)
{
	return text + strcspn(text, " \t");
}

/* "0-edge", or a bare number with "Edge" or "Level" as the next word; old kernels have neither. */
static const char *skip_hardware_number(const char *text)
{
	const char *p = text;
	uint64_t number;

	if (!fit_scan_uint(&p, UINT64_MAX, &number))
		return text;
	if (*p == '-')
		return skip_blanks(skip_word(p));
	if (*p && *p != ' ')
		return text;
	p = skip_blanks(p);
	if (fit_starts_with(p, "Edge") || fit_starts_with(p, "Level"))
		p = skip_blanks(skip_word(p));
	return p;
}

/* False for the rows of the architecture ("NMI:"), which are no IRQs. */
static bool parse_row(const char *line, size_t columns, struct fit_irq *ret_irq)
{
	const char *p = skip_blanks(line);
	const char *word;
	uint64_t number;
	uint64_t count;

	if (!fit_scan_uint(&p, UINT32_MAX, &number) || *p != ':')
		return false;
	p++;
	for (size_t i = 0; i < columns; i++) {
		p = skip_blanks(p);
		if (!fit_scan_uint(&p, UINT64_MAX, &count))
			return false;
	}
	word = skip_blanks(p);
	p = skip_word(word);
	ret_irq->number = (unsigned int)number;
	ret_irq->chip = fit_xstrndup(word, (size_t)(p - word));
	ret_irq->name = fit_xstrdup(skip_hardware_number(skip_blanks(p)));
	return true;
}

static int compare_irqs(const void *a, const void *b)
{
	const struct fit_irq *left = a;
	const struct fit_irq *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

static void read_table(const struct fit_probe_run *run, const char *table)
{
	struct fit_host *host = run->host;
	fit_autostrlist struct fit_strlist lines = {0};
	fit_autostrlist struct fit_strlist header = {0};

	fit_strlist_split(&lines, table, "\n");
	if (!lines.count)
		return;
	fit_strlist_split(&header, lines.items[0], " \t");
	for (size_t i = 1; i < lines.count; i++) {
		struct fit_irq irq = {0};

		if (parse_row(lines.items[i], header.count, &irq))
			*FIT_APPEND(host->irqs, host->irq_count) = irq;
	}
	if (host->irq_count)
		qsort(host->irqs, host->irq_count, sizeof(*host->irqs), compare_irqs);
}

static void read_affinity(const struct fit_probe_run *run, struct fit_irq *irq)
{
	char directory[64];

	snprintf(directory, sizeof(directory), FIT_PATH_PROC_IRQ "/%u", irq->number);
	fit_probe_cpuset(run, directory, "smp_affinity_list", "smp_affinity", &irq->affinity);
}

static void assign_device(const struct fit_host *host, unsigned int number, struct fit_pciaddr addr)
{
	const struct fit_irq key = {.number = number};
	struct fit_irq *irq =
		bsearch(&key, host->irqs, host->irq_count, sizeof(*host->irqs), compare_irqs);

	if (irq) {
		irq->has_device = true;
		irq->device = addr;
	}
}

static void find_devices(const struct fit_probe_run *run)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(run->root, FIT_PATH_PCI_DEVICES, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		fit_autostrlist struct fit_strlist vectors = {0};
		struct fit_pciaddr addr;
		unsigned int number;
		char path[160];

		snprintf(path, sizeof(path), FIT_PATH_PCI_DEVICES "/%s/msi_irqs", names.items[i]);
		if (!fit_pciaddr_parse(names.items[i], &addr) ||
			fit_fsroot_list(run->root, path, &vectors, NULL) < 0)
			continue;
		for (size_t v = 0; v < vectors.count; v++)
			if (fit_probe_numbered(vectors.items[v], "", UINT32_MAX, &number))
				assign_device(run->host, number, addr);
	}
}

void fit_probe_irqs(const struct fit_probe_run *run)
{
	fit_autofree char *table = fit_fsroot_try_read(run->root, FIT_PATH_INTERRUPTS);

	if (!table)
		return;
	read_table(run, table);
	if (!run->host->irq_count)
		return;
	for (size_t i = 0; i < run->host->irq_count; i++)
		read_affinity(run, &run->host->irqs[i]);
	find_devices(run);
}
