/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libvirt's schema has not been asked about yet. */
#include "support.h"

#include "base/memory.h"
#include "core/shape.h"
#include "core/xml.h"
#include "support_domain.h"

static const char first[] =
	"<domain type='kvm'><name>a</name><metadata><x xmlns='urn:x'/></metadata><devices>"
	"<disk type='file'><driver name='qemu' io='native'/><target dev='vda' bus='virtio'/></disk>"
	"<controller type='scsi'/></devices></domain>";

static bool knows(const struct fit_shapes *shapes, const char *xml)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(xml);

	return fit_shapes_know(shapes, doc);
}

static void learn(struct fit_shapes *shapes, const char *xml)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(xml);

	fit_shapes_add(shapes, doc);
}

static void other_values_are_nothing_new(void **state)
{
	struct fit_shapes shapes = {0};

	(void)state;
	assert_false(knows(&shapes, first));
	learn(&shapes, first);
	assert_true(knows(&shapes, first));
	/* Less of it, or more of the same, and whatever is in metadata. */
	assert_true(knows(&shapes, "<domain type='kvm'><devices/></domain>"));
	assert_true(knows(&shapes,
		"<domain type='kvm'><name>b</name><metadata><y xmlns='urn:y' z='1'/></metadata>"
		"<devices><disk type='file'><driver io='threads'/></disk>"
		"<disk type='file'><target dev='vdb' bus='virtio'/></disk></devices></domain>"));
	fit_shapes_clear(&shapes);
}

static void what_the_schema_has_not_seen_is_new(void **state)
{
	static const char *const others[] = {
		"<domain type='kvm'><name>a</name><iothreads>1</iothreads></domain>",
		"<domain type='kvm' id='1'><name>a</name></domain>",
		"<domain type='kvm'><devices><metadata/></devices></domain>",
		"<domain type='kvm'><devices><disk type='file'><driver iothread='1'/></disk></devices>"
		"</domain>",
		/* What there is of one type is not there of another. */
		"<domain type='kvm'><devices><disk type='block'><driver io='native'/></disk></devices>"
		"</domain>",
		"<domain type='kvm'><devices><disk type='file'><driver name='qemu'/>"
		"<target dev='sda' bus='scsi'/></disk></devices></domain>",
		/* An element is no attribute, nor one of another namespace. */
		"<domain type='kvm'><devices><controller type='scsi'><type/></controller></devices>"
		"</domain>",
		"<domain type='kvm'><name xmlns='urn:other'>a</name></domain>",
	};
	struct fit_shapes shapes = {0};

	(void)state;
	learn(&shapes, first);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(others); i++) {
		if (knows(&shapes, others[i]))
			fail_msg("%s is taken for known", others[i]);
		learn(&shapes, others[i]);
		assert_true(knows(&shapes, others[i]));
		assert_true(knows(&shapes, first));
	}
	fit_shapes_clear(&shapes);
}

static void the_same_with_another_kind_of_device_is_new(void **state)
{
	static const char *const deciding[] = {"type", "model", "bus", "mode", "device", "match"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(deciding); i++) {
		fit_autofree char *one = fit_xasprintf(
			"<domain><devices><a %s='x'><b c='1'/></a></devices></domain>",
			deciding[i]);
		fit_autofree char *other = fit_xasprintf(
			"<domain><devices><a %s='y'><b c='1'/></a></devices></domain>",
			deciding[i]);
		struct fit_shapes shapes = {0};

		learn(&shapes, one);
		assert_true(knows(&shapes, one));
		assert_false(knows(&shapes, other));
		fit_shapes_clear(&shapes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_values_are_nothing_new),
		cmocka_unit_test(what_the_schema_has_not_seen_is_new),
		cmocka_unit_test(the_same_with_another_kind_of_device_is_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
