#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever libvirt makes of a fitted definition, rendering it again gives it back byte for byte, and
# reverting it gives the definition that libvirt had before. Shipped profiles take turns.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
[ -d "$CORPUS/libvirt" ] || skip "there is no corpus at $CORPUS"
requires xmllint
private_libvirtd_enter "$@"
private_libvirtd_host two-node
libvirtd_start
cd "$TEST_DIR"

# The definition as libvirt prints it, to FILE.
define() { # FROM FILE [--validate]
	# shellcheck disable=SC2086  # no word for no option
	virsh -q define ${3:-} "$1" >log 2>&1 && virsh dumpxml --inactive "$name" >"$2"
}

undefine() {
	virsh -q undefine --nvram "$name" >log 2>&1 || fail "$file: $(cat log)"
}

check() { # of plain.xml, as libvirt has it; false when it is refused
	virt-fit render --profile "$profile" plain.xml >fitted.xml 2>log || return 1
	define fitted.xml defined.xml $valid ||
		fail "$file with $profile: $(cat log)"
	virt-fit render --profile "$profile" defined.xml >again.xml 2>log ||
		fail "$file with $profile: $(cat log)"
	cmp defined.xml again.xml ||
		fail "$file with $profile: not fitted any more: $(diff defined.xml again.xml)"
	virt-fit revert defined.xml >reverted.xml 2>log || fail "$file with $profile: $(cat log)"
	define reverted.xml back.xml || fail "$file with $profile: $(cat log)"
	cmp plain.xml back.xml || fail "$file with $profile: reverted: $(diff plain.xml back.xml)"
	checked=$((checked + 1))
}

checked=0
for file in "$CORPUS"/libvirt/*.xml "$CORPUS"/domains/0*.xml; do
	sed -E "/<domain/s/type=(['\"])kvm['\"]/type=\1qemu\1/; s,<emulator>[^<]*</emulator>,," \
		"$file" >source.xml
	name=$(xmllint --xpath 'string(/domain/name)' source.xml 2>log) || continue
	define source.xml once.xml || continue
	# Some definitions libvirt prints differently each time.
	define once.xml plain.xml || fail "$file: $(cat log)"
	cmp -s once.xml plain.xml || { undefine; continue; }
	# What the schema does not know, libvirt may still accept.
	valid=--validate
	define plain.xml back.xml $valid || valid=
	next_profile
	check || { profile="low-latency" && check; } || true
	undefine
done
[ $checked -gt 20 ] || fail "only $checked definitions were checked"
echo "$checked definitions"
