// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The script of the fuzzer: a list of steps, each with a byte for the kind of
 * step, and its parameters. The bytes that a script lacks at its end are 0.
 * fuzz_world.c has the device.
 *
 *   FRAME   length (16 bits), the frame: the frame arrives
 *   FIXED   as FRAME, but with a correct ICRC if it is a RoCE frame
 *   PACKET  queue pair, PSN relative to the expected PSN, FIX_*, length (16
 *           bits), the packet from its BTH on, without ICRC: it arrives
 *   SEND    queue pair, opcode, length (16 bits): the host posts a request
 *   RECV    queue pair, length (16 bits): the host posts a receive
 *   TIME    time passes until the next timer has fired
 *   TURN    the device does the work of one turn
 *   TCP, ETH                        see fuzz_port.c
 *   POST, DOORBELL, RECORD, PLAIN   see fuzz_process.c
 *
 * A burst of frames ends before a step at which no frame arrives, except RECV.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "fuzz/fuzz.h"
#include "packet/icrc.h"
#include "packet/pkt.h"

enum step {
	STEP_FRAME,
	STEP_FIXED,
	STEP_PACKET,
	STEP_SEND,
	STEP_RECV,
	STEP_TIME,
	STEP_TURN,
	STEP_TCP,
	STEP_ETH,
	STEP_POST,
	STEP_DOORBELL,
	STEP_RECORD,
	STEP_PLAIN,
	STEPS
};

/* Fields of a packet that are taken from the script instead of corrected. */
#define FIX_NOT_QPN	0x01
#define FIX_NOT_PKEY	0x02
#define FIX_NOT_ADDRESS	0x04
#define FIX_NOT_PAD	0x08
#define FIX_SHOWN	0x10 /* address and key of memory for reads only */
#define FIX_FAR		0x20 /* the unit of the PSN is 32 */

#define MAX_STEPS	64
#define MAX_TURNS	500

/*
 * Copy a length (16 bits) and as many bytes. Return: number of bytes copied, at
 * most @room and the rest of the script.
 */
u32 fuzz_take(struct fuzz_script *s, u8 *to, u32 room)
{
	u32 len = fuzz_take16(s);

	if (len > room)
		len = room;
	if (len > s->left)
		len = s->left;
	memcpy(to, s->p, len);
	s->p += len;
	s->left -= len;
	return len;
}

/*
 * A frame arrives at the device. The copy on the heap lets the address
 * sanitizer find reads past its end, except those of the ICRC, which is written
 * in assembler.
 */
void fuzz_arrive(struct fuzz_world *w, const u8 *frame, u32 len)
{
	u8 *copy = malloc(len ? len : 1);
	struct model_wire *wire = w->env->hosts[0].dev->wire;
	struct model_net net;

	memcpy(copy, frame, len);
	if (model_net_parse(&net, copy, len) == MODEL_RX_OK && net.end > len)
		fuzz_wrong("a packet longer than its frame");
	wire->ops->receive(wire->opaque, copy, len);
	free(copy);
}

static void step_frame(struct fuzz_world *w, struct fuzz_script *s, bool fix)
{
	u8 frame[MODEL_FRAME_MAX];
	u32 len = fuzz_take(s, frame, sizeof(frame));
	struct model_net net;

	if (fix && model_net_parse(&net, frame, len) == MODEL_RX_OK)
		model_icrc_write(frame, net.l3, net.bth, net.end);
	fuzz_arrive(w, frame, len);
}

/* Correct address and key of RETH or AtomicETH, at the offset of the header. */
static void fix_address(const struct fuzz_world *w, u8 *bth, u32 len,
			const struct model_opcode *op, bool shown)
{
	u32 at = MODEL_BTH_BYTES;
	u64 va;

	if (!(op->hdrs & (MODEL_HDR_RETH | MODEL_HDR_ATOMIC)))
		return;
	if (op->hdrs & MODEL_HDR_DETH)
		at += MODEL_DETH_BYTES;
	if (op->hdrs & MODEL_HDR_XRCETH)
		at += MODEL_XRCETH_BYTES;
	if (op->hdrs & MODEL_HDR_FETH)
		at += MODEL_FETH_BYTES;
	if (len < at + MODEL_RETH_BYTES)
		return;
	va = (shown ? w->shown : w->area) + model_get16(bth + at) % FUZZ_AREA;
	model_put64(bth + at, va);
	model_put32(bth + at + 8, shown ? w->shown_key : w->key);
	if (op->hdrs & MODEL_HDR_RETH)
		model_put32(bth + at + 12,
			    model_get16(bth + at + 14));
}

