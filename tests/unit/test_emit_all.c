/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for every setting, of all intents at once. */
#include "support.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/emit.h"
#include "core/rewrite.h"
#include "core/target.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_emit.h"
#include "support_plan.h"

/* %: the policy */
static const char all[] =
	"<cpu mode='host-passthrough' topology='mirror' cache='passthrough' migratable='off' "
	"maxphysaddr='passthrough' require='sse4.1 avx' disable='svm' existing='%'/>"
	"<vcpus place='cores' scheduler='fifo' priority='2' existing='%'/>"
	"<emulator place='housekeeping' scheduler='fifo' priority='1' existing='%'/>"
	"<iothreads count='2' place='own-core' poll-max='4000' scheduler='fifo' priority='1' "
	"existing='%'/>"
	"<shares value='200' existing='%'/>"
	"<memory binding='strict' pages='2MiB' sharepages='no' source='memfd' access='shared' "
	"allocation='immediate' threads='4' existing='%'/>"
	"<features pmu='off' hidden='on' hint-dedicated='on' poll-control='on' existing='%'/>"
	"<hyperv features='relaxed spinlocks runtime' vendor_id='abc' existing='%'/>"
	"<clock rtc='catchup' pit='delay' hpet='no' kvmclock='yes' existing='%'/>"
	"<disks iothread='spread' cache='none' io='native' discard='unmap' detect_zeroes='unmap' "
	"queues='3' queue_size='256' packed='on' ioeventfd='on' existing='%'/>"
	"<interfaces driver='vhost' queues='2' rx_queue_size='512' "
	"tx_queue_size='256' packed='on' existing='%'/>"
	"<cachetune size='4MiB' existing='%'/><memorytune bandwidth='50' existing='%'/>"
	"<memballoon model='none' existing='%'/>"
	"<watchdog itco='none' existing='%'/>"
	"<iommu model='intel' existing='%'/>";

static const char definition[] =
	"<domain type='kvm'><name>vm</name><memory>1048576</memory><vcpu>2</vcpu>"
	"<os><type arch='x86_64' machine='q35'>hvm</type></os><features><ioapic driver='qemu'/><hyperv mode='custom'/>"
	"</features><cpu mode='host-passthrough' check='none'><numa>"
	"<cell id='0' cpus='0' memory='524288'/><cell id='1' cpus='1' memory='524288'/></numa></cpu>"
	"<clock offset='utc'/><iothreads>2</iothreads><iothreadids><iothread id='1'/>"
	"<iothread id='2'/></iothreadids><devices>"
	"<disk type='file' device='disk'><driver name='qemu'/><source file='/a'/><target dev='vda' "
	"bus='virtio'/></disk>"
	"<controller type='scsi' index='0' model='virtio-scsi'/>"
	"<interface type='bridge'><mac address='52:54:00:00:00:01'/><model type='virtio'/>"
	"</interface></devices></domain>";

static struct fit_profile profile_with(const char *policy)
{
	fit_autostrlist struct fit_strlist parts = {0};
	fit_autofree char *intents = NULL;

	fit_strlist_split(&parts, all, "%");
	intents = fit_strlist_join(&parts, policy);
	return fit_test_profile(intents);
}

/* What a plan points to. */
struct parts {
	struct fit_thread_pin vcpus[2];
	struct fit_thread_pin iothreads[2];
	struct fit_disk_iothread users[2];
	struct fit_planned_cell cells[2];
	struct fit_planned_cache caches[2];
};

static struct parts make_parts(void)
{
	static char target[] = "vda";

	return (struct parts){
		.vcpus = {{.id = 0, .cpus = fit_test_cpus("2")},
			{.id = 1, .cpus = fit_test_cpus("3")}},
		.iothreads = {{.id = 1, .cpus = fit_test_cpus("4")},
			{.id = 2, .cpus = fit_test_cpus("5")}},
		.users = {{.target = target, .iothread = 1}, {.controller = 0, .iothread = 2}},
		.cells =
			{
				{.vcpus = fit_test_cpus("0"),
					.nodes = fit_test_cpus("0"),
					.memory_nodes = fit_test_cpus("0"),
					.memory_kib = 524288},
				{.vcpus = fit_test_cpus("1"),
					.nodes = fit_test_cpus("1"),
					.memory_nodes = fit_test_cpus("1"),
					.memory_kib = 524288},
			},
		.caches = {{fit_test_cpus("0"), 0, 4ULL << 20, 50},
			{fit_test_cpus("1"), 1, 4ULL << 20, 50}},
	};
}

