#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The watcher fits what is defined, edited, requests something else, or is asked for by another
# profile's text, and nothing else; and then it is quiet.
set -eu
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
guest_stage "$@"

guest_define early "$(request low-latency)"
guest_define plain
plain=$(virsh -q dumpxml plain)

# Without a service: all at once, and the exit code says whether that went well.
guest_define once "$(request low-latency)"
virt-fit watch --once
is_fitted once || fail "--once did not fit it"
nothing_is_stale
virsh -q undefine once
guest_define once "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='none-such'/>"
guest_define early "$(request low-latency)"
refuses virt-fit watch --once
contains "the refusal" "$refusal" "none-such"
is_fitted early || fail "one that cannot be fitted kept another from it"
virsh -q undefine once
guest_define early "$(request low-latency)"

watch_start
wait_until 5 is_fitted early

guest_define web01 "$(request low-latency)"
wait_until 5 is_fitted web01 low-latency

# Defined anew by a program that keeps the definition somewhere else.
sed "s/'MiB'>32</'MiB'>40</" "$TEST_DIR/guest.xml" >"$TEST_DIR/edited.xml"
virsh -q define "$TEST_DIR/edited.xml" >/dev/null
wait_until 5 is_fitted web01
same "its memory" 40960 "$(xml_value //memory "$(virsh -q dumpxml --inactive web01)")"

virsh -q metadata web01 urn:virt-fit:domain:1 --config --key fit --set "<domain profile='base'/>" >/dev/null
wait_until 5 is_fitted web01 base

virsh -q domrename web01 web02 >/dev/null
wait_until 5 is_fitted web02 base
nothing_is_stale

# A profile of one's own, that is changed afterwards.
mkdir -p "$HOST/etc/virt-fit/profiles"
own_profile() { # VALUE
	cat >"$HOST/etc/virt-fit/profiles/own.xml" <<-END
		<profile xmlns="urn:virt-fit:profile:1" name="own">
		  <summary>one setting</summary>
		  <features pmu="$1"/>
		</profile>
	END
}
pmu_is() { # NAME VALUE
	[ "$(xml_value //pmu/@state "$(virsh -q dumpxml --inactive "$1")")" = "$2" ]
}
own_profile off
guest_define mine "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='own'/>"
wait_until 5 pmu_is mine off
own_profile on
wait_until 5 pmu_is mine on

# What belongs to the host is another matter: all are looked at.
read -ra usable <<<"$(host_cpus)"
last=${usable[-1]}
cat >"$HOST/etc/virt-fit/host.xml" <<-END
	<host xmlns="urn:virt-fit:host:1"><housekeeping cpus="$last"/></host>
END
emulator_is() { # NAME CPU
	[ "$(xml_value //emulatorpin/@cpuset "$(virsh -q dumpxml --inactive "$1")")" = "$2" ]
}
wait_until 5 emulator_is early "$last"

# Each event is answered once: no define of the watcher's leads to another.
sleep 0.5
fitted=$(watch_count ": fitted (")
sleep 1
same "the number of fits" "$fitted" "$(watch_count ": fitted (")"
same "a domain without request" "$plain" "$(virsh -q dumpxml plain)"
watch_stop TERM
