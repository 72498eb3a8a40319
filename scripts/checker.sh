# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What scripts that run a checker of the kernel on the driver share. Bash sources this
# file in a system of packages/in, which is gone afterwards.
# shellcheck shell=bash disable=SC2034,SC2154

driver=drivers/infiniband/hw/xrdma
log=/root/checker.log
failed=0

# skip REASON: ends the script, whose checker $checker cannot run
skip() {
	printf '1..1\nok 1 - %s # SKIP %s\n' "$checker" "$1"
	exit
}

# install_packages PACKAGE...: ends the script if the archive lacks a package
install_packages() {
	if ! { apt-get -q update && apt-get -q -o DPkg::Options::=--force-unsafe-io \
		install -y --no-install-recommends "$@"; } >$log 2>&1; then
		skip "$(tail -n 1 $log)"
	fi
}

# test_one NUMBER NAME CONDITION: prints the result of a test, and after a failure what was
# found
test_one() {
	if [ "$3" ]; then
		echo "ok $1 - $2"
		return
	fi
	sed 's/^/# /' <<<"$found"
	echo "not ok $1 - $2"
	failed=1
}
