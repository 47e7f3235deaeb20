#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which layer may include which, and which library's headers (the tables below) is the architecture.
set -eu
. "$TOP/tests/lib/shell.sh"
cd "$TOP"

declare -A layers=(
	[src/base]="base"
	[src/core]="base core"
	[src/sys]="base core sys"
	[src/virt]="base core virt"
	[src/fitting]="base core sys virt fitting"
	[src/watch]="base core sys virt fitting watch"
	[src/cli]="base core sys virt fitting watch cli"
	[hook]="base core sys hook"
)
# Headers of other projects: in that layer and nowhere else. The rest is libc and kernel headers.
declare -A owners=([libxml]=src/core [libvirt]=src/virt [pci]=src/sys [json-c]=src/cli [systemd]="src/sys src/watch")

bad=0
complain() { # FILE HEADER WHY
	echo "$1: includes $2: $3"
	bad=1
}

while read -r file; do
	layer=$(dirname "$file")
	while read -r header; do
		case $header in
		\"*)
			header=${header#\"}
			to=${header%%/*}
			[ "$to" != "$header" ] || to=${layer##*/} # a neighbour's
			# paths.h is macros.
			[ "$file" != hook/gate.c ] || [ "$header" = sys/paths.h ] ||
				complain "$file" "$header" "it uses libc only"
			case " ${layers[$layer]:-} " in
			*" $to "*) ;;
			*) complain "$file" "$header" "$layer may include: ${layers[$layer]:-nothing}" ;;
			esac
			;;
		\<*/*)
			header=${header#<}
			owner=${owners[${header%%/*}]:-$layer}
			case " $owner " in
			*" $layer "*) ;;
			*) complain "$file" "$header" "only $owner may" ;;
			esac
			;;
		esac
	done < <(sed -nE 's/^#[ \t]*include[ \t]+(["<][^">]+)[">].*/\1/p' "$file")
done < <(tree_files \( -path './src/*.[ch]' -o -path './hook/*.[ch]' \))
exit $bad
