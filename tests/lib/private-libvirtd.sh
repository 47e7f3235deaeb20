#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A libvirtd of one's own, in private mount, PID, network, IPC and UTS namespaces, with the built hook
# installed. Nothing of the machine's own libvirt is read or written and nothing outlives the
# caller: all files are on a tmpfs that exists only inside the mount namespace, all processes are
# killed by the kernel with the PID namespace, also when the caller is killed.
#
# In a test (bash):
#
#	. "$TOP/tests/lib/private-libvirtd.sh"
#	private_libvirtd_enter "$@"	# runs the script again inside; exits 77 when it cannot
#	private_libvirtd_root "$dir"	# hook and virt-fit see this root instead of "/"
#	libvirtd_start
#	virt-fit apply web01; virsh start web01
#
# Settings of the kernel are in no namespace: with the root "/" the hook changes those of the machine,
# and guests that are killed with their namespace do not give them back.
#
# Or as a command: tests/lib/private-libvirtd.sh COMMAND ARGUMENT... runs COMMAND inside, with
# libvirtd running and the host of guest.sh as root.
#
# Inside, `virt-fit` on PATH and /usr/sbin/virt-fit-hook are small scripts that execute the built
# programs with the profiles of this tree and the root that was set. Environment: TOP,
# BUILD (absolute, default TOP/build), PRIVATE (the tmpfs), LIBVIRTD_UUID (of the host, as its daemon
# has it), PRIVATE_LIBVIRTD_KEEPS_NET (the network is the caller's, for two that talk to each other).

TOP=${TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
BUILD=${BUILD:-$TOP/build}
export TOP BUILD

. "$TOP/tests/lib/shell.sh"

PRIVATE=/run/private-libvirtd
libvirtd_pid=

private_libvirtd_enter() { # ARGUMENT...: those of the calling script
	if [ "${PRIVATE_LIBVIRTD_INSIDE:-}" != 1 ]; then
		private_libvirtd_requires
		local net=--net
		[ -z "${PRIVATE_LIBVIRTD_KEEPS_NET:-}" ] || net=
		# shellcheck disable=SC2086  # none or one
		PRIVATE_LIBVIRTD_INSIDE=1 exec unshare --mount --pid $net --ipc --uts --fork \
			--kill-child --mount-proc bash "$0" "$@"
	fi
	unset PRIVATE_LIBVIRTD_INSIDE
	# As init of the PID namespace this shell gets only those signals it asks for.
	trap 'exit 143' TERM INT HUP
	trap private_libvirtd_leave EXIT
	private_libvirtd_mounts
	private_libvirtd_configure
	private_libvirtd_install
	private_libvirtd_root /
}

private_libvirtd_requires() {
	[ "$(id -u)" = 0 ] || skip "needs root"
	requires unshare virsh qemu-system-x86_64
	libvirtd_program >/dev/null || skip "libvirtd is not installed"
	unshare --mount --pid --net --ipc --uts --fork --kill-child --mount-proc \
		mount -n -t tmpfs tmpfs /run 2>/dev/null || skip "namespaces are not permitted here"
}

# The monolithic daemon where there is one, else the QEMU daemon of the split ones.
libvirtd_program() {
	command -v libvirtd || command -v virtqemud
}

private_libvirtd_mounts() {
	local over dir
	mount -n -t tmpfs -o mode=0755 tmpfs /run
	mkdir -p /run/lock "$PRIVATE/bin"
	for over in /etc/libvirt /etc/virt-fit /var/lib/libvirt /var/cache/libvirt /var/log; do
		dir=$PRIVATE/over$over
		mkdir -p "$dir"
		[ ! -d "$over" ] || mount --bind "$dir" "$over"
	done
	private_libvirtd_user libvirt-qemu
	if command -v ip >/dev/null; then
		ip link set lo up
	fi
}

# The user that Debian's libvirtd looks up before it reads that it is to use another; the package with
# the service that nobody wants for a test makes it.
private_libvirtd_user() { # NAME
	local file
	! id "$1" >/dev/null 2>&1 || return 0
	for file in passwd group; do
		cp "/etc/$file" "$PRIVATE/$file"
		mount --bind "$PRIVATE/$file" "/etc/$file"
	done
	echo "$1:x:64055:" >>/etc/group
	echo "$1:x:64055:64055::/nonexistent:/usr/sbin/nologin" >>/etc/passwd
}

private_libvirtd_configure() {
	local daemon
	daemon=$(basename "$(libvirtd_program)")
	# No cgroups, security labels, mount namespaces or other daemons: what they do to a guest is
	# libvirt's business, and not every machine that runs the tests permits it.
	cat >/etc/libvirt/qemu.conf <<-'END'
		user = "root"
		group = "root"
		security_driver = "none"
		cgroup_controllers = []
		namespaces = []
		stdio_handler = "file"
		dynamic_ownership = 0
		remember_owner = 0
	END
	cat >"/etc/libvirt/$daemon.conf" <<-END
		auth_unix_rw = "none"
		auth_unix_ro = "none"
		host_uuid = "${LIBVIRTD_UUID:-8d0c1c5e-3f0a-4a53-9d0e-6c1f1f1d2a10}"
		log_outputs = "3:file:/var/log/libvirtd.log"
	END
}

# /usr/sbin cannot be written to, and there may be no file to mount ours over: a directory of links
# to the real one takes its place.
private_libvirtd_install() {
	local real=$PRIVATE/usr-sbin.real links=$PRIVATE/usr-sbin
	mkdir -p "$real" "$links" /etc/libvirt/hooks
	mount --bind /usr/sbin "$real"
	find "$real" -mindepth 1 -maxdepth 1 ! -name virt-fit-hook -exec ln -s -t "$links" {} +
	mount --bind "$links" /usr/sbin
	[ ! -e "$BUILD/qemu-gate" ] || cp "$BUILD/qemu-gate" /etc/libvirt/hooks/qemu
	export PATH="$PRIVATE/bin:$PATH" LIBVIRT_DEFAULT_URI=qemu:///system
}

private_libvirtd_root() { # DIR: the root that virt-fit and the hook see from now on
	local options
	# The gate knows no other root: it sees whether there is state to undo.
	rm -rf /run/virt-fit
	[ "$1" = / ] || ln -s "$1/run/virt-fit" /run/virt-fit
	options="--sysroot $(printf %q "$1") --profiles $(printf %q "$BUILD/profiles")"
	private_libvirtd_program "$PRIVATE/usr-sbin/virt-fit-hook" <<-END
		exec $(printf %q "$BUILD/virt-fit-hook") $options "\$@"
	END
	private_libvirtd_program "$PRIVATE/bin/virt-fit" <<-END
		case \${1:---help} in -*) exec $(printf %q "$BUILD/virt-fit") "\$@" ;; esac
		verb=\$1
		shift
		exec $(printf %q "$BUILD/virt-fit") "\$verb" $options "\$@"
	END
}

