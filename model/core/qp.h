/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs: objects, states, work queues, doorbells, completions.
 *
 * Owns what all types have in common. What a type does with its work queues is
 * behind struct xrdma_qp_ops, which folder transport/ implements.
 *
 * Indexes are free-running, modulo 2^32. Everything in a work queue may change
 * at any time, so it is copied once and only the copy is believed.
 */
#ifndef XRDMA_MODEL_QP_H
#define XRDMA_MODEL_QP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "core/cc.h"
#include "core/wq.h"
#include "core/xlat.h"
#include "xrdma_hw.h"

struct xrdma_counter_set;
struct xrdma_cq;
struct xrdma_device;
struct xrdma_qp;
struct xrdma_qp_transport;
struct xrdma_srq;

#define XRDMA_NUM_QP_TYPES		(XRDMA_QP_RAW + 1)
#define XRDMA_MAX_QP			65536
#define XRDMA_MAX_PD			65536
#define XRDMA_MAX_XRCD			0x1000000
#define XRDMA_QPN_FIRST			2 /* 0 and 1 are reserved */
#define XRDMA_QPN_GSI			1
#define XRDMA_QP_LOG_WR_MAX		15
#define XRDMA_SQ_LOG_STRIDE_MIN		6
#define XRDMA_RQ_LOG_STRIDE_MIN		5
#define XRDMA_LOG_STRIDE_MAX		10
#define XRDMA_WQE_MAX			1024 /* of a stride */
#define XRDMA_MAX_SGE			30
#define XRDMA_MAX_INLINE		512
#define XRDMA_MAX_RD_ATOMIC		16

/**
 * struct xrdma_qp_ops - what a type of queue pair does; the transport's part
 * @init: the queue pair is new, or back in RESET: requester and responder
 *	start afresh. May allocate; 0 or -ENOMEM.
 * @modify: attributes in @mask (XRDMA_QPM_*) have just been set, or the state
 *	changed from @old to xrdma_qp.state. Not called for ERR and RESET.
 * @stop: on the way to ERR, SQE, RESET or destruction: cancel timers, forget
 *	what is in progress. No work queue entry is touched by it; the core
 *	completes them. @sq_only: SQE: the responder goes on.
 * @destroy: after @stop: free what @init allocated; for good, or because the
 *	queue pair goes to RESET and @init follows
 * @run: do a bounded amount of work, on [its own next index, sq.pi). True if
 *	there was any, or it waits for room on the wire: nobody would wake it.
 *	Called each turn while the queue pair is active; in RTS, and in SQD,
 *	where no new entry may be started.
 * @idle: true if no send entry is in progress (for SQ_DRAINED)
 * @query: fill in sq_psn and rq_psn as they are now
 */
struct xrdma_qp_ops {
	int (*init)(struct xrdma_qp *qp);
	void (*modify)(struct xrdma_qp *qp, u32 mask, u8 old);
	void (*stop)(struct xrdma_qp *qp, bool sq_only);
	void (*destroy)(struct xrdma_qp *qp);
	bool (*run)(struct xrdma_qp *qp);
	bool (*idle)(const struct xrdma_qp *qp);
	void (*query)(const struct xrdma_qp *qp, struct xrdma_qp_attr *attr);
};

/**
 * struct xrdma_qp - queue pair
 * @dev: the device
 * @ops: what its type does
 * @qpn: number
 * @pd: protection domain
 * @db_page: doorbell page that may ring it
 * @type: enum xrdma_qp_type
 * @flags: XRDMA_QP_* of CREATE_QP
 * @state: enum xrdma_qp_state
 * @attr: attributes as MODIFY_QP set them; its state, and PSNs as they move on,
 *	are elsewhere
 * @xrcd: XRC domain, of XRC_TGT
 * @send_cq: completions of the send queue; NULL if there is none
 * @recv_cq: completions of receives; NULL if there are none, or those of XRC
 * @srq: where its receives come from, if it has no ring for them; of XRC_TGT:
 *	that of the last request, or NULL
 * @taken: an entry of @srq has been taken and is not complete
 * @taken_wr_id: of that entry
 * @windows: of type 2A, bound on it
 * @groups: multicast groups it is attached to
 * @counters: counter set, or NULL
 * @named: flow rules, and entries of RSS tables, that name it
 * @sq: send queue
 * @rq: receive queue
 * @rec: its struct xrdma_qp_rec
 * @active: it is on xrdma_device.active: the device polls it
 * @link: its place there
 * @on_errors: it is on xrdma_device.errors: what is posted is flushed
 * @error_link: its place there
 * @broken: its work queues are corrupt or out of reach: not even flushed
 * @stalled: XRDMA_ETH_FAULT_STALL has struck
 * @last_work_ns: when it was last found with work
 * @comm_est: the event COMM_EST has been raised
 * @drained: the event SQ_DRAINED has been raised, or was not asked for
 * @cc: congestion control
 * @tp: what the transport keeps of it; see transport/conn.h
 */
