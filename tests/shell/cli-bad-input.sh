#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Documents and names that are no good are refused with a reason and without output.
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
"$TOP/tests/hosts/make" two-node "$TEST_DIR/host"
common=(--sysroot "$TEST_DIR/host" --profiles "$BUILD/profiles")
good=$TOP/tests/golden/domains/plain.xml
bad=$TEST_DIR/bad.xml

refused() { # TEXT VERB ARGUMENT...: exit 1, nothing on stdout, TEXT on stderr
	local wanted=$1 verb=$2
	shift 2
	refuses "$fit" "$verb" "${common[@]}" "$@"
	contains "the refusal of $verb $*" "$refusal" "$wanted"
	[ -z "$("$fit" "$verb" "${common[@]}" "$@" 2>/dev/null)" ] || fail "$verb $* wrote to stdout"
}

bad_document() { # TEXT: what every verb that reads a file must say of $bad
	local verb
	for verb in plan diff render; do
		refused "$1" "$verb" --profile base "$bad"
	done
	refused "$1" revert "$bad"
	refused "$1" render --profile base - <"$bad"
}

head -c 200 "$good" >"$bad"
bad_document ":7: "
echo '<!DOCTYPE domain [<!ENTITY x "y">]><domain><name>&x;</name></domain>' >"$bad"
bad_document "document type declaration"
: >"$bad"
bad_document "empty"
echo '<network><name>n</name></network>' >"$bad"
bad_document "<network>"
{
	echo "<domain type='kvm'><name>big</name><description>"
	head -c 17000000 /dev/zero | tr '\0' x
	echo "</description><memory>1024</memory><vcpu>1</vcpu></domain>"
} >"$bad"
bad_document "16 MiB"
printf '<domain type="kvm"><name>a\0b</name></domain>' >"$bad"
bad_document ":1: "

refused "No such file" plan --profile base "$TEST_DIR/missing.xml"
refused "Is a directory" plan --profile base "$TEST_DIR/"

# Profiles
refused "there is no profile \"nosuch\"" plan --profile nosuch "$good"
for name in ../base base/../base /etc/passwd . .. .hidden "$(printf 'x%.0s' {1..200})"; do
	refused "\"$name\" is no profile name" plan --profile "$name" "$good"
done
refused "requests no profile" plan "$good"
refused '"base" is named twice' plan --profile "base low-latency base" "$good"

# Requests in the document
request() { # ATTRIBUTES CONTENT
	local start="<fit:domain xmlns:fit='urn:virt-fit:domain:1'"
	sed "s,<vcpu,<metadata>$start $1>$2</fit:domain></metadata><vcpu," "$good" >"$bad"
}
request "profile='base'" ""
"$fit" render "${common[@]}" "$bad" >/dev/null
request "profile='base'" "<fit:nonsense/>"
refused "unknown element <nonsense>" render "$bad"
request "profile='base'" "<fit:param name='no' value='1'/>"
refused "no parameter \"no\"" render "$bad"
request "profile='../base'" ""
refused "../base" render "$bad"
request "profile='base base'" ""
refused '"base" is named twice' render "$bad"
request "" ""
refused "names no profile" render "$bad"
sed "s,<vcpu,<metadata><domain profile='base'/></metadata><vcpu," "$good" >"$bad"
refused "no namespace" render "$bad"

# Roots
mkdir "$TEST_DIR/empty"
refuses "$fit" plan --sysroot "$TEST_DIR/empty" --profiles "$BUILD/profiles" --profile base "$good"
contains "the refusal" "$refusal" "is not the root of a system"
refuses "$fit" plan --sysroot "$TEST_DIR/nosuch" --profiles "$BUILD/profiles" --profile base "$good"
contains "the refusal" "$refusal" "$TEST_DIR/nosuch"

# Programs get a refusal as JSON, besides.
json=$("$fit" plan "${common[@]}" --json --profile nosuch "$good" 2>"$TEST_DIR/err") && fail "not refused"
contains "stderr" "$(cat "$TEST_DIR/err")" 'no profile "nosuch"'
contains "the JSON" "$json" "\"subject\": \"$good\""
contains "the JSON" "$json" '"kind": "not found"'
contains "the JSON" "$json" 'there is no profile \"nosuch\"'
