/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PCI address is four numbers, compared as numbers: the same device is "0:41:0.0" for one program
 * and "0000:41:00.0" for another, and domains can have 32 bits (Intel VMD: "10000:e1:00.0").
 */
#ifndef FIT_CORE_PCIADDR_H
#define FIT_CORE_PCIADDR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

struct fit_pciaddr {
	uint32_t domain;
	uint8_t bus;
	uint8_t slot;	  /* 0..31 */
	uint8_t function; /* 0..7 */
};

/* "DDDD:BB:SS.F" with 1..8 domain digits, or "BB:SS.F" in domain 0; hexadecimal, nothing around. */
FIT_MUST_CHECK bool fit_pciaddr_parse(const char *text, struct fit_pciaddr *ret_addr);

#define FIT_PCIADDR_TEXT 24 /* bytes that fit_pciaddr_format() needs */

/* The kernel's form, "%04x:%02x:%02x.%x", into @text; returns @text. */
const char *fit_pciaddr_format(struct fit_pciaddr addr, char text[FIT_PCIADDR_TEXT]);
#define FIT_PCIADDR_STR(addr) fit_pciaddr_format((addr), (char[FIT_PCIADDR_TEXT]){0})

int fit_pciaddr_compare(struct fit_pciaddr a, struct fit_pciaddr b); /* <0, 0, >0 */
bool fit_pciaddr_equal(struct fit_pciaddr a, struct fit_pciaddr b);

/* The address of VF number @index (from 0) of @pf by the SR-IOV capability's First VF Offset and VF
 * Stride (PCIe 6.0, 9.3.3.9-10): routing ids are bus << 8 | slot << 3 | function. */
/* Can there be such a VF? Buses end at 255, and without a stride there is one VF. */
bool fit_pciaddr_has_vf(
	struct fit_pciaddr pf, unsigned int offset, unsigned int stride, unsigned int index);

struct fit_pciaddr fit_pciaddr_vf(
	struct fit_pciaddr pf, unsigned int offset, unsigned int stride, unsigned int index);

#endif
