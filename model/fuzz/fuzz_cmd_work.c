// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The steps of the fuzzer of commands that give queue pairs work: send entries,
 * receives, and packets that arrive. The other steps are in fuzz_cmd.c.
 *
 *   SEND    queue pair, WQE_*, opcode, key index, length (16 bits), changes: the host
 *           posts a send entry and rings the doorbell
 *   RECV    queue pair, key index, length (16 bits), changes: the host posts a receive
 *   PACKET  queue pair, PSN relative to the expected PSN, opcode, length (16 bits),
 *           key index, changes of the packet from its BTH on: it arrives
 *
 * Changes are described in fuzz_cmd.c.
 */
#include <string.h>

#include "base/bytes.h"
#include "fuzz/fuzz_cmd.h"
#include "packet/icrc.h"
#include "packet/net.h"
#include "packet/opcode.h"
#include "packet/pkt.h"
#include "tests/lib/wire_ud.h"

#define SLOT	(FUZZ_CMD_SQ_UNITS * XRDMA_SQ_UNIT)

#define WQE_INLINE	0x01 /* the data are in the entry */
#define WQE_FENCE	0x02
#define WQE_SILENT	0x04 /* no completion */
#define WQE_SHORT	0x08 /* the entry has one unit */
#define WQE_REGION_4	0x10 /* the remote key is that of the paged region */
#define WQE_NO_BELL	0x20

static u32 key_of(u8 n)
{
	return xrdma_make_key(n % FUZZ_CMD_KEYS, 0x5a);
}

static struct xrdma_sge sge_of(u8 key, u32 len)
{
	bool device = (key & 7) == 3;

	return wire_sge(FUZZ_CMD_DATA - (device ? FUZZ_CMD_DATA : 0), len,
			key == 0xff ? XRDMA_KEY_NULL : key_of(key));
}

static void fill_segment(u8 *at, u8 opcode, u8 type, u8 key)
{
	const struct xrdma_bind_seg bind = {
		.addr = cpu_to_le64(FUZZ_CMD_DATA),
		.length = cpu_to_le64(4096),
		.mr_key = cpu_to_le32(key_of(key)),
		.new_key = cpu_to_le32(key_of(key) + 1),
		.access = cpu_to_le32(XRDMA_ACCESS_REMOTE_WRITE),
	};
	const struct xrdma_reg_seg reg = {
		.iova = cpu_to_le64(FUZZ_CMD_DATA),
		.length = cpu_to_le64(1ULL << FUZZ_CMD_DATA_LOG),
		.root = cpu_to_le64(xrdma_make_root(FUZZ_CMD_TABLE, 1, 12)),
		.access = cpu_to_le32(WIRE_ALL_RIGHTS),
	};
	struct xrdma_av av = {
		.dgid = { [10] = 0xff, 0xff, 192, 168, 77, 1 },
		.dmac = { 2 },
		.hop_limit = 64,
	};

	if (opcode == XRDMA_OP_BIND_MW)
		memcpy(at, &bind, sizeof(bind));
	else if (opcode == XRDMA_OP_REG_MR)
		memcpy(at, &reg, sizeof(reg));
	else if (type == XRDMA_QP_UD || type == XRDMA_QP_GSI)
		memcpy(at, &av, sizeof(av));
}

/* Bytes between the first 32 bytes of an entry and its scatter-gather entries. */
static u32 segment_len(u8 opcode, u8 type)
{
	switch (opcode) {
	case XRDMA_OP_BIND_MW:
	case XRDMA_OP_REG_MR:
		return 32;
	case XRDMA_OP_CMP_SWAP:
	case XRDMA_OP_FETCH_ADD:
	case XRDMA_OP_ATOMIC_WRITE:
	case XRDMA_OP_SEND_ETH:
		return 16;
	default:
		return type == XRDMA_QP_UD || type == XRDMA_QP_GSI ?
		       sizeof(struct xrdma_av) : 0;
	}
}