struct xrdma_qp {
	struct xrdma_device *dev;
	const struct xrdma_qp_ops *ops;
	u32 qpn;
	u32 pd;
	u32 db_page;
	u8 type;
	u8 flags;
	u8 state;
	struct xrdma_qp_attr attr;
	struct xrdma_cq *send_cq;
	struct xrdma_cq *recv_cq;
	u32 xrcd;
	struct xrdma_srq *srq;
	bool taken;
	__le64 taken_wr_id;
	u32 windows;
	u32 groups;
	u32 named;
	struct xrdma_counter_set *counters;
	struct xrdma_wq sq;
	struct xrdma_wq rq;
	struct xrdma_mem rec;
	bool active;
	bool on_errors;
	bool broken;
	bool stalled;
	TAILQ_ENTRY(xrdma_qp) link;
	TAILQ_ENTRY(xrdma_qp) error_link;
	u64 last_work_ns;
	bool comm_est;
	bool drained;
	struct xrdma_cc_state cc;
	struct xrdma_qp_transport *tp;
};

TAILQ_HEAD(xrdma_qp_list, xrdma_qp);

/* Bytes of payload in a full packet. */
static inline u32 xrdma_qp_mtu(const struct xrdma_qp *qp)
{
	return 128U << qp->attr.path_mtu;
}

/**
 * struct xrdma_recv_done - how a receive ended
 * @status: enum xrdma_wc_status
 * @opcode: XRDMA_OP_RECV or XRDMA_OP_RECV_WRITE_IMM
 * @flags: XRDMA_CQE_IMM, _INV, _GRH, _SOLICITED, _VLAN, _IPV4
 * @wr_id: of the receive entry, as it stands there
 * @byte_len: bytes received
 * @imm: with XRDMA_CQE_IMM, as on the wire
 * @inv_key: with XRDMA_CQE_INV
 * @src_qpn: of a datagram
 * @vendor_err: enum xrdma_fault_reason
 * @smac: of a datagram
 * @vlan_tci: of a datagram
 * @sl: of a datagram
 */
struct xrdma_recv_done {
	u8 status;
	u8 opcode;
	u16 flags;
	__le64 wr_id;
	u32 byte_len;
	__be32 imm;
	u32 inv_key;
	u32 src_qpn;
	u16 vendor_err;
	u8 smac[6];
	u16 vlan_tci;
	u8 sl;
};

/* qp.c: objects */
enum xrdma_cmd_status xrdma_qp_create(struct xrdma_device *dev,
				      const struct xrdma_cmd_create_qp *p);
enum xrdma_cmd_status xrdma_qp_destroy(struct xrdma_device *dev, u32 qpn);
void xrdma_qps_srq_gone(struct xrdma_device *dev, const struct xrdma_srq *srq);
void xrdma_qps_reset(struct xrdma_device *dev);

/* qp_modify.c: states and attributes */
enum xrdma_cmd_status xrdma_qp_modify(struct xrdma_device *dev,
				      const struct xrdma_cmd_modify_qp *p);
enum xrdma_cmd_status xrdma_qp_query(struct xrdma_device *dev, u32 qpn,
				     struct xrdma_rsp_query_qp *rsp);
bool xrdma_av_ok(const struct xrdma_device *dev, const struct xrdma_av *av);
void xrdma_qp_comm_est(struct xrdma_qp *qp);

/* wq.c: work queues in the memory of the consumer */
int xrdma_wq_fetch(struct xrdma_qp *qp, struct xrdma_wq *wq);
int xrdma_wq_read(struct xrdma_qp *qp, struct xrdma_wq *wq, u32 index,
		  void *buf, size_t len);

/* completion.c */
void xrdma_qp_push_send(struct xrdma_qp *qp, u32 index,
			const struct xrdma_sq_wqe *wqe, u8 status,
			u16 vendor_err, u32 byte_len);
void xrdma_qp_complete_send(struct xrdma_qp *qp, u32 index,
			    const struct xrdma_sq_wqe *wqe, u32 byte_len);
void xrdma_qp_complete_recv(struct xrdma_qp *qp,
			    const struct xrdma_recv_done *done);

/* qp_error.c: the ways into the error states, and flushing */
int xrdma_qp_fetch(struct xrdma_qp *qp, struct xrdma_wq *wq);
void xrdma_qp_quiesce(struct xrdma_qp *qp);
void xrdma_qp_stop_flushing(struct xrdma_qp *qp);
bool xrdma_qp_flush(struct xrdma_qp *qp);
void xrdma_qp_enter_error(struct xrdma_qp *qp, u8 event);
void xrdma_qp_error(struct xrdma_qp *qp, u8 event);
void xrdma_qp_sq_error(struct xrdma_qp *qp);
void xrdma_qps_cq_died(struct xrdma_device *dev, const struct xrdma_cq *cq);

/* qp_queue.c: entries of work queues; a bad one ends in an error state */
int xrdma_qp_read_sq(struct xrdma_qp *qp, u32 index, void *buf);
int xrdma_qp_read_rq(struct xrdma_qp *qp, void *buf);
void xrdma_qp_fail_send(struct xrdma_qp *qp, u32 index,
			const struct xrdma_sq_wqe *wqe, u8 status,
			u16 vendor_err);

/* active.c: queue pairs that are polled */
void xrdma_qp_activate(struct xrdma_qp *qp);
void xrdma_qp_deactivate(struct xrdma_qp *qp);

/* doorbell.c: doorbells, and turns of the queue pairs that are polled */
void xrdma_doorbell_read(struct xrdma_device *dev, u64 off, void *buf,
			 size_t len);
void xrdma_doorbell_write(struct xrdma_device *dev, u64 off, const void *buf,
			  size_t len);
bool xrdma_qps_poll(struct xrdma_device *dev);
bool xrdma_qps_park(struct xrdma_device *dev);
bool xrdma_qps_poll_errors(struct xrdma_device *dev);

#endif /* XRDMA_MODEL_QP_H */
