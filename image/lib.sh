# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What image/test and image/docker share: the image, unpacked and run with bubblewrap by an
# ordinary user, in the system of packages/in. Bash sources this file, after $top is set.
# shellcheck shell=bash disable=SC2034,SC2154

image=/src/build/image
bundle=$image/test
root=$bundle/rootfs
programs=/run/bin

# as_user COMMAND...: runs COMMAND as an ordinary user, without any capability
as_user() {
	setpriv --reuid nobody --regid nogroup --clear-groups --bounding-set=-all \
		--no-new-privs env -i PATH="$programs:$PATH" HOME=/nonexistent "$@"
}

# contained [OPTION]... COMMAND...: runs COMMAND in the image, as an ordinary user.
# OPTIONs are those of bubblewrap; a later one can undo --unshare-all.
contained() {
	as_user bwrap --unshare-all --die-with-parent --uid 0 --gid 0 \
		--ro-bind $root / --proc /proc --dev /dev --tmpfs /tmp "$@"
}

# Unpacks the image as an ordinary user.
unpack() {
	rm -rf $bundle
	install -d -o nobody -g nogroup $bundle.tmp
	as_user umoci unpack --rootless --image $image/layout:latest $bundle.tmp/bundle &&
		mv $bundle.tmp/bundle $bundle && rmdir $bundle.tmp
}

# Makes a program "docker" that is bubblewrap. The options of its command "run" are those
# that action.yml and the recipes use; those for KVM have no effect.
make_docker() {
	mkdir -p $programs
	cat >$programs/docker <<-'END'
	#!/bin/bash
	set -e
	[ "$9" != --device ] || set -- "${@:1:8}" "${@:13}"
	[ "$1 $2 $3 $4 $5 $7 $9" = "run --rm --network none --user --volume xrdma:latest" ]
	exec bwrap --unshare-all --die-with-parent --uid "${6%:*}" --gid "${6#*:}" \
		--ro-bind /src/build/image/test/rootfs / --proc /proc --dev /dev \
		--tmpfs /tmp --bind "${8%:*}" "${8#*:}" -- "${@:10}"
	END
	chmod 755 $programs/docker
}

# enter_image SCRIPT ARG...: makes the image, and starts SCRIPT again in the system of
# packages/in, where IN_SYSTEM is "root". Not called there. The kernel refuses user
# namespaces to a process that chroot has put into a part of its mount namespace, so the
# system becomes the root of a mount namespace.
enter_image() {
	[ -n "${IN_LAB-}" ] || exec "$top/lab/enter" "$@"
	# shellcheck disable=SC2016 # these are scripts of other shells
	[ "${IN_SYSTEM-}" != changed ] || IN_SYSTEM=root exec unshare --mount sh -c '
		exec 7</
		exec nsenter --mount=/proc/self/ns/mnt -- sh -c "cd /proc/self/fd/7 &&
			pivot_root . . && umount -l . && exec chroot . \"\$@\" 7<&-" sh "$@"
		' sh "$@"
	"$top/image/build" >&2 || { echo "Bail out! no image"; exit 1; }
	exec "$top/packages/in" lab -- env IN_LAB=1 IN_SYSTEM=changed "$@"
}