static void fill_wqe(u8 *wqe, u8 n, u8 how, u8 opcode, u8 key, u32 len)
{
	u8 type = n & 7;
	struct xrdma_sge sge = sge_of(key, len);
	struct xrdma_sq_wqe hdr = {
		.opcode = opcode,
		.flags = (how & WQE_SILENT ? 0 : XRDMA_WQE_SIGNALED) |
			 (how & WQE_FENCE ? XRDMA_WQE_FENCE : 0) |
			 xrdma_wqe_length(how & WQE_SHORT ? 1 : 2),
		.num_sge = cpu_to_le16(1),
		.rkey = cpu_to_le32(key_of(how & WQE_REGION_4 ? 4 : 0)),
		.remote_addr = cpu_to_le64(FUZZ_CMD_DATA),
		.ext = cpu_to_le32(opcode == XRDMA_OP_FLUSH ?
				   XRDMA_FLUSH_GLOBAL : 4),
	};
	u32 seg = segment_len(opcode, type);

	if (type == XRDMA_QP_UD || type == XRDMA_QP_GSI) {
		hdr.dqpn = cpu_to_le32(fuzz_cmd_qpn(n ^ 8));
		hdr.qkey = cpu_to_le32(FUZZ_CMD_QKEY);
		hdr.rkey = 0;
	}
	if (opcode == XRDMA_OP_BIND_MW || opcode == XRDMA_OP_LOCAL_INV ||
	    opcode == XRDMA_OP_REG_MR || opcode == XRDMA_OP_SEND_INV)
		hdr.inv_key = cpu_to_le32(key_of(key));
	if (how & WQE_INLINE) {
		hdr.flags |= XRDMA_WQE_INLINE;
		hdr.num_sge = cpu_to_le16(len % 48);
	} else {
		memcpy(wqe + sizeof(hdr) + seg, &sge, sizeof(sge));
	}
	fill_segment(wqe + sizeof(hdr), opcode, type, key);
	memcpy(wqe, &hdr, sizeof(hdr));
}

static void ring_sq(struct fuzz_cmd_world *w, u8 n)
{
	__le64 db = cpu_to_le64(xrdma_make_sq_db(fuzz_cmd_qpn(n), w->sq_pi[n]));
	u32 page = n & 8 ? FUZZ_CMD_USER_PAGE : 0;

	model_device_write(w->dev, XRDMA_BAR_DB,
			   page * XRDMA_DB_PAGE_SIZE + XRDMA_DB_SQ, &db,
			   sizeof(db));
}

void fuzz_cmd_step_send(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u8 n = fuzz_cmd_8(s) % FUZZ_CMD_QPS, how = fuzz_cmd_8(s);
	u8 opcode = 1 + fuzz_cmd_8(s) % XRDMA_OP_SEND_ETH;
	u8 key = fuzz_cmd_8(s);
	u8 wqe[SLOT] __attribute__((aligned(8))) = { 0 };
	u64 sq = FUZZ_CMD_QP(n) + xrdma_qp_sq_offset(FUZZ_CMD_QUEUE_LOG,
						     FUZZ_CMD_STRIDE_LOG);
	u64 rec = FUZZ_CMD_QP(n) + xrdma_qp_rec_offset(FUZZ_CMD_QUEUE_LOG,
						       FUZZ_CMD_SQ_UNITS,
						       FUZZ_CMD_QUEUE_LOG,
						       FUZZ_CMD_STRIDE_LOG);
	__le32 pi = cpu_to_le32(w->sq_pi[n] + 1);

	fill_wqe(wqe, n, how, opcode, key, fuzz_cmd_16(s));
	fuzz_cmd_xor(s, wqe, sizeof(wqe));
	fuzz_cmd_poke(w, sq + xrdma_ring_slot(w->sq_pi[n], FUZZ_CMD_QUEUE_LOG) *
		      SLOT, wqe, sizeof(wqe));
	w->sq_pi[n]++;
	fuzz_cmd_poke(w, rec + offsetof(struct xrdma_qp_rec, sq_pi), &pi,
		      sizeof(pi));
	if (!(how & WQE_NO_BELL))
		ring_sq(w, n);
}

static void post_srq(struct fuzz_cmd_world *w, u8 n, const u8 *wqe)
{
	u64 rec = FUZZ_CMD_SRQ(n) + (1 << (FUZZ_CMD_QUEUE_LOG +
					   FUZZ_CMD_STRIDE_LOG));
	u32 slot = xrdma_ring_slot(w->srq_pi[n], FUZZ_CMD_QUEUE_LOG);
	__le32 pi = cpu_to_le32(++w->srq_pi[n]);

	fuzz_cmd_poke(w, FUZZ_CMD_SRQ(n) + (slot << FUZZ_CMD_STRIDE_LOG), wqe,
		      1 << FUZZ_CMD_STRIDE_LOG);
	fuzz_cmd_poke(w, rec + offsetof(struct xrdma_srq_rec, pi), &pi,
		      sizeof(pi));
}

