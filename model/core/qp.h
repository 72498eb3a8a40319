/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs: objects, states, work queues, doorbells, completions.
 *
 * The core implements the parts that are common to all types of queue pairs.
 * Folder transport/ implements struct model_qp_ops, which executes the work
 * queue entries of each type.
 *
 * Indexes are free-running, modulo 2^32. The host may change a work queue
 * at any time, so the device copies an entry once and uses only the copy.
 */
#ifndef MODEL_QP_H
#define MODEL_QP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <rdma/xrdma-ring.h>
#include <sys/queue.h>

#include "core/cc.h"
#include "core/pager.h"
#include "core/push.h"
#include "core/wq.h"
#include "core/xlat.h"
#include "wire/room.h"
#include "xrdma_hw.h"

struct model_counter_set;
struct model_cq;
struct model_device;
struct model_qp;
struct model_qp_transport;
struct model_srq;

#define MODEL_NUM_QP_TYPES		(XRDMA_QP_RAW + 1)
#define MODEL_MAX_QP			65536
#define MODEL_MAX_PD			65536
#define MODEL_QP_LOG_WR_MAX		15
#define MODEL_WQE_MAX			BIT(XRDMA_LOG_STRIDE_MAX)
#define MODEL_MAX_SGE			30
#define MODEL_MAX_INLINE		512
#define MODEL_MAX_RD_ATOMIC		16

/**
 * struct model_qp_ops - functions of the transport for a type of queue pair
 * @init: initialize requester and responder of a queue pair that is new or back
 *	in RESET; may allocate; return 0 or -ENOMEM
 * @modify: called when attributes in @mask (XRDMA_QPM_*) have been set, or the
 *	state has changed from @old to model_qp.state; not called for ERR and
 *	RESET
 * @stop: called before ERR, SQE, RESET or destruction: cancel timers, discard
 *	operations in progress. Does not access work queue entries; the core
 *	completes them. @sq_only: for SQE; stop only the requester.
 * @destroy: called after @stop: free the memory that @init allocated. @init
 *	follows if the queue pair goes to RESET.
 * @run: do a bounded amount of work on the entries from the next index of the
 *	requester to sq.pi. Return true if work was done. Called each turn while
 *	the queue pair is active; in RTS, and in SQD, where no new entry may be
 *	started. A requester that waits for room on the wire deactivates its queue
 *	pair.
 * @resume: called when a wait for a page has ended: repeat the access, but not
 *	before this call has returned
 * @idle: return true if no send entry is in progress (for SQ_DRAINED)
 * @query: fill in the present values of sq_psn and rq_psn
 */
struct model_qp_ops {
	int (*init)(struct model_qp *qp);
	void (*modify)(struct model_qp *qp, u32 mask, u8 old);
	void (*stop)(struct model_qp *qp, bool sq_only);
	void (*destroy)(struct model_qp *qp);
	bool (*run)(struct model_qp *qp);
	void (*resume)(struct model_qp *qp, enum model_wait_side side);
	bool (*idle)(const struct model_qp *qp);
	void (*query)(const struct model_qp *qp, struct xrdma_qp_attr *attr);
};

