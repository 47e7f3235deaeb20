#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Plans, with every reason, and fitted definitions for the made-up hosts, against tests/golden/expected.
# A case that is refused has its reason there. After a change that is meant to change them:
#
#   UPDATE=1 tests/run cli-golden; git diff tests/golden
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
golden=$TOP/tests/golden

run() { # VERB HOST DOMAIN PROFILES [OPTION...]: what is printed, without our version; the text of a refusal
	local options=(--sysroot "$TEST_DIR/$2" --profiles "$BUILD/profiles") code=0
	[ "$4" = - ] || options+=(--profile "$4")
	(cd "$golden/domains" && "$fit" "$1" "${options[@]}" "${@:5}" "./$3.xml") \
		>"$TEST_DIR/out" 2>"$TEST_DIR/err" || code=$?
	case $code in
	0) sed 's/ version="[0-9.]*"/ version="VERSION"/' "$TEST_DIR/out" ;;
	1) cat "$TEST_DIR/err" ;;
	*) fail "exit code $code from: $1 $*" ;;
	esac
}

compare() { # FILE TEXT
	if [ -n "${UPDATE:-}" ]; then
		mkdir -p "$golden/expected"
		printf '%s\n' "$2" >"$golden/expected/$1"
	else
		same "$1" "$(cat "$golden/expected/$1")" "$2"
	fi
}

count=0
while read -r host domain profiles; do
	case $host in "" | "#"*) continue ;; esac
	[ -d "$TEST_DIR/$host" ] || "$TOP/tests/hosts/make" "$host" "$TEST_DIR/$host"
	name=$host-$domain-${profiles//[ ,]/+}
	name=${name%--}
	if [ "$profiles" = - ]; then
		compare "$name.plan" "$(run plan "$host" "$domain" "$profiles")"
		compare "$name.json" "$(run plan "$host" "$domain" "$profiles" --json)"
	else
		compare "$name.plan" "$(run plan "$host" "$domain" "$profiles" --why)"
	fi
	compare "$name.xml" "$(run render "$host" "$domain" "$profiles")"
	count=$((count + 1))
done <"$golden/cases"
[ "$count" -gt 0 ] || fail "no cases"

# All domains at once: one that fits nowhere, one without a request, and those that share what there is.
all() { # OPTION...
	(cd "$golden/domains" && "$fit" plan --all --sysroot "$TEST_DIR/two-node" --profiles "$BUILD/profiles" "$@" \
		./desktop.xml ./emulated.xml ./large.xml ./little.xml ./plain.xml ./requesting.xml 2>&1) || true
}
compare "all-two-node.plan" "$(all)"
compare "all-two-node-sriov.plan" "$(all --profile low-latency,sriov)"
