# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Paths, messages and the list of Debian's kernels, for the shell scripts of the lab
# that run on the host and in the root image. Bash sources this file after it has set
# $lab to this directory. lab/mkroot has its own say().
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

# refuse WORD: ends because a word of the command line is none of those in the help text,
# which the script prints by usage()
refuse() {
	usage >&2
	printf "lab: error: no such word: '%s'\n" "$1" >&2
	exit 2
}

need_root() {
	[ "$(id -u)" -eq 0 ] || die "$1 needs root:" \
		"it installs packages, mounts and changes root. Use: sudo $1"
}

# root_dir: prints the path of the root image. The hash in its name covers the files
# that decide the contents of the image.
root_dir() {
	local hash

	hash=$(cat "$lab/packages" "$lab/mkroot" "$lab/pick-kernels" | sha256sum)
	printf '%s/root-%s\n' "$cache" "${hash:0:12}"
}

# kernels: prints "SERIES RELEASE" of each Debian kernel in the image, newest first
kernels() {
	awk '$1 != "source" && $3 != "missing" { print $2, $3 }' \
		"$(root_dir)/etc/lab-kernels"
}
