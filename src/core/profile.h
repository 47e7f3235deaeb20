/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile says what is wanted, not which numbers: profiles/profile.rng describes the files. One
 * `struct fit_profile` is the composition of all requested profiles and their includes, left to
 * right, each attribute overriding the one before, with parameters resolved.
 */
#ifndef FIT_CORE_PROFILE_H
#define FIT_CORE_PROFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strlist.h"
#include "core/cpuset.h"
#include "core/host.h"
#include "core/host_setting.h"
#include "core/hyperv.h"
#include "core/request.h"

#define FIT_PROFILE_NAMESPACE "urn:virt-fit:profile:1"

/* What to do where the definition already has such a setting. */
enum fit_existing {
	FIT_EXISTING_KEEP,    /* the user's setting stays and is planned around */
	FIT_EXISTING_REPLACE, /* ours replaces it; the inverse is recorded */
	FIT_EXISTING_REQUIRE, /* refuse if it differs from what we would write */
};

/* Every intent starts with this. `set` is false when no profile states the intent: then nothing of
 * that kind is touched. */
struct fit_intent {
	bool set;
	enum fit_existing existing;
	const char *file; /* where it was stated last; owned by fit_profile.files */
	unsigned int line;
};

enum fit_place {
	FIT_PLACE_NONE,		/* no pin is written */
	FIT_PLACE_CORES,	/* whole cores, one vCPU per thread, one to one */
	FIT_PLACE_NODE,		/* any CPU of the chosen node(s), floating */
	FIT_PLACE_HOUSEKEEPING, /* the CPUs kept for everything else */
	FIT_PLACE_OWN_CORE,	/* a whole core of its own on the vCPUs' node */
	FIT_PLACE_VCPUS,	/* the vCPUs' CPUs */
};

enum fit_cpu_mode {
	FIT_CPU_MODE_KEEP,
	FIT_CPU_MODE_HOST_PASSTHROUGH,
	FIT_CPU_MODE_HOST_MODEL,
	FIT_CPU_MODE_MAXIMUM, /* only in plans: where the host's CPU cannot be had */
};

struct fit_intent_cpu {
	struct fit_intent intent;
	enum fit_cpu_mode mode;
	char *migratable;	/* cpu migratable=, NULL: leave */
	bool mirror_topology;	/* topology="mirror" */
	unsigned int threads;	/* of each guest core; 0, "host": as the vCPUs are placed */
	bool passthrough_cache; /* cache="passthrough" */
	bool passthrough_bits;	/* maxphysaddr="passthrough" */
	char *require;		/* names of CPU features, separated by spaces; NULL: none */
	char *disable;
};

/* Values as libvirt spells them; NULL: leave. */
struct fit_intent_features {
	struct fit_intent intent;
	char *pmu;
	char *hidden;	      /* <kvm> … */
	char *hint_dedicated; /* "on" only where each vCPU has a CPU of its own */
	char *poll_control;
};

struct fit_intent_hyperv {
	struct fit_intent intent;
	fit_hyperv_set features;
	char *vendor_id; /* NULL: leave */
};

/* Values as libvirt spells them; NULL: leave. */
struct fit_intent_clock {
	struct fit_intent intent;
	char *offset;
	char *rtc; /* tick policies */
	char *pit;
	char *hpet; /* presence */
	char *kvmclock;
	char *tsc; /* mode; only where the guest's TSC is invariant */
};

/* Real-time scheduling of threads. */
struct fit_scheduling {
	char *policy; /* "fifo" or "rr"; NULL: leave */
	unsigned int priority;
};

struct fit_intent_vcpus {
	struct fit_intent intent;
	enum fit_place place; /* CORES or NODE */
	bool shared;	      /* shared="yes": other domains may use the same CPUs */
	char *dedicated;      /* of shared="no": numbers of the vCPUs that it is for, the others
			       * float over what is left of the nodes; NULL: all */
	bool near_devices;    /* near="devices" */
	bool span_nodes;      /* span="nodes": may use several nodes when one does not do */
	bool pin_set;	      /* pin="set": with CORES, each vCPU may use all of the CPUs chosen */
	struct fit_scheduling scheduling;
};

struct fit_intent_emulator {
	struct fit_intent intent;
	enum fit_place place; /* HOUSEKEEPING, OWN_CORE, VCPUS or NODE */
	struct fit_scheduling scheduling;
};

#define FIT_IOTHREADS_PER_DISK UINT_MAX /* one per virtio disk or virtio-scsi controller */
#define FIT_IOTHREADS_PER_NODE \
	(UINT_MAX - 1) /* one per node of the vCPUs, if a disk can use it \
			*/
