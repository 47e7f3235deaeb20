/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings: values of the kernel that stand in one file each (or in one file of each CPU, cpufreq
 * policy or device) and that a profile's <host> names. All that is known of one is its row in
 * core/host_settings.def; src/sys/resource_setting.c does what the rows say. Literal <sysctl> and
 * <sysfs> writes are settings whose file the profile names: core/host_write.h.
 */
#ifndef FIT_CORE_HOST_SETTING_H
#define FIT_CORE_HOST_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "core/phase.h"

enum fit_host_setting_id {
#define SETTING(id, ...) FIT_SETTING_##id,
#define DERIVED(id, ...) FIT_SETTING_##id,
#include "core/host_settings.def"
#undef SETTING
#undef DERIVED
	FIT_SETTING_COUNT,
};

/* Below which directory the files are, and for what there is one. */
enum fit_host_setting_scope {
	FIT_SCOPE_SYSFS,  /* once, below /sys */
	FIT_SCOPE_SYSCTL, /* once, below /proc/sys */
	FIT_SCOPE_IRQ,	  /* once, below /proc/irq */
	FIT_SCOPE_CPU,	  /* for each of the domain's own CPUs, below its directory in /sys */
	FIT_SCOPE_POLICY, /* for each cpufreq policy of these CPUs */
	FIT_SCOPE_DEVICE, /* for each passed-through PCI device */
	FIT_SCOPE_LINK,	  /* for each PCI Express link of these devices, which functions share */
};

/* How the file spells the value: what is read back and compared. */
enum fit_host_setting_format {
	FIT_FORMAT_TEXT,    /* words, separated by any white space */
	FIT_FORMAT_CHOICE,  /* all words that can be written, the one in force "[bracketed]" */
	FIT_FORMAT_NUMBER,  /* -1: no limit, more than any other */
	FIT_FORMAT_LATENCY, /* microseconds; "n/a": 0; "0": no limit */
	FIT_FORMAT_MASK,    /* CPUs in hex groups */
	FIT_FORMAT_LIST,    /* CPUs */
};

/* The value when several domains ask for one. Without any it is the baseline. */
enum fit_host_setting_combine {
	FIT_COMBINE_LATEST,
	FIT_COMBINE_LOWEST,
	FIT_COMBINE_HIGHEST,
	FIT_COMBINE_WITHOUT, /* the baseline without the CPUs of all of them, never empty */
};

struct fit_profile_word;

struct fit_host_setting {
	const char *name; /* of its element, and of what is claimed in our state */
	const char *noun; /* in plans */
	enum fit_host_setting_scope scope;
	const char *files;		      /* separated by spaces: each that exists */
	enum fit_host_setting_id alternative; /* where there is none of them; 0: nothing */
	const char *read;    /* the file beside it that has what was asked for; NULL: itself */
	const char *offered; /* the file beside it that lists what can be written; NULL: none */
	enum fit_host_setting_format format;
	enum fit_host_setting_combine combine;
	bool bound;	      /* the baseline is kept where it is lower (or higher) already */
	enum fit_phase phase; /* undone at FIT_PHASE_STOPPED */
	const struct fit_profile_word *words; /* that a profile can say */
	const char *const *texts; /* by value of the word: how the kernel spells it; NULL: so */
	const char *unit;   /* "us": what a profile says is a time, and this the kernel's unit */
	const char *absent; /* what is so where there is no such file; NULL: nothing */
};

extern const struct fit_host_setting fit_host_settings[FIT_SETTING_COUNT];

/* Is it for CPUs, or for devices? */
bool fit_host_setting_needs_cpus(const struct fit_host_setting *setting);
bool fit_host_setting_needs_devices(const struct fit_host_setting *setting);

/* FIT_SETTING_COUNT when there is none. */
enum fit_host_setting_id fit_host_setting_find(const char *name);

/* Which setting has that file, below /sys or /proc/sys as the scope says; FIT_SETTING_COUNT when
 * none has. */
enum fit_host_setting_id fit_host_setting_of_file(
	enum fit_host_setting_scope scope, const char *path);

/* The kernel's spelling of what a profile says, and back. To be freed. */
char *fit_host_setting_text(const struct fit_host_setting *setting, const char *value);
char *fit_host_setting_value(const struct fit_host_setting *setting, const char *text);

#endif
