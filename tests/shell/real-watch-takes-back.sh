#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A request that is taken out of the metadata takes what was fitted with it; a domain that never had
# one, and was fitted all the same, is left alone. A start that was asked for of a domain that is
# gone is forgotten, and what is wrong with host.xml is said once, not for each domain.
set -eu
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
guest_stage "$@"

definition_of() { # NAME
	virsh -q dumpxml --inactive -- "$1"
}

guest_define mine
plain=$(definition_of mine)
guest_define options
virt-fit render --profile low-latency "${modest[@]}" options >"$TEST_DIR/options.xml"
virsh -q define "$TEST_DIR/options.xml" >/dev/null
by_options=$(definition_of options)
watch_start

virsh -q metadata mine urn:virt-fit:domain:1 --config --key fit --set \
	"$(request low-latency | sed "s/fit://g; s/ xmlns:fit='[^']*'//")" >/dev/null
wait_until 10 is_fitted mine
virsh -q metadata mine urn:virt-fit:domain:1 --config --remove >/dev/null
wait_until 10 watch_says "mine: it requests no profile any more: as it was before"
same "the definition without its request" "$plain" "$(definition_of mine)"
same "the one that was fitted with options" "$by_options" "$(definition_of options)"

# As the hook leaves it.
gone=6a1b0c5e-3f0a-4a53-8d0e-6c1f1f1d2a10
requests=$HOST/run/virt-fit/requests
printf 'virt-fit-request 2\nboot %s\nname gone\nat %s\nend\n' \
	"$(cat "$HOST/proc/sys/kernel/random/boot_id")" "$(cut -d. -f1 /proc/uptime)" >"$requests/.$gone"
mv "$requests/.$gone" "$requests/$gone"
wait_until 5 test ! -e "$requests/$gone"
watch_says "gone: it was to be started, and has been undefined" || fail "$(cat "$WATCH_LOG")"

mkdir -p "$HOST/etc/virt-fit"
echo "<host xmlns='urn:virt-fit:host:1'><nonsense/></host>" >"$HOST/etc/virt-fit/host.xml"
for name in one two three; do
	guest_define "$name" "$(request low-latency)"
done
wait_until 10 watch_says nonsense
sleep 1
same "how often host.xml is complained of" 1 "$(watch_count nonsense)"
rm "$HOST/etc/virt-fit/host.xml"
wait_until 10 is_fitted one
watch_stop TERM
