// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The Ethernet port of the fuzzer: TCP frames that the device can merge, sends with
 * offloads, and the check that the queue pairs of the port receive the frames that
 * have arrived for them, in their order, each once and unchanged: a merged frame is
 * divided before. Other frames arrive in fuzz_script.c.
 *
 *   TCP  KIND_*, flags of TCP, bytes of payload (16 bits), number of frames, bytes
 *        of padding, offset of a byte to change (16 bits), exclusive or with that
 *        byte: frames arrive that follow each other in a stream
 *   ETH  queue pair, KIND_*, flags of TCP, bytes of payload (16 bits), MSS (16
 *        bits), offset and exclusive or as in TCP, the same for a byte of struct
 *        xrdma_eth_seg (8 bits each): the host sends a frame
 */
#include <linux/if_ether.h>
#include <linux/virtio_net.h>
#include <netinet/in.h>
#include <string.h>

#include "base/bytes.h"
#include "fuzz/fuzz.h"
#include "packet/checksum.h"
#include "tests/lib/tcp_frames.h"
#include "transport/eth.h"
#include "transport/rx.h"

#define KIND_IPV6	0x01
#define KIND_VLAN	0x02
#define KIND_STREAM	0x0c /* number of the stream */
#define KIND_AGAIN	0x10 /* TCP: the stream does not go on; ETH: a plain SEND */
#define KIND_WRONG	0x20 /* TCP: change after the checksums; ETH: no division */
#define KIND_OPTIONS	0x40
#define KIND_FAR	0x80 /* ETH: to the far end of the wire */

#define STREAMS		4
#define QUEUES		2
#define SLOTS		4	/* receives of a queue pair */
#define ROOM		0x11000	/* bytes of a slot: more than XRDMA_ETH_TSO_MAX */
#define TX_OFFSET	(QUEUES * SLOTS * ROOM)
#define FRAME		1522	/* bytes of the longest frame */
#define FRAMES		4096
#define MAX_PAYLOAD	1428
#define MAX_PARTS	128
#define TCI		0x6064

/*
 * struct arrived - a frame that the port has accepted
 * @received: a queue pair has received it
 */
struct arrived {
	u32 len;
	bool received;
	u8 data[FRAME];
};

/*
 * struct port - frames and streams of an input
 * @num: number of frames in @frames
 * @left: number of them that no queue pair has received
 * @next: for each queue pair: frames before this one came before those that it will
 *	receive
 * @full: there were too many frames: nothing is checked any more
 * @seq: next sequence number of each stream
 * @id: next identification in each stream
 */
static struct port {
	u32 num;
	u32 left;
	u32 next[QUEUES];
	bool full;
	u32 seq[STREAMS];
	u16 id[STREAMS];
	struct arrived frames[FRAMES];
} port;

static struct model_wire_ops ops;

/* ---- frames that arrive --------------------------------------------------- */

/* The port counts a frame for MODEL_RX_ETHERNET or holds it: a queue pair gets it. */
static void receive(void *opaque, const u8 *data, u32 len)
{
	enum model_rx rx = model_rx_frame(opaque, data, len);
	struct arrived *frame;

	if (rx != MODEL_RX_ETHERNET && rx != MODEL_RX_HELD)
		return;
	port.full |= port.num == FRAMES;
	if (port.full)
		return;
	frame = &port.frames[port.num++];
	frame->len = len;
	frame->received = false;
	memcpy(frame->data, data, len);
	port.left++;
}

static void make_rss(struct fuzz_world *w, struct xrdma_cmd_modify_port *p)
{
	struct wire_host *host = &w->env->hosts[0];
	u64 addr = wire_alloc(host, QUEUES * sizeof(__le32), 4);
	struct xrdma_cmd_create_rss rss = {
		.addr = cpu_to_le64(addr), .log_size = 1,
		.qpn = cpu_to_le32(host->next_number++),
		.fields = XRDMA_RSS_FIELDS,
	};
	__le32 *table = wire_ptr(host, addr);

	table[0] = cpu_to_le32(w->qps[FUZZ_NIC].qpn);
	table[1] = cpu_to_le32(w->qps[FUZZ_NIC_1].qpn);
	wire_fill(rss.key, sizeof(rss.key), 1);
	assert_int_equal(model_rss_create(host->dev, &rss), XRDMA_CMD_OK);
	p->eth_qpn = rss.qpn;
}

