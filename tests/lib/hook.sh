# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The hook engine called as libvirt does, on a made-up host ($HOST) that does what it is told and
# nothing more. Source it after shell.sh.

HOST=$TEST_DIR/host
PROFILES=$TEST_DIR/profiles
UUID_A=aaaaaaaa-0000-4000-8000-000000000001
UUID_B=bbbbbbbb-0000-4000-8000-000000000002

hook_host() { # NAME of tests/hosts
	rm -rf "$HOST" "$PROFILES"
	"$TOP/tests/hosts/make" "$1" "$HOST"
	cp -r "$BUILD/profiles" "$PROFILES"
	# Takes nothing but memory.
	cat >"$PROFILES/pages-only.xml" <<-END
		<profile xmlns="urn:virt-fit:profile:1" name="pages-only">
		  <summary>Huge pages</summary>
		  <memory pages="2MiB"/>
		</profile>
	END
	BEFORE=$(hook_dump)
}

hook_set() { # PATH TEXT, in the host
	printf '%s\n' "$2" >"$HOST/$1"
	BEFORE=$(hook_dump)
}

# All but our state and libvirt's. A kernel shows a choice in brackets, a file what was written.
hook_dump() {
	"$BUILD/tests/lib/mkroot" --dump "$HOST" |
		grep -vE '^(etc/libvirt/|run/($|libvirt/|virt-fit/|systemd/.*/$))' |
		sed -E '/transparent_hugepage/s/ = .*\[([a-z+]+)\].*/ = \1/'
}

hook_state() { # our state, without the lock
	[ ! -d "$HOST/run/virt-fit" ] || find "$HOST/run/virt-fit" -type f ! -name lock
}

host_is_as_before() {
	same "the host" "$BEFORE" "$(hook_dump)"
	same "our state" "" "$(hook_state)"
}

host_is_prepared() {
	[ "$(hook_dump)" != "$BEFORE" ] || fail "the host was not prepared"
}

domain_xml() { # NAME UUID [PROFILE [MEMORY-KIB [BODY]]]
	local name
	name=$(sed "s/&/\&amp;/g; s/</\&lt;/g; s/'/\&apos;/g; s/\"/\&quot;/g" <<<"$1")
	cat <<-END
		<domain type='kvm'>
		  <name>$name</name>
		  <uuid>$2</uuid>
		  <metadata>
		    <fit:domain xmlns:fit="urn:virt-fit:domain:1" profile="${3:-low-latency}"/>
		  </metadata>
		  <memory unit='KiB'>${4:-1048576}</memory>
		  <vcpu placement='static'>2</vcpu>
		  ${5:-}
		  <os><type arch='x86_64' machine='q35'>hvm</type></os>
		  <devices><emulator>/usr/bin/qemu-system-x86_64</emulator></devices>
		</domain>
	END
}

fit_file() { # FROM TO
	"$BUILD/virt-fit" render --sysroot "$HOST" --profiles "$PROFILES" "$1" >"$2"
}

fitted() { # FILE, and what domain_xml takes
	domain_xml "${@:2}" >"$1.plain"
	fit_file "$1.plain" "$1"
}

# Of a persistent domain, unless `transient` is set. Only at migrate and restore it may say something
# on stdout, where it is the domain's new XML.
hook() { # XML-FILE NAME OPERATION SUBOPERATION EXTRA
	local code=0 definitions=$HOST/etc/libvirt/qemu
	mkdir -p "$definitions"
	[ "${transient:-}" ] || : 2>/dev/null >"$definitions/${2:-}.xml" || true
	"$BUILD/virt-fit-hook" --sysroot "$HOST" --profiles "$PROFILES" -- "${@:2}" \
		<"$1" >"$TEST_DIR/stdout" || code=$?
	case ${3:-} in
	migrate | restore) [ ! -s "$TEST_DIR/stdout" ] || xmllint --noout "$TEST_DIR/stdout" ;;
	*) false ;;
	esac || [ ! -s "$TEST_DIR/stdout" ] || fail "stdout of $*: $(cat "$TEST_DIR/stdout")"
	return $code
}

hook_up() { # XML-FILE NAME
	hook "$1" "$2" prepare begin -
	hook "$1" "$2" start begin -
	hook "$1" "$2" started begin -
}

hook_down() { # XML-FILE NAME [REASON]
	hook "$1" "$2" stopped end -
	hook "$1" "$2" release end "${3:-shutdown}"
}

pool() { # NODE [FILE]: of 2 MiB pages
	cat "$HOST/sys/devices/system/node/node$1/hugepages/hugepages-2048kB/${2:-nr_hugepages}"
}
