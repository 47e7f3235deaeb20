#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The schema for editors and virt-fit's own checks agree, on the shipped profiles and on others.
set -eu
. "$TOP/tests/lib/shell.sh"
requires xmllint
schema=$TOP/profiles/profile.rng
failed=0

wrong() {
	echo "$*"
	failed=1
}

mkdir -m 0755 "$TEST_DIR/profiles"
profiles=()
wanted=() # good or bad, of each

expect() { # good|bad CONTENT
	local name=p${#profiles[@]}
	printf '<profile xmlns="urn:virt-fit:profile:1" name="%s"><summary>S</summary>%s</profile>\n' \
		"$name" "$2" >"$TEST_DIR/profiles/$name.xml"
	profiles+=("$name")
	wanted+=("$1")
}

for file in "$TOP"/profiles/*.xml; do
	cp "$file" "$TEST_DIR/profiles/"
	file=${file##*/}
	profiles+=("${file%.xml}")
	wanted+=(good)
done

# Every attribute with every word it knows, and with a word it does not know.
words() { # ELEMENT ATTRIBUTE WORD...
	local element=$1 attribute=$2 word
	shift 2
	for word; do
		expect good "<$element $attribute=\"$word\"/>"
	done
	expect bad "<$element $attribute=\"unheard-of\"/>"
	expect bad "<$element $attribute=\"\"/>"
	expect bad "<$element $attribute=\" $1\"/>"
}
for element in cpu features hyperv clock vcpus emulator iothreads disks memory cells vfs iommu; do
	words $element existing keep replace require
	expect good "<$element/>"
	expect bad "<$element unheard-of='1'/>"
	expect bad "<$element/><$element/>"
	expect bad "<$element>text</$element>"
	expect bad "<$element><cpu/></$element>"
done
words cpu mode host-passthrough host-model keep
words cpu migratable on off keep
words cpu topology mirror keep
words cpu threads host 1 2
words cpu cache passthrough keep
words cpu maxphysaddr passthrough keep
for names in none invtsc "invtsc sse4.1" " arch-capabilities avx512_vpopcntdq"; do
	expect good "<cpu require='$names' disable='pdpe1gb'/>"
	expect good "<cpu disable='$names'/>"
done
for names in "" " " "a,b" "+invtsc" "a&amp;b"; do
	expect bad "<cpu require='$names'/>"
	expect bad "<cpu disable='$names'/>"
done
words features pmu on off keep
words features hidden on off keep
words features hint-dedicated on off keep
words features poll-control on off keep
for names in none all "all evmcs avic" "relaxed vapic spinlocks vpindex runtime synic hypervclock" \
	"stimer frequencies tlbflush ipi reset reenlightenment emsr_bitmap xmm_input"; do
	expect good "<hyperv features='$names'/>"
done
for names in "" unheard-of "none all" all,evmcs; do
	expect bad "<hyperv features='$names'/>"
done
for id in keep GenuineIntel "KVM Hv" 1.2_3-4; do
	expect good "<hyperv vendor_id='$id'/>"
done
for id in "" 0123456789abc "a,b" " a" "a " "&lt;"; do
	expect bad "<hyperv vendor_id='$id'/>"
done
words clock offset utc localtime keep
words clock rtc catchup delay keep
words clock pit delay catchup discard keep
words clock hpet yes no keep
words clock kvmclock yes no keep
words clock tsc native keep
words vcpus place cores node none
words vcpus shared yes no
words vcpus near devices none
words vcpus span node nodes
words emulator place housekeeping own-core vcpus node none
words iothreads place housekeeping own-core vcpus node none
words iothreads count auto per-disk per-node 0 4 8192
words iothreads poll-max off keep 1 32768
words vcpus pin one set
for element in vcpus emulator iothreads; do
	words $element scheduler fifo rr keep
	words $element priority 1 99
	expect bad "<$element priority='0'/>"
	expect bad "<$element priority='100'/>"
done
words shares value keep 2 10000
expect bad "<shares value='10001'/>"
expect bad "<shares/>"
expect good "<cachetune size='8MiB'/>"
words "cachetune size='8MiB'" level 3
words "cachetune size='8MiB'" type both code data
for element in "cachetune size='8MiB'" "memorytune bandwidth='50'"; do
	words "$element" missing warn refuse
	words "$element" existing keep replace require
	expect bad "<$element unheard-of='1'/>"
