// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A fake device: rings, records and doorbell, and the commands of libibverbs
 * that pass rings to the driver. Layouts and phases are computed here once more
 * from <rdma/xrdma-abi.h>, not with the functions that the provider uses.
 * Commands without rings are in fake_objects.c.
 */

#include <errno.h>
#include <string.h>

#include <infiniband/driver.h>

#include "../xrdma-abi.h"
#include "fake_device.h"

struct fake_cq fake_last_cq;
struct fake_qp fake_last_qp;
struct fake_srq fake_last_srq;
/* Device side of the queue that ibv_cmd_resize_cq() will resize. */
struct fake_cq *fake_resized_cq;
/*
 * Called in the middle of a command, as if by another thread or the device:
 * while a queue is resized, before and after the device uses the new ring; or
 * while the destruction of a queue waits for its events. NULL: nothing happens.
 */
void (*fake_during_command)(void);
/* Number of the next queue pair or work queue. */
uint32_t fake_next_qpn;
/* Errno with which commands that create an object fail; 0: they succeed. */
int fake_create_error;
/* Number of buffers that the provider has not freed. */
int fake_buffers;
__le64 fake_db_page[XRDMA_DB_PAGE_SIZE / 8];

static uint64_t take(unsigned int offset)
{
	uint64_t value = le64toh(fake_db_page[offset / 8]);

	fake_db_page[offset / 8] = htole64(FAKE_NO_DOORBELL);
	return value;
}

/**
 * fake_take_doorbell() - last doorbell of a send queue since the last call
 *
 * Return: the word, or FAKE_NO_DOORBELL if nothing was written.
 */
uint64_t fake_take_doorbell(void)
{
	return take(XRDMA_DB_SQ);
}

/**
 * fake_take_arming() - last doorbell of a completion queue since the last call
 *
 * Return: the word, or FAKE_NO_DOORBELL if nothing was written.
 */
uint64_t fake_take_arming(void)
{
	return take(XRDMA_DB_CQ);
}

/**
 * fake_write_cqe() - write a completion
 * @cq: completion queue, which must have room
 * @cqe: contents of the entry; the phase is added
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
 * fake_next_send() - consume the next send entry
 * @qp: queue pair that does not sleep
 *
 * Return: the entry, or NULL if none is posted.
 */
struct xrdma_sq_wqe *fake_next_send(struct fake_qp *qp)
{
	uint32_t depth = 1U << qp->req.log_sq_depth, units;
	uint32_t pi = le32toh(qp->rec->sq_pi);
	struct xrdma_sq_wqe *wqe;

	CHECK(!qp->asleep);
	CHECK(pi - qp->sq_ci <= depth);
	if (pi == qp->sq_ci)
		return NULL;
	wqe = qp->sq + (size_t)qp->sq_place * 64;
	units = wqe->flags / 16 + 1;
	CHECK(units <= qp->req.sq_units);
	qp->sq_place = (qp->sq_place + units) % (depth * qp->req.sq_units);
	qp->sq_ci++;
	return wqe;
}

/**
 * fake_next_recv() - consume the next receive entry
 * @qp: queue pair
 *
 * Return: the entry, or NULL if none is posted.
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
 * fake_next_srq_recv() - consume the next entry of a shared receive queue
 * @srq: shared receive queue
 *
 * Return: a copy of the entry, or NULL if none is posted.
 */
struct xrdma_rq_wqe *fake_next_srq_recv(struct fake_srq *srq)
{
	static uint64_t copy[1024 / 8];
	uint32_t depth = 1U << srq->req.log_depth;
	uint32_t ci = le32toh(srq->rec->ci);
	uint32_t pi = le32toh(srq->rec->pi);
	size_t stride = (size_t)1 << srq->req.log_stride;

	CHECK(pi - ci <= depth);
	if (pi == ci)
		return NULL;
	memcpy(copy, srq->ring + ci % depth * stride, stride);
	/* Overwrite the entry: the provider must not rely on its contents. */
	memset(srq->ring + ci % depth * stride, 0xa5, stride);
	srq->rec->ci = htole32(ci + 1);
	return (void *)copy;
}

