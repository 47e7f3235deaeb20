/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The watcher in a thread of this process, on libvirt's test driver, whose domains are everybody's.
 */
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "support_tree.h"
#include "sys/clock.h"
#include "sys/watcher.h"
#include "virt/domains.h"
#include "watch/parts.h"

#define URI	   "test:///default"
#define PATIENCE_S 20
#define REQUEST	   "<f:domain xmlns:f='urn:virt-fit:domain:1' profile='low-latency'/>"

static struct fit_virt virt;
static struct fit_fsroot root;
static struct fit_profile_store store;
static char *profiles;
static pthread_t watcher;
static struct fit_err watcher_err;

static void *watch(void *context)
{
	const struct fit_watch_options options = {
		.connect = URI, .other_host = true, .root = &root, .store = &store};

	(void)context;
	return fit_watch_run(&options, &watcher_err) < 0 ? &watcher_err : NULL;
}

static void make_host(void)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *path = fit_xasprintf("%s/host", getenv("TEST_DIR"));
	fit_autofree char *command =
		fit_xasprintf("%s/tests/hosts/describe two-node", getenv("TOP"));
	fit_autobuffer struct fit_buffer manifest = {0};
	FILE *stream = popen(command, "r");
	char line[1024];

	while (fgets(line, sizeof(line), stream))
		fit_buffer_add(&manifest, line);
	assert_int_equal(pclose(stream), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	if (fit_fsroot_open(path, &root, &err) < 0 ||
		fit_test_tree_build(&root, manifest.text, &err) < 0)
		fail_msg("%s", err.message);
}

static int open_all(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	sigset_t set;

	(void)state;
	if (!getenv("TOP") || !getenv("TEST_DIR"))
		skip();
	make_host();
	profiles = fit_xasprintf("%s/profiles", getenv("BUILD"));
	store = (struct fit_profile_store){.root = &root, .shipped = profiles};
	/* The watcher takes them, in its thread. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	assert_int_equal(pthread_create(&watcher, NULL, watch, NULL), 0);
	for (int i = 0; i < PATIENCE_S * 100 && !fit_watcher_runs(&root); i++)
		usleep(10000);
	if (fit_virt_open(URI, &virt, &err) < 0)
		fail_msg("%s", err.message);
	return 0;
}

static int close_all(void **state)
{
	void *failure = NULL;

	(void)state;
	kill(getpid(), SIGTERM);
	pthread_join(watcher, &failure);
	if (failure)
		print_error("%s\n", watcher_err.message);
	fit_virt_close(&virt);
	fit_fsroot_close(&root);
	free(profiles);
	return failure ? -1 : 0;
}

static void define(const char *name, const char *metadata, const char *more)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *xml =
		fit_xasprintf("<domain type='kvm'><name>%s</name><metadata>%s</metadata><memory "
			      "unit='GiB'>1</memory><vcpu>1</vcpu>%s<os><type arch='x86_64' "
			      "machine='q35'>hvm</type></os></domain>",
			name, metadata, more);

	if (fit_virt_define(&virt, xml, &err) < 0)
		fail_msg("%s: %s", name, err.message);
}

/* The CPU that its only vCPU is pinned to, "" when it is not; to be freed. */
static char *pin(const char *name)
{
	static const char before[] = "<vcpupin vcpu='0' cpuset='";
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domain domain = {0};
	fit_autofree char *xml = NULL;
	const char *found;

	if (fit_virt_find(&virt, name, &domain, &err) < 0)
		fail_msg("%s", err.message);
	xml = fit_virt_definition(&domain, &err);
	fit_virt_domain_clear(&domain);
	if (!xml)
		fail_msg("%s", err.message);
	found = strstr(xml, before);
	if (!found)
		return fit_xstrdup("");
	found += strlen(before);
	return fit_xstrndup(found, strcspn(found, "'"));
}

/* Waits until the domain is pinned, and to another CPU than @not. */
static char *wait_for_pin(const char *name, const char * not )
{
	for (int i = 0; i < PATIENCE_S * 100; i++) {
		fit_autofree char *now = pin(name);

		if (*now && !fit_streq(now, not ))
			return FIT_STEAL(now);
		usleep(10000);
	}
	fail_msg("%s: waited in vain", name);
	return NULL;
}

static void start(const char *name)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domain domain = {0};

	if (fit_virt_find(&virt, name, &domain, &err) < 0 || fit_virt_start(&domain, &err) < 0)
		fail_msg("%s", err.message);
	fit_virt_domain_clear(&domain);
}

