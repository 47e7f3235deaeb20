#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Many at once: all definitions get fitted, all starts that came too early end with the domain
# running, one domain's broken profile is that domain's problem, and events leave no memory behind.
# MANY says how many domains there are (default 40), STARTS how many are started (default 6), EVENTS
# how many events there are (default 600; the first fifth is for the watcher to get warm).
set -eu
. "$TOP/tests/lib/guest.sh"
. "$TOP/tests/lib/watch.sh"
guest_stage "$@"
many=${MANY:-40} starts=${STARTS:-6} events=${EVENTS:-600}
mkdir -p "$HOST/etc/virt-fit/profiles"
cat >"$HOST/etc/virt-fit/profiles/timers.xml" <<-'END'
	<profile xmlns="urn:virt-fit:profile:1" name="timers">
	  <summary>Fits any number of domains on any host</summary>
	  <clock hpet="no"/>
	</profile>
END
echo "<profile xmlns='urn:virt-fit:profile:1' name='broken'><summary>" >"$HOST/etc/virt-fit/profiles/broken.xml"
timers="<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='timers'/>"
broken="<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='broken'/>"
watch_start

guest_xml many0 "$broken" >"$TEST_DIR/many0.xml"
for ((i = 1; i < many; i++)); do
	guest_xml "many$i" "$timers" >"$TEST_DIR/many$i.xml"
done
for ((i = 0; i < many; i++)); do
	echo "define $TEST_DIR/many$i.xml"
done | virsh -q >/dev/null
for ((i = 1; i < many; i++)); do
	wait_until $((10 + many)) is_fitted "many$i"
done
! is_fitted many0 || fail "it has a broken profile"
same "how often the broken profile is told" 1 "$(watch_count "many0: ")"

# Started before anybody could fit them: refused, and running all the same.
for ((i = 0; i < starts; i++)); do
	# All would have the same disk.
	guest_xml "start$i" "$timers" | sed '/<disk /,/<\/disk>/d' >"$TEST_DIR/start$i.xml"
	printf 'define %s\nstart start%s\n' "$TEST_DIR/start$i.xml" "$i"
done | virsh -q >/dev/null 2>"$TEST_DIR/refused" || true
grep -q "do not start it again" "$TEST_DIR/refused" || fail "none came too early: $(cat "$TEST_DIR/refused")"
for ((i = 0; i < starts; i++)); do
	wait_until $((20 + 2 * starts)) guest_is "start$i" running
	is_fitted "start$i" || fail "start$i runs unfitted"
done

anonymous_kib() {
	awk '/^RssAnon/ { print $2 }' "/proc/$watch_pid/status"
}

change() { # COUNT: the request of a few domains, back and forth, in one virsh
	local i
	for ((i = 0; i < $1; i++)); do
		echo "metadata many$((1 + i % 4)) urn:virt-fit:domain:1 --config --key fit --set" \
			"\"<domain profile='timers' stale='$( ((i / 4 % 2)) && echo warn || echo refuse)'/>\""
	done | virsh -q >/dev/null
}

change $((events / 5))
wait_until 10 is_fitted many1
sleep 1
warm=$(anonymous_kib)
change $((events - events / 5))
sleep 1
wait_until 10 is_fitted many1
hot=$(anonymous_kib)
echo "$many domains, $starts starts, $events events: $warm KiB, then $hot KiB"
# Sanitizers keep what was freed, and look for leaks themselves when the watcher ends.
case $BUILD in
*-san) ;;
*)
	[ "$hot" -le $((warm + 512)) ] || fail "it grew from $warm to $hot KiB"
	[ "$hot" -le 8192 ] || fail "$hot KiB"
	;;
esac

virsh -q define "$TEST_DIR/many0.xml" >/dev/null
sed "s,</summary>\|<summary>,&,; s,\$,Mended</summary><clock hpet='no'/></profile>," \
	"$HOST/etc/virt-fit/profiles/broken.xml" >"$TEST_DIR/mended.xml"
mv "$TEST_DIR/mended.xml" "$HOST/etc/virt-fit/profiles/broken.xml"
wait_until 10 is_fitted many0
watch_stop TERM
