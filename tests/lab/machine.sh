# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The emulated host: two sockets of two cores with two threads, a NUMA node each; an SR-IOV network
# card (igb, up to 7 VFs) at node 1, an SR-IOV NVMe controller and a plain network card at node 0;
# an IOMMU that remaps interrupts; and virtualization, so that it can have guests of its own.
#
# It is emulated in software unless this machine's KVM can nest. Every wait has an end, and a boot that
# comes to nothing is tried again. Where it can, the host is not booted at all but goes on from a saved
# state, see saved.sh.

MACHINE_PID=
MACHINE_HAS_NVME=
SSH_PORT=

# Guests of the host are guests in a guest.
kvm_is_usable() {
	[ -w /dev/kvm ] && cat /sys/module/kvm_{intel,amd}/parameters/nested 2>/dev/null | grep -q '[Y1]'
}

machine_arguments() { # fills the array `machine`
	local share=$ROOTFS/usr/share node
	machine=(-name lab -nodefaults -no-user-config -display none
		-L "$share/qemu" -L "$share/seabios" -L "$ROOTFS/usr/lib/ipxe/qemu"
		-machine "q35,usb=off,hpet=off" -smp "8,sockets=2,cores=2,threads=2" -m 5120M)
	if kvm_is_usable; then
		machine+=(-accel kvm -cpu host -machine kernel-irqchip=split)
	else
		# Without five-level page tables, which nested paging cannot have here; with AMD's threads;
		# without what makes Linux copy and clear byte by byte, each byte costing as much as eight.
		machine+=(-accel "tcg,thread=multi,tb-size=1024"
			-cpu "max,-la57,+topoext,-erms,-fsrm,-fsrs,-fsrc,-fzrm")
	fi
	for node in 0 1; do
		machine+=(-object "memory-backend-ram,id=memory$node,size=2560M"
			-numa "node,nodeid=$node,cpus=$((node * 4))-$((node * 4 + 3)),memdev=memory$node")
	done
	machine+=(-numa "dist,src=0,dst=1,val=21" -device "intel-iommu,intremap=on"
		-device "pxb-pcie,id=node0,bus=pcie.0,bus_nr=32,numa_node=0"
		-device "pxb-pcie,id=node1,bus=pcie.0,bus_nr=64,numa_node=1"
		-device "pcie-root-port,id=port-e1000e,bus=node0,chassis=1,slot=1,addr=0.0"
		-device "pcie-root-port,id=port-nvme,bus=node0,chassis=2,slot=2,addr=1.0"
		-device "pcie-root-port,id=port-igb,bus=node1,chassis=3,slot=3,addr=0.0"
		-netdev "hubport,id=wire-e1000e,hubid=0" -netdev "hubport,id=wire-igb,hubid=0"
		-device "e1000e,bus=port-e1000e,netdev=wire-e1000e,mac=52:54:00:22:22:22"
		-device "igb,bus=port-igb,netdev=wire-igb,mac=52:54:00:11:11:11"
		-device "nvme-subsys,id=subsystem"
		-drive "if=none,id=root,format=qcow2,cache=unsafe,file=$RUN/disk.qcow2"
		-device "virtio-blk-pci,drive=root,bus=pcie.0,addr=5"
		-netdev "user,id=way-in,restrict=on,hostfwd=tcp:127.0.0.1:$SSH_PORT-:22"
		-device "virtio-net-pci,netdev=way-in,bus=pcie.0,addr=6,romfile=,mac=52:54:00:33:33:33"
		-device "virtio-rng-pci,bus=pcie.0,addr=7"
		-serial "file:$RUN/console.log" -kernel "$LAB/vmlinuz" -initrd "$LAB/initrd.img"
		-append "$(kernel_command_line)"
		-chardev "pipe,id=monitor,path=$RUN/monitor" -mon "chardev=monitor,mode=control")
	[ -z "$MACHINE_HAS_NVME" ] || machine+=(
		-device "nvme,id=nvme,bus=port-nvme,subsys=subsystem,serial=lab,max_ioqpairs=16,msix_qsize=17,$(
			)sriov_max_vfs=4,sriov_vq_flexible=8,sriov_vi_flexible=4"
		-drive "if=none,id=namespace,format=raw,file=$RUN/nvme.img"
		-device "nvme-ns,drive=namespace,nsid=1,bus=nvme,shared=on")
}

kernel_command_line() {
	echo root=/dev/vda rw console=ttyS0 quiet intel_iommu=on iommu=pt mitigations=off \
		nowatchdog init_on_alloc=0 rcupdate.rcu_cpu_stall_suppress=1 random.trust_cpu=on no_timer_check \
		systemd.show_status=0 hugepagesz=1G hugepages=1:1
}