static void what_is_defined_is_fitted(void **state)
{
	fit_autofree char *cpu = NULL;

	(void)state;
	define("first", REQUEST, "");
	cpu = wait_for_pin("first", NULL);
}

/* A domain of somebody's who never heard of us starts where ours is defined. */
static void a_domain_that_starts_drives_others_away(void **state)
{
	fit_autofree char *before = wait_for_pin("first", NULL);
	fit_autofree char *tune =
		fit_xasprintf("<cputune><vcpupin vcpu='0' cpuset='%s'/></cputune>", before);
	fit_autofree char *after = NULL;

	(void)state;
	define("rival", "", tune);
	start("rival");
	after = wait_for_pin("first", before);
	assert_string_not_equal(before, after);
}

/* The watcher is asked for a start, as the hook asks. */
static void a_request_starts_a_domain_once_it_is_fitted(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domain domain = {0};
	struct fit_start_request request = {0};
	fit_autofree char *cpu = NULL;
	bool active = false;

	(void)state;
	define("early", REQUEST, "");
	if (fit_virt_find(&virt, "early", &domain, &err) < 0 ||
		fit_start_request_put(&root, domain.uuid, "early", &err) < 0)
		fail_msg("%s", err.message);
	for (int i = 0; i < PATIENCE_S * 100 && !active; i++) {
		struct fit_virt_domain now = {0};

		usleep(10000);
		assert_int_equal(fit_virt_find(&virt, "early", &now, &err), 0);
		active = now.active;
		fit_virt_domain_clear(&now);
	}
	assert_true(active);
	cpu = wait_for_pin("early", NULL);
	for (int i = 0; i < PATIENCE_S * 100; i++) {
		if (fit_start_request_read(&root, domain.uuid, &request, &err) == 0)
			break;
		fit_start_request_clear(&request);
		usleep(10000);
	}
	assert_int_equal(fit_start_request_read(&root, domain.uuid, &request, &err), 0);
	fit_virt_domain_clear(&domain);
}

static void there_is_one_watcher(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	int fd = -1;

	(void)state;
	assert_true(fit_watcher_runs(&root));
	assert_int_equal(fit_watcher_claim(&root, &fd, &err), -1);
	assert_int_equal(err.code, FIT_ERR_REFUSED);
	assert_int_equal(fd, -1);
}

static void a_request_that_was_written_since_is_not_removed(void **state)
{
	static const char uuid[] = "aaaaaaaa-0000-4000-8000-000000000001";
	struct fit_start_request first = {0};
	struct fit_start_request second = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot other;
	fit_autofree char *path = fit_xasprintf("%s/other", getenv("TEST_DIR"));

	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(fit_fsroot_open(path, &other, &err), 0);
	assert_int_equal(mkdirat(other.fd, "run", 0755), 0);
	assert_int_equal(fit_start_request_read(&other, uuid, &first, &err), 0);
	assert_int_equal(fit_start_request_put(&other, uuid, "a name\n", &err), 0);
	assert_int_equal(fit_start_request_read(&other, uuid, &first, &err), 1);
	assert_string_equal(first.name, "a name\n");
	assert_in_range(first.age_s, 0, 5);
	assert_int_equal(fit_start_request_put(&other, uuid, "a name\n", &err), 0);
	fit_start_request_remove(&other, uuid, &first);
	assert_int_equal(fit_start_request_read(&other, uuid, &second, &err), 1);
	fit_start_request_remove(&other, uuid, &second);
	fit_start_request_clear(&second);
	assert_int_equal(fit_start_request_read(&other, uuid, &second, &err), 0);
	fit_start_request_clear(&first);
	fit_fsroot_close(&other);
}

