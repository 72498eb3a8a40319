# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What packages/in, image/build and the tests of both share. Bash sources this file.
# shellcheck shell=bash disable=SC2016,SC2034

# in_system DIR COMMAND...: runs COMMAND in the system that is mounted at DIR
in_system() {
	local dir=$1
	shift

	chroot "$dir" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 TERM=dumb \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		DEBIAN_FRONTEND=noninteractive INITRD=No "$@"
}

# A ping-pong in a guest. The client tries again while the server does not listen yet.
pingpong='ibv_rc_pingpong -g $XRDMA_GID_INDEX -c & server=$!
	until ibv_rc_pingpong -g $XRDMA_GID_INDEX -c $XRDMA_ADDR; do
		kill -0 $server || exit 1
		sleep 1
	done
	wait $server'

# check NAME COMMAND...: runs COMMAND as one test and prints its line of TAP. $number counts
# the tests, and $failed becomes 1 if COMMAND fails.
number=0
failed=0
check() {
	local name=$1 log=/run/test.log start=$SECONDS
	shift

	number=$((number + 1))
	if "$@" >$log 2>&1 </dev/null; then
		echo "ok $number - $name ($((SECONDS - start)) s)"
		return
	fi
	tail -n 40 $log | sed 's/^/# /'
	echo "not ok $number - $name"
	failed=1
}
