#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Live migration between two daemons of this host's libvirt, which see hosts with different CPUs to give
# away, there and back, with a watcher beside each: tests/shell/real-migration.sh. The host itself is not
# touched.
. "$TOP/tests/lab/scenario.sh"

remember_host
BUILD=$TOP/build TEST_DIR=$WORK MIGRATIONS=2 bash "$TOP/tests/shell/real-migration.sh" ||
	fail "$(tail -n 20 "$WORK"/*/*.log "$WORK"/*.log)"
host_is_as_before
