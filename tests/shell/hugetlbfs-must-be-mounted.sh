#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libvirt starts no domain with pages of a size for which no hugetlbfs is mounted: what is planned does
# without, or is refused with the command to type; and the hook refuses before it makes a page.
set -eu
. "$TOP/tests/lib/shell.sh"
. "$TOP/tests/lib/hook.sh"
hook_host two-node
vm=$TEST_DIR/vm.xml
command="mkdir -p /dev/hugepages1G && mount -t hugetlbfs -o pagesize=1G hugetlbfs /dev/hugepages1G"

mounts() { # SIZE...
	local size
	hook_set proc/mounts "proc /proc proc rw,relatime 0 0$(for size; do
		printf '\nhugetlbfs /dev/huge%s hugetlbfs rw,relatime,pagesize=%s 0 0' "$size" "$size"
	done)"
}

cli() { # VERB OPTION...
	"$BUILD/virt-fit" "$1" --sysroot "$HOST" "${@:2}"
}

plan() { # PAGES
	cli plan --profiles "$PROFILES" --why --param "pages=$1" "$vm.plain"
}

domain_xml web01 "$UUID_A" >"$vm.plain"
plan "1GiB 2MiB" >"$TEST_DIR/unknown"
contains "without a list of mounts" "$(cat "$TEST_DIR/unknown")" "1 page of 1 GiB on node"
lacks "virt-fit host" "$(cli host)" hugetlbfs

mounts 2M
contains "virt-fit host" "$(cli host)" "mounted for 2 MiB; libvirt lacks one for 1 GiB"
contains "virt-fit host" "$(cli host --json | tr -d ' \n')" '"hugetlbfs_page_kib":[2048]'
plan "1GiB 2MiB" >"$TEST_DIR/plan"
contains "the plan" "$(cat "$TEST_DIR/plan")" "512 pages of 2 MiB on node"
contains "the plan" "$(cat "$TEST_DIR/plan")" "(mounted: 2 MiB); pages of 2 MiB instead"
contains "the plan" "$(cat "$TEST_DIR/plan")" "$command"
refuses plan 1GiB
contains "the refusal" "$refusal" "libvirt needs a mounted hugetlbfs with pages of 1 GiB"
contains "the refusal" "$refusal" "$command"
contains "the refusal" "$refusal" "restart libvirtd"

mounts 2M 1024M
lacks "virt-fit host" "$(cli host)" "libvirt lacks"
plan "1GiB 2MiB" >"$TEST_DIR/plan"
same "the plan with all mounts" "$(cat "$TEST_DIR/unknown")" "$(cat "$TEST_DIR/plan")"

# Fitted while it was mounted, started when it is not. The pool has to grow.
for node in 0 1; do
	for file in nr_hugepages free_hugepages; do
		hook_set sys/devices/system/node/node$node/hugepages/hugepages-1048576kB/$file 0
	done
done
domain_xml web01 "$UUID_A" >"$vm.plain"
cli render --profiles "$PROFILES" --param pages=1GiB "$vm.plain" >"$vm"
sed -i "s|<fit:domain \([^>]*\)/>|<fit:domain \1><fit:param name='pages' value='1GiB'/></fit:domain>|" "$vm"
hook_up "$vm" web01
host_is_prepared
hook_down "$vm" web01
host_is_as_before
mounts 2M
refuses hook "$vm" web01 prepare begin -
same "the lines of the refusal" 1 "$(wc -l <<<"$refusal")"
contains "the refusal" "$refusal" "libvirt needs a mounted hugetlbfs with pages of 1 GiB"
contains "the refusal" "$refusal" "$command"
host_is_as_before
hook_down "$vm" web01 failed
host_is_as_before

# Not so for memory in a memfd, of which the definition names the page size.
sed -i "s|<hugepages>|<source type='memfd'/>&|" "$vm"
hook_up "$vm" web01
host_is_prepared
hook_down "$vm" web01
host_is_as_before
