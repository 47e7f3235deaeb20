# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Words for the scenarios, which run in the lab's host as root: guests, what they say of themselves,
# and the host before and after. Guests are real KVM guests with a Linux that reports what it sees
# and then reads its disks and answers pings (host/guest-init.sh).

set -eu
export LIBVIRT_DEFAULT_URI=qemu:///system
. "$TOP/tests/lib/shell.sh"
SCENARIO=$(basename "$0" .sh)
SETTINGS=/run/lab-settings # gone with the power
WORK=/var/tmp/$SCENARIO
AFTER_POWER_CYCLE=
[ ! -e "$WORK/power-cycle" ] || AFTER_POWER_CYCLE=1

IGB=0000:41:00.0 # the card whose VFs the guests get; at node 1
NVME=0000:22:00.0 # at node 0
IMAGES=/var/lib/libvirt/images
GUEST_PAGES=64 # of 2 MiB: an emulated host takes long to find them
NODE1_PAGES=/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages
# Guests are small. (Node 1 has a page of 1 GiB, reserved at boot.)
small_pages=(--param pages=2MiB)

started=$(date +%s)
mkdir -p "$WORK"
trap finish EXIT
trap 'exit 124' TERM # it has taken too long
# Huge pages are made of free memory: to move what is cached out of their way takes an emulated CPU
# longer than a hook has.
echo 1 >/proc/sys/vm/drop_caches
echo 1 >/proc/sys/vm/compact_memory

# A failure says what those said who know more; then the next scenario finds nothing of this one.
finish() {
	local code=$? name
	set +e
	case $code in
	0 | 77) ;;
	88) exit 88 ;;
	*)
		rm -f "$SETTINGS"
		virt-fit status
		journalctl -o cat -t virt-fit-hook -t libvirtd --since "@$started" | tail -n 30
		dmesg | grep -a DENIED | tail -n 10
		tail -n 5 /var/log/libvirt/qemu/*-console.log 2>/dev/null
		;;
	esac
	for name in $(virsh -q list --all --name); do
		virsh -q destroy "$name" >/dev/null 2>&1
		virsh -q undefine "$name" >/dev/null 2>&1
	done
	rm -rf "$WORK" /etc/virt-fit/profiles /var/log/libvirt/qemu/*-console.log "$IMAGES"/*.img
	exit $code
}

# Ends the script; it runs again from its start when the host is up again.
power_cycle() {
	touch "$WORK/power-cycle"
	sync
	exit 88
}

table() { # LINE, shown when the scenario has passed
	echo "table: $*"
}

# --- the host ---

# Interrupts are known by what they are for: a card whose VFs were created and deleted has new
# numbers for its own.
irq_names() { # a script for sed
	local dir actions chip hwirq
	for dir in /sys/kernel/irq/*; do
		if ! read -r actions <"$dir/actions"; then
			read -r chip <"$dir/chip_name" || chip=
			read -r hwirq <"$dir/hwirq" || hwirq=
			actions="$chip $hwirq"
		fi
		printf 's|^/proc/irq/%s/|/proc/irq/<%s>/|\n' "${dir##*/}" "$actions"
	done
}

