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

# Places where no lab can be.
usual=$VIRT_FIT_LAB
touch "$TEST_DIR/file"
for VIRT_FIT_LAB in "$TEST_DIR/file" "$TEST_DIR/file/lab" /proc/lab; do
	cannot "$VIRT_FIT_LAB cannot be written; give the lab another VIRT_FIT_LAB"
done
for VIRT_FIT_LAB in "$TEST_DIR/a,b" "$TEST_DIR/a b" "/tmp/$(printf '%080d' 0)"; do
	cannot "'$VIRT_FIT_LAB' cannot be the lab's name: up to 80 letters, digits and any of /._+@- are possible"
	[ ! -e "$VIRT_FIT_LAB" ] || fail "'$VIRT_FIT_LAB' was made all the same"
done
VIRT_FIT_LAB=$usual

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

# A signal ends it and what it started, at once; that is no result.
stub mmdebstrap "exec sleep 4321"
for signal in INT:130 TERM:143 HUP:129; do
	# (What runs in the background ignores SIGINT unless told otherwise.)
	PATH=$STUBS:$programs setsid env --default-signal "$TOP/tests/lab/run" check \
		>"$TEST_DIR/output" 2>&1 </dev/null &
	lab=$!
	wait_until 10 pgrep -s "$lab" -f 'sleep 4321'
	kill -s "${signal%:*}" "$lab"
	code=0
	wait $lab || code=$?
	same "exit code after SIG${signal%:*}" "${signal#*:}" "$code"
	! grep -q 'skip\|FAIL\|passed' "$TEST_DIR/output" || fail "it reports: $(cat "$TEST_DIR/output")"
	wait_until 5 sh -c "! pgrep -s $lab"
done

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

# A lab that is ready, on a disk that has become full.
(
	. "$TOP/tests/lab/common.sh"
	. "$TOP/tests/lab/machine.sh"
	. "$TOP/tests/lab/image.sh"
	image_stamp >"$LAB/image.stamp"
	for file in vmlinuz initrd.img host.img; do
		echo something >"$LAB/$file"
	done
	foreign_command qemu-img
	mkdir -p "$(dirname "${command[2]}")"
	install -m 0755 <(printf '#!/bin/sh\ntest -e "%s"\n' "$LAB/whole") "${command[2]}"
)
run_lab build
contains "build" "$output" "lab: the host's disk is older than tests/lab, or damaged"
touch "$VIRT_FIT_LAB/whole"
run_lab build
same "exit code of build" 0 "$code"
same "build" "lab: the host's disk is up to date" "$output"
run_lab check
contains "check" "$output" "skip  lab/main-job ($VIRT_FIT_LAB needs 1 GiB of disk space, 0 GiB are free)"

# A tree that does not compile: no scenario is lost in the report.
stub df 'printf "Avail\n99000\n"'
run_lab check main-job
same "exit code without a program" 1 "$code"
contains "check" "$output" "skip  lab/main-job (there was no host)"
contains "check" "$output" "FAIL  lab/the lab itself"

# What is said to the host while it waits for a shell is not taken from the shell's input; and no command
# in it outlives a signal.
stub ssh 'case $* in *" wait") exec sleep 4321 ;; *) cat >/dev/null ;; esac'
in_lab() { # COMMAND...; in a subshell
	# shellcheck disable=SC2016 # the inner shell's
	PATH=$STUBS:$programs exec setsid env --default-signal bash -euc '
		HERE=$1 TOP=$1/../..
		. "$HERE/common.sh"
		. "$HERE/machine.sh"
		trap "exit 143" TERM
		shift
		eval "$*"' bash "$TOP/tests/lab" "$@"
}
same "input for the shell" "virsh list" "$(echo "virsh list" | in_lab "host true; cat")"
in_lab "host wait" &
lab=$!
wait_until 10 pgrep -s "$lab" -f 'sleep 4321'
kill "$lab"
wait_until 5 sh -c "! pgrep -s $lab"

run_lab check no-such-scenario
same "exit code without scenarios" 1 "$code"
contains "check" "$output" "no scenario's name contains 'no-such-scenario'"
