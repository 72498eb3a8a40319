#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The same jobs on the disk and on the share of the other node, by RDMA and by
# TCP over the same wire. Good for ratios only.

set -euo pipefail
nqn=xrdma-test
share=/media/share
seconds=3
megabytes=48

serve() {
	on-peer sh -ec '
		modprobe -a nvmet-rdma nvmet-tcp nfsd rpcrdma
		modprobe brd rd_nr=1 rd_size=65536
		python3 -B /src/lab/tests/nvmet.py up $XRDMA_ADDR /dev/ram0
		cd /sys/kernel/config/nvmet/ports && mkdir 2
		echo tcp >2/addr_trtype && echo ipv4 >2/addr_adrfam
		echo "$XRDMA_ADDR" >2/addr_traddr && echo 4421 >2/addr_trsvcid
		ln -s ../subsystems/'$nqn' 2/subsystems/
		mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
		mkdir -p /srv/share /run/rpc_pipefs
		mount -t tmpfs -o size=256m share /srv/share
		mount -t rpc_pipefs pipefs /run/rpc_pipefs
		exportfs -o rw,no_root_squash,fsid=0 "$PEER_ADDR":/srv/share
		rpc.mountd -N 3
		nfsdcld
		rpc.nfsd -N 3 --rdma=20049 4
		echo Y >/proc/fs/nfsd/v4_end_grace || true' >&2
}

# figure NAME TRANSPORT UNIT VALUE: prints a sample
figure() {
	[ "$2" = rdma ] || set -- "$1-$2" "$2" "$3" "$4"
	echo "figure consumers/$1 $XRDMA_DEV $3 $4"
}

# disk: waits for the one that is connected, prints its path
disk() {
	local try path

	for ((try = 0; try < 200; try++)); do
		for path in /dev/nvme[0-9]n1; do
			[ ! -b "$path" ] || { echo "$path"; return; }
		done
		sleep 0.1
	done
	echo "no disk appears" >&2
	return 1
}

# job PATH RW SIZE DEPTH FIELD: that field of what fio prints
job() {
	fio --name=job --filename="$1" --rw="$2" --bs="$3" --iodepth="$4" \
		--ioengine=libaio --direct=1 --size=48m --time_based \
		--runtime=$seconds --minimal | awk -F';' -v field="$5" '{ print $field }'
}

# nvme_of TRANSPORT PORT
nvme_of() {
	local path

	modprobe "nvme-$1"
	nvme connect -t "$1" -a "$PEER_ADDR" -s "$2" -n $nqn >&2
	path=$(disk)
	figure nvme-read-4k "$1" IOPS "$(job "$path" randread 4k 16 8)"
	figure nvme-write-4k "$1" IOPS "$(job "$path" randwrite 4k 16 49)"
	figure nvme-read-128k "$1" KiB/s "$(job "$path" randread 128k 4 7)"
	figure nvme-write-128k "$1" KiB/s "$(job "$path" randwrite 128k 4 48)"
	nvme disconnect -n $nqn >&2
}

# copy FROM TO [OPTION]: KiB/s
copy() {
	local start=${EPOCHREALTIME/./} end

	dd if="$1" of="$2" bs=1M status=none "${@:3}"
	end=${EPOCHREALTIME/./}
	echo $((megabytes * 1024 * 1000000 / (end - start)))
}

# nfs TRANSPORT PORT
nfs() {
	local options=vers=4.2,proto=$1,port=$2

	mkdir -p $share
	mount -t nfs -o "$options" "$PEER_ADDR:/" $share
	figure nfs-write "$1" KiB/s "$(copy /tmp/data $share/data conv=fsync)"
	umount $share
	mount -t nfs -o "$options" "$PEER_ADDR:/" $share
	figure nfs-read "$1" KiB/s "$(copy $share/data /dev/null)"
	cmp /tmp/data $share/data >&2
	umount $share
}

serve
modprobe -a nfs rpcrdma
head -c ${megabytes}M /dev/urandom >/tmp/data
for round in 1 2 3; do
	echo "round $round" >&2
	nvme_of rdma 4420
	nvme_of tcp 4421
	nfs rdma 20049
	nfs tcp 2049
done