/* Queue pairs from 16 on stand for shared receive queues. */
void fuzz_cmd_step_recv(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u8 n = fuzz_cmd_8(s), key = fuzz_cmd_8(s);
	struct xrdma_sge sge = sge_of(key, fuzz_cmd_16(s));
	struct xrdma_rq_wqe hdr = { .num_sge = cpu_to_le16(1) };
	u8 wqe[1 << FUZZ_CMD_STRIDE_LOG] = { 0 };
	u64 rec;
	__le32 pi;
	u32 slot;

	memcpy(wqe, &hdr, sizeof(hdr));
	memcpy(wqe + sizeof(hdr), &sge, sizeof(sge));
	fuzz_cmd_xor(s, wqe, sizeof(wqe));
	if (n & 16) {
		post_srq(w, n & 7, wqe);
		return;
	}
	n &= 15;
	slot = xrdma_ring_slot(w->rq_pi[n], FUZZ_CMD_QUEUE_LOG);
	pi = cpu_to_le32(++w->rq_pi[n]);
	rec = FUZZ_CMD_QP(n) + xrdma_qp_rec_offset(FUZZ_CMD_QUEUE_LOG,
						   FUZZ_CMD_SQ_UNITS,
						   FUZZ_CMD_QUEUE_LOG,
						   FUZZ_CMD_STRIDE_LOG);
	fuzz_cmd_poke(w, FUZZ_CMD_QP(n) + (slot << FUZZ_CMD_STRIDE_LOG), wqe,
		      sizeof(wqe));
	fuzz_cmd_poke(w, rec + offsetof(struct xrdma_qp_rec, rq_pi), &pi,
		      sizeof(pi));
}

/* The path of packets from the far end to the GID of the device, over IPv4. */
static void path_of(struct model_path *path)
{
	static const u8 gid[16] = { [10] = 0xff, 0xff, 192, 168, 77, 1 };

	memset(path, 0, sizeof(*path));
	memcpy(path->sgid, gid, sizeof(gid));
	memcpy(path->dgid, gid, sizeof(gid));
	path->smac[0] = 2;
	path->dmac[0] = 2;
	path->sport = 0xc000;
	path->hop_limit = 64;
	path->is_ipv4 = true;
}

static void fill_bth(struct fuzz_cmd_world *w, u8 *body, u8 n, s32 psn, u8 opcode,
		     u8 key)
{
	struct model_qp *qp = model_qp_get(w->dev, fuzz_cmd_qpn(n));
	struct model_opcode op = { 0 };
	u8 *reth = body + MODEL_BTH_BYTES;

	body[0] = opcode;
	model_put16(body + 2, 0xffff);
	model_put24(body + 5, fuzz_cmd_qpn(n));
	if (!model_opcode_get(opcode, &op))
		return;
	if (qp && qp->tp)
		psn += op.flags & MODEL_PKT_RESPONSE ? qp->tp->req.una_psn :
						       qp->tp->resp.psn;
	model_put24(body + 9, psn & MODEL_PSN_MASK);
	if (op.hdrs & MODEL_HDR_DETH) {
		model_put32(reth, FUZZ_CMD_QKEY);
		reth += MODEL_DETH_BYTES;
	}
	if (op.hdrs & MODEL_HDR_XRCETH) {
		model_put32(reth, 4);
		reth += MODEL_XRCETH_BYTES;
	}
	if (op.hdrs & MODEL_HDR_FETH)
		reth += MODEL_FETH_BYTES;
	if (op.hdrs & (MODEL_HDR_RETH | MODEL_HDR_ATOMIC)) {
		model_put64(reth, FUZZ_CMD_DATA);
		model_put32(reth + 8, key_of(key));
	}
}

void fuzz_cmd_step_packet(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s)
{
	u8 n = fuzz_cmd_8(s) % FUZZ_CMD_QPS;
	s32 psn = (signed char)fuzz_cmd_8(s);
	u8 opcode = fuzz_cmd_8(s);
	u32 len = MODEL_BTH_BYTES + fuzz_cmd_16(s) % 300;
	struct model_net_template tmpl;
	u8 frame[MODEL_FRAME_MAX];
	struct model_path path;
	u8 body[512] = { 0 };
	u32 bth;

	len = (len + 3) & ~3U;
	fill_bth(w, body, n, psn, opcode, fuzz_cmd_8(s));
	fuzz_cmd_xor(s, body, len);
	path_of(&path);
	model_net_template(&tmpl, &path);
	bth = model_net_write(&tmpl, frame, len + MODEL_ICRC_BYTES);
	memcpy(frame + bth, body, len);
	model_icrc_write(frame, tmpl.l3, bth, bth + len + MODEL_ICRC_BYTES);
	w->dev->wire->ops->receive(w->dev->wire->opaque, frame,
				   bth + len + MODEL_ICRC_BYTES);
}
