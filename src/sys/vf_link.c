/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/vf_link.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"

#define ANSWER_SECONDS 2
#define MAC_BYTES      6
#define VLAN_MAX       4094
#define QOS_MAX	       7
/* Linux 4.9: without the statistics of each VF. */
#ifndef RTEXT_FILTER_SKIP_STATS
#define RTEXT_FILTER_SKIP_STATS (1 << 3)
#endif

static const struct {
	const char *name;
	unsigned short type;
	size_t size;
} attributes[FIT_VF_ATTRIBUTE_COUNT] = {
	[FIT_VF_MAC] = {"mac", IFLA_VF_MAC, sizeof(struct ifla_vf_mac)},
	[FIT_VF_VLAN] = {"vlan", IFLA_VF_VLAN, sizeof(struct ifla_vf_vlan)},
	[FIT_VF_RATE] = {"rate", IFLA_VF_RATE, sizeof(struct ifla_vf_rate)},
	[FIT_VF_SPOOFCHK] = {"spoofchk", IFLA_VF_SPOOFCHK, sizeof(struct ifla_vf_spoofchk)},
	[FIT_VF_TRUST] = {"trust", IFLA_VF_TRUST, sizeof(struct ifla_vf_trust)},
	[FIT_VF_LINK_STATE] = {"link-state", IFLA_VF_LINK_STATE, sizeof(struct ifla_vf_link_state)},
};

static const char *const link_states[] = {
	[IFLA_VF_LINK_STATE_AUTO] = "auto",
	[IFLA_VF_LINK_STATE_ENABLE] = "enable",
	[IFLA_VF_LINK_STATE_DISABLE] = "disable",
};

/* The room that a request takes, and a driver's answer at least. */
struct request {
	struct nlmsghdr header;
	struct ifinfomsg link;
	char attributes[256];
};

const char *fit_vf_attribute_name(enum fit_vf_attribute attribute)
{
	return attributes[attribute].name;
}

bool fit_vf_attribute_parse(const char *name, enum fit_vf_attribute *ret_attribute)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(attributes); i++) {
		if (fit_streq(name, attributes[i].name)) {
			*ret_attribute = (enum fit_vf_attribute)i;
			return true;
		}
	}
	return false;
}

static const struct rtattr *find(const void *from, size_t size, unsigned short type)
{
	const struct rtattr *attribute = from;
	int left = (int)size;

	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		if ((attribute->rta_type & NLA_TYPE_MASK) == type)
			return attribute;
	return NULL;
}

static const char *on_or_off(uint32_t setting)
{
	/* A driver that has no say answers with all bits set. */
	return setting == 0 ? "off" : setting == 1 ? "on" : NULL;
}

static char *format_vlan(const struct ifla_vf_vlan *vlan)
{
	if (!vlan->vlan && !vlan->qos)
		return fit_xstrdup("none");
	return vlan->qos ? fit_xasprintf("%u qos %u", vlan->vlan, vlan->qos)
			 : fit_xasprintf("%u", vlan->vlan);
}

/* @content is as large as the attribute has to be. */
static char *format(enum fit_vf_attribute attribute, const void *content)
{
	const struct ifla_vf_link_state *state = content;
	const struct ifla_vf_spoofchk *spoofchk = content;
	const struct ifla_vf_trust *trust = content;
	const struct ifla_vf_rate *rate = content;
	const struct ifla_vf_mac *mac = content;
	const char *word = NULL;

	switch (attribute) {
	case FIT_VF_MAC:
		return fit_xasprintf("%02x:%02x:%02x:%02x:%02x:%02x", mac->mac[0], mac->mac[1],
			mac->mac[2], mac->mac[3], mac->mac[4], mac->mac[5]);
	case FIT_VF_VLAN:
		return format_vlan(content);
	case FIT_VF_RATE:
		return fit_xasprintf("%u %u", rate->min_tx_rate, rate->max_tx_rate);
	case FIT_VF_SPOOFCHK:
		word = on_or_off(spoofchk->setting);
		break;
	case FIT_VF_TRUST:
		word = on_or_off(trust->setting);
		break;
	case FIT_VF_LINK_STATE:
		word = state->link_state < FIT_ARRAY_SIZE(link_states)
			       ? link_states[state->link_state]
			       : NULL;
		break;
	case FIT_VF_ATTRIBUTE_COUNT:
		break;
	}
	return word ? fit_xstrdup(word) : NULL;
}

char *fit_vf_link_text(enum fit_vf_attribute attribute, const void *info, size_t size)
{
	const struct rtattr *found = find(info, size, attributes[attribute].type);
	unsigned char content[FIT_VF_CONTENT_MAX];

	if (!found || RTA_PAYLOAD(found) < attributes[attribute].size)
		return NULL;
	memcpy(content, RTA_DATA(found), attributes[attribute].size);
	return format(attribute, content);
}