static void copy_frames(struct fuzz_world *w, const struct wire_qp *qp)
{
	struct wire_host *host = &w->env->hosts[0];
	struct xrdma_cmd_create_flow flow = {
		.addr = cpu_to_le64(wire_alloc(host, 128, 64)),
		.qpn = cpu_to_le32(qp->qpn),
		.flags = cpu_to_le16(XRDMA_FLOW_COPY),
	};

	assert_int_equal(model_flow_create(host->dev, &flow), XRDMA_CMD_OK);
}

/* Give the port its queue pairs, which are in RTS, and their memory. */
void fuzz_port_begin(struct fuzz_world *w)
{
	struct wire_host *host = &w->env->hosts[0];
	struct model_wire *wire = host->dev->wire;
	struct xrdma_cmd_modify_port p = {
		.flags = cpu_to_le32(XRDMA_PORT_UP | XRDMA_PORT_PAUSE |
				     XRDMA_PORT_CSUM | XRDMA_PORT_VLAN |
				     XRDMA_PORT_GRO),
		.mtu = cpu_to_le32(1500),
	};

	w->nic = wire_alloc(host, TX_OFFSET + ROOM, 4096);
	w->nic_key = wire_region(host, 102, w->nic, TX_OFFSET + ROOM,
				 XRDMA_ACCESS_LOCAL_WRITE);
	copy_frames(w, &w->qps[FUZZ_RAW]);
	make_rss(w, &p);
	memcpy(p.mac, host->mac, sizeof(p.mac));
	assert_int_equal(model_port_modify(host->dev, &p), XRDMA_CMD_OK);
	memset(&port, 0, offsetof(struct port, frames));
	if (wire->ops != &ops) {
		ops = *wire->ops;
		ops.receive = receive;
		wire->ops = &ops;
	}
}

/* ---- frames that are received --------------------------------------------- */

static u8 *slot(const struct fuzz_world *w, u32 queue, u32 number, u64 *addr)
{
	*addr = w->nic + (queue * SLOTS + number) * ROOM;
	return wire_ptr(&w->env->hosts[0], *addr);
}

/* Post a receive of at least the longest frame, and at most XRDMA_ETH_TSO_MAX + FRAME. */
void fuzz_port_recv(struct fuzz_world *w, struct wire_qp *qp, u32 len)
{
	u32 pi = le32_to_cpu(qp->rec->rq_pi), first = len % FRAME;
	struct xrdma_sge sges[2];
	u64 addr;

	if (pi - qp->recv_cq.ci >= SLOTS)
		return;
	slot(w, qp - &w->qps[FUZZ_NIC], pi % SLOTS, &addr);
	sges[0] = wire_sge(addr, first, w->nic_key);
	sges[1] = wire_sge(addr + first, FRAME + len - first, w->nic_key);
	wire_post_recv(qp, pi % SLOTS, sges, 2);
}

static void expect(u32 queue, const u8 *data, u32 len)
{
	struct arrived *frame;
	u32 i;

	for (i = port.next[queue]; i < port.num; i++) {
		frame = &port.frames[i];
		if (frame->received || frame->len != len ||
		    memcmp(frame->data, data, len))
			continue;
		frame->received = true;
		port.left--;
		port.next[queue] = i + 1;
		return;
	}
	fuzz_wrong("a received frame has not arrived, or has overtaken another");
}

/* Divide a merged frame of @len bytes. */
static void expect_parts(u32 queue, const u8 *data, u32 len, u16 mss)
{
	static struct model_frame part;
	u32 l3 = model_get16(data + 12) == ETH_P_8021Q ? 18 : 14;
	u32 l4 = l3 + (model_get16(data + l3 - 2) == ETH_P_IP ? 20 : 40);
	const struct virtio_net_hdr todo = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
		.gso_size = mss,
		.csum_start = l4,
		.csum_offset = 16,
	};
	struct model_cut cut;
	u32 i;

	if (model_cut_plan(&cut, &todo, data, len) || cut.count < 2)
		fuzz_wrong("a merged frame cannot be divided");
	for (i = 0; i < cut.count; i++) {
		model_cut_frame(&cut, data, i, &part);
		expect(queue, part.data, part.len);
	}
}

