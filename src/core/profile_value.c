/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile_value.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/hyperv.h"
#include "core/pciaddr.h"

/* IFNAMSIZ of the kernel, with the terminating NUL. */
#define NETDEV_NAME_SIZE 16

#define TEXT_MAX 256

/* Enough for what counts descriptors, frames or microseconds of a network card. */
#define NUMBER_MAX 1000000

/* ETH_GSTRING_LEN of the kernel, with the terminating NUL. */
#define FEATURE_NAME_SIZE 32

/* Three registers of CPUID. */
#define VENDOR_ID_MAX 12

/* 0 and 4095 are reserved in 802.1Q. */
#define VLAN_MIN 1
#define VLAN_MAX 4094

/* The kernel keeps such times in 32-bit integers, of microseconds for example. */
#define TIME_MAX_NS 1000000000000

#define WHITE_SPACE " \t\r\n"

bool fit_value_parse_count(const char *text, unsigned int *ret_count)
{
	uint64_t value;

	if (!fit_parse_uint(text, FIT_VALUE_COUNT_MAX, &value))
		return false;
	*ret_count = (unsigned int)value;
	return true;
}

bool fit_value_parse_size(const char *text, uint64_t *ret_kib)
{
	size_t digits = strspn(text, "0123456789");
	fit_autofree char *number = fit_xstrndup(text, digits);
	uint64_t kib;

	if (!text[digits] || !fit_parse_size_kib(number, text + digits, &kib) || kib == 0)
		return false;
	*ret_kib = kib;
	return true;
}

static char *format_size(uint64_t kib)
{
	fit_autofree char *text = fit_format_size_kib(kib);
	size_t digits = strcspn(text, " ");

	return fit_xasprintf("%.*s%s", (int)digits, text, text + digits + 1);
}

bool fit_value_parse_page_sizes(const char *text, uint64_t **ret_sizes, size_t *ret_count)
{
	fit_autostrlist struct fit_strlist words = {0};
	fit_autofree uint64_t *sizes = NULL;
	size_t count = 0;

	fit_strlist_split(&words, text, WHITE_SPACE);
	for (size_t i = 0; i < words.count; i++) {
		bool last = i + 1 == words.count;
		uint64_t kib = 0;

		if (!(last && fit_streq(words.items[i], "none")) &&
			(!fit_value_parse_size(words.items[i], &kib) || (kib & (kib - 1))))
			return false;
		for (size_t j = 0; j < count; j++)
			if (sizes[j] == kib)
				return false;
		*FIT_APPEND(sizes, count) = kib;
	}
	if (count == 0)
		return false;
	*ret_sizes = FIT_STEAL(sizes);
	*ret_count = count;
	return true;
}

bool fit_value_parse_vcpus(const char *text, unsigned int count, struct fit_cpuset *ret_vcpus)
{
	bool others = text[0] == '^';
	struct fit_cpuset listed, vcpus = {0};

	if (fit_streq(text, "all"))
		listed = vcpus, others = true;
	else if (fit_cpuset_parse_list(text + others, &listed, NULL) < 0 ||
		 fit_cpuset_is_empty(&listed))
		return false;
	for (unsigned int vcpu = 0; vcpu < count && vcpu < FIT_CPUSET_MAX; vcpu++)
		if (fit_cpuset_contains(&listed, vcpu) != others)
			fit_cpuset_add(&vcpus, vcpu);
	*ret_vcpus = vcpus;
	return true;
}

static char *canonical_vcpus(const char *text, const char *allowed FIT_UNUSED)
{
	bool others = text[0] == '^';
	fit_autofree char *list = NULL;
	struct fit_cpuset listed;

	if (fit_streq(text, "all"))
		return fit_xstrdup(text);
	if (fit_cpuset_parse_list(text + others, &listed, NULL) < 0 || fit_cpuset_is_empty(&listed))
		return NULL;
	list = fit_cpuset_format_list(&listed);
	return fit_xasprintf("%s%s", others ? "^" : "", list);
}

static char *canonical_count(const char *text, const char *allowed FIT_UNUSED)
{
	unsigned int count;

	return fit_value_parse_count(text, &count) ? fit_xasprintf("%u", count) : NULL;
}

static bool parse_in(const char *text, uint64_t least, uint64_t most, unsigned int *ret_value)
{
	uint64_t value;

	if (!fit_parse_uint(text, most, &value) || value < least)
		return false;
	*ret_value = (unsigned int)value;
	return true;
}

static char *canonical_number(const char *text, uint64_t least, uint64_t most)
{
	unsigned int value;

	return parse_in(text, least, most, &value) ? fit_xasprintf("%u", value) : NULL;
}

