// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: the entries that the driver's xrdma_wqe.c writes of
 * the work requests of the kernel's consumers, as the device takes them up:
 * transport/requester_wqe.c, requester_local.c and ud.c, core/qp_queue.c and sgl.c,
 * all compiled unchanged. That the driver writes nothing behind an entry is in
 * wqe.c, what the device does with an entry of any bytes in device_sgl.c.
 *
 * CBMC: -I proof/include -I include --unwind 8 --slice-formula
 */

#include "proof.h"
#include "kernel.h"

static void copy_data(void *to, const void *from, size_t len);
#define memcpy(to, from, len)	copy_data(to, from, len)
#include "xrdma_wqe.c"
#undef memcpy

#include "no_faults.h"
#include "core/qp_queue.c"
#include "core/sgl.c"
#include "transport/requester_local.c"
#include "transport/requester_wqe.c"
#undef ALL_FLAGS
#include "transport/ud.c"

/* Entries of 128 bytes; scatter-gather entries of a request */
#define LOG_STRIDE	7
#define SGE_MAX		3

/* An entry of a ring, which the driver writes and the device reads */
static union entry {
	struct xrdma_sq_wqe send;
	struct xrdma_rq_wqe recv;
	u8 bytes[1 << LOG_STRIDE];
} entry;

/* The queue pair in the driver, and in the device */
static struct xrdma_dev xdev;
static struct xrdma_qp qp = { .xdev = &xdev };
static struct model_qp_transport transport;
static struct model_device device;
static struct model_qp device_qp = { .tp = &transport, .dev = &device };

/* The list of the request, whose entries the device checks in order */
static struct ib_sge list[SGE_MAX];
static u32 checked;
static u16 needed;

/* The value of an ATOMIC_WRITE; bytes of inline data that have been copied */
static u64 value;
static u32 copied, num_copied;
static u8 *inline_data;

/* The driver copies inline data, in the order of the list, or a value. */
static void copy_data(void *to, const void *from, size_t len)
{
	if (entry.send.opcode == XRDMA_OP_ATOMIC_WRITE) {
		PROVE((uintptr_t)from == list[0].addr && len == sizeof(value));
		*(u64 *)to = value;
		return;
	}
	PROVE(to == inline_data + copied);
	PROVE((uintptr_t)from == list[num_copied].addr);
	PROVE(len == list[num_copied].length);
	copied += (u32)len;
	num_copied++;
}

int model_access_check(struct model_device *dev,
		       const struct model_access_req *req,
		       struct model_target *acc)
{
	static struct model_mem mem;

	acc->mem = &mem;
	PROVE(dev == device_qp.dev && req->qp == &device_qp && checked < SGE_MAX);
	PROVE(req->addr == list[checked].addr && req->key == list[checked].lkey);
	PROVE(req->len == list[checked].length);
	PROVE(req->rights == needed && !req->remote);
	checked++;
	return 0;
}

u16 xrdma_mr_hw_access(int access)
{
	return access & 0xffff;
}

/* Any segment of a fast registration */
static struct xrdma_reg_seg reg_seg;

int xrdma_frmr_make_seg(struct ib_mr *ibmr, u16 access,
			struct xrdma_reg_seg *seg)
{
	(void)ibmr;
	reg_seg.access = cpu_to_le32(access);
	*seg = reg_seg;
	return 0;
}

/* Arguments of the last call of model_bind_mw(), model_reg_mr() or model_inval_key() */
static u32 local_key;
static u8 local_opcode;
static struct xrdma_bind_seg bound;
static struct xrdma_reg_seg registered;

enum xrdma_fault_reason model_bind_mw(struct model_qp *q, u32 key,
				      const struct xrdma_bind_seg *seg)
{
	PROVE(q == &device_qp && !local_opcode);
	local_opcode = XRDMA_OP_BIND_MW;
	local_key = key;
	bound = *seg;
	return 0;
}

enum xrdma_fault_reason model_reg_mr(struct model_qp *q, u32 key,
				     const struct xrdma_reg_seg *seg)
{
	PROVE(q == &device_qp && !local_opcode);
	local_opcode = XRDMA_OP_REG_MR;
	local_key = key;
	registered = *seg;
	return 0;
}

