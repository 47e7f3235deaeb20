/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <cpu>, <features> and <clock> from profiles: what is written where, left out with which reason,
 * and taken back to the byte. */
#include "support.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/emit.h"
#include "core/target.h"
#include "core/xml.h"
#include "support_emit.h"
#include "support_rewrite.h"

struct trial {
	const char *intents; /* of the profile */
	const char *head;    /* attributes of <domain>; NULL: KVM */
	const char *body;
	struct fit_plan plan;
	const struct fit_target *target;
};

/* The edits as lines "path = value", then the reasons; or the refusal. */
static char *emit(const struct trial *trial)
{
	fit_autofree char *xml =
		fit_xasprintf("<domain %s><name>vm</name><memory>1048576</memory>%s</domain>",
			trial->head ? trial->head : "type='kvm'", trial->body ? trial->body : "");
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "vm.xml", &err);
	struct fit_profile profile = fit_test_profile(trial->intents);
	struct fit_plan plan = trial->plan;
	struct fit_domain domain = {0};
	struct fit_edits edits = {0};
	struct fit_buffer text = {0};
	struct fit_plan_input input = {
		.domain = &domain, .profile = &profile, .target = trial->target, .original = doc};

	if (!doc || fit_domain_read(doc, "vm.xml", &domain, &err) < 0)
		fail_msg("%s: %s", xml, err.message);
	if (fit_emit(&plan, &input, &edits, &err) < 0)
		fit_buffer_addf(&text, "%s\n", err.message);
	else
		fit_test_check_rewriting(doc, &edits);
	fit_test_check_emitted(&plan, &edits);
	for (size_t i = 0; i < edits.count; i++)
		fit_buffer_addf(&text, "%s = %s\n", edits.items[i].path,
			edits.items[i].value ? edits.items[i].value : "(removed)");
	for (size_t i = 0; i < plan.reason_count; i++)
		fit_buffer_addf(&text, "%s: %s\n", plan.reasons[i].topic, plan.reasons[i].text);
	fit_edits_clear(&edits);
	fit_domain_clear(&domain);
	fit_profile_clear(&profile);
	fit_plan_clear(&plan);
	return fit_buffer_steal(&text);
}

static void expect(const struct trial *trial, const char *wanted)
{
	fit_autofree char *text = emit(trial);

	if (!fit_streq(text, wanted))
		fail_msg("%s on %s:\n--- wanted:\n%s\n--- got:\n%s", trial->intents,
			trial->body ? trial->body : "", wanted, text);
}

#define EXPECT(wanted, ...) expect(&(const struct trial){__VA_ARGS__}, wanted)

static void host_model_takes_what_belongs_to_the_hosts_cpu_away(void **state)
{
	const struct fit_plan plan = {.cpu_mode = FIT_CPU_MODE_HOST_MODEL};

	(void)state;
	EXPECT("cpu/@check = partial\ncpu/@mode = host-model\ncpu/@match = (removed)\n"
	       "cpu/model = (removed)\ncpu/vendor = (removed)\ncpu/@migratable = (removed)\n"
	       "cpu/cache[@mode='passthrough'] = (removed)\n"
	       "cpu/maxphysaddr[@mode='passthrough'] = (removed)\n",
		.intents = "<cpu mode='host-model' migratable='off' maxphysaddr='passthrough' "
			   "existing='replace'/>",
		.plan = plan,
		.body = "<cpu mode='host-passthrough' check='none' migratable='on'><cache "
			"mode='passthrough'/><maxphysaddr mode='passthrough'/></cpu>");
}

static void migratable_is_the_users_unless_libvirt_filled_it_in(void **state)
{
	static const char off[] = "<cpu migratable='off'/>";

	(void)state;
	EXPECT("cpu/@check = none\ncpu/@migratable = off\ncpu/@mode = host-passthrough\n"
	       "cpu/@match = (removed)\ncpu/model = (removed)\ncpu/vendor = (removed)\n",
		.intents = "<cpu mode='host-passthrough' migratable='off'/>",
		.plan = {.cpu_mode = FIT_CPU_MODE_HOST_PASSTHROUGH}, );
	EXPECT("cpu/@migratable = off\n", .intents = off,
		.body = "<cpu mode='host-passthrough' check='none' migratable='on'/>");
	EXPECT("cpu/@migratable = off\n", .intents = off, .body = "<cpu mode='maximum'/>");
	EXPECT("", .intents = "<cpu migratable='on'/>",
		.body = "<cpu mode='host-passthrough' check='none' migratable='off'/>");
	EXPECT("", .intents = off, .body = "<cpu mode='host-model'/>");
	EXPECT("", .intents = off);
	EXPECT("cpu: the choice of migratable CPU features only is left out: a machine of type "
	       "aarch64 virt has no choice of migratable CPU features\n",
		.intents = off,
		.body = "<os><type arch='aarch64' machine='virt'>hvm</type></os><cpu "
			"mode='host-passthrough'/>");
}

