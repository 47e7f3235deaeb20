#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With the service running, nobody has to know of virt-fit's commands: a profile is set and the domain
# started with virsh alone, too early or not; saved and restored; defined and started in one go; created;
# edited while the watcher is dead.
. "$TOP/tests/lab/scenario.sh"

request() { # PROFILES
	echo "<domain profile='$1'><param name='pages' value='2MiB'/></domain>"
}

runs_fitted() { # NAME
	guest_is "$1" running && virt-fit status | grep -q "^$1: running, fitted"
}

is_fitted() { # NAME
	virsh -q dumpxml --inactive "$1" | grep -q urn:virt-fit:applied:1
}

said=
virsh_start() { # NAME: a refusal that says that the watcher will start it is as good
	said=$(virsh -q start "$1" 2>&1) || contains "the refusal" "$said" "starts it"
}

remember_host
systemctl is-active --quiet virt-fit || fail "the service does not run"

guest_define web
virsh -q metadata web urn:virt-fit:domain:1 --key fit --set "$(request low-latency)" --config
virsh_start web
wait_until 30 runs_fitted web
threads_are_as_defined web
guest_is_up web
virsh -q managedsave web
same "our state of a saved domain" "" "$(our_state)"
virsh -q start web
runs_fitted web || fail "it was not restored as it was: $(virt-fit status)"
threads_are_as_defined web
guest_shuts_down web

guest_define other
virsh -q dumpxml other | sed "s,<memory,<metadata><fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='low-latency'>\
<fit:param name='pages' value='2MiB'/></fit:domain></metadata>&," >"$WORK/other.xml"
virsh -q undefine other
said=$(virsh -q "define $WORK/other.xml; start other" 2>&1) ||
	contains "the refusal" "$said" "starts it"
wait_until 30 runs_fitted other
threads_are_as_defined other
virsh -q destroy other
virsh -q undefine other

virsh -q create "$WORK/other.xml"
guest_is other running
virsh -q destroy other

# What happens while it is dead is not lost.
systemctl kill --signal=KILL virt-fit
guest_define third
virsh -q metadata third urn:virt-fit:domain:1 --key fit --set "$(request low-latency)" --config
wait_until 60 is_fitted third
host_is_as_before
no_program_was_confined
