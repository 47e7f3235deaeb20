#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A definition that is fitted anew while its domain runs is not what that runs with: status says so.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

says() { # TEXT
	contains "status" "$(virt-fit status web01)" "$1"
}

runs_with() {
	virt-fit status --json web01 | tr -d ' \n' | sed -E 's/.*"runs_with":(null|\[[^]]*]).*/\1/'
}

says_nothing_of_another() {
	case $(virt-fit status web01) in *"runs with"*) fail "$(virt-fit status web01)" ;; esac
}

guest_define web01
virt-fit set web01 low-latency "${modest[@]}"
says_nothing_of_another
virsh -q start web01
says "web01: running, fitted (low-latency)"
says_nothing_of_another
same "what it runs with" null "$(runs_with)"

virt-fit set web01 lean
says "web01: running, fitted (lean)"
says "runs with         low-latency as it was fitted before"
same "what it runs with" '["low-latency"]' "$(runs_with)"
virt-fit unset web01
says "runs with         low-latency as it was fitted before"
virsh -q destroy web01
says_nothing_of_another

virsh -q start web01
virt-fit set web01 lean
says "runs with         a definition that was not fitted, until the next start"
same "what it runs with" "[]" "$(runs_with)"
virsh -q destroy web01
