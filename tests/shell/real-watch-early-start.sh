#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A start that comes too early: by default it is refused, and the watcher fits the definition and
# starts the domain; request, profile and host.xml can say otherwise. Nothing is lost when the watcher
# is killed over it. RACES says how many define and start in one go (default 4).
set -eu
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
guest_stage "$@"
races=${RACES:-4}

# Something that any number of domains can have at once, on whatever machine.
mkdir -p "$HOST/etc/virt-fit/profiles"
cat >"$HOST/etc/virt-fit/profiles/shared.xml" <<-END
	<profile xmlns="urn:virt-fit:profile:1" name="shared">
	  <summary>takes nothing</summary>
	  <features pmu="off"/>
	  <emulator place="housekeeping"/>
	</profile>
END

shared() { # [ATTRIBUTE]
	echo "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='shared' ${1:-}/>"
}

defined_and_started() { # NAME [REQUEST]: by one process; what it says is in `said`
	GUEST_DISK=$TEST_DIR/$1.img # each its own: QEMU locks it
	guest_xml "$1" "${2:-$(shared)}" >"$TEST_DIR/$1.xml"
	said=$(virsh -q "define $TEST_DIR/$1.xml; start $1" 2>&1 || true)
}

runs_fitted() { # NAME
	guest_is "$1" running && is_fitted "$1"
}

no_request() {
	[ -z "$(ls "$HOST/run/virt-fit/requests")" ]
}

# Without a watcher: as ever.
defined_and_started alone
contains "the refusal" "$said" "Fit it with: virt-fit apply alone"
[ ! -e "$HOST/run/virt-fit/requests" ] || same "requests" "" "$(ls "$HOST/run/virt-fit/requests")"
refuses virt-fit wait alone
contains "the refusal" "$refusal" "the watcher does not run"
contains "the status" "$(virt-fit status)" "watcher: does not run"

watch_start
wait_until 5 is_fitted alone
contains "the status" "$(virt-fit status)" "watcher: runs"
guest_is alone "shut off" || fail "it was started although nobody was promised that"

# One process that defines and starts; many at once.
for ((i = 0; i < races; i++)); do
	defined_and_started "early$i"
	contains "the refusal" "$said" "The watcher fits it and starts it now"
	same "lines of the refusal" 1 "$(grep -c "virt-fit: domain" <<<"$said")"
done
for ((i = 0; i < races; i++)); do
	wait_until 30 runs_fitted "early$i"
	# The hook has prepared the host for what it was fitted to.
	virsh -q destroy "early$i"
done
wait_until 5 no_request
host_is_as_before "$before"
sleep 0.5
guest_is early0 "shut off" || fail "it was started twice"

# Policies: of the request,
defined_and_started strict "$(shared "stale='refuse'")"
contains "the refusal" "$said" "Fit it with: virt-fit apply strict"
wait_until 5 is_fitted strict
guest_is strict "shut off" || fail "stale=refuse was started"
defined_and_started easy "$(shared "stale='warn'")"
guest_is easy running || fail "stale=warn was not started: $said"
wait_until 5 is_fitted easy # for its next start
virsh -q destroy easy
# of the host, when neither request nor profile says,
echo '<host xmlns="urn:virt-fit:host:1"><start stale="refuse"/></host>' >"$HOST/etc/virt-fit/host.xml"
defined_and_started hosted
contains "the refusal" "$said" "Fit it with: virt-fit apply hosted"
# and of a profile, which goes before the host.
cat >"$HOST/etc/virt-fit/profiles/easy.xml" <<-END
	<profile xmlns="urn:virt-fit:profile:1" name="easy">
	  <summary>starts whatever it is</summary>
	  <features pmu="off"/>
	  <start stale="warn"/>
	</profile>
END
defined_and_started profiled "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='easy'/>"
guest_is profiled running || fail "the profile's policy does not count: $said"
virsh -q destroy profiled
rm "$HOST/etc/virt-fit/host.xml"

# A transient domain cannot be fitted; it starts.
GUEST_DISK=$TEST_DIR/another.img
guest_xml fleeting "$(shared)" >"$TEST_DIR/fleeting.xml"
virsh -q create "$TEST_DIR/fleeting.xml" >/dev/null
virsh -q destroy fleeting

# Killed before it could do what was promised: the next one does.
kill -s STOP "$watch_pid"
defined_and_started orphan
contains "the refusal" "$said" "The watcher fits it and starts it now"
watch_stop KILL
watch_start
wait_until 30 runs_fitted orphan
virsh -q destroy orphan

# What cannot be fitted is not started, and that is said.
defined_and_started hopeless "$(shared | sed "s,'shared','none-such',")"
contains "the refusal" "$said" "none-such"
guest_xml wide "$(request low-latency)" | sed 's/<vcpu>1</<vcpu>64</' >"$TEST_DIR/wide.xml"
said=$(virsh -q "define $TEST_DIR/wide.xml; start wide" 2>&1 || true)
contains "the refusal" "$said" "said by: virt-fit wait wide"
wait_until 10 watch_says "wide: it was to be started, and is not"
same "times that the reason is said" 1 "$(grep -c "wide: cannot fit" "$WATCH_LOG")"
wait_until 5 no_request
refuses virt-fit wait wide
contains "the refusal" "$refusal" "cannot fit"

# CPUs that another domain has for itself by now are not shared: there are others.
GUEST_DISK=$TEST_DIR/alone1.img
guest_define alone1 "$(request low-latency)"
GUEST_DISK=$TEST_DIR/floats.img
guest_define floats "$(shared | sed "s,'shared','base',")"
wait_until 10 is_fitted alone1
wait_until 10 is_fitted floats
said=$(virsh -q "start alone1; start floats" 2>&1 || true)
contains "the refusal" "$said" "held by the running domain 'alone1'. The watcher fits it and starts it now"
wait_until 30 runs_fitted floats
virsh -q destroy floats
virsh -q destroy alone1

# For scripts: define and wait, or define in one go.
guest_define waited "$(shared)"
virt-fit wait waited --timeout 10
is_fitted waited || fail "wait came back too early"
guest_xml atonce "$(shared)" >"$TEST_DIR/atonce.xml"
same "what define says" "atonce: defined and fitted (shared)
atonce: started" "$(virt-fit define "$TEST_DIR/atonce.xml" --start)"
runs_fitted atonce || fail "it does not run"
watch_stop TERM
