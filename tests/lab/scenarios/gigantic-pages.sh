#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of 1 GiB are reserved at boot, because a host that runs hardly ever has one to make. A domain
# gets what is there, in the pool; more are not made for it, and none is taken away.
. "$TOP/tests/lab/scenario.sh"

pool=/sys/devices/system/node/node1/hugepages/hugepages-1048576kB
gigantic_pages() { # "FREE of ALL"
	echo "$(cat $pool/free_hugepages) of $(cat $pool/nr_hugepages)"
}

same "the pool, as the kernel's command line has it" "1 of 1" "$(gigantic_pages)"
# libvirt looks for a file system of them when it starts; Debian has one for pages of 2 MiB only.
mkdir -p /dev/hugepages1G
mount -t hugetlbfs -o pagesize=1G hugetlbfs /dev/hugepages1G
systemctl restart libvirtd
GUEST_MIB=1024
guest_define first sata
guest_define second sata
remember_host

virt-fit set first low-latency --device $IGB
virsh -q start first
same "the pool" "0 of 1" "$(gigantic_pages)"
memory_is_on_node first 1 1
guest_is_up first
contains "the plan for another one" \
	"$(virt-fit plan second --profile low-latency --device $IGB --why)" "1 wanted, 0 free in the pool"

virsh -q destroy first
same "the pool" "1 of 1" "$(gigantic_pages)"
host_is_as_before
umount /dev/hugepages1G
systemctl restart libvirtd
no_program_was_confined