#define FIT_IOTHREADS_POLL_OFF UINT_MAX

struct fit_intent_iothreads {
	struct fit_intent intent;
	bool automatic;	    /* count="auto": one per virtio disk, at most 4; 0 without such disks */
	unsigned int count; /* otherwise */
	enum fit_place place; /* HOUSEKEEPING, OWN_CORE, VCPUS or NODE */
	struct fit_scheduling scheduling;
	unsigned int poll_max; /* nanoseconds of busy waiting, or _POLL_OFF; 0: leave */
};

/* The domain's weight against others for CPU time. */
struct fit_intent_shares {
	struct fit_intent intent;
	unsigned int value; /* cgroup v2: 100 is normal; v1: 1024; 0: leave */
};

/* A part of each L3 cache that the vCPUs use, for them alone. */
struct fit_intent_cachetune {
	struct fit_intent intent;
	unsigned int level;
	enum fit_cache_type type;
	uint64_t size_kib;   /* 0: leave */
	bool missing_refuse; /* missing="refuse": a host that cannot is an error, not a warning */
};

/* How much of the memory bandwidth the vCPUs may use, through each L3 cache. */
struct fit_intent_memorytune {
	struct fit_intent intent;
	unsigned int bandwidth; /* percent; 0: leave */
	bool missing_refuse;
};

/* "auto" as a number of queues or vectors. */
#define FIT_AUTO UINT_MAX

/* Attributes of <driver> and <model> are as libvirt has them; NULL or 0: leave. */
struct fit_intent_disks {
	struct fit_intent intent;
	bool spread_iothreads; /* iothread="spread" or "map" */
	bool map_iothreads;    /* "map": all iothreads for each, where it can be expressed */
	char *cache;
	char *io;
	char *discard;
	char *detect_zeroes;
	unsigned int queues; /* FIT_AUTO: one for each vCPU, at most queues_max */
	unsigned int queues_max;
	char *queue_size;
	char *packed;
	char *ioeventfd;
	unsigned int vectors; /* FIT_AUTO: as many as the queues can use */
};

struct fit_intent_interfaces {
	struct fit_intent intent;
	char *model;
	char *driver; /* driver name= */
	unsigned int queues;
	unsigned int queues_max;
	char *rx_queue_size;
	char *tx_queue_size;
	char *packed;
	unsigned int vectors;
};

struct fit_intent_memballoon {
	struct fit_intent intent;
	char *model;
};

struct fit_intent_watchdog {
	struct fit_intent intent;
	char *itco; /* action= of the one that is part of q35 */
};

enum fit_iommu {
	FIT_IOMMU_KEEP, /* as the definition has it */
	FIT_IOMMU_AUTO, /* the one that belongs to the machine type */
	FIT_IOMMU_INTEL,
	FIT_IOMMU_VIRTIO,
	FIT_IOMMU_SMMUV3,
};

/* An IOMMU for the guest. */
struct fit_intent_iommu {
	struct fit_intent intent;
	enum fit_iommu model;
	char *intremap; /* of <driver>, which only intel has, as libvirt has them; NULL: leave */
	char *caching_mode;
	char *iotlb;
	char *eim;
};

/* Devices to drop from the definition where nothing needs them. */
struct fit_intent_lean {
	struct fit_intent intent;
	bool serial;
	bool parallel;
	bool sound;
	bool usb; /* inputs, redirections, hubs, and the controllers if nothing else uses them */
	bool smartcard;
	bool cdrom; /* drives without a medium */
	bool floppy;
	bool graphics;
	bool video;	  /* adapters that no graphics show */
	bool controllers; /* ide, sata, scsi, fdc, ccid, virtio-serial without a device */
};

#define FIT_ALLOCATION_THREADS_AUTO UINT_MAX /* as many as vCPUs, at most 16 */

struct fit_intent_memory {
	struct fit_intent intent;
	bool nodes_as_cpus;   /* nodes="as-cpus" */
	bool strict;	      /* binding="strict"; else "preferred" */
	uint64_t *page_sizes; /* KiB, in order of preference; 0 ends the list of huge sizes: normal
			       * pages are acceptable ("none") */
	size_t page_size_count;
	bool compact; /* memory in use is moved together where pages are short */
	bool locked;
	bool no_sharing;		 /* sharepages="no": no merging with other guests (KSM) */
	bool immediate;			 /* allocation="immediate" */
	unsigned int allocation_threads; /* that touch the memory then; 0: leave */
	bool memfd;			 /* source="memfd" */
	char *access;			 /* "shared" or "private"; NULL: leave */
};

