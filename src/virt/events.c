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

	*events = (struct fit_virt_events){.handlers = handlers, .lifecycle = -1, .metadata = -1};
	if (fit_virt_open(uri, &events->virt, err) < 0)
		return -1;
	connection = events->virt.connection;
	fit_virt_keep_alive(&events->virt);
	(void)virConnectRegisterCloseCallback(connection, on_close, events, NULL);
	events->lifecycle =
		virConnectDomainEventRegisterAny(connection, NULL, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
			VIR_DOMAIN_EVENT_CALLBACK(on_lifecycle), events, NULL);
	events->metadata = virConnectDomainEventRegisterAny(connection, NULL,
		VIR_DOMAIN_EVENT_ID_METADATA_CHANGE, VIR_DOMAIN_EVENT_CALLBACK(on_metadata), events,
		NULL);
	/* The test driver knows no change of metadata. */
	if (events->lifecycle < 0 || (events->metadata < 0 && fit_virt_is_system(&events->virt))) {
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
	if (events->lifecycle >= 0)
		(void)virConnectDomainEventDeregisterAny(connection, events->lifecycle);
	if (events->metadata >= 0)
		(void)virConnectDomainEventDeregisterAny(connection, events->metadata);
	fit_virt_close(&events->virt);
}
