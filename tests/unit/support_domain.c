/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "core/xml.h"
#include "support_domain.h"

xmlDoc *fit_test_parse(const char *xml)
{
	struct fit_err err = FIT_ERR_INIT;
	xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "test.xml", &err);

	if (!doc)
		fail_msg("%s\n%s", err.message, xml);
	return doc;
}

xmlDoc *fit_test_document(const char *body)
{
	fit_autofree char *xml = fit_xasprintf("<domain type='kvm'>%s%s%s</domain>",
		strstr(body, "<name>") ? "" : "<name>vm</name>",
		strstr(body, "<memory>") || strstr(body, "<memory unit")
			? ""
			: "<memory>1048576</memory>",
		body);

	return fit_test_parse(xml);
}

struct fit_domain fit_test_domain(const char *body)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_test_document(body);
	struct fit_domain domain = {0};

	if (fit_domain_read(doc, "test.xml", &domain, &err) < 0)
		fail_msg("%s: %s", body, err.message);
	return domain;
}

struct fit_cpuset fit_test_cpus(const char *list)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_cpuset set = {0};

	assert_int_equal(fit_cpuset_parse_list(list, &set, &err), 0);
	return set;
}

void fit_expect_cpus(const struct fit_cpuset *set, const char *list)
{
	fit_autofree char *text = fit_cpuset_format_list(set);

	assert_string_equal(text, list);
}