static struct fit_plan make_plan(struct parts *parts)
{
	return (struct fit_plan){
		.cpu_mode = FIT_CPU_MODE_HOST_PASSTHROUGH,
		.has_topology = true,
		.topology = {1, 1, 1, 2, 1},
		.passthrough_cache = true,
		.vcpus = parts->vcpus,
		.vcpu_count = 2,
		.vcpus_dedicated = true,
		.vcpus_real_time = true,
		.emulator_real_time = true,
		.iothreads_real_time = true,
		.has_emulator = true,
		.emulator = fit_test_cpus("0-1"),
		.iothreads = parts->iothreads,
		.iothread_count = 2,
		.iothreads_kept = true,
		.disk_iothreads = parts->users,
		.disk_iothread_count = 2,
		.has_memory = true,
		.memory_strict = true,
		.memory_nodes = fit_test_cpus("0-1"),
		.page_kib = 2048,
		.memory_locked = true,
		.cells = parts->cells,
		.cell_count = 2,
		.cells_kept = true,
		.caches = parts->caches,
		.cache_count = 2,
	};
}

/* @said: may be NULL */
static int try_emit_for(const struct fit_target *target, xmlDoc *doc, const char *policy,
	struct fit_edits *edits, struct fit_buffer *said, struct fit_err *err)
{
	struct parts parts = make_parts();
	struct fit_plan plan = make_plan(&parts);
	struct fit_host host = fit_made_host((struct fit_host_shape){2, 1, 4, 1});
	struct fit_profile profile = profile_with(policy);
	struct fit_domain domain;
	struct fit_plan_input input = {.host = &host,
		.domain = &domain,
		.profile = &profile,
		.original = doc,
		.target = target};
	int result;

	if (fit_domain_read(doc, "vm.xml", &domain, err) < 0)
		fail_msg("%s", err->message);
	result = fit_emit(&plan, &input, edits, err);
	if (result == 0)
		fit_test_check_emitted(&plan, edits);
	for (size_t i = 0; i < plan.reason_count && said; i++)
		fit_buffer_addf(said, "%s: %s\n", plan.reasons[i].topic, plan.reasons[i].text);
	for (size_t i = 0; i < plan.reason_count; i++)
		free(plan.reasons[i].text);
	free(plan.reasons);
	fit_domain_clear(&domain);
	fit_profile_clear(&profile);
	fit_host_clear(&host);
	return result;
}

static int try_emit(xmlDoc *doc, const char *policy, struct fit_edits *edits, struct fit_err *err)
{
	static const struct fit_target newest = {
		FIT_VERSION_OF(12, 0, 0), FIT_VERSION_OF(10, 0, 0)};

	return try_emit_for(&newest, doc, policy, edits, NULL, err);
}

static struct fit_edits emit(xmlDoc *doc, const char *policy)
{
	struct fit_edits edits = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (try_emit(doc, policy, &edits, &err) < 0)
		fail_msg("%s", err.message);
	return edits;
}

static void apply(xmlDoc *doc, const struct fit_edits *edits)
{
	static const struct fit_record info = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_rewrite_apply(doc, "vm.xml", edits, &info, NULL, &err) < 0)
		fail_msg("%s", err.message);
}

/* The same path but for which of several: libvirt has a line for each thread, we have them all. */
static bool is_of_setting(const struct fit_edit *edit, const struct fit_edit *of)
{
	const char *a = edit->path, *b = of->path;

	if (fit_starts_with(a, "numatune/") && fit_starts_with(b, "numatune/"))
		return true;
	for (; *a && *a == *b; a++, b++)
		if (*a == '[') {
			a = strchr(a, ']');
			b = strchr(b, ']');
		}
	return *a == *b;
}

/* Another value than this that a definition may have; NULL: none is known. */
static const char *other_than(const char *value)
{
	static const char *const others[][2] = {{"on", "off"}, {"off", "on"}, {"yes", "no"},
		{"no", "yes"}, {"none", "directsync"}, {"native", "threads"}, {"unmap", "ignore"},
		{"vhost", "qemu"}, {"memfd", "file"}, {"shared", "private"}, {"require", "disable"},
		{"disable", "require"}, {"catchup", "delay"}, {"delay", "catchup"},
		{"passthrough", "disable"}};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(others); i++)
		if (fit_streq(value, others[i][0]))
			return others[i][1];
	return strspn(value, "0123456789-,") == strlen(value) ? "7" : NULL;
}

static bool ends_as_attribute(const char *text)
{
	return *text && text[strlen(text) - 1] == '=';
}

