#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Measures the same jobs on a disk (NVMe over fabrics, iSCSI) and on a share (NFS) of
# the other node, by RDMA and by TCP over the same wire. An emulated machine is much
# slower than a real one, so only the ratios are meaningful.
#
#   consumers.sh                     takes all samples
#   consumers.sh STEP TRANSPORT PORT takes one sample of each figure of a step

set -euo pipefail
nqn=xrdma-test
share=/media/share
rounds=5
seconds=2		# duration of a job of fio
least_us=1200000	# least duration of a sample of copies, in microseconds
megabytes=48
limit=120		# time limit of a step in seconds
declare -A figures=(
	[nvme_of]="nvme-read-4k nvme-write-4k nvme-read-128k nvme-write-128k"
	[nfs]="nfs-write nfs-read")

serve() {
	on-peer sh -ec '
		modprobe -a nvmet-rdma nvmet-tcp nfsd rpcrdma
		modprobe brd rd_nr=1 rd_size=65536
		python3 -B /src/lab/tests/lib/nvmet.py up $XRDMA_ADDR /dev/ram0
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

# name FIGURE TRANSPORT: prints the name of the figure for that transport, and the device
name() {
	[ "$2" = rdma ] || set -- "$1-$2"
	echo "consumers/$1 $XRDMA_DEV"
}

# figure FIGURE TRANSPORT UNIT VALUE SECONDS: prints a sample
figure() {
	echo "figure $(name "$1" "$2") $3 $4 $5"
}

# disk: waits for the connected disk, and prints its path
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

# job PATH RW SIZE DEPTH FIELD TIME: runs fio, and prints the two named fields of its
# output. The second one is the duration in milliseconds.
job() {
	fio --name=job --filename="$1" --rw="$2" --bs="$3" --iodepth="$4" \
		--ioengine=libaio --direct=1 --size=48m --time_based \
		--runtime=$seconds --minimal |
		awk -F';' -v field="$5" -v time="$6" \
			'{ print $field, $time / 1000 }'
}

# sample FIGURE TRANSPORT UNIT JOB...: takes and prints a sample of a job of fio
sample() {
	local line value took

	line=$(job "${@:4}")
	read -r value took <<<"$line"
	figure "$1" "$2" "$3" "$value" "$took"
}

nvme_of() {
	local path

	trap 'nvme disconnect -n $nqn >&2' EXIT
	modprobe "nvme-$1"
	nvme connect -t "$1" -a "$PEER_ADDR" -s "$2" -n $nqn >&2
	path=$(disk)
	sample nvme-read-4k "$1" IOPS "$path" randread 4k 16 8 9
	sample nvme-write-4k "$1" IOPS "$path" randwrite 4k 16 49 50
	sample nvme-read-128k "$1" KiB/s "$path" randread 128k 4 7 9
	sample nvme-write-128k "$1" KiB/s "$path" randwrite 128k 4 48 50
}

# copies FIGURE TRANSPORT PORT FROM TO [OPTION]: takes a sample of copies. The share is
# mounted again for each copy, so that no file of it is in the page cache.
copies() {
	local copied=0 took=0 start

	while [ $took -lt $least_us ]; do
		mount -t nfs -o "vers=4.2,proto=$2,port=$3" "$PEER_ADDR:/" $share
		start=${EPOCHREALTIME/./}
		dd if="$4" of="$5" bs=1M status=none "${@:6}"
		took=$((took + ${EPOCHREALTIME/./} - start))
		copied=$((copied + megabytes))
		cmp /tmp/data $share/data >&2
		umount $share
	done
	figure "$1" "$2" KiB/s $((copied * 1024 * 1000000 / took)) \
		"$((took / 1000000)).$(printf %06d $((took % 1000000)))"
}

nfs() {
	trap 'mountpoint -q $share && umount -f $share' EXIT
	mkdir -p $share
	copies nfs-write "$1" "$2" /tmp/data $share/data conv=fsync
	copies nfs-read "$1" "$2" $share/data /dev/null
}

# step FUNCTION TRANSPORT PORT: runs a step. A failure does not end the other steps.
step() {
	local status=0 figure

	timeout $limit "$0" "$@" || status=$?
	[ $status != 0 ] || return 0
	for figure in ${figures[$1]}; do
		echo "failed $(name "$figure" "$2") $1 by $2: status $status"
	done
}

if [ $# -gt 0 ]; then
	"$@"
	exit
fi
serve
modprobe -a nfs rpcrdma
head -c ${megabytes}M /dev/urandom >/tmp/data
for ((round = 0; round < rounds; round++)); do
	echo "round $round" >&2
	step nvme_of rdma 4420
	step nvme_of tcp 4421
	step nfs rdma 20049
	step nfs tcp 2049
done
