/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events idle URI INTERVAL COUNT
 *
 * The least that a program does which follows libvirt's events: one connection with keep-alive
 * messages, one callback, and the event loop of libvirt. For ever.
 *
 * events fitted URI RUNS BARE ASKING
 *
 * How long the definition in the file ASKING, which requests a profile, is in libvirt before it is
 * fitted, from when it has been defined to when the fitted one can be read, and how long a define
 * of the file BARE takes. Prints both medians in microseconds. A watcher must run; both domains are
 * undefined at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

#include "base/attr.h"
#include "base/memory.h"
#include "base/text.h"
#include "median.h"
#include "watch/queue.h"

#define RUNS_MAX   1000
#define POLL_US	   100
#define PATIENCE_S 20

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static FIT_NORETURN void die(const char *what)
{
	const char *why = virGetLastErrorMessage();

	fprintf(stderr, "events: %s: %s\n", what, why ? why : "no reason given");
	exit(2);
}

static int ignore(virConnectPtr connection, virDomainPtr domain, int event, int detail, void *data)
{
	(void)connection;
	(void)domain;
	(void)event;
	(void)detail;
	(void)data;
	return 0;
}

static int idle(const char *uri, int interval, unsigned int count)
{
	virConnectPtr connection;

	if (virEventRegisterDefaultImpl() < 0)
		die("no event loop");
	connection = virConnectOpen(uri);
	if (!connection || virConnectSetKeepAlive(connection, interval, count) < 0 ||
		virConnectDomainEventRegisterAny(connection, NULL, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
			VIR_DOMAIN_EVENT_CALLBACK(ignore), NULL, NULL) < 0)
		die("no events");
	while (virEventRunDefaultImpl() == 0)
		;
	die("the event loop ended");
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = fit_xcalloc(1, 65536);

	if (!file || fread(text, 1, 65535, file) == 0) {
		fprintf(stderr, "events: cannot read %s\n", path);
		exit(2);
	}
	fclose(file);
	return text;
}

static double define(virConnectPtr connection, const char *xml)
{
	double start = now_us();
	virDomainPtr domain = virDomainDefineXML(connection, xml);

	if (!domain)
		die("define");
	start = now_us() - start;
	virDomainFree(domain);
	return start;
}

static double define_and_wait(virConnectPtr connection, const char *xml)
{
	virDomainPtr domain = virDomainDefineXML(connection, xml);
	double start = now_us();
	bool fitted = false;

	if (!domain)
		die("define");
	/* Who asks all the time is in the way of the one he waits for. */
	usleep(FIT_QUEUE_QUIET_MS * 1000);
	while (!fitted) {
		char *found = virDomainGetXMLDesc(domain, VIR_DOMAIN_XML_INACTIVE);

		if (!found)
			die("read");
		fitted = strstr(found, "urn:virt-fit:applied:1") != NULL;
		free(found);
		if (now_us() - start > PATIENCE_S * 1e6)
			die("it is not fitted");
		if (!fitted)
			usleep(POLL_US);
	}
	start = now_us() - start;
	virDomainFree(domain);
	return start;
}

static void undefine(virConnectPtr connection, const char *xml)
{
	virDomainPtr domain = virDomainDefineXML(connection, xml);

	if (!domain || virDomainUndefine(domain) < 0)
		die("undefine");
	virDomainFree(domain);
}

static int fitted(const char *uri, size_t runs, const char *bare_file, const char *asking_file)
{
	static double bare[RUNS_MAX], asking[RUNS_MAX];
	fit_autofree char *bare_xml = read_file(bare_file);
	fit_autofree char *asking_xml = read_file(asking_file);
	virConnectPtr connection = virConnectOpen(uri);

	if (!connection)
		die("no connection");
	for (size_t i = 0; i < runs; i++) {
		asking[i] = define_and_wait(connection, asking_xml);
		bare[i] = define(connection, bare_xml);
		/* Until the watcher has looked at that. */
		usleep(2 * FIT_QUEUE_QUIET_MS * 1000);
	}
	undefine(connection, bare_xml);
	undefine(connection, asking_xml);
	virConnectClose(connection);
	printf("%.0f %.0f\n", median(asking, runs), median(bare, runs));
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t first, second;

	if (argc == 5 && fit_streq(argv[1], "idle") && fit_parse_uint(argv[3], 1000, &first) &&
		fit_parse_uint(argv[4], 1000, &second))
		return idle(argv[2], (int)first, (unsigned int)second);
	if (argc == 6 && fit_streq(argv[1], "fitted") &&
		fit_parse_uint(argv[3], RUNS_MAX, &first) && first > 0)
		return fitted(argv[2], (size_t)first, argv[4], argv[5]);
	fputs("usage: events idle URI INTERVAL COUNT | fitted URI RUNS BARE ASKING\n", stderr);
	return 2;
}
