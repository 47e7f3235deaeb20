# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # scratch, tools and runs are those of run
# Part of tests/bench/run: what the three calls of a domain's life do to a large host (prepare,
# started, release), against the bare reads and writes of the same files, each once for each call,
# and against the usual ways of doing so.

big_tree() { # CPUS IRQS: the manifest of a host of 2 nodes and 2 threads a core
	awk -v cpus="$1" -v irqs="$2" '
	function put(path, text) { print path " = " text }
	# The mask of one CPU, or of all, in groups of 32 bits.
	function mask(cpu,   group, text) {
		for (group = int((cpus - 1) / 32); group >= 0; group--)
			text = text (text == "" ? "" : ",") \
				(cpu < 0 ? (group == int(cpus / 32) ? sprintf("%08x", 2 ^ (cpus % 32) - 1) : "ffffffff") : \
				sprintf("%08x", int(cpu / 32) == group ? 2 ^ (cpu % 32) : 0))
		return text
	}
	BEGIN {
		cores = cpus / 2; half = cores / 2
		node_cpus[0] = "0-" half - 1 "," cores "-" cores + half - 1
		node_cpus[1] = half "-" cores - 1 "," cores + half "-" cpus - 1
		all = "0-" cpus - 1
		put("proc/sys/kernel/hostname", "big")
		put("proc/sys/kernel/random/boot_id", "6f3bfdc9-0000-4000-8000-000000000000")
		put("etc/machine-id", "0123456789abcdef0123456789abcdef")
		put("proc/cpuinfo", "processor\\t: 0\\nvendor_id\\t: GenuineIntel\\nflags\\t\\t: lm\\n")
		put("sys/devices/system/cpu/online", all)
		put("sys/devices/system/cpu/present", all)
		put("sys/devices/system/cpu/isolated", "")
		put("sys/devices/virtual/workqueue/cpumask", mask(-1))
		put("proc/irq/default_smp_affinity", mask(-1))
		print "run/"
		for (node = 0; node < 2; node++) {
			directory = "sys/devices/system/node/node" node
			put(directory "/cpulist", node_cpus[node])
			put(directory "/meminfo", "Node " node " MemTotal: 268435456 kB\\nNode " node " MemFree: 201326592 kB\\n")
			put(directory "/distance", node ? "21 10" : "10 21")
			put(directory "/hugepages/hugepages-1048576kB/nr_hugepages", 96)
			put(directory "/hugepages/hugepages-1048576kB/free_hugepages", 80)
			put(directory "/hugepages/hugepages-1048576kB/surplus_hugepages", 0)
		}
		put("sys/devices/system/node/online", "0-1")
		put("sys/devices/system/node/has_memory", "0-1")
		for (cpu = 0; cpu < cpus; cpu++) {
			core = cpu % cores
			directory = "sys/devices/system/cpu/cpu" cpu
			put(directory "/online", 1)
			put(directory "/topology/physical_package_id", core < half ? 0 : 1)
			put(directory "/topology/die_id", 0)
			put(directory "/topology/core_id", core % half)
			put(directory "/topology/thread_siblings_list", core "," core + cores)
			put(directory "/power/pm_qos_resume_latency_us", 0)
			print directory "/cpufreq -> ../cpufreq/policy" cpu
			directory = "sys/devices/system/cpu/cpufreq/policy" cpu
			put(directory "/scaling_governor", "powersave")
			put(directory "/scaling_available_governors", "performance powersave")
			put(directory "/energy_performance_preference", "balance_performance")
			put(directory "/energy_performance_available_preferences", "performance balance_performance power")
		}
		# As drivers spread them: a queue for each CPU.
		for (i = 0; i < irqs; i++) {
			put("proc/irq/" 100 + i "/smp_affinity_list", i % cpus)
			put("proc/irq/" 100 + i "/smp_affinity", mask(i % cpus))
			put("sys/kernel/irq/" 100 + i "/actions", "mlx5_comp" i)
			put("sys/kernel/irq/" 100 + i "/chip_name", "IR-PCI-MSIX")
			put("sys/kernel/irq/" 100 + i "/hwirq", i)
		}
	}'
}

large=$(mktemp -d /dev/shm/virt-fit-bench.XXXXXX 2>/dev/null || mktemp -d "$scratch/large.XXXXXX")
hosts="$hosts $large"
mkdir "$large/host" "$large/copy"
big_tree 112 1875 | tee >("$BUILD/tests/lib/mkroot" "$large/copy") |
	"$BUILD/tests/lib/mkroot" "$large/host"
