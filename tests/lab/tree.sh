# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# virt-fit for the host: this tree, compiled in the lab's Debian (an emulated CPU would take long),
# then brought into the running host and installed there as a user would.

BUILD_DIR=/usr/src/virt-fit

# A copy whose times are kept, so that only what changed is compiled.
tree_compile() {
	local dir=$ROOTFS$BUILD_DIR
	say "compiling virt-fit for Debian 13"
	mkdir -p "$dir"
	find "$dir" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
	tar -C "$TOP" --exclude=./.git --exclude='./build*' -cf - . | tar -C "$dir" --no-same-owner -xpf -
	chmod -R go-w "$dir"
	in_rootfs make -s -C $BUILD_DIR -j"$(nproc)" all build/tests/lib/mkroot build/profiles >"$LAB/compile.log" 2>&1 || {
		tail -n 20 "$LAB/compile.log" >&2
		say "virt-fit does not compile"
		exit 1
	}
}

tree_install() {
	say "installing virt-fit in the host"
	{
		host_within 300 "tar -C /usr/src -xpf -" < <(tar -C "$ROOTFS/usr/src" -cf - virt-fit) &&
			host "cd $BUILD_DIR && ./install.sh && systemctl reload libvirtd"
	} >"$RUN/install.log" 2>&1 || {
		cat "$RUN/install.log" >&2
		say "virt-fit cannot be installed"
		exit 1
	}
}
