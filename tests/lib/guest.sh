# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Guests for the tests that use a private libvirtd, and the host that is played to them.
#
# The guests are real: QEMU without KVM, little memory, no operating system; such a guest sits in
# its firmware for ever. So are the CPUs they are pinned to. Everything the hook writes goes to a
# tree that stands for the host ($HOST), with just those CPUs.

HOST=$TEST_DIR/host
GUEST_DISK=$TEST_DIR/disk.img

xml_escape() { # TEXT
	sed "s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/\"/\&quot;/g; s/'/\&apos;/g" <<<"$1"
}

# The first CPUs that this process may run on, two to four, each a core of its own as far as the tree
# says.
host_cpus() {
	local list=() part
	for part in $(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status | tr , ' '); do
		mapfile -t -O ${#list[@]} list < <(seq "${part%-*}" "${part#*-}")
	done
	[ ${#list[@]} -ge 2 ] || skip "needs two CPUs"
	echo "${list[@]:0:4}"
}

host_manifest() { # the tree, in the words of tests/hosts
	local cpus cpu
	read -ra cpus <<<"$(host_cpus)"
	(
		all=$(IFS=, && echo "${cpus[*]}")
		. "$TOP/tests/hosts/lib.sh"
		host stage GenuineIntel "$all"
		for cpu in "${cpus[@]}"; do
			cpu "$cpu" 0 0 "$cpu" "$cpu" "$all"
			governor "$cpu" powersave
		done
		node 0 "$all" 33554432 25165824 10
		pool 0 2048 0 0
		put "$node_dir/online" 0
		root_bus 0000:00
		pci 0000:00 0000:00:03.0 020000 8086:10d3 0 "$all" driver=e1000e group=1 msix=3
		netdev 0000:00:03.0 enp0s3 up 1
		irq_columns "${cpus[@]}"
		irq 9 IO-APIC 9 acpi "$all"
		vectors 24 2 0000:00:03.0 enp0s3 "$all"
		irq 26 PCI-MSIX-0000:00:03.0 2 enp0s3-other "${cpus[1]}" 0000:00:03.0
		finish
	)
}

# In a test, at its start: runs the script again in namespaces of its own and goes on there, with
# libvirtd running on the host of this file. `before` is what the host was like.
guest_stage() { # ARGUMENT...: those of the script
	. "$TOP/tests/lib/private-libvirtd.sh"
	private_libvirtd_enter "$@"
	host_make
	before=$(host_dump)
	libvirtd_start
}

host_make() {
	mkdir -p "$HOST"
	host_manifest | "$BUILD/tests/lib/mkroot" "$HOST"
	# For `status`, which tells whether the hook is installed.
	cp -R --parents /etc/libvirt/hooks /usr/sbin/virt-fit-hook "$HOST"
	# By libvirt's own files the hook tells which domains are persistent.
	mkdir -p /etc/libvirt/qemu "$HOST/etc/libvirt/qemu"
	mount --bind /etc/libvirt/qemu "$HOST/etc/libvirt/qemu"
	private_libvirtd_root "$HOST"
}

# All of the tree but our own state directory, which outlives the domains, and their definitions.
host_dump() {
	"$BUILD/tests/lib/mkroot" --dump "$HOST" | grep -vE '^(run|etc/libvirt/qemu|etc/virt-fit)/'
}

host_equals() { # DUMP
	[ "$(host_dump)" = "$1" ]
}

host_is_as_before() { # DUMP
	local left
	same "the host" "$1" "$(host_dump)"
	left=$(find "$HOST/run/virt-fit/domains" -type f 2>/dev/null || true)
	[ -z "$left" ] || fail "journals are left: $left"
}

guest_xml() { # NAME [REQUEST]: a definition, with the request as its metadata; the name decides the UUID
	local cached='' uuid
	uuid=$(md5sum <<<"$1" | sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-4\3-8\4-\5/')
	# Where the scratch directory is a tmpfs that knows no direct I/O, the guest must not use it.
	dd if=/dev/zero of="$GUEST_DISK" bs=1M count=1 oflag=direct 2>/dev/null || {
		truncate -s 1M "$GUEST_DISK"
		cached="cache='writeback' io='threads'"
	}
	cat <<-END
		<domain type='qemu'>
		  <name>$(xml_escape "$1")</name>
		  <uuid>$uuid</uuid>
		  <metadata>${2:-}</metadata>
		  <memory unit='MiB'>32</memory>
		  <vcpu>1</vcpu>
		  <os><type arch='x86_64' machine='q35'>hvm</type></os>
		  <features><acpi/></features>
		  <devices>
		    <disk type='file' device='disk'>
		      <driver name='qemu' type='raw' $cached/>
		      <source file='$(xml_escape "$GUEST_DISK")'/>
		      <target dev='vda' bus='virtio'/>
		    </disk>
		    <controller type='usb' model='none'/>
		    <memballoon model='none'/>
		  </devices>
		</domain>
	END
}

# What no machine can be counted on to give a test: huge pages, and the right to lock memory. As
# options of `virt-fit set`, and as a request.
modest=(--param pages=none --param locked=no)

request() { # PROFILES [PAGES]
	echo "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='$1'>" \
		"<fit:param name='pages' value='${2:-none}'/><fit:param name='locked' value='no'/>" \
		"</fit:domain>"
}

guest_define() { # NAME [REQUEST]
	guest_xml "$@" >"$TEST_DIR/guest.xml"
	virsh -q define "$TEST_DIR/guest.xml" >/dev/null
}

guest_pid() { # NAME
	sed -nE "s/^<domstatus .*pid='([0-9]+)'.*/\1/p" "/run/libvirt/qemu/$1.xml"
}

guest_is() { # NAME STATE
	[ "$(virsh -q domstate -- "$1")" = "$2" ]
}

thread_cpus() { # PID COMM: where the thread of that name may run
	local task
	for task in /proc/"$1"/task/*; do
		[ "$(cat "$task/comm")" != "$2" ] ||
			sed -n 's/^Cpus_allowed_list:\t//p' "$task/status"
	done
}

# The pins of a running guest's definition against what its threads may really do.
threads_are_as_defined() { # NAME
	local xml pid id
	xml=$(virsh -q dumpxml -- "$1")
	pid=$(guest_pid "$1")
	[ -n "$(xml_value "//vcpupin[@vcpu='0']/@cpuset" "$xml")" ] || fail "no vCPU is pinned: $xml"
	same "vCPU 0" "$(xml_value "//vcpupin[@vcpu='0']/@cpuset" "$xml")" \
		"$(thread_cpus "$pid" "CPU 0/TCG")"
	same "emulator" "$(xml_value "//emulatorpin/@cpuset" "$xml")" \
		"$(sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$pid/status")"
	for id in $(xmllint --xpath '//iothreadpin/@iothread' - <<<"$xml" 2>/dev/null | grep -o '[0-9]*'); do
		same "iothread $id" "$(xml_value "//iothreadpin[@iothread='$id']/@cpuset" "$xml")" \
			"$(thread_cpus "$pid" "IO iothread$id")"
	done
}

xml_value() { # XPATH XML
	xmllint --xpath "string($1)" - <<<"$2"
}