enum xrdma_fault_reason model_inval_key(struct model_qp *q, u32 key, bool remote)
{
	PROVE(q == &device_qp && !remote && !local_opcode);
	local_opcode = XRDMA_OP_LOCAL_INV;
	local_key = key;
	return 0;
}

u32 model_sq_bytes(const struct model_qp *q, const struct xrdma_sq_wqe *wqe)
{
	PROVE(q == &device_qp && wqe->flags / 16 < q->sq.units);
	return (wqe->flags / 16 + 1) * 64;
}

/* A queue pair of the kernel with entries of 128 bytes, limits as in wqe.c */
static void any_qp(u8 type, u32 header)
{
	union entry any;

	xdev.caps.flags = nondet_u64();
	qp.type = type;
	qp.sig_all = nondet_truth();
	qp.sq.max_sge = nondet_u8();
	qp.max_inline = nondet_u32();
	ASSUME(qp.sq.max_sge <= ((1 << LOG_STRIDE) - header) / 16);
	ASSUME(qp.max_inline <= (1 << LOG_STRIDE) - header);
	entry = any;	/* not initialised: what another request has left */
	device_qp.type = type;
	device_qp.flags = XRDMA_QP_KERNEL;
	device_qp.sq.units = 2;
	device_qp.rq.log_stride = LOG_STRIDE;
	device_qp.attr.path_mtu = nondet_u8();
	device_qp.attr.max_rd_atomic = nondet_u8();
	ASSUME(device_qp.attr.path_mtu >= 1 && device_qp.attr.path_mtu <= 5);
	ASSUME(device_qp.attr.max_rd_atomic);
	inline_data = entry.bytes + header;
}

/* A list of up to SGE_MAX entries. Return: the sum of their lengths. */
static u64 any_list(struct ib_send_wr *wr)
{
	u64 length = 0;
	int i;

	wr->sg_list = list;
	wr->num_sge = nondet_int();
	ASSUME(wr->num_sge >= 0 && wr->num_sge <= SGE_MAX);
	for (i = 0; i < SGE_MAX; i++) {
		list[i].addr = nondet_u64();
		list[i].length = nondet_u32();
		list[i].lkey = nondet_u32();
		length += i < wr->num_sge ? list[i].length : 0;
	}
	return length;
}

/* The fields that each entry has: operation, flags and work request ID */
static void expect_head(const struct xrdma_sq_wqe *wqe,
			const struct ib_send_wr *wr, u8 opcode, bool inlined)
{
	u8 flags = 0;

	if (wr->send_flags & 2 || qp.sig_all)
		flags |= 1;
	flags |= wr->send_flags & 1 ? 2 : 0;
	flags |= wr->send_flags & 4 ? 4 : 0;
	flags |= inlined ? 8 : 0;
	PROVE(wqe->opcode == opcode && wqe->flags % 16 == flags);
	PROVE(le64_to_cpu(wqe->wr_id) == wr->wr_id);
}

/* The operation of a message or of an access to remote memory */
static u8 opcode_of(enum ib_wr_opcode opcode)
{
	switch (opcode) {
	case IB_WR_SEND:
		return XRDMA_OP_SEND;
	case IB_WR_SEND_WITH_IMM:
		return XRDMA_OP_SEND_IMM;
	case IB_WR_SEND_WITH_INV:
		return XRDMA_OP_SEND_INV;
	case IB_WR_RDMA_WRITE:
		return XRDMA_OP_WRITE;
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return XRDMA_OP_WRITE_IMM;
	case IB_WR_RDMA_READ:
		return XRDMA_OP_READ;
	default:
		return 0;
	}
}

/*
 * The device has checked each entry of the list, or finds all inline data. The entry is
 * as long as they need.
 */
static void expect_data(const struct ib_send_wr *wr, u64 length, bool inlined)
{
	u32 bytes = (u32)(inline_data - entry.bytes) +
		    (inlined ? copied : 16 * checked);

	PROVE(inlined ? !checked && copied == length : !copied);
	PROVE(entry.send.flags / 16 == (bytes + 63) / 64 - 1);
	PROVE(inlined ? num_copied == wr->num_sge : checked == wr->num_sge);
}

