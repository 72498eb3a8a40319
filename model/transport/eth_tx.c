// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Raw packet queue pairs, sending: a SEND has a whole Ethernet frame, without
 * the frame check sequence. For a SEND_ETH this file inserts a VLAN tag,
 * completes a checksum, or divides a frame of TCP.
 *
 * An entry completes when its frames have been sent, so the requester's only
 * state is model_requester.next and, between the frames of an entry, struct
 * model_eth_tx. The loop over the send queue is in sends.c, receiving in eth.c.
 */

#include <errno.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/device.h"
#include "packet/checksum.h"
#include "transport/conn.h"
#include "transport/eth.h"
#include "transport/eth_gro.h"
#include "transport/room.h"
#include "transport/sends.h"
#include "wire/offload.h"
#include "wire/wire.h"

#define ALL_ETH		(XRDMA_ETH_CSUM | XRDMA_ETH_TSO | XRDMA_ETH_VLAN)
#define TAG_OFFSET	12 /* of a VLAN tag in a frame */

/**
 * struct model_eth_tx - a frame that is divided
 * @busy: some of the frames of the next send entry have been sent
 * @next: number of the next of these frames
 * @cut: how @data is divided
 * @data: the frame in memory, with a VLAN tag
 */
struct model_eth_tx {
	bool busy;
	u32 next;
	struct model_cut cut;
	u8 data[MODEL_VLAN_BYTES + XRDMA_ETH_TSO_MAX];
};

/**
 * struct job - a send entry
 * @wqe: the entry
 * @seg: its struct xrdma_eth_seg; all 0 for a SEND
 * @sgl: its memory
 * @len: bytes in that memory
 */
struct job {
	const struct xrdma_sq_wqe *wqe;
	struct xrdma_eth_seg seg;
	struct model_sgl sgl;
	u64 len;
};

static bool has(const struct job *job, u16 flag)
{
	return le16_to_cpu(job->seg.flags) & flag;
}

static u32 tag_bytes(const struct job *job)
{
	return has(job, XRDMA_ETH_VLAN) ? MODEL_VLAN_BYTES : 0;
}

static bool wqe_ok(const struct model_qp *qp, const struct xrdma_sq_wqe *wqe)
{
	u32 room = model_sq_bytes(qp, wqe) - sizeof(*wqe);
	bool eth = wqe->opcode == XRDMA_OP_SEND_ETH;
	u32 num = le16_to_cpu(wqe->num_sge);

	if (wqe->opcode != XRDMA_OP_SEND && !eth)
		return false;
	if (eth && (!(qp->flags & XRDMA_QP_KERNEL) ||
		    wqe->flags & XRDMA_WQE_INLINE))
		return false;
	if (wqe->flags & XRDMA_WQE_INLINE)
		return num <= room && num <= MODEL_MAX_INLINE;
	if (eth)
		room -= sizeof(struct xrdma_eth_seg);
	return num <= MODEL_MAX_SGE && num * sizeof(struct xrdma_sge) <= room;
}

static bool seg_ok(const struct job *job)
{
	const struct xrdma_eth_seg *seg = &job->seg;
	u32 end = le16_to_cpu(seg->csum_start) + le16_to_cpu(seg->csum_offset) +
		  2;

	if (le16_to_cpu(seg->flags) & ~ALL_ETH || seg->reserved)
		return false;
	if (has(job, XRDMA_ETH_CSUM) ? end > job->len :
				       seg->csum_start || seg->csum_offset)
		return false;
	if (!has(job, XRDMA_ETH_VLAN) && seg->vlan_tci)
		return false;
	if (has(job, XRDMA_ETH_TSO))
		return has(job, XRDMA_ETH_CSUM) && seg->mss && seg->header_len;
	return !seg->mss && !seg->header_len;
}

static bool len_ok(const struct model_device *dev, const struct job *job)
{
	u64 len = job->len;

	if (has(job, XRDMA_ETH_TSO)) {
		if (len > XRDMA_ETH_TSO_MAX)
			return false;
		len = le16_to_cpu(job->seg.header_len) +
		      le16_to_cpu(job->seg.mss);
	}
	return job->len >= MODEL_ETH_BYTES &&
	       len + tag_bytes(job) <= model_eth_max_frame(dev);
}

