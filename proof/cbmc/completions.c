// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: completions for the kernel's consumers. The device
 * fills them in transport/requester_ack.c, responder_op.c and ud.c,
 * core/qp_queue.c and completion.c; the driver reads them in xrdma_poll.c and
 * xrdma_srq_post.c. All are compiled unchanged. The ring is in device_cq.c and
 * ring.c; the provider, which reads completions for a process, is in
 * completions_user.c.
 *
 * CBMC: -I proof/include -I include --unwind 3 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include <rdma/ib_verbs.h>
#include "completions.h"

static void clear(void *to, int byte, size_t len);
#define memset(to, byte, len)	clear(to, byte, len)
#include "xrdma_poll.c"
#include "xrdma_srq_post.c"
#undef complete /* of the kernel; the device has another one */

#include "core/access.h"
#include "core/mcast.h"
#include "core/port.h"
#include "core/qp_queue.c"
#include "transport/requester_ack.c"
#include "transport/responder_op.c"
#undef memcpy
static void copy_part(void *to, const void *from, size_t len);
#define memcpy(to, from, len)	copy_part(to, from, len)
#define deliver			deliver_datagram
#include "transport/ud.c"
#undef deliver
#undef memcpy
#undef memset

/* The objects of the driver */
static struct xrdma_ibdev xib;
static struct xrdma_cq cq;
static struct xrdma_srq srq;
static struct xrdma_qp qp;
static struct rb_node send_node = { .entry = &qp };
static struct rb_node recv_node = { .entry = &qp };

/* The work request IDs of what is posted */
static u64 sent[DEPTH], received[DEPTH];
static struct xrdma_srq_tag tags[DEPTH];

/* What the driver reports; a completion that it has not read; its index writes */
static struct ib_wc wc;
static int num;
static const struct xrdma_cqe *unread;
static u32 updates;

/* The transport of the queue pair, and the receive entry that it has read */
static struct model_qp_transport transport;
static struct model_resp_mem resp_mem;
static u8 entry[MODEL_WQE_MAX];

/* Bytes of the receive entry; why the device cannot access its memory, or 0 */
static u64 entry_room;
static int unreachable;

/* The driver clears a report before it fills it, the device a header. */
static void clear(void *to, int byte, size_t len)
{
	PROVE(!byte);
	if (to != &wc)
		return;
	PROVE(len == sizeof(wc));
	wc = (struct ib_wc) {};
}

/* The device copies the MAC address of a datagram, and its IP header. */
static void copy_part(void *to, const void *from, size_t len)
{
	if (len == 6)
		copy_mac(to, from, len);
}

int model_rq_read(struct model_qp *q, void *buf, size_t len)
{
	struct xrdma_rq_wqe *wqe = buf;

	PROVE(q == &device_qp);
	PROVE(len >= sizeof(*wqe));
	*wqe = (struct xrdma_rq_wqe) { .wr_id = nondet_u64() };
	return 0;
}

int model_qp_fetch(struct model_qp *q, struct model_wq *wq)
{
	(void)q;
	(void)wq;
	PROVE(!"a receive is posted");
	return 0;
}

u64 model_sgl_length(const struct model_sgl *sgl)
{
	(void)sgl;
	return entry_room;
}

int model_sgl_scatter(struct model_qp *q, const struct model_sgl *sgl, u64 off,
		      const void *buf, size_t len)
{
	PROVE(q == &device_qp && off + len <= entry_room);
	(void)sgl;
	(void)buf;
	return off ? unreachable : 0;
}

bool model_gid_in_vlan(const struct model_device *device, const u8 *gid, u16 vid)
{
	(void)device;
	(void)gid;
	(void)vid;
	return true;
}

bool model_vlan_is_local(const struct model_device *device, u16 vid)
{
	(void)device;
	(void)vid;
	return true;
}

bool model_gid_is_local(const struct model_device *device, const u8 *gid)
{
	(void)gid;
	return device == &dev;
}

/* The queue pair goes into an error state after the completion. */
void model_qp_error(struct model_qp *q, u8 event)
{
	PROVE(q == &device_qp && !event && pushed);
}

/* see model_qp_error() */
void model_qp_sq_error(struct model_qp *q)
{
	PROVE(q == &device_qp && pushed);
}

/* No theorem here is about how many packets the device sends. */
void model_pace_acked(struct model_req_pace *pace, u32 acked)
{
	PROVE(pace == &transport.req.pace);
	(void)acked;
}

void model_answer_fatal(struct model_qp *q, u8 nak, u8 event, u32 psn)
{
	PROVE(q == &device_qp && nak <= MODEL_NAK_OPERATION);
	(void)event;
	(void)psn;
}

