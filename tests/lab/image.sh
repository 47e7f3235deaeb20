# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The host's disk. Debian 13 is unpacked into $ROOTFS, which takes minutes and a download, so it is
# made anew only when the list of packages changes. From it come the disk image, the kernel, and the
# initial RAM disks of the host and of its guests, in seconds.

ROOTFS_GIB=12
IMAGE_GIB=6

packages() {
	cat <<-END
		systemd-sysv udev dbus dbus-bin kmod procps iproute2 iputils-ping util-linux less ca-certificates
		linux-image-amd64 busybox-static cpio zstd apparmor openssh-server
		libvirt-daemon-system libvirt-clients libvirt-daemon-driver-qemu
		qemu-system-x86 qemu-utils seabios ipxe-qemu
		pciutils ethtool nvme-cli irqbalance diffutils libxml2-utils jq python3-minimal strace e2fsprogs
		gcc libc6-dev make pkg-config libxml2-dev libpci-dev libvirt-dev libjson-c-dev libsystemd-dev
	END
}

rootfs_stamp() {
	packages | sha256sum
}

image_stamp() {
	local machine=()
	rootfs_stamp
	(cd "$HERE" && sha256sum image.sh saved.sh host/*)
	# A saved state is that of one machine.
	(
		SSH_PORT=0 MACHINE_HAS_NVME=1
		machine_arguments
		printf '%s\n' "${machine[@]}" | sha256sum
	)
}

is_current() { # WHAT: rootfs or image
	[ -f "$LAB/$1.stamp" ] && [ "$("$1_stamp")" = "$(cat "$LAB/$1.stamp")" ]
}

rootfs_make() {
	enough_space $ROOTFS_GIB
	say "unpacking Debian 13 into $ROOTFS (about 3 minutes, once)"
	rm -rf "$ROOTFS" "$LAB/rootfs.new" "$LAB"/*.stamp
	# Its programs end with it: they are in a PID namespace.
	attended unshare --fork --pid --kill-child --mount-proc timeout 900 mmdebstrap \
		--variant=minbase --include="$(packages | xargs | tr ' ' ,)" \
		--aptopt='APT::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		trixie "$LAB/rootfs.new" ${VIRT_FIT_LAB_MIRROR:+"$VIRT_FIT_LAB_MIRROR"} >"$LAB/rootfs.log" 2>&1 || {
		rm -rf "$LAB/rootfs.new"
		cannot "Debian 13 could not be had: $(grep -m 1 '^E:' "$LAB/rootfs.log" ||
			echo "it took more than 15 minutes"); see $LAB/rootfs.log"
	}
	mv "$LAB/rootfs.new" "$ROOTFS"
	rootfs_stamp >"$LAB/rootfs.stamp"
}

# Units that a host without updates, screen or TPM does not need; emulated, each costs a second.
unneeded_units() {
	cat <<-END
		apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer
		e2scrub_reap.service getty@tty1.service ldconfig.service libvirt-guests.service
		nvmefc-boot-connections.service nvmf-autoconnect.service systemd-binfmt.service
		systemd-hwdb-update.service systemd-journal-catalog-update.service
		systemd-networkd-wait-online.service systemd-network-generator.service systemd-pstore.service
		systemd-timesyncd.service systemd-tpm2-setup-early.service systemd-tpm2-setup.service
		systemd-update-done.service ssh.socket
	END
}

configure_rootfs() {
	local unit etc=$ROOTFS/etc
	[ -f "$LAB/id" ] || ssh-keygen -q -t ed25519 -N '' -C virt-fit-lab -f "$LAB/id"
	install -D -m 0600 "$LAB/id.pub" "$ROOTFS/root/.ssh/authorized_keys"
	[ -f "$etc/ssh/ssh_host_ed25519_key" ] || in_rootfs ssh-keygen -A >/dev/null
	printf 'UseDNS no\nUsePAM no\nPermitRootLogin yes\n' >"$etc/ssh/sshd_config.d/lab.conf"
	echo lab >"$etc/hostname"
	printf '127.0.0.1 localhost\n127.0.1.1 lab\n' >"$etc/hosts"
	echo 'LABEL=root / ext4 defaults,noatime 0 1' >"$etc/fstab"
	install -m 0644 "$HERE"/host/*.network "$etc/systemd/network/"
	for unit in $(unneeded_units); do
		ln -sf /dev/null "$etc/systemd/system/$unit"
	done
	ln -sf /lib/systemd/system/multi-user.target "$etc/systemd/system/default.target"
	ln -sf /lib/systemd/system/systemd-networkd.service "$etc/systemd/system/multi-user.target.wants/"
	# Interrupts stay where they are put, until a scenario starts it.
	rm -f "$etc/systemd/system/multi-user.target.wants/irqbalance.service"
	# An emulated CPU takes long to decompress them.
	find "$ROOTFS/lib/modules" -name '*.ko.xz' -exec xz -d {} +
	in_rootfs depmod "$(kernel_version)"
}

# An initial RAM disk: busybox, the modules with what they depend on, and INIT.
ramdisk() { # FILE INIT MODULE...
	local dir file=$1 init=$2 module path
	shift 2
	dir=$(mktemp -d "$LAB/ramdisk.XXXXXX")
	mkdir -p "$dir"/{bin,lib,proc,sys,dev,root}
	cp "$ROOTFS/usr/bin/busybox" "$dir/bin/"
	ln -s busybox "$dir/bin/sh"
	install -m 0755 "$init" "$dir/init"
	for module; do
		in_rootfs modprobe -S "$(kernel_version)" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
		cp "$ROOTFS$path" "$dir/lib/"
		basename "$path"
	done >"$dir/modules"
	# shellcheck disable=SC2094
	(cd "$dir" && find . | foreign cpio --quiet -o -H newc) >"$file"
	rm -rf "$dir"
}

# What a system does once, such as compiling AppArmor's profiles, is done before the scenarios, and
# what does not boot is found here.
first_boot() {
	local deadline
	say "booting it for the first time"
	MACHINE_HAS_NVME=
	machine_new "$LAB/host.img" raw
	machine_boot
	kvm_is_usable || machine_save
	host systemctl poweroff || true
	host_disconnect
	deadline=$((SECONDS + 120))
	while kill -0 "$MACHINE_PID" 2>/dev/null; do
		((SECONDS < deadline)) || cannot "the host does not shut down; see $RUN/console.log"
		sleep 1
	done
	MACHINE_PID=
	mv "$RUN/disk.qcow2" "$LAB/booted.qcow2"
}

image_make() {
	local stamp
	enough_space $IMAGE_GIB
	say "making the host's disk"
	rm -f "$LAB/image.stamp" "$LAB/host.img" "$LAB"/*.qcow2 "$LAB"/saved.*
	stamp=$(image_stamp)
	configure_rootfs
	cp "$ROOTFS/boot/vmlinuz-$(kernel_version)" "$LAB/vmlinuz"
	ramdisk "$LAB/initrd.img" "$HERE/host/init.sh" virtio_pci virtio_blk ext4 kvm_amd kvm_intel
	mkdir -p "$ROOTFS/var/lib/libvirt/boot"
	cp "$LAB/vmlinuz" "$ROOTFS/var/lib/libvirt/boot/vmlinuz"
	ramdisk "$ROOTFS/var/lib/libvirt/boot/initrd.img" "$HERE/host/guest-init.sh" \
		igbvf nvme ahci sd_mod virtio_pci virtio_blk button evdev
	truncate -s 8G "$LAB/host.img"
	mke2fs -q -t ext4 -L root -E lazy_itable_init=1 -d "$ROOTFS" "$LAB/host.img" ||
		cannot "mke2fs could not make the host's disk"
	first_boot
	echo "$stamp" >"$LAB/image.stamp"
}

need_programs() {
	local program package
	while read -r program package; do
		command -v "$program" >/dev/null || cannot "$program is missing (the Debian package $package has it)"
	done <<-END
		mmdebstrap mmdebstrap
		mke2fs e2fsprogs
		ssh openssh-client
		ssh-keygen openssh-client
		setpriv util-linux
	END
}

# Each disk lies upon the one before. Of the first only its presence is looked at.
image_is_whole() {
	[ -s "$LAB/vmlinuz" ] && [ -s "$LAB/initrd.img" ] && [ -s "$LAB/host.img" ] &&
		foreign qemu-img check -q "$LAB/booted.qcow2" >/dev/null 2>&1
}

image_ensure() {
	need_programs
	is_current rootfs || rootfs_make
	{ is_current image && image_is_whole; } || {
		[ ! -f "$LAB/image.stamp" ] || say "the host's disk is older than tests/lab, or damaged"
		image_make
	}
}
