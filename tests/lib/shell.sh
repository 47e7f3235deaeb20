# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For the shell tests: how to fail, how to skip, how to expect a refusal. Source it in a script that
# runs under `set -eu`. (`! command` never ends such a script: use `refuses`.)

reason_given=

fail() { # TEXT
	reason_given=1
	echo "FAILED: $*" >&2
	exit 1
}

# A test that `set -e` ends says which command did. Other traps on EXIT call it first.
shell_leave() {
	local code=$? command=$BASH_COMMAND
	case $code:$reason_given in 0:* | 77:* | *:1) return ;; esac
	echo "FAILED: exit code $code from: $command" >&2
}
trap shell_leave EXIT

skip() { # REASON
	echo "$*"
	exit 77
}

requires() { # PROGRAM...
	local program
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# Runs a command that must exit with 1 (refused), not 0, and not by a crash. Its stderr goes to the
# variable `refusal`.
refuses() { # COMMAND ARGUMENT...
	local code=0
	refusal=$("$@" 2>&1 >/dev/null) || code=$?
	[ "$code" = 1 ] || fail "exit code $code instead of 1 from: $* ($refusal)"
	[ -n "$refusal" ] || fail "refused without a word: $*"
}

same() { # WHAT WANTED FOUND
	[ "$2" = "$3" ] || fail "$1 differs:"$'\n'"$(diff <(echo "$2") <(echo "$3"))"
}

contains() { # WHAT TEXT PART
	case $2 in *"$3"*) ;; *) fail "$1 does not contain '$3': $2" ;; esac
}

lacks() { # WHAT TEXT PART
	case $2 in *"$3"*) fail "$1 contains '$3': $2" ;; esac
}

wait_until() { # SECONDS COMMAND ARGUMENT...
	local tries=$(($1 * 10))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $((tries -= 1)) -gt 0 ] || fail "waited in vain for: $*"
		sleep 0.1
	done
}

# Sets `profile` to the name of the next shipped one, round and round.
next_profile() {
	local files=("$BUILD"/profiles/*.xml)
	profile_turn=$(((${profile_turn:--1} + 1) % ${#files[@]}))
	profile=${files[profile_turn]##*/}
	profile=${profile%.xml}
}

# The files of this tree, one a line, relative to TOP: what is built from them and version control's
# own files left out.
tree_files() { # FIND-EXPRESSION...
	(cd "$TOP" && find . \( -name .git -o -path './build*' \) -prune -o -type f "$@" -print |
		sed 's,^\./,,' | sort)
}

tree_scripts() { # shell scripts by name or by their first line
	# shellcheck disable=SC2016  # expanded by that shell
	tree_files -exec sh -c 'case $1 in
		*.sh) exit 0 ;; *.c | *.h | *.xml | *.md) exit 1 ;;
		esac; head -n 1 "$1" | grep -Eq "^#! ?/(usr/)?bin/(env )?(ba)?sh"' sh {} \;
}
