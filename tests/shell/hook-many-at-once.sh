#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libvirt calls hooks of up to 16 domains at once.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
for file in nr_hugepages free_hugepages; do
	hook_set "sys/devices/system/node/node0/hugepages/hugepages-2048kB/$file" 0
done

count=12
for i in $(seq $count); do
	fitted "$TEST_DIR/vm$i.xml" "vm$i" "$(printf 'aaaaaaaa-0000-4000-8000-0000000000%02d' "$i")" \
		pages-only 1048576 "<numatune><memory mode='strict' nodeset='0'/></numatune>"
done

at_once() { # OPERATION SUBOPERATION
	local i pids=()
	for i in $(seq $count); do
		"$BUILD/virt-fit-hook" --sysroot "$HOST" --profiles "$PROFILES" -- "vm$i" "$1" "$2" - \
			<"$TEST_DIR/vm$i.xml" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || fail "$1 exited with $?"
	done
}

for round in 1 2; do
	at_once prepare begin
	same "pages in round $round" $((count * 512)) "$(pool 0)"
	at_once started begin
	at_once stopped end
	at_once release end
	host_is_as_before
done