#define FIT_CELLS_AUTO UINT_MAX

struct fit_intent_cells {
	struct fit_intent intent;
	unsigned int count; /* FIT_CELLS_AUTO: one for each node when there are several; 0: none */
	bool mirror_distances; /* distances="mirror" */
};

struct fit_intent_interrupts {
	struct fit_intent intent;
	bool others_elsewhere;	   /* of="others" to="elsewhere": off the domain's exclusive CPUs */
	enum fit_place devices_to; /* of="devices" to=…: NONE, VCPUS, HOUSEKEEPING, NODE */
};

enum fit_vf_class {
	FIT_VF_NETWORK, /* PCI class 02: <interface type='hostdev'> */
	FIT_VF_NVME,	/* PCI class 0108: <hostdev> */
};

/* What a network VF is in the definition. */
enum fit_vf_as {
	FIT_VF_AS_INTERFACE, /* <interface type='hostdev'> */
	FIT_VF_AS_HOSTDEV,   /* <hostdev>, which has no MAC or VLAN of libvirt's */
	FIT_VF_AS_NETWORK,   /* <interface type='network'>: of a network that gives out VFs */
};

struct fit_intent_vfs {
	struct fit_intent intent;
	unsigned int count;
	enum fit_vf_class class;
	char *pf; /* "nearest", a PCI address or a netdev name */
	unsigned int
		create; /* VFs to create when the PF has none: at least; 0: as many as needed */
	enum fit_vf_as as;
	char *network;	   /* libvirt's, for FIT_VF_AS_NETWORK; NULL: none */
	char *macs;	   /* separated by spaces, for one VF after the other; NULL: libvirt's */
	unsigned int vlan; /* tag; 0: none */
	bool with_standby; /* teaming="standby": a virtio NIC of the definition stands in */
	/* What the PF's driver enforces; "on", "off" and the like, NULL: leave. */
	char *trust;
	char *spoofchk;
	char *link_state;
	unsigned int qos;      /* priority of the VLAN */
	unsigned int min_rate; /* Mbit/s; FIT_AUTO: no limit; 0: leave */
	unsigned int max_rate;
	bool up;	     /* up="yes": the PF is brought up before its VFs are made */
	bool missing_refuse; /* a card that lacks an attribute is an error, not a warning */
};

/* Whole devices, of those that the request names: <passthrough of=…>. */
struct fit_intent_passthrough {
	struct fit_intent intent;
	bool requested;	    /* devices="requested"; else they are locality anchors only */
	bool named_only;    /* functions="named"; else all functions of the slot */
	bool takes_console; /* console="take": also the display that the host's console is on */
	char *rom;	    /* rom="on" or "off"; NULL: leave */
};

/* What happens when a start comes too early. */
struct fit_intent_start {
	struct fit_intent intent;
	enum fit_stale stale;
};

/* A setting of the host: core/host_setting.h. */
struct fit_intent_setting {
	struct fit_intent intent;
	char *value;	     /* as profiles spell it: "performance", "10us", …; NULL: leave */
	bool missing_refuse; /* missing="refuse": a host without it is an error, not a warning */
};

/* A literal write: core/host_write.h. */
struct fit_host_write {
	enum fit_host_setting_id setting; /* FIT_SETTING_SYSCTL or FIT_SETTING_SYSFS */
	char *name;			  /* as the profile has it: "vm.dirty_ratio" */
	char *value;
	bool missing_refuse;
	const char *file; /* owned by fit_profile.files */
	unsigned int line;
};

/* Threads beside a guest that libvirt does not place: sys/threads.h. */
enum fit_thread_kind {
	FIT_THREADS_VHOST,
	FIT_THREADS_KVM,
	FIT_THREADS_QEMU,
	FIT_THREADS_COUNT,
};

struct fit_intent_threads {
	struct fit_intent intent;
	bool to_emulator; /* the emulator's CPUs; else they stay */
	struct fit_scheduling scheduling;
};

enum fit_isolate {
	FIT_ISOLATE_NOTHING,
	FIT_ISOLATE_VCPUS, /* the CPUs that the vCPUs have for themselves */
	FIT_ISOLATE_OWN,   /* and those of other threads with cores of their own */
};

/* The host's own processes stay off these CPUs while the domain runs. */
struct fit_intent_isolate {
	struct fit_intent intent;
	enum fit_isolate cpus;
	bool partition; /* and the vCPUs' CPUs are out of the scheduler's balancing */
	bool missing_refuse;
};

