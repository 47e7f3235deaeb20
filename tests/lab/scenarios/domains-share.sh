#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Three domains share slices, interrupts, masks of the kernel, a card and pools of pages. Whichever
# stops first, the others are not disturbed: each time the host has what those want that still run, no
# more and no less, and after the last one it is as it was. What a fourth one wants is taken: it is told
# by whom. They stop in an order by chance, or in the one that ORDER="2 0 1" says.
. "$TOP/tests/lab/scenario.sh"

read -r a b c < <([ -z "${ORDER:-}" ] && shuf -i 0-2 | xargs || echo "$ORDER")
echo "they stop in the order $a $b $c"
names=(first second third)
possible=$(cat /sys/devices/system/cpu/possible)
for i in "${!names[@]}"; do
	guest_define "${names[i]}" sata 2 "192.168.77.1$i"
done
guest_define fourth
remember_host
# The number of VFs cannot be changed while one is in use: whoever is first creates for all.
for name in "${names[@]}"; do
	virt-fit set "$name" low-latency sriov --param create=3 "${small_pages[@]}"
done

# The CPUs of a list that are in none of the others, "0,1,6"
cpus_without() { # LIST LIST...
	local list cpu range left=()
	for range in ${1//,/ }; do
		for ((cpu = ${range%-*}; cpu <= ${range#*-}; cpu++)); do
			for list in "${@:2}"; do
				! cpus_overlap "$cpu" "$list" || continue 2
			done
			left+=("$cpu")
		done
	done
	(IFS=, && echo "${left[*]}")
}

mask_of() { # LIST
	local cpu mask=0
	for cpu in ${1//,/ }; do
		((mask |= 1 << cpu))
	done
	printf '%02x\n' $mask
}

pages() {
	local file number sum=0
	for file in /sys/devices/system/node/node*/hugepages/hugepages-2048kB/nr_hugepages; do
		read -r number <"$file"
		((sum += number))
	done
	echo $sum
}

# NAME...: the domains that run
host_is_prepared_for() {
	local name cpus=() left
	for name; do
		cpus+=("$(virsh -q dumpxml "$name" | xmllint --xpath '//vcpupin/@cpuset' - | grep -o '[0-9,-]*' | xargs | tr ' ' ,)")
		threads_are_as_defined "$name"
	done
	left=$(cpus_without "$possible" "${cpus[@]}")
	same "CPUs of the host's services beside $*" "$left" \
		"$(cpus_without "$(cat /sys/fs/cgroup/system.slice/cpuset.cpus.effective)")"
	same "CPUs of unbound work queues beside $*" "$(mask_of "$left")" \
		"$(cat /sys/devices/virtual/workqueue/cpumask)"
	same "VFs beside $*" 3 "$(vfs_of_igb)"
	same "huge pages beside $*" $(($# * GUEST_PAGES)) "$(pages)"
	for name in "${cpus[@]}"; do
		interrupts_stay_off "$name"
	done
}

for name in "${names[@]}"; do
	virsh -q start "$name"
done
host_is_prepared_for "${names[@]}"
refuses virt-fit set fourth low-latency "${small_pages[@]}"
contains "the refusal" "$refusal" "${names[a]} (running)"
guest_is_up "${names[c]}"
virsh -q destroy "${names[a]}"
host_is_prepared_for "${names[b]}" "${names[c]}"
virsh -q destroy "${names[b]}"
host_is_prepared_for "${names[c]}"
guest_answers "192.168.77.1$c"
virsh -q destroy "${names[c]}"
host_is_as_before
no_program_was_confined