static void address_bits_are_the_hosts_cpus(void **state)
{
	static const struct fit_target old = {
		.libvirt = FIT_VERSION_OF(8, 6, 0), .qemu = FIT_VERSION_OF(7, 2, 0)};
	static const char bits[] = "<cpu maxphysaddr='passthrough'/>";

	(void)state;
	EXPECT("cpu/maxphysaddr = <maxphysaddr mode='passthrough'/>\n", .intents = bits,
		.body = "<cpu mode='host-passthrough'/>");
	EXPECT("", .intents = bits, .body = "<cpu mode='host-model'/>");
	EXPECT("cpu: passthrough of the physical address bits is left out: libvirt 8.6 has no "
	       "physical address bits of the CPU (8.7 has)\n",
		.intents = bits, .body = "<cpu mode='host-passthrough'/>", .target = &old);
}

static void features_are_required_and_disabled_by_name(void **state)
{
	static const char intents[] = "<cpu require='sse4.1 invtsc' disable='svm'/>";

	(void)state;
	EXPECT("cpu/feature[@name='invtsc'] = <feature policy='require' name='invtsc'/>\n"
	       "cpu/feature[@name='sse4.1'] = <feature policy='require' name='sse4.1'/>\n"
	       "cpu/feature[@name='svm'] = <feature policy='disable' name='svm'/>\n"
	       "cpu: with invtsc the guest cannot migrate\n",
		.intents = intents, .body = "<cpu mode='host-passthrough'/>");
	EXPECT("cpu/feature[@name='svm'] = <feature policy='disable' name='svm'/>\n",
		.intents = intents,
		.body = "<cpu mode='host-model'><feature name='invtsc' policy='disable'/><feature "
			"name='sse4.1' policy='require'/></cpu>");
	EXPECT("cpu: CPU features (invtsc sse4.1) are left out: the definition names no CPU that "
	       "could have them\ncpu: CPU features (svm) are left out: the definition names no CPU "
	       "that could have them\n",
		.intents = intents, .body = "<cpu><cache mode='disable'/></cpu>");
	EXPECT("vm: cannot fit: the CPU feature invtsc is <feature name='invtsc' "
	       "policy='disable'/>, but p.xml:1 requires <feature policy='require' "
	       "name='invtsc'/>: remove it from the definition, or say existing=\"keep\" or "
	       "\"replace\" in the profile\n",
		.intents = "<cpu require='invtsc' existing='require'/>",
		.body = "<cpu mode='host-model'><feature name='invtsc' policy='disable'/></cpu>");
	EXPECT("cpu: the CPU feature invtsc is left out: a domain without KVM has no invariant "
	       "TSC\n",
		.intents = "<cpu require='invtsc'/>", .head = "type='qemu'",
		.body = "<cpu mode='maximum'/>");
}

static void dedicated_is_hinted_only_to_vcpus_that_are(void **state)
{
	static const char intents[] =
		"<features pmu='off' hidden='on' hint-dedicated='on' poll-control='on'/>";

	(void)state;
	EXPECT("features/pmu = <pmu state='off'/>\nfeatures/kvm/hidden = <hidden state='on'/>\n"
	       "features/kvm/hint-dedicated = <hint-dedicated state='on'/>\n"
	       "features/kvm/poll-control = <poll-control state='on'/>\n",
		.intents = intents, .plan = {.vcpus_dedicated = true}, );
	EXPECT("features/pmu = <pmu state='off'/>\nfeatures/kvm/hidden = <hidden state='on'/>\n"
	       "features/kvm/poll-control = <poll-control state='on'/>\n"
	       "features: hint-dedicated is left out: the vCPUs have no CPUs of their own (<vcpus "
	       "place=\"cores\" shared=\"no\"/>)\n",
		.intents = intents, .body = "<features><acpi/></features>");
	EXPECT("features/kvm/hint-dedicated = <hint-dedicated state='off'/>\n",
		.intents = "<features hint-dedicated='off'/>");
	EXPECT("", .intents = "<features pmu='off'/>",
		.body = "<features><pmu state='on'/></features>");
	EXPECT("features/pmu = <pmu state='off'/>\n",
		.intents = "<features pmu='off' existing='replace'/>",
		.body = "<features><pmu state='on'/></features>");
}