private_libvirtd_host() { # NAME of tests/hosts: made where a test has its files, and taken as root
	[ -d "$TEST_DIR/$1" ] || "$TOP/tests/hosts/make" "$1" "$TEST_DIR/$1"
	private_libvirtd_root "$TEST_DIR/$1"
}

private_libvirtd_program() { # FILE: of the script on stdin; replaced at once, it may be running
	{ echo '#!/bin/bash' && cat; } >"$1.new"
	chmod 0755 "$1.new"
	mv "$1.new" "$1"
}

libvirtd_start() {
	local try
	"$(libvirtd_program)" >>/var/log/libvirtd.out 2>&1 </dev/null &
	libvirtd_pid=$!
	for ((try = 0; try < 300; try++)); do
		! virsh -q list >/dev/null 2>&1 || return 0
		kill -0 "$libvirtd_pid" 2>/dev/null || break
		sleep 0.1
	done
	fail "libvirtd does not come up"
}

libvirtd_stop() { # SIGNAL: guests keep running
	kill -s "$1" "$libvirtd_pid"
	wait "$libvirtd_pid" 2>/dev/null || true
	libvirtd_pid=
}

# Says on failure what libvirt had to say, and those QEMUs that spoke last. All processes die with this
# one.
private_libvirtd_leave() {
	local code=$? file
	case $code in 0 | 77) return ;; esac
	(exit $code) || shell_leave
	for file in /var/log/libvirtd.out /var/log/libvirtd.log \
		$(find /var/log -path '*/libvirt/qemu/*.log' -printf '%T@ %p\n' | sort -n | tail -n 3 | cut -d ' ' -f 2-); do
		[ ! -s "$file" ] || { echo "--- $file" && grep -v Ethtool "$file" | tail -n 15; }
	done
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	set -eu
	[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARGUMENT...]" >&2; exit 2; }
	private_libvirtd_enter "$@"
	TEST_DIR=$PRIVATE/test
	. "$TOP/tests/lib/guest.sh"
	host_make
	libvirtd_start
	"$@"
fi