# Every setting of the host that can be written and read, not only those that virt-fit is known to
# write; the drivers of the PCI devices; what cards say of their VFs; CPUs of control groups. Left
# out is what changes by itself or does something when read.
host_settings() {
	local device
	find /sys /proc/sys /proc/irq -type f -perm /222 -perm /444 \
		! -path '/sys/kernel/debug/*' ! -path '/sys/kernel/tracing/*' ! -path '/sys/fs/cgroup/*' \
		! -path '/sys/kernel/security/*' ! -path '/sys/kernel/slab/*' ! -path '*/bdi/*' ! -path '*/byte_queue_limits/*' \
		! -path '/proc/sys/kernel/random/*' ! -path '*/resource[0-9]*' \
		! -name config ! -name rom ! -name vpd ! -name wakeup_count ! -name ns_last_pid \
		-print0 2>/dev/null | xargs -0 -n 500 grep -asH '' |
		sed -f <(irq_names) -e 's/:IFINDEX=[0-9]*$/:IFINDEX=NEW/'
	for device in /sys/bus/pci/devices/*; do
		echo "$device driver $(basename "$(readlink "$device/driver")")"
	done
	ip link | sed 's/^[0-9]*: //'
	# A group with processes cannot be without a set again: all CPUs are as good.
	find /sys/fs/cgroup -name 'cpuset.cpus*' ! -path '*/machine.slice/*' -print0 | xargs -0 grep -sH '' |
		grep -v "/cpuset.cpus:$(cat /sys/devices/system/cpu/possible)\$"
}

# To look at all settings takes an emulated host long: as the last scenario left them is as this one
# finds them. The first guest brings modules with it, whose parameters are settings too.
remember_host() {
	cp "$SETTINGS" "$WORK/before" 2>/dev/null || remember_host_afresh
}

remember_host_afresh() { # where the scenario has changed some itself
	modprobe -a vfio-pci igbvf dm_mod
	udevadm settle
	host_settings | sort >"$WORK/before"
	[ "$(wc -l <"$WORK/before")" -gt 1000 ] || fail "too few settings were found"
}

our_state() { # all but what is there while a watcher runs, or always
	find /run/virt-fit -type f ! -name lock ! -name watcher 2>/dev/null || true
}

host_is_as_before() {
	local left
	udevadm settle
	host_settings | sort >"$WORK/after"
	diff "$WORK/before" "$WORK/after" >"$WORK/difference" ||
		fail "the host is not as before: $(cat "$WORK/difference")"
	cp "$WORK/after" "$SETTINGS"
	left=$(our_state)
	[ -z "$left" ] || fail "our state is left: $left"
}

no_program_was_confined() { # AppArmor denied nothing
	local denied
	denied=$(journalctl -k -o cat --since "@$started" | grep -a 'apparmor="DENIED"' || true)
	[ -z "$denied" ] || fail "$denied"
}

vfs_of_igb() {
	cat "/sys/bus/pci/devices/$IGB/sriov_numvfs"
}

cpus_overlap() { # LIST LIST
	local a b
	for a in ${1//,/ }; do
		for b in ${2//,/ }; do
			((${a%-*} > ${b#*-} || ${b%-*} > ${a#*-})) || return 0
		done
	done
	return 1
}

# What still comes to these CPUs are interrupts of the guest's devices, such that the kernel lets
# nobody move, and such that were moved and go with their next occurrence (those that no remapping
# hardware sees, as its own).
interrupts_stay_off() { # CPUS
	local dir cpus wanted name
	for dir in /proc/irq/[0-9]*; do
		read -r name <"/sys/kernel/irq/${dir##*/}/actions" || continue
		read -r cpus <"$dir/effective_affinity_list" || continue
		read -r wanted <"$dir/smp_affinity_list" || continue
		case $name in vfio-*) continue ;; esac
		! cpus_overlap "$cpus" "$1" || ! cpus_overlap "$wanted" "$1" ||
			! echo "$wanted" 2>/dev/null >"$dir/smp_affinity_list" ||
			fail "interrupt ${dir##*/} ($name) comes to CPUs $cpus of $wanted"
	done
}

# --- guests ---

guest_console() { # NAME
	echo "/var/log/libvirt/qemu/$1-console.log"
}

