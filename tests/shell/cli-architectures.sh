#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# On every architecture and machine type the profiles give a definition that libvirt's schema
# accepts, without what only others have, at a fixpoint, and revert gives the original back.
set -eu
. "$TOP/tests/lib/shell.sh"
requires virt-xml-validate
fit=$BUILD/virt-fit
"$TOP/tests/hosts/make" two-node "$TEST_DIR/host"
cd "$TEST_DIR"

definition() { # TYPE ARCH MACHINE
	cat <<-EOF
		<domain type="$1">
		  <name>vm</name>
		  <memory unit="GiB">2</memory>
		  <vcpu placement="static" current="2">4</vcpu>
		  <os>
		    <type arch="$2" machine="$3">hvm</type>
		  </os>
		  <devices>
		    <disk type="file" device="disk">
		      <source file="/var/lib/libvirt/images/vm.img"/>
		      <target dev="vda" bus="virtio"/>
		    </disk>
		  </devices>
		</domain>
	EOF
}

fit() { # VERB FILE [OPTION...]
	"$fit" "$1" --sysroot "$TEST_DIR/host" --profiles "$TOP/profiles" "${@:3}" "$2" 2>log ||
		fail "$1 $what: $(cat log)"
}

# What there is on no other machine: one name a line.
only_x86='hyperv kvm hpet rtc pit kvmclock tsc hypervclock topoext invtsc maxphysaddr cache'

count=0
while read -r arch machine; do
	for type in kvm qemu; do
		what="$arch $machine ($type)"
		definition "$type" "$arch" "$machine" >vm.xml
		for profiles in base "realtime windows"; do
			fit render vm.xml --profile "$profiles" >fitted.xml
			virt-xml-validate fitted.xml domain >log 2>&1 ||
				fail "$what with $profiles: $(cat log; sed '/<metadata>/,/<\/metadata>/d' fitted.xml)"
			fit render fitted.xml --profile "$profiles" >again.xml
			cmp fitted.xml again.xml || fail "$what with $profiles: no fixpoint"
			fit revert fitted.xml >reverted.xml
			cmp vm.xml reverted.xml || fail "$what with $profiles: revert"
			sed '/<metadata>/,/<\/metadata>/d' fitted.xml >plain.xml
			if [ "$arch" != x86_64 ]; then
				for name in $only_x86; do
					! grep -qE "<${name}[ />]|name=['\"]${name}['\"]" plain.xml ||
						fail "$what with $profiles has $name"
				done
			fi
			count=$((count + 1))
		done
		case $arch in
		x86_64 | aarch64) ;;
		*) ! grep -q '<pmu' plain.xml || fail "$what has pmu" ;;
		esac
	done
done <<-EOF
	x86_64 pc
	x86_64 q35
	x86_64 microvm
	x86_64 isapc
	aarch64 virt
	aarch64 sbsa-ref
	ppc64 pseries
	s390x s390-ccw-virtio
	riscv64 virt
EOF
echo "$count definitions"

# And where they are, there they are.
what="x86_64 q35"
definition kvm x86_64 q35 >vm.xml
fit render vm.xml --profile "realtime windows" >fitted.xml
for wanted in '<hint-dedicated state="on"/>' '<vpindex state="on"/>' 'name="hpet" present="no"' \
	'name="tsc" present="yes"' 'policy="require" name="invtsc"' '<pmu state="off"/>' \
	'<clock offset="localtime">'; do
	contains "$what" "$(cat fitted.xml)" "$wanted"
done
