#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of the real kernel: the guest's memory lies in them, and the pool is given back.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
private_libvirtd_enter "$@"
. "$TOP/tests/lib/guest.sh"
pool=/sys/devices/system/node/node0/hugepages/hugepages-2048kB
[ -w "$pool/nr_hugepages" ] || skip "no pool of 2 MiB pages on node 0"
pages=$(cat "$pool/nr_hugepages")
leave() { # the hook gives back what it changed of the machine; whatever happens, the pool is as it was
	local code=$?
	virsh -q destroy web01 >/dev/null 2>&1 || true
	echo "$pages" >"$pool/nr_hugepages"
	(exit $code) || private_libvirtd_leave
}
trap leave EXIT
echo $((pages + 32)) >"$pool/nr_hugepages"
[ "$(cat "$pool/nr_hugepages")" = $((pages + 32)) ] || skip "the kernel has no 32 pages of 2 MiB"
echo "$pages" >"$pool/nr_hugepages"
mkdir -p "$PRIVATE/hugepages"
mount -t hugetlbfs -o pagesize=2M hugetlbfs "$PRIVATE/hugepages"
libvirtd_start

guest_define web01
virt-fit set web01 low-latency --param pages=2MiB --param locked=no
virsh -q start web01
grep -q '^HugetlbPages:[ \t]*[1-9]' "/proc/$(guest_pid web01)/status" ||
	grep -q "$PRIVATE/hugepages" "/proc/$(guest_pid web01)/maps" || fail "no huge pages in QEMU"
[ "$(cat "$pool/nr_hugepages")" -ge $((pages + 16)) ] || fail "the pool did not grow"
virsh -q destroy web01
same "the pool" "$pages" "$(cat "$pool/nr_hugepages")"
