/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fitting/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"
#include "sys/policy.h"
#include "sys/probe.h"
#include "virt/networks.h"

void fit_session_forget(struct fit_session *session)
{
	fit_strlist_clear(&session->notes);
	fit_claims_clear(&session->claims);
	fit_networks_clear(&session->networks);
	session->knows_networks = false;
	fit_host_clear(&session->host);
}

void fit_session_close(struct fit_session *session)
{
	fit_session_forget(session);
	fit_request_clear(&session->asked);
	fit_shapes_clear(&session->shapes); /* the next daemon may be another version */
	if (session->connected)
		fit_virt_close(&session->virt);
	session->connected = false;
}

void fit_subject_clear(struct fit_subject *subject)
{
	free(subject->name);
	free(subject->xml);
	if (subject->is_domain)
		fit_virt_domain_clear(&subject->domain);
	*subject = (struct fit_subject){0};
}

int fit_session_connect(struct fit_session *session, struct fit_err *err)
{
	if (session->connected)
		return 0;
	if (fit_virt_open(session->connect, &session->virt, err) < 0)
		return -1;
	session->connected = true;
	return 0;
}

static int read_all(
	int fd, const char *name, char **ret_text, size_t *ret_length, struct fit_err *err)
{
	fit_autobuffer struct fit_buffer buffer = {0};
	char block[65536];
	ssize_t count;

	while ((count = read(fd, block, sizeof(block))) != 0) {
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return fit_err_sys(err, errno, "cannot read %s", name);
		fit_buffer_add_bytes(&buffer, block, (size_t)count);
		if (buffer.length > FIT_XML_SIZE_MAX)
			return fit_err_set(err, FIT_ERR_INVALID,
				"%s: larger than 16 MiB, which no definition is", name);
	}
	*ret_length = buffer.length;
	*ret_text = fit_buffer_steal(&buffer);
	return 0;
}

