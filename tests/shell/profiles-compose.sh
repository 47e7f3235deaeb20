#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every two shipped profiles go together: a parameter that both have means the same in both, and is
# set once. Names of parameters are in one style.
set -eu
. "$TOP/tests/lib/shell.sh"
requires xmllint
mkdir "$TEST_DIR/root"
cd "$TOP/profiles"

for first in *.xml; do
	for second in *.xml; do
		[ "$first" != "$second" ] || continue
		"$BUILD/virt-fit" profiles --sysroot "$TEST_DIR/root" --profiles . "${first%.xml}" \
			"${second%.xml}" >/dev/null 2>"$TEST_DIR/err" ||
			fail "$first and $second: $(cat "$TEST_DIR/err")"
	done
done

for file in *.xml; do
	for name in $(xmllint --xpath "//*[local-name() = 'param']/@name" "$file" 2>/dev/null |
		sed 's/.*="\(.*\)"/\1/'); do
		[[ $name =~ ^[a-z]+(-[a-z]+)*$ ]] || fail "$file: parameter $name: lower case, with dashes"
		words=$(xmllint --xpath "string(//*[local-name() = 'param'][@name = '$name']/@allowed)" "$file")
		echo "$name $words"
	done
done | sort -u >"$TEST_DIR/choices"
[ -s "$TEST_DIR/choices" ] || fail "no parameters"
twice=$(cut -d ' ' -f 1 "$TEST_DIR/choices" | uniq -d)
[ -z "$twice" ] || fail "different choices for the same parameter: $(grep "^$twice" "$TEST_DIR/choices")"

"$TOP/tests/hosts/make" two-node "$TEST_DIR/host"
fitted=$("$BUILD/virt-fit" render --sysroot "$TEST_DIR/host" --profiles . --profile "gpu windows" \
	--param vendor-id=Acme --param hidden=on "$TOP/tests/golden/domains/plain.xml")
same "the vendor" Acme "$(xmllint --xpath 'string(//hyperv/vendor_id/@value)' - <<<"$fitted")"
same "hiding of KVM" on "$(xmllint --xpath 'string(//kvm/hidden/@state)' - <<<"$fitted")"
