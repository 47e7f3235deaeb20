/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/policy.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/host_policy.h"
#include "sys/paths.h"
#include "sys/trusted.h"

/* The path as the user can type it. To be freed. */
static char *shown_path(const struct fit_fsroot *root, const char *path)
{
	return fit_xasprintf("%s/%s", fit_fsroot_shown(root), path);
}

/* Who may write the directory may replace the file. */
static int check_directory(const struct fit_fsroot *root, struct fit_err *err)
{
	fit_autofree char *path = shown_path(root, FIT_PATH_ETC);
	struct stat info;

	if (fit_fsroot_stat(root, FIT_PATH_ETC, &info) < 0)
		return fit_err_sys(err, errno, "cannot examine %s", path);
	return fit_trusted_check(path, &info, err);
}

static int read_own_cpus(
	const struct fit_fsroot *root, struct fit_cpuset *ret_cpus, struct fit_err *err)
{
	static const char key[] = "\nCpus_allowed_list:";
	fit_autofree char *text = fit_fsroot_try_read(root, FIT_PATH_SELF_STATUS);
	fit_autofree char *path = shown_path(root, FIT_PATH_SELF_STATUS);
	const char *line = text ? strstr(text, key) : NULL;
	fit_autofree char *list = NULL;

	if (!line)
		return fit_err_set(err, FIT_ERR_NOTFOUND,
			"%s does not say which CPUs this process may use: name them, instead of "
			"\"self\"",
			path);
	line += strlen(key);
	list = fit_xstrndup(line, strcspn(line, "\n"));
	return fit_cpuset_parse_list(list, ret_cpus, err);
}

int fit_policy_limit(const struct fit_fsroot *root, struct fit_host *host, const char *text,
	const char *source, struct fit_err *err)
{
	struct fit_cpuset allowed;
	fit_autofree char *list = NULL;

	if (fit_streq(text, "self")) {
		if (read_own_cpus(root, &allowed, err) < 0)
			return -1;
	} else if (fit_cpuset_parse_list(text, &allowed, err) < 0) {
		return fit_err_prefix(err, "%s: ", source);
	}
	if (fit_host_limit(host, &allowed, source)) {
		fit_cpuset_intersect(&host->housekeeping, &allowed);
		if (!host->housekeeping_source || !fit_cpuset_is_empty(&host->housekeeping))
			return 0;
		return fit_err_set(err, FIT_ERR_REFUSED,
			"%s: none of the housekeeping CPUs by %s is allowed", source,
			host->housekeeping_source);
	}
	list = fit_cpuset_is_empty(&allowed) ? fit_xstrdup("none")
					     : fit_cpuset_describe(&allowed, "CPU");
	return fit_err_set(
		err, FIT_ERR_REFUSED, "%s: no CPU that is online is allowed (%s)", source, list);
}

bool fit_policy_exists(const struct fit_fsroot *root)
{
	struct stat info;

	return fit_fsroot_stat(root, FIT_PATH_HOST_POLICY, &info) == 0;
}

/* 1: here it is, 0: there is none. */
static int read_policy(
	const struct fit_fsroot *root, struct fit_host_policy *ret_policy, struct fit_err *err)
{
	fit_autofree char *path = shown_path(root, FIT_PATH_HOST_POLICY);
	fit_autoclose int fd = fit_fsroot_openat(root, FIT_PATH_HOST_POLICY, FIT_TRUSTED_OPEN);
	fit_autofree char *text = NULL;
	size_t length = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return fit_err_sys(err, errno, "cannot open %s", path);
	if (check_directory(root, err) < 0 || fit_trusted_read(fd, path, &text, &length, err) < 0 ||
		fit_host_policy_parse(path, text, length, ret_policy, err) < 0)
		return -1;
	return 1;
}

int fit_policy_load(const struct fit_fsroot *root, struct fit_host *host,
	struct fit_strlist *warnings, struct fit_err *err)
{
	fit_autofree char *path = shown_path(root, FIT_PATH_HOST_POLICY);
	struct fit_host_policy policy = {0};
	int status = read_policy(root, &policy, err);

	if (status <= 0)
		return status;
	status = policy.allowed_self ? read_own_cpus(root, &policy.allowed, err) : 0;
	if (status < 0)
		fit_err_prefix(err, "%s:%u: ", path, policy.allowed_line);
	else
		status = fit_host_policy_apply(&policy, host, warnings, err);
	fit_host_policy_clear(&policy);
	return status;
}

enum fit_stale fit_policy_stale(const struct fit_fsroot *root)
{
	struct fit_host_policy policy = {0};
	enum fit_stale stale = FIT_STALE_UNSTATED;

	if (read_policy(root, &policy, NULL) > 0)
		stale = policy.stale;
	fit_host_policy_clear(&policy);
	return stale;
}