/* What QEMU's CPUs of other architectures have no property for fails at start. */
static void other_architectures_get_only_what_they_have(void **state)
{
	static const char intents[] =
		"<features pmu='off' poll-control='on'/><hyperv features='all'/>"
		"<clock hpet='no' kvmclock='yes'/>";

	(void)state;
	EXPECT("features/pmu = <pmu state='off'/>\nclock/@offset = utc\n"
	       "features: poll-control is left out: a machine of type aarch64 virt has no control "
	       "of polling by the guest\nfeatures: a machine of type aarch64 virt has no Hyper-V "
	       "enlightenments\nclock: the timer hpet is left out: a machine of type aarch64 virt "
	       "has no timers of a PC\nclock: the timer kvmclock is left out: a machine of type "
	       "aarch64 virt has no clock of KVM\n",
		.intents = intents,
		.body = "<os><type arch='aarch64' machine='virt'>hvm</type></os>");
	EXPECT("features: pmu is left out: a machine of type s390x default has no performance "
	       "counters to switch\n",
		.intents = "<features pmu='off'/>",
		.body = "<os><type arch='s390x'>hvm</type></os>");
}

#define HYPERV(name) "features/hyperv/" name " = <" name " state='on'/>\n"

static void all_enlightenments_are_written_in_order(void **state)
{
	static const char all[] = HYPERV("relaxed") HYPERV(
		"vapic") "features/hyperv/spinlocks = <spinlocks state='on' retries='8191'/>\n" HYPERV("vpindex")
		HYPERV("runtime") HYPERV(
			"synic") "clock/timer[@name='hypervclock'] = <timer name='hypervclock' "
				 "present='yes'/>\nfeatures/hyperv/stimer = <stimer state='on'><direct "
				 "state='on'/></stimer>\n" HYPERV("frequencies") HYPERV("tlbflush")
					 HYPERV("ipi");
	fit_autofree char *evmcs = fit_xasprintf("%s%s", all, HYPERV("evmcs"));

	(void)state;
	EXPECT(all, .intents = "<hyperv features='all'/>", .body = "<clock offset='utc'/>");
	EXPECT(evmcs, .intents = "<hyperv features='all evmcs'/>", .body = "<clock offset='utc'/>");
}

static void enlightenments_bring_what_they_need(void **state)
{
	(void)state;
	EXPECT(HYPERV("vpindex") HYPERV(
		       "synic") "clock/timer[@name='hypervclock'] = <timer name='hypervclock' present='yes'/>\n"
				"features/hyperv/stimer = <stimer state='on'><direct state='on'/></stimer>\n",
		.intents = "<hyperv features='stimer'/>", .body = "<clock offset='utc'/>");
	EXPECT("features: synic is left out: it needs vpindex, which the definition switches off\n"
	       "features: tlbflush is left out: it needs vpindex, which the definition switches "
	       "off\n",
		.intents = "<hyperv features='synic tlbflush'/>",
		.body = "<features><hyperv><vpindex state='off'/></hyperv></features>");
	EXPECT(HYPERV("vpindex") HYPERV("synic"),
		.intents = "<hyperv features='synic' existing='replace'/>",
		.body = "<features><hyperv><vpindex state='off'/></hyperv></features>");
	EXPECT("features: avic is left out: libvirt 8.9 has no Hyper-V enlightenment avic (8.10 "
	       "has)\n",
		.intents = "<hyperv features='avic'/>",
		.target = &(const struct fit_target){
			FIT_VERSION_OF(8, 9, 0), FIT_VERSION_OF(7, 2, 0)});
}

static void enlightenments_of_the_host_exclude_a_choice(void **state)
{
	static const char body[] =
		"<features><hyperv mode='passthrough'/></features><clock offset='utc'/>";

	(void)state;
	EXPECT("features: the Hyper-V enlightenments of the definition stay "
	       "(mode='passthrough')\n",
		.intents = "<hyperv features='relaxed'/>", .body = body);
	EXPECT("features/hyperv/@mode = custom\n" HYPERV("relaxed"),
		.intents = "<hyperv features='relaxed' existing='replace'/>", .body = body);
}