/* With the last attribute that can have another value; NULL: there is none. */
static char *altered(const char *value)
{
	fit_autostrlist struct fit_strlist parts = {0};

	if (*value != '<')
		return other_than(value) ? fit_xstrdup(other_than(value)) : NULL;
	fit_strlist_split(&parts, value, "'");
	for (size_t i = parts.count - 1; i-- > 0;)
		if (ends_as_attribute(parts.items[i]) && other_than(parts.items[i + 1])) {
			fit_xreplace(&parts.items[i + 1], other_than(parts.items[i + 1]));
			return fit_strlist_join(&parts, "'");
		}
	return NULL;
}

/* The definition with what is written for the setting of @edit, or with something else there: then
 * NULL when nothing else is known. */
static xmlDoc *with_setting(const struct fit_edits *edits, const struct fit_edit *edit, bool same)
{
	struct fit_edits chosen = {0};
	xmlDoc *doc = NULL;

	for (size_t i = 0; i < edits->count; i++) {
		fit_autofree char *other = altered(edits->items[i].value);

		if (is_of_setting(&edits->items[i], edit) && (same || other))
			fit_edits_set(&chosen, edits->items[i].path,
				same ? edits->items[i].value : other);
	}
	if (chosen.count) {
		doc = fit_test_parse(definition);
		apply(doc, &chosen);
	}
	fit_edits_clear(&chosen);
	return doc;
}

static bool has(const struct fit_edits *edits, const struct fit_edit *edit)
{
	for (size_t i = 0; i < edits->count; i++)
		if (fit_streq(edits->items[i].path, edit->path) &&
			fit_streq(edits->items[i].value, edit->value))
			return true;
	return false;
}

/* By itself, or as a part of what it is in. */
static bool writes(const struct fit_edits *edits, const struct fit_edit *edit)
{
	for (size_t i = 0; i < edits->count; i++)
		if (fit_starts_with(edit->path, edits->items[i].path) && edits->items[i].value &&
			strstr(edits->items[i].value, edit->value))
			return true;
	return false;
}

/* Fails unless @found is @every without what is of the setting of @one. */
static void expect_all_but(const struct fit_edits *every, const struct fit_edit *one,
	const struct fit_edits *found, const char *policy)
{
	for (size_t i = 0; i < every->count; i++)
		if (has(found, &every->items[i]) == is_of_setting(&every->items[i], one))
			fail_msg("%s: with %s there, %s is %s", policy, one->path,
				every->items[i].path,
				has(found, &every->items[i]) ? "written" : "not written");
	for (size_t i = 0; i < found->count; i++)
		if (!has(every, &found->items[i]))
			fail_msg("%s: with %s there, %s is written, too", policy, one->path,
				found->items[i].path);
}

static void what_is_there_already_is_left_and_stops_nothing_else(void **state)
{
	static const char *const policies[] = {"keep", "replace", "require"};
	fit_autodoc xmlDoc *doc = fit_test_parse(definition);
	struct fit_edits every = emit(doc, "keep");

	(void)state;
	assert_true(every.count > 60);
	for (size_t i = 0; i < every.count; i++) {
		fit_autodoc xmlDoc *fitted = with_setting(&every, &every.items[i], true);

		for (size_t j = 0; j < FIT_ARRAY_SIZE(policies); j++) {
			struct fit_edits found = emit(fitted, policies[j]);

			expect_all_but(&every, &every.items[i], &found, policies[j]);
			fit_edits_clear(&found);
		}
	}
	fit_edits_clear(&every);
}

/* Libvirt itself writes migratable='on', and locked memory is locked. */
static bool has_a_policy(const struct fit_edit *edit)
{
	return !fit_streq(edit->path, "cpu/@migratable") &&
	       !fit_streq(edit->path, "memoryBacking/locked");
}

static void what_differs_is_kept_replaced_or_refused(void **state)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(definition);
	struct fit_edits every = emit(doc, "keep");
	size_t tried = 0;

	(void)state;
	for (size_t i = 0; i < every.count; i++) {
		const struct fit_edit *edit = &every.items[i];
		fit_autodoc xmlDoc *other = with_setting(&every, edit, false);
		struct fit_edits kept, replaced, refused = {0};
		struct fit_err err = FIT_ERR_INIT;

		if (!other || !has_a_policy(edit))
			continue;
		kept = emit(other, "keep");
		expect_all_but(&every, edit, &kept, "keep");
		replaced = emit(other, "replace");
		for (size_t j = 0; j < every.count; j++)
			if (!writes(&replaced, &every.items[j]))
				fail_msg("with another %s, %s is not written", edit->path,
					every.items[j].path);
		if (try_emit(other, "require", &refused, &err) == 0)
			fail_msg("another %s is not refused", edit->path);
		assert_int_equal(err.code, FIT_ERR_REFUSED);
		assert_int_equal(refused.count, 0);
		fit_edits_clear(&kept);
		fit_edits_clear(&replaced);
		tried++;
	}
	fit_edits_clear(&every);
	assert_true(tried > 50);
}

