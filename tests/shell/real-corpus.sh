#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Definitions that others wrote ($CORPUS) render or are refused with a reason; what renders is valid
# to libvirt whenever the definition itself is.
#
# Shipped profiles take turns: every definition with every one takes too long here, and a unit test
# does that.
#
# There may be no KVM here, no other architecture's emulator, and files name emulators of other
# systems: a second round asks libvirt about the same definitions made plain 'qemu' ones for this
# machine's emulator.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
[ -d "$CORPUS/domains" ] || skip "there is no corpus at $CORPUS"
private_libvirtd_enter "$@"
private_libvirtd_host two-node
libvirtd_start

rendered=0 refused=0 accepted=0 foreign=0

render() { # FILE: to $TEST_DIR/out.xml; false when refused
	local code=0
	virt-fit render --profile "$profile" "$1" >"$TEST_DIR/out.xml" 2>"$TEST_DIR/reason" || code=$?
	case $code in
	0) return 0 ;;
	1) [ -s "$TEST_DIR/reason" ] || fail "$file: refused without a word" ;;
	*) fail "$file: exit code $code: $(cat "$TEST_DIR/reason")" ;;
	esac
	[ ! -s "$TEST_DIR/out.xml" ] || fail "$file: refused, but something was printed"
	return 1
}

accepts() { # FILE [--validate]: does libvirt?
	local name
	# shellcheck disable=SC2086  # no word for no option
	virsh -q define ${2:-} "$1" >"$TEST_DIR/define" 2>&1 || return 1
	name=$(virsh -q list --all --name)
	virsh -q undefine --nvram "${name%%$'\n'*}" >/dev/null
}

for file in "$CORPUS"/domains/*.xml "$CORPUS"/libvirt/*.xml; do
	next_profile
	if render "$file"; then
		rendered=$((rendered + 1))
		cp "$TEST_DIR/out.xml" "$TEST_DIR/once.xml"
		render "$TEST_DIR/once.xml" || fail "$file with $profile: its rendering is refused: $(cat "$TEST_DIR/reason")"
		cmp "$TEST_DIR/once.xml" "$TEST_DIR/out.xml" || fail "$file with $profile: rendering twice differs"
	else
		refused=$((refused + 1))
	fi

	sed -E "/<domain/s/type=(['\"])kvm['\"]/type=\1qemu\1/; s,<emulator>[^<]*</emulator>,," \
		"$file" >"$TEST_DIR/plain.xml"
	# What the schema does not know, libvirt may still accept.
	for check in --validate ""; do
		accepts "$TEST_DIR/plain.xml" $check || continue
		render "$TEST_DIR/plain.xml" || continue 2
		accepts "$TEST_DIR/out.xml" $check ||
			fail "$file with $profile: rendered, it is not accepted: $(cat "$TEST_DIR/define")"
		accepted=$((accepted + 1))
		continue 2
	done
	foreign=$((foreign + 1))
done
echo "$rendered rendered, $refused refused with a reason; $accepted renderings accepted by libvirt," \
	"$foreign files not accepted here to begin with"
[ $rendered -gt 0 ] && [ $accepted -gt 0 ]
