#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The watcher against people and programs that are as fast as it: no edit is lost, however short after
# the one before, and no undefined domain comes back. RACES says how many of each (default 12).
set -eu
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
guest_stage "$@"
races=${RACES:-12}
watch_start

definition() { # NAME MIB: prints the path of its file
	guest_xml "$1" "$(request low-latency)" | sed "s/'MiB'>32</'MiB'>$2</" >"$TEST_DIR/$1.$2.xml"
	echo "$TEST_DIR/$1.$2.xml"
}

# One virsh, so that the second command comes MS after the first, not a process later.
in_a_row() { # MS FIRST SECOND
	{
		echo "$2"
		sleep "0.$(printf %03d "$1")"
		echo "$3"
	} | virsh -q >/dev/null
}

memory_is() { # NAME MIB
	[ "$(xml_value //memory "$(virsh -q dumpxml --inactive "$1")")" = $(($2 * 1024)) ]
}

# A second edit 0 to 20 ms after the first.
for ((i = 0; i < races; i++)); do
	first=$(definition "edit$i" 32)
	second=$(definition "edit$i" 48)
	in_a_row $((i * 20 / races)) "define $first" "define $second"
done
for ((i = 0; i < races; i++)); do
	wait_until 10 is_fitted "edit$i"
	memory_is "edit$i" 48 || fail "the second edit of edit$i was lost"
done

# Undefined right after, and just when the watcher is about to define: 140 to 180 ms after.
for ((i = 0; i < races; i++)); do
	file=$(definition "gone$i" 32)
	in_a_row $((i * 20 / races)) "define $file" "undefine gone$i"
	in_a_row $((140 + i * 40 / races)) "define $file" "undefine gone$i"
done
sleep 0.6
left=$(virsh -q list --all --name | grep gone || true)
[ -z "$left" ] || fail "they came back: $left"

# An edit just then can be taken back, because libvirt defines without looking; then it is said.
for ((i = 0; i < races; i++)); do
	first=$(definition "late$i" 32)
	second=$(definition "late$i" 48)
	in_a_row $((140 + i * 40 / races)) "define $first" "define $second"
done
sleep 0.6
for ((i = 0; i < races; i++)); do
	wait_until 10 is_fitted "late$i"
	memory_is "late$i" 48 ||
		watch_says "late$i: it was edited in the very moment" ||
		fail "an edit of late$i was lost without a word"
done
echo "brought back: $(watch_count "brought it back"), overlapped: $(watch_count "in the very moment in which it was fitted; look")"
watch_stop TERM
