/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/pciaddr.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Hex digits up to @stop; moves *text behind the stop character. */
static bool part(const char **text, char stop, size_t max_digits, uint64_t max, uint64_t *ret)
{
	char digits[9];
	const char *end = stop ? strchr(*text, stop) : *text + strlen(*text);
	size_t length = end ? (size_t)(end - *text) : 0;

	if (!end || length < 1 || length > max_digits)
		return false;
	memcpy(digits, *text, length);
	digits[length] = '\0';
	if (!fit_parse_hex(digits, max, ret))
		return false;
	*text = stop ? end + 1 : end;
	return true;
}

bool fit_pciaddr_parse(const char *text, struct fit_pciaddr *ret_addr)
{
	uint64_t domain = 0, bus, slot, function;
	const char *first = strchr(text, ':');

	if (!first)
		return false;
	if (strchr(first + 1, ':') && !part(&text, ':', 8, UINT32_MAX, &domain))
		return false;
	if (!part(&text, ':', 2, 0xff, &bus) || !part(&text, '.', 2, 0x1f, &slot) ||
		!part(&text, '\0', 1, 7, &function))
		return false;
	*ret_addr = (struct fit_pciaddr){
		.domain = (uint32_t)domain,
		.bus = (uint8_t)bus,
		.slot = (uint8_t)slot,
		.function = (uint8_t)function,
	};
	return true;
}

const char *fit_pciaddr_format(struct fit_pciaddr addr, char text[FIT_PCIADDR_TEXT])
{
	snprintf(text, FIT_PCIADDR_TEXT, "%04x:%02x:%02x.%x", addr.domain, addr.bus, addr.slot,
		addr.function);
	return text;
}

static uint64_t number(struct fit_pciaddr addr)
{
	return (uint64_t)addr.domain << 16 | (uint64_t)addr.bus << 8 | (uint64_t)addr.slot << 3 |
	       addr.function;
}

int fit_pciaddr_compare(struct fit_pciaddr a, struct fit_pciaddr b)
{
	uint64_t left = number(a);
	uint64_t right = number(b);

	return (left > right) - (left < right);
}

bool fit_pciaddr_equal(struct fit_pciaddr a, struct fit_pciaddr b)
{
	return number(a) == number(b);
}

/* Bus, slot and function as one number: with ARI, functions go on in the next slots. */
static uint64_t vf_number(
	struct fit_pciaddr pf, unsigned int offset, unsigned int stride, unsigned int index)
{
	return (number(pf) & 0xffff) + offset + (uint64_t)stride * index;
}

bool fit_pciaddr_has_vf(
	struct fit_pciaddr pf, unsigned int offset, unsigned int stride, unsigned int index)
{
	return offset && (stride || !index) && vf_number(pf, offset, stride, index) <= 0xffff;
}

struct fit_pciaddr fit_pciaddr_vf(
	struct fit_pciaddr pf, unsigned int offset, unsigned int stride, unsigned int index)
{
	uint64_t id = vf_number(pf, offset, stride, index);

	return (struct fit_pciaddr){
		.domain = pf.domain,
		.bus = (uint8_t)(id >> 8),
		.slot = (uint8_t)(id >> 3 & 0x1f),
		.function = (uint8_t)(id & 7),
	};
}
