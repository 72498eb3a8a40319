// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A device in memory: rings, records and doorbell, and the few commands of
 * libibverbs that the provider's queues need. The layout is computed here
 * once more from the user ABI, not taken from the provider.
 */

#include <string.h>

#include <infiniband/driver.h>

#include "../xrdma-abi.h"
#include "fake_device.h"

struct fake_cq fake_last_cq;
struct fake_qp fake_last_qp;
uint32_t fake_next_qpn;
/* What creation of a queue fails with, if not 0. */
int fake_create_error;
/* How many buffers there are that a fork does not share. */
int fake_buffers;
__le32 fake_db_page[XRDMA_DB_PAGE_SIZE / 4];

/**
 * fake_take_doorbell() - what was written to the doorbell since last asked
 *
 * Return: the value, or FAKE_NO_DOORBELL.
 */
uint32_t fake_take_doorbell(void)
{
	uint32_t value = le32toh(fake_db_page[XRDMA_DB_SQ / 4]);

	fake_db_page[XRDMA_DB_SQ / 4] = htole32(FAKE_NO_DOORBELL);
	return value;
}

/**
 * fake_write_cqe() - complete something
 * @cq: where; it must have room
 * @cqe: the entry but for its phase
 */
void fake_write_cqe(struct fake_cq *cq, const struct xrdma_cqe *cqe)
{
	uint32_t depth = 1U << cq->log_depth;
	struct xrdma_cqe *to = &cq->ring[cq->pi % depth];

	CHECK(cq->pi - le32toh(cq->rec->ci) < depth);
	*to = *cqe;
	to->own = htole32(cq->pi / depth % 2 ? 0 : XRDMA_CQE_PHASE);
	cq->pi++;
}

/**
 * fake_next_send() - take the next send entry
 * @qp: queue pair, awake
 *
 * Return: the entry, or NULL if there is none.
 */
struct xrdma_sq_wqe *fake_next_send(struct fake_qp *qp)
{
	uint32_t depth = 1U << qp->req.log_sq_depth;
	uint32_t pi = le32toh(qp->rec->sq_pi);

	CHECK(!qp->asleep);
	CHECK(pi - qp->sq_ci <= depth);
	if (pi == qp->sq_ci)
		return NULL;
	return qp->sq + ((size_t)(qp->sq_ci++ % depth) <<
			 qp->req.log_sq_stride);
}

/**
 * fake_next_recv() - take the next receive entry
 * @qp: queue pair
 *
 * Return: the entry, or NULL if there is none.
 */
struct xrdma_rq_wqe *fake_next_recv(struct fake_qp *qp)
{
	uint32_t depth = 1U << qp->req.log_rq_depth;
	uint32_t pi = le32toh(qp->rec->rq_pi);

	CHECK(pi - qp->rq_ci <= depth);
	if (pi == qp->rq_ci)
		return NULL;
	return qp->rq + ((size_t)(qp->rq_ci++ % depth) <<
			 qp->req.log_rq_stride);
}

/**
 * fake_sleep() - wait for a doorbell, if there is nothing to do
 * @qp: queue pair
 */
void fake_sleep(struct fake_qp *qp)
{
	if (qp->sq_ci != le32toh(qp->rec->sq_pi))
		return;
	qp->rec->sq_event = htole32(qp->sq_ci);
	qp->asleep = true;
}

/* ---- commands -------------------------------------------------------- */

int ibv_cmd_create_cq(struct ibv_context *context, int cqe,
		      struct ibv_comp_channel *channel, int comp_vector,
		      struct ibv_cq *cq, struct ibv_create_cq *cmd,
		      size_t cmd_size, struct ib_uverbs_create_cq_resp *resp,
		      size_t resp_size)
{
	struct xrdma_cmd_create_cq *req = (void *)cmd;
	void *buf = (void *)(uintptr_t)req->buf_addr;

	if (fake_create_error)
		return fake_create_error;
	CHECK(cqe <= 1 << req->log_depth);
	CHECK(req->buf_addr % 4096 == 0);
	fake_last_cq = (struct fake_cq) {
		.ring = buf,
		.rec = buf + ((size_t)64 << req->log_depth),
		.log_depth = req->log_depth,
	};
	cq->context = context;
	return 0;
}

int ibv_cmd_destroy_cq(struct ibv_cq *cq)
{
	return 0;
}

int ibv_cmd_create_qp_ex(struct ibv_context *context, struct verbs_qp *qp,
			 struct ibv_qp_init_attr_ex *attr,
			 struct ibv_create_qp *cmd, size_t cmd_size,
			 struct ib_uverbs_create_qp_resp *resp,
			 size_t resp_size)
{
	struct xrdma_cmd_create_qp *req = (void *)cmd;
	struct xrdma_cmd_create_qp_resp *reply = (void *)resp;
	void *buf = (void *)(uintptr_t)req->buf_addr;
	size_t sq_size = (size_t)1 << (req->log_sq_depth + req->log_sq_stride);
	size_t rq_size = 0;

	if (fake_create_error)
		return fake_create_error;
	CHECK(req->buf_addr % 4096 == 0);
	CHECK(attr->cap.max_send_wr <= 1U << req->log_sq_depth);
	if (req->log_rq_stride)
		rq_size = (size_t)1 << (req->log_rq_depth + req->log_rq_stride);
	fake_last_qp = (struct fake_qp) {
		.req = req->drv_payload,
		.sq = buf,
		.rq = buf + sq_size,
		.rec = buf + (sq_size + rq_size + 63) / 64 * 64,
		.qpn = fake_next_qpn,
		.asleep = true,
	};
	reply->drv_payload.qpn = fake_next_qpn;
	qp->qp.context = context;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	return 0;
}

int ibv_cmd_destroy_qp(struct ibv_qp *qp)
{
	return 0;
}

int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd, size_t cmd_size)
{
	return 0;
}

int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		     struct ibv_qp_init_attr *init_attr,
		     struct ibv_query_qp *cmd, size_t cmd_size)
{
	memset(init_attr, 0, sizeof(*init_attr));
	return 0;
}

int ibv_dontfork_range(void *base, size_t size)
{
	fake_buffers++;
	return 0;
}

int ibv_dofork_range(void *base, size_t size)
{
	fake_buffers--;
	return 0;
}
