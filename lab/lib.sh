# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What the lab's host side scripts share: where things are, and how they speak.
# Sourced by bash with $lab set to this directory.
# shellcheck shell=bash disable=SC2034,SC2154

cache=${XRDMA_CACHE:-/var/cache/xrdma}
src=$(dirname "$lab")

say() {
	printf 'lab: %s\n' "$*" >&2
}

die() {
	printf 'lab: error: %s\n' "$*" >&2
	exit 1
}

need_root() {
	[ "$(id -u)" -eq 0 ] || die "$1 needs root:" \
		"it installs packages, mounts and changes root. Use: sudo $1"
}

# The image is named after everything that decides what is in it.
root_dir() {
	local hash

	hash=$(cat "$lab/packages" "$lab/mkroot" "$lab/pick-kernels" | sha256sum)
	printf '%s/root-%s\n' "$cache" "${hash:0:12}"
}

# "SERIES RELEASE" of Debian's kernels in the image, the newest first
kernels() {
	awk '$1 != "source" && $3 != "missing" { print $2, $3 }' \
		"$(root_dir)/etc/lab-kernels"
}
