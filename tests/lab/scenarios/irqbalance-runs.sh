#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# irqbalance runs, and an administrator has told it to leave a CPU alone. A domain's cores and the
# interrupts of its devices are left alone too while it runs; the rest is balanced as ever. Afterwards
# only the administrator's word is left.
. "$TOP/tests/lab/scenario.sh"

tell_irqbalance() { # COMMAND, prints what it answers
	python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.send(sys.argv[2].encode())
s.shutdown(socket.SHUT_WR)
print(s.recv(65536).decode("ascii", "replace").strip("\0\n"))' "$(echo /run/irqbalance/*.sock)" "$1"
}

banned_cpus() {
	tell_irqbalance setup | sed -n 's/.*BANNED 0*\([0-9a-f][0-9a-f,]*\).*/\1/p'
}

banned_are() { # MASK
	[ "$(banned_cpus)" = "$1" ]
}

is_balanced() { # irqbalance says what it does with interrupts
	[ "$(tell_irqbalance stats | grep -o 'IRQ [0-9]* LOAD' | wc -l)" -gt 5 ]
}

guest_define web sata 2 192.168.77.11
remember_host
grep -av '^/proc/irq/' "$WORK/before" >"$WORK/others"
systemctl start irqbalance
wait_until 30 is_balanced
tell_irqbalance "settings cpus 2"
wait_until 60 banned_are 4
virt-fit set web low-latency sriov "${small_pages[@]}"
virsh -q start web
same "vCPUs" "4 5" "$(guest_value web "//vcpupin[@vcpu='0']/@cpuset") $(guest_value web "//vcpupin[@vcpu='1']/@cpuset")"
wait_until 60 banned_are 34
guest_is_up web
guest_answers 192.168.77.11
sleep 25 # it looks at all interrupts every 10 s and places them at the next look
interrupts_stay_off 4-5
is_balanced || fail "irqbalance does nothing more: $(tell_irqbalance stats)"

virsh -q destroy web
wait_until 60 banned_are 4
systemctl stop irqbalance
host_settings | sort | grep -av '^/proc/irq/' >"$WORK/after"
diff "$WORK/others" "$WORK/after" || fail "the host is not as before"
same "our state" "" "$(our_state)"
rm -f "$SETTINGS" # interrupts are where irqbalance left them
no_program_was_confined
