# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the scenarios one after the other in one host, and reports as tests/run does. What a scenario
# leaves behind, the next one does not see.

SCENARIO_LIMIT=900
RUN_GIB=1 # what the host may write to its disk
POWER_CYCLE=88 # exit code of a scenario that wants one
scenarios=()
results=() # one for each scenario that has run

report() { # STATE NAME [REASON]
	printf '%-5s lab/%s%s\n' "$1" "$2" "${3:+ ($3)}"
	results+=("$1")
}

find_scenarios() { # [TEXT]
	local file
	for file in "$HERE"/scenarios/*.sh; do
		file=$(basename "$file" .sh)
		case lab/$file in *"${1:-}"*) scenarios+=("$file") ;; esac
	done
	[ ${#scenarios[@]} -gt 0 ] || say "no scenario's name contains '$1'"
}

skip_the_rest() { # REASON
	local name
	for name in "${scenarios[@]:${#results[@]}}"; do
		report skip "$name" "$1"
	done
}

summary() {
	local passed failed
	passed=$(printf '%s\n' "${results[@]}" | grep -c '^ok$' || true)
	failed=$(printf '%s\n' "${results[@]}" | grep -c '^FAIL$' || true)
	echo "$passed passed, $failed failed, $((${#results[@]} - passed - failed)) skipped"
	[ "$failed" = 0 ] && [ ${#results[@]} -gt 0 ]
}

# Both ends have a limit: there might be no host left to keep its own. (What a scenario says at its end
# takes a slow host long.)
run_in_host() { # SCENARIO
	host_within $((SCENARIO_LIMIT + 90)) \
		"TOP=$BUILD_DIR ORDER=$(printf %q "${ORDER:-}") timeout --kill-after=60 $SCENARIO_LIMIT bash $BUILD_DIR/tests/lab/scenarios/$1.sh" \
		</dev/null >>"$RUN/scenario.log" 2>&1
}

host_answers() {
	host_within 30 true </dev/null >/dev/null 2>&1
}

run_scenario() { # NAME; returns its exit code
	local code=0
	: >"$RUN/scenario.log"
	run_in_host "$1" || code=$?
	if [ $code = $POWER_CYCLE ]; then
		machine_power_off
		machine_boot
		code=0
		run_in_host "$1" || code=$?
	fi
	return $code
}

needs() { # NAME: a scenario that wants the controller says so
	sed -n 's/^NEEDS=//p' "$HERE/scenarios/$1.sh"
}

host_fits() { # NAME
	[ -n "$MACHINE_PID" ] && { [ -n "$MACHINE_HAS_NVME" ] || [ -z "$(needs "$1")" ]; }
}

# A host that does not answer any more is no verdict on the scenario: it is tried again, once.
try_scenario() { # NAME
	local code=0
	host_fits "$1" || {
		machine_power_off
		host_new "$(needs "$1")"
	}
	run_scenario "$1" || code=$?
	host_answers && return $code
	say "the host does not answer any more: a new one"
	machine_power_off
	host_new "$MACHINE_HAS_NVME"
	run_scenario "$1"
}

report_scenario() { # NAME
	local name=$1 code=0 reason='' started=$SECONDS
	try_scenario "$name" || code=$?
	name+=", $((SECONDS - started)) s"
	case $code in
	0)
		report ok "$name"
		sed -n 's/^table: /      /p' "$RUN/scenario.log"
		;;
	77) report skip "$name" "$(tail -n 1 "$RUN/scenario.log")" ;;
	*)
		sed 's/^/    /' "$RUN/scenario.log" | tail -n 80
		[ $code != 124 ] || reason="more than $SCENARIO_LIMIT s"
		report FAIL "$name" "${reason:-exit code $code}"
		machine_power_off # who knows what is left in it
		;;
	esac
}

run_scenarios() {
	local name
	for name in "${scenarios[@]}"; do
		report_scenario "$name"
	done
}
