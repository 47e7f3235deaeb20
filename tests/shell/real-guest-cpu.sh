#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What libvirt makes of the CPU, features and clocks that were written: it accepts them, rendering
# again changes nothing, and revert gives what libvirt had before. vCPUs that are plugged in later
# included.
set -eu
. "$TOP/tests/lib/private-libvirtd.sh"
private_libvirtd_enter "$@"
private_libvirtd_host two-node
profiles=$TEST_DIR/two-node/etc/virt-fit/profiles
mkdir -p "$profiles"
cat >"$profiles/all.xml" <<-EOF
	<profile xmlns="urn:virt-fit:profile:1" name="all">
	  <summary>Everything that a domain without KVM can have, whatever it had</summary>
	  <include profile="realtime"/>
	  <cpu migratable="off" require="aes" disable="svm"/>
	  <features pmu="off" existing="replace"/>
	  <clock offset="localtime" rtc="catchup" pit="delay" hpet="no" existing="replace"/>
	  <memory pages="none"/>
	</profile>
EOF
libvirtd_start
cd "$TEST_DIR"

definition() { # MACHINE DEVICES CPU CLOCK
	cat <<-EOF
		<domain type='qemu'>
		  <name>vm</name>
		  <uuid>11111111-2222-3333-4444-555555555555</uuid>
		  <memory unit='MiB'>512</memory>
		  <vcpu>4</vcpu>
		  <vcpus>
		    <vcpu id='0' enabled='yes' hotpluggable='no' order='1'/>
		    <vcpu id='1' enabled='no' hotpluggable='yes'/>
		    <vcpu id='2' enabled='yes' hotpluggable='yes' order='2'/>
		    <vcpu id='3' enabled='no' hotpluggable='yes'/>
		  </vcpus>
		  <os><type arch='x86_64' machine='$1'>hvm</type></os>
		  $3
		  $4
		  <devices>$2</devices>
		</domain>
	EOF
}

define() { # FROM FILE
	virsh -q define --validate "$1" >log 2>&1 || fail "$what: $(cat log; cat "$1")"
	virsh dumpxml --inactive vm >"$2"
}

check() { # PROFILES
	define source.xml plain.xml
	virt-fit render --profile "$1" plain.xml >fitted.xml 2>log || fail "$what: $(cat log)"
	define fitted.xml defined.xml
	virt-fit render --profile "$1" defined.xml >again.xml 2>log || fail "$what: $(cat log)"
	cmp defined.xml again.xml || fail "$what: not fitted any more: $(diff defined.xml again.xml)"
	virt-fit revert defined.xml >reverted.xml 2>log || fail "$what: $(cat log)"
	define reverted.xml back.xml
	cmp plain.xml back.xml || fail "$what: reverted: $(diff plain.xml back.xml)"
}

none="<controller type='usb' model='none'/><memballoon model='none'/>"
own_cpu="<cpu mode='maximum' check='none' migratable='on'><feature policy='require' name='svm'/></cpu>"
own_clock="<clock offset='variable' adjustment='7' basis='utc'><timer name='hpet' present='yes'/></clock>"
for machine in pc q35 microvm; do
	for own in no yes; do
		what="$machine, own settings: $own"
		if [ $own = yes ]; then
			definition $machine "$none" "$own_cpu" "$own_clock" >source.xml
		else
			definition $machine "$none" "" "" >source.xml
		fi
		check "base windows"
		check all
		contains "$what" "$(cat defined.xml)" "threads='2'"
		[ "$(grep -c '<vcpupin' defined.xml)" = 4 ] || fail "$what: $(cat defined.xml)"
		virsh -q undefine vm
	done
done

# It starts, with two of its four vCPUs, and the others are pinned when they come. The CPUs of the
# made-up host are not this machine's: only the CPU is written here.
cat >"$profiles/start.xml" <<-EOF
	<profile xmlns="urn:virt-fit:profile:1" name="start">
	  <summary>Only what a guest sees</summary>
	  <cpu mode="host-passthrough" topology="mirror" migratable="off"/>
	  <features pmu="off"/>
	  <clock offset="localtime" rtc="catchup" pit="delay" hpet="no"/>
	</profile>
EOF
for machine in pc q35; do
	what="$machine starts"
	definition $machine "$none" "" "" >source.xml
	virt-fit render --profile start source.xml >fitted.xml 2>log || fail "$what: $(cat log)"
	define fitted.xml defined.xml
	virsh -q start vm >log 2>&1 || fail "$what: $(cat log)"
	virsh -q destroy vm
	virsh -q undefine vm
done