static void check(const struct fuzz_world *w, u32 queue,
		  const struct xrdma_cqe *cqe)
{
	static u8 data[MODEL_VLAN_BYTES + ROOM];
	u32 len = le32_to_cpu(cqe->byte_len);
	u16 flags = le16_to_cpu(cqe->flags);
	u64 addr;

	if (cqe->status || len > ROOM)
		fuzz_wrong("a receive of the port has failed");
	if (!(flags & XRDMA_CQE_GRO) != !cqe->mss)
		fuzz_wrong("a completion has a wrong MSS");
	memcpy(data, slot(w, queue, le64_to_cpu(cqe->wr_id), &addr), len);
	if (flags & XRDMA_CQE_VLAN) {
		memmove(data + 16, data + 12, len - 12);
		model_put16(data + 12, ETH_P_8021Q);
		model_put16(data + 14, le16_to_cpu(cqe->vlan_tci));
		len += MODEL_VLAN_BYTES;
	}
	if (flags & XRDMA_CQE_GRO)
		expect_parts(queue, data, len, le16_to_cpu(cqe->mss));
	else
		expect(queue, data, len);
}

/* Poll the receives of a queue pair of the port, and check them. */
void fuzz_port_judge(struct fuzz_world *w, enum fuzz_qp number)
{
	struct xrdma_cqe cqe;

	while (wire_poll_cq(&w->qps[number].recv_cq, &cqe))
		if (!port.full)
			check(w, number - FUZZ_NIC, &cqe);
	if (!port.left) {
		port.num = 0;
		memset(port.next, 0, sizeof(port.next));
	}
}

/* No further frame arrives in this burst: the device holds none. */
void fuzz_port_burst_end(struct fuzz_world *w)
{
	struct model_device *dev = w->env->hosts[0].dev;

	dev->wire->ops->burst_end(dev->wire->opaque);
	fuzz_world_serve(w);
	if (port.left && !port.full)
		fuzz_wrong("a frame that has arrived was not received");
}

/* ---- steps ---------------------------------------------------------------- */

/*
 * Write the headers of a frame with @bytes bytes of payload, of TCP in IPv4 or IPv6,
 * with the sum of the pseudo header. Return: bytes of the headers.
 */
static u32 make_headers(const struct fuzz_world *w, u8 *p, u8 kind, u8 flags,
			u32 bytes)
{
	u32 number = (kind & KIND_STREAM) / 4, l3 = kind & KIND_VLAN ? 18 : 14;
	u32 ip_bytes = kind & KIND_IPV6 ? 40 : 20, l4 = l3 + ip_bytes;
	u32 tcp_bytes = kind & KIND_OPTIONS ? 32 : 20;

	memset(p, 0, l4 + tcp_bytes);
	memcpy(p, w->env->hosts[0].mac, 6);
	p[5] ^= kind & KIND_FAR;
	p[6] = 2;
	model_put16(p + 12, ETH_P_8021Q);
	model_put16(p + 14, TCI);
	model_put16(p + l3 - 2, kind & KIND_IPV6 ? ETH_P_IPV6 : ETH_P_IP);
	p[l3] = kind & KIND_IPV6 ? 0x60 : 0x45;
	p[l3 + (kind & KIND_IPV6 ? 6 : 9)] = IPPROTO_TCP;
	if (kind & KIND_IPV6) {
		model_put16(p + l3 + 4, tcp_bytes + bytes);
	} else {
		model_put16(p + l3 + 2, ip_bytes + tcp_bytes + bytes);
		model_put16(p + l3 + 4, port.id[number]);
	}
	model_put16(p + l4, 1000 + number);
	model_put32(p + l4 + 4, port.seq[number]);
	p[l4 + 12] = tcp_bytes << 2;
	p[l4 + 13] = flags ^ TCP_ACK;
	model_put16(p + l4 + 16, IPPROTO_TCP + tcp_bytes + bytes);
	return l4 + tcp_bytes;
}

static void go_on(u8 kind, u32 bytes)
{
	u32 number = (kind & KIND_STREAM) / 4;

	if (kind & KIND_AGAIN)
		return;
	port.seq[number] += bytes;
	port.id[number]++;
}

