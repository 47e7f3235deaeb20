#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What keeps the lab from running is said in one line, and its scenarios then count as skipped, for
# that reason. Stubs stand for a machine that has this or lacks that.
set -eu
. "$TOP/tests/lib/shell.sh"
requires flock setpriv unshare
[ "$(id -u)" = 0 ] || skip "must be root"
export VIRT_FIT_LAB=$TEST_DIR/lab
STUBS=$TEST_DIR/stubs
programs=$PATH
scenarios=$(find "$TOP/tests/lab/scenarios" -name '*.sh' | wc -l)

stub() { # NAME BODY
	mkdir -p "$STUBS"
	printf '#!/bin/sh\n%s\n' "$2" >"$STUBS/$1"
	chmod +x "$STUBS/$1"
}

run_lab() { # VERB [TEXT]; fills `code` and `output`
	code=0
	output=$(PATH=$STUBS:$programs timeout 60 "$TOP/tests/lab/run" "$@" 2>&1 </dev/null) || code=$?
}

cannot() { # REASON [LINES-BEFORE-IT]
	run_lab build
	same "exit code of build" 77 "$code"
	same "build" "lab: $1" "$(tail -n +$((${2:-0} + 1)) <<<"$output")"
	run_lab check
	same "exit code of check" 0 "$code"
	contains "check" "$output" "skip  lab/main-job ($1)"
	same "the summary" "0 passed, 0 failed, $scenarios skipped" "$(tail -n 1 <<<"$output")"
	run_lab shell
	same "exit code of shell" 77 "$code"
}

run_lab
same "exit code without a verb" 2 "$code"
contains "the usage" "$output" "tests/lab/run check [TEXT]"

stub id 'echo 1000'
cannot "must be root"
rm "$STUBS/id"

mkdir "$TEST_DIR/programs"
find /usr/bin /usr/sbin /bin /sbin ! -type d ! -name mke2fs -exec ln -sf -t "$TEST_DIR/programs" {} +
programs=$TEST_DIR/programs
for name in mmdebstrap ssh ssh-keygen; do
	stub $name 'exit 1'
done
cannot "mke2fs is missing (the Debian package e2fsprogs has it)"
stub mke2fs 'exit 1'

stub df 'printf "Avail\n11000\n"'
cannot "$VIRT_FIT_LAB needs 12 GiB of disk space, 10 GiB are free"
stub df 'printf "Avail\n99000\n"'

stub mmdebstrap 'echo "I: fetching"; echo "E: cannot resolve deb.example"; exit 25'
cannot "Debian 13 could not be had: E: cannot resolve deb.example; see $VIRT_FIT_LAB/rootfs.log" 1
[ ! -e "$VIRT_FIT_LAB/rootfs.new" ] || fail "half a root file system is left"
[ ! -e "$VIRT_FIT_LAB/rootfs.stamp" ] || fail "it counts as made"

flock --no-fork "$VIRT_FIT_LAB/lock" sleep 60 &
holder=$!
wait_until 5 sh -c "! flock -n '$VIRT_FIT_LAB/lock' true"
cannot "another lab is running on $VIRT_FIT_LAB; wait for it or give this one another VIRT_FIT_LAB"
kill $holder
wait $holder || true

# Packages as they are wanted, and a disk that an older tree made.
mkdir -p "$VIRT_FIT_LAB"
(
	. "$TOP/tests/lab/common.sh"
	. "$TOP/tests/lab/machine.sh"
	. "$TOP/tests/lab/image.sh"
	rootfs_stamp >"$LAB/rootfs.stamp"
)
echo older >"$VIRT_FIT_LAB/image.stamp"
stub df 'printf "Avail\n1000\n"'
run_lab build
contains "build" "$output" "lab: the host's disk is older than tests/lab"
contains "build" "$output" "lab: $VIRT_FIT_LAB needs 6 GiB of disk space, 0 GiB are free"

run_lab check no-such-scenario
same "exit code without scenarios" 1 "$code"
contains "check" "$output" "no scenario's name contains 'no-such-scenario'"