__printf(2, 3) void xrdma_fatal(struct xrdma_dev *xdev, const char *fmt, ...)
{
	(void)xdev;
	(void)fmt;
	PROVE(!"the driver declares the device dead");
}

int xrdma_flush_poll(struct xrdma_cq *queue, int entries, struct ib_wc *out)
{
	(void)queue;
	(void)entries;
	(void)out;
	PROVE(!"the driver completes requests of a dead device");
	return 0;
}

/* The ring of the completion queue: the driver copies the completion. */
bool xrdma_cq_read(struct xrdma_cq *queue, struct xrdma_cqe *cqe)
{
	PROVE(queue == &cq);
	if (!unread)
		return false;
	*cqe = *unread;
	unread = NULL;
	return true;
}

void xrdma_cq_update_ci(struct xrdma_cq *queue)
{
	PROVE(queue == &cq && !unread);
	updates++;
}

static void poll_host(const struct xrdma_cqe *cqe)
{
	unread = cqe;
	num = xrdma_poll_cq(&cq.ibcq, 1, &wc);
}

/*
 * A queue pair in driver and device, and the rings of its work requests. At least
 * one receive is posted.
 */
static void any_queues(bool has_srq)
{
	any_device(has_srq);
	__CPROVER_havoc_object(sent);
	__CPROVER_havoc_object(received);
	__CPROVER_havoc_object(tags);
	device_qp.tp = &transport;
	transport.recv = entry;
	transport.resp.mem = &resp_mem;
	cq.ibcq.device = &xib.ibdev;
	cq.ci = nondet_u32();
	cq.send_qps.rb_node = &send_node;
	cq.recv_qps.rb_node = &recv_node;
	qp.qpn = device_qp.qpn;
	qp.ibqp.srq = has_srq ? &srq.ibsrq : NULL;
	qp.sq.wr_id = sent;
	qp.rq.wr_id = received;
	qp.sq.log_depth = LOG_DEPTH;
	qp.rq.log_depth = LOG_DEPTH;
	qp.sq.done = nondet_u32();
	qp.rq.done = nondet_u32();
	qp.sq.pi = nondet_u32();
	qp.rq.pi = nondet_u32();
	ASSUME(qp.sq.pi - qp.sq.done <= DEPTH);
	ASSUME(qp.rq.pi - qp.rq.done <= DEPTH && qp.rq.pi != qp.rq.done);
	device_qp.rq.ci = qp.rq.done;
	device_qp.rq.pi = qp.rq.pi;
	device_qp.rq.log_stride = 5;
	device_srq.wq.log_stride = 5;
	srq.tags = tags;
	srq.rq.log_depth = LOG_DEPTH;
	srq.free_tag = nondet_u8();
}

/* The driver reports one completion, of a request of the queue pair. */
static void expect_one(u8 status, u16 reason)
{
	PROVE(num == 1 && pushed == 1 && updates == 1 && !unread);
	PROVE(wc.qp == &qp.ibqp && wc.port_num == 1 && !wc.pkey_index);
	PROVE((int)wc.status == status && wc.vendor_err == reason);
}

/*
 * The report has the work request ID of the oldest receive, or of the one that the
 * device has taken of the shared receive queue; the consumer may post another one.
 * @done: index of the oldest receive; @tag: number that the taken entry has
 */
static void expect_receive(u32 done, u8 tag)
{
	if (!qp.ibqp.srq) {
		PROVE(wc.wr_id == received[done % DEPTH]);
		PROVE(qp.rq.ci == done + 1 && device_qp.rq.ci == done + 1);
	} else {
		PROVE(wc.wr_id == tags[tag].wr_id && srq.free_tag == tag);
		PROVE(!tags[tag].posted && qp.rq.done == done);
		PROVE(device_qp.rq.ci == done);
	}
}

/*
 * Theorem: The driver reports a send that succeeds exactly if it is signaled, or if
 *	all sends of the queue pair are, with the work request ID of the request
 *	at the index that the device has completed, with its operation, and, for
 *	a READ or an atomic operation, with its length; the report names nothing
 *	that only receives have. The consumer may overwrite this entry and all
 *	before it.
 * Holds for: all operations, lengths and indexes; rings of 16 entries.
 * Assumes: the entry is posted and not completed.
 */
