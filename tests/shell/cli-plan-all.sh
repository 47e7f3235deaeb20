#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# plan --all: domains are planned beside each other, in an order of their own, whatever order they come in; nothing is
# given twice; what does not fit is named; what is left is what the next one could have.
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
root=$TEST_DIR/host
"$TOP/tests/hosts/make" two-node "$root"
cd "$TEST_DIR"
common=(--sysroot "$root" --profiles "$BUILD/profiles")
all() { "$fit" plan --all "${common[@]}" "$@"; }

domain() { # NAME VCPUS PROFILE [CONTENT]: "-": no request
	local request=
	[ "$3" = - ] || request="<metadata><fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='$3'/></metadata>"
	echo "<domain type='kvm'><name>$1</name>$request<memory unit='GiB'>2</memory><vcpu>$2</vcpu>" \
		"<os><type arch='x86_64' machine='q35'>hvm</type></os>${4:-}</domain>"
}
domain small 2 low-latency >small.xml
domain large 12 low-latency >large.xml
domain net 4 "low-latency sriov" >net.xml
domain free 2 - >free.xml
domain pinned 1 - "<cputune><vcpupin vcpu='0' cpuset='15'/></cputune>" >pinned.xml

plan=$(all ./small.xml ./large.xml ./net.xml ./free.xml ./pinned.xml)
same "the plan of the same in another order" "$plan" "$(all ./pinned.xml ./net.xml ./free.xml ./large.xml ./small.xml)"
same "the order" "free pinned large net small" \
	"$(awk '/^left/ { exit } FNR > 1 { print $1 }' <<<"$plan" | xargs)"
contains "the row of pinned" "$plan" "pinned  shut off  -  "

# No CPU and no VF twice, none that is defined for somebody else; what is left is not taken.
requires python3
all --json ./small.xml ./large.xml ./net.xml ./free.xml ./pinned.xml >all.json
"$fit" host --json "${common[@]}" >host.json
python3 - <<'END' || fail "$(cat all.json)"
import json
def cpus(text):
    return {c for part in text.split(",") if part
            for c in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}
plan = json.load(open("all.json"))
taken, devices = cpus("0,16"), set()
for domain in plan["domains"]:
    assert domain["state"] in ("planned", "shut off"), domain
    mine = cpus(domain["cpus"])
    assert not mine & taken, domain
    taken |= mine
    for device in domain["devices"]:
        assert device not in devices, device
        devices.add(device)
    assert (domain["state"] == "planned") == ("plan" in domain)
    if "plan" in domain:
        assert {c for v in domain["plan"]["vcpus"] for c in cpus(v["cpus"])} == mine
taken |= {cpu ^ 16 for cpu in taken}  # cores are given whole
left = set()
for node in plan["left"]["nodes"]:
    left |= cpus(node["free_cpus"])
    assert len(cpus(node["free_cpus"])) == 2 * node["free_cores"]
assert left == set(range(32)) - taken, (left, taken)
vfs = {pf["address"]: pf["free_vfs"] for pf in plan["left"]["pfs"]}
# One that exists; those that would have to be created are all there still.
assert len(devices) == 1 and vfs["0000:41:00.0"] == 2 and vfs["0000:02:00.0"] == 7, vfs
before = sum(pool["free"] * pool["page_kib"] for node in json.load(open("host.json"))["nodes"]
             for pool in node["pools"])
after = sum(pool["free"] * pool["page_kib"] for node in plan["left"]["nodes"] for pool in node["pools"])
assert before - after == 3 * 2 << 20, (before, after)
END

# What is left is enough for one that takes it all, and for nothing more.
left=$(sed -n 's/^  node 1 *\([0-9]*\) of .*/\1/p' <<<"$plan")
[ "$left" -gt 0 ] || fail "nothing is left: $plan"
domain last $((2 * left)) low-latency >last.xml
all ./small.xml ./large.xml ./net.xml ./free.xml ./pinned.xml ./last.xml >/dev/null ||
	fail "what is left ($left cores) cannot be had: $plan"

# What does not fit is named with the reason, and by the exit code; the others are planned all the same.
domain huge 24 low-latency >huge.xml
domain odd 2 nosuch >odd.xml
echo "<domain>" >broken.xml
code=0
all ./small.xml ./huge.xml ./odd.xml ./broken.xml >out 2>err || code=$?
same "the exit code" 1 "$code"
contains "the plan" "$(cat out)" "huge: cannot fit: 12 whole cores wanted on one node"
contains "the plan" "$(cat out)" "odd: there is no profile \"nosuch\""
contains "the plan" "$(cat out)" "./broken.xml:"
grep -q '^small *planned' out || fail "small is not planned: $(cat out)"
contains "what is said" "$(cat err)" "3 of 4 domains cannot fit"
code=0
all --json ./huge.xml >out 2>err || code=$?
same "the exit code with --json" 1 "$code"
contains "the JSON" "$(cat out)" '"state": "cannot fit"'
contains "the JSON" "$(cat out)" '"kind": "refused"'

# As if all had a profile; those that run keep what they have.
all --profile realtime ./free.xml ./small.xml | grep -q '^free *planned *realtime' || fail "free is not planned by realtime"
{
	echo "<node>"
	domain busy 2 - "<cputune><vcpupin vcpu='0' cpuset='8'/><vcpupin vcpu='1' cpuset='24'/></cputune>"
	domain idle 2 low-latency
	echo "</node>"
} >node.xml
connect=(--connect "test://$TEST_DIR/node.xml") # all of its domains run
plan=$(all "${connect[@]}" --profile base ./net.xml)
same "the rows" "busy running - idle running low-latency net planned base" \
	"$(awk '/^left/ { exit } FNR > 1 { print $1, $2, $3 }' <<<"$plan" | xargs)"
contains "what is left" "$(all "${connect[@]}")" "node 1        7 of 8 cores"
refuses all "${connect[@]}" busy
contains "the refusal" "$refusal" "busy is among all domains anyway"
domain busy 1 - >busy.xml
refuses all "${connect[@]}" ./busy.xml
contains "the refusal" "$refusal" "busy is there twice"
refuses all nosuch.xml
contains "the refusal" "$refusal" "cannot read nosuch.xml"
refuses all
contains "the refusal" "$refusal" "there is nothing to plan for this host"

# VFs that are to be created are created once.
domain net2 4 "low-latency sriov" >net2.xml
lacks "the plan" "$(all --param vfs=1 ./net.xml ./net2.xml)" "note:"
lacks "the plan" "$(all --param vfs=3 ./net.xml ./net2.xml)" "note:"
for n in 1 2; do
	sed "s/net2/net2$n/" net2.xml >net2$n.xml
done
contains "the plan" "$(all --param vfs=1 --param pf=enp2s0 ./net.xml ./net2.xml ./net21.xml)" \
	"note: 3 domains get VFs of enp2s0, which has none yet and whose number cannot be changed while one is used: let each create all 3"
lacks "the plan" "$(all --param vfs=1 --param pf=enp2s0 --param create=3 ./net.xml ./net2.xml ./net21.xml)" "note:"

# For another host from its capture.
"$fit" host --sysroot "$root" --save capture.txt
same "the plan for a capture" "$(all ./small.xml ./net.xml)" \
	"$("$fit" plan --all --host capture.txt --profiles "$BUILD/profiles" ./small.xml ./net.xml)"
