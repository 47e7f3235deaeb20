# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The watcher beside a private libvirtd. Source it after guest.sh.

WATCH_LOG=$TEST_DIR/watch.log
watch_pid=
watch_options=()
# On failure: what the watcher had to say, beside what libvirt had.
watch_leave() {
	local code=$?
	case $code in 0 | 77) ;; *) echo "--- the watcher" && tail -n 30 "$WATCH_LOG" ;; esac
	(exit $code) || private_libvirtd_leave
}

watch_start() {
	trap watch_leave EXIT
	virt-fit watch "${watch_options[@]}" >>"$WATCH_LOG" 2>&1 </dev/null &
	watch_pid=$!
	wait_until 10 watch_says "watching the domains"
}

watch_stop() { # SIGNAL
	local code=0
	kill -s "$1" "$watch_pid"
	wait "$watch_pid" 2>/dev/null || code=$?
	[ "$1" != TERM ] || [ "$code" = 0 ] || fail "the watcher ends with $code: $(cat "$WATCH_LOG")"
	watch_pid=
}

watch_says() { # TEXT
	grep -qF -- "$1" "$WATCH_LOG"
}

# How often it has said so.
watch_count() { # TEXT
	grep -cF -- "$1" "$WATCH_LOG" || true
}

# By the record, which is there as soon as the definition is.
is_fitted() { # NAME [PROFILES]
	local xml
	xml=$(virsh -q dumpxml --inactive -- "$1") || return 1
	[ -n "$(xml_value "//*[local-name()='fitted' and namespace-uri()='urn:virt-fit:applied:1']/@digest" "$xml")" ] &&
		{ [ -z "${2:-}" ] || [ "$(xml_value "//*[local-name()='fitted']/@profile" "$xml")" = "$2" ]; }
}

# What `apply` would change.
nothing_is_stale() {
	local list
	list=$(virt-fit list)
	[ "$(grep -c . <<<"$list")" -gt 1 ] || fail "no domain is listed"
	case $list in *"not fitted"* | *stale* | *outdated*) fail "$list" ;; esac
}
