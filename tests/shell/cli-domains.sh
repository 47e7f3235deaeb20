#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What an argument means (a domain or a file), names that are awkward, and which domains a plan
# takes into account. Libvirt's test driver plays the domains: all of them run.
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
"$TOP/tests/hosts/make" two-node "$TEST_DIR/host"
common=(--sysroot "$TEST_DIR/host" --profiles "$BUILD/profiles")
cd "$TEST_DIR"

domain() { # NAME-IN-XML CONTENT
	echo "<domain type='kvm'><name>$1</name><memory unit='GiB'>1</memory><vcpu>2</vcpu>$2" \
		"<os><type arch='x86_64'>hvm</type></os></domain>"
}
pins() { # CPU CPU
	echo "<cputune><vcpupin vcpu='0' cpuset='$1'/><vcpupin vcpu='1' cpuset='$2'/></cputune>"
}
request="<metadata><fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='base'/></metadata>"
{
	echo "<node>"
	domain web "$request"
	domain web.xml ""
	domain -n "$request"
	domain "two  words" "$request"
	domain "it&apos;s &quot;q&quot; &lt;x&gt;" "$request"
	domain "Пример" "$request"
	domain pinned "$(pins 1 17)"
	domain half "$request<cputune><vcpupin vcpu='0' cpuset='1'/></cputune>"
	echo "</node>"
} >node.xml
connect=(--connect "test://$TEST_DIR/node.xml")

first_line() { # ARGUMENT...: of a plan
	"$fit" plan "${common[@]}" "$@" | head -n 1
}

# Domains by name and id; a file by its slash, or by .xml when it is there.
contains "plan web" "$(first_line "${connect[@]}" web)" "web: base"
contains "plan by id" "$(first_line "${connect[@]}" 1)" ": base"
contains "plan web.xml" "$(first_line "${connect[@]}" --profile base web.xml)" "web.xml: base"
domain from-file "$request" >web.xml
contains "plan web.xml" "$(first_line "${connect[@]}" web.xml)" "from-file: base"
contains "plan ./web.xml" "$(first_line "${connect[@]}" ./web.xml)" "from-file: base"
contains "plan -" "$(first_line - <web.xml)" "from-file: base"
refuses "$fit" plan "${common[@]}" "${connect[@]}" nosuch
contains "the refusal" "$refusal" "no domain 'nosuch'"
# A file is meant, rather: libvirt's troubles come second.
refuses "$fit" plan "${common[@]}" "${connect[@]}" nosuch.xml
contains "the refusal" "$refusal" "there is no file nosuch.xml, and as a domain: there is no domain 'nosuch.xml'"
refuses "$fit" plan "${common[@]}" --connect nonsense:/// nosuch.xml
contains "the refusal" "$refusal" "there is no file nosuch.xml, and as a domain: cannot connect to libvirt"

for name in -n "two  words" "it's \"q\" <x>" "Пример"; do
	contains "plan" "$(first_line "${connect[@]}" -- "$name")" "$name: base"
	contains "apply" "$("$fit" apply -n "${common[@]}" "${connect[@]}" -- "$name")" "$name: would be fitted (base)"
	contains "list" "$("$fit" list "${common[@]}" "${connect[@]}")" "$name"
	contains "list --json" "$("$fit" list --json "${common[@]}" "${connect[@]}")" \
		"\"name\": \"${name//\"/\\\"}\""
done

# What works, but probably not as wanted, is said by those who fit, not only by plan.
contains "apply" "$("$fit" apply -n "${common[@]}" "${connect[@]}" half 2>&1)" \
	"half: warning: the vCPU pins that are kept overlap with pinned"
mkdir -p host/etc/virt-fit/profiles
cat >host/etc/virt-fit/profiles/desk.xml <<'END'
<profile xmlns="urn:virt-fit:profile:1" name="desk">
  <summary>low-latency, on a host without huge pages</summary>
  <include profile="low-latency"/>
  <memory pages="none"/>
</profile>
END
said=$("$fit" set -n "${common[@]}" "${connect[@]}" web desk --param pages=2MiB 2>&1 >/dev/null)
contains "set" "$said" 'web: note: parameter pages="2MiB" changes nothing'

# A diff shows what is new but not the record, and nothing of what is fitted.
requesting=$TOP/tests/golden/domains/requesting.xml
diff=$("$fit" diff "${common[@]}" "$requesting")
contains "the diff" "$diff" $'\n+    <emulatorpin'
case $diff in *applied:*) fail "the diff shows the record: $diff" ;; esac
"$fit" render "${common[@]}" "$requesting" >fitted.xml
same "the diff of a fitted definition" "" "$("$fit" diff "${common[@]}" ./fitted.xml 2>&1)"
"$fit" render "${common[@]}" ./fitted.xml | cmp - fitted.xml || fail "render changed its own result"

# What others hold counts when libvirt is asked, and with --sysroot only if it is told to be.
cpus_of() { # OPTION...: of vCPU 0
	domain from-file "" >file.xml
	"$fit" render "${common[@]}" "$@" --profile low-latency file.xml |
		sed -n 's/.*<vcpupin vcpu="0" cpuset="\([0-9]*\)".*/\1/p'
}
same "the CPU of vCPU 0" 1 "$(cpus_of)"
[ "$(cpus_of "${connect[@]}")" != 1 ] || fail "the CPU of a running domain was given away"

# Libvirt that cannot be reached: an error if it was asked for, a note if a file is planned.
refuses "$fit" plan "${common[@]}" --connect nonsense:/// ./web.xml
"$fit" host >/dev/null 2>&1 || skip "virt-fit does not understand this machine"
LIBVIRT_DEFAULT_URI=nonsense:/// "$fit" render --profiles "$BUILD/profiles" ./web.xml \
	>fitted.xml 2>note || fail "$(cat note)"
contains "the note" "$(cat note)" "other domains are not considered"
contains "the definition" "$(cat fitted.xml)" "<fit:domain"
# Another machine's domains are not planned for this one's hardware.
refuses "$fit" list --connect test+ssh://nowhere.invalid/default