static void sends_arrive(void)
{
	u32 index = nondet_u32();
	struct model_req_entry e;
	bool signaled;

	any_queues(false);
	device_qp.flags = nondet_u8();
	device_qp.sq.ci = index;
	ASSUME(index - qp.sq.done < qp.sq.pi - qp.sq.done);
	ASSUME(e.wqe.opcode >= 1 && e.wqe.opcode <= 13);
	signaled = e.wqe.flags & 1 || device_qp.flags & XRDMA_QP_SQ_SIG_ALL;
	complete(&device_qp, &e);
	REACHABLE(num == 1 && index == 0xffffffff);
	REACHABLE(num == 1 && index % 0x10000 == 0x8765 && wc.byte_len);
	REACHABLE(!num);
	PROVE(device_qp.sq.ci == index + 1);
	PROVE(pushed == signaled && num == signaled);
	if (!num)
		return;
	expect_one(0, 0);
	PROVE(wc.wr_id == sent[index % DEPTH]);
	PROVE((int)wc.opcode == wc_opcode(e.wqe.opcode));
	PROVE(wc.byte_len == e.length || (e.kind != MODEL_REQ_READ &&
					  e.kind != MODEL_REQ_ATOMIC));
	PROVE(!wc.wc_flags && !wc.sl);
	PROVE(qp.sq.ci == index + 1 && qp.sq.done == index + 1);
}

/*
 * Theorem: The driver reports each send that fails, signaled or not, with its work
 *	request ID and operation, and with the status, and the reason of a
 *	refused access, with which the device has completed it.
 * Holds for: all operations, states, reasons, types of queue pairs and indexes;
 *	rings of 16 entries.
 * Assumes: the entry is posted and not completed; the status is one that the
 *	specification has.
 */
static void failed_sends_arrive(void)
{
	u32 index = nondet_u32();
	u16 reason = nondet_u16();
	u8 status = nondet_u8();
	struct xrdma_sq_wqe wqe;

	any_queues(false);
	device_qp.type = nondet_u8();
	device_qp.sq.ci = index;
	ASSUME(index - qp.sq.done < qp.sq.pi - qp.sq.done);
	ASSUME(wqe.opcode >= 1 && wqe.opcode <= 13);
	ASSUME(status && is_status(status));
	model_qp_fail_send(&device_qp, &wqe, status, reason);
	REACHABLE(status == 21 && reason == 14 && index == 0xffffffff);
	expect_one(status, reason);
	PROVE(wc.wr_id == sent[index % DEPTH]);
	PROVE((int)wc.opcode == wc_opcode(wqe.opcode));
	PROVE(qp.sq.ci == index + 1 && device_qp.sq.ci == index + 1);
}

/* The last packet of a message completes a receive, which the driver reports. */
static void message_arrives(bool has_srq)
{
	struct xrdma_rq_wqe *wqe = (void *)resp_mem.recv;
	u8 tag = nondet_u8(), opcode = nondet_truth() ? 128 : 129;
	struct model_pkt pkt;
	bool imm, inv;
	u32 done;

	any_queues(has_srq);
	done = qp.rq.done;
	ASSUME(tag < DEPTH);
	tags[tag].posted = true;
	wqe->wr_id = has_srq ? cpu_to_le64(tag) : nondet_u64();
	transport.resp.received = nondet_u32();
	device_qp.attr.dest_qpn = nondet_u32();
	imm = pkt.op.hdrs & MODEL_HDR_IMM;
	inv = pkt.op.hdrs & MODEL_HDR_IETH;
	ASSUME(!imm || !inv);
	pkt.solicited = nondet_truth();
	model_responder_done(&device_qp, &pkt, opcode);
	REACHABLE(imm && opcode == 129 && tag == 15);
	REACHABLE(inv && done == 0xffffffff);
	expect_one(0, 0);
	expect_receive(done, tag);
	PROVE((int)wc.opcode == wc_opcode(opcode));
	PROVE(wc.byte_len == transport.resp.received);
	PROVE(wc.wc_flags == (imm ? 1 << 1 : 0) + (inv ? 1 << 2 : 0));
	PROVE(!imm || wc.ex.imm_data == pkt.imm);
	PROVE(!inv || wc.ex.invalidate_rkey == pkt.inv_rkey);
}

/*
 * Theorem: The driver reports each message that a connection has received with the
 *	work request ID of the oldest receive, its number of bytes, whether it was
 *	a WRITE, and its immediate data or the key that it has invalidated, if
 *	the last packet has one; it reports no network header.
 * Holds for: all packets and lengths; rings of 16 entries.
 * Assumes: a receive is posted; no packet has both immediate data and a key.
 */
static void messages_arrive(void)
{
	message_arrives(false);
}

/*
 * Theorem: The same as messages_arrive, for a queue pair with a shared receive queue:
 *	the work request ID is that of the receive that the device has taken, and
 *	the consumer may post another one in its place.
 * Form: long
 * Solver: cadical
 * Holds for: as messages_arrive.
 * Assumes: as messages_arrive.
 */