done
words cachetune size keep 1536KiB 1GiB
words memorytune bandwidth keep 1 50 100
expect bad "<memorytune bandwidth='101'/>"
expect bad "<memorytune bandwidth='0'/>"
expect bad "<memorytune/>"
expect bad "<cachetune/>"
expect bad "<cachetune size='8'/>"
words cells count auto none 1 8192
words cells distances mirror none
words disks iothread spread map keep
words disks ioeventfd on off keep
words disks cache none writeback writethrough directsync unsafe keep
words disks io native threads io_uring keep
words memory nodes as-cpus keep
words memory binding strict preferred
words memory compact yes no
words memory locked yes no
words memory sharepages no keep
words memory allocation immediate keep
words memory threads auto keep 4
words memory source memfd keep
words memory access shared private keep
for pages in none 2MiB "1GiB 2MiB" "1GiB 2MiB none" 64k; do
	expect good "<memory pages='$pages'/>"
done
for pages in "" unheard-of "none 2MiB" 2048 "2MiB,1GiB"; do
	expect bad "<memory pages='$pages'/>"
done
words iommu model auto intel virtio smmuv3 keep
for attribute in intremap caching_mode iotlb eim; do
	words iommu $attribute on off keep
done
words vfs class network nvme
words vfs count 0 1 8192
words vfs create needed 8
words vfs as interface hostdev network
words vfs vlan none 1 4094
words vfs mac auto 52:54:00:6b:3c:58 "52:54:00:6B:3C:58 02:00:00:00:00:01"
words vfs teaming none standby
expect good "<vfs network='vf-pool'/>"
expect bad "<vfs network=''/>"
expect bad "<vfs vlan='4095'/>"
expect bad "<vfs vlan='0'/>"
expect bad "<vfs mac='53:54:00:6b:3c:58'/>"
expect bad "<vfs mac='52:54:00:6b:3c'/>"
for pf in nearest 0000:41:00.0 41:00.0 10000:e1:00.0 enp65s0f0; do
	expect good "<vfs pf='$pf'/>"
done
for pf in '' a/b 41:00.8 0123456789abcdef 'a b'; do
	expect bad "<vfs pf='$pf'/>"
done
for kind in gpus nvme others; do
	expect good "<passthrough of='$kind'/>"
	words "passthrough of='$kind'" devices requested none
	words "passthrough of='$kind'" functions all named
	expect bad "<passthrough of='$kind' existing='keep'/>"
done
words "passthrough of='gpus'" rom on off keep
words "passthrough of='gpus'" console keep take
expect good "<passthrough of='others'/><vfs/><passthrough of='gpus'/>"
expect bad "<passthrough of='nvme' console='take'/>"
expect bad "<passthrough of='disks'/>"
expect bad "<passthrough/>"
expect bad "<iothreads count='8193'/>"
expect bad "<iothreads count='-1'/>"

expect good "<interrupts of='others' to='elsewhere'/>"
expect good "<interrupts of='devices' to='node'/><vfs/><interrupts of='others' to='keep'/>"
expect bad "<interrupts of='others' to='keep'/><interrupts of='others' to='keep'/>"
expect bad "<interrupts of='others' to='vcpus'/>"
expect bad "<interrupts of='devices' to='elsewhere'/>"
expect bad "<interrupts of='others'/>"
expect bad "<interrupts to='keep'/>"
expect good "<host><governor value='performance' missing='warn'/></host>"
expect good "<host/>"
expect good "<host><isolate/><governor/></host>"
expect good "<host><governor/><isolate cpus='own' missing='refuse'/></host>"
expect bad "<host><isolate cpus='all'/></host>"
expect bad "<host><isolate/><isolate/></host>"
words vfs trust on off keep
words vfs spoofchk on off keep
words vfs link-state auto enable disable keep
words vfs qos 7 1 none
words vfs min-rate 1 1000000 none keep
words vfs max-rate 1000 none keep
words vfs up yes no
words vfs missing refuse warn
expect bad "<vfs qos='8'/>"
expect bad "<vfs max-rate='1000001'/>"
for of in vhost kvm qemu; do
	expect good "<host><threads of='$of' to='emulator' scheduler='fifo' priority='2'/></host>"
	expect good "<host><threads of='$of' to='keep'/></host>"
done
expect good "<host><threads of='kvm'/><threads of='vhost'/></host>"
expect bad "<host><threads/></host>"
expect bad "<host><threads of='others'/></host>"
expect bad "<host><threads of='kvm' to='vcpus'/></host>"
for cpus in vcpus own none; do
	expect good "<host><isolate cpus='$cpus'/></host>"