/* sched_get_priority_min() to _max() of the real-time policies. */
static char *canonical_priority(const char *text, const char *allowed FIT_UNUSED)
{
	return canonical_number(text, 1, 99);
}

/* What both versions of cgroups take: cpu.weight ends at 10000, cpu.shares begins at 2. */
static char *canonical_shares(const char *text, const char *allowed FIT_UNUSED)
{
	return canonical_number(text, 2, 10000);
}

/* Priorities of IEEE 802.1p; 0 is that of frames without one. */
static char *canonical_vlan_priority(const char *text, const char *allowed FIT_UNUSED)
{
	return canonical_number(text, 1, 7);
}

static char *canonical_mbits(const char *text, const char *allowed FIT_UNUSED)
{
	return canonical_number(text, 1, 1000000);
}

static char *canonical_any_number(const char *text, const char *allowed FIT_UNUSED)
{
	return canonical_number(text, 0, NUMBER_MAX);
}

static char *canonical_positive(const char *text, const char *allowed FIT_UNUSED)
{
	return canonical_number(text, 1, NUMBER_MAX);
}

static char *canonical_nanoseconds(const char *text, const char *allowed FIT_UNUSED)
{
	return canonical_number(text, 1, 1000000000);
}

static char *canonical_percent(const char *text, const char *allowed FIT_UNUSED)
{
	return canonical_number(text, 1, 100);
}

static const struct {
	const char *name;
	uint64_t ns;
} time_units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

static uint64_t unit_ns(const char *unit)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(time_units); i++)
		if (fit_streq(time_units[i].name, unit))
			return time_units[i].ns;
	return 0;
}

bool fit_value_parse_time(const char *text, const char *unit, uint64_t *ret_number)
{
	uint64_t number, ns;

	if (!fit_scan_uint(&text, TIME_MAX_NS, &number))
		return false;
	ns = unit_ns(text);
	if (!ns || number > TIME_MAX_NS / ns)
		return false;
	*ret_number = (number * ns + unit_ns(unit) - 1) / unit_ns(unit);
	return true;
}

/* In the largest unit that divides it. */
static char *canonical_time(const char *text, const char *allowed FIT_UNUSED)
{
	uint64_t ns;
	size_t unit = 0;

	if (!fit_value_parse_time(text, "ns", &ns))
		return NULL;
	if (ns == 0)
		return fit_xstrdup("0us");
	while (ns % time_units[unit].ns)
		unit++;
	return fit_xasprintf(
		"%llu%s", (unsigned long long)(ns / time_units[unit].ns), time_units[unit].name);
}

static char *canonical_size(const char *text, const char *allowed FIT_UNUSED)
{
	uint64_t kib;

	return fit_value_parse_size(text, &kib) ? format_size(kib) : NULL;
}

static char *canonical_sizes(const char *text, const char *allowed FIT_UNUSED)
{
	fit_autofree uint64_t *sizes = NULL;
	struct fit_buffer buffer = {0};
	size_t count;

	if (!fit_value_parse_page_sizes(text, &sizes, &count))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		fit_autofree char *size = sizes[i] ? format_size(sizes[i]) : fit_xstrdup("none");

		fit_buffer_addf(&buffer, "%s%s", i ? " " : "", size);
	}
	return fit_buffer_steal(&buffer);
}

static char *canonical_choice(const char *text, const char *allowed)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, allowed, WHITE_SPACE);
	return fit_strlist_contains(&words, text) ? fit_xstrdup(text) : NULL;
}

/* One line, so that it can stand in every message and table. */
static char *canonical_text(const char *text, const char *allowed FIT_UNUSED)
{
	fit_autofree char *printable = fit_printable(text);

	if (!*text || strlen(text) > TEXT_MAX || !fit_streq(printable, text))
		return NULL;
	return fit_xstrdup(text);
}

/* What dev_valid_name() of the kernel accepts. */
static bool is_netdev_name(const char *text)
{
	size_t length = strcspn(text, "/: \t\r\n\v\f");

	return length > 0 && length < NETDEV_NAME_SIZE && !text[length] && !fit_streq(text, ".") &&
	       !fit_streq(text, "..");
}

static char *canonical_pf(const char *text, const char *allowed FIT_UNUSED)
{
	struct fit_pciaddr address;

	if (fit_pciaddr_parse(text, &address))
		return fit_xstrdup(FIT_PCIADDR_STR(address));
	return is_netdev_name(text) ? canonical_text(text, NULL) : NULL;
}