/* Copy the frame to @data, and insert a VLAN tag. Return: as model_sgl_gather(). */
static int fill(struct model_qp *qp, const struct job *job, u8 *data)
{
	u32 tag = tag_bytes(job);
	int reason = 0;

	if (job->wqe->flags & XRDMA_WQE_INLINE)
		memcpy(data, job->wqe + 1, job->len);
	else
		reason = model_sgl_gather(qp, &job->sgl, 0, data + tag,
					  job->len);
	if (tag) {
		memmove(data, data + tag, TAG_OFFSET);
		model_put16(data + TAG_OFFSET, ETH_P_8021Q);
		model_put16(data + TAG_OFFSET + 2,
			    le16_to_cpu(job->seg.vlan_tci));
	}
	return reason;
}

/* Give a frame to the wire, or to another queue pair of this device. */
static void put_frame(struct model_qp *qp, struct model_frame *frame)
{
	if (frame->len < ETH_ZLEN) {
		memset(frame->data + frame->len, 0, ETH_ZLEN - frame->len);
		frame->len = ETH_ZLEN;
	}
	qp->sent_ns = model_device_time(qp->dev);
	if (model_eth_inside(qp, frame))
		model_frame_put(&qp->dev->wire->pool, frame);
	else
		model_wire_send(qp->dev->wire, frame);
}

/* Return: enum xrdma_wc_status. */
static u8 send_whole(struct model_qp *qp, const struct job *job, int *reason)
{
	struct model_frame *frame = model_wire_frame(qp->dev->wire);

	frame->len = job->len + tag_bytes(job);
	*reason = fill(qp, job, frame->data);
	if (*reason) {
		model_frame_put(&qp->dev->wire->pool, frame);
		return XRDMA_WC_LOC_PROT_ERR;
	}
	if (has(job, XRDMA_ETH_CSUM))
		model_sum_complete(frame->data, frame->len,
				   le16_to_cpu(job->seg.csum_start) +
				   tag_bytes(job),
				   le16_to_cpu(job->seg.csum_offset));
	put_frame(qp, frame);
	return XRDMA_WC_SUCCESS;
}

/* Send frames of the entry while the wire has room. */
static void send_parts(struct model_qp *qp)
{
	struct model_wire *wire = qp->dev->wire;
	struct model_eth_tx *eth = qp->tp->eth;
	struct model_frame *frame;

	while (eth->next < eth->cut.count && qp->state == XRDMA_QPS_RTS &&
	       model_room_ask_send(qp, NULL)) {
		frame = model_wire_frame(wire);
		model_cut_frame(&eth->cut, eth->data, eth->next++, frame);
		put_frame(qp, frame);
	}
	eth->busy = eth->next < eth->cut.count;
}

/* Return: enum xrdma_wc_status. */
static u8 start_parts(struct model_qp *qp, const struct job *job, int *reason)
{
	struct model_eth_tx *eth = qp->tp->eth;
	const struct virtio_net_hdr todo = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
		.gso_size = le16_to_cpu(job->seg.mss),
		.csum_start = le16_to_cpu(job->seg.csum_start) + tag_bytes(job),
		.csum_offset = le16_to_cpu(job->seg.csum_offset),
	};

	*reason = fill(qp, job, eth->data);
	if (*reason)
		return XRDMA_WC_LOC_PROT_ERR;
	if (job->len < MODEL_ETH_BYTES + MODEL_VLAN_BYTES ||
	    model_cut_plan(&eth->cut, &todo, eth->data,
			   job->len + tag_bytes(job)) ||
	    eth->cut.payload != le16_to_cpu(job->seg.header_len) +
				tag_bytes(job))
		return XRDMA_WC_LOC_QP_OP_ERR;
	eth->next = 0;
	send_parts(qp);
	return XRDMA_WC_SUCCESS;
}

static void read_job(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
		     struct job *job)
{
	const u8 *rest = (const void *)(wqe + 1);

	*job = (struct job) { .wqe = wqe };
	if (wqe->opcode == XRDMA_OP_SEND_ETH) {
		memcpy(&job->seg, rest, sizeof(job->seg));
		rest += sizeof(job->seg);
	}
	job->sgl = (struct model_sgl) {
		.sge = (const void *)rest,
		.waiter = &qp->waiters[MODEL_WAIT_REQUESTER],
		.num = le16_to_cpu(wqe->num_sge),
		.opcode = wqe->opcode,
	};
	job->len = wqe->flags & XRDMA_WQE_INLINE ? job->sgl.num :
						   model_sgl_length(&job->sgl);
}

