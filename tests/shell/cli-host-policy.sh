#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# /etc/virt-fit/host.xml is honoured and named by every verb that plans, is trusted only when nobody else can
# write it, and the schema for editors agrees with the program.
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
root=$TEST_DIR/root
file=$root/etc/virt-fit/host.xml
umask 022
"$TOP/tests/hosts/make" two-node "$root"

state() { # CONTENT-OF-HOST
	printf '<host xmlns="urn:virt-fit:host:1">\n%s\n</host>\n' "$1" >"$file"
}

on_host() { # VERB ARGUMENT...
	"$fit" "$@" --sysroot "$root" --profiles "$BUILD/profiles"
}

domain=$TOP/tests/golden/domains/plain.xml
fitted=$(on_host render --profile low-latency "$domain")
printf '%s\n' "$fitted" >"$TEST_DIR/fitted.xml"
same "what is fitted already" "$fitted" "$(on_host render --profile low-latency "$TEST_DIR/fitted.xml")"

state '<housekeeping cpus="2,18"/>
<keep device="enp65s0f0" vfs="1"/>
<keep device="enp2s0"/>
<keep device="0000:c1:00.0"/>'
host=$(on_host host)
contains "virt-fit host" "$host" "housekeeping  CPUs 2,18, by $file:2"
contains "virt-fit host" "$host" "VF 1 kept by $file:3"
contains "virt-fit host" "$host" "0 of 7 VFs; kept by $file:4"
json=$(on_host host --json)
contains "its JSON" "$json" "\"housekeeping_by\": \"$file:2\""
contains "its JSON" "$json" "\"kept_by\": \"$file:5\""

plan=$(on_host plan --why --profile "low-latency sriov" --param vfs=2 "$domain")
contains "the plan" "$plan" "emulator    CPUs 2,18"
contains "the plan" "$plan" "CPUs 2,18 are housekeeping by $file:2"
contains "the plan" "$plan" "VF 1 of enp65s0f0 (0000:41:10.2): it is kept for the host by $file:3"
contains "the plan" "$plan" "enp2s0: it is kept for the host by $file:4"
refuses on_host plan --profile sriov --param vfs=3 "$domain"
contains "the refusal of VFs" "$refusal" "it is kept for the host by $file:3"
refuses on_host plan --profile gpu --device 0000:c1:00.0 "$domain"
contains "the refusal of the GPU" "$refusal" "it is kept for the host by $file:5"
[ "$(on_host render --profile low-latency "$TEST_DIR/fitted.xml")" != "$fitted" ] ||
	fail "what was fitted before housekeeping moved is still good"

state '<start stale="refuse"/>'
contains "virt-fit host" "$(on_host host)" "early starts  refuse"
contains "its JSON" "$(on_host host --json)" '"start_stale": "refuse"'

state '<allowed cpus="8-11,24-27"/>'
contains "virt-fit host" "$(on_host host)" "CPUs 8-11,24-27, by $file:2"
contains "the plan" "$(on_host plan --profile low-latency "$domain")" "whole cores of node 1"
refuses on_host plan --profile low-latency --allowed 1-4 "$domain"
contains "the refusal" "$refusal" "--allowed: no CPU that is online is allowed (CPUs 1-4)"
state ''
contains "the plan" "$(on_host plan --why --profile low-latency --allowed 9,25,2-7 "$domain")" \
	"only CPUs 2-7,9,25 may be used, by --allowed"
refuses on_host plan --profile low-latency --allowed self "$domain"
contains "the refusal" "$refusal" "does not say which CPUs this process may use"
mkdir -p "$root/proc/self"
printf 'Name:\tx\nCpus_allowed:\tf0\nCpus_allowed_list:\t4-7\nMems_allowed:\t1\n' >"$root/proc/self/status"
refuses on_host plan --profile low-latency --param pages=none --allowed self "$(sed 's/<vcpu>.*</<vcpu>9</' "$domain" >"$TEST_DIR/nine.xml"; echo "$TEST_DIR/nine.xml")"
contains "the refusal" "$refusal" "only CPUs 4-7 may be used, by --allowed"
state '<allowed cpus="self"/>'
contains "virt-fit host" "$(on_host host)" "CPUs 4-7, by $file:2 (what this process may use)"
rm -r "$root/proc/self"

state '<housekeeping cpus="99"/>'
for verb in host "plan --profile base $domain" "render --profile base $domain" "diff --profile base $domain"; do
	# shellcheck disable=SC2086 # words
	refuses on_host $verb
	contains "the refusal of $verb" "$refusal" "$file:2: housekeeping names CPU 99, which this host does not have"
done

state ''
chmod 0666 "$file"
refuses on_host host
contains "the refusal" "$refusal" "host.xml can be written by others (mode 0666)"
chmod 0644 "$file"
chmod 0777 "$root/etc/virt-fit"
refuses on_host host
contains "the refusal" "$refusal" "etc/virt-fit can be written by others"
chmod 0755 "$root/etc/virt-fit"
on_host host >/dev/null

requires xmllint
expect() { # good|bad CONTENT
	local schema=good program=good
	state "$2"
	xmllint --noout --relaxng "$TOP/profiles/host.rng" "$file" >/dev/null 2>&1 || schema=bad
	on_host host >/dev/null 2>&1 || program=bad
	same "the schema's opinion of $2" "$1" "$schema"
	same "the program's opinion of $2" "$1" "$program"
}
expect good ''
expect good '<housekeeping cpus="0"/>'
expect good '<keep device="enp1s0"/><housekeeping cpus=" 0-3, 16 ,^2"/><keep device="enp2s0"/>'
expect good '<housekeeping cores-per-node="1"/><!-- why -->'
expect good '<keep device="0000:41:00.0" vfs="0-2,6"/>'
expect good '<allowed cpus="0-7"/><housekeeping cpus="0"/>'
for content in '<housekeeping/>' '<housekeeping cpus=""/>' '<housekeeping cpus="a"/>' '<housekeeping cpus="0"><a/></housekeeping>' \
	'<housekeeping cpus="0" cores-per-node="1"/>' '<housekeeping cores-per-node="0"/>' '<keep/>' '<keep device=""/>' \
	'<housekeeping cpus="0"/><housekeeping cpus="0"/>' '<keep device="enp2s0" vfs=""/>' '<keep device="enp2s0" a="b"/>' \
	'<allowed/>' '<allowed cpus="all"/>' '<allowed cpus="0"/><allowed cpus="0"/>' \
	'<keep xmlns="" device="enp1s0"/>' '<other/>' text; do
	expect bad "$content"
done
