#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The host's processes stay off the vCPUs' CPUs from start to stop; where that cannot be, the profile
# decides whether the domain starts.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml
printf '%s\n' "run/systemd/system/" "sys/fs/cgroup/cgroup.controllers = cpuset cpu io memory" |
	"$BUILD/tests/lib/mkroot" "$HOST"
BEFORE=$(hook_dump)

allowed() { # UNIT
	local file
	case $1 in
	init.scope) file=transient/init.scope.d/50-AllowedCPUs.conf ;;
	*) file=system.control/$1.d/50-AllowedCPUs.conf ;;
	esac
	sed -n 's/^AllowedCPUs=//p' "$HOST/run/systemd/$file"
}

fitted "$vm" vm "$UUID_A"
plan=$("$BUILD/virt-fit" plan --sysroot "$HOST" --profiles "$PROFILES" "$vm")
contains "the plan" "$plan" "processes of the host off CPU"
hook "$vm" vm prepare begin -
hook "$vm" vm start begin -
cpus=$(sed -nE "s/.*<vcpupin vcpu=.[0-9]+. cpuset=.([0-9]+).\/>.*/\1/p" "$vm" | sort -un)
for unit in system.slice user.slice init.scope; do
	list=,$(allowed $unit),
	[ "$list" != ,, ] || fail "$unit is not limited"
	for cpu in $cpus; do
		for word in ${list//,/ }; do
			[ "$cpu" -lt "${word%-*}" ] || [ "$cpu" -gt "${word#*-}" ] ||
				fail "$unit may use CPU $cpu: $list"
		done
	done
done
status=$("$BUILD/virt-fit" status --sysroot "$HOST" --profiles "$PROFILES" --connect test:///default 2>/dev/null)
contains "the status" "$status" "slice"
contains "the status" "$status" "was unset"
hook "$vm" vm started begin -
hook_down "$vm" vm
host_is_as_before

# Control groups of version 1.
rm "$HOST/sys/fs/cgroup/cgroup.controllers"
BEFORE=$(hook_dump)
hook_up "$vm" vm
hook_down "$vm" vm
host_is_as_before
sed -i '/<isolate/s/"warn"/"refuse"/' "$PROFILES/low-latency.xml"
fitted "$vm" vm "$UUID_A"
refuses hook "$vm" vm prepare begin -
contains "the refusal" "$refusal" "control groups are of version 1"
hook_down "$vm" vm failed
host_is_as_before