/* Return: enum xrdma_wc_status. */
static u8 send_frame(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
		     int *reason)
{
	struct job job;

	if (model_eth_take_fault(qp, MODEL_ETH_FAULT_SEND))
		return XRDMA_WC_LOC_PROT_ERR;
	if (!wqe_ok(qp, wqe))
		return XRDMA_WC_LOC_QP_OP_ERR;
	read_job(qp, wqe, &job);
	if (!seg_ok(&job))
		return XRDMA_WC_LOC_QP_OP_ERR;
	if (!len_ok(qp->dev, &job))
		return XRDMA_WC_LOC_LEN_ERR;
	return has(&job, XRDMA_ETH_TSO) ? start_parts(qp, &job, reason) :
					  send_whole(qp, &job, reason);
}

/* Return: true if a test has requested that the queue pair fails now. */
static bool fails(struct model_qp *qp)
{
	if (model_eth_take_fault(qp, MODEL_ETH_FAULT_FATAL)) {
		model_qp_error(qp, XRDMA_EVENT_QP_FATAL);
		return true;
	}
	qp->stalled |= model_eth_take_fault(qp, MODEL_ETH_FAULT_STALL);
	return false;
}

/* Return: enum xrdma_wc_status. */
static u8 begin(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
		int *reason)
{
	u8 status = model_qp_check_send(qp, wqe);

	return status ? status : send_frame(qp, wqe, reason);
}

/* Return: false if the queue pair must not send the next entry. */
static bool send_one(struct model_qp *qp, const struct xrdma_sq_wqe *wqe)
{
	u8 status = XRDMA_WC_SUCCESS;
	int reason = 0;

	if (fails(qp))
		return false;
	if (qp->stalled) {
		model_sq_pass(qp, wqe);
		return true;
	}
	if (!model_room_ask_send(qp, NULL)) {
		model_conn_rewind(qp);
		return false;
	}
	if (qp->tp->eth->busy)
		send_parts(qp);
	else
		status = begin(qp, wqe, &reason);
	/* the frame's receive may have overrun the shared CQ: QP is in ERR */
	if (qp->state != XRDMA_QPS_RTS)
		return false;
	if (reason == MODEL_MISS || qp->tp->eth->busy) {
		model_conn_rewind(qp);
		return false;
	}
	if (status)
		model_qp_fail_send(qp, wqe, status, reason);
	else
		model_qp_complete_send(qp, wqe, 0);
	return qp->state == XRDMA_QPS_RTS;
}

static void raw_destroy(struct model_qp *qp)
{
	free(qp->tp->gro);
	free(qp->tp->eth);
	model_sends_destroy(qp);
}

static int raw_init(struct model_qp *qp)
{
	int err = model_sends_init(qp);

	if (err)
		return err;
	qp->tp->eth = calloc(1, sizeof(*qp->tp->eth));
	qp->tp->gro = calloc(1, sizeof(*qp->tp->gro));
	if (qp->tp->eth && qp->tp->gro)
		return 0;
	raw_destroy(qp);
	return -ENOMEM;
}

/* The rest of a frame that is being divided is not sent any more. */
static void raw_stop(struct model_qp *qp, bool sq_only)
{
	model_sends_stop(qp, sq_only);
	qp->tp->eth->busy = false;
}

static bool raw_run(struct model_qp *qp)
{
	return model_sends_run(qp, send_one);
}

static void raw_modify(struct model_qp *qp, u32 mask, u8 old)
{
	(void)mask;
	if (old == XRDMA_QPS_SQE && qp->state == XRDMA_QPS_RTS)
		model_conn_rewind(qp);
}

static void raw_query(const struct model_qp *qp, struct xrdma_qp_attr *attr)
{
	(void)qp;
	(void)attr;
}

const struct model_qp_ops model_raw_ops = {
	.init = raw_init,
	.modify = raw_modify,
	.stop = raw_stop,
	.destroy = raw_destroy,
	.run = raw_run,
	.resume = model_sends_resume,
	.idle = model_sends_idle,
	.query = raw_query,
};
