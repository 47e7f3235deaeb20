#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What domains share is what all of them asked for together: the stop of one does not disturb the
# other, and nobody gets what a running domain has for itself.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
a=$TEST_DIR/a.xml b=$TEST_DIR/b.xml

# 2048 pages each, on a node that has none.
for file in nr_hugepages free_hugepages; do
	hook_set "sys/devices/system/node/node0/hugepages/hugepages-2048kB/$file" 0
done
node="<numatune><memory mode='strict' nodeset='0'/></numatune>"
fitted "$a" a "$UUID_A" pages-only 4194304 "$node"
fitted "$b" b "$UUID_B" pages-only 4194304 "$node"
hook "$a" a prepare begin -
same "pages for a" 2048 "$(pool 0)"
hook "$b" b prepare begin -
same "pages for a and b" 4096 "$(pool 0)"
hook "$a" a release end shutdown
same "pages for b" 2048 "$(pool 0)"
hook "$b" b release end crashed
host_is_as_before

# Free pages are promised once.
hook_set sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages 3000
hook_set sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages 3000
hook "$a" a prepare begin -
same "pages for a" 3000 "$(pool 0)"
hook "$b" b prepare begin -
same "pages for a and b" 4096 "$(pool 0)"
hook "$a" a release end shutdown
hook "$b" b release end shutdown
host_is_as_before

# Both were fitted to the same free cores: the second one to start is told who has them.
hook_host two-node
fitted "$a" "a's" "$UUID_A"
fitted "$b" b "$UUID_B"
hook_up "$a" "a's"
running=$(hook_dump)
refuses hook "$b" b prepare begin -
contains "the refusal" "$refusal" "held by the running domain 'a's'"
hook_down "$b" b failed
same "the host of a" "$running" "$(hook_dump)"
hook_down "$a" "a's"
host_is_as_before
hook_up "$b" b
hook_down "$b" b
host_is_as_before

# vCPUs that share their CPUs keep off those that a running domain has for itself; planned beside it,
# they have others. Planned as if it did not run, here.
hook_host two-node
fitted "$a" a "$UUID_A"
fitted "$b" b "$UUID_B" base
hook_up "$a" a
running=$(hook_dump)
refuses hook "$b" b prepare begin -
contains "the refusal" "$refusal" "CPUs 1,17 are held by the running domain 'a'. Fit it with: virt-fit apply b"
hook_down "$b" b failed
same "the host of a" "$running" "$(hook_dump)"
sed "s/cpuset=\(.\)1-7,17-23/cpuset=\12-7,18-23/" "$b" >"$TEST_DIR/beside.xml"
hook_up "$TEST_DIR/beside.xml" b
hook_down "$TEST_DIR/beside.xml" b
# Whoever says so starts on them; a saved guest finds another place.
sed "s/<fit:domain /&stale='warn' /" "$b" >"$TEST_DIR/warned.xml"
hook_up "$TEST_DIR/warned.xml" b
hook_down "$TEST_DIR/warned.xml" b
hook "$b" b restore begin -
cp "$TEST_DIR/stdout" "$TEST_DIR/restored.xml"
lacks "what is restored" "$(grep vcpupin "$TEST_DIR/restored.xml")" "1-7,17-23"
hook_up "$TEST_DIR/restored.xml" b
hook_down "$TEST_DIR/restored.xml" b
hook_down "$a" a
host_is_as_before

# Who floats there already stays until its next start: cores would be nobody's otherwise.
hook_up "$b" b
hook_up "$a" a
hook_down "$a" a
hook_down "$b" b
host_is_as_before

# Who has them by pins of its own is planned around.
fitted "$b" b "$UUID_B" base 1048576 "<cputune><vcpupin vcpu='0' cpuset='1'/><vcpupin vcpu='1' cpuset='2'/></cputune>"
hook_up "$b" b
refuses hook "$a" a prepare begin -
contains "the refusal" "$refusal" "CPU 1 is held by the running domain 'b'"
hook_down "$a" a failed
hook_down "$b" b
host_is_as_before
