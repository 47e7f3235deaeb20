#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A real irqbalance takes our commands: it says so itself after its next scan, also that all is as
# before. One that is restarted is told again.
set -eu
. "$TOP/tests/lib/shell.sh"
[ "$(id -u)" = 0 ] || skip "needs root"
requires irqbalance unshare
[ "$(nproc)" -gt 1 ] || skip "needs two CPUs"
if [ "${IRQBALANCE_INSIDE:-}" != 1 ]; then
	IRQBALANCE_INSIDE=1 exec unshare --mount --pid --net --ipc --uts --fork --kill-child --mount-proc \
		bash "$0"
fi
mount -t tmpfs tmpfs /run
# It writes affinities: not those of this machine.
mount --bind /proc/irq /proc/irq && mount -o remount,bind,ro /proc/irq
told() { # LIST [VALUE]
	"$BUILD/tests/lib/irqbalance" "$@"
}
says() { # LIST VALUE
	[ "$(told "$1")" = "$2" ]
}
mkdir /run/irqbalance
irqbalance --foreground --interval 1 >"$TEST_DIR/irqbalance.log" 2>&1 &
pid=$!
wait_until 10 told cpus
cpus=$(told cpus)
irqs=$(told irqs)
[ "$cpus" = none ] || skip "irqbalance leaves CPUs alone here: $cpus"
held=1
told cpus 0
wait_until 15 says cpus 0
told irqs "4 8"
wait_until 15 says irqs "4 8"
# Of more than one command holds (before 1.9.5: 500 bytes) it is told nothing, in words.
if ! told irqs "$(seq -s ' ' 1000 1200)" 2>"$TEST_DIR/many"; then
	grep -q "all that it takes" "$TEST_DIR/many" || fail "$(cat "$TEST_DIR/many")"
	says irqs "4 8"
fi
told irqs "$irqs"
wait_until 15 says irqs "$irqs"
told cpus "$cpus"
wait_until 15 says cpus "$cpus"

# A domain has a CPU for itself; irqbalance is restarted, by whomever, and is told again.
"$BUILD/virt-fit" watch --connect test:///default --profiles "$BUILD/profiles" >"$TEST_DIR/watch.log" 2>&1 </dev/null &
watcher=$!
wait_until 10 grep -q "watching the domains" "$TEST_DIR/watch.log"
told hold 1
wait_until 15 says cpus "$held"
restart() { # SIGNAL
	kill -s "$1" "$pid"
	wait "$pid" 2>/dev/null || true
	irqbalance --foreground --interval 1 >>"$TEST_DIR/irqbalance.log" 2>&1 &
	pid=$!
	wait_until 10 told cpus
}
restart TERM
wait_until 20 says cpus "$held"
restart KILL
wait_until 20 says cpus "$held"
told release
wait_until 15 says cpus "$cpus"
kill "$watcher"
wait "$watcher" || fail "the watcher: $(cat "$TEST_DIR/watch.log")"

kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
refuses told cpus 0