/*
 * Theorem: The device takes up each SEND, WRITE and READ that the driver accepts as
 *	this operation, with the flags, the immediate data or the key to
 *	invalidate, the remote address and key, and the work request ID of the
 *	request, and zeros in the other fields; it checks exactly the
 *	scatter-gather entries of the request, or finds its inline data behind
 *	the first 32 bytes; the message has as many bytes as both together.
 * Form: long
 * Solver: cadical
 * Holds for: all requests, with lists of 0 to 3 entries of any addresses, lengths
 *	and keys; connected queue pairs with entries of 128 bytes.
 * Assumes: the message has at most 2^31 bytes (IBTA 9.7.7); the keys of the list
 *	grant the access; max_sge and max_inline fit the entry, as wqe.c assumes.
 */
static void messages_are_taken_up(void)
{
	struct ib_rdma_wr any;
	const struct ib_send_wr *wr = &any.wr;
	u8 opcode = opcode_of(wr->opcode);
	bool remote = opcode >= XRDMA_OP_WRITE;
	bool inlined = wr->send_flags & 8;
	struct model_req_entry e;
	u64 length;

	any_qp(XRDMA_QP_RC, sizeof(struct xrdma_sq_wqe));
	length = any_list(&any.wr);
	ASSUME(opcode && length <= 1ULL << 31);
	needed = opcode == XRDMA_OP_READ ? XRDMA_ACCESS_LOCAL_WRITE : 0;
	ASSUME(!xrdma_make_send(&qp, &entry.send, wr));
	model_requester_take(&device_qp, entry.bytes, &e);
	REACHABLE(inlined && wr->num_sge == 3 && length == 96);
	REACHABLE(opcode == XRDMA_OP_READ && length == 1ULL << 31);
	REACHABLE(opcode == XRDMA_OP_SEND_INV && !inlined);
	PROVE(!e.status && e.length == length);
	PROVE(e.kind == (opcode <= XRDMA_OP_SEND_INV ? MODEL_REQ_SEND :
			 opcode <= XRDMA_OP_WRITE_IMM ? MODEL_REQ_WRITE :
			 MODEL_REQ_READ));
	expect_head(&e.wqe, wr, opcode, inlined);
	expect_data(wr, length, inlined);
	if (opcode == XRDMA_OP_SEND_IMM || opcode == XRDMA_OP_WRITE_IMM)
		PROVE(e.wqe.imm == wr->ex.imm_data);
	else if (opcode == XRDMA_OP_SEND_INV)
		PROVE(le32_to_cpu(e.wqe.inv_key) == wr->ex.invalidate_rkey);
	else
		PROVE(!e.wqe.imm);
	PROVE(le64_to_cpu(e.wqe.remote_addr) == (remote ? any.remote_addr : 0));
	PROVE(le32_to_cpu(e.wqe.rkey) == (remote ? any.rkey : 0));
	PROVE(!e.wqe.ext);
}

/*
 * Theorem: The device takes up each atomic operation that the driver accepts as this
 *	operation, with its operands, its remote address and key, and the local
 *	entry that gets the result, and zeros in the other fields.
 * Holds for: all requests; connected queue pairs with entries of 128 bytes.
 * Assumes: the local entry has 8 bytes; as messages_are_taken_up.
 */