static bool parse_mac(const char *text, uint8_t *bytes)
{
	for (int i = 0; i < MAC_BYTES; i++) {
		fit_autofree char *byte = fit_xstrndup(text, strcspn(text, ":"));
		uint64_t value;

		if (strlen(byte) != 2 || !fit_parse_hex(byte, UINT8_MAX, &value))
			return false;
		bytes[i] = (uint8_t)value;
		text += 2;
		if (*text != (i < MAC_BYTES - 1 ? ':' : '\0'))
			return false;
		text += *text == ':';
	}
	return true;
}

static bool parse_vlan(const char *text, struct ifla_vf_vlan *vlan)
{
	uint64_t tag = 0, qos = 0;

	if (!fit_streq(text, "none")) {
		if (!fit_scan_uint(&text, VLAN_MAX, &tag))
			return false;
		if (*text && (!fit_starts_with(text, " qos ") ||
				     !fit_parse_uint(text + strlen(" qos "), QOS_MAX, &qos)))
			return false;
	}
	vlan->vlan = (uint32_t)tag;
	vlan->qos = (uint32_t)qos;
	return true;
}

static bool parse_rate(const char *text, struct ifla_vf_rate *rate)
{
	uint64_t least, most;

	if (!fit_scan_uint(&text, UINT32_MAX, &least) || *text != ' ' ||
		!fit_parse_uint(text + 1, UINT32_MAX, &most))
		return false;
	rate->min_tx_rate = (uint32_t)least;
	rate->max_tx_rate = (uint32_t)most;
	return true;
}

static bool parse_state(const char *text, uint32_t *ret_state)
{
	for (uint32_t i = 0; i < FIT_ARRAY_SIZE(link_states); i++) {
		if (fit_streq(text, link_states[i])) {
			*ret_state = i;
			return true;
		}
	}
	return false;
}

static bool parse_switch(const char *text, uint32_t *ret_setting)
{
	*ret_setting = fit_streq(text, "on");
	return *ret_setting || fit_streq(text, "off");
}

size_t fit_vf_link_content(enum fit_vf_attribute attribute, unsigned int vf, const char *text,
	unsigned short *ret_type, unsigned char content[FIT_VF_CONTENT_MAX])
{
	struct ifla_vf_mac mac = {.vf = vf};
	struct ifla_vf_vlan vlan = {.vf = vf};
	struct ifla_vf_rate rate = {.vf = vf};
	/* Those of two words have the same layout. */
	struct ifla_vf_trust word = {.vf = vf};
	const void *from = &word;
	bool good = false;

	switch (attribute) {
	case FIT_VF_MAC:
		good = parse_mac(text, mac.mac);
		from = &mac;
		break;
	case FIT_VF_VLAN:
		good = parse_vlan(text, &vlan);
		from = &vlan;
		break;
	case FIT_VF_RATE:
		good = parse_rate(text, &rate);
		from = &rate;
		break;
	case FIT_VF_SPOOFCHK:
	case FIT_VF_TRUST:
		good = parse_switch(text, &word.setting);
		break;
	case FIT_VF_LINK_STATE:
		good = parse_state(text, &word.setting);
		break;
	case FIT_VF_ATTRIBUTE_COUNT:
		break;
	}
	if (!good)
		return 0;
	*ret_type = attributes[attribute].type;
	memcpy(content, from, attributes[attribute].size);
	return attributes[attribute].size;
}

static struct request new_request(unsigned short type, const char *netdev)
{
	struct request request = {
		.header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
			.nlmsg_type = type,
			.nlmsg_flags = NLM_F_REQUEST,
			.nlmsg_seq = 1},
		.link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)if_nametoindex(netdev)},
	};

	return request;
}

/* Its content is filled in afterwards; what is added until its length is set stands in it. */
static struct rtattr *add(
	struct request *request, unsigned short type, const void *content, size_t size)
{
	struct rtattr *attribute =
		(struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(size);
	if (size)
		memcpy(RTA_DATA(attribute), content, size);
	request->header.nlmsg_len =
		NLMSG_ALIGN(request->header.nlmsg_len) + (uint32_t)RTA_ALIGN(attribute->rta_len);
	return attribute;
}

static void end(struct request *request, struct rtattr *attribute)
{
	char *after = (char *)request + request->header.nlmsg_len;

	attribute->rta_len = (unsigned short)(after - (char *)attribute);
}

static int open_socket(void)
{
	struct timeval limit = {.tv_sec = ANSWER_SECONDS};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0) {
		fit_close_fd(&fd);
		return -1;
	}
	return fd;
}