/* Of the cards whose VFs the domain has, by ethtool(8)'s names; values as text, NULL: leave. */
struct fit_intent_ethtool {
	struct fit_intent intent;
	char *rx_usecs;
	char *rx_frames;
	char *tx_usecs;
	char *tx_frames;
	char *adaptive_rx;
	char *adaptive_tx;
	char *rx_ring;
	char *tx_ring;
	char *rx_channels;
	char *tx_channels;
	char *combined_channels;
	char *features_on; /* names, separated by spaces; what both have is off */
	char *features_off;
	bool missing_refuse;
};

struct fit_profile_param {
	char *name;
	char *type;	   /* "count", "size", "sizes", "choice", "text", "yes-no", "pf", … */
	char *value;	   /* after overrides */
	char *fallback;	   /* the default */
	char *allowed;	   /* space-separated choices, NULL */
	char *description; /* "" when there is none */
	char *profile;	   /* that declares it */
	const char *file;  /* where; owned by fit_profile.files */
	unsigned int line;
};

/* One attribute of an intent, resolved: for people, programs and the digest. */
struct fit_profile_setting {
	const char *intent; /* "vcpus", "interrupts of devices", "host governor", … : static */
	char *attribute;    /* of <domain>: the path of the place, see core/overlay.h */
	char *value;
	const char *file;  /* that states it, NULL: no profile does, it is the default */
	unsigned int line; /* there */
};

struct fit_overlay;

struct fit_profile {
	struct fit_strlist names;    /* as requested */
	struct fit_strlist files;    /* all files read, in order of composition */
	struct fit_strlist included; /* names of all profiles in the composition */
	struct fit_strlist only; /* limited to these intents: core/profile_steps.h; empty: not */
	char *summary;		 /* of the last requested profile */
	char digest[17];	 /* fingerprint of all intents and parameters, hexadecimal */
	struct fit_profile_param *params;
	size_t param_count;
	struct fit_strlist idle; /* sentences: values given to parameters that change nothing */
	struct fit_profile_setting *settings; /* of all intents that are set, in a fixed order */
	size_t setting_count;

	struct fit_intent_cpu cpu;
	struct fit_intent_features features;
	struct fit_intent_hyperv hyperv;
	struct fit_intent_clock clock;
	struct fit_intent_vcpus vcpus;
	struct fit_intent_emulator emulator;
	struct fit_intent_iothreads iothreads;
	struct fit_intent_shares shares;
	struct fit_intent_cachetune cachetune;
	struct fit_intent_memorytune memorytune;
	struct fit_intent_disks disks;
	struct fit_intent_interfaces interfaces;
	struct fit_intent_memballoon memballoon;
	struct fit_intent_watchdog watchdog;
	struct fit_intent_iommu iommu;
	struct fit_intent_lean lean;
	struct fit_intent_memory memory;
	struct fit_intent_cells cells;
	struct fit_intent_interrupts interrupts;
	struct fit_intent_vfs vfs;
	struct fit_intent_passthrough gpus;   /* PCI classes 03 and 12 */
	struct fit_intent_passthrough nvme;   /* class 0108 */
	struct fit_intent_passthrough others; /* any other */
	struct fit_intent_start start;
	struct fit_intent_setting host[FIT_SETTING_COUNT]; /* those without an element stay unset */
	struct fit_host_write *writes;			   /* by name; each once */
	size_t write_count;
	struct fit_intent_isolate isolate;
	struct fit_intent_threads threads[FIT_THREADS_COUNT];
	struct fit_intent_ethtool ethtool;
	struct fit_intent_setting device_driver; /* of devices that libvirt does not manage */
	struct fit_overlay *overlay;		 /* <domain>: core/overlay.h; NULL: none */
};

void fit_profile_clear(struct fit_profile *profile);

/* The numbers of the vCPUs below @count that have CPUs which no other domain gets. */
struct fit_cpuset fit_intent_vcpus_dedicated(
	const struct fit_intent_vcpus *vcpus, unsigned int count);

/* Gives the file of profile @name: path (for messages) and text, both to be freed by the caller.
 * Returns -1 with FIT_ERR_NOTFOUND when there is none. */
typedef int (*fit_profile_loader)(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err);

/*
 * Composes @names with the values in @params (NULL when none). Errors: unknown profile, one that is
 * named twice, include cycle, unknown element, attribute, value or parameter, a parameter value of
 * the wrong type; all with file and line. The digest depends on the meaning only, not on comments,
 * order or file names.
 */
int fit_profile_compose(const struct fit_strlist *names, const struct fit_param *params,
	size_t param_count, fit_profile_loader load, void *context, struct fit_profile *ret_profile,
	struct fit_err *err);

#endif
