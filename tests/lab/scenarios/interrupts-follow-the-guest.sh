#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Interrupts of a guest's VF come to the CPUs of its vCPUs and to no others, from when its driver asks
# for them; again after its reset, after a reload of its driver, of a VF that was plugged in while the
# guest ran, and after the watcher was killed.
. "$TOP/tests/lab/scenario.sh"

packets=200
address=192.168.77.11

# Who connects to port 8 of this guest has it load the VF's driver anew.
guest_reloads() { # NAME
	local dir=$WORK/ramdisk
	mkdir -p "$dir/bin"
	sed 's|^say up$|nc -ll -p 8 -e /bin/reload \&\n&|' "$TOP/tests/lab/host/guest-init.sh" >"$dir/init"
	cat >"$dir/bin/reload" <<-END
		#!/bin/busybox sh
		(
			sleep 1
			rmmod igbvf
			sleep 3
			insmod "/lib/\$(grep igbvf /modules)"
			sleep 1
			ip link set eth0 up
			ip address add $address/24 dev eth0
			[ ! -e /sys/class/net/eth1 ] || ip link set eth1 up
			echo "guest: driver reloaded"
		) >/dev/console 2>&1 </dev/null &
	END
	chmod +x "$dir/init" "$dir/bin/reload"
	# The kernel unpacks one after the other.
	(cat /var/lib/libvirt/boot/initrd.img && cd "$dir" && find . | cpio --quiet -o -H newc) >"$IMAGES/reload.img"
	sed -i "s,/var/lib/libvirt/boot/initrd.img,$IMAGES/reload.img," "$WORK/$1.xml"
	virsh -q undefine "$1"
	virsh -q define "$WORK/$1.xml"
}

vectors() {
	sed -nE 's/^ *([0-9]+):.* vfio-msix.*/\1/p' /proc/interrupts
}

are_placed() { # there are vectors, each with one CPU of the vCPUs, to which it comes
	local numbers number cpu
	numbers=$(vectors)
	[ -n "$numbers" ] || return 1
	for number in $numbers; do
		cpu=$(cat "/proc/irq/$number/smp_affinity_list")
		case " $cpus " in *" $cpu "*) ;; *) return 1 ;; esac
		[ "$(cat "/proc/irq/$number/effective_affinity_list")" = "$cpu" ] || return 1
	done
}

where_they_are() {
	local number
	for number in $(vectors); do
		echo "interrupt $number: CPUs $(cat "/proc/irq/$number/smp_affinity_list")"
	done
}

will_be_placed() { # WHEN
	wait_until 20 are_placed || fail "$1: $(where_they_are)"
	echo "$1: $(where_they_are | xargs)"
}

# What came of the VF since FILE was copied: to the vCPUs' CPUs, and elsewhere.
interrupts_since() { # FILE
	awk -v cpus="$cpus" 'BEGIN { split(cpus, list, " "); for (i in list) home[list[i]] = 1 }
		$1 ~ /^[0-9]+:$/ && /vfio-msi/ {
			for (cpu = 0; cpu < 8; cpu++) {
				count = FILENAME == "/proc/interrupts" ? $(cpu + 2) : -$(cpu + 2)
				if (cpu in home)
					at_home += count
				else
					away += count
			}
		}
		END { print at_home + 0, away + 0 }' "$1" /proc/interrupts
}

stays_at_home() { # WHEN; while the guest is pinged
	local at_home away
	guest_answers $address
	cp /proc/interrupts "$WORK/interrupts"
	ping -q -f -c $packets -W 5 $address >/dev/null
	read -r at_home away < <(interrupts_since "$WORK/interrupts")
	[ "$at_home" -gt 0 ] || fail "$1: no interrupt came of $packets packets"
	same "interrupts elsewhere, $1" 0 "$away"
	table "$(printf '%-28s %6s at home %6s elsewhere' "$1" "$at_home" "$away")"
}

is_up_again() { # TIMES
	[ "$(guest_counts web up)" -ge "$1" ]
}

plugged_in() { # VECTORS before; are there more, of the second VF?
	[ "$(vectors | wc -l)" -gt "$1" ]
}

root="<controller type='pci' index='0' model='pcie-root'/>"
port="<controller type='pci' model='pcie-root-port'/>"
guest_define web sata 2 $address "$root$port$port$port$port$port$port$port$port"
guest_reloads web
remember_host
systemctl restart virt-fit
virt-fit set web low-latency sriov --param vfs=1 --param create=2 "${small_pages[@]}"
virsh -q start web
cpus="$(guest_value web "//vcpupin[@vcpu='0']/@cpuset") $(guest_value web "//vcpupin[@vcpu='1']/@cpuset")"
guest_is_up web
will_be_placed "after the start"
stays_at_home "after the start"
contains "status" "$(virt-fit status web)" "vfio-msix[0] of 0000:41:10.0: on CPU"

virsh -q reset web
wait_until 300 is_up_again 2
will_be_placed "after a reset"
stays_at_home "after a reset"

# Plugged in with libvirt's own command, a device that no profile asked for. It has no interrupts before
# the guest has its interface up.
cat >"$WORK/second.xml" <<-END
	<hostdev mode='subsystem' type='pci' managed='yes'>
	  <source><address domain='0x0000' bus='0x41' slot='0x10' function='0x2'/></source>
	</hostdev>
END
count=$(vectors | wc -l)
virsh -q attach-device web "$WORK/second.xml" --live

# Somebody else moves one, and one is not where it belongs when the next watcher comes.
echo 0 >"/proc/irq/$(vectors | head -n 1)/smp_affinity_list"
wait_until 20 are_placed
systemctl kill -s KILL virt-fit
echo 1 >"/proc/irq/$(vectors | tail -n 1)/smp_affinity_list"
systemctl start virt-fit

timeout 20 cat <"/dev/tcp/$address/8" >/dev/null || true
wait_until 60 guest_said web "driver reloaded"
wait_until 20 plugged_in "$count"
will_be_placed "after a reload of the driver"
stays_at_home "after a reload of the driver"
contains "status" "$(virt-fit status web)" "of 0000:41:10.2: on CPU"

virsh -q detach-device web "$WORK/second.xml" --live
guest_shuts_down web
systemctl stop virt-fit
host_is_as_before
