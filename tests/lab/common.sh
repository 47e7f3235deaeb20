# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What all parts of the lab share: where it keeps its things, how it speaks, how it refuses.
#
# $LAB, outside of the checkout, survives from run to run:
#   rootfs/     Debian with all packages, made once; virt-fit is compiled in it, for the libraries there
#   host.img    the host's disk, made from it
#   booted.qcow2   what its first boot changed
#   saved.state, saved.qcow2   the host as it ran then, to go on from, and its disk at that moment
#   vmlinuz, initrd.img, id (the ssh key), *.stamp (what all that was made from)
#   run/        of the host that runs: its disk's changes, console, ssh connection

LAB=$(realpath -ms -- "${VIRT_FIT_LAB:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/virt-fit-lab}")
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

# QEMU's and ssh's options cannot have every name, and that of a socket has at most 107 bytes, of which
# ssh wants 17 for itself.
good_name_for_lab() {
	local LC_ALL=C
	[[ $LAB =~ ^[A-Za-z0-9/._+@-]{1,80}$ ]] ||
		cannot "'$LAB' cannot be the lab's name: up to 80 letters, digits and any of /._+@- are possible"
}

one_lab_at_a_time() {
	{ mkdir -p "$LAB" && [ -d "$LAB" ] && : >>"$LAB/lock"; } 2>/dev/null ||
		cannot "$LAB cannot be written; give the lab another VIRT_FIT_LAB"
	exec 8>"$LAB/lock"
	flock --nonblock 8 ||
		cannot "another lab is running on $LAB; wait for it or give this one another VIRT_FIT_LAB"
}

# A command that takes long: a signal to us is heeded at once, and when we end, in whatever way, it is
# not left running. (A shell heeds no signal while it waits for a command in the foreground.)
attended() { # COMMAND ARGUMENT...
	setpriv --pdeathsig KILL -- "$@" <&0 & # said, because otherwise it had no input
	wait $!
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
# names.
foreign_command() { # PROGRAM ARGUMENT...; fills the array `command`
	local libraries=$ROOTFS/usr/lib/x86_64-linux-gnu
	command=(env "QEMU_MODULE_DIR=$libraries/qemu" "$libraries/ld-linux-x86-64.so.2"
		--library-path "$libraries:$libraries/systemd" --argv0 "$1" "$ROOTFS/usr/bin/$1" "${@:2}")
}

foreign() { # PROGRAM ARGUMENT...
	local command
	foreign_command "$@"
	"${command[@]}"
}

in_rootfs() { # COMMAND ARGUMENT...
	attended chroot "$ROOTFS" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
}