static void atomics_are_taken_up(void)
{
	struct ib_atomic_wr any;
	const struct ib_send_wr *wr = &any.wr;
	bool swap = wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP;
	struct model_req_entry e;

	any_qp(XRDMA_QP_RC, sizeof(struct xrdma_sq_wqe));
	any_list(&any.wr);
	ASSUME(swap || wr->opcode == IB_WR_ATOMIC_FETCH_AND_ADD);
	ASSUME(list[0].length == 8);
	needed = XRDMA_ACCESS_LOCAL_WRITE;
	ASSUME(!xrdma_make_send(&qp, &entry.send, wr));
	model_requester_take(&device_qp, entry.bytes, &e);
	REACHABLE(swap && any.swap != any.compare_add);
	REACHABLE(!swap);
	PROVE(!e.status && e.kind == MODEL_REQ_ATOMIC && e.length == 8);
	expect_head(&e.wqe, wr, swap ? XRDMA_OP_CMP_SWAP : XRDMA_OP_FETCH_ADD,
		    false);
	expect_data(wr, 8, false);
	PROVE(wr->num_sge == 1 && !e.wqe.imm && !e.wqe.ext);
	PROVE(le64_to_cpu(e.wqe.remote_addr) == any.remote_addr);
	PROVE(le32_to_cpu(e.wqe.rkey) == any.rkey);
	PROVE(le64_to_cpu(e.atomic.swap_add) ==
	      (swap ? any.swap : any.compare_add));
	PROVE(le64_to_cpu(e.atomic.compare) == (swap ? any.compare_add : 0));
}

/*
 * Theorem: The device takes up each ATOMIC_WRITE that the driver accepts with the 8
 *	bytes of its value, its remote address and key, and zeros in the other
 *	fields.
 * Holds for: all requests; connected queue pairs with entries of 128 bytes.
 * Assumes: nothing.
 */
static void atomic_writes_are_taken_up(void)
{
	struct ib_rdma_wr any;
	const struct ib_send_wr *wr = &any.wr;
	struct model_req_entry e;

	value = nondet_u64();
	any_qp(XRDMA_QP_RC, sizeof(struct xrdma_sq_wqe));
	any_list(&any.wr);
	ASSUME(wr->opcode == IB_WR_ATOMIC_WRITE);
	ASSUME(!xrdma_make_send(&qp, &entry.send, wr));
	model_requester_take(&device_qp, entry.bytes, &e);
	REACHABLE(value >> 63);
	PROVE(!e.status && e.kind == MODEL_REQ_ATOMIC_WRITE);
	expect_head(&e.wqe, wr, XRDMA_OP_ATOMIC_WRITE, false);
	PROVE(wr->num_sge == 1 && !e.wqe.num_sge && !checked);
	PROVE(!e.wqe.imm && !e.wqe.ext);
	PROVE(le64_to_cpu(e.wqe.remote_addr) == any.remote_addr);
	PROVE(le32_to_cpu(e.wqe.rkey) == any.rkey);
	PROVE(le64_to_cpu(e.atomic.swap_add) == value && !e.atomic.compare);
}

/*
 * Theorem: The device takes up each FLUSH that the driver accepts with the placement
 *	type, the region or range, and the remote key of the request; a FLUSH
 *	without a placement type is refused by the device.
 * Holds for: all requests; connected queue pairs with entries of 128 bytes.
 * Assumes: nothing.
 */
static void flushes_are_taken_up(void)
{
	struct xrdma_flush_wr any;
	const struct ib_send_wr *wr = &any.wr;
	struct model_req_entry e;
	u32 ext;

	any_qp(XRDMA_QP_RC, sizeof(struct xrdma_sq_wqe));
	ASSUME(wr->opcode == IB_WR_FLUSH);
	ASSUME(!xrdma_make_send(&qp, &entry.send, wr));
	model_requester_take(&device_qp, entry.bytes, &e);
	ext = any.type | (any.level == IB_FLUSH_MR ? 1 << 4 : 0);
	REACHABLE(ext == 0x13 && any.length);
	REACHABLE(ext == 1 && any.length);
	PROVE(any.type <= 3 && any.level <= 1);
	PROVE(!e.status == (any.type != 0));
	PROVE(e.kind == (any.type ? MODEL_REQ_FLUSH : MODEL_REQ_FAILED));
	expect_head(&e.wqe, wr, XRDMA_OP_FLUSH, false);
	PROVE(!e.wqe.num_sge && le32_to_cpu(e.wqe.ext) == ext);
	PROVE(le64_to_cpu(e.wqe.remote_addr) == any.remote_addr);
	PROVE(le32_to_cpu(e.wqe.rkey) == any.rkey);
	PROVE(le32_to_cpu(e.wqe.length) ==
	      (any.level == IB_FLUSH_RANGE ? any.length : 0));
}