/**
 * struct model_qp - queue pair
 * @dev: the device
 * @ops: functions of the transport for @type
 * @qpn: number of the queue pair
 * @pd: protection domain
 * @db_page: number of the doorbell page that may ring the queue pair
 * @type: enum xrdma_qp_type
 * @flags: XRDMA_QP_* of CREATE_QP
 * @state: enum xrdma_qp_state
 * @attr: attributes as MODIFY_QP set them; the present state is @state, the
 *	present PSNs are in @tp
 * @xrcd: XRC domain; only for XRC_TGT
 * @send_cq: CQ for completions of sends; NULL without send queue
 * @recv_cq: CQ for completions of receives; NULL for XRC queue pairs
 * @send_link: link of model_cq.senders; only with @send_cq
 * @recv_link: link of model_cq.receivers; only with @recv_cq
 * @srq: shared receive queue, or NULL; for XRC_TGT:
 *	SRQ of the last request, or NULL
 * @srq_link: link of model_srq.qps; only with @srq
 * @taken: an entry of @srq has been taken and is not complete
 * @taken_wr_id: work request ID of that entry
 * @windows: number of windows of type 2A bound on the queue pair
 * @groups: number of multicast groups to which the queue pair is attached
 * @counters: counter set, or NULL
 * @steer_users: number of flow rules, and entries of RSS tables, that name the
 *	queue pair
 * @blocked_ns: of a queue pair of the port: time since which a frame waits for a
 *	receive entry, or waited in vain; 0: the last frame had an entry
 * @sent_ns: of a raw packet queue pair: time at which the last frame was given
 *	to the wire; 0: no frame was
 * @rung_pi: producer index of @sq in the last doorbell; with shadow doorbells the
 *	host may have skipped later ones
 * @pushed: entry of @sq that the host has pushed last
 * @sq: send queue
 * @rq: receive queue
 * @rec: struct xrdma_qp_rec of the queue pair
 * @active: the queue pair is on model_device.active: the device polls it
 * @link: link of model_device.active
 * @on_errors: the queue pair is on model_device.errors: posted entries are
 *	flushed
 * @error_link: link of model_device.errors
 * @broken: the work queues are corrupt or out of reach, and are not flushed
 * @stalled: MODEL_ETH_FAULT_STALL has happened
 * @last_work_ns: time when the queue pair last had work
 * @comm_est: the event COMM_EST has been raised
 * @drained: the event SQ_DRAINED has been raised, or was not requested
 * @cc: congestion control
 * @waiters: parts of the queue pair that can wait for a page, by
 *	enum model_wait_side
 * @rooms: parts of the queue pair that can wait for room on the wire, by
 *	enum model_wait_side; used by the transport
 * @tp: state of the transport; see transport/conn.h
 */
struct model_qp {
	struct model_device *dev;
	const struct model_qp_ops *ops;
	u32 qpn;
	u32 pd;
	u32 db_page;
	u8 type;
	u8 flags;
	u8 state;
	struct xrdma_qp_attr attr;
	struct model_cq *send_cq;
	struct model_cq *recv_cq;
	TAILQ_ENTRY(model_qp) send_link;
	TAILQ_ENTRY(model_qp) recv_link;
	u32 xrcd;
	struct model_srq *srq;
	TAILQ_ENTRY(model_qp) srq_link;
	bool taken;
	__le64 taken_wr_id;
	u32 windows;
	u32 groups;
	u32 steer_users;
	u64 blocked_ns;
	u64 sent_ns;
	struct model_counter_set *counters;
	u32 rung_pi;
	struct model_pushed pushed;
	struct model_wq sq;
	struct model_wq rq;
	struct model_mem rec;
	bool active;
	bool on_errors;
	bool broken;
	bool stalled;
	TAILQ_ENTRY(model_qp) link;
	TAILQ_ENTRY(model_qp) error_link;
	u64 last_work_ns;
	bool comm_est;
	bool drained;
	struct model_cc_state cc;
	struct model_waiter waiters[MODEL_WAIT_SIDES];
	struct model_room_waiter rooms[MODEL_WAIT_SIDES];
	struct model_qp_transport *tp;
};

TAILQ_HEAD(model_qp_list, model_qp);

/* Whether a part of a queue pair waits for a page. */
static inline bool model_qp_waits(const struct model_qp *qp,
				  enum model_wait_side side)
{
	return qp->waiters[side].waiting;
}

/* Bytes of a path MTU, which is 1 to 5. */
static inline u32 model_path_mtu(u8 code)
{
	return 128U << code;
}

/* Bytes of payload in a full packet. */
static inline u32 model_qp_mtu(const struct model_qp *qp)
{
	return model_path_mtu(qp->attr.path_mtu);
}

/**
 * struct model_recv_done - result of a receive
 * @status: enum xrdma_wc_status
 * @opcode: XRDMA_OP_RECV or XRDMA_OP_RECV_WRITE_IMM
 * @flags: XRDMA_CQE_IMM, _INV, _GRH, _SOLICITED, _VLAN, _IPV4, _CSUM, _GRO
 * @wr_id: work request ID of the receive entry
 * @byte_len: bytes received
 * @imm: immediate data, big-endian; with XRDMA_CQE_IMM
 * @inv_key: invalidated key; with XRDMA_CQE_INV
 * @src_qpn: number of the source queue pair of a datagram
 * @vendor_err: enum xrdma_fault_reason
 * @smac: source MAC address of a datagram
 * @vlan_tci: VLAN tag of a datagram
 * @mss: bytes of TCP payload in each of several frames; with XRDMA_CQE_GRO
 * @sl: service level of a datagram
 * @taken_ns: of a frame: time at which the device took it from the wire; else 0
 */
