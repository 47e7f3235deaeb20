#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The watcher outlives libvirt's daemon, what it knew outlives the watcher, and what is broken is said
# once and hurts nobody else.
set -eu
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
guest_stage "$@"

modest_request() { # PROFILE
	echo "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='$1'/>"
}

# A watcher that comes before the daemon is patient.
libvirtd_stop TERM
virt-fit watch >>"$WATCH_LOG" 2>&1 </dev/null &
watch_pid=$!
wait_until 10 watch_says "cannot connect"
libvirtd_start
wait_until 20 watch_says "watching the domains"
same "complaints" 1 "$(watch_count "cannot connect")"
guest_define web01 "$(request low-latency)"
wait_until 5 is_fitted web01

# The daemon is killed and comes back: with an edit made while nobody watched.
virsh -q start web01
running=$(host_dump)
kill -s STOP "$watch_pid"
libvirtd_stop KILL
libvirtd_start
guest_define web02 "$(modest_request base)"
kill -s CONT "$watch_pid"
wait_until 20 is_fitted web02
same "the host, prepared for web01" "$running" "$(host_dump)"

# The watcher is killed; its successor sees what it missed, and what nobody gave back.
watch_stop KILL
guest_define web03 "$(modest_request base)"
chmod -x /etc/libvirt/hooks/qemu
virsh -q destroy web01
[ "$(host_dump)" != "$before" ] || fail "the host was given back without the hook"
chmod +x /etc/libvirt/hooks/qemu
watch_start
wait_until 5 is_fitted web03
wait_until 10 host_equals "$before"
wait_until 5 watch_says "web01: what a crash left of its settings of the host: undone"

# A second one is turned away.
refuses virt-fit watch
contains "the refusal" "$refusal" "runs already"

# Something broken: said once, however often others change, and again only when it is another matter.
guest_define broken "$(modest_request missing-one)"
wait_until 5 watch_says 'there is no profile "missing-one"'
virsh -q metadata web02 urn:virt-fit:domain:1 --config --key fit --set "<domain profile='lean'/>" >/dev/null
wait_until 5 is_fitted web02 lean
mkdir -p "$HOST/etc/virt-fit/profiles"
sleep 0.5
same "complaints" 1 "$(watch_count 'there is no profile "missing-one"')"
cat >"$HOST/etc/virt-fit/profiles/missing-one.xml" <<-END
	<profile xmlns="urn:virt-fit:profile:1" name="missing-one">
	  <summary>here it is</summary>
	  <features pmu="off"/>
	</profile>
END
wait_until 5 is_fitted broken missing-one
echo nonsense >"$HOST/etc/virt-fit/profiles/missing-one.xml"
wait_until 5 watch_says "missing-one.xml:1"
guest_define web04 "$(modest_request base)"
wait_until 5 is_fitted web04

# What is saved is left as it is until that is gone.
guest_define saved "$(modest_request base)"
wait_until 5 is_fitted saved base
virsh -q start saved
virsh -q managedsave saved
virsh -q metadata saved urn:virt-fit:domain:1 --config --key fit --set "<domain profile='lean'/>" >/dev/null
sleep 0.6
is_fitted saved base || fail "a definition was changed under a saved image"
virsh -q start saved
wait_until 10 is_fitted saved lean
virsh -q destroy saved
watch_stop TERM
