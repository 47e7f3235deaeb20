#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A domain that arrives by migration, or from a saved state, is planned for anew: what the hook prints
# is its definition then. A migration that cannot be met here is refused; a saved state, which can go
# nowhere else, only for what cannot work. Nothing else stands in the way of either.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
there=$TEST_DIR/there
"$TOP/tests/hosts/make" nps "$there"
vm=$TEST_DIR/vm.xml

arrives() { # XML-FILE NAME OPERATION: the file becomes what the domain is from then on
	local code=0
	"$BUILD/virt-fit-hook" --sysroot "$HOST" --profiles "$PROFILES" -- "$2" "$3" begin - \
		<"$1" >"$TEST_DIR/arrived" || code=$?
	[ $code = 0 ] || { same "stdout of a refusal" "" "$(cat "$TEST_DIR/arrived")"; return $code; }
	[ ! -s "$TEST_DIR/arrived" ] || cp "$TEST_DIR/arrived" "$1"
}

stays() { # XML-FILE NAME OPERATION
	arrives "$@"
	same "the definition of $2 after $3" "" "$(cat "$TEST_DIR/arrived")"
}

from_there() { # FILE, and what domain_xml takes
	domain_xml "${@:2}" >"$1"
	"$BUILD/virt-fit" render --sysroot "$there" --profiles "$PROFILES" "$1" >"$1.there"
	mv "$1.there" "$1"
}

# The CPUs that vCPUs are pinned to, sorted.
pins() { # FILE
	grep -o 'vcpupin vcpu=.[0-9]*. cpuset=.[0-9,-]*' "$1" | sed 's/.*[^0-9]//' | sort -n | paste -sd,
}

for operation in migrate restore; do
	# Fitted for another host, whose CPUs are numbered otherwise.
	from_there "$vm" vm "$UUID_A"
	domain_xml vm "$UUID_A" >"$TEST_DIR/plain.xml"
	before_pins=$(pins "$vm")
	arrives "$vm" vm $operation
	[ "$(pins "$vm")" != "$before_pins" ] || fail "the pins are those of the other host: $before_pins"
	hook_up "$vm" vm
	host_is_prepared
	# What the user wrote is still known.
	same "what revert gives" \
		"$("$BUILD/virt-fit" revert --sysroot "$HOST" --profiles "$PROFILES" "$vm")" \
		"$(sed "s/'/\"/g" "$TEST_DIR/plain.xml")"
	# Another one keeps off what the first has.
	from_there "$TEST_DIR/vm2.xml" vm2 "$UUID_B"
	arrives "$TEST_DIR/vm2.xml" vm2 $operation
	hook_up "$TEST_DIR/vm2.xml" vm2
	hook_down "$TEST_DIR/vm2.xml" vm2
	hook_down "$vm" vm
	host_is_as_before
	# Once: the next start is an ordinary one.
	from_there "$vm" vm "$UUID_A"
	refuses hook "$vm" vm prepare begin -

	# Both are announced before either is prepared.
	from_there "$vm" vm "$UUID_A"
	from_there "$TEST_DIR/vm2.xml" vm2 "$UUID_B"
	arrives "$vm" vm $operation
	arrives "$TEST_DIR/vm2.xml" vm2 $operation
	hook_up "$TEST_DIR/vm2.xml" vm2
	hook_up "$vm" vm
	common=$(comm -12 <(pins "$vm" | tr , '\n' | sort) <(pins "$TEST_DIR/vm2.xml" | tr , '\n' | sort))
	same "CPUs of both" "" "$common"
	hook_down "$TEST_DIR/vm2.xml" vm2
	hook_down "$vm" vm
	host_is_as_before

	# Fitted here, and nothing in the way: it is as it was.
	fitted "$vm" vm "$UUID_A"
	stays "$vm" vm $operation
	hook_up "$vm" vm
	hook_down "$vm" vm

	# Nothing that asks for us, and nothing that can be read.
	domain_xml vm "$UUID_A" | grep -v fit:domain >"$vm"
	stays "$vm" vm $operation
	stays /dev/null vm $operation
	hook_down "$vm" vm failed
	host_is_as_before

	# Never fitted, with pins of the user's own: these stay.
	domain_xml vm "$UUID_A" low-latency 1048576 \
		"<cputune><vcpupin vcpu='0' cpuset='4'/><vcpupin vcpu='1' cpuset='5'/></cputune>" >"$vm"
	arrives "$vm" vm $operation
	same "the user's pins" 4,5 "$(pins "$vm")"
	hook_up "$vm" vm
	host_is_prepared
	hook_down "$vm" vm
	host_is_as_before

	# The host cannot be read: that is no fault of the domain's.
	from_there "$vm" vm "$UUID_A"
	echo '<host' >"$HOST/etc/virt-fit/host.xml"
	stays "$vm" vm $operation
	hook_down "$vm" vm failed
	rm "$HOST/etc/virt-fit/host.xml"
	host_is_as_before
done

