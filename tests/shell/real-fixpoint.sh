#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever libvirt makes of a fitted definition, rendering it again gives it back byte for byte, and
# reverting it gives the definition that libvirt had before.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
[ -d "$CORPUS/libvirt" ] || skip "there is no corpus at $CORPUS"
requires xmllint
private_libvirtd_enter "$@"
"$TOP/tests/hosts/make" two-node "$TEST_DIR/host"
private_libvirtd_root "$TEST_DIR/host"
libvirtd_start
cd "$TEST_DIR"

# The definition as libvirt prints it, to FILE.
define() { # FROM FILE
	virsh -q define "$1" >log 2>&1 && virsh dumpxml --inactive "$name" >"$2"
}

undefine() {
	virsh -q undefine --nvram "$name" >log 2>&1 || fail "$file: $(cat log)"
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
	virt-fit render --profile low-latency plain.xml >fitted.xml 2>log || { undefine; continue; }
	define fitted.xml defined.xml || fail "$file: $(cat log)"
	virt-fit render --profile low-latency defined.xml >again.xml 2>log || fail "$file: $(cat log)"
	cmp defined.xml again.xml || fail "$file: not fitted any more: $(diff defined.xml again.xml)"
	virt-fit revert defined.xml >reverted.xml 2>log || fail "$file: $(cat log)"
	define reverted.xml back.xml || fail "$file: $(cat log)"
	cmp plain.xml back.xml || fail "$file: reverted: $(diff plain.xml back.xml)"
	undefine
	checked=$((checked + 1))
done
[ $checked -gt 20 ] || fail "only $checked definitions were checked"
echo "$checked definitions"
