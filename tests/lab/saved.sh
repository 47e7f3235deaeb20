# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The host's saved state. Going on from it takes seconds where an emulated boot takes a minute; with
# KVM, where a boot takes seconds as well, there is none. It is made when the disk is, of the first boot,
# and belongs to that disk. An NVMe controller cannot be saved, so the saved host has none: who needs
# it boots.

is_saved() {
	[ -f "$LAB/saved.state" ]
}

monitor() { # COMMAND [ARGUMENTS]; prints what QEMU answers
	local line
	printf '{"execute": "%s", "arguments": {%s}}\n' "$1" "${2:-}" >&6
	while read -r -t 60 line; do
		case $line in
		'{"return"'*)
			printf '%s\n' "$line"
			return
			;;
		'{"error"'*)
			say "QEMU refuses $1: $line"
			return 1
			;;
		esac
	done <&7
	say "QEMU does not answer $1"
	return 1
}

# Both ends of a saved state: pages at fixed places of the file, in parallel.
migration_setup() {
	monitor qmp_capabilities
	monitor migrate-set-capabilities '"capabilities": [{"capability": "mapped-ram", "state": true},
		{"capability": "multifd", "state": true}]'
}

migration_ends() { # SECONDS; was it a success?
	local deadline=$((SECONDS + $1)) status
	while ((SECONDS < deadline)); do
		status=$(monitor query-migrate) || return 1
		case $status in
		*'"status": "completed"'*) return 0 ;;
		*'"status": "failed"'*) break ;;
		esac
		sleep 0.2
	done
	say "the state was not transferred: $status"
	return 1
}

# The host runs on afterwards.
machine_save() {
	rm -f "$LAB"/saved.*
	host "systemctl is-system-running --wait; sync" >/dev/null || true
	host_disconnect
	migration_setup >/dev/null && monitor stop >/dev/null &&
		monitor migrate "\"uri\": \"file:$LAB/saved.new\"" >/dev/null && migration_ends 240 &&
		cp --sparse=always "$RUN/disk.qcow2" "$LAB/saved.qcow2" &&
		mv "$LAB/saved.new" "$LAB/saved.state" || {
		rm -f "$LAB"/saved.*
		say "the host's state cannot be saved: it will boot each time"
	}
	monitor cont >/dev/null
}

machine_resume() { # or fails
	MACHINE_HAS_NVME=
	machine_new "$LAB/saved.qcow2" qcow2
	machine_power_on resume
	migration_setup >/dev/null && monitor migrate-incoming "\"uri\": \"file:$LAB/saved.state\"" >/dev/null &&
		migration_ends 60 && monitor cont >/dev/null && machine_comes_up &&
		host "date -s @$(date +%s)" >/dev/null && return # its clock stood still
	say "the saved state is of no use, from now on the host boots: $(tail -n 1 "$RUN/qemu.log")"
	machine_power_off
	rm -f "$LAB"/saved.*
	return 1
}