/* "what is found / wanted" of "vm: cannot fit: what is found, but p.xml:1 requires wanted: …" */
static char *short_refusal(const char *message)
{
	static const char begin[] = "vm: cannot fit: ", middle[] = ", but p.xml:1 requires ",
			  end[] = ": remove it from the definition, or say existing=\"keep\" or "
				  "\"replace\" in the profile";
	const char *but = strstr(message, middle);
	const char *remove = strstr(message, end);

	if (!fit_starts_with(message, begin) || !but || !remove || remove[strlen(end)])
		fail_msg("%s", message);
	message += strlen(begin);
	return fit_xasprintf("%.*s / %.*s\n", (int)(but - message), message,
		(int)(remove - but) - (int)strlen(middle), but + strlen(middle));
}

/* What each setting is called to people. */
static const char refusals[] =
	"the CPU topology is sockets='1' dies='1' clusters='1' cores='2' threads='7' / sockets='1' dies='1' clusters='1' cores='2' threads='1'\n"
	"the CPU cache mode is another one / passthrough\n"
	"passthrough of the physical address bits is <maxphysaddr mode='disable'/> / <maxphysaddr mode='passthrough'/>\n"
	"the CPU feature avx is <feature policy='disable' name='avx'/> / <feature policy='require' name='avx'/>\n"
	"pmu is <pmu state='on'/> / <pmu state='off'/>\n"
	"hidden is <hidden state='off'/> / <hidden state='on'/>\n"
	"hint-dedicated is <hint-dedicated state='off'/> / <hint-dedicated state='on'/>\n"
	"poll-control is <poll-control state='off'/> / <poll-control state='on'/>\n"
	"relaxed is <relaxed state='off'/> / <relaxed state='on'/>\n"
	"spinlocks is <spinlocks state='on' retries='7'/> / <spinlocks state='on' retries='8191'/>\n"
	"runtime is <runtime state='off'/> / <runtime state='on'/>\n"
	"vendor_id is <vendor_id state='off' value='abc'/> / <vendor_id state='on' value='abc'/>\n"
	"the timer rtc is <timer name='rtc' tickpolicy='delay'/> / <timer name='rtc' tickpolicy='catchup'/>\n"
	"the pin of vcpu 0 is 7 / 2\n"
	"the pin of the emulator is 7 / 0-1\n"
	"the pin of iothread 1 is 7 / 4\n"
	"the polling of the iothreads is <poll max='7'/> / <poll max='4000'/>\n"
	"the scheduler of the vCPUs is set for 0, 1 / fifo with priority 2 for each\n"
	"the scheduler of the emulator is <emulatorsched scheduler='fifo' priority='7'/> / <emulatorsched scheduler='fifo' priority='1'/>\n"
	"the scheduler of the iothreads is set for 1, 2 / fifo with priority 1 for each\n"
	"the shares of CPU time is 7 / 200\n"
	"the part of the L3 cache is set for vCPUs 0; 1 in another way / <cachetune vcpus='0'><cache id='0' level='3' type='both' size='4' unit='MiB'/></cachetune><cachetune vcpus='1'><cache id='1' level='3' type='both' size='4' unit='MiB'/></cachetune>\n"
	"the limit of memory bandwidth is set for vCPUs 0; 1 in another way / <memorytune vcpus='0'><node id='0' bandwidth='50'/></memorytune><memorytune vcpus='1'><node id='1' bandwidth='50'/></memorytune>\n"
	"the memory binding is set for each guest cell / mode='strict' nodeset='0-1' and one for each guest cell\n"
	"the page size is 7 KiB / 2 MiB\n"
	"the source of the memory is file / memfd\n"
	"the access to the memory is private / shared\n"
	"the number of allocating threads is 7 / 4\n"
	"the iothread of disk vda is 7 / 1\n"
	"the iothread of scsi controller 0 is 7 / 2\n"
	"cache of disk vda is directsync / none\n"
	"io of disk vda is threads / native\n"
	"discard of disk vda is ignore / unmap\n"
	"detect_zeroes of disk vda is ignore / unmap\n"
	"queues of disk vda is 7 / 3\n"
	"packed of disk vda is off / on\n"
	"ioeventfd of disk vda is off / on\n"
	"queue_size of disk vda is 7 / 256\n"
	"queues of scsi controller 0 is 7 / 3\n"
	"packed of scsi controller 0 is off / on\n"
	"ioeventfd of scsi controller 0 is off / on\n"
	"the driver of interface 52:54:00:00:00:01 is qemu / vhost\n"
	"queues of interface 52:54:00:00:00:01 is 7 / 2\n"
	"rx_queue_size of interface 52:54:00:00:00:01 is 7 / 512\n"
	"tx_queue_size of interface 52:54:00:00:00:01 is 7 / 256\n"
	"packed of interface 52:54:00:00:00:01 is off / on\n"
	"the memory balloon is <memballoon model='directsync'/> / <memballoon model='none'/>\n"
	"the iTCO watchdog is <watchdog model='itco' action='directsync'/> / <watchdog model='itco' action='none'/>\n"
	"the IOMMU is <iommu model='intel'>… / <iommu model='intel'><driver intremap='on' caching_mode='on' iotlb='on'/></iommu>\n";

