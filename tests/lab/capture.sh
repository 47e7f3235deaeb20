#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# capture.sh NAME: prints this machine, as far as virt-fit reads it, for tests/hosts/NAME.txt. Run it as root where
# virt-fit is installed: on a machine, or in the lab's host. What only identifies the machine is left out or made
# up: see src/sys/capture.h. `virt-fit plan --host` takes what it prints.
#
# lab.txt and lab-running.txt were taken of the lab's host by an earlier capture.sh, which wrote the same lines
# and some that virt-fit does not read; `virt-fit host --sysroot TREE --save FILE` rewrote them. What captures
# have held since (routes, the kernel's command line, what network interfaces are part of) is not in them.
set -eu
name=${1:?usage: capture.sh NAME}
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
virt-fit host --save "$directory/$name.txt"
cat "$directory/$name.txt"