void fuzz_step_tcp(struct fuzz_world *w, struct fuzz_script *s)
{
	u8 kind = fuzz_take8(s), flags = fuzz_take8(s);
	u32 bytes = fuzz_take16(s) % (MAX_PAYLOAD + 1);
	u32 num = fuzz_take8(s) % 32 + 1, pad = fuzz_take8(s) % 64;
	u32 at = fuzz_take16(s);
	u8 value = fuzz_take8(s);
	static struct model_frame frame;
	struct model_cut cut = { .l3 = kind & KIND_VLAN ? 18 : 14 };
	u32 header;

	cut.ipv4 = !(kind & KIND_IPV6);
	cut.l4 = cut.l3 + (cut.ipv4 ? 20 : 40);
	while (num--) {
		header = make_headers(w, frame.data, kind & ~KIND_FAR, flags,
				      bytes);
		if (num)
			frame.data[cut.l4 + 13] &= ~(TCP_FIN | TCP_PSH);
		frame.len = header + bytes;
		wire_fill(frame.data + header, bytes, port.seq[0] + num);
		if (!(kind & KIND_WRONG))
			frame.data[at % frame.len] ^= value;
		tcp_fix_sums(&cut, &frame);
		if (kind & KIND_WRONG)
			frame.data[at % frame.len] ^= value;
		memset(frame.data + frame.len, 0, pad);
		fuzz_arrive(w, frame.data, frame.len + pad);
		go_on(kind, bytes);
	}
}

static struct xrdma_eth_seg make_seg(u8 kind, u32 header, u32 bytes, u32 mss)
{
	u32 l4 = kind & KIND_IPV6 ? 54 : 34;
	struct xrdma_eth_seg seg = {
		.flags = cpu_to_le16(XRDMA_ETH_CSUM),
		.csum_start = cpu_to_le16(l4), .csum_offset = cpu_to_le16(16),
	};

	if (kind & KIND_VLAN) {
		seg.flags |= cpu_to_le16(XRDMA_ETH_VLAN);
		seg.vlan_tci = cpu_to_le16(TCI);
	}
	if (kind & KIND_WRONG)
		return seg;
	if (mss && bytes / mss > MAX_PARTS)
		mss = bytes / MAX_PARTS;
	seg.flags |= cpu_to_le16(XRDMA_ETH_TSO);
	seg.mss = cpu_to_le16(mss);
	seg.header_len = cpu_to_le16(header);
	return seg;
}

/* The queue pair can send: the host has corrected an error of a send. */
static bool can_send(struct wire_qp *qp)
{
	if (qp->qp->state == XRDMA_QPS_SQE)
		wire_modify_state(qp, XRDMA_QPS_RTS);
	return qp->qp->state == XRDMA_QPS_RTS &&
	       le32_to_cpu(qp->rec->sq_pi) - qp->qp->sq.ci < 1U << FUZZ_LOG_DEPTH;
}

void fuzz_step_eth(struct fuzz_world *w, struct fuzz_script *s)
{
	static const u8 numbers[] = { FUZZ_NIC, FUZZ_NIC_1, FUZZ_RAW };
	struct wire_qp *qp = &w->qps[numbers[fuzz_take8(s) % sizeof(numbers)]];
	u8 kind = fuzz_take8(s), flags = fuzz_take8(s);
	u32 bytes = fuzz_take16(s), mss = fuzz_take16(s), at = fuzz_take16(s);
	u8 value = fuzz_take8(s), seg_at = fuzz_take8(s);
	u8 *p = wire_ptr(qp->host, w->nic + TX_OFFSET);
	u32 header = make_headers(w, p, kind & ~KIND_VLAN, flags, bytes);
	struct xrdma_sge sges[] = {
		wire_sge(w->nic + TX_OFFSET, header, w->nic_key),
		wire_sge(w->nic + TX_OFFSET + header, bytes, w->nic_key),
	};
	struct xrdma_eth_seg seg = make_seg(kind, header, bytes, mss);

	wire_fill(p + header, bytes, port.seq[0]);
	p[at % (header + bytes)] ^= value;
	((u8 *)&seg)[seg_at % sizeof(seg)] ^= fuzz_take8(s);
	if (!can_send(qp))
		return;
	wire_post_send(qp, &(struct wire_wr) {
		.opcode = kind & KIND_AGAIN ? XRDMA_OP_SEND : XRDMA_OP_SEND_ETH,
		.flags = XRDMA_WQE_SIGNALED, .sges = sges, .num_sge = 2,
		.seg = kind & KIND_AGAIN ? NULL : &seg });
	go_on(kind & KIND_STREAM, bytes);
}