# One that asks for nothing is not ours, whatever it says of us.
for operation in migrate restore; do
	domain_xml vm "$UUID_A" | sed 's,<fit:domain.*/>,<x:note xmlns:x="x">urn:virt-fit:domain:1</x:note>,' >"$vm"
	stays "$vm" vm $operation
	host_is_as_before
	hook_up "$vm" vm
	host_is_as_before
done

# What would become too large to be read again is left as it came. (With sanitizers, which make large
# allocations slow, the hook has no time for that much.)
title=$(head -c 6M /dev/zero | tr '\0' '>')
case $BUILD in *-san) title=small ;; esac
{
	domain_xml vm "$UUID_A" | sed '/<memory /,$d'
	echo "<title>$title</title>"
	domain_xml vm "$UUID_A" | sed -n '/<memory /,$p'
} >"$vm"
case $BUILD in *-san) arrives "$vm" vm restore ;; *) stays "$vm" vm restore ;; esac
hook_down "$vm" vm failed
host_is_as_before

# libvirt asks before it looks whether the domain runs here already: what it holds stays.
for operation in migrate restore; do
	fitted "$vm" vm "$UUID_A"
	hook_up "$vm" vm
	held=$(hook_dump)
	stays "$vm" vm $operation
	same "the host" "$held" "$(hook_dump)"
	from_there "$TEST_DIR/vm2.xml" vm2 "$UUID_B"
	arrives "$TEST_DIR/vm2.xml" vm2 $operation
	common=$(comm -12 <(pins "$vm" | tr , '\n' | sort) <(pins "$TEST_DIR/vm2.xml" | tr , '\n' | sort))
	same "CPUs of both" "" "$common"
	hook_down "$TEST_DIR/vm2.xml" vm2 failed
	hook_down "$vm" vm
	host_is_as_before
	# It did not run: nobody had cleaned up.
	fitted "$vm" vm "$UUID_A"
	hook_up "$vm" vm
	from_there "$vm" vm "$UUID_A"
	arrives "$vm" vm $operation
	hook_up "$vm" vm
	hook_down "$vm" vm
	host_is_as_before
done

# What cannot be met: the migration is refused, and nothing is left behind.
domain_xml vm "$UUID_A" low-latency 1048576 | sed 's/>2</>30</' >"$vm"
refuses arrives "$vm" vm migrate
contains "the refusal" "$refusal" "vm: cannot fit: "
contains "the refusal" "$refusal" "are free"
same "lines of the refusal" 1 "$(grep -c . <<<"$refusal")"
host_is_as_before
# It says who has the rest.
fitted "$TEST_DIR/vm2.xml" vm2 "$UUID_B"
hook_up "$TEST_DIR/vm2.xml" vm2
sed -i 's/>30</>14</' "$vm"
arrives "$vm" vm migrate
hook_down "$vm" vm failed
domain_xml vm "$UUID_A" low-latency 1048576 | sed 's/>2</>28</' >"$vm"
refuses arrives "$vm" vm migrate
contains "the refusal" "$refusal" "vm2 (running) holds 1 core of node"
# A saved state starts as it is, as long as it can.
stays "$vm" vm restore
hook_up "$vm" vm
hook_down "$vm" vm
domain_xml vm "$UUID_A" low-latency 1048576 \
	"<cputune><vcpupin vcpu='0' cpuset='40'/><vcpupin vcpu='1' cpuset='41'/></cputune>" >"$vm"
for operation in migrate restore; do
	refuses arrives "$vm" vm $operation
	contains "the refusal" "$refusal" "cannot fit: "
	contains "the refusal" "$refusal" "vCPU 0 is pinned to CPU 40, online are CPUs 0-31"
done
hook_down "$TEST_DIR/vm2.xml" vm2
host_is_as_before

# A profile that this host does not have.
domain_xml vm "$UUID_A" only-there >"$vm"
refuses arrives "$vm" vm migrate
contains "the refusal" "$refusal" "only-there"
host_is_as_before
stays "$vm" vm restore
hook_up "$vm" vm
hook_down "$vm" vm
sed -i 's/profile="only-there"/& stale="warn"/' "$vm"
stays "$vm" vm migrate
hook_up "$vm" vm
hook_down "$vm" vm
host_is_as_before

# The attempt went no further; a start an hour later is an ordinary one, and what was planned for it
# is in nobody's way.
from_there "$vm" vm "$UUID_A"
arrives "$vm" vm restore
touch -d '1 hour ago' "$HOST/run/virt-fit/domains/$UUID_A"
from_there "$TEST_DIR/vm2.xml" vm2 "$UUID_B"
arrives "$TEST_DIR/vm2.xml" vm2 migrate
same "the CPUs of the next" "$(pins "$vm")" "$(pins "$TEST_DIR/vm2.xml")"
hook_down "$TEST_DIR/vm2.xml" vm2 failed
from_there "$vm" vm "$UUID_A"
refuses hook "$vm" vm prepare begin -
contains "the refusal" "$refusal" "is not fitted"
host_is_as_before
