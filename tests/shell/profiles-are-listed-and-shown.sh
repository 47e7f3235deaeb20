#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `virt-fit profiles` lists what there is, shows what several ask for together, and says no clearly.
set -eu
. "$TOP/tests/lib/shell.sh"

shipped=$TEST_DIR/shipped
local=$TEST_DIR/root/etc/virt-fit/profiles
mkdir -p "$shipped" "$local"
cp "$TOP"/profiles/*.xml "$shipped"

profiles() {
	"$BUILD/virt-fit" profiles --sysroot "$TEST_DIR/root" --profiles "$shipped" "$@"
}

profile() { # NAME CONTENT
	printf '<profile xmlns="urn:virt-fit:profile:1" name="%s"><summary>My %s</summary>%s</profile>\n' \
		"$1" "$1" "$2" >"$local/$1.xml"
}

profile sriov '<vfs count="3"/>'
profile mine '<include profile="sriov"/><vfs class="nvme"/>'
list=$(profiles)
names=$(cd "$shipped" && printf '%s\n' mine.xml *.xml | LC_ALL=C sort | sed 's/\.xml$//' | xargs)
same "column of names" "NAME $names" "$(awk '{ print $1 }' <<<"$list" | xargs)"
same "origins that are not shipped" "ORIGIN local overridden" \
	"$(awk '$2 != "shipped" { print $2 }' <<<"$list" | xargs)"
contains list "$list" "Cores of its own next to its devices"
contains list "$list" "My sriov"

shown=$(profiles low-latency mine)
contains "what is shown" "$shown" "$local/sriov.xml"
contains "what is shown" "$shown" 'pages="1GiB 2MiB"'
contains "what is shown" "$shown" 'count="3"                     sriov.xml:1'
contains "what is shown" "$shown" 'class="nvme"                  mine.xml:1'
contains "what is shown" "$shown" 'pf="nearest"                  (default)'

if command -v python3 >/dev/null; then
	profiles --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
assert {r["name"]: r["origin"] for r in rows if r["origin"] != "shipped"} == \
    {"mine": "local", "sriov": "overridden"}, rows
assert all(r["error"] is None for r in rows), rows'
	profiles --json low-latency mine | python3 -c '
import json, sys
p = json.load(sys.stdin)
assert p["names"] == ["low-latency", "mine"], p
assert p["composition"] == ["base", "low-latency", "sriov", "mine"], p
assert len(p["files"]) == 4 and len(p["digest"]) == 16, p
values = {(s["intent"], s["attribute"]): s for s in p["settings"]}
assert values["vfs", "count"]["value"] == "3" and values["vfs", "pf"]["file"] is None, p
assert [q["name"] for q in p["parameters"]] == ["span", "pages", "locked", "dedicated", "isolate", "partition", "wakeup"], p
assert p["parameters"][0]["allowed"] == ["node", "nodes"], p'
fi

refuses profiles nobody
contains refusal "$refusal" "there is no profile \"nobody\""
refuses profiles ../mine
contains refusal "$refusal" "is no profile name"

# One that cannot be used is listed all the same, and the others with it.
profile mine '<vfs count="many"/>'
list=$(profiles 2>"$TEST_DIR/stderr") && fail "a bad profile was listed without complaint"
contains list "$list" "low-latency"
contains stderr "$(cat "$TEST_DIR/stderr")" "$local/mine.xml:1: <vfs count=\"many\">: count must be"
refuses profiles mine
contains refusal "$refusal" "a number from 0 to 8192"
chmod g+w "$local/sriov.xml"
refuses profiles sriov
contains refusal "$refusal" "chmod go-w"

# Neither installed nor pointed to: an empty list would say that there is nothing to ask for.
rm -r "$shipped" "$local"
refuses profiles
contains refusal "$refusal" "no profiles in /etc/virt-fit/profiles or $shipped"
