#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A capture of a host (host --save) stands for it: the same host is seen and the same plan made (--host). It says
# nothing that only identifies the machine, is refused when it is not whole, and leaves nothing behind.
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
export TMPDIR=$TEST_DIR/tmp
mkdir "$TMPDIR"
umask 022

nothing_is_left() {
	same "what is left in TMPDIR after $1" "" "$(ls "$TMPDIR")"
}

nameless() { # without what the capture replaces, and where the tree is
	sed -E -e "s,$TEST_DIR/[^:]*(root|cap):?/,/," -e '/^ *"(name|identity)": "[a-z0-9-]*",$/d' -e '1s/^[a-z0-9-]*: //'
}

domain=$TOP/tests/golden/domains/plain.xml
plan() { # ARGUMENT...
	"$fit" plan --why --profiles "$BUILD/profiles" "$@" "$domain" 2>&1 || true
}

for name in $("$TOP/tests/hosts/describe" --list); do
	root=$TEST_DIR/$name.root
	capture=$TEST_DIR/$name.cap
	"$TOP/tests/hosts/make" "$name" "$root"
	if [ "$name" = two-node ]; then
		mkdir -p "$root/etc/virt-fit"
		echo '<host xmlns="urn:virt-fit:host:1"><housekeeping cpus="1"/></host>' >"$root/etc/virt-fit/host.xml"
	fi
	"$fit" host --sysroot "$root" --save "$capture"
	mkdir -p "$TEST_DIR/again"
	"$fit" host --host "$capture" --save "$TEST_DIR/again/$name.cap"
	same "the capture of the capture of $name" "$(cat "$capture")" "$(cat "$TEST_DIR/again/$name.cap")"
	same "$name" "$("$fit" host --sysroot "$root" 2>&1 | nameless)" "$("$fit" host --host "$capture" 2>&1 | nameless)"
	same "the JSON of $name" "$("$fit" host --json --sysroot "$root" | nameless)" \
		"$("$fit" host --json --host "$capture" | nameless)"
	for profile in "low-latency sriov" realtime; do
		same "the plan by $profile for $name" "$(plan --profile "$profile" --sysroot "$root" | nameless)" \
			"$(plan --profile "$profile" --host "$capture" | nameless)"
	done
	nothing_is_left "$name"
done
contains "the plan by the policy in the capture" "$(plan --profile low-latency --host "$TEST_DIR/two-node.cap")" \
	"CPU 1 is housekeeping by $TEST_DIR/two-node.cap/etc/virt-fit/host.xml:1"

# What identifies the machine
root=$TEST_DIR/two-node.root
capture=$TEST_DIR/mine.cap
"$BUILD/tests/lib/mkroot" "$root" <<'END'
proc/sys/kernel/hostname = secret-name
etc/machine-id = 5ec2e7005ec2e7005ec2e7005ec2e700
proc/sys/kernel/random/boot_id = 5ec2e700-5ec2-4e70-85ec-2e7005ec2e70
sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/net/enp2s0/address = aa:bb:cc:5e:c2:e7
sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/net/enxaabbcc5ec2e7/operstate = up
sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/net/enxaabbcc5ec2e7/carrier = 1
sys/devices/pci0000:00/0000:00:17.0/block/sda/size = 5
sys/class/block/sda -> ../../devices/pci0000:00/0000:00:17.0/block/sda
sys/devices/pci0000:00/0000:00:17.0/block/sda/serial = secret-serial
proc/self/mountinfo = 1 1 8:0 / /srv/secret-point rw - ext4 /dev/sda rw\n2 1 0:1 / /x rw - nfs secret-server:/x rw
proc/mounts = proc /proc proc rw 0 0\nsecret-server:/x /x nfs rw 0 0
proc/self/net/route = Iface\tDestination\tGateway\nenp65s0f0v1\t5EC2E70A\t00000000\t1\t0\t0\t0\tFF000000\nenp65s0f0v0\t00000000\t5EC2E701\t3\t0\t0\t0\t00000000
proc/self/net/if_inet6 = 5ec2e700000000000000000000000001 03 40 00 80 enp65s0f0v2
sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/net/enp2s0/upper_br0 -> ../../br0
proc/cmdline = root=UUID=5ec2e700 pcie_acs_override=downstream secret
etc/virt-fit/profiles/mine.xml = <profile><!-- AA:BB:CC:5E:C2:E7 and AA:BB:CC:5E:C2:E8 --></profile>
END
"$fit" host --sysroot "$root" --save "$capture"
for word in secret 5ec2e700 5EC2E7 aa:bb:cc aabbcc AA:BB:CC; do
	lacks "the capture" "$(cat "$capture")" "$word"
