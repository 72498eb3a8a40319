// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The operations of the hostile peer in test_hostile.c: sends request packets
 * and checks the device's answers. Operations of the host are in hostile_ops.c.
 */
#include <string.h>

#include "tests/transport/hostile_ops.h"
#include "transport/rx.h"

#define ACK	(MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS)

static u8 data[2 * WORLD_MTU];

static void make_data(struct world *w, u64 length)
{
	u64 i;

	for (i = 0; i < length; i += 8)
		*(u64 *)(data + i) = any(w, 0);
}

/* Take the next packet that the device sent. Return: false if none was sent. */
static bool receive(struct world *w, struct world_qp *q)
{
	struct model_wire *wire = w->host->dev->wire;
	struct model_frame *frame = model_frameq_pop(&wire->arrived);
	struct model_net net;

	if (!frame)
		return false;
	assert_int_equal(model_net_parse(&net, frame->data, frame->len), 0);
	assert_int_equal(model_pkt_parse(&q->c.pkt, frame->data + net.bth,
					 net.end - net.bth - 4), 0);
	memcpy(q->c.data, q->c.pkt.payload, q->c.pkt.len);
	model_frame_put(&wire->pool, frame);
	return true;
}

static void send(struct world *w, struct world_qp *q, struct model_pkt *pkt,
		 const u8 *payload)
{
	u8 frame[MODEL_FRAME_MAX + 64];
	u32 len = craft_frame(&q->c, pkt, payload, frame);

	model_rx_frame(w->host->dev, frame, len);
	w->host->dev->params.transport->poll(w->host->dev);
}

/* Return: the syndrome that the verdict @v requires. */
static u8 syndrome_of(const struct verdict *v)
{
	if (!v->reason)
		return ACK;
	if (v->reason == XRDMA_FAULT_ALIGN ||
	    v->reason == XRDMA_FAULT_QP_RIGHTS)
		return MODEL_AETH_NAK | MODEL_NAK_INVALID;
	return MODEL_AETH_NAK | MODEL_NAK_ACCESS;
}

static void expect_answer(struct world *w, struct world_qp *q, u8 syndrome)
{
	struct xrdma_cqe cqe;

	assert_true(receive(w, q));
	assert_int_equal(q->c.pkt.opcode, MODEL_BTH_ACK);
	assert_int_equal(q->c.pkt.syndrome, syndrome);
	assert_int_equal(q->c.pkt.psn, q->rq_psn & MODEL_PSN_MASK);
	assert_false(receive(w, q));
	while (wire_poll_cq(&q->c.p.a.recv_cq, &cqe))
		;
	q->rq_psn++;
	if (syndrome != ACK)
		world_reconnect(q);
}

/* Write the bytes of an allowed access to the reference, or compare them. */
static void for_bytes(struct world *w, u32 key, u64 addr, u64 length,
		      u8 *from, bool is_write)
{
	u8 *at = w->ref.bytes;
	u64 i;

	if (length)
		w->used = key;
	for (i = 0; i < length; i++) {
		at = ref_byte(&w->ref, key, addr + i);
		if (is_write)
			*at = from[i];
		else if (*at != from[i])
			fail_msg("wrong byte %#llx under key %#x", i, key);
	}
	if (length && is_write) {
		world_check_near(w, ref_byte(&w->ref, key, addr));
		world_check_near(w, at);
	}
}

static struct xrdma_eqe record(u8 opcode, u8 flags, u64 addr, u64 length)
{
	return (struct xrdma_eqe) {
		.opcode = opcode,
		.flags = flags,
		.addr = cpu_to_le64(addr),
		.length = cpu_to_le64(length),
	};
}