/*
 * Theorem: The device executes each bind that the driver accepts once, with the
 *	window, its new key, the region, the range and the rights of the
 *	request, and a zero in the reserved field.
 * Holds for: all requests; connected queue pairs with entries of 128 bytes.
 * Assumes: xrdma_mr_hw_access() converts rights that have the same bits.
 */
static void binds_are_executed(void)
{
	struct xrdma_bind_wr any;
	const struct ib_send_wr *wr = &any.wr;
	struct model_req_entry e;
	struct ib_mw mw;
	struct ib_mr mr;

	any_qp(XRDMA_QP_RC, sizeof(struct xrdma_sq_wqe));
	any.mw = &mw;
	any.mr = nondet_truth() ? &mr : NULL;
	ASSUME(wr->opcode == IB_WR_BIND_MW);
	ASSUME(!xrdma_make_send(&qp, &entry.send, wr));
	model_requester_take(&device_qp, entry.bytes, &e);
	REACHABLE(any.mr && any.length >> 63);
	REACHABLE(!any.mr);
	PROVE(!e.status && e.kind == MODEL_REQ_LOCAL);
	expect_head(&e.wqe, wr, XRDMA_OP_BIND_MW, false);
	PROVE(local_opcode == XRDMA_OP_BIND_MW && local_key == mw.rkey);
	PROVE(le64_to_cpu(bound.addr) == any.addr);
	PROVE(le64_to_cpu(bound.length) == any.length);
	PROVE(le32_to_cpu(bound.mr_key) == (any.mr ? mr.lkey : 0));
	PROVE(le32_to_cpu(bound.new_key) == any.rkey && !bound.reserved);
	PROVE(le32_to_cpu(bound.access) == (any.access & 0xffff));
}

/*
 * Theorem: The device executes each fast registration and each local invalidation
 *	that the driver accepts once, with the key of the request, and the
 *	segment of xrdma_frmr_make_seg().
 * Holds for: all requests; connected queue pairs with entries of 128 bytes.
 * Assumes: xrdma_mr_hw_access() converts rights that have the same bits.
 */
static void keys_are_registered_and_invalidated(void)
{
	struct ib_reg_wr any;
	const struct ib_send_wr *wr = &any.wr;
	bool reg = wr->opcode == IB_WR_REG_MR;
	struct xrdma_reg_seg seg;
	struct model_req_entry e;
	struct ib_mr mr;

	any_qp(XRDMA_QP_RC, sizeof(struct xrdma_sq_wqe));
	any.mr = &mr;
	reg_seg = seg;	/* not initialised: any segment */
	ASSUME(reg || wr->opcode == IB_WR_LOCAL_INV);
	ASSUME(!xrdma_make_send(&qp, &entry.send, wr));
	model_requester_take(&device_qp, entry.bytes, &e);
	REACHABLE(reg && any.key);
	REACHABLE(!reg && wr->ex.invalidate_rkey);
	PROVE(!e.status && e.kind == MODEL_REQ_LOCAL);
	expect_head(&e.wqe, wr, reg ? XRDMA_OP_REG_MR : XRDMA_OP_LOCAL_INV,
		    false);
	PROVE(local_opcode == e.wqe.opcode);
	PROVE(local_key == (reg ? any.key : wr->ex.invalidate_rkey));
	if (!reg)
		return;
	PROVE(registered.iova == seg.iova && registered.length == seg.length);
	PROVE(registered.root == seg.root && registered.offset == seg.offset);
	PROVE(le32_to_cpu(registered.access) == (any.access & 0xffff));
}

bool model_av_ok(const struct model_device *dev, const struct xrdma_av *av)
{
	PROVE(dev == device_qp.dev && av == (void *)(entry.bytes + 32));
	return true;
}

u32 model_port_path_mtu(const struct model_device *dev)
{
	PROVE(dev == device_qp.dev);
	return 4096;
}

