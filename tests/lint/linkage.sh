#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The hook runs for every domain and inside libvirtd's call: a libvirt connection in there blocks,
# and what the gate loads is paid by domains that never asked for us.
set -eu
. "$TOP/tests/lib/shell.sh"
requires readelf

loads() { # PROGRAM
	readelf -d "$BUILD/$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\].*/\1/p'
}

case $(loads qemu-gate) in *asan*) skip "a sanitizer build loads the sanitizers" ;; esac

bad=0
for library in $(loads qemu-gate); do
	case $library in
	libc.so.* | libc.musl* | ld-linux*) ;;
	*) echo "qemu-gate loads $library: it may use libc only" && bad=1 ;;
	esac
done
for library in $(loads virt-fit-hook); do
	case $library in
	libc.so.* | libc.musl* | ld-linux* | libxml2.so.* | libnuma.so.*) ;;
	*) echo "virt-fit-hook loads $library" && bad=1 ;;
	esac
done
# What is loaded later is no less loaded: only libsystemd, where systemd is to be asked.
other=$(grep -rlE '\<dl(m?open)\>' "$TOP/src" "$TOP/hook" --include='*.[ch]' | grep -v '/src/sys/sdbus\.c$') || true
[ -z "$other" ] || { echo "loads libraries itself: $other" && bad=1; }
exit $bad