/* Choose an access; fill in its packet. Return: the required outcome. */
static struct verdict choose_access(struct world *w, struct world_qp *q,
				    u64 max, u16 right, struct ref_access *a,
				    struct model_pkt *pkt, u8 opcode)
{
	*a = (struct ref_access) {
		.key = pick_key(w, q, FOR_ACCESS), .right = right, .remote = true,
	};
	pick_range(w, a->key, max, &a->addr, &a->length);
	if (right == XRDMA_ACCESS_REMOTE_ATOMIC) {
		a->length = 8;
		a->addr = chance(w, 80) ? (a->addr + 7) & ~7ULL : a->addr;
	}
	*pkt = craft_pkt(&q->c, opcode, q->rq_psn);
	pkt->va = a->addr;
	pkt->rkey = a->key;
	pkt->dma_len = a->length;
	pkt->ackreq = true;
	return ref_access(&w->ref, &q->ref, a);
}

void run_write(struct world *w, struct world_qp *q, struct tally *t)
{
	struct model_pkt pkt;
	struct ref_access a;
	struct verdict v;

	v = choose_access(w, q, sizeof(data), XRDMA_ACCESS_REMOTE_WRITE, &a,
			  &pkt, MODEL_BTH_WRITE_ONLY);
	count(t, v.reason);
	make_data(w, a.length);
	pkt.len = a.length;
	if (a.length > WORLD_MTU) {
		pkt = craft_pkt(&q->c, MODEL_BTH_WRITE_FIRST, q->rq_psn);
		pkt.va = a.addr;
		pkt.rkey = a.key;
		pkt.dma_len = a.length;
		pkt.len = WORLD_MTU;
	}
	send(w, q, &pkt, data);
	if (a.length > WORLD_MTU && !v.reason) {
		pkt = craft_pkt(&q->c, MODEL_BTH_WRITE_LAST, ++q->rq_psn);
		pkt.len = a.length - WORLD_MTU;
		pkt.ackreq = true;
		send(w, q, &pkt, data + WORLD_MTU);
	}
	expect_answer(w, q, syndrome_of(&v));
	expect_fault(w, q, &v, record(XRDMA_OP_WRITE, XRDMA_FAULT_REMOTE |
				      XRDMA_FAULT_WRITE, a.addr, a.length));
	if (!v.reason)
		for_bytes(w, a.key, a.addr, a.length, data, true);
}

static void expect_data(struct world *w, struct world_qp *q, u64 length)
{
	u64 got = 0;

	do {
		assert_true(receive(w, q));
		assert_true(q->c.pkt.op.flags & MODEL_PKT_READ);
		assert_int_equal(q->c.pkt.psn, q->rq_psn++ & MODEL_PSN_MASK);
		assert_true(got + q->c.pkt.len <= length);
		memcpy(data + got, q->c.data, q->c.pkt.len);
		got += q->c.pkt.len;
	} while (got < length);
	assert_true(q->c.pkt.op.flags & MODEL_PKT_LAST);
	assert_false(receive(w, q));
}

void run_read(struct world *w, struct world_qp *q, struct tally *t)
{
	struct model_pkt pkt;
	struct ref_access a;
	struct verdict v;

	v = choose_access(w, q, sizeof(data), XRDMA_ACCESS_REMOTE_READ, &a,
			  &pkt, MODEL_BTH_READ_REQUEST);
	count(t, v.reason);
	send(w, q, &pkt, NULL);
	if (v.reason) {
		expect_answer(w, q, syndrome_of(&v));
	} else {
		expect_data(w, q, a.length);
		for_bytes(w, a.key, a.addr, a.length, data, false);
	}
	expect_fault(w, q, &v, record(XRDMA_OP_READ, XRDMA_FAULT_REMOTE, a.addr,
				      a.length));
}

/* Check the answer of an allowed atomic; execute it on the reference @at. */
static void do_atomic(struct world *w, struct world_qp *q,
		      const struct model_pkt *pkt, u8 *at)
{
	bool add = pkt->opcode == MODEL_BTH_FETCH_ADD;
	u64 *word = (u64 *)at;

	assert_true(receive(w, q));
	assert_int_equal(q->c.pkt.opcode, MODEL_BTH_ATOMIC_ACK);
	assert_true(q->c.pkt.orig == *word);
	assert_false(receive(w, q));
	if (add)
		*word += pkt->swap_add;
	else if (*word == pkt->compare)
		*word = pkt->swap_add;
	world_check_near(w, at);
	q->rq_psn++;
}