static void a_vendor_id_needs_an_enlightenment(void **state)
{
	static const char id[] = "<hyperv vendor_id='KVM Hv'/>";

	(void)state;
	EXPECT("features: vendor_id is left out: without any Hyper-V enlightenment no guest sees "
	       "it\n",
		.intents = id);
	EXPECT("features/hyperv/vendor_id = <vendor_id state='on' value='KVM Hv'/>\n",
		.intents = id,
		.body = "<features><hyperv><relaxed state='on'/></hyperv></features>");
	EXPECT("features/hyperv/vendor_id = <vendor_id state='on' value='KVM Hv'/>\n",
		.intents = id,
		.body = "<clock offset='utc'><timer name='hypervclock' present='yes'/></clock>");
}

static void utc_alone_is_nobodys_choice(void **state)
{
	static const char localtime[] = "<clock offset='localtime'/>";

	(void)state;
	EXPECT("clock/@offset = localtime\n", .intents = localtime);
	EXPECT("clock/@offset = localtime\n", .intents = localtime,
		.body = "<clock offset='utc'/>");
	EXPECT("", .intents = localtime, .body = "<clock offset='utc' adjustment='reset'/>");
	EXPECT("", .intents = localtime, .body = "<clock offset='timezone' timezone='UTC'/>");
	EXPECT("clock/@offset = localtime\nclock/@adjustment = (removed)\n"
	       "clock/@basis = (removed)\nclock/@timezone = (removed)\nclock/@start = (removed)\n",
		.intents = "<clock offset='localtime' existing='replace'/>",
		.body = "<clock offset='variable' adjustment='9' basis='utc'/>");
}

static void timers_are_replaced_by_name(void **state)
{
	static const char intents[] = "<clock rtc='catchup' pit='delay' hpet='no'/>";

	(void)state;
	EXPECT("clock/@offset = utc\nclock/timer[@name='rtc'] = <timer name='rtc' "
	       "tickpolicy='catchup'/>\nclock/timer[@name='pit'] = <timer name='pit' "
	       "tickpolicy='delay'/>\nclock/timer[@name='hpet'] = <timer name='hpet' "
	       "present='no'/>\n",
		.intents = intents);
	EXPECT("clock/timer[@name='pit'] = <timer name='pit' tickpolicy='delay'/>\nclock: the "
	       "timer rtc of the definition stays: <timer name='rtc' tickpolicy='delay'/>\nclock: "
	       "the timer hpet of the definition stays: <timer name='hpet' present='yes'/>\n",
		.intents = intents,
		.body = "<clock offset='utc'><timer name='hpet' present='yes'/><timer name='rtc' "
			"tickpolicy='delay'/></clock>");
	EXPECT("", .intents = "<clock hpet='no'/>",
		.body = "<clock offset='utc'><timer name='hpet' present='no'/></clock>");
	EXPECT("clock/timer[@name='hpet'] = <timer name='hpet' present='no'/>\n",
		.intents = "<clock hpet='no' existing='replace'/>",
		.body = "<clock offset='utc'>\n  <timer name='hpet' present='yes'/>\n</clock>");
}

static void a_timer_that_is_there_twice_is_left_alone(void **state)
{
	static const char body[] =
		"<clock offset='utc'>\n  <timer name='hpet' present='no'/>\n  <timer name='rtc' "
		"tickpolicy='catchup'/>\n  <timer name='hpet' present='yes'/>\n</clock>";

	(void)state;
	EXPECT("clock: the definition has the timer hpet 2 times, of which QEMU gets each: they "
	       "stay\n",
		.intents = "<clock hpet='no' existing='replace'/>", .body = body);
}

static void the_tsc_is_a_clock_only_where_it_is_invariant(void **state)
{
	static const char tsc[] = "clock/timer[@name='tsc'] = <timer name='tsc' present='yes' "
				  "mode='native'/>\n";
	static const char required[] = "cpu/feature[@name='invtsc'] = <feature policy='require' "
				       "name='invtsc'/>\n";
	fit_autofree char *both = fit_xasprintf(
		"%sclock/@offset = utc\n%scpu: with invtsc the guest cannot migrate\n", required,
		tsc);

	(void)state;
	EXPECT("clock: the timer tsc is left out: without the CPU feature invtsc the guest's TSC "
	       "is no clock\n",
		.intents = "<clock tsc='native'/>", .body = "<clock offset='utc'/>");
	EXPECT(tsc, .intents = "<clock tsc='native'/>",
		.body = "<cpu mode='host-model'><feature name='invtsc' policy='require'/></cpu>"
			"<clock offset='utc'/>");
	EXPECT(both, .intents = "<cpu require='invtsc'/><clock tsc='native'/>",
		.body = "<cpu mode='host-passthrough'/>");
}