static void what_is_required_and_differs_is_named(void **state)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(definition);
	struct fit_edits every = emit(doc, "keep");
	fit_autobuffer struct fit_buffer said = {0};

	(void)state;
	for (size_t i = 0; i < every.count; i++) {
		fit_autodoc xmlDoc *other = with_setting(&every, &every.items[i], false);
		struct fit_edits refused = {0};
		struct fit_err err = FIT_ERR_INIT;
		fit_autofree char *line = NULL;

		if (!other || !has_a_policy(&every.items[i]))
			continue;
		assert_int_equal(try_emit(other, "require", &refused, &err), -1);
		line = short_refusal(err.message);
		if (!said.text || !strstr(said.text, line))
			fit_buffer_add(&said, line);
	}
	fit_edits_clear(&every);
	assert_string_equal(said.text, refusals);
}

static const char left_out[] =
	"cpu: the choice of migratable CPU features only is left out: libvirt 1.0 has no choice of migratable CPU features (6.5 has)\n"
	"cpu: passthrough of the physical address bits is left out: libvirt 1.0 has no physical address bits of the CPU (8.7 has)\n"
	"features: hint-dedicated is left out: libvirt 1.0 has no hint that CPUs are dedicated (5.7 has)\n"
	"features: poll-control is left out: libvirt 1.0 has no control of polling by the guest (6.10 has)\n"
	"iothreads: the polling of the iothreads is left out: libvirt 1.0 has no poll settings of iothreads (9.4 has)\n"
	"emulator: the scheduler of the emulator is left out: libvirt 1.0 has no scheduler of the emulator (5.3 has)\n"
	"memory: the source of the memory is left out: libvirt 1.0 has no memory of type memfd (4.10 has)\n"
	"memory: the number of allocating threads is left out: libvirt 1.0 has no threads that allocate memory (8.2 has)\n"
	"disks: packed of disk vda is left out: libvirt 1.0 has no packed virtqueues (6.3 has)\n"
	"disks: queue_size of disk vda is left out: libvirt 1.0 has no queue size of disks (7.8 has)\n"
	"disks: packed of scsi controller 0 is left out: libvirt 1.0 has no packed virtqueues (6.3 has)\n"
	"interfaces: packed of interface 52:54:00:00:00:01 is left out: libvirt 1.0 has no packed virtqueues (6.3 has)\n"
	"iommu: the IOMMU is left out: libvirt 1.0 has no Intel IOMMU (3.5 has)\n";

static void what_an_old_libvirt_cannot_have_is_left_out_and_named(void **state)
{
	static const struct fit_target oldest = {FIT_VERSION_OF(1, 0, 0), FIT_VERSION_OF(1, 0, 0)};
	fit_autodoc xmlDoc *doc = fit_test_parse(definition);
	fit_autobuffer struct fit_buffer said = {0};
	struct fit_edits edits = {0};
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	assert_int_equal(try_emit_for(&oldest, doc, "keep", &edits, &said, &err), 0);
	fit_edits_clear(&edits);
	assert_string_equal(said.text, left_out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there_already_is_left_and_stops_nothing_else),
		cmocka_unit_test(what_differs_is_kept_replaced_or_refused),
		cmocka_unit_test(what_is_required_and_differs_is_named),
		cmocka_unit_test(what_an_old_libvirt_cannot_have_is_left_out_and_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
