/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "virt/events.h"

#include "base/text.h"
#include "core/request.h"

/* A hung daemon is noticed within two minutes. One that ends closes its socket, so more wake-ups
 * would gain nothing. */
#define KEEP_ALIVE_S	 30
#define KEEP_ALIVE_COUNT 3

static void tell(
	const struct fit_virt_events *events, virDomainPtr domain, enum fit_virt_event event)
{
	char uuid[VIR_UUID_STRING_BUFLEN];

	if (virDomainGetUUIDString(domain, uuid) == 0)
		events->handlers->event(events->handlers->context, event, uuid);
}

static int on_lifecycle(virConnectPtr connection FIT_UNUSED, virDomainPtr domain, int event,
	int detail, void *opaque)
{
	const struct fit_virt_events *events = opaque;

	switch (event) {
	case VIR_DOMAIN_EVENT_DEFINED:
		tell(events, domain,
			detail == VIR_DOMAIN_EVENT_DEFINED_ADDED ? FIT_VIRT_ADDED
								 : FIT_VIRT_REDEFINED);
		break;
	case VIR_DOMAIN_EVENT_UNDEFINED:
		/* A renamed one is defined at once under its new name. */
		if (detail == VIR_DOMAIN_EVENT_UNDEFINED_REMOVED)
			tell(events, domain, FIT_VIRT_UNDEFINED);
		break;
	case VIR_DOMAIN_EVENT_STARTED:
		tell(events, domain, FIT_VIRT_STARTED);
		break;
	case VIR_DOMAIN_EVENT_STOPPED:
		tell(events, domain, FIT_VIRT_STOPPED);
		break;
	default:
		break;
	}
	return 0;
}

static void on_metadata(virConnectPtr connection FIT_UNUSED, virDomainPtr domain, int type,
	const char *uri, void *opaque)
{
	if (type == VIR_DOMAIN_METADATA_ELEMENT && fit_streq(uri, FIT_REQUEST_NAMESPACE))
		tell(opaque, domain, FIT_VIRT_REQUESTED);
}

static void on_reboot(virConnectPtr connection FIT_UNUSED, virDomainPtr domain, void *opaque)
{
	tell(opaque, domain, FIT_VIRT_RESET);
}

static void on_device(virConnectPtr connection FIT_UNUSED, virDomainPtr domain,
	const char *alias FIT_UNUSED, void *opaque)
{
	tell(opaque, domain, FIT_VIRT_PLUGGED);
}

static const struct registration {
	int event;
	virConnectDomainEventGenericCallback callback;
} registrations[FIT_VIRT_CALLBACKS] = {
	{VIR_DOMAIN_EVENT_ID_LIFECYCLE, VIR_DOMAIN_EVENT_CALLBACK(on_lifecycle)},
	{VIR_DOMAIN_EVENT_ID_METADATA_CHANGE, VIR_DOMAIN_EVENT_CALLBACK(on_metadata)},
	{VIR_DOMAIN_EVENT_ID_REBOOT, VIR_DOMAIN_EVENT_CALLBACK(on_reboot)},
	{VIR_DOMAIN_EVENT_ID_DEVICE_ADDED, VIR_DOMAIN_EVENT_CALLBACK(on_device)},
	{VIR_DOMAIN_EVENT_ID_DEVICE_REMOVED, VIR_DOMAIN_EVENT_CALLBACK(on_device)},
};

static void on_close(virConnectPtr connection FIT_UNUSED, int reason FIT_UNUSED, void *opaque)
{
	const struct fit_virt_events *events = opaque;

	events->handlers->lost(events->handlers->context);
}

void fit_virt_keep_alive(struct fit_virt *virt)
{
	/* Drivers inside the process (test:///) have nothing to keep alive. */
	(void)virConnectSetKeepAlive(virt->connection, KEEP_ALIVE_S, KEEP_ALIVE_COUNT);
}

int fit_virt_events_open(const char *uri, const struct fit_virt_handlers *handlers,
	struct fit_virt_events *events, struct fit_err *err)
{
	virConnectPtr connection;

	bool all = true;

	*events = (struct fit_virt_events){.handlers = handlers};
	for (size_t i = 0; i < FIT_VIRT_CALLBACKS; i++)
		events->callbacks[i] = -1;
	if (fit_virt_open(uri, &events->virt, err) < 0)
		return -1;
	connection = events->virt.connection;
	fit_virt_keep_alive(&events->virt);
	(void)virConnectRegisterCloseCallback(connection, on_close, events, NULL);
	for (size_t i = 0; i < FIT_VIRT_CALLBACKS; i++) {
		const struct registration *registration = &registrations[i];

		events->callbacks[i] = virConnectDomainEventRegisterAny(connection, NULL,
			registration->event, registration->callback, events, NULL);
		all &= events->callbacks[i] >= 0;
	}
	/* The test driver knows the life cycle only. */
	if (events->callbacks[0] < 0 || (!all && fit_virt_is_system(&events->virt))) {
		fit_virt_fail(err, "cannot learn what happens to domains");
		fit_virt_events_close(events);
		return -1;
	}
	return 0;
}

void fit_virt_events_close(struct fit_virt_events *events)
{
	virConnectPtr connection = events->virt.connection;

	if (!connection)
		return;
	(void)virConnectUnregisterCloseCallback(connection, on_close);
	for (size_t i = 0; i < FIT_VIRT_CALLBACKS; i++)
		if (events->callbacks[i] >= 0)
			(void)virConnectDomainEventDeregisterAny(connection, events->callbacks[i]);
	fit_virt_close(&events->virt);
}