static int read_file(const char *path, struct fit_subject *subject, struct fit_err *err)
{
	int fd = STDIN_FILENO;
	int status;

	if (fit_streq(path, "-")) {
		subject->name = fit_xstrdup("standard input");
		return read_all(fd, subject->name, &subject->xml, &subject->length, err);
	}
	subject->name = fit_xstrdup(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fit_err_sys(err, errno, "cannot open %s", path);
	status = read_all(fd, path, &subject->xml, &subject->length, err);
	close(fd);
	return status;
}

static bool ends_in_xml(const char *argument)
{
	size_t length = strlen(argument);

	return length > 4 && fit_streq(argument + length - 4, ".xml");
}

/* A domain's name has no slash, so "./web01.xml" can only be a file and a UUID only a domain. */
static bool means_file(const char *argument)
{
	if (fit_streq(argument, "-") || strchr(argument, '/'))
		return true;
	return ends_in_xml(argument) && access(argument, F_OK) == 0;
}

static int find_domain(const struct fit_session *session, const char *argument,
	struct fit_virt_domain *ret_domain, struct fit_err *err)
{
	return session->by_uuid ? fit_virt_find_uuid(&session->virt, argument, ret_domain, err)
				: fit_virt_find(&session->virt, argument, ret_domain, err);
}

static int read_domain(struct fit_session *session, const char *argument,
	struct fit_subject *subject, struct fit_err *err)
{
	if (fit_session_connect(session, err) < 0 ||
		find_domain(session, argument, &subject->domain, err) < 0)
		return -1;
	subject->is_domain = true;
	subject->name = fit_xstrdup(subject->domain.name);
	subject->xml = fit_virt_definition(&subject->domain, err);
	if (!subject->xml)
		return -1;
	subject->length = strlen(subject->xml);
	return 0;
}

int fit_session_fetch(struct fit_session *session, const char *argument,
	struct fit_subject *ret_subject, struct fit_err *err)
{
	struct fit_subject subject = {0};
	bool is_file = !session->by_uuid && means_file(argument);
	int status = is_file ? read_file(argument, &subject, err)
			     : read_domain(session, argument, &subject, err);

	if (status < 0) {
		fit_subject_clear(&subject);
		/* What was meant is a file, most likely. */
		if (!session->by_uuid && !is_file && ends_in_xml(argument))
			fit_err_prefix(err, "there is no file %s, and as a domain: ", argument);
		return -1;
	}
	*ret_subject = subject;
	return 0;
}

/* Files can be planned where there is no libvirt. With --sysroot they are planned for another host,
 * where the domains of this one hold nothing. */
static int connect_if_possible(struct fit_session *session, struct fit_err *err)
{
	struct fit_err problem = FIT_ERR_INIT;

	if (session->connected || (session->other_host && !session->connect))
		return 0;
	if (session->connect)
		return fit_session_connect(session, err);
	if (fit_session_connect(session, &problem) < 0)
		fit_strlist_addf(
			&session->notes, "other domains are not considered: %s", problem.message);
	return 0;
}

/* What the user says, else what is connected to, else the oldest that is supported. */
static void choose_target(struct fit_session *session)
{
	const struct fit_target *stated = &session->stated;
	struct fit_target connected = {0};

	if (session->connected)
		fit_virt_versions(&session->virt, &connected.libvirt, &connected.qemu);
	session->target = fit_target_default;
	if (connected.libvirt)
		session->target.libvirt = connected.libvirt;
	if (connected.qemu)
		session->target.qemu = connected.qemu;
	if (stated->libvirt)
		session->target.libvirt = stated->libvirt;
	if (stated->qemu)
		session->target.qemu = stated->qemu;
}

int fit_session_survey(struct fit_session *session, struct fit_err *err)
{
	if (connect_if_possible(session, err) < 0)
		return -1;
	if (session->connected && !session->other_host && fit_virt_is_remote(&session->virt))
		return fit_err_set(err, FIT_ERR_REFUSED,
			"%s is another machine, and a plan is made for the hardware of this one: "
			"run virt-fit there, or give a copy of its /sys and /proc with --sysroot",
			session->virt.uri);
	choose_target(session);
	if (fit_probe(session->root, FIT_PROBE_PLAN, &session->host, &session->notes, err) < 0 ||
		fit_policy_load(session->root, &session->host, &session->notes, err) < 0)
		return -1;
	if (session->allowed && fit_policy_limit(session->root, &session->host, session->allowed,
					"--allowed", err) < 0)
		return -1;
	if (!session->connected)
		return 0;
	session->knows_networks = fit_virt_networks(&session->virt, &session->networks, NULL) == 0;
	return fit_virt_claims(&session->virt, &session->claims, &session->notes, err);
}

static bool is_buffered(void *context, const char *path)
{
	return fit_fsroot_is_buffered(context, path);
}

static struct fit_render_input input_of(struct fit_session *session)
{
	return (struct fit_render_input){
		.asked = &session->asked,
		.host = &session->host,
		.target = &session->target,
		.claims = &session->claims,
		.networks = session->knows_networks ? &session->networks : NULL,
		.load = fit_profile_store_load,
		.load_context = session->store,
		.is_buffered = is_buffered,
		.is_buffered_context = session->root,
		.report = session->report,
	};
}

int fit_session_render(struct fit_session *session, const struct fit_subject *subject,
	const char *xml, const struct fit_strlist *only, bool had_metadata,
	struct fit_render_result *ret_result, struct fit_err *err)
{
	struct fit_render_input input = input_of(session);

	input.xml = xml ? xml : subject->xml;
	input.length = xml ? strlen(xml) : subject->length;
	input.name = subject->name;
	input.only = only;
	input.had_metadata = had_metadata;
	return fit_render(&input, ret_result, err);
}

int fit_session_render_running(struct fit_session *session, const struct fit_virt_domain *domain,
	const char *xml, bool all, struct fit_render_result *ret_result, struct fit_err *err)
{
	struct fit_render_input input = input_of(session);

	input.xml = xml;
	input.length = strlen(xml);
	input.name = domain->name;
	input.arrives = !all;
	return fit_render(&input, ret_result, err);
}
