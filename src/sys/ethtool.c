/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"

#define ON	     "on"
#define OFF	     "off"
#define NOT_IN_FORCE ", not in force"
#define NO_LIMIT     UINT32_MAX
#define FEATURES_MAX 4096 /* there are about 60 */

/* They begin with the command, and consist of numbers of 32 bits. */
union fields {
	uint32_t cmd;
	struct ethtool_coalesce coalesce;
	struct ethtool_ringparam rings;
	struct ethtool_channels channels;
};

struct field {
	const char *name;
	uint32_t get;
	uint32_t set;
	size_t offset;
	size_t limit; /* offset of the largest value; 0: none is told */
	bool is_switch;
};

#define COALESCE(text, field, what) \
	{ \
		text, ETHTOOL_GCOALESCE, ETHTOOL_SCOALESCE, \
			offsetof(struct ethtool_coalesce, field), 0, what \
	}
#define RING(text, field) \
	{ \
		text, ETHTOOL_GRINGPARAM, ETHTOOL_SRINGPARAM, \
			offsetof(struct ethtool_ringparam, field##_pending), \
			offsetof(struct ethtool_ringparam, field##_max_pending), false \
	}
#define CHANNELS(text, field) \
	{ \
		text, ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS, \
			offsetof(struct ethtool_channels, field##_count), \
			offsetof(struct ethtool_channels, max_##field), false \
	}

static const struct field fields[] = {
	COALESCE("rx-usecs", rx_coalesce_usecs, false),
	COALESCE("rx-frames", rx_max_coalesced_frames, false),
	COALESCE("tx-usecs", tx_coalesce_usecs, false),
	COALESCE("tx-frames", tx_max_coalesced_frames, false),
	COALESCE("adaptive-rx", use_adaptive_rx_coalesce, true),
	COALESCE("adaptive-tx", use_adaptive_tx_coalesce, true),
	RING("rx-ring", rx),
	RING("tx-ring", tx),
	CHANNELS("rx-channels", rx),
	CHANNELS("tx-channels", tx),
	CHANNELS("combined-channels", combined),
};

static const struct field *find_field(const char *name)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(fields); i++)
		if (fit_streq(fields[i].name, name))
			return &fields[i];
	return NULL;
}

bool fit_ethtool_drops_link(const char *setting)
{
	const struct field *field = find_field(setting);

	return field && field->get != ETHTOOL_GCOALESCE;
}

bool fit_ethtool_is_channels(const char *setting)
{
	const struct field *field = find_field(setting);

	return field && field->get == ETHTOOL_GCHANNELS;
}

/* Negative with errno; else what the command returns. @command is one of the kernel's structures.
 */
static int ask(const char *netdev, void *command)
{
	/* Of any family: the device decides. */
	fit_autoclose int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {.ifr_data = command};

	if (fd < 0)
		return -1;
	if (strlen(netdev) >= sizeof(request.ifr_name)) {
		errno = ENODEV;
		return -1;
	}
	memcpy(request.ifr_name, netdev, strlen(netdev));
	return ioctl(fd, SIOCETHTOOL, &request);
}

static uint32_t number_at(const union fields *all, size_t offset)
{
	uint32_t number;

	memcpy(&number, (const char *)all + offset, sizeof(number));
	return number;
}

/* The largest value; 0: the device has nothing of the kind. */
static uint32_t limit_of(const struct field *field, const union fields *all)
{
	return field->limit ? number_at(all, field->limit) : NO_LIMIT;
}

static bool read_fields(const char *netdev, const struct field *field, union fields *ret_all)
{
	union fields all = {0};

	all.cmd = field->get;
	if (ask(netdev, &all) < 0)
		return false;
	*ret_all = all;
	return true;
}

static char *read_field(const char *netdev, const struct field *field)
{
	union fields all;
	uint32_t number;

	if (!read_fields(netdev, field, &all) || !limit_of(field, &all))
		return NULL;
	number = number_at(&all, field->offset);
	return field->is_switch ? fit_xstrdup(number ? ON : OFF) : fit_xasprintf("%u", number);
}

static bool parse_switch(const char *text, bool *ret_on)
{
	if (!fit_streq(text, ON) && !fit_streq(text, OFF))
		return false;
	*ret_on = fit_streq(text, ON);
	return true;
}

static bool parse_number(const struct field *field, const char *text, uint32_t *ret_number)
{
	uint64_t number;
	bool on;

	if (field->is_switch && parse_switch(text, &on))
		*ret_number = on;
	else if (!field->is_switch && fit_parse_uint(text, UINT32_MAX, &number))
		*ret_number = (uint32_t)number;
	else
		return false;
	return true;
}

static int refuse_text(const char *setting, const char *text, struct fit_err *err)
{
	return fit_err_set(err, FIT_ERR_INVALID, "'%s' is no value of %s", text, setting);
}

static int explain(const char *netdev, const char *setting, const char *text, struct fit_err *err)
{
	int error = errno;

	(void)fit_err_sys(err, error, "cannot set %s %s of %s", setting, text, netdev);
	switch (error) {
	case EOPNOTSUPP:
		return fit_err_prefix(err, "the card's driver does not offer that: ");
	case EINVAL:
	case ERANGE:
		return fit_err_prefix(err, "the card's driver does not take this value: ");
	case EBUSY:
		return fit_err_prefix(err, "the card's queues are in use: ");
	default:
		return -1;
	}
}

static int write_field(
	const char *netdev, const struct field *field, const char *text, struct fit_err *err)
{
	union fields all;
	uint32_t number = 0;

	if (!parse_number(field, text, &number))
		return refuse_text(field->name, text, err);
	if (!read_fields(netdev, field, &all))
		return explain(netdev, field->name, text, err);
	all.cmd = field->set;
	memcpy((char *)&all + field->offset, &number, sizeof(number));
	return ask(netdev, &all) < 0 ? explain(netdev, field->name, text, err) : 0;
}

/* The number of features; 0 with errno. */
static uint32_t count_features(const char *netdev)
{
	struct {
		struct ethtool_sset_info info;
		uint32_t count;
	} sets = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_FEATURES}};

	return ask(netdev, &sets) < 0 || !sets.info.sset_mask || sets.count > FEATURES_MAX
		       ? 0
		       : sets.count;
}