void run_atomic(struct world *w, struct world_qp *q, struct tally *t)
{
	u8 opcode = chance(w, 50) ? MODEL_BTH_FETCH_ADD : MODEL_BTH_CMP_SWAP;
	struct model_pkt pkt;
	struct ref_access a;
	struct verdict v;
	u8 *at = NULL;

	v = choose_access(w, q, 8, XRDMA_ACCESS_REMOTE_ATOMIC, &a, &pkt,
			  opcode);
	if (!v.reason)
		at = ref_byte(&w->ref, a.key, a.addr);
	if (at && (at - w->ref.bytes) % 8)
		v = (struct verdict) { XRDMA_FAULT_ALIGN, a.key };
	count(t, v.reason);
	pkt.swap_add = any(w, 0);
	pkt.compare = v.reason || chance(w, 50) ? any(w, 0) : *(u64 *)at;
	send(w, q, &pkt, NULL);
	if (v.reason)
		expect_answer(w, q, syndrome_of(&v));
	else
		do_atomic(w, q, &pkt, at);
	expect_fault(w, q, &v, record(opcode == MODEL_BTH_FETCH_ADD ?
				      XRDMA_OP_FETCH_ADD : XRDMA_OP_CMP_SWAP,
				      XRDMA_FAULT_REMOTE | XRDMA_FAULT_WRITE,
				      a.addr, 8));
}

/* SEND into a receive entry with a random address and key. */
void run_send(struct world *w, struct world_qp *q, struct tally *t)
{
	struct ref_access a = {
		.key = pick_key(w, q, FOR_ACCESS),
		.right = XRDMA_ACCESS_LOCAL_WRITE,
	};
	struct model_pkt pkt = craft_pkt(&q->c, MODEL_BTH_SEND_ONLY, q->rq_psn);
	struct xrdma_sge sge;
	struct verdict v;

	pick_range(w, a.key, WORLD_MTU, &a.addr, &a.length);
	sge = wire_sge(a.addr, a.length + any(w, 100), a.key);
	v = ref_access(&w->ref, &q->ref, &a);
	count(t, v.reason);
	make_data(w, a.length);
	wire_post_recv(&q->c.p.a, 1, &sge, 1);
	pkt.len = a.length;
	pkt.ackreq = true;
	send(w, q, &pkt, data);
	expect_answer(w, q, v.reason ? MODEL_AETH_NAK | MODEL_NAK_OPERATION :
				       ACK);
	expect_fault(w, q, &v, record(XRDMA_OP_RECV, XRDMA_FAULT_WRITE, a.addr,
				      a.length));
	if (!v.reason)
		for_bytes(w, a.key, a.addr, a.length, data, true);
}

void run_send_inv(struct world *w, struct world_qp *q, struct tally *t)
{
	struct model_pkt pkt = craft_pkt(&q->c, MODEL_BTH_SEND_ONLY_INV,
					 q->rq_psn);
	u32 key = pick_key(w, q, chance(w, 90) ? FAST | MW2 : MW1);
	struct verdict v = ref_inval(&w->ref, &q->ref, key);

	count(t, v.reason);
	wire_post_recv(&q->c.p.a, 1, NULL, 0);
	pkt.inv_rkey = key;
	pkt.ackreq = true;
	send(w, q, &pkt, NULL);
	expect_answer(w, q, v.reason ? MODEL_AETH_NAK | MODEL_NAK_ACCESS : ACK);
	expect_fault(w, q, &v, record(XRDMA_OP_SEND_INV, XRDMA_FAULT_REMOTE, 0,
				      0));
	world_invalidated(w, &v, key);
}

