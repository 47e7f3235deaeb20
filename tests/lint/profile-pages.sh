#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every shipped profile has a page profiles/NAME.md with all its parameters, those of profiles it
# includes too, and a row in the README; no page is left over; the parameters it names exist.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP/profiles"
bad=0

wrong() {
	echo "$*"
	bad=1
}

values() { # FILE ELEMENT ATTRIBUTE
	sed -nE "s/.*<$2 ([^>]* )?$3=\"([^\"]*)\".*/\2/p" "$1"
}

parameters() { # NAME: its own and those of what it includes
	local included
	values "$1.xml" param name
	for included in $(values "$1.xml" include profile); do
		parameters "$included"
	done
}

count=0
for file in *.xml; do
	name=${file%.xml}
	count=$((count + 1))
	grep -q "^| \`$name\` |" ../README.md || wrong "README.md: no row for the profile $name"
	if [ ! -e "$name.md" ]; then
		wrong "profiles/$name.md: missing"
		continue
	fi
	[ "$(head -n 1 "$name.md")" = "# $name" ] || wrong "profiles/$name.md: must begin with '# $name'"
	wanted=$(parameters "$name" | sort -u)
	named=$(sed -n '/^| parameter/,/^$/s/^| [[:punct:]]\([a-zA-Z][a-zA-Z0-9_-]*\)[[:punct:]] |.*/\1/p' "$name.md" | sort -u)
	[ "$wanted" = "$named" ] ||
		wrong "profiles/$name.md: parameters are '${wanted//$'\n'/ }', the page has '${named//$'\n'/ }'"
done
for page in *.md; do
	[ -e "${page%.md}.xml" ] || wrong "profiles/$page: there is no such profile"
done
[ "$count" -gt 0 ] || fail "no profiles"
[ $bad = 0 ]