static void an_offset_that_is_not_asked_for_is_the_users(void **state)
{
	(void)state;
	EXPECT("clock/timer[@name='hpet'] = <timer name='hpet' present='no'/>\n",
		.intents = "<clock hpet='no' existing='replace'/>",
		.body = "<clock offset='localtime'/>");
	EXPECT("vm: cannot fit: the offset of the clock is timezone, but p.xml:1 requires "
	       "localtime: remove it from the definition, or say existing=\"keep\" or "
	       "\"replace\" in the profile\n",
		.intents = "<clock offset='localtime' existing='require'/>",
		.body = "<clock offset='timezone' timezone='Europe/Berlin'/>");
}

#define VECTORS(alias) \
	"qemu:override/qemu:device[@alias='" alias \
	"']/qemu:frontend/qemu:property[@name='vectors']" \
	"/@value = 8\nqemu:override/qemu:device[@alias='" alias "']/qemu:frontend/" \
	"qemu:property[@name='vectors']/@type = unsigned\n"

/* It gets that name anyway, and a device has one. */
static void vectors_of_a_standby_go_by_the_name_that_its_vf_knows(void **state)
{
	struct fit_planned_standby *standby = fit_xcalloc(1, sizeof(*standby));
	static const struct fit_target newest = {
		FIT_VERSION_OF(12, 0, 0), FIT_VERSION_OF(10, 0, 0)};

	(void)state;
	standby->identity = fit_xstrdup("52:54:00:00:00:02");
	standby->mac = fit_xstrdup("52:54:00:00:00:02");
	standby->alias = fit_xstrdup("ua-virt-fit-standby0");
	EXPECT("devices/interface[mac/@address='52:54:00:00:00:01']/alias = "
	       "<alias name='ua-virt-fit-interface1'/>\n" VECTORS("ua-virt-fit-interface1") VECTORS(
		       "ua-virt-fit-standby0") "devices/interface[mac/@address='52:54:00:00:00:02'][model/@type='virtio']/alias = "
					       "<alias name='ua-virt-fit-standby0'/>\n"
					       "devices/interface[mac/@address='52:54:00:00:00:02'][model/@type='virtio']/teaming "
					       "= <teaming type='persistent'/>\n",
		.intents = "<interfaces vectors='8'/>",
		.body = "<devices><interface type='user'><mac address='52:54:00:00:00:01'/><model "
			"type='virtio'/></interface><interface type='user'><mac "
			"address='52:54:00:00:00:02'/><model type='virtio'/></interface></devices>",
		.plan = {.standbys = standby, .standby_count = 1}, .target = &newest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_model_takes_what_belongs_to_the_hosts_cpu_away),
		cmocka_unit_test(migratable_is_the_users_unless_libvirt_filled_it_in),
		cmocka_unit_test(address_bits_are_the_hosts_cpus),
		cmocka_unit_test(features_are_required_and_disabled_by_name),
		cmocka_unit_test(dedicated_is_hinted_only_to_vcpus_that_are),
		cmocka_unit_test(other_architectures_get_only_what_they_have),
		cmocka_unit_test(all_enlightenments_are_written_in_order),
		cmocka_unit_test(enlightenments_bring_what_they_need),
		cmocka_unit_test(enlightenments_of_the_host_exclude_a_choice),
		cmocka_unit_test(a_vendor_id_needs_an_enlightenment),
		cmocka_unit_test(utc_alone_is_nobodys_choice),
		cmocka_unit_test(timers_are_replaced_by_name),
		cmocka_unit_test(a_timer_that_is_there_twice_is_left_alone),
		cmocka_unit_test(the_tsc_is_a_clock_only_where_it_is_invariant),
		cmocka_unit_test(an_offset_that_is_not_asked_for_is_the_users),
		cmocka_unit_test(vectors_of_a_standby_go_by_the_name_that_its_vf_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