/*
 * Theorem: The device finds in the entry of each datagram that the driver accepts
 *	the operation, the flags, the immediate data, the work request ID, the
 *	destination, the Q_Key and the address vector of the request, and its
 *	scatter-gather entries or inline data behind the address vector.
 * Holds for: all requests, with lists of 0 to 3 entries of any addresses, lengths
 *	and keys; datagram queue pairs with entries of 128 bytes.
 * Assumes: the datagram has at most 4096 bytes; the device accepts the address
 *	vector; as messages_are_taken_up.
 */
static void datagrams_are_understood(void)
{
	struct ib_ud_wr any;
	const struct ib_send_wr *wr = &any.wr;
	bool inlined = wr->send_flags & 8;
	struct datagram d;
	struct xrdma_ah ah;
	u32 i = nondet_u32();
	u64 length;
	u8 opcode;

	any_qp(XRDMA_QP_UD, sizeof(struct xrdma_sq_wqe) + sizeof(ah.av));
	length = any_list(&any.wr);
	any.ah = &ah.ibah;
	ASSUME(length <= 4096);
	ASSUME(!xrdma_make_send(&qp, &entry.send, wr));
	opcode = opcode_of(wr->opcode);
	REACHABLE(inlined && wr->num_sge == 3);
	REACHABLE(opcode == XRDMA_OP_SEND_IMM && wr->num_sge == 3);
	PROVE(!parse(&device_qp, &entry.send, &d));
	expect_head(d.wqe, wr, opcode, inlined);
	PROVE(opcode == XRDMA_OP_SEND || opcode == XRDMA_OP_SEND_IMM);
	PROVE(d.wqe->imm == (opcode == XRDMA_OP_SEND ? 0 : wr->ex.imm_data));
	PROVE(le32_to_cpu(d.wqe->dqpn) == any.remote_qpn);
	PROVE(le32_to_cpu(d.wqe->qkey) == any.remote_qkey);
	PROVE(!d.wqe->rkey && !d.wqe->ext && d.len == length);
	PROVE((const u8 *)d.sgl.sge == entry.bytes + 64);
	PROVE(inlined ? copied == length : d.sgl.num == wr->num_sge);
	ASSUME(i < sizeof(ah.av));
	PROVE(entry.bytes[32 + i] == ((const u8 *)&ah.av)[i]);
	ASSUME(!inlined && i < d.sgl.num && i < SGE_MAX);
	PROVE(le64_to_cpu(d.sgl.sge[i].addr) == list[i].addr);
	PROVE(le32_to_cpu(d.sgl.sge[i].length) == list[i].length);
	PROVE(le32_to_cpu(d.sgl.sge[i].lkey) == list[i].lkey);
}

/*
 * Theorem: The device accepts each receive entry that the driver writes, and finds in
 *	it the work request ID and exactly the scatter-gather entries of the
 *	request.
 * Holds for: lists of 0 to 3 entries of any addresses, lengths and keys; entries of
 *	128 bytes.
 * Assumes: the caller accepts the number of entries, as wqe.c says.
 */
static void receives_are_understood(void)
{
	const struct xrdma_sge *sge = (const void *)(&entry.recv + 1);
	u64 wr_id = nondet_u64();
	u32 i = nondet_u32();
	struct ib_send_wr any;
	struct ib_recv_wr wr;

	any_qp(XRDMA_QP_RC, sizeof(struct xrdma_rq_wqe));
	any_list(&any);
	wr.sg_list = list;
	wr.num_sge = any.num_sge;
	xrdma_make_recv(&entry.recv, &wr, wr_id);
	REACHABLE(wr.num_sge == 3 && list[2].length);
	PROVE(rq_wqe_ok(&device_qp, &entry.recv));
	PROVE(le64_to_cpu(entry.recv.wr_id) == wr_id);
	PROVE(le16_to_cpu(entry.recv.num_sge) == wr.num_sge);
	ASSUME(i < SGE_MAX && (int)i < wr.num_sge);
	PROVE(le64_to_cpu(sge[i].addr) == list[i].addr);
	PROVE(le32_to_cpu(sge[i].length) == list[i].length);
	PROVE(le32_to_cpu(sge[i].lkey) == list[i].lkey);
}
