#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a real systemd makes of our messages: the setting is there, where we look for it, and gone
# without a trace; when it does not answer we do not wait for ever.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/private-systemd.sh"
systemd_start

slice() { # PATH [VALUE]
	inside_systemd "$BUILD/tests/lib/slice" "$@"
}

# The same where no unit has a group: only the setting changes.
slice_setting() { # PATH [VALUE]
	# shellcheck disable=SC2016  # expanded by that shell
	inside_systemd unshare --mount sh -c 'mount -t tmpfs tmpfs /sys/fs/cgroup && exec "$@"' sh \
		"$BUILD/tests/lib/slice" "$@"
}

allowed() { # UNIT
	inside_systemd systemctl show --property AllowedCPUs --value "$1"
}

control=run/systemd/system.control
setting() { # UNIT
	case $1 in
	init.scope) echo run/systemd/transient/init.scope.d/50-AllowedCPUs.conf ;;
	*) echo "$control/$1.d/50-AllowedCPUs.conf" ;;
	esac
}

path=$(setting user.slice)
same "user.slice" unset "$(slice_setting "$path")"
slice_setting "$path" "1-2,9,300 runtime"
same "user.slice, read by us" "1-2,9,300 runtime" "$(slice_setting "$path")"
same "user.slice, read by systemctl" "1-2 9 300" "$(allowed user.slice)"
inside_systemd grep -q '^AllowedCPUs=1-2 9 300$' "/$path" || fail "/$path is not systemd's file"
slice_setting "$path" unset
same "user.slice, read by us" unset "$(slice_setting "$path")"
same "user.slice, read by systemctl" "" "$(allowed user.slice)"
[ ! -e "/proc/$systemd_pid/root/${path%/*}" ] || fail "/${path%/*} was left"
# A setting that was there before stays systemd's own.
inside_systemd systemctl set-property --runtime user.slice AllowedCPUs=0-1
same "set by systemctl" "0-1 runtime" "$(slice_setting "$path")"
slice_setting "$path" "0 runtime"
slice_setting "$path" "0-1 runtime"
same "restored" "0-1" "$(allowed user.slice)"

# Where the hierarchy has no cpuset controller systemd says nothing and the
# group stays as it is: that is noticed.
for unit in system.slice init.scope; do
	path=$(setting $unit)
	same "$unit" unset "$(slice "$path")"
	inside_systemd systemctl set-property --runtime $unit AllowedCPUs=0
	same "$unit" "0 runtime" "$(slice "$path")"
	if inside_systemd grep -qw cpuset /sys/fs/cgroup/cgroup.controllers; then
		slice "$path" unset
		same "$unit" unset "$(slice "$path")"
	else
		refuses slice "$path" unset
		contains "the refusal" "$refusal" "systemd was told AllowedCPUs="
	fi
done

# Stopped, it still accepts connections.
kill -STOP "$systemd_pid"
started=$(date +%s%N)
refuses slice "$control/user.slice.d/50-AllowedCPUs.conf" "0 runtime"
took=$((($(date +%s%N) - started) / 1000000))
kill -CONT "$systemd_pid"
contains "the refusal" "$refusal" "systemd does not answer"
[ "$took" -lt 4000 ] || fail "waited for $took ms"
