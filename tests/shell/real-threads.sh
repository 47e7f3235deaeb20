#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a profile says of threads, memory and guest cells is valid for libvirt, stays as it is when
# libvirt has printed it, and goes again.
set -eu
. "$TOP/tests/lib/guest.sh"
guest_stage "$@"
cd "$TEST_DIR"

mkdir -m 0755 profiles
cp "$TOP"/profiles/*.xml profiles/
cat >profiles/all.xml <<-'END'
	<profile xmlns="urn:virt-fit:profile:1" name="all">
	  <summary>Everything</summary>
	  <include profile="k8s-node"/>
	  <param name="pages" type="sizes" default="1GiB 2MiB none"/>
	  <vcpus scheduler="fifo" priority="2"/>
	  <emulator scheduler="rr" priority="1"/>
	  <iothreads scheduler="fifo" priority="3" count="per-node"/>
	  <shares value="300"/>
	  <disks iothread="spread" ioeventfd="on"/>
	  <memory pages="${pages}" locked="yes" sharepages="no" allocation="immediate" threads="auto"
	          source="memfd" access="shared"/>
	</profile>
END
cat >profiles/start.xml <<-'END'
	<profile xmlns="urn:virt-fit:profile:1" name="start">
	  <summary>What a modest machine can start</summary>
	  <include profile="k8s-node"/>
	  <memory sharepages="no" allocation="immediate" threads="2" source="memfd" access="shared"/>
	</profile>
END

definition() { # VCPUS GIB CPU
	cat <<-END
		<domain type='qemu'><name>wide</name><memory unit='GiB'>$2</memory><vcpu>$1</vcpu>
		<os><type arch='x86_64' machine='q35'>hvm</type></os>$3
		<devices><controller type='scsi' model='virtio-scsi'/>
		<controller type='scsi' model='virtio-scsi'/>
		<disk type='file' device='disk'><source file='/disk'/><target dev='sda' bus='scsi'/></disk>
		</devices></domain>
	END
}

cells="<cpu><numa><cell id='0' cpus='0-11' memory='12' unit='GiB'/>
	<cell id='1' cpus='12-23' memory='12' unit='GiB'/></numa></cpu>"

round() { # PROFILE WHAT: source.xml, all the way and back
	virsh -q define source.xml >log && virsh dumpxml --inactive wide >plain.xml
	"$BUILD/virt-fit" render --sysroot host2 --profiles profiles --profile "$1" plain.xml >fitted.xml
	virsh -q define --validate fitted.xml >log 2>&1 || fail "$2: $(cat log)"
	virsh dumpxml --inactive wide >defined.xml
	"$BUILD/virt-fit" render --sysroot host2 --profiles profiles --profile "$1" defined.xml >again.xml
	cmp defined.xml again.xml || fail "$2: not fitted any more: $(diff defined.xml again.xml)"
	"$BUILD/virt-fit" revert defined.xml >reverted.xml
	virsh -q define reverted.xml >log && virsh dumpxml --inactive wide >back.xml
	cmp plain.xml back.xml || fail "$2: reverted: $(diff plain.xml back.xml)"
	virsh -q undefine wide
}

"$TOP/tests/hosts/make" two-node host2
definition 24 24 "" >source.xml
round all "larger than a node"
for word in "<cell id='1' cpus='12-23'" "<sibling id='1' value='21'/>" "<memnode cellid='1'" \
	"<vcpusched vcpus='23' scheduler='fifo' priority='2'/>" "<emulatorsched scheduler='rr'" \
	"<iothreadsched iothreads='2'" "<shares>300</shares>" "<nosharepages/>" "<source type='memfd'/>" \
	"<access mode='shared'/>" "<allocation mode='immediate' threads='16'/>" "nodeset='1'/>" \
	"iothread='2'"; do
	grep -qF -- "$word" defined.xml || fail "no $word in: $(cat defined.xml)"
done
definition 24 24 "$cells" >source.xml
round k8s-node "cells of its own"
grep -qF "<memnode cellid='0' mode='strict' nodeset='0'/>" defined.xml || fail "$(cat defined.xml)"
definition 4 3 "" >source.xml
round all "smaller than a node"
round throughput "throughput"

# A guest with a cell starts. Without a request: the hook has its own tests.
guest_xml web01 >guest.xml
"$BUILD/virt-fit" render --sysroot "$HOST" --profiles profiles --profile start --param cells=1 \
	--param pages=none <guest.xml | sed '/<metadata>/,/<\/metadata>/d' >started.xml
virsh -q create --validate started.xml >log 2>&1 || fail "$(cat log started.xml)"
tr '\0' '\n' <"/proc/$(guest_pid web01)/cmdline" >arguments
grep -q '"memory-backend-memfd".*"prealloc":true.*"prealloc-threads":2' arguments ||
	fail "$(grep memory-backend arguments)"
grep -q 'mem-merge=off' arguments || fail "memory is shared with other guests"
grep -q '^node,nodeid=0,cpus=0' arguments || fail "no guest cell"
grep -q '"host-nodes":\[0\],"policy":"bind"' arguments || fail "its memory is not bound"
virsh -q destroy web01