/* Take the packets that the device sends, and acknowledge them. */
static void take_sent(struct world *w, struct world_qp *q, u64 length)
{
	struct model_pkt ack;
	u64 got = 0;

	do {
		assert_true(receive(w, q));
		assert_true(q->c.pkt.op.flags & MODEL_PKT_SEND);
		assert_true(got + q->c.pkt.len <= length);
		memcpy(data + got, q->c.data, q->c.pkt.len);
		got += q->c.pkt.len;
		q->sq_psn++;
	} while (got < length);
	assert_false(receive(w, q));
	ack = craft_pkt(&q->c, MODEL_BTH_ACK, q->sq_psn - 1);
	send(w, q, &ack, NULL);
}

/* SEND of the device from a random address and key. */
void run_gather(struct world *w, struct world_qp *q, struct tally *t)
{
	struct ref_access a = { .key = pick_key(w, q, FOR_ACCESS) };
	struct xrdma_sge sge;
	struct xrdma_cqe cqe;
	struct verdict v;

	pick_range(w, a.key, sizeof(data), &a.addr, &a.length);
	sge = wire_sge(a.addr, a.length, a.key);
	v = ref_access(&w->ref, &q->ref, &a);
	count(t, v.reason);
	wire_post_send(&q->c.p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND, .flags = XRDMA_WQE_SIGNALED,
		.sges = &sge, .num_sge = 1,
	});
	model_qps_poll(w->host->dev);
	if (!v.reason) {
		take_sent(w, q, a.length);
		for_bytes(w, a.key, a.addr, a.length, data, false);
	}
	assert_false(receive(w, q));
	assert_true(wire_poll_cq(&q->c.p.a.send_cq, &cqe));
	assert_int_equal(cqe.status, v.reason ? XRDMA_WC_LOC_PROT_ERR :
						XRDMA_WC_SUCCESS);
	expect_fault(w, q, &v, record(XRDMA_OP_SEND, 0, a.addr, a.length));
	if (v.reason)
		world_reconnect(q);
}

/* Packets that are invalid in this place: no byte of memory may change. */
void run_junk(struct world *w, struct world_qp *q, struct tally *t)
{
	static const u8 opcodes[] = {
		MODEL_BTH_FLUSH, MODEL_BTH_ATOMIC_WRITE, MODEL_BTH_SEND_MIDDLE,
		MODEL_BTH_SEND_LAST, MODEL_BTH_SEND_LAST_INV,
		MODEL_BTH_WRITE_MIDDLE, MODEL_BTH_WRITE_LAST,
		MODEL_BTH_WRITE_LAST_IMM, MODEL_BTH_READ_RESP_ONLY,
		MODEL_BTH_READ_RESP_MIDDLE, MODEL_BTH_ATOMIC_ACK,
		MODEL_BTH_UC | MODEL_BTH_WRITE_ONLY,
		MODEL_BTH_XRC | MODEL_BTH_WRITE_ONLY,
		MODEL_BTH_UD | MODEL_BTH_SEND_ONLY,
	};
	struct model_pkt pkt = craft_pkt(&q->c,
					 opcodes[any(w, ARRAY_SIZE(opcodes))],
					 q->rq_psn);

	count(t, 0);
	pkt.rkey = pick_key(w, q, FOR_ACCESS);
	pkt.inv_rkey = pkt.rkey;
	pick_range(w, pkt.rkey, WORLD_MTU, &pkt.va, &(u64) { 0 });
	pkt.len = pkt.op.flags & MODEL_PKT_PAYLOAD ? 8 * any(w, 64) : 0;
	pkt.dma_len = pkt.len;
	pkt.orig = any(w, 0);
	make_data(w, pkt.len);
	send(w, q, &pkt, data);
	while (receive(w, q))
		;
	assert_null(world_fault(w));
	world_check_bytes(w);
	world_reconnect(q);
}