done
expect bad "<host><governor missing='ignore'/></host>"
expect bad "<host><vcpus/></host>"
expect bad "<governor/>"

# Settings of the host.
host_words() { # ELEMENT ATTRIBUTE WORD...
	local element=$1 attribute=$2 word
	shift 2
	for word in "$@" keep; do
		expect good "<host><$element $attribute='$word'/></host>"
		expect good "<host><$element missing='refuse' $attribute='$word'/></host>"
	done
	expect bad "<host><$element $attribute='unheard of&#10;'/></host>"
	expect bad "<host><$element $attribute=''/></host>"
	expect bad "<host><$element other='1' $attribute='$1'/></host>"
	expect bad "<host><$element $attribute='$1'/><$element $attribute='$1'/></host>"
	case $element in
	governor | ethtool*) ;;
	*) expect bad "<host><$element/></host>" ;;
	esac
	expect bad "<$element $attribute='$1'/>"
}
host_words governor value performance
host_words energy-preference value balance_power
host_words wakeup-latency max 0us 10us 1ms
host_words turbo value off on
host_words device-power value on auto
host_words device-driver value vfio-pci mlx5_vfio_pci
host_words aspm value off
host_words transparent-hugepages value always madvise never
host_words transparent-hugepages-defrag value always defer defer+madvise madvise never
host_words ksm value off on unmerge
host_words numa-balancing value off on
host_words compaction max 0 1 100
host_words stat-interval min 10s
host_words timer-migration value off on
host_words rt-runtime value unlimited 950ms
host_words halt-poll value 0us 50us
host_words workqueues to elsewhere
host_words lockup-watchdog to elsewhere
for setting in rx-usecs rx-frames tx-usecs tx-frames; do
	host_words "ethtool of='pfs'" $setting 0 1000000
	expect bad "<host><ethtool of='pfs' $setting='10us'/></host>"
done
for setting in rx-ring tx-ring rx-channels tx-channels combined-channels; do
	host_words "ethtool of='pfs'" $setting 1 1000000
	expect bad "<host><ethtool of='pfs' $setting='0'/></host>"
done
for setting in adaptive-rx adaptive-tx; do
	host_words "ethtool of='pfs'" $setting on off
done
for setting in features-on features-off; do
	for names in keep rx-gro "tx-tcp-segmentation rx-hashing" generic-receive-offload "gro rxhash"; do
		expect good "<host><ethtool of='pfs' $setting='$names'/></host>"
	done
	expect bad "<host><ethtool of='pfs' $setting=''/></host>"
	expect bad "<host><ethtool of='pfs' $setting='a/b'/></host>"
	for group in none tx-checksumming scatter-gather tcp-segmentation-offload udp-fragmentation-offload tx sg tso ufo; do
		expect bad "<host><ethtool of='pfs' $setting='rx-gro $group'/></host>"
	done
done
expect bad "<host><ethtool rx-usecs='0'/></host>"
expect bad "<host><ethtool of='vfs' rx-usecs='0'/></host>"
for value in "wakeup-latency max='10'" "wakeup-latency max='-1us'" "compaction max='101'" "aspm value='on'"; do
	expect bad "<host><$value/></host>"
done
expect good "<host><turbo value='off'/><governor/><aspm value='off'/></host>"
expect good "<param name='t' type='time' default='10us'/><host><wakeup-latency max='\${t}'/></host>"
expect good "<host><sysctl name='vm.dirty_ratio' value='5'/><sysctl name='vm/swappiness' value='1 2'/></host>"
expect good "<host><sysfs path='kernel/mm/ksm/pages_to_scan' value='a\$b' missing='refuse'/></host>"
for name in "" vm..a /vm/a vm/../a "vm.a b" vm; do
	expect bad "<host><sysctl name='$name' value='1'/></host>"
done
for path in "" /kernel/mm/ksm/sleep_millisecs kernel/mm/../a kernel/mm/.a "kernel/mm/a b"; do
	expect bad "<host><sysfs path='$path' value='1'/></host>"