cat >"$scratch/large.xml" <<-END
	<domain type="kvm">
	  <name>large</name>
	  <uuid>3d9d2c3e-9a55-4c0f-8a7a-2f4f4f1c7e12</uuid>
	  <metadata>$request</metadata>
	  <memory unit="GiB">64</memory>
	  <vcpu>52</vcpu>
	  <os><type arch="x86_64" machine="q35">hvm</type></os>
	  <devices/>
	</domain>
END
"$BUILD/virt-fit" render --sysroot "$large/host" --profiles "$BUILD/profiles" \
	"$scratch/large.xml" >"$scratch/large-fitted.xml"
untouched=$("$BUILD/tests/lib/mkroot" --dump "$large/host" | grep -v '^run/')

call=("$BUILD/virt-fit-hook" --sysroot "$large/host" --profiles "$BUILD/profiles" -- large)
: >"$scratch/touched"
for step in "prepare begin" "started begin" "release end"; do
	# shellcheck disable=SC2086  # two words
	"$tools/opened" "$large/host" "${call[@]}" $step - <"$scratch/large-fitted.xml" |
		grep -v ' run/' | sort -u >>"$scratch/touched"
	# shellcheck disable=SC2086
	printf '%q ' "${call[@]}" $step -
	echo "<'$scratch/large-fitted.xml' || exit 1"
done >"$scratch/life"
chmod +x "$scratch/life"
moved=$(grep -c '^written proc/irq/' "$scratch/touched") || true
[ "$moved" -gt 1000 ] || fail "only $moved interrupts were moved and moved back"
same "the large host after a domain's life" "$untouched" \
	"$("$BUILD/tests/lib/mkroot" --dump "$large/host" | grep -v '^run/')"

against() { # COMMAND...: prints the medians of the three calls and of the command
	"$tools/compare" $((runs < 15 ? runs : 15)) "$scratch/touched" "$BASH" "$scratch/life" ::: "$@"
}

printf '\n%s\n' "112 CPUs, 1875 interrupts: prepare, started and release of a domain with 52 vCPUs"
read -r subject baseline < <(against "$tools/replay" "$large/copy") || fail "host: no result"
judge "a domain's life / reading and writing the same $(wc -l <"$scratch/touched") files" 3 \
	"$(awk -v a="$subject" -v b="$baseline" 'BEGIN { print a / b }')"

# As hooks have it that give back what they took: what a file has is kept, one echo for each of the same
# files, and another when the domain is gone. And one that keeps nothing, of the interrupts alone.
sed -n 's/^written //p' "$scratch/touched" | grep -E '^(proc|sys)/' | sort -u >"$scratch/files"
cat >"$scratch/careful.sh" <<'END'
cd "$1"
while read -r file; do
	old=$(cat "$file")
	echo "$file $old"
	echo "$old" >"$file"
done <"$2" >"$2.kept"
while read -r file old; do
	echo "$old" >"$file"
done <"$2.kept"
END
cat >"$scratch/usual.sh" <<'END'
for list in 0,27-56,83-111 0-111; do
	for file in "$1"/proc/irq/[0-9]*/smp_affinity_list; do
		echo $list >"$file"
	done
done
END
# As tools have it: the CPUs are taken out of what each interrupt has, and that is kept for later.
cat >"$scratch/usual.py" <<'END'
import glob, sys

def parse(text):
    cpus = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus

taken = set(range(1, 27)) | set(range(57, 83))
others = set(range(112)) - taken
before = {}
for path in glob.glob(sys.argv[1] + "/proc/irq/*/smp_affinity_list"):
    with open(path) as file:
        before[path] = file.read()
    cpus = parse(before[path])
    if cpus & taken:
        with open(path, "w") as file:
            file.write(",".join(str(cpu) for cpu in sorted(cpus - taken or others)))
    else:
        del before[path]
for path, text in before.items():
    with open(path, "w") as file:
        file.write(text)
END

usual() { # NAME COMMAND...: how many times as long it takes
	local name=$1
	shift
	read -r subject baseline < <(against "$@") || fail "$name: no result"
	awk -v name="$name / a domain's life" -v a="$baseline" -v b="$subject" \
		'BEGIN { printf "%-64s %7.2f\n", name, a / b }'
}

usual "a hook in bash that keeps, writes and gives back" "$BASH" "$scratch/careful.sh" \
	"$large/copy" "$scratch/files"
usual "a loop of bash that moves the interrupts and back" "$BASH" "$scratch/usual.sh" "$large/copy"
if python=$(command -v python3); then
	usual "a program of Python that does" "$python" "$scratch/usual.py" "$large/copy"
else
	echo "python3 is not installed: nothing to compare with"
fi