/* Whatever the time of day was, and is. */
static void the_age_of_a_request_is_not_that_of_its_file(void **state)
{
	static const char uuid[] = "aaaaaaaa-0000-4000-8000-000000000002";
	static const char old[] = "virt-fit-request 2\nboot unknown\nname a\nend\n";
	const struct timespec times[][2] = {{{1, 0}, {1, 0}}, {{4000000000, 0}, {4000000000, 0}}};
	fit_autofree char *path = fit_xasprintf("%s/aged", getenv("TEST_DIR"));
	fit_autofree char *file = fit_xasprintf("run/virt-fit/requests/%s", uuid);
	struct fit_start_request request = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot other;

	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(fit_fsroot_open(path, &other, &err), 0);
	assert_int_equal(mkdirat(other.fd, "run", 0755), 0);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(times); i++) {
		assert_int_equal(fit_start_request_put(&other, uuid, "a", &err), 0);
		assert_int_equal(utimensat(other.fd, file, times[i], 0), 0);
		assert_int_equal(fit_start_request_read(&other, uuid, &request, &err), 1);
		assert_in_range(request.age_s, 0, 5);
		fit_start_request_clear(&request);
	}
	assert_int_equal(fit_fsroot_replace(&other, file, old, strlen(old), &err), 0);
	assert_int_equal(fit_start_request_read(&other, uuid, &request, &err), 1);
	assert_true(request.age_s == INT64_MAX);
	fit_start_request_clear(&request);
	fit_fsroot_close(&other);
}

#define IS_HARDWARE(text) fit_sources_is_hardware(text, sizeof(text))

static void the_kernel_tells_of_hardware_that_comes_and_goes(void **state)
{
	(void)state;
	assert_true(IS_HARDWARE("offline@/devices/system/cpu/cpu3\0ACTION=offline\0"
				"DEVPATH=/devices/system/cpu/cpu3\0SUBSYSTEM=cpu\0SEQNUM=7"));
	assert_true(IS_HARDWARE("add@/devices/pci0000:40/0000:41:10.0\0ACTION=add\0"
				"DEVPATH=/devices/pci0000:40/0000:41:10.0\0SUBSYSTEM=pci"));
	/* A driver takes a device, as at each start of a domain that gets one. */
	assert_false(IS_HARDWARE("bind@/devices/pci0000:40/0000:41:10.0\0ACTION=bind\0"
				 "SUBSYSTEM=pci"));
	assert_false(IS_HARDWARE("change@/devices/virtual/misc/kvm\0ACTION=change\0"
				 "SUBSYSTEM=misc\0EVENT=create"));
	assert_false(IS_HARDWARE("add@/x\0ACTION=add\0SUBSYSTEM=net"));
	assert_false(IS_HARDWARE(""));
	/* Cut off: not even its end is there. */
	assert_false(fit_sources_is_hardware("ACTION=add\0SUBSYSTEM=pciX", 25));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_one_watcher),
		cmocka_unit_test(what_is_defined_is_fitted),
		cmocka_unit_test(a_domain_that_starts_drives_others_away),
		cmocka_unit_test(a_request_starts_a_domain_once_it_is_fitted),
		cmocka_unit_test(a_request_that_was_written_since_is_not_removed),
		cmocka_unit_test(the_age_of_a_request_is_not_that_of_its_file),
		cmocka_unit_test(the_kernel_tells_of_hardware_that_comes_and_goes),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