static void fix_bth(const struct fuzz_world *w, const struct wire_qp *qp,
		    u8 *bth, u32 len, u32 psn, u8 not)
{
	struct model_opcode op = { 0 };
	bool response;

	model_opcode_get(bth[0], &op);
	response = op.flags & MODEL_PKT_RESPONSE;
	bth[1] &= 0xf0;
	if (!(not & FIX_NOT_PKEY))
		model_put16(bth + 2, 0xffff);
	if (!(not & FIX_NOT_QPN))
		model_put24(bth + 5, qp->qpn);
	if (op.hdrs & MODEL_HDR_XRCETH && len >= MODEL_BTH_BYTES + 4 &&
	    !(not & FIX_NOT_QPN))
		model_put32(bth + MODEL_BTH_BYTES, w->xrc_srq.srqn);
	psn += response ? qp->qp->tp->req.una_psn : qp->qp->tp->resp.psn;
	model_put24(bth + 9, psn & MODEL_PSN_MASK);
	if (!(not & FIX_NOT_ADDRESS))
		fix_address(w, bth, len, &op, not & FIX_SHOWN);
}

static void step_packet(struct fuzz_world *w, struct fuzz_script *s)
{
	struct wire_qp *qp = &w->qps[fuzz_take8(s) % FUZZ_QPS];
	s32 psn = (signed char)fuzz_take8(s);
	u8 not = fuzz_take8(s);
	struct model_net_template tmpl;
	u8 frame[MODEL_FRAME_MAX];
	struct model_path path;
	u8 body[2048] = { 0 };
	u32 len = fuzz_take(s, body, sizeof(body) - 4);
	u32 bth;

	if (!(not & FIX_NOT_PAD))
		len = (len + 3) & ~3U;
	if (len < MODEL_BTH_BYTES)
		len = MODEL_BTH_BYTES;
	fix_bth(w, qp, body, len, not & FIX_FAR ? psn * 32 : psn, not);
	fuzz_world_path(w, qp - w->qps, &path);
	model_net_template(&tmpl, &path);
	bth = model_net_write(&tmpl, frame, len + MODEL_ICRC_BYTES);
	memcpy(frame + bth, body, len);
	model_icrc_write(frame, tmpl.l3, bth, bth + len + MODEL_ICRC_BYTES);
	fuzz_arrive(w, frame, bth + len + MODEL_ICRC_BYTES);
}

static void step_send(struct fuzz_world *w, struct fuzz_script *s)
{
	static const u8 opcodes[] = {
		XRDMA_OP_SEND, XRDMA_OP_SEND_IMM, XRDMA_OP_WRITE,
		XRDMA_OP_WRITE_IMM, XRDMA_OP_READ, XRDMA_OP_CMP_SWAP,
		XRDMA_OP_FETCH_ADD, XRDMA_OP_FLUSH, XRDMA_OP_ATOMIC_WRITE,
	};
	struct wire_qp *qp = &w->qps[fuzz_take8(s) % FUZZ_QPS];
	u8 opcode = opcodes[fuzz_take8(s) % ARRAY_SIZE(opcodes)];
	struct xrdma_sge sge = wire_sge(w->area, fuzz_take16(s) % FUZZ_AREA,
					w->key);

	if (qp == &w->qps[FUZZ_UD] || qp->qp->type == XRDMA_QP_RAW ||
	    qp == &w->qps[FUZZ_XRC] ||
	    le32_to_cpu(qp->rec->sq_pi) - qp->qp->sq.ci >= 1U << FUZZ_LOG_DEPTH)
		return;
	if (opcode == XRDMA_OP_CMP_SWAP || opcode == XRDMA_OP_FETCH_ADD)
		sge.length = cpu_to_le32(8);
	wire_post_send(qp, &(struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED, .sges = &sge,
		.num_sge = opcode < XRDMA_OP_FLUSH,
		.ext = opcode == XRDMA_OP_FLUSH ? XRDMA_FLUSH_GLOBAL : 0,
		.remote_addr = 0x1000, .rkey = 0x100 });
}

