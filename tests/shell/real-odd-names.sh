#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names are data: spaces, quotes, another script, a leading dash, what a shell or a printer would
# take for something else.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"

# shellcheck disable=SC2016  # meant as it is
for name in "two words" "it's \"quoted\"" 'Пример-例' "-n" "--help" '$(reboot)' 'a;b&c' '%s%n' '*'; do
	guest_define "$name"
	virt-fit set "${modest[@]}" -- "$name" low-latency
	virsh -q start -- "$name"
	threads_are_as_defined "$name"
	[ "$(host_dump)" != "$before" ] || fail "$name: the host was not prepared"
	contains "status" "$(virt-fit status)" "$name"
	virsh -q destroy -- "$name"
	host_is_as_before "$before"
	virt-fit unset -- "$name"
	virsh -q undefine -- "$name"
done