static void shared_messages_arrive(void)
{
	message_arrives(true);
}

/*
 * Theorem: The driver reports a receive that fails on a connection with its work
 *	request ID, and with the status, and the reason of a refused access,
 *	with which the device has completed it.
 * Holds for: all states and reasons; rings of 16 entries.
 * Assumes: a receive is posted; the status is one that the specification has.
 */
static void failed_receives_arrive(void)
{
	struct xrdma_rq_wqe *wqe = (void *)resp_mem.recv;
	u8 status = nondet_u8(), tag = nondet_u8();
	bool has_srq = nondet_truth();
	u16 reason = nondet_u16();
	struct model_pkt pkt;
	u32 done;

	any_queues(has_srq);
	done = qp.rq.done;
	ASSUME(status && is_status(status) && tag < DEPTH);
	tags[tag].posted = true;
	wqe->wr_id = has_srq ? cpu_to_le64(tag) : nondet_u64();
	PROVE(!recv_failed(&device_qp, &pkt, status, reason));
	PROVE(resp_mem.have_failed_recv && !pushed);
	/* as answer.c does after the NAK */
	model_qp_complete_recv(&device_qp, &resp_mem.failed_recv);
	REACHABLE(has_srq && status == 8 && reason == 14);
	expect_one(status, reason);
	expect_receive(done, tag);
	PROVE((int)wc.opcode == wc_opcode(128) && !wc.wc_flags);
}

/*
 * Theorem: The driver reports each datagram that the device accepts with the work
 *	request ID of the oldest receive, 40 bytes more than the datagram has,
 *	the queue pair and the MAC address of the sender, the version of IP, the
 *	immediate data if there are any, and the VLAN and the priority of its
 *	tag; without a tag, no VLAN and priority 0. A datagram that is longer
 *	than the memory of the receive completes with LOC_LEN_ERR, one whose
 *	memory cannot be accessed with LOC_PROT_ERR and the reason.
 * Form: long
 * Solver: cadical
 * Holds for: all datagrams of up to 4096 bytes; rings of 16 entries.
 * Assumes: a receive is posted; the datagram has the Q_Key of the queue pair; no
 *	translation misses.
 */
static void datagrams_arrive(void)
{
	u32 done, i = nondet_u32();
	static u8 frame[16];
	struct model_net net;
	struct model_pkt pkt;
	typeof(frame) any;
	bool imm, vlan;
	u8 status;

	any_queues(false);
	done = qp.rq.done;
	memcpy(frame, any, sizeof(frame));
	net.frame = frame;
	net.is_ipv4 = nondet_truth();
	net.has_vlan = nondet_truth();
	net.l3 = 14;
	net.l4 = net.is_ipv4 ? 34 : 54;
	pkt.solicited = nondet_truth();
	entry_room = nondet_u64();
	unreachable = nondet_u8();
	device_qp.type = XRDMA_QP_UD;
	device_qp.state = XRDMA_QPS_RTS;
	ASSUME(pkt.len <= 4096 && pkt.qkey == device_qp.attr.qkey);
	imm = pkt.op.hdrs & MODEL_HDR_IMM;
	vlan = net.has_vlan && net.vlan_tci % 0x1000;
	status = entry_room < 40 + pkt.len ? 1 : unreachable ? 4 : 0;
	PROVE(model_ud_receive(&device_qp, &net, &pkt) == MODEL_RX_OK);
	REACHABLE(!status && imm && net.is_ipv4 && wc.sl == 7);
	REACHABLE(status == 4);
	expect_one(status, status == 4 ? unreachable : 0);
	expect_receive(done, 0);
	PROVE((int)wc.opcode == wc_opcode(128));
	if (status)
		return;
	PROVE(wc.byte_len == 40 + pkt.len && wc.src_qp == pkt.sqpn);
	PROVE(wc.wc_flags == 1 + (imm ? 1 << 1 : 0) + (1 << 4) +
			     (vlan ? 1 << 5 : 0) + (1 << 6));
	PROVE(!imm || wc.ex.imm_data == pkt.imm);
	PROVE(wc.network_hdr_type == (net.is_ipv4 ? RDMA_NETWORK_IPV4 :
						    RDMA_NETWORK_IPV6));
	PROVE(i >= 6 || wc.smac[i] == frame[6 + i]);
	PROVE(wc.vlan_id == (net.has_vlan ? net.vlan_tci % 0x1000 : 0));
	PROVE(wc.sl == (net.has_vlan ? net.vlan_tci / 0x2000 : 0));
}