/* Names of CPU features: sse4.1, arch-capabilities, vmx-apicv-register, avx512_vpopcntdq. */
static bool is_feature_name(const char *text)
{
	return text[strspn(text,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] ==
	       '\0';
}

static char *canonical_names(const char *text, const char *allowed FIT_UNUSED)
{
	fit_autostrlist struct fit_strlist words = {0};
	fit_autostrlist struct fit_strlist names = {0};

	fit_strlist_split(&words, text, WHITE_SPACE);
	fit_strlist_sort(&words);
	for (size_t i = 0; i < words.count; i++) {
		if (!is_feature_name(words.items[i]) ||
			(fit_streq(words.items[i], "none") && words.count > 1))
			return NULL;
		if (!fit_strlist_contains(&names, words.items[i]))
			fit_strlist_add(&names, words.items[i]);
	}
	return names.count ? fit_strlist_join(&names, " ") : NULL;
}

/* ethtool's names, long and short, for what has another one in the kernel, where it is one feature;
 * NULL: it is a group, which cannot be restored by its name: parts of it may have been different.
 */
static const struct {
	const char *name;
	const char *feature;
} ethtool_names[] = {
	{"rx-checksumming", "rx-checksum"},
	{"tx-checksumming", NULL},
	{"scatter-gather", NULL},
	{"tcp-segmentation-offload", NULL},
	{"udp-fragmentation-offload", NULL},
	{"generic-segmentation-offload", "tx-generic-segmentation"},
	{"generic-receive-offload", "rx-gro"},
	{"large-receive-offload", "rx-lro"},
	{"rx-vlan-offload", "rx-vlan-hw-parse"},
	{"tx-vlan-offload", "tx-vlan-hw-insert"},
	{"ntuple-filters", "rx-ntuple-filter"},
	{"receive-hashing", "rx-hashing"},
	{"rx", "rx-checksum"},
	{"tx", NULL},
	{"sg", NULL},
	{"tso", NULL},
	{"ufo", NULL},
	{"gso", "tx-generic-segmentation"},
	{"gro", "rx-gro"},
	{"lro", "rx-lro"},
	{"rxvlan", "rx-vlan-hw-parse"},
	{"txvlan", "tx-vlan-hw-insert"},
	{"ntuple", "rx-ntuple-filter"},
	{"rxhash", "rx-hashing"},
};

static char *canonical_features(const char *text, const char *allowed FIT_UNUSED)
{
	fit_autofree char *names = canonical_names(text, NULL);
	fit_autostrlist struct fit_strlist words = {0};
	fit_autostrlist struct fit_strlist features = {0};

	fit_strlist_split(&words, names ? names : "", " ");
	for (size_t i = 0; i < words.count; i++) {
		const char *feature = words.items[i];

		for (size_t j = 0; j < FIT_ARRAY_SIZE(ethtool_names); j++)
			if (fit_streq(words.items[i], ethtool_names[j].name))
				feature = ethtool_names[j].feature;
		if (!feature || strlen(feature) >= FEATURE_NAME_SIZE || fit_streq(feature, "none"))
			return NULL;
		if (!fit_strlist_contains(&features, feature))
			fit_strlist_add(&features, feature);
	}
	fit_strlist_sort(&features);
	return features.count ? fit_strlist_join(&features, " ") : NULL;
}

static char *canonical_hyperv(const char *text, const char *allowed FIT_UNUSED)
{
	fit_hyperv_set set;

	return fit_hyperv_parse(text, &set) ? fit_hyperv_format(set) : NULL;
}

/* What libvirt accepts is 12 characters without a comma. */
static char *canonical_vendor_id(const char *text, const char *allowed FIT_UNUSED)
{
	size_t length = strlen(text);

	if (length == 0 || length > VENDOR_ID_MAX || *text == ' ' || text[length - 1] == ' ')
		return NULL;
	for (const char *p = text; *p; p++)
		if (!is_feature_name((const char[]){*p, '\0'}) && *p != ' ')
			return NULL;
	return fit_xstrdup(text);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *fit_value_mac(const char *text)
{
	char mac[] = "00:00:00:00:00:00";

	if (strlen(text) != strlen(mac))
		return NULL;
	for (size_t i = 0; mac[i]; i++) {
		int digit = hex_digit(text[i]);

		if (mac[i] == ':' ? text[i] != ':' : digit < 0)
			return NULL;
		if (mac[i] != ':')
			mac[i] = "0123456789abcdef"[digit];
	}
	/* Bit 0 of the first byte: an address of a group, which no card has. */
	return hex_digit(mac[1]) & 1 ? NULL : fit_xstrdup(mac);
}

static char *canonical_macs(const char *text, const char *allowed FIT_UNUSED)
{
	fit_autostrlist struct fit_strlist words = {0};
	fit_autostrlist struct fit_strlist macs = {0};

	fit_strlist_split(&words, text, WHITE_SPACE);
	for (size_t i = 0; i < words.count; i++) {
		fit_autofree char *mac = fit_value_mac(words.items[i]);

		if (!mac || fit_strlist_contains(&macs, mac))
			return NULL;
		fit_strlist_add(&macs, mac);
	}
	return macs.count ? fit_strlist_join(&macs, " ") : NULL;
}

static char *canonical_vlan(const char *text, const char *allowed FIT_UNUSED)
{
	unsigned int tag;

	if (!fit_value_parse_count(text, &tag) || tag < VLAN_MIN || tag > VLAN_MAX)
		return NULL;
	return fit_xasprintf("%u", tag);
}

struct fit_value_type {
	const char *name;
	char *(*canonical)(const char *text, const char *allowed);
	const char *wanted;  /* NULL: one of the allowed */
	const char *allowed; /* NULL: the parameter says it */
};

static const struct fit_value_type types[] = {
	{"count", canonical_count, "a number from 0 to 8192", NULL},
	{"size", canonical_size, "a size with its unit, such as 512MiB", NULL},
	{"sizes", canonical_sizes,
		"page sizes in order of preference, such as \"1GiB 2MiB\"; \"none\", last or "
		"alone, accepts normal pages",
		NULL},
	{"choice", canonical_choice, NULL, NULL},
	{"yes-no", canonical_choice, NULL, "yes no"},
	{"pf", canonical_pf,
		"\"nearest\", a PCI address such as 0000:41:00.0, or a network interface", NULL},
	{"names", canonical_names, "names separated by spaces, or \"none\"", NULL},
	{"hyperv", canonical_hyperv,
		"\"all\", names of Hyper-V enlightenments as libvirt has them, or \"none\"", NULL},
	{"vendor-id", canonical_vendor_id,
		"1 to 12 letters, digits, dots, dashes, underlines and spaces between", NULL},
	{"macs", canonical_macs,
		"MAC addresses, each once and none of a group, such as 52:54:00:6b:3c:58", NULL},
	{"vlan", canonical_vlan, "a VLAN from 1 to 4094", NULL},
	{"vcpus", canonical_vcpus,
		"\"all\", numbers of vCPUs such as 0-3,6, or \"^\" and numbers for all others",
		NULL},
	{"priority", canonical_priority, "a real-time priority from 1 to 99", NULL},
	{"shares", canonical_shares, "a weight from 2 to 10000", NULL},
	{"percent", canonical_percent, "a number from 1 to 100 (percent)", NULL},
	{"vlan-priority", canonical_vlan_priority, "a priority from 1 to 7", NULL},
	{"mbits", canonical_mbits, "Mbit/s, from 1 to 1000000", NULL},
	{"number", canonical_any_number, "a number from 0 to 1000000", NULL},
	{"positive", canonical_positive, "a number from 1 to 1000000", NULL},
	{"features", canonical_features,
		"names of single features as ethtool -k prints them, such as \"rx-gro "
		"tx-tcp-segmentation\" (no group such as tcp-segmentation-offload)",
		NULL},
	{"nanoseconds", canonical_nanoseconds, "nanoseconds, from 1 to 1000000000 (a second)",
		NULL},
	{"time", canonical_time,
		"a time with its unit, such as 10us (ns, us, ms or s; at most 1000s)", NULL},
	{"text", canonical_text, "a line of text", NULL},
};

const struct fit_value_type *fit_value_type_find(const char *name)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(types); i++)
		if (fit_streq(types[i].name, name))
			return &types[i];
	return NULL;
}

