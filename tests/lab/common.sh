# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What all parts of the lab share: where it keeps its things, how it speaks, how it refuses.
#
# $LAB, outside of the checkout, survives from run to run:
#   rootfs/     Debian with all packages, made once; virt-fit is compiled in it, for the libraries there
#   host.img    the host's disk, made from it and booted once
#   vmlinuz, initrd.img, id (the ssh key), *.stamp (what the two were made from)
#   run/        of the host that runs: its disk's changes, console, ssh connection

LAB=${VIRT_FIT_LAB:-${XDG_CACHE_HOME:-$HOME/.cache}/virt-fit-lab}
HERE=$TOP/tests/lab
ROOTFS=$LAB/rootfs
RUN=$LAB/run

say() { # TEXT
	echo "lab: $*" >&2
}

# What this machine cannot give is no failure of virt-fit: scenarios count as skipped then.
REASON=
cannot() { # TEXT
	REASON=$*
	say "$*"
	exit 77
}

one_lab_at_a_time() {
	mkdir -p "$LAB"
	exec 8>"$LAB/lock"
	flock --nonblock 8 ||
		cannot "another lab is running on $LAB; wait for it or give this one another VIRT_FIT_LAB"
}

enough_space() { # GIBIBYTES
	local free
	free=$(df --output=avail -B 1M "$LAB" | tail -n 1)
	((free >= $1 * 1024)) ||
		cannot "$LAB needs $1 GiB of disk space, $((free / 1024)) GiB are free"
}

kernel_version() {
	basename "$(printf '%s\n' "$ROOTFS"/lib/modules/* | sort -V | tail -n 1)"
}

# A program of the lab's Debian, run on this machine with its own libraries, so that files keep their
# names; politely, because the emulator takes every CPU it can get.
foreign_exec() { # PROGRAM ARGUMENT...
	local libraries=$ROOTFS/usr/lib/x86_64-linux-gnu
	QEMU_MODULE_DIR=$libraries/qemu exec nice -n 5 "$libraries/ld-linux-x86-64.so.2" \
		--library-path "$libraries:$libraries/systemd" \
		--argv0 "$1" "$ROOTFS/usr/bin/$1" "${@:2}"
}

foreign() { # PROGRAM ARGUMENT...
	(foreign_exec "$@")
}

in_rootfs() { # COMMAND ARGUMENT...
	chroot "$ROOTFS" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
}