static void post_srq(struct wire_srq *srq, const struct xrdma_sge *sge)
{
	if (le32_to_cpu(srq->rec->pi) - le32_to_cpu(srq->rec->ci) <
	    1U << FUZZ_LOG_DEPTH)
		wire_post_srq(srq, 1, sge, 1);
}

static void step_recv(struct fuzz_world *w, struct fuzz_script *s)
{
	struct wire_qp *qp = &w->qps[fuzz_take8(s) % FUZZ_QPS];
	u32 len = fuzz_take16(s);
	struct xrdma_sge sge = wire_sge(w->area, len % FUZZ_AREA, w->key);

	if (qp->qp->flags & XRDMA_QP_KERNEL)
		fuzz_port_recv(w, qp, len);
	else if (qp == &w->qps[FUZZ_SRQ])
		post_srq(&w->srq, &sge);
	else if (qp == &w->qps[FUZZ_XRC])
		post_srq(&w->xrc_srq, &sge);
	else if (le32_to_cpu(qp->rec->rq_pi) - qp->qp->rq.ci < 1U << FUZZ_LOG_DEPTH)
		wire_post_recv(qp, 1, &sge, 1);
}

static void step_time(struct fuzz_world *w)
{
	u64 next = fake_loop_next(w->env->loop);

	if (next != UINT64_MAX)
		fake_loop_advance(w->env->loop, next);
}

/* Return: true if the burst of frames may go on. */
static bool goes_on(enum step step)
{
	return step <= STEP_PACKET || step == STEP_TCP || step == STEP_RECV;
}

static void do_step(struct fuzz_world *w, struct fuzz_script *s)
{
	enum step step = fuzz_take8(s) % STEPS;

	if (!goes_on(step))
		fuzz_port_burst_end(w);
	switch (step) {
	case STEP_FRAME:
		step_frame(w, s, false);
		break;
	case STEP_FIXED:
		step_frame(w, s, true);
		break;
	case STEP_PACKET:
		step_packet(w, s);
		break;
	case STEP_SEND:
		step_send(w, s);
		break;
	case STEP_RECV:
		step_recv(w, s);
		break;
	case STEP_TIME:
		step_time(w);
		break;
	case STEP_TCP:
		fuzz_step_tcp(w, s);
		break;
	case STEP_ETH:
		fuzz_step_eth(w, s);
		break;
	case STEP_POST:
		fuzz_step_post(w, s);
		break;
	case STEP_DOORBELL:
		fuzz_step_doorbell(w, s);
		break;
	case STEP_RECORD:
		fuzz_step_record(w, s);
		break;
	case STEP_PLAIN:
		fuzz_step_plain(w);
		break;
	default:
		model_device_poll(w->env->hosts[0].dev);
	}
}

/*
 * Poll until the device has no work. While a frame waits for a receive entry, queue
 * pairs for which the wire has no room have work: the number of turns is limited.
 */
static void settle(struct fuzz_world *w)
{
	unsigned int turns, quiet = 0;

	for (turns = 0; turns < MAX_TURNS && quiet < 3; turns++)
		quiet = wire_turn(w->env) ? 0 : quiet + 1;
}

/*
 * Run one input: called by libFuzzer, and by test_fuzz_corpus.c for each line.
 */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct fuzz_world world;
	struct fuzz_script s = { .p = data, .left = size };
	unsigned int steps = MAX_STEPS;

	fuzz_world_begin(&world);
	while (s.left && steps--) {
		do_step(&world, &s);
		fuzz_world_serve(&world);
		fuzz_world_judge(&world);
	}
	fuzz_port_burst_end(&world);
	settle(&world);
	fuzz_world_serve(&world);
	fuzz_world_judge(&world);
	return 0;
}
