#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The gate hands domains that asked for virt-fit over, with XML and arguments as they are, and has
# no effect on others.
set -eu
. "$TOP/tests/lib/shell.sh"
requires cc
engine=$TEST_DIR/engine
gate=$TEST_DIR/gate
mkdir -p "$TEST_DIR/run"
# With an engine and a state directory of its own.
sed "s,\"run/virt-fit\",\"${TEST_DIR#/}/run\"," "$TOP/src/sys/paths.h" >"$TEST_DIR/paths.h"
grep -q "${TEST_DIR#/}/run" "$TEST_DIR/paths.h" || fail "paths.h has changed"
sed "s,#include \"sys/paths.h\",#include \"$TEST_DIR/paths.h\"," "$TOP/hook/gate.c" >"$TEST_DIR/gate.c"
cc -D_GNU_SOURCE -DFIT_ENGINE="\"$engine\"" -o "$gate" "$TEST_DIR/gate.c"

make_engine() { # [HOW-IT-ENDS]
	cat >"$engine" <<-END
		#!/bin/bash
		printf '[%s]' "\$@" >"$TEST_DIR/args"
		cat >"$TEST_DIR/xml"
		${1:-exit 7}
	END
	chmod +x "$engine"
}

call() { # FILE ARGUMENT...
	rm -f "$TEST_DIR/args"
	code=0
	said=$("$gate" "${@:2}" <"$1" 2>&1) || code=$?
}

sub() { # OPERATION
	case $1 in stopped | release) echo end ;; *) echo begin ;; esac
}

uuid=aaaaaaaa-0000-4000-8000-000000000001
plain=$TEST_DIR/plain.xml ours=$TEST_DIR/ours.xml
echo "<domain><name>x</name><uuid>$uuid</uuid></domain>" >"$plain"
{ cat "$plain" && head -c 30000000 /dev/zero | tr '\0' ' '; } >"$TEST_DIR/large.xml"
{ cat "$TEST_DIR/large.xml" && echo '<f:domain xmlns:f="urn:virt-fit:domain:1"/>'; } >"$ours"
make_engine

for file in "$plain" "$TEST_DIR/large.xml" /dev/null; do
	for operation in prepare start started stopped release reconnect migrate restore attach; do
		call "$file" x "$operation" "$(sub $operation)" -
		same "a domain of others" "0 " "$code $said"
		[ ! -e "$TEST_DIR/args" ] || fail "handed over: $operation"
	done
done

for name in x "-n a 'b'" "--" '%s'; do
	call "$ours" "$name" release end "from snapshot"
	same "the engine's exit code" 7 "$code"
	same "arguments" "[--][$name][release][end][from snapshot]" "$(cat "$TEST_DIR/args")"
	cmp "$ours" "$TEST_DIR/xml"
done
# A reconnect that fails kills the guest, however the engine ends.
for end in "exit 7" "kill -SEGV \$\$"; do
	make_engine "$end"
	call "$ours" x reconnect begin -
	same "reconnect" "0 " "$code $said"
	same "arguments" "[--][x][reconnect][begin][-]" "$(cat "$TEST_DIR/args")"
	cmp "$ours" "$TEST_DIR/xml"
done
make_engine
call "$ours" x attach begin -
same "an unknown operation" 0 "$code"
call "$ours" x
same "too few arguments" 0 "$code"

# The request was taken out while the domain ran.
mkdir -p "$TEST_DIR/run/domains"
: >"$TEST_DIR/run/domains/$uuid"
for operation in stopped release; do
	call "$plain" x $operation "$(sub $operation)" -
	same "$operation of a prepared domain" 7 "$code"
done
call "$plain" x reconnect begin -
same "arguments" "[--][x][reconnect][begin][-]" "$(cat "$TEST_DIR/args")"
call "$plain" x prepare begin -
same "prepare of a domain of others" 0 "$code"
sed -i 's,<uuid>.*</uuid>,<uuid>../../../../../../../../../../../../etc</uuid>,' "$plain"
call "$plain" x release end -
same "a path for a UUID" 0 "$code"

# Without the engine.
rm "$engine"
for operation in prepare start started migrate restore; do
	call "$ours" x "$operation" "$(sub "$operation")" -
	same "$operation without the engine" 1 "$code"
	contains "the message" "$said" "$engine cannot be executed"
	[ "$(wc -l <<<"$said")" = 1 ] || fail "not one line: $said"
done
for operation in stopped release reconnect; do
	call "$ours" x "$operation" "$(sub "$operation")" -
	same "$operation without the engine" "0 " "$code $said"
done
