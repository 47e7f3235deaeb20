#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Definitions, requests and records that contradict themselves, and profiles that contradict the
# host: a refusal that says what is wrong, or a rendering that is sound.
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
for host in two-node small; do
	"$TOP/tests/hosts/make" $host "$TEST_DIR/$host"
done
host=two-node
cp -r "$BUILD/profiles" "$TEST_DIR/profiles"
file=$TEST_DIR/vm.xml

profile() { # NAME CONTENT
	printf '<profile xmlns="urn:virt-fit:profile:1" name="%s"><summary>S</summary>%s</profile>\n' \
		"$1" "$2" >"$TEST_DIR/profiles/$1.xml"
}

definition() { # [CONTENT [MACHINE]]
	cat >"$file" <<-END
		<domain type='kvm'>
		  <name>vm</name>
		  <uuid>11111111-2222-3333-4444-555555555555</uuid>
		  ${1:-}
		  <memory unit='GiB'>1</memory>
		  <vcpu>2</vcpu>
		  <os><type arch='x86_64' machine='${2:-q35}'>hvm</type></os>
		  <devices/>
		</domain>
	END
}

run() { # VERB ARGUMENT...
	local verb=$1
	shift
	"$fit" "$verb" --sysroot "$TEST_DIR/$host" --profiles "$TEST_DIR/profiles" "$@" "$file"
}

refused() { # TEXT ARGUMENT...: as render refuses $file
	local text=$1
	shift
	refuses run render "$@"
	contains "the refusal" "$refusal" "$text"
	[ -z "$(run render "$@" 2>/dev/null)" ] || fail "refused, but something was printed: $*"
}

sound() { # ARGUMENT...: rendered; rendering that changes nothing, and revert gives the definition
	run render "$@" >"$TEST_DIR/fitted.xml"
	cp "$file" "$TEST_DIR/plain.xml"
	cp "$TEST_DIR/fitted.xml" "$file"
	same "rendering twice" "$(cat "$file")" "$(run render "$@")"
	xmllint "$TEST_DIR/plain.xml" --noblanks >"$TEST_DIR/wanted"
	run revert | xmllint --noblanks - | cmp - "$TEST_DIR/wanted"
}

# Profiles against the host and the definition
profile threads '<vcpus place="cores"/><cpu mode="host-passthrough" topology="mirror" threads="2"/>'
definition
host=small refused "2 threads" --profile threads
sound --profile threads
profile cells '<vcpus place="node"/><memory nodes="as-cpus" binding="strict"/><cells count="3"/>'
refused "3 guest NUMA cells wanted, one for each node, but this host has 2 nodes" --profile cells
[ "$(wc -l <<<"$refusal")" = 2 ] || fail "more than a line, and what would fit: $refusal"
profile backing '<disks cache="writeback" io="native"/>'
refused "native" --profile backing
profile features '<cpu require="vmx svm" disable="invtsc svm"/>'
refused "features.xml:1: <cpu> has 'svm' in require= and in disable=" --profile features
definition '' q99
sound --profile low-latency --param pages=none

# Definitions against themselves
definition "<cputune><vcpupin vcpu='0' cpuset='1'/><vcpupin vcpu='0' cpuset='2'/></cputune>"
refused "vm.xml:4: <vcpupin>: vcpu 0 is pinned twice" --profile base
pin="<iothreadpin iothread='1' cpuset='1'/>"
definition "<iothreads>1</iothreads><cputune>$pin$pin</cputune>"
refused "vm.xml:4: <iothreadpin>: iothread 1 is pinned twice" --profile base
definition "<cputune><emulatorpin cpuset='1'/><emulatorpin cpuset='2'/></cputune>"
refused "vm.xml:4: <emulatorpin>: the emulator is pinned twice" --profile base
definition "<cputune>$pin</cputune>"
refused "vm: <iothreadpin iothread='1'> is for an iothread that the domain does not have" \
	--profile base
refused "vm: <iothreadpin iothread='1'> is for an iothread that the domain does not have" \
	--profile low-latency --param pages=none
definition "<iothreads>1</iothreads><cputune>$pin</cputune>"
sound --profile base
definition
sed -i "s,<devices/>,<devices><disk><driver name='qemu' iothread='2'/><target dev='vda'/></disk></devices>," "$file"
refused "vm: iothread='2' of disk vda is for an iothread that the domain does not have" --profile base
definition
sed -i "s,<devices/>,<devices>$(printf "<disk><target dev='%s'/></disk>" vda vdb vda)</devices>," "$file"
refused "two disks have the target 'vda'" --profile base
definition "<cpu mode='custom'><topology sockets='3' cores='1' threads='1'/></cpu>"
sound --profile base

# Requests
request="<f:domain xmlns:f='urn:virt-fit:domain:1' profile='base'/>"
definition "<metadata>$request$request</metadata>"
refused "vm.xml:4: second request"

# Records that somebody has changed
tampered() { # SED-EXPRESSION: of the fitted definition
	sed -E "$1" "$TEST_DIR/good.xml" >"$file"
	! cmp -s "$file" "$TEST_DIR/good.xml" || fail "nothing was changed by $1"
}

unreadable() { # TEXT SED-EXPRESSION
	tampered "$2"
	refused "record of virt-fit: $1" --profile base
	refuses run revert
	contains "the refusal" "$refusal" "record of virt-fit: $1"
	contains "the refusal" "$refusal" "take <fitted> out of <metadata>"
}

definition
run render --profile base >"$TEST_DIR/good.xml"
unreadable "facet name/text(): virt-fit does not change <name>" \
	's,path="cpu/@mode",path="name/text()",'
unreadable "facet uuid: virt-fit does not change <uuid>" 's,path="cpu" ,path="uuid" ,'
unreadable "unknown attribute" 's, digest=, finger=,'
unreadable "'cpu/@' is not a path" 's,path="cpu/@mode",path="cpu/@",'
unreadable "version=, profile=, digest= and host= are needed" 's, digest="[^"]*",,'
unreadable "facet numatune/memory" 's,&lt;memory mode,\&lt;cpu mode,'

# Another digest says that it is not fitted, and fitting it writes the right one.
tampered 's, digest="[^"]*", digest="0000000000000000",'
same "the repaired record" "$(cat "$TEST_DIR/good.xml")" "$(run render --profile base)"

# What a facet does not claim any more is the user's, and stays.
tampered '/path="cputune.emulatorpin"/,/<.applied:facet>/d'
sound_pin=$(run revert | grep emulatorpin)
contains "what revert leaves" "$sound_pin" "<emulatorpin cpuset="
contains "what render leaves" "$(run render --profile base)" "<emulatorpin cpuset="

# A facet that claims what is not there: the value is not ours, it stays and is reported.
tampered "s,(&lt;emulatorpin cpuset=')[^']*,\\17,"
run render --profile base 2>"$TEST_DIR/notes" >"$TEST_DIR/out"
contains "the note" "$(cat "$TEST_DIR/notes")" "cputune/emulatorpin was edited"
contains "what render leaves" "$(cat "$TEST_DIR/out")" "<emulatorpin cpuset="
