#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What --profile, --param and --device try is what the same words in a request would give.
set -eu
. "$TOP/tests/lib/shell.sh"
fit=$BUILD/virt-fit
plain=$TOP/tests/golden/domains/plain.xml
requesting=$TEST_DIR/requesting.xml
"$TOP/tests/hosts/make" two-node "$TEST_DIR/host"
common=(--sysroot "$TEST_DIR/host" --profiles "$BUILD/profiles")

request() { # CONTENT: the request of $requesting
	local start="<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='low-latency'>"
	sed "0,/<vcpu/s,<vcpu,<metadata>$start$1</fit:domain></metadata>&," "$plain" >"$requesting"
}

plan() { # FILE OPTION...
	"$fit" plan "${common[@]}" --why "${@:2}" "$1"
}

request "<fit:param name='pages' value='2MiB'/><fit:device address='0000:41:00.0'/>"
wanted=$(plan "$requesting")
contains "the plan" "$wanted" "pages of 2 MiB on node 1"
same "the plan with options" "$wanted" \
	"$(plan "$plain" --profile low-latency --param pages=2MiB --device 0000:41:00.0)"

# On top of a request; the same device twice is one.
request "<fit:param name='pages' value='1GiB'/><fit:device address='0000:41:00.0'/>"
same "the plan with options on top" "$wanted" \
	"$(plan "$requesting" --param pages=2MiB --device 0000:41:00.0)"

refuses plan "$plain" --profile low-latency --param pgaes=none
contains "the refusal" "$refusal" "no parameter \"pgaes\""
