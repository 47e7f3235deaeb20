/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a service owes its supervisor. Ready is it when it holds the watcher's lock and looks at the
 * requests, whether libvirt is there or not: the unit starts before libvirt's daemon, so that a
 * domain that the daemon starts by itself and that is not fitted comes up all the same.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "base/memory.h"
#include "sys/clock.h"
#include "virt/loop.h"
#include "watch/parts.h"

struct fit_service {
	struct fit_watch *watch;
	int signals;
	int timer;
	int64_t interval_ms; /* of signs of life; 0: nobody wants any */
	int64_t told_ms;     /* when the last was given */
};

static void on_signal(void *context)
{
	struct fit_service *service = context;
	struct signalfd_siginfo info;

	while (read(service->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			fit_watch_add(service->watch, FIT_QUEUE_ALL, FIT_CAUSE_WORLD);
		else
			fit_watch_end(service->watch);
	}
}

/* Firing ends a turn of the loop, and that is all it is for. */
static void on_timer(void *context)
{
	(void)context;
}

/* Each turn is a sign of life, libvirt's keep-alive too: the timer fires only where there is no
 * other reason to wake up. */
void fit_service_turn(struct fit_service *service)
{
	int64_t now = fit_clock_ms();

	if (!service->interval_ms || now - service->told_ms < service->interval_ms / 2)
		return;
	service->told_ms = now;
	sd_notify(0, "WATCHDOG=1");
	fit_virt_loop_set_timer(service->timer, (int)service->interval_ms);
}

void fit_service_status(const char *format, ...)
{
	fit_autofree char *text = NULL;
	fit_autofree char *line = NULL;
	va_list args;

	va_start(args, format);
	text = fit_xvasprintf(format, args);
	va_end(args);
	line = fit_xasprintf("STATUS=%s", text);
	sd_notify(0, line);
}

void fit_service_ready(struct fit_service *service)
{
	sd_notify(0, "READY=1");
	fit_service_turn(service);
}

static int open_signals(struct fit_service *service, struct fit_err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	/* Before there are threads: they inherit it. */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	service->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (service->signals < 0)
		return fit_err_sys(err, errno, "cannot take signals");
	return fit_virt_loop_add_fd(service->signals, on_signal, service, err);
}

struct fit_service *fit_service_open(struct fit_watch *watch, struct fit_err *err)
{
	struct fit_service *service = fit_xcalloc(1, sizeof(*service));
	uint64_t usec = 0;

	service->watch = watch;
	service->signals = -1;
	service->timer = fit_virt_loop_add_timer(on_timer, service, err);
	if (service->timer < 0 || open_signals(service, err) < 0) {
		free(service);
		return NULL;
	}
	if (sd_watchdog_enabled(0, &usec) > 0) {
		/* Half of what is allowed, and no turn comes later than that. */
		service->interval_ms = (int64_t)(usec / 1000 / 2);
		service->told_ms = fit_clock_ms() - service->interval_ms;
	}
	return service;
}

void fit_service_close(struct fit_service *service)
{
	sd_notify(0, "STOPPING=1");
	close(service->signals);
	free(service);
}
