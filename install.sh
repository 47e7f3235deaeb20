#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# From a checkout to a running virt-fit: finds out which packages are missing, installs them on
# Debian and Ubuntu (elsewhere it names them and stops), builds, and does what it was asked for.
set -euo pipefail
cd "$(dirname "$0")"

usage() {
	cat <<-'END'
		usage: ./install.sh [install]     install what is needed, build, install virt-fit
		       ./install.sh demo          show the whole cycle with a private libvirtd; the machine's
		                                  own libvirt and its settings are not touched
		       ./install.sh check         run all tests, once more with sanitizers
		       ./install.sh check-all     these, and the scenarios on an emulated host: takes
		                                  12 GB of disk, and 20 minutes more (see tests/lab/run)
		       ./install.sh --uninstall   take virt-fit off this machine again

		All as root. Packages that are missing are installed with apt-get on Debian and Ubuntu.
	END
}

die() { # TEXT
	echo "install.sh: $*" >&2
	exit 1
}

say() { # TEXT
	echo "==> $*" >&2
}

# What is needed, for what, how to see whether it is there, and the package that has it on Debian and
# Ubuntu, Fedora and RHEL, openSUSE, Arch. Probes: a command, a pkg-config module (pc:), a file (/),
# with a bar between alternatives.
needs() {
	local driver=libvirt/connection-driver/libvirt_driver_qemu.so
	driver="/usr/lib/$driver|/usr/lib64/$driver|/usr/lib/*/$driver"
	cat <<-END
		build  cc                    gcc                gcc                gcc              gcc
		build  /usr/include/stdio.h  libc6-dev          glibc-devel        glibc-devel      glibc
		build  make                  make               make               make             make
		build  pkg-config            pkg-config         pkgconf-pkg-config pkg-config       pkgconf
		build  pc:libxml-2.0         libxml2-dev        libxml2-devel      libxml2-devel    libxml2
		build  pc:libpci             libpci-dev         pciutils-devel     pciutils-devel   pciutils
		build  pc:libvirt            libvirt-dev        libvirt-devel      libvirt-devel    libvirt
		build  pc:json-c             libjson-c-dev      json-c-devel       libjson-c-devel  json-c
		build  pc:libsystemd         libsystemd-dev     systemd-devel      systemd-devel    systemd-libs
		run    virsh                 libvirt-clients    libvirt-client     libvirt-client   libvirt
		run    libvirtd|virtqemud    libvirt-daemon     libvirt-daemon-driver-qemu libvirt-daemon-qemu libvirt
		run    $driver               libvirt-daemon-driver-qemu libvirt-daemon-driver-qemu libvirt-daemon-qemu libvirt
		run    qemu-system-x86_64    qemu-system-x86    qemu-system-x86    qemu-x86         qemu-system-x86
		run    unshare               util-linux         util-linux         util-linux       util-linux
		run    ip                    iproute2           iproute            iproute2         iproute2
		run    diff                  diffutils          diffutils          diffutils        diffutils
		run    xmllint               libxml2-utils      libxml2            libxml2-tools    libxml2
		check  pc:cmocka             libcmocka-dev      libcmocka-devel    libcmocka-devel  cmocka
		check  xz                    xz-utils           xz                 xz               xz
		check  cppcheck              cppcheck           cppcheck           cppcheck         cppcheck
		check  shellcheck            shellcheck         ShellCheck         ShellCheck       shellcheck
		check  clang-tidy            clang-tidy         clang-tools-extra  clang-tools      clang
		check  clang-format          clang-format       clang-tools-extra  clang-tools      clang
		lab    mmdebstrap            mmdebstrap         mmdebstrap         mmdebstrap       mmdebstrap
		lab    mke2fs                e2fsprogs          e2fsprogs          e2fsprogs        e2fsprogs
		lab    ssh                   openssh-client     openssh-clients    openssh-clients  openssh
	END
}

