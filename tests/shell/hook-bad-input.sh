#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cannot be right is refused in one line, and nothing is changed.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml
good=$TEST_DIR/good.xml
fitted "$good" vm "$UUID_A"

bad() { # WHAT [PART-OF-THE-MESSAGE]
	refuses hook "$vm" vm prepare begin -
	[ "$(wc -l <<<"$refusal")" = 1 ] || fail "$1: not one line: $refusal"
	contains "$1" "$refusal" "${2:-}"
	for call in "started begin" "stopped end" "release end" "reconnect begin"; do
		read -r operation sub <<<"$call"
		hook "$vm" vm "$operation" "$sub" - || fail "$1: $operation failed"
	done
	host_is_as_before
}

: >"$vm"
bad "nothing"
head -c 900 "$good" >"$vm"
bad "half a document"
sed '1i <!DOCTYPE domain [<!ENTITY x SYSTEM "file:///etc/hostname">]>' "$good" >"$vm"
bad "a DTD" DOCTYPE
{ head -n 1 "$good" && head -c 17000000 /dev/zero | tr '\0' ' ' && tail -n +2 "$good"; } >"$vm"
bad "17 MB"
sed 's/profile="low-latency"\/>/profile="no-such"\/>/' "$good" >"$vm"
bad "an unknown profile" no-such
sed 's/profile="low-latency"\/>/profile="..\/low-latency"\/>/' "$good" >"$vm"
bad "a path for a profile" "../low-latency"
sed 's/<fit:domain xmlns:fit="urn:virt-fit:domain:1" profile="low-latency"\/>/<domain profile="low-latency"\/>/' \
	"$good" >"$vm"
bad "a request without a namespace"
sed 's/\(<fit:domain [^>]*\)\/>/\1><fit:run>reboot<\/fit:run><\/fit:domain>/' "$good" >"$vm"
bad "an unknown child" run
sed '/<uuid>/d' "$good" >"$vm"
bad "no UUID" UUID
sed 's/<applied:facet path="/&\/..\/[/' "$good" >"$vm"
bad "a damaged record"

cp "$good" "$vm"
chmod 0666 "$PROFILES/base.xml"
bad "a profile that others can write" base.xml
chmod 0644 "$PROFILES/base.xml"

rm "$HOST/sys/devices/system/cpu/online"
BEFORE=$(hook_dump)
bad "a host that does not say which CPUs are online" online
echo 0-31 >"$HOST/sys/devices/system/cpu/online"
BEFORE=$(hook_dump)
for file in proc/irq sys/devices/system/cpu/cpufreq etc/machine-id; do
	rm -rf "${HOST:?}/$file"
done
BEFORE=$(hook_dump)
hook_up "$vm" vm
hook_down "$vm" vm
host_is_as_before