/* The answer, to be freed: a link with hundreds of VFs needs more than a page. NULL with errno. */
static struct nlmsghdr *ask(const struct request *request, size_t *ret_size)
{
	fit_autoclose int fd = open_socket();
	fit_autofree char *answer = NULL;
	ssize_t size;

	if (fd < 0 || send(fd, request, request->header.nlmsg_len, 0) < 0)
		return NULL;
	size = recv(fd, NULL, 0, MSG_PEEK | MSG_TRUNC);
	if (size <= 0)
		return NULL;
	answer = fit_xcalloc(1, (size_t)size);
	size = recv(fd, answer, (size_t)size, 0);
	if (size < (ssize_t)sizeof(struct nlmsghdr) ||
		!NLMSG_OK((struct nlmsghdr *)answer, (size_t)size)) {
		errno = EPROTO;
		return NULL;
	}
	*ret_size = (size_t)size;
	return (struct nlmsghdr *)FIT_STEAL(answer);
}

/* 0 or the errno that the answer says. */
static int errno_of(const struct nlmsghdr *answer)
{
	const struct nlmsgerr *error = NLMSG_DATA(answer);

	if (answer->nlmsg_type != NLMSG_ERROR)
		return 0;
	return answer->nlmsg_len < NLMSG_LENGTH(sizeof(*error)) ? EPROTO : -error->error;
}

/* The IFLA_VF_INFO of one VF: each attribute in it says whose it is. */
static const struct rtattr *find_vf(const struct nlmsghdr *answer, unsigned int vf)
{
	const char *body = NLMSG_DATA(answer);
	const struct rtattr *list;
	const struct rtattr *info;
	int left;

	if (answer->nlmsg_type != RTM_NEWLINK ||
		answer->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifinfomsg)))
		return NULL;
	list = find(body + NLMSG_ALIGN(sizeof(struct ifinfomsg)),
		answer->nlmsg_len - NLMSG_LENGTH(sizeof(struct ifinfomsg)), IFLA_VFINFO_LIST);
	if (!list)
		return NULL;
	info = RTA_DATA(list);
	left = (int)RTA_PAYLOAD(list);
	for (; RTA_OK(info, left); info = RTA_NEXT(info, left)) {
		const struct rtattr *mac = find(RTA_DATA(info), RTA_PAYLOAD(info), IFLA_VF_MAC);
		uint32_t number;

		if (!mac || RTA_PAYLOAD(mac) < sizeof(number))
			continue;
		memcpy(&number, RTA_DATA(mac), sizeof(number));
		if (number == vf)
			return info;
	}
	return NULL;
}

char *fit_vf_link_read(const char *netdev, unsigned int vf, enum fit_vf_attribute attribute)
{
	struct request request = new_request(RTM_GETLINK, netdev);
	uint32_t filter = RTEXT_FILTER_VF | RTEXT_FILTER_SKIP_STATS;
	fit_autofree struct nlmsghdr *answer = NULL;
	const struct rtattr *info;
	size_t size;

	if (!request.link.ifi_index)
		return NULL;
	add(&request, IFLA_EXT_MASK, &filter, sizeof(filter));
	answer = ask(&request, &size);
	info = answer ? find_vf(answer, vf) : NULL;
	return info ? fit_vf_link_text(attribute, RTA_DATA(info), RTA_PAYLOAD(info)) : NULL;
}

int fit_vf_link_write(const char *netdev, unsigned int vf, enum fit_vf_attribute attribute,
	const char *text, struct fit_err *err)
{
	struct request request = new_request(RTM_SETLINK, netdev);
	unsigned char content[FIT_VF_CONTENT_MAX];
	fit_autofree struct nlmsghdr *answer = NULL;
	struct rtattr *list, *info;
	unsigned short type = 0;
	size_t size = fit_vf_link_content(attribute, vf, text, &type, content);
	int errnum;

	if (!size)
		return fit_err_set(err, FIT_ERR_INVALID, "'%s' is no %s of a VF", text,
			attributes[attribute].name);
	if (!request.link.ifi_index)
		return fit_err_sys(err, ENODEV, "there is no network device %s", netdev);
	request.header.nlmsg_flags |= NLM_F_ACK;
	list = add(&request, IFLA_VFINFO_LIST | NLA_F_NESTED, NULL, 0);
	info = add(&request, IFLA_VF_INFO | NLA_F_NESTED, NULL, 0);
	add(&request, type, content, size);
	end(&request, info);
	end(&request, list);
	answer = ask(&request, &size);
	errnum = answer ? errno_of(answer) : errno;
	return errnum ? fit_err_sys(err, errnum, "cannot set %s '%s' of VF %u of %s",
				attributes[attribute].name, text, vf, netdev)
		      : 0;
}
