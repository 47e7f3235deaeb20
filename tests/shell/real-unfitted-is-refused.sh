#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A definition that was not fitted does not start; the command that the refusal names fits it.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

for name in web01 "a b's"; do
	guest_define "$name" "$(request low-latency)"
	refuses virsh -q start -- "$name"
	host_is_as_before "$before"
	command=$(grep -o "virt-fit apply.*" <<<"$refusal" | head -n 1)
	[ -n "$command" ] || fail "no command in: $refusal"
	# As a person would: the line from the message, into a shell.
	bash -c "$command" || fail "the command does not work: $command"
	virsh -q start -- "$name"
	threads_are_as_defined "$name"
	virsh -q destroy -- "$name"
	host_is_as_before "$before"
done
