#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Parts of the L3 cache and of memory bandwidth: on a host with resctrl the definition is valid to
# libvirt's schema, the same when rendered again, and goes back; on others they are left out or refused.
set -eu
. "$TOP/tests/lib/shell.sh"
requires xmllint
fit=$BUILD/virt-fit
cd "$TEST_DIR"
cp -R "$BUILD/profiles" profiles
"$TOP/tests/hosts/make" resctrl host
"$TOP/tests/hosts/make" two-node without

profile() { # INTENTS
	cat >profiles/cached.xml <<-END
		<profile xmlns="urn:virt-fit:profile:1" name="cached">
		  <summary>S</summary><include profile="low-latency"/>$1
		</profile>
	END
}

try() { # VERB HOST FILE [OPTION...]
	"$fit" "$1" --sysroot "$2" --profiles profiles --profile cached "${@:4}" "$3"
}

value() { # XPATH FILE
	xmllint --xpath "string($1)" "$2"
}

same_xml() { # WHAT FILE FILE
	same "$1" "$(xmllint --c14n "$2")" "$(xmllint --c14n "$3")"
}

plain=$TOP/tests/golden/domains/plain.xml
profile "<cachetune size='5MiB'/><memorytune bandwidth='45'/>"
try render host "$plain" >fitted.xml
same "the vCPUs" 0-3 "$(value //cachetune/@vcpus fitted.xml)"
same "the cache" "1 3 both 6 MiB" "$(for name in id level type size unit; do
	value "//cachetune/cache/@$name" fitted.xml
done | xargs)"
same "the bandwidth" "0-3 1 50" "$(for way in @vcpus node/@id node/@bandwidth; do
	value "//memorytune/$way" fitted.xml
done | xargs)"
if command -v virt-xml-validate >/dev/null; then
	virt-xml-validate fitted.xml domain >log 2>&1 || fail "$(cat log)"
fi
contains "the plan" "$(try plan host "$plain")" "6 MiB alone, 50 % of the bandwidth to memory"

# Rendered again, also as libvirt prints it, and back.
try render host fitted.xml >again.xml
cmp fitted.xml again.xml || fail "rendered twice: $(diff fitted.xml again.xml)"
sed -E "s/(<cache id=.[0-9]*.) (level=.3.) (type=.both.) size=.6. unit=.MiB./\1 \2 \3 size='6144' unit='KiB'/" \
	fitted.xml >printed.xml
! cmp -s fitted.xml printed.xml || fail "nothing was changed"
try render host printed.xml >again.xml
cmp printed.xml again.xml || fail "rendered again: $(diff printed.xml again.xml)"
"$fit" revert printed.xml >back.xml 2>log
[ ! -s log ] || fail "$(cat log)"
same_xml "the reverted definition" "$plain" back.xml

# A definition with its own.
sed "s,<devices>,<cputune><cachetune vcpus='0-1'><cache id='0' level='3' type='both' size='4' \
unit='MiB'/></cachetune></cputune><devices>," "$plain" >own.xml
try render host own.xml >fitted.xml
same "the kept part" 0-1 "$(value //cachetune/@vcpus fitted.xml)"
same "the bandwidth, which would overlap" "" "$(value //memorytune/@vcpus fitted.xml)"
profile "<cachetune size='5MiB' existing='replace'/>"
try render host own.xml >fitted.xml
same "the new part" "0-3 6" "$(value //cachetune/@vcpus fitted.xml) $(value //cache/@size fitted.xml)"
"$fit" revert fitted.xml >back.xml
same_xml "the reverted definition" own.xml back.xml
profile "<cachetune size='5MiB' existing='require'/>"
refuses try render host own.xml
contains "the refusal" "$refusal" "cachetune vcpus='0-3'"

# The profile's own <domain> wins over the intent, and must not overlap with the definition's.
profile "<cachetune size='5MiB' existing='replace'/><memorytune bandwidth='50'/><domain
	existing='replace'><cputune><cachetune vcpus='0-1'><cache id='0' level='3' type='both' size='4'
	unit='MiB'/></cachetune></cputune></domain>"
try render host "$plain" >fitted.xml
same "the parts" 0-1 "$(xmllint --xpath "//cachetune/@vcpus" fitted.xml | cut -d'"' -f2)"
same "the bandwidth, which would overlap" "" "$(value //memorytune/@vcpus fitted.xml)"
sed "s/cachetune vcpus='0-1'/cachetune vcpus='0-2'/" own.xml >wider.xml
refuses try render host wider.xml
contains "the refusal" "$refusal" "with what profiles/cached.xml:4 and on says"
contains "the refusal" "$refusal" "vcpus='0-1' overlaps with <cachetune vcpus='0-2'>"

# What cannot be.
profile "<cachetune size='24MiB'/>"
refuses try render host "$plain"
contains "the refusal" "$refusal" "at most 22 MiB can be had, in pieces of 2 MiB"
profile "<cachetune size='12MiB'/>"
contains "the plan" "$(try plan host "$plain")" "gives up 6 of the 12 bits of L3 cache 1"
profile "<cachetune size='4MiB'/><memorytune bandwidth='50'/>"
try render without "$plain" >fitted.xml
same "parts on a host without resctrl" "" "$(value //cachetune/@vcpus fitted.xml)"
contains "the plan" "$(try plan without "$plain")" "the part of the L3 cache is left out"
contains "the plan" "$(try plan without "$plain")" "the limit of memory bandwidth is left out"
profile "<memorytune bandwidth='50' missing='refuse'/>"
refuses try render without "$plain"
contains "the refusal" "$refusal" "the limit of memory bandwidth cannot be had"
profile "<cachetune size='4MiB'/>"
contains "the plan" "$(try plan host "$plain" --target libvirt=4.0)" "libvirt 4.0 has no allocation of the host's"
