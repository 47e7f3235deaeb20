#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# The initial RAM disk of the lab's host: nothing but the way to its disk.
PATH=/bin
busybox mount -t proc proc /proc
busybox mount -t sysfs sysfs /sys
busybox mount -t devtmpfs devtmpfs /dev
while read -r module; do
	case $module in
	kvm-amd.ko) busybox grep -qw svm /proc/cpuinfo || continue ;;
	kvm-intel.ko) busybox grep -qw vmx /proc/cpuinfo || continue ;;
	esac
	busybox insmod "/lib/$module"
done </modules
tries=0
until [ -b /dev/vda ] || [ $tries = 50 ]; do
	busybox sleep 0.2
	tries=$((tries + 1))
done
busybox mount -t ext4 -o noatime /dev/vda /root || exec busybox sh
busybox mount --move /dev /root/dev
busybox umount /sys /proc
exec busybox switch_root /root /sbin/init