done
expect bad "<host><sysctl name='vm.dirty_ratio'/></host>"
expect bad "<host><sysctl value='5'/></host>"
expect bad "<host><sysctl name='vm.dirty_ratio' value=''/></host>"
expect bad "<host><sysctl name='vm.dirty_ratio' value='  '/></host>"
expect bad "<host><sysfs path='kernel/mm/ksm/pages_to_scan' value=' '/></host>"
expect bad "<param name='a' type='text' default='5'/><host><sysctl name='vm.dirty_ratio' value='\${a}'/></host>"
expect bad "<host><sysctl path='vm.dirty_ratio' value='5'/></host>"
expect bad "<sysctl name='vm.dirty_ratio' value='5'/>"

for type in count:1 priority:50 shares:200 percent:50 nanoseconds:1000 vlan-priority:3 mbits:1000 number:0 positive:1 features:rx-gro time:10us size:4MiB sizes:none yes-no:no pf:nearest macs:52:54:00:6b:3c:58 vlan:7 \
	names:none hyperv:all vendor-id:me text:any; do
	expect good "<param name='a' type='${type%%:*}' default='${type#*:}'/>"
	expect bad "<param name='a' type='${type%%:*}' default=''/>"
	expect bad "<param name='a' type='${type%%:*}'/>"
	expect bad "<param name='a' type='${type%%:*}' default='${type#*:}' allowed='x'/>"
done
expect good "<param name='a-b_1' type='choice' allowed='x y' default='x'>D</param>"
expect bad "<param name='a' type='choice' default='x'/>"
expect bad "<param name='a' type='other' default='x'/>"
expect bad "<param name='1' type='count' default='1'/>"
expect bad "<param name='a' type='count' default='1'><b/></param>"
expect good "<param name='a' type='text' default='no'/><vcpus shared='\${a}'/>"
expect good "<param name='a' type='text' default='io'/><disks io='\${a}_uring'/>"
expect good "<include profile='base'/>"
expect bad "<include profile='../base'/>"
expect bad "<include profile='a..b'/>"
expect bad "<include/>"
expect bad "<summary>second</summary>"
expect bad "<unheard-of/>"
expect bad "text"
expect bad "<cpu xmlns=''/>"

for existing in keep replace require; do
	expect good "<domain existing='$existing'><features><pmu state='off'/></features></domain>"
done
expect good "<domain><title>text</title><os xmlns=''><loader/></os></domain>"
expect good "<param name='a' type='text' default='keep'/><domain existing='\${a}'><pm/></domain>"
expect bad "<domain/>"
expect bad "<domain>text</domain>"
expect bad "<domain existing='maybe'><pm/></domain>"
expect bad "<domain type='kvm'><pm/></domain>"
expect bad "<domain><pm/></domain><domain><pm/></domain>"
expect bad "<domain><pm>text<a/></pm></domain>"
expect bad "<domain><q:pm xmlns:q='urn:q'/></domain>"
expect bad "<domain><pm q:a='1' xmlns:q='urn:q'/></domain>"
for element in name uuid metadata; do
	expect bad "<domain><$element>a</$element></domain>"
	expect bad "<domain><$element xmlns=''>a</$element></domain>"
done

# All at once: programs for each of them would take minutes with sanitizers.
cd "$TEST_DIR/profiles"
xmllint --noout --relaxng "$schema" "${profiles[@]/%/.xml}" >/dev/null 2>"$TEST_DIR/schema" || true
"$BUILD/virt-fit" profiles --sysroot "$TEST_DIR" --profiles "$TEST_DIR/profiles" \
	>"$TEST_DIR/list" 2>"$TEST_DIR/errors" || true
declare -A schema_says program_says
while read -r file verdict; do
	case $verdict in
	validates) schema_says[${file%.xml}]=good ;;
	"fails to validate") schema_says[${file%.xml}]=bad ;;
	esac
done <"$TEST_DIR/schema"
while read -r name _ summary; do
	case $summary in
	"(cannot be used, see below)") program_says[$name]=bad ;;
	*) program_says[$name]=good ;;
	esac
done <"$TEST_DIR/list"

for i in "${!profiles[@]}"; do
	name=${profiles[i]}
	[ "${schema_says[$name]:-nothing}" = "${wanted[i]}" ] ||
		wrong "schema: ${schema_says[$name]:-nothing}, expected ${wanted[i]}: $(cat "$name.xml")"
	[ "${program_says[$name]:-nothing}" = "${wanted[i]}" ] ||
		wrong "virt-fit: ${program_says[$name]:-nothing}, expected ${wanted[i]}: $(cat "$name.xml")" \
			"$(grep "^virt-fit: $name: " "$TEST_DIR/errors" || true)"
done
echo "${#profiles[@]} profiles"
[ $failed = 0 ]