/**
 * fake_sleep() - let a queue pair sleep until a doorbell, if no entry is posted
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

int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd,
		      size_t cmd_size, struct ib_uverbs_resize_cq_resp *resp,
		      size_t resp_size)
{
	struct xrdma_cmd_resize_cq_resp *reply = (void *)resp;
	struct xrdma_cmd_resize_cq *req = (void *)cmd;
	void *buf = (void *)(uintptr_t)req->buf_addr;
	struct fake_cq *dev = fake_resized_cq, new = {
		.ring = buf,
		.rec = buf + ((size_t)64 << req->log_depth),
		.log_depth = req->log_depth,
	};

	CHECK(cqe <= 1 << req->log_depth && req->log_depth >= 4);
	CHECK(req->buf_addr % 4096 == 0);
	CHECK(new.rec->ci == dev->rec->ci && new.rec->arm == dev->rec->arm);
	if (fake_during_command)
		fake_during_command();
	new.pi = dev->pi;
	if (new.pi - le32toh(new.rec->ci) > 1U << new.log_depth)
		return EINVAL;
	*dev = new;
	reply->drv_payload.index = new.pi;
	if (fake_during_command)
		fake_during_command();
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
	size_t sq_size = 0, rq_size = 0;
	uint32_t units = req->sq_units;

	if (fake_create_error)
		return fake_create_error;
	CHECK(req->buf_addr % 4096 == 0);
	CHECK(attr->cap.max_send_wr <= 1U << req->log_sq_depth);
	CHECK(units || req->log_rq_stride || !req->buf_addr);
	CHECK(units <= 16);
	if (units)
		sq_size = (((size_t)units << req->log_sq_depth) + units - 1) * 64;
	if (req->log_rq_stride)
		rq_size = (size_t)1 << (req->log_rq_depth + req->log_rq_stride);
	rq_size = (rq_size + 63) / 64 * 64;
	fake_last_qp = (struct fake_qp) {
		.req = req->drv_payload,
		.rq = buf,
		.sq = buf + rq_size,
		.rec = buf + (rq_size + sq_size + 127) / 128 * 128,
		.qpn = fake_next_qpn,
		.asleep = true,
	};
	reply->drv_payload.qpn = fake_next_qpn;
	qp->qp.context = context;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.qp_type = attr->qp_type;
	return 0;
}

int ibv_cmd_destroy_qp(struct ibv_qp *qp)
{
	if (fake_during_command)
		fake_during_command();
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

/* The device treats a work queue as a queue pair without a send queue. */
int ibv_cmd_create_wq(struct ibv_context *context,
		      struct ibv_wq_init_attr *attr, struct ibv_wq *wq,
		      struct ibv_create_wq *cmd, size_t cmd_size,
		      struct ib_uverbs_ex_create_wq_resp *resp,
		      size_t resp_size)
{
	struct xrdma_cmd_create_wq_resp *reply = (void *)resp;
	struct xrdma_cmd_create_wq *req = (void *)cmd;
	void *buf = (void *)(uintptr_t)req->buf_addr;
	size_t size = (size_t)1 << (req->log_depth + req->log_stride);

	if (fake_create_error)
		return fake_create_error;
	CHECK(attr->max_wr <= 1U << req->log_depth);
	fake_last_qp = (struct fake_qp) {
		.req.log_rq_depth = req->log_depth,
		.req.log_rq_stride = req->log_stride,
		.rq = buf,
		.rec = buf + (size + 127) / 128 * 128,
		.qpn = fake_next_qpn,
	};
	reply->drv_payload.wqn = fake_next_qpn;
	wq->context = context;
	wq->cq = attr->cq;
	return 0;
}

static struct fake_srq fake_srq_of(const struct xrdma_ureq_create_srq *req)
{
	void *buf = (void *)(uintptr_t)req->buf_addr;

	CHECK(req->buf_addr % 4096 == 0);
	return (struct fake_srq) {
		.req = *req,
		.ring = buf,
		.rec = buf + ((1UL << (req->log_depth + req->log_stride)) +
			      127) / 128 * 128,
	};
}

int ibv_cmd_create_srq_ex(struct ibv_context *context, struct verbs_srq *srq,
			  struct ibv_srq_init_attr_ex *attr,
			  struct ibv_create_xsrq *cmd, size_t cmd_size,
			  struct ib_uverbs_create_srq_resp *resp,
			  size_t resp_size)
{
	struct xrdma_cmd_create_srq_resp *reply = (void *)resp;
	struct xrdma_cmd_create_srq *req = (void *)cmd;

	if (fake_create_error)
		return fake_create_error;
	fake_last_srq = fake_srq_of(&req->drv_payload);
	CHECK(!fake_last_srq.rec->pi && !fake_last_srq.rec->ci);
	reply->drv_payload.srqn = 0x5ca1e;
	srq->srq.context = context;
	return 0;
}

int ibv_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		       int attr_mask, struct ibv_modify_srq *cmd,
		       size_t cmd_size)
{
	struct xrdma_cmd_modify_srq *req = (void *)cmd;
	struct fake_srq new;

	CHECK((attr_mask & IBV_SRQ_MAX_WR) == (cmd_size == sizeof(*req)));
	if (!(attr_mask & IBV_SRQ_MAX_WR))
		return 0;
	if (fake_create_error)
		return fake_create_error;
	CHECK(attr->max_wr <= 1U << req->log_depth);
	CHECK(req->log_stride == fake_last_srq.req.log_stride);
	new = fake_srq_of(&req->drv_payload);
	CHECK(new.rec->pi == fake_last_srq.rec->pi);
	if (fake_during_command)
		fake_during_command();
	new.rec->ci = fake_last_srq.rec->ci;
	fake_last_srq = new;
	if (fake_during_command)
		fake_during_command();
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
