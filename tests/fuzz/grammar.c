/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libvirt's schema allows, as far as virt-fit could care, and some of what it does not. */
#include "grammar.h"

#include "base/attr.h"

#define ON_OFF "{on|off}"
#define YES_NO "{yes|no}"

const struct fit_fuzz_rule fit_fuzz_rules[] = {
	{"domain", "<domain type='{kvm|kvm|kvm|kvm|kvm|qemu}'{| "
		   "xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'}>$head$tuning$machine"
		   "$devices?{$seclabel}</domain>"},
	{"domain",
		"<domain type='{kvm|kvm|kvm|qemu|xen|hvf}' "
		"xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0' id='#{1-9}'>$head$tuning"
		"$machine$devices$qemu</domain>"},

	{"head", "<name>{vm|vm|web-01|a b|&lt;&amp;&gt;}</name>"
		 "?{<uuid>11111111-2222-3333-4444-555555555555</uuid>}?{<title>T &amp; "
		 "t</title>}?{<description> a\n b </description>}{|$metadata}{||$maxmemory}<memory "
		 "$size</memory>?{<currentMemory $size</currentMemory>}"},
	{"maxmemory", "<maxMemory slots='#{1-8}' unit='GiB'>256</maxMemory>"},
	{"metadata",
		"<metadata>?{<libosinfo:libosinfo "
		"xmlns:libosinfo='http://libosinfo.org/xmlns/libvirt/domain/1.0'><libosinfo:os "
		"id='http://debian.org/debian/12'/></libosinfo:libosinfo>}?{<nova:instance "
		"xmlns:nova='http://openstack.org/xmlns/libvirt/nova/1.1'><nova:name>n "
		"&lt;</nova:name><nova:flavor name='m1'><nova:vcpus>2</nova:vcpus></nova:flavor>"
		"</nova:instance>}?{<c:x xmlns:c='urn:cockpit' a='&quot;'/>}?{$request}</metadata>"},
	{"request", "<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='{first|second|first "
		    "second}'/>"},
	{"request", "<f:domain xmlns:f='urn:virt-fit:domain:1' profile='first'>?{<f:device "
		    "{address='$pciname'|netdev='eth0'}/>}</f:domain>"},

	{"tuning", "?{$memtune}?{$backing}$vcpu?{$blkiotune}{|||$iothreads}{|$cputune}{|$numatune}"
		   "?{<resource><partition>/machine</partition></resource>}"},
	{"vcpu", "<vcpu{| placement='static'| placement='static' cpuset='$cpus'| cpuset='$cpus'}"
		 "{||| current='1'}>$vcpus</vcpu>"},
	{"vcpu", "<vcpu>$vcpus</vcpu>"},
	{"memtune", "<memtune><hard_limit unit='GiB'>#{1-99}</hard_limit></memtune>"},
	{"blkiotune", "<blkiotune><weight>#{100-900}</weight></blkiotune>"},
	{"backing", "<memoryBacking>?{<hugepages>{|<page size='2' unit='M'/>|<page size='1048576' "
		    "unit='KiB'/>}</hugepages>}?{<nosharepages/>}?{<locked/>}?{<source "
		    "type='{memfd|file|anonymous}'/>}?{<access mode='{shared|private}'/>}"
		    "?{<allocation mode='{immediate|ondemand}'/>}?{<discard/>}</memoryBacking>"},
	{"cputune",
		"<cputune>?{<shares>#{1-4096}</shares>}?{<period>100000</period>}?{<quota>{-1|90000}"
		"</quota>}{|$pins}?{<emulatorpin cpuset='$cpus'/>}{|$iothreadpins}?{<vcpusched "
		"vcpus='0' scheduler='fifo' priority='#{1-9}'/>}?{$iothreadsched}"
		"?{<emulatorsched scheduler='rr' priority='1'/>}"
		"{||||$cachetune}{||||$memorytune}</cputune>"},
	{"cachetune", "<cachetune vcpus='{0|0|0-1|1}'><cache id='0' level='3' "
		      "type='{both|both|code}' size='#{1-9}' unit='{MiB|KiB}'/>?{<monitor "
		      "level='3' vcpus='0'/>}</cachetune>"},
	{"memorytune", "<memorytune vcpus='{0|0|0-1|1}'><node id='#{0-1}' bandwidth='#{1-10}0'/>"
		       "</memorytune>"},
	{"numatune", "<numatune>?{<memory mode='{strict|preferred|interleave|restrictive}' "
		     "{nodeset='$nodes'|placement='auto'}/>}{|$memnodes}</numatune>"},

	{"machine", "<os><type arch='x86_64' machine='{q35|q35|pc-q35-7.2|pc|pc-i440fx-2.9}'>hvm"
		    "</type>$boot</os>$features$cpu$clock$events"},
	{"machine", "<os><type arch='x86_64' machine='q35'>hvm</type></os>$features$cpu$clock"},
	{"machine", "<os{| firmware='efi'}><type arch='x86_64' machine='pc-q35-7.2'>hvm</type>"
		    "$boot</os>$features$cpu$clock$events"},
	{"machine", "<os><type{| arch='x86_64'}{| machine='{microvm|isapc|none|q99}'}>hvm</type>"
		    "</os>$features$cpu"},
	{"machine", "<os><type {arch='aarch64' machine='virt'|arch='ppc64le' "
		    "machine='pseries'|arch='s390x' machine='s390-ccw-virtio'|arch='riscv64' "
		    "machine='virt'|arch='armv7l'}>hvm</type></os>$features$cpu$events"},
	{"machine", "$cpu$events<os><type>{hvm|linux|exe}</type></os>"},
	{"boot", "?{<loader readonly='yes' type='pflash'>/l.fd</loader>}?{<boot dev='hd'/>}"
		 "?{<bootmenu enable='no'/>}"},
	{"features", "?{<features><acpi/>?{<apic/>}?{<pae/>}?{$hyperv}?{<kvm>?{<hidden "
		     "state='" ON_OFF "'/>}?{<hint-dedicated state='" ON_OFF "'/>}</kvm>}?{<pmu "
		     "state='" ON_OFF
		     "'/>}?{<vmport state='off'/>}?{<ioapic driver='{kvm|qemu}'/>}?{<smm "
		     "state='on'/>}</features>}"},
	{"hyperv", "<hyperv{| mode='custom'| mode='passthrough'}>?{<relaxed state='" ON_OFF
		   "'/>}?{<vapic state='" ON_OFF "'/>}?{<spinlocks state='on' retries='8191'/>}"
		   "?{<vpindex state='" ON_OFF "'/>}?{<synic state='" ON_OFF "'/>}?{<stimer "
		   "state='on'>{|<direct state='on'/>}</stimer>}?{<vendor_id state='on' "
		   "value='abc'/>}</hyperv>"},
	{"cpuwithout", "{|<cpu/>|$cpuelement|$cpuelement|$cpuelement}"},
	{"cpuwithcells", "$cpuelement"},
	{"cpuelement", "<cpu mode='{host-passthrough|host-model|maximum}'{| check='none'| "
		       "check='partial'}{| migratable='" ON_OFF "'}>$cpuparts</cpu>"},
	{"cpuelement",
		"<cpu mode='custom' match='exact' check='{none|partial|full}'><model "
		"fallback='{allow|forbid}'>{Penryn|qemu64|EPYC}</model>?{<vendor>Intel</vendor>}"
		"$cpuparts</cpu>"},
	{"cpuelement", "<cpu>$cpuparts</cpu>"},
	{"cpuparts", "{||$topology}?{<cache mode='{passthrough|disable}'/>}?{<maxphysaddr "
		     "mode='passthrough'/>}*{$feature}$cells"},
	{"topology", "<topology sockets='$vcpus' {|dies='1' |dies='1' clusters='1' }cores='1' "
		     "threads='1'/>"},
	{"topology", "<topology sockets='1' cores='$vcpus' threads='1'/>"},
	{"topology", "<topology sockets='1' dies='1' cores='#{1-4}' threads='#{1-2}'/>"},
	{"feature", "<feature policy='{require|disable|force|optional}' "
		    "name='{topoext|invtsc|vmx|x2apic|hypervisor}'/>"},
	{"clock", "?{<clock offset='{utc|localtime}'>?{<timer name='rtc' "
		  "tickpolicy='{catchup|delay}'/>}?{<timer name='pit' tickpolicy='delay'/>}"
		  "?{<timer name='hpet' present='" YES_NO "'/>}?{<timer name='hypervclock' "
		  "present='yes'/>}?{<timer name='tsc' frequency='2000000000'/>}</clock>}"},
	{"events", "?{<on_poweroff>destroy</on_poweroff>}?{<on_reboot>restart</on_reboot>}"
		   "?{<on_crash>{destroy|restart|preserve}</on_crash>}?{<pm><suspend-to-mem "
		   "enabled='no'/></pm>}"},

	{"devices", "<devices>$emulator*{$disk}*{$controller}*{$interface}*{$hostdev}*{$character}"
		    "*{$other}{|<memballoon model='{virtio|none}'/>}</devices>"},
	{"devices", "<devices>*{$device}*{$device}*{$device}</devices>"},
	{"devices", "<devices>$emulator$pcie*{$disk}*{$interface}*{$hostdev}</devices>"},
	{"devices", "<devices/>"},
	{"emulator", "?{<emulator>/usr/bin/qemu-system-x86_64</emulator>}"},
	{"device", "{$disk|$controller|$interface|$hostdev|$character|$other|$foreign}"},
	{"pcie", "<controller type='pci' index='0' model='pcie-root'/><controller type='pci' "
		 "index='1' model='pcie-root-port'><model name='pcie-root-port'/><target "
		 "chassis='1' port='0x10'/><address type='pci' domain='0x0000' bus='0x00' "
		 "slot='0x02' function='0x0'{| multifunction='on'}/></controller>?{<controller "
		 "type='pci' index='2' model='pcie-root-port'><address type='pci' bus='0' "
		 "slot='2' function='1'/></controller>}"},

	{"disk", "<disk type='{file|file|file|dir}' device='disk'>$driver<source "
		 "file='/i/$letter.img'/><target dev='vd$target' bus='virtio'/>$diskparts</disk>"},
	{"disk", "<disk type='file' device='{disk|cdrom|lun}'>?{$driver}<target dev='sd$target' "
		 "bus='{scsi|sata|usb}'/>?{<readonly/>}$diskparts</disk>"},
	{"disk", "<disk type='file'><target dev='{vd|hd|sd|xvd}$target'/></disk>"},
	{"disk", "<disk type='block'>$driver<source dev='/dev/sd$letter'/><target "
		 "dev='vd$target' bus='virtio'/><address type='pci' domain='0x0000' "
		 "bus='0x#{2-9}' slot='0x00' function='0x0'/></disk>"},
	{"disk", "<disk type='network' device='disk'><driver name='qemu' type='raw' "
		 "cache='writeback'/><source protocol='rbd' name='p/v'><host name='h' "
		 "port='6789'/></source><auth username='a'><secret type='ceph' "
		 "uuid='11111111-0000-0000-0000-000000000000'/></auth><target dev='vd$target' "
		 "bus='virtio'/></disk>"},
	{"disk", "<disk type='nvme' device='disk'><driver name='qemu' type='raw'/><source "
		 "type='pci' managed='yes' namespace='1'><address $pci/></source><target "
		 "dev='vd$target' bus='virtio'/></disk>"},
	{"driver", "{|<driver{| name='qemu' type='{raw|qcow2}'}{| "
		   "cache='{none|writeback|directsync|unsafe}'}{| io='{threads|native}'}"
		   "{|||$iothread}{||| queues='#{1-8}'}{||| discard='unmap'}{||| "
		   "packed='on'}/>}"},
	{"diskparts", "?{<boot order='#{1-9}'/>}?{<iotune><total_iops_sec>#{1-999}"
		      "</total_iops_sec></iotune>}?{<serial>S$serial</serial>}?{<alias "
		      "name='ua-d$serial'/>}?{$foreign}"},

	{"controller", "<controller type='scsi'{| index='#{0-3}'} model='virtio-scsi'>{|<driver"
		       "$iothread/>|<driver queues='2'/>}</controller>"},
	{"controller", "<controller type='usb' model='{none|qemu-xhci|ich9-ehci1}'/>"},
	{"controller", "<controller type='{sata|ide|virtio-serial|fdc}' index='0'/>"},
	{"controller", "$pcie"},
	{"controller", "<controller type='pci' model='{pcie-root-port|pci-bridge}'/>"},
	{"interface", "<interface type='network'><source network='default'/>$nic</interface>"},
	{"interface", "<interface type='bridge'><mac address='52:54:00:00:01:$serial'/><source "
		      "bridge='br0'/>$nic?{<address type='pci' domain='0x0000' bus='0x01' "
		      "slot='0x00' function='0x0'/>}</interface>"},
	{"interface", "<interface type='user'><mac address='52:54:00:00:02:$serial'/></interface>"},
	{"interface", "<interface type='direct'><source dev='eth0' mode='{bridge|passthrough}'/>"
		      "$nic</interface>"},
	{"interface", "<interface type='hostdev' managed='" YES_NO
		      "'>?{<mac address='52:54:00:00:03:$serial'/>}<source><address type='pci' "
		      "$pci/></source>?{<vlan><tag id='#{1-99}'/></vlan>}</interface>"},
	{"nic", "<model type='{virtio|virtio|virtio|e1000e|rtl8139}'/>?{<driver{| "
		"name='{vhost|qemu}'}{| queues='#{1-8}'}{| rx_queue_size='256'}/>}?{<target "
		"dev='t$serial'/>}?{<link state='down'/>}?{<alias name='ua-n$serial'/>}"},
	{"hostdev", "<hostdev mode='subsystem' type='pci'{| managed='yes'}>?{<driver "
		    "name='vfio'/>}<source><address $pci/></source>?{<alias "
		    "name='ua-h$serial'/>}?{<rom bar='off'/>}?{<address type='pci' "
		    "domain='0x0000' bus='0x0#{1-9}' slot='0x00' function='0x0'/>}</hostdev>"},
	{"hostdev", "<hostdev mode='subsystem' type='usb'><source><vendor id='0x1234'/><product "
		    "id='0xbeef'/></source></hostdev>"},
	{"hostdev", "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source><address "
		    "uuid='11111111-0000-0000-0000-0000000000$serial'/></source></hostdev>"},
	{"character", "<serial type='pty'>?{<target type='isa-serial' port='0'/>}</serial>"},
	{"character", "<console type='pty'><target type='{serial|virtio}' port='0'/></console>"},
	{"character", "<channel type='unix'><target type='virtio' "
		      "name='org.qemu.guest_agent.$serial'/></channel>"},
	{"character", "<parallel type='pty'/>"},
	{"other", "<graphics type='vnc' autoport='yes'/><video><model type='{virtio|qxl|cirrus}'/>"
		  "</video>"},
	{"other", "<input type='tablet' bus='usb'/>"},
	{"other", "<input type='{mouse|keyboard}' bus='{ps2|virtio}'/>"},
	{"other", "<sound model='ich9'/>"},
	{"other", "<tpm model='tpm-crb'><backend type='emulator' version='2.0'/></tpm>"},
	{"other", "<rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>"},
	{"other", "<watchdog model='i6300esb' action='reset'/>"},
	{"other", "<filesystem type='mount'><driver type='virtiofs'/><source dir='/s'/><target "
		  "dir='t$serial'/></filesystem>"},
	{"other", "<vsock model='virtio'><cid auto='yes'/></vsock>"},
	{"other", "<panic model='isa'/>"},
	{"other", "<redirdev bus='usb' type='spicevmc'/>"},
	{"other", "<memory model='dimm'>?{<source>$dimmsource</source>}<target><size "
		  "unit='MiB'>512</size><node>0</node></target></memory>"},
	{"other", "<memory model='virtio-mem'>?{<source>$dimmsource</source>}<target><size "
		  "unit='GiB'>1</size><node>0</node><block unit='MiB'>2</block><requested "
		  "unit='MiB'>512</requested></target></memory>"},
	{"dimmsource", "{|<nodemask>#{0-1}</nodemask>}{|<pagesize unit='KiB'>{4|2048|1048576}"
		       "</pagesize>}"},
	{"other", "<iommu model='{intel|intel|virtio|smmuv3}'>?{<driver intremap='" ON_OFF
		  "'{| caching_mode='on'}{| iotlb='" ON_OFF "'}/>}</iommu>"},
	{"other", "$foreign"},
	{"foreign", "<unknown a='1'><vcpupin vcpu='0' cpuset='0'/>text</unknown>"},
	{"foreign", "<x:y xmlns:x='urn:x' x:z='&#10;'><x:disk/></x:y>"},

	{"vfs", "<vfs count='#{1-3}'?{ pf='{nearest|eth0}'}?{ create='#{1-4}'}?{ vlan='#{1-9}'}?{ "
		"teaming='{standby|none|none|none}'}?{ existing='keep'}/>"},
	{"vfs", "<vfs count='#{1-3}' as='hostdev'?{ class='network'}?{ create='needed'}/>"},
	{"vfs", "<vfs count='#{1-3}' as='network' network='pool'?{ vlan='#{1-9}'}/>"},
	{"vfs", "<vfs mac='52:54:00:11:22:33'?{ vlan='none'}?{ existing='replace'}/>"},

	{"seclabel", "<seclabel type='dynamic' model='apparmor' relabel='yes'/>"},
	{"qemu", "<qemu:commandline><qemu:arg value='{-s|-cpu|-machine}'/><qemu:arg "
		 "value='host,+x'/></qemu:commandline>?{<qemu:override><qemu:device "
		 "alias='ua-d1'><qemu:frontend><qemu:property name='vectors' type='unsigned' "
		 "value='4'/></qemu:frontend></qemu:device></qemu:override>}"},
};

const size_t fit_fuzz_rule_count = FIT_ARRAY_SIZE(fit_fuzz_rules);