done
contains "the capture" "$(cat "$capture")" "proc/sys/kernel/hostname = mine"
contains "the capture" "$(cat "$capture")" "<!-- 02:00:00:00:00:00 and 02:00:00:00:00:01 -->"
contains "the capture" "$(cat "$capture")" "/net/enx020000000000/operstate = up"
contains "the capture" "$(cat "$capture")" "rw - none /dev/sda rw"

same "who uses network cards" "$("$fit" host --json --sysroot "$root" | grep -E '"(use|acs_override)"')" \
	"$("$fit" host --json --host "$capture" | grep -E '"(use|acs_override)"')"
for what in "has the default route" "has an address" "is part of br0" "pcie_acs_override=downstream"; do
	contains "the host of the capture" "$("$fit" host --json --host "$capture")" "$what"
done

# Cut off at any line, or no capture at all
lines=$(wc -l <"$capture")
for count in 1 2 $((lines / 2)) $((lines - 1)); do
	head -n "$count" "$capture" >"$TEST_DIR/cut"
	refuses "$fit" host --host "$TEST_DIR/cut"
	contains "the refusal" "$refusal" "$TEST_DIR/cut:$count: the capture is cut off here"
done
head -c -3 "$capture" >"$TEST_DIR/cut"
refuses "$fit" plan --host "$TEST_DIR/cut" --profile base "$domain"
contains "the refusal" "$refusal" "$TEST_DIR/cut:$lines: the capture is cut off here"
for text in "" "a = b" "# virt-fit capture 1"; do
	printf %s "$text" >"$TEST_DIR/cut"
	refuses "$fit" host --host "$TEST_DIR/cut"
	contains "the refusal" "$refusal" "$TEST_DIR/cut:1: no capture of a host"
done
refuses "$fit" host --host "$TEST_DIR/missing"
contains "the refusal" "$refusal" "cannot open $TEST_DIR/missing"
for line in nonsense 'a = \x4' '/ = a'; do
	printf '# virt-fit capture 1\n\n%s\n# end of the capture\n' "$line" >"$TEST_DIR/cut"
	refuses "$fit" host --host "$TEST_DIR/cut"
	contains "the refusal of $line" "$refusal" "$TEST_DIR/cut:3: "
done
# What is wrong in it is said to be there, not where it is unpacked to; and whoever plans is told, too.
for line in "sys/devices/system/cpu/online = 0-" "sys/devices/system/cpu/online = "; do
	printf '# virt-fit capture 1\n%s\n# end of the capture\n' "$line" >"$TEST_DIR/cut"
	refuses "$fit" host --host "$TEST_DIR/cut"
	contains "the refusal of $line" "$refusal" "$TEST_DIR/cut/sys/devices/system/cpu/online"
	lacks "the refusal of $line" "$refusal" "$TMPDIR"
done
sed 's,/0000:02:00.0/local_cpulist = .*,/0000:02:00.0/local_cpulist = 0-x,' "$capture" >"$TEST_DIR/cut"
contains "what is said beside the plan" "$(plan --host "$TEST_DIR/cut" --profile base)" \
	"virt-fit: sys/bus/pci/devices/0000:02:00.0/local_cpulist: "
nothing_is_left "refusals"

# It cannot write elsewhere.
mkdir "$TEST_DIR/outside"
{
	echo '# virt-fit capture 1'
	printf '%s\n' "../../outside/a = 1" "up -> $TEST_DIR/outside" "up/b = 1" "up/c -> d" "up/e/" "sys/devices/system/cpu/online = 0"
	echo '# end of the capture'
} >"$TEST_DIR/cut"
"$fit" host --host "$TEST_DIR/cut" >/dev/null 2>&1 || true
same "what is outside" "" "$(ls "$TEST_DIR/outside")"
nothing_is_left "an attempt"

# However it ends
is_unpacked() {
	[ -n "$(find "$TMPDIR" -name run)" ]
}
for signal in INT TERM HUP KILL; do
	mkfifo "$TEST_DIR/pipe"
	"$fit" render --host "$capture" --profile base <"$TEST_DIR/pipe" >/dev/null 2>&1 &
	exec 5>"$TEST_DIR/pipe"
	wait_until 20 is_unpacked
	kill -"$signal" $!
	exec 5>&-
	wait $! 2>/dev/null || true
	wait_until 20 rmdir "$TMPDIR"
	mkdir "$TMPDIR"
	rm "$TEST_DIR/pipe"
done

refuses "$fit" host --sysroot "$root" --save "$TEST_DIR/missing/file"
contains "the refusal" "$refusal" "cannot write $TEST_DIR/missing/file"
