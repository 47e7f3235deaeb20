# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A systemd of one's own as init of private namespaces, in a control group of its own, with an empty
# /run and nothing to start. Source it after shell.sh.

systemd_start() {
	[ "$(id -u)" = 0 ] || skip "needs root"
	systemd_program=
	local program hierarchy
	for program in /lib/systemd/systemd /usr/lib/systemd/systemd; do
		[ ! -x $program ] || systemd_program=$program
	done
	[ -n "$systemd_program" ] || skip "systemd is not installed"
	requires unshare nsenter systemctl
	hierarchy=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$hierarchy" ] || skip "there is no cgroup2 hierarchy"
	systemd_group=$hierarchy/virt-fit-test-$$
	mkdir "$systemd_group" 2>/dev/null || skip "control groups cannot be made here"
	trap systemd_end EXIT
	# shellcheck disable=SC2016  # expanded by that shell
	PROGRAM=$systemd_program GROUP=$systemd_group setsid bash -c '
		echo $BASHPID >"$GROUP/cgroup.procs"
		exec unshare --cgroup --mount --pid --net --ipc --uts --fork --kill-child \
			--mount-proc sh -c "
			mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system /run/lock &&
			umount -R /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup &&
			printf \"[Unit]\nDefaultDependencies=no\n\" >/run/systemd/system/nothing.target &&
			container=test exec $PROGRAM --system --unit=nothing.target \
				--log-target=console --show-status=no"
	' </dev/null >"$TEST_DIR/systemd.log" 2>&1 &
	systemd_unshare=$!
	wait_until 10 systemd_is_up
}

systemd_is_up() {
	local inside
	kill -0 "$systemd_unshare" || skip "systemd does not run in namespaces here"
	inside=$(cat "/proc/$systemd_unshare/task/$systemd_unshare/children") || return 1
	systemd_pid=${inside%% *}
	[ -S "/proc/$systemd_pid/root/run/systemd/private" ] && inside_systemd systemctl is-system-running |
		grep -q -e running -e degraded -e starting
}

inside_systemd() { # COMMAND ARGUMENT...
	nsenter --target "$systemd_pid" --mount --pid --net --ipc --uts --cgroup -- "$@"
}

systemd_end() {
	shell_leave
	kill -KILL "$systemd_unshare" 2>/dev/null || true
	wait "$systemd_unshare" 2>/dev/null || true
	# Its groups are empty a little later.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		find "$systemd_group" -depth -type d -exec rmdir {} \; 2>/dev/null || true
		[ -d "$systemd_group" ] || break
		sleep 0.1
	done
}