free_port() {
	local port
	for port in $(shuf -i 20000-29999 -n 20); do
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || {
			echo "$port"
			return
		}
	done
}

# A disk like this one, with nothing written yet.
machine_new() { # DISK FORMAT
	rm -rf "$RUN"
	mkdir -p "$RUN"
	mkfifo "$RUN/monitor.in" "$RUN/monitor.out"
	truncate -s 64M "$RUN/nvme.img"
	foreign qemu-img create -q -f qcow2 -b "$1" -F "$2" "$RUN/disk.qcow2"
}

machine_power_on() { # boot, or resume: it waits for its state
	local machine command
	SSH_PORT=$(free_port)
	machine_arguments
	[ "$1" = boot ] || machine+=(-incoming defer)
	write_ssh_config
	foreign_command qemu-system-x86_64 "${machine[@]}"
	# A FIFO keeps what is written only while somebody has it open, and QEMU is not yet there.
	exec 6<>"$RUN/monitor.in" 7<>"$RUN/monitor.out"
	# Politely: the emulator takes every CPU it can get.
	setpriv --pdeathsig KILL -- nice -n 5 "${command[@]}" >"$RUN/qemu.log" 2>&1 8>&- &
	MACHINE_PID=$!
}

# As the mains would: what the host did not write to its disk is lost.
machine_power_off() {
	[ -n "$MACHINE_PID" ] || return 0
	host_disconnect
	kill -KILL "$MACHINE_PID" 2>/dev/null || true
	wait "$MACHINE_PID" 2>/dev/null || true
	MACHINE_PID=
}

# How to speak with the host; from another terminal too: ssh -F $RUN/ssh.conf lab
write_ssh_config() {
	cat >"$RUN/ssh.conf" <<-END
		Host lab
		  HostName 127.0.0.1
		  Port $SSH_PORT
		  User root
		  IdentityFile "$LAB/id"
		  StrictHostKeyChecking no
		  UserKnownHostsFile /dev/null
		  LogLevel ERROR
		  ConnectTimeout 10
		  ServerAliveInterval 30
		  ServerAliveCountMax 10
		  ControlMaster auto
		  ControlPath "$RUN/ssh"
		  ControlPersist yes
	END
}

host_within() { # SECONDS COMMAND...: as root in the host
	attended timeout --foreground --kill-after=10 "$1" \
		setpriv --pdeathsig KILL -- ssh -F "$RUN/ssh.conf" lab "${@:2}" 8>&-
}

host() { # COMMAND...: without input, which is that of the lab's shell
	host_within 300 "$@" </dev/null
}

host_disconnect() {
	[ ! -S "$RUN/ssh" ] || ssh -F "$RUN/ssh.conf" -O exit lab 2>/dev/null || true
	rm -f "$RUN/ssh"
}

machine_cpu_time() { # in ticks of 10 ms
	local stat
	{ read -r stat <"/proc/$MACHINE_PID/stat"; } 2>/dev/null || stat=") 0 0 0 0 0 0 0 0 0 0 0 0 0"
	read -ra stat <<<"${stat##*) }"
	echo $((stat[11] + stat[12]))
}

# A host that hangs does next to nothing, one that is only slow does a lot. (Idle CPUs have timers:
# all of them together take some hundredths of a CPU.)
machine_comes_up() {
	local deadline=$((SECONDS + 400)) idle=0 before since
	while ((SECONDS < deadline)) && kill -0 "$MACHINE_PID" 2>/dev/null; do
		before=$(machine_cpu_time)
		since=$SECONDS
		! host_within 60 true </dev/null >"$RUN/ssh.log" 2>&1 || return 0
		attended sleep 5 8>&-
		if (($(machine_cpu_time) - before > 25 * (SECONDS - since))); then
			idle=0
		else
			idle=$((idle + 1))
		fi
		((idle < 3)) || break
	done
	return 1
}

machine_boot() {
	local try
	for try in 1 2 3; do
		machine_power_on boot
		! machine_comes_up || return 0
		kill -0 "$MACHINE_PID" 2>/dev/null || say "QEMU ended: $(tail -n 1 "$RUN/qemu.log")"
		say "boot $try of 3 came to nothing"
		machine_power_off
		cp "$RUN/console.log" "$RUN/console.$try.log"
	done
	cannot "the host does not boot; what it said is in $RUN/console.*.log (to make its disk anew, remove $LAB)"
}