bool fit_value_type_is_choice(const struct fit_value_type *type)
{
	return !type->wanted && !type->allowed;
}

char *fit_value_canonical(const struct fit_value_type *type, const char *allowed, const char *text)
{
	return type->canonical(text, type->allowed ? type->allowed : allowed);
}

char *fit_value_wanted(const struct fit_value_type *type, const char *allowed)
{
	fit_autostrlist struct fit_strlist words = {0};

	if (type->wanted)
		return fit_xstrdup(type->wanted);
	fit_strlist_split(&words, type->allowed ? type->allowed : allowed, WHITE_SPACE);
	return fit_value_alternatives(&words, true);
}

char *fit_value_type_names(void)
{
	fit_autostrlist struct fit_strlist names = {0};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(types); i++)
		fit_strlist_add(&names, types[i].name);
	return fit_value_alternatives(&names, false);
}

char *fit_value_alternatives(const struct fit_strlist *words, bool quote)
{
	struct fit_buffer buffer = {0};

	for (size_t i = 0; i < words->count; i++) {
		const char *separator = i == 0 ? "" : i + 1 < words->count ? ", " : " or ";

		fit_buffer_addf(&buffer, quote ? "%s\"%s\"" : "%s%s", separator, words->items[i]);
	}
	return fit_buffer_steal(&buffer);
}
