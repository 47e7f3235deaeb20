#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of tests/bench/run, in a private libvirtd: how long after a define a definition is fitted, how
# often the watcher wakes up beside 100 shut-off domains, against a client of libvirt's events that
# does nothing, and how much memory of its own it has.
#
#   tests/bench/watcher.sh [RUNS [SECONDS]]	default 31 defines, 20 seconds of idleness
set -eu
TOP=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=$(realpath "${BUILD:-$TOP/build}")
export TOP BUILD
TEST_DIR=/run/private-libvirtd/bench
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
. "$TOP/tests/bench/judge.sh"
guest_stage "$@"
runs=${1:-31}
seconds=${2:-20}
events=$BUILD/tests/bench/events
over=0

define_many() { # COUNT: half of them request a profile, which is all the CPUs there are can bear
	local i
	for ((i = 0; i < $1; i++)); do
		if ((i % 2)); then
			guest_xml "idle$i" "$(idle_request)" >"$TEST_DIR/idle$i.xml"
		else
			guest_xml "idle$i" >"$TEST_DIR/idle$i.xml"
		fi
		echo "define $TEST_DIR/idle$i.xml"
	done | virsh -q >/dev/null
}

idle_request() {
	echo "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='throughput'>" \
		"<fit:param name='pages' value='none'/></fit:domain>"
}

# shellcheck disable=SC2317  # called by its name
all_fitted() {
	! virt-fit list | grep -E 'not fitted|stale' >/dev/null
}

wake_ups() { # PID: of all its threads
	awk '/^voluntary_ctxt_switches/ { n += $2 } END { print n }' "/proc/$1/task/"*/status
}

anonymous_kib() { # PID
	awk '/^RssAnon/ { print $2 }' "/proc/$1/status"
}

watch_start
guest_xml bare >"$TEST_DIR/bare.xml"
guest_xml asking "$(request low-latency)" >"$TEST_DIR/asking.xml"
read -r fitted bare < <("$events" fitted "$LIBVIRT_DEFAULT_URI" "$runs" \
	"$TEST_DIR/bare.xml" "$TEST_DIR/asking.xml") || fail "nothing was measured"
debounce=$(sed -n 's/^#define FIT_QUEUE_QUIET_MS *//p' "$TOP/src/watch/queue.h")
echo "$runs defines: fitted after $((fitted / 1000)) ms, debounce $debounce ms, a bare define $bare us"
judge "from define to fitted, without the debounce / a bare define" 2 \
	"$(awk -v a="$fitted" -v d="$debounce" -v b="$bare" 'BEGIN { print (a - d * 1000) / b }')"

define_many 100
wait_until 60 all_fitted
# As src/virt/events.c has it.
"$events" idle "$LIBVIRT_DEFAULT_URI" 30 3 </dev/null &
client=$!
sleep 8
before_watcher=$(wake_ups "$watch_pid") before_client=$(wake_ups "$client")
sleep "$seconds"
watcher=$(($(wake_ups "$watch_pid") - before_watcher))
client_woke=$(($(wake_ups "$client") - before_client))
kill "$client"
echo "$seconds s of idleness beside 100 domains: the watcher woke $watcher times, a client $client_woke times"
# It has two connections: for events, and for its work.
judge "wake-ups of the watcher / of two such clients" 1.2 \
	"$(awk -v a="$watcher" -v b="$client_woke" 'BEGIN { print a / (2 * (b ? b : 1)) }')"
judge "MiB of memory of its own, after all that" 8 \
	"$(awk -v kib="$(anonymous_kib "$watch_pid")" 'BEGIN { print kib / 1024 }')"
watch_stop TERM
trap - EXIT # a figure that is over is no failure that logs explain
exit $over
