# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # scratch and tools are those of run
# Part of tests/bench/run: what rendering costs.

# Rendering, within one process. Definitions of the tests, and of the corpus where there is one.
cp -R "$BUILD/profiles" "$scratch/profiles"
cat >"$scratch/profiles/replacing.xml" <<-END
	<profile xmlns="urn:virt-fit:profile:1" name="replacing">
	  <summary>S</summary>
	  <vcpus place="cores" scheduler="fifo" priority="2" existing="replace"/>
	</profile>
END
bench_render() { # PROFILES FILE...
	"$tools/render" "$scratch/host" "$scratch/profiles" "$@"
}

# shellcheck disable=SC2317  # called by its name: see sizes
disks() { # COUNT: a definition with as many disks
	awk -v count="$1" 'BEGIN {
		print "<domain type=\"kvm\">\n  <name>disks</name>\n  <memory unit=\"GiB\">2</memory>"
		print "  <vcpu>4</vcpu>\n  <os><type arch=\"x86_64\" machine=\"q35\">hvm</type></os>"
		print "  <devices>"
		for (i = 0; i < count; i++) {
			name = ""
			for (n = i + 1; n > 0; n = int((n - 1) / 26))
				name = sprintf("%c", 97 + (n - 1) % 26) name
			print "    <disk type=\"file\">\n      <source file=\"/d/" i ".raw\"/>"
			print "      <target dev=\"vd" name "\" bus=\"virtio\"/>\n    </disk>"
		}
		print "  </devices>\n</domain>"
	}'
}

# shellcheck disable=SC2317
vcpus() { # COUNT: a definition with as many vCPUs
	cat <<-END
		<domain type="kvm">
		  <name>vcpus</name>
		  <memory unit="GiB">2</memory>
		  <vcpu>$1</vcpu>
		  <os><type arch="x86_64" machine="q35">hvm</type></os>
		  <devices/>
		</domain>
	END
}

# Each vCPU has a scheduler of its own, and no pin.
# shellcheck disable=SC2317
schedulers() { # COUNT
	local i
	vcpus "$1" | grep -v "</domain>"
	echo "  <cputune>"
	for ((i = 0; i < $1; i++)); do
		echo "    <vcpusched vcpus=\"$i\" scheduler=\"fifo\" priority=\"1\"/>"
	done
	printf '  </cputune>\n</domain>\n'
}

# The same, of vCPUs that the domain does not have but two.
# shellcheck disable=SC2317
replaced() { # COUNT
	schedulers "$1" | sed 's,<vcpu>.*,<vcpu>2</vcpu>,'
}

# The times of definitions of several sizes, to $scratch/SIZE.WHAT.times, as a table.
sizes() { # PROFILES WHAT SIZE...: WHAT is the function that makes one
	local profiles=$1 what=$2 size file
	shift 2
	for size in "$@"; do
		file=$scratch/$size.$what
		"$what" "$size" >"$file.xml"
		bench_render "$profiles" "$file.xml" >"$file.times"
		[ -s "$file.times" ] || fail "$size $what: refused"
		awk -v name="$size $what, $(wc -c <"$file.xml") bytes" \
			'{ printf "%-44s %9d %9d %7.2f %7.2f\n", name, $3, $4, $3 / $2, $4 / $2 }' \
			"$file.times"
	done
}

# What each costs among many, against what it costs among few.
linear() { # WHAT FEW MANY
	local column run
	for column in 3 4; do
		[ $column = 3 ] && run=first || run=again
		judge "linear: $3 $1 / $(($3 / $2)) times $2 $1, $run" 3 \
			"$(awk -v c=$column -v n=$(($3 / $2)) '{ t[NR] = $c }
				END { print t[2] / t[1] / n }' \
				"$scratch/$2.$1.times" "$scratch/$3.$1.times")"
	done
}

printf '\n%-44s %9s %9s %7s %7s\n' "rendering, medians in microseconds" render again ratio again
sizes low-latency disks 10 50 200 1000 2000
# They float: the host has fewer CPUs.
sizes base vcpus 8 64 512 4096
sizes base schedulers 512 4096
sizes replacing replaced 512 8192
definitions=("$TOP"/tests/golden/domains/*.xml)
corpus=("${CORPUS:-$TOP/../shared/corpus}"/domains/*.xml)
[ ! -e "${corpus[0]}" ] || definitions=("${corpus[@]}")
bench_render low-latency "${definitions[@]}" | awk '{ print $3 / $2 }' | sort -g >"$scratch/ratios"
judge "median of $(wc -l <"$scratch/ratios") definitions / parse and print with libxml2" 6 \
	"$(awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }' "$scratch/ratios")"
linear disks 200 2000
linear vcpus 512 4096
linear schedulers 512 4096
linear replaced 512 8192