# A disk that is not virtio has no iothread, which would want a core of its own.
guest_define() { # NAME [BUS-OF-DISK [vCPUS [ADDRESS [DEVICES]]]]
	local target=vda
	[ "${2:-sata}" = virtio ] || target=sda
	truncate -s 16M "$IMAGES/$1.img"
	cat >"$WORK/$1.xml" <<-END
		<domain type='kvm'>
		  <name>$1</name>
		  <memory unit='MiB'>${GUEST_MIB:-$((GUEST_PAGES * 2))}</memory>
		  <vcpu>${3:-2}</vcpu>
		  <os>
		    <type arch='x86_64' machine='q35'>hvm</type>
		    <kernel>/var/lib/libvirt/boot/vmlinuz</kernel>
		    <initrd>/var/lib/libvirt/boot/initrd.img</initrd>
		    <cmdline>console=ttyS0 quiet nokaslr mitigations=off init_on_alloc=0 address=${4:-}</cmdline>
		  </os>
		  <features><acpi/><apic/></features>
		  <devices>
		    <disk type='file' device='disk'>
		      <driver name='qemu' type='raw'/>
		      <source file='$IMAGES/$1.img'/>
		      <target dev='$target' bus='${2:-sata}'/>
		    </disk>
		    <controller type='usb' model='none'/>
		    <memballoon model='none'/>
		    <serial type='file'>
		      <source path='$(guest_console "$1")'/>
		    </serial>
		    ${5:-}
		  </devices>
		</domain>
	END
	virsh -q define "$WORK/$1.xml"
}

guest_said() { # NAME PATTERN
	grep -aEq "^guest: $2" "$(guest_console "$1")"
}

guest_says() { # NAME PATTERN
	guest_said "$1" "$2" || fail "$1 did not say '$2': $(grep -a '^guest:' "$(guest_console "$1")")"
}

guest_counts() { # NAME PATTERN
	grep -aEc "^guest: $2" "$(guest_console "$1")" || true
}

# An emulated machine's boot may hang, once in a while. Who does not come up twice has another reason.
guest_is_up() { # NAME
	local deadline=$((SECONDS + 200)) tries=2
	until guest_said "$1" up; do
		if ((SECONDS > deadline)); then
			((tries -= 1)) || fail "$1 does not come up"
			echo "$1 did not come up in time, it is reset"
			virsh -q reset "$1"
			deadline=$((SECONDS + 200))
		fi
		sleep 0.5 # each look costs an emulated CPU
	done
}

guest_shuts_down() { # NAME
	virsh -q shutdown "$1"
	wait_until 120 guest_is "$1" "shut off"
}

guest_is() { # NAME STATE
	[ "$(virsh -q domstate -- "$1")" = "$2" ]
}

guest_pid() { # NAME
	cat "/run/libvirt/qemu/$1.pid"
}

guest_answers() { # ADDRESS
	wait_until 30 ping -c 1 -W 2 "$1"
}

guest_value() { # NAME XPATH
	virsh -q dumpxml "$1" | xmllint --xpath "string($2)" -
}

thread_cpus() { # NAME COMM
	local task
	for task in /proc/"$(guest_pid "$1")"/task/*; do
		[ "$(cat "$task/comm")" != "$2" ] || sed -n 's/^Cpus_allowed_list:\t//p' "$task/status"
	done
}

threads_are_as_defined() { # NAME
	local cpu id
	for ((cpu = 0; cpu < $(guest_value "$1" //vcpu); cpu++)); do
		same "vCPU $cpu of $1" "$(guest_value "$1" "//vcpupin[@vcpu='$cpu']/@cpuset")" \
			"$(thread_cpus "$1" "CPU $cpu/KVM")"
	done
	for ((id = 1; id <= $(guest_value "$1" "count(//iothreadpin)"); id++)); do
		same "iothread $id of $1" "$(guest_value "$1" "//iothreadpin[@iothread='$id']/@cpuset")" \
			"$(thread_cpus "$1" "IO iothread$id")"
	done
	same "the emulator of $1" "$(guest_value "$1" //emulatorpin/@cpuset)" \
		"$(sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$(guest_pid "$1")/status")"
}

# All of its memory in huge pages of the node and nowhere else.
memory_is_on_node() { # NAME NODE [PAGES]
	local map
	map=$(grep -w huge "/proc/$(guest_pid "$1")/numa_maps")
	contains "the memory of $1" "$map " " N$2=${3:-$GUEST_PAGES} "
}