struct model_recv_done {
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
	u16 mss;
	u8 sl;
	u64 taken_ns;
};

/* qp.c: objects */
enum xrdma_cmd_status model_qp_create(struct model_device *dev,
				      const struct xrdma_cmd_create_qp *p);
enum xrdma_cmd_status model_qp_destroy(struct model_device *dev, u32 qpn);
void model_qp_set_srq(struct model_qp *qp, struct model_srq *srq);
void model_qps_forget_srq(struct model_srq *srq);
void model_qps_reset(struct model_device *dev);

/* qp_modify.c: states and attributes */
enum xrdma_cmd_status model_qp_modify(struct model_device *dev,
				      const struct xrdma_cmd_modify_qp *p);
bool model_qp_path_mtu_lowered(const struct model_device *dev,
			       const struct xrdma_cmd_modify_qp *p);
enum xrdma_cmd_status model_qp_query(struct model_device *dev, u32 qpn,
				     struct xrdma_rsp_query_qp *rsp);
bool model_av_ok(const struct model_device *dev, const struct xrdma_av *av);
void model_qp_comm_est(struct model_qp *qp);

/* wq.c: work queues in the memory of the consumer */
int model_wq_fetch(struct model_qp *qp, struct model_wq *wq);
int model_rq_read(struct model_qp *qp, void *buf, size_t len);
int model_sq_read(struct model_qp *qp, u32 place, void *buf, size_t len);
u32 model_sq_bytes(const struct model_qp *qp, const struct xrdma_sq_wqe *wqe);
u32 model_sq_next(const struct model_qp *qp, u32 place,
		  const struct xrdma_sq_wqe *wqe);
void model_sq_pass(struct model_qp *qp, const struct xrdma_sq_wqe *wqe);

/* completion.c */
void model_qp_push_send(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
			u8 status, u16 vendor_err, u32 byte_len);
void model_qp_complete_send(struct model_qp *qp,
			    const struct xrdma_sq_wqe *wqe, u32 byte_len);
void model_qp_complete_recv(struct model_qp *qp,
			    const struct model_recv_done *done);

/* qp_error.c: transitions to the error states, and flushing */
int model_qp_fetch(struct model_qp *qp, struct model_wq *wq);
void model_qp_quiesce(struct model_qp *qp);
void model_qp_stop_flushing(struct model_qp *qp);
bool model_qp_flush(struct model_qp *qp);
void model_qp_enter_error(struct model_qp *qp, u8 event);
void model_qp_error(struct model_qp *qp, u8 event);
void model_qp_sq_error(struct model_qp *qp);
void model_qps_cq_failed(struct model_device *dev, struct model_cq *cq);

/* qp_queue.c: entries of work queues; a bad entry causes an error state */
int model_qp_read_sq(struct model_qp *qp, u32 index, u32 place, void *buf);
int model_qp_read_rq(struct model_qp *qp, void *buf);
u8 model_qp_check_send(const struct model_qp *qp,
		       const struct xrdma_sq_wqe *wqe);
bool model_qp_has_recv(struct model_qp *qp);
void model_qp_fail_send(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
			u8 status, u16 vendor_err);

/* active.c: queue pairs that are polled */
void model_qp_activate(struct model_qp *qp);
void model_qp_deactivate(struct model_qp *qp);

/* doorbell.c: doorbells, and turns of the queue pairs that are polled */
void model_doorbell_read(struct model_device *dev, u64 off, void *buf,
			 size_t len);
void model_doorbell_write(struct model_device *dev, u64 off, const void *buf,
			  size_t len);
bool model_qps_poll(struct model_device *dev);
bool model_qps_park(struct model_device *dev);
bool model_qps_poll_errors(struct model_device *dev);

#endif /* MODEL_QP_H */