is_there() { # PROBE
	case $1 in
	*\|*) is_there "${1%%|*}" || is_there "${1#*|}" ;;
	/*) compgen -G "$1" >/dev/null ;;
	pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

missing_packages() { # COLUMN PURPOSE...
	local column=$1 purpose probe packages
	shift
	while read -r purpose probe packages; do
		case " $* " in *" $purpose "*) ;; *) continue ;; esac
		# shellcheck disable=SC2086  # a list of words
		is_there "$probe" || printf '%s\n' $packages | sed -n "${column}p"
	done < <(needs) | sort -u
}

apt_install() { # PACKAGE...
	local apt=(apt-get -q -y -o Dpkg::Use-Pty=0 --no-install-recommends)
	export DEBIAN_FRONTEND=noninteractive
	# The package lists may be absent or too old for what the mirror has: then once more with new ones.
	if apt-get -qq -s --no-install-recommends install "$@" >/dev/null 2>&1 &&
		"${apt[@]}" install "$@" >&2; then
		return
	fi
	apt-get -q update >&2
	"${apt[@]}" install "$@" >&2
}

need() { # PURPOSE...
	local packages column=0 with=
	if command -v apt-get >/dev/null; then
		column=1
	elif command -v dnf >/dev/null; then
		column=2 with="dnf install"
	elif command -v zypper >/dev/null; then
		column=3 with="zypper install"
	elif command -v pacman >/dev/null; then
		column=4 with="pacman -S"
	fi
	mapfile -t packages < <(missing_packages $((column ? column : 1)) "$@")
	[ ${#packages[@]} -gt 0 ] || return 0
	case $column in
	0) die "missing, by their Debian names: ${packages[*]}" ;;
	1)
		[ "$(id -u)" = 0 ] || die "missing: ${packages[*]}. Run this as root to install them"
		say "installing ${packages[*]}"
		apt_install "${packages[@]}" || die "could not install: ${packages[*]}"
		;;
	*) die "missing packages: install them with: $with ${packages[*]}" ;;
	esac
}

as_root() {
	[ "$(id -u)" = 0 ] || die "must be root for this"
}

build() { # MAKE-ARGUMENT...
	say "building"
	make -s -j"$(nproc)" "$@" >&2 || die "the build failed"
}

# Reloads nothing: it is the administrator's daemon. hook/install-gate says when it is needed.
install_here() {
	as_root
	need build
	build
	make -s install >&2
	start_watcher
	say "virt-fit is installed. Try: virt-fit host; virt-fit profiles; virt-fit set DOMAIN low-latency"
}

has_systemd() { # and it runs here
	[ -d /run/systemd/system ]
}

start_watcher() {
	if has_systemd; then
		systemctl daemon-reload
		systemctl -q enable virt-fit.service
		systemctl restart virt-fit.service
		say "the service virt-fit is enabled and runs: it fits definitions when they change"
	else
		say "there is no systemd here: 'virt-fit watch' is to be kept running in another way"
	fi
}

stop_watcher() {
	! has_systemd || systemctl -q disable --now virt-fit.service 2>/dev/null || true
}

demo() {
	as_root
	need build run
	build all tools
	exec tests/demo.sh
}

# Several passes, one closing line for the sum. (Read line by line: mawk would hold all back.)
check() { # PASS...: what make is asked for
	local pass line passed=0 failed=0 skipped=0 missing=$#
	while IFS= read -r line; do
		case $line in
		"cc "* | "ar "*) ;;
		[0-9]*" passed, "*" failed, "*" skipped")
			read -r pass _ <<<"$line"
			passed=$((passed + pass))
			line=${line#* passed, }
			failed=$((failed + ${line%% *}))
			line=${line#* failed, }
			skipped=$((skipped + ${line%% *}))
			missing=$((missing - 1))
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done < <(
		for pass; do
			# shellcheck disable=SC2086  # words for make
			make -j"$(nproc)" $pass 2>&1 || true
		done
	)
	# A pass without a closing line did not build.
	failed=$((failed + missing))
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

# Without the hook nobody would give back what running domains were given.
uninstall() {
	local state=/run/virt-fit names
	as_root
	[ -z "$(ls "$state/domains" 2>/dev/null)" ] || virt-fit undo || true
	names=$(sed -n 's/^name //p' "$state"/domains/* 2>/dev/null || true)
	[ -z "$names" ] ||
		die "the host is prepared for domains that run: $(xargs <<<"$names"). Stop them first"
	stop_watcher
	make -s uninstall >&2
	! has_systemd || systemctl daemon-reload
	rm -rf "$state"
	say "virt-fit is off this machine. Definitions that it fitted stay as they are"
}

case ${1:-install} in
install) install_here ;;
demo) demo ;;
check | check-all)
	as_root
	need build run check
	passes=(check "SAN=1 check")
	if [ "$1" = check-all ]; then
		(need lab) || true # without them the scenarios are skipped
		passes+=(check-lab)
	fi
	check "${passes[@]}"
	;;
--uninstall) uninstall ;;
--help | -h) usage ;;
*)
	usage >&2
	exit 2
	;;
esac
