/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/overlay_step.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/xml.h"

#define PCI_SOURCE \
	"source/address/@domain source/address/@bus source/address/@slot source/address/@function"

/*
 * Elements that there can be several of below the same parent. Keys are separated by spaces, the
 * first row of an element whose keys are all there is taken; one with a "?" may be missing. No
 * keys: libvirt tells them apart by their order or by texts, which a path cannot.
 */
static const struct identity {
	const char *parent;
	const char *element;
	const char *keys;
} identities[] = {
	{"devices", "disk", "target/@dev"},
	{"devices", "controller", "@type @index?"},
	{"devices", "interface", "mac/@address"},
	{"devices", "interface", PCI_SOURCE},
	{"devices", "hostdev", PCI_SOURCE},
	{"devices", "hostdev", "source/address/@uuid"},
	{"devices", "hostdev", "source/address/@bus source/address/@device"},
	{"devices", "channel", "target/@name"},
	{"devices", "serial", "target/@port"},
	{"devices", "parallel", "target/@port"},
	{"devices", "console", "target/@port"},
	{"devices", "filesystem", "target/@dir"},
	{"devices", "input", "@type @bus?"},
	{"devices", "graphics", "@type"},
	{"devices", "sound", "@model"},
	{"devices", "watchdog", "@model"},
	{"devices", "panic", "@model"},
	{"devices", "hub", "@type"},
	{"devices", "shmem", "@name"},
	{"devices", "audio", "@id"},
	{"cpu", "feature", "@name"},
	{"numa", "cell", "@id"},
	{"distances", "sibling", "@id"},
	{"interconnects", "latency", NULL},
	{"interconnects", "bandwidth", NULL},
	{"vcpus", "vcpu", "@id"},
	{"iothreadids", "iothread", "@id"},
	{"iothreads", "iothread", "@id"},
	{"cputune", "vcpupin", "@vcpu"},
	{"cputune", "iothreadpin", "@iothread"},
	{"cputune", "vcpusched", "@vcpus"},
	{"cputune", "iothreadsched", "@iothreads"},
	{"cputune", "cachetune", "@vcpus"},
	{"cputune", "memorytune", "@vcpus"},
	{"cachetune", "cache", "@id @type"},
	{"cachetune", "monitor", "@vcpus"},
	{"memorytune", "node", "@id"},
	{"memorytune", "monitor", "@vcpus"},
	{"numatune", "memnode", "@cellid"},
	{"hugepages", "page", "@nodeset?"},
	{"clock", "timer", "@name"},
	{"blkiotune", "device", NULL},
	{"os", "boot", NULL},
	{"domain", "seclabel", NULL},
	{"domain", "sysinfo", "@type"},
	{"bios", "entry", "@name"},
	{"system", "entry", "@name"},
};

/* Devices of which a domain has one, as a rule: the first is meant. Any other device has its
 * identity above, or an alias of the user's. */
static const char single_devices[] = "emulator video memballoon rng tpm iommu vsock nvram crypto";

static bool is_row(const struct identity *identity, const xmlNode *node)
{
	return fit_streq(identity->parent, (const char *)node->parent->name) &&
	       fit_streq(identity->element, (const char *)node->name);
}

/* The value of "@type" or "source/address/@bus" below @node; NULL when it is not there. */
static char *read_key(const xmlNode *node, const char *key)
{
	const char *at = strrchr(key, '@');
	fit_autofree char *way = fit_xstrndup(key, (size_t)(at - key));

	if (!*way)
		return fit_xml_attr(node, at + 1);
	way[strlen(way) - 1] = '\0';
	return fit_xml_attr(fit_xml_find(node, way), at + 1);
}

static bool is_optional(const char *key)
{
	return key[strlen(key) - 1] == '?';
}

/* NULL when a key is missing. To be freed. */
static char *format_step(const xmlNode *node, const char *keys)
{
	fit_autostrlist struct fit_strlist list = {0};
	fit_autobuffer struct fit_buffer step = {0};

	fit_buffer_add(&step, (const char *)node->name);
	fit_strlist_split(&list, keys, " ");
	for (size_t i = 0; i < list.count; i++) {
		bool optional = is_optional(list.items[i]);
		fit_autofree char *key =
			fit_xstrndup(list.items[i], strlen(list.items[i]) - optional);
		fit_autofree char *value = read_key(node, key);

		if (!value && !optional)
			return NULL;
		if (value)
			fit_buffer_addf(&step, "[%s='%s']", key, value);
	}
	return fit_buffer_steal(&step);
}

static bool is_word_of(const char *words, const char *word)
{
	fit_autostrlist struct fit_strlist list = {0};

	fit_strlist_split(&list, words, " ");
	return fit_strlist_contains(&list, word);
}

/* Libvirt prints one element for each thread, so a set would not be found again. */
static bool is_set(const xmlNode *node, const char *keys)
{
	fit_autofree char *value = NULL;

	if (!fit_streq(keys, "@vcpus") && !fit_streq(keys, "@iothreads"))
		return false;
	value = read_key(node, keys);
	return value && strpbrk(value, ",-^") &&
	       is_word_of("vcpusched iothreadsched", (const char *)node->name);
}

char *fit_overlay_step(const xmlNode *node, char **ret_problem)
{
	bool is_device = fit_streq((const char *)node->parent->name, "devices");
	fit_autostrlist struct fit_strlist missing = {0};
	fit_autofree char *choices = NULL;
	bool found = false;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(identities); i++) {
		const struct identity *row = &identities[i];
		char *step = row->keys && is_row(row, node) ? format_step(node, row->keys) : NULL;

		found |= is_row(row, node);
		if (step && !is_set(node, row->keys))
			return step;
		if (step) {
			free(step);
			*ret_problem = fit_xstrdup(
				"names several threads: libvirt has one element for each");
			return NULL;
		}
		if (is_row(row, node) && row->keys)
			fit_strlist_add(&missing, row->keys);
	}
	if (is_device && !is_word_of(single_devices, (const char *)node->name)) {
		char *step = format_step(node, "alias/@name");

		if (step)
			return step;
		fit_strlist_add(&missing, "alias/@name");
	} else if (!found) {
		return fit_xstrdup((const char *)node->name);
	}
	choices = fit_strlist_join(&missing, ", or ");
	*ret_problem =
		missing.count
			? fit_xasprintf("does not say which one is meant: it needs %s", choices)
			: fit_xstrdup("cannot be merged: libvirt has nothing that tells them "
				      "apart; write them into the definition itself");
	return NULL;
}

bool fit_overlay_is_identity(const xmlNode *node, const char *attribute)
{
	fit_autofree char *way = fit_xasprintf("@%s='", attribute);

	for (; node->parent && node->parent->type == XML_ELEMENT_NODE; node = node->parent) {
		fit_autofree char *key = fit_xasprintf("[%s", way);
		fit_autofree char *problem = NULL;
		fit_autofree char *step = fit_overlay_step(node, &problem);
		char *longer;

		if (step && strstr(step, key))
			return true;
		longer = fit_xasprintf("%s/%s", node->name, way);
		free(way);
		way = longer;
	}
	return false;
}