/* The bit of a feature among @count; @count: there is none of that name. */
static uint32_t find_bit(const char *netdev, uint32_t count, const char *name)
{
	fit_autofree struct ethtool_gstrings *names =
		fit_xcalloc(1, sizeof(*names) + (size_t)count * ETH_GSTRING_LEN);
	uint32_t bit = 0;

	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_FEATURES;
	names->len = count;
	if (ask(netdev, names) < 0)
		return count;
	while (bit < count && strncmp((const char *)names->data + (size_t)bit * ETH_GSTRING_LEN,
				      name, ETH_GSTRING_LEN) != 0)
		bit++;
	return bit;
}

struct feature {
	uint32_t bit;
	uint32_t blocks; /* of all features */
	bool can_change;
	bool asked;
	bool is;
};

static bool read_feature(const char *netdev, const char *name, struct feature *ret_feature)
{
	uint32_t count = count_features(netdev);
	uint32_t blocks = (count + 31) / 32;
	uint32_t bit = count ? find_bit(netdev, count, name) : 0;
	fit_autofree struct ethtool_gfeatures *all =
		fit_xcalloc(1, sizeof(*all) + blocks * sizeof(all->features[0]));
	const struct ethtool_get_features_block *block = &all->features[bit / 32];
	uint32_t mask = 1U << bit % 32;

	all->cmd = ETHTOOL_GFEATURES;
	all->size = blocks;
	if (bit >= count || ask(netdev, all) < 0)
		return false;
	*ret_feature = (struct feature){
		.bit = bit,
		.blocks = blocks,
		.can_change = block->available & ~block->never_changed & mask,
		.asked = block->requested & mask,
		.is = block->active & mask,
	};
	/* What is fixed nobody is asked about. */
	if (!ret_feature->can_change)
		ret_feature->asked = ret_feature->is;
	return true;
}

static char *read_asked(const char *netdev, const char *name)
{
	struct feature feature;

	if (!read_feature(netdev, name, &feature))
		return NULL;
	return fit_xasprintf(
		"%s%s", feature.asked ? ON : OFF, feature.asked == feature.is ? "" : NOT_IN_FORCE);
}

static int write_feature(
	const char *netdev, const char *name, const char *text, struct fit_err *err)
{
	fit_autofree char *word = fit_xstrndup(text, strcspn(text, ","));
	fit_autofree struct ethtool_sfeatures *all = NULL;
	struct feature feature;
	bool on;

	if (!parse_switch(word, &on))
		return refuse_text(name, text, err);
	if (!read_feature(netdev, name, &feature))
		return explain(netdev, name, text, err);
	all = fit_xcalloc(1, sizeof(*all) + feature.blocks * sizeof(all->features[0]));
	all->cmd = ETHTOOL_SFEATURES;
	all->size = feature.blocks;
	all->features[feature.bit / 32].valid = 1U << feature.bit % 32;
	all->features[feature.bit / 32].requested = on ? 1U << feature.bit % 32 : 0;
	return ask(netdev, all) < 0 ? explain(netdev, name, text, err) : 0;
}

/* The name of the feature that the setting is; NULL: it is another setting. */
static const char *feature_of(const char *setting)
{
	return fit_starts_with(setting, FIT_ETHTOOL_FEATURES)
		       ? setting + strlen(FIT_ETHTOOL_FEATURES)
		       : NULL;
}

char *fit_ethtool_read(const char *netdev, const char *setting)
{
	const struct field *field = find_field(setting);
	const char *feature = feature_of(setting);

	if (feature)
		return read_asked(netdev, feature);
	return field ? read_field(netdev, field) : NULL;
}

char *fit_ethtool_objection(const char *netdev, const char *setting, const char *text)
{
	const struct field *field = find_field(setting);
	const char *name = feature_of(setting);
	struct feature feature;
	union fields all;
	uint32_t number;
	bool on;

	if (name && read_feature(netdev, name, &feature) && parse_switch(text, &on)) {
		if (feature.is == on)
			return NULL;
		if (!feature.can_change)
			return fit_xasprintf("it is fixed to %s", feature.is ? ON : OFF);
		return feature.asked == on ? fit_xstrdup("another feature keeps it from that")
					   : NULL;
	}
	if (field && read_fields(netdev, field, &all) && parse_number(field, text, &number) &&
		number > limit_of(field, &all))
		return fit_xasprintf("it has at most %u", limit_of(field, &all));
	return NULL;
}

int fit_ethtool_write(
	const char *netdev, const char *setting, const char *text, struct fit_err *err)
{
	const struct field *field = find_field(setting);
	const char *feature = feature_of(setting);

	if (feature)
		return write_feature(netdev, feature, text, err);
	if (field)
		return write_field(netdev, field, text, err);
	return fit_err_set(err, FIT_ERR_INVALID, "%s is no setting of a network device", setting);
}
