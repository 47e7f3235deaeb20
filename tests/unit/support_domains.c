/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_domains.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

static char *read_file(const char *path, size_t *ret_length)
{
	struct fit_buffer text = {0};
	char block[65536];
	FILE *file = fopen(path, "r");
	size_t got;

	if (!file)
		return NULL;
	while ((got = fread(block, 1, sizeof(block), file)) > 0)
		fit_buffer_add_bytes(&text, block, got);
	fclose(file);
	*ret_length = text.length;
	return fit_buffer_steal(&text);
}

static int is_xml(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".xml") == 0;
}

static size_t for_each_file(
	const char *directory, void (*check)(const char *name, const char *text, size_t length))
{
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, is_xml, alphasort);
	size_t seen = 0;

	for (int i = 0; i < count; i++) {
		fit_autofree char *path = fit_xasprintf("%s/%s", directory, entries[i]->d_name);
		size_t length = 0;
		fit_autofree char *text = read_file(path, &length);
		fit_autodoc xmlDoc *doc =
			text && length ? fit_xml_parse(text, length, path, NULL) : NULL;

		if (doc && fit_xml_is(xmlDocGetRootElement(doc), "domain")) {
			check(entries[i]->d_name, text, length);
			seen++;
		}
		free(entries[i]);
	}
	free(entries);
	return seen;
}

size_t for_each_corpus_domain(void (*check)(const char *name, const char *text, size_t length))
{
	static const char *const directories[] = {"domains", "libvirt", "cases"};
	const char *corpus = getenv("CORPUS");
	size_t seen = 0;

	for (size_t i = 0; corpus && i < FIT_ARRAY_SIZE(directories); i++) {
		fit_autofree char *path = fit_xasprintf("%s/%s", corpus, directories[i]);

		seen += for_each_file(path, check);
	}
	return seen;
}

#define DEVICES \
	"<devices><emulator>/bin/true</emulator><disk type='file' device='disk'>" \
	"<driver name='qemu' type='raw' cache='none'/><source file='/a'/>" \
	"<target dev='vda' bus='virtio'/></disk><disk type='file' device='disk'>" \
	"<source file='/b'/><target dev='vdb' bus='virtio'/></disk>" \
	"<controller type='pci' index='0' model='pcie-root'/>" \
	"<controller type='pci' index='1' model='pcie-root-port'>" \
	"<address type='pci' domain='0x0000' bus='0x00' slot='0x01' function='0x0'/></controller>" \
	"<console type='pty'/><memballoon model='virtio'/></devices>"

static const char *const synthetic[] = {
	/* As people write it. */
	"<domain type='kvm'>\n"
	"  <name>plain</name>\n"
	"  <metadata>\n"
	"    <fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='low-latency'/>\n"
	"  </metadata>\n"
	"  <memory unit='GiB'>4</memory>\n"
	"  <vcpu placement='static' cpuset='0,1,2-5'>8</vcpu>\n"
	"  <cputune>\n"
	"    <shares>100</shares>\n"
	"    <vcpupin vcpu='3' cpuset='1'/>\n"
	"  </cputune>\n"
	"  <cpu mode='custom' match='exact' check='partial'>\n"
	"    <model fallback='allow'>Haswell</model>\n"
	"  </cpu>\n"
	"  <on_crash>destroy</on_crash>\n"
	"  <devices>\n"
	"    <emulator>/bin/true</emulator>\n"
	"    <disk type='file' device='disk'>\n"
	"      <driver name='qemu' type='raw'/>\n"
	"      <target dev='vda' bus='virtio'/>\n"
	"    </disk>\n"
	"    <controller type='pci' index='0' model='pcie-root'/>\n"
	"    <interface type='user'>\n"
	"      <alias name='ua-user'/>\n"
	"    </interface>\n"
	"  </devices>\n"
	"</domain>\n",
	/* One line, nothing between. */
	"<domain type='kvm'><name>line</name><vcpu cpuset='0-7'>8</vcpu><memory>1048576</memory>"
	"<iothreads><!-- few -->2</iothreads>" DEVICES "</domain>",
	/* Spaces instead of line breaks. */
	"<domain type='kvm'> <name>spaces</name> <vcpu>8</vcpu> <cputune> </cputune> " DEVICES
	" </domain>",
	/* Tabs and CRLF, comments everywhere, a declaration. */
	"<?xml version='1.0' encoding='UTF-8'?>\r\n<!-- top -->\r\n<domain type='kvm'>\r\n\t<!-- a "
	"-->\r\n\t<name>tabs</name>\r\n\r\n\t<!-- b --><vcpu>\r\n8\r\n</vcpu><!-- c -->\r\n\t"
	"<cpu>\r\n\t\t<!-- d -->\r\n\t\t<topology sockets='1' cores='8' threads='1'/>\r\n\t\t<!-- "
	"e -->\r\n\t</cpu>\r\n\t" DEVICES "\r\n\r\n\t<!-- end -->\r\n</domain>\r\n<!-- after -->",
	/* Empty parents, references, character data, instructions, foreign namespaces. */
	"<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>\n"
	"\t<name>odd &amp; &lt;b&gt; \xc3\xa4</name>\n"
	"\t<vcpu><![CDATA[8]]></vcpu>\n"
	"\t<metadata/>\n"
	"\t<cputune/>\n"
	"\t<?keep me?>\n"
	"\t<numatune></numatune>\n"
	"\t<memoryBacking>\n\t</memoryBacking>\n"
	"\t<devices/>\n"
	"\t<qemu:commandline>\n\t\t<qemu:arg value='-a &quot;b&quot; &#10;&#9;c'/>\n"
	"\t</qemu:commandline>\n"
	"\t<os a='1' xml:id='x' b='2' qemu:c='3'>hvm<type>x</type> beside </os>\n"
	"</domain>\n",
	/* Text beside the elements that edits are about. */
	"<domain type='kvm'>one<name>text</name>two<vcpu cpuset='1'>8</vcpu>three"
	"<cputune>four<vcpupin vcpu='3' cpuset='1'/>five</cputune>six<cpu>seven<model>x</model>"
	"eight</cpu>" DEVICES "nine</domain>",
	/* A prefix that only the parent declares. */
	"<domain type='kvm'>\n <name>prefix</name>\n <devices xmlns:q='urn:q'>\n"
	"  <memballoon q:a='1'><q:b/></memballoon>\n </devices>\n</domain>\n",
	/* Nothing. */
	"<domain/>",
	"<domain type='kvm'>\n</domain>",
};

void for_each_synthetic_domain(void (*check)(const char *name, const char *text, size_t length))
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(synthetic); i++) {
		char name[32];

		snprintf(name, sizeof(name), "synthetic %zu", i);
		check(name, synthetic[i], strlen(synthetic[i]));
	}
}
