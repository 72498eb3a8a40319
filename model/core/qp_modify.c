// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * States of a queue pair and their transitions (IBTA 10.3.1, 11.2.5.2), and its
 * attributes. The transitions to the error states are in qp_error.c.
 */
#include <linux/array_size.h>
#include <string.h>

#include "core/device.h"
#include "core/late.h"
#include "core/port.h"
#include "core/qp.h"
#include "packet/net.h"

#define NUM_STATES	(XRDMA_QPS_ERR + 1)

/**
 * struct transition - transition between two states
 * @legal: the transition exists
 * @required: XRDMA_QPM_* bits of attributes that must be set
 * @optional: XRDMA_QPM_* bits of attributes that may be set
 */
struct transition {
	bool legal;
	u32 required;
	u32 optional;
};

#define RTS_OPTIONAL	(XRDMA_QPM_ACCESS | XRDMA_QPM_MIN_RNR_TIMER)
#define SQD_OPTIONAL							\
	(XRDMA_QPM_AV | XRDMA_QPM_TIMEOUT | XRDMA_QPM_RETRY_CNT |	\
	 XRDMA_QPM_RNR_RETRY | XRDMA_QPM_MAX_RD_ATOMIC |		\
	 XRDMA_QPM_MAX_DEST_RD_ATOMIC | XRDMA_QPM_ACCESS |		\
	 XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_MIN_RNR_TIMER |		\
	 XRDMA_QPM_SQD_NOTIFY)

/* Attributes that exist only in transports with acknowledgments. */
#define OF_REQUESTER							\
	(XRDMA_QPM_RETRY_CNT | XRDMA_QPM_RNR_RETRY | XRDMA_QPM_MAX_RD_ATOMIC)
#define OF_RESPONDER							\
	(XRDMA_QPM_MIN_RNR_TIMER | XRDMA_QPM_MAX_DEST_RD_ATOMIC)
#define RELIABLE							\
	(XRDMA_QPM_TIMEOUT | OF_REQUESTER | OF_RESPONDER)

/*
 * Indexed by old and new state. Transitions to RESET and ERR are always legal.
 */
static const struct transition connected[NUM_STATES][NUM_STATES] = {
	[XRDMA_QPS_RESET][XRDMA_QPS_INIT] = {
		.legal = true,
		.required = XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_ACCESS,
	},
	[XRDMA_QPS_INIT][XRDMA_QPS_INIT] = {
		.legal = true,
		.optional = XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_ACCESS,
	},
	[XRDMA_QPS_INIT][XRDMA_QPS_RTR] = {
		.legal = true,
		.required = XRDMA_QPM_AV | XRDMA_QPM_PATH_MTU |
			    XRDMA_QPM_DEST_QPN | XRDMA_QPM_RQ_PSN |
			    XRDMA_QPM_MAX_DEST_RD_ATOMIC |
			    XRDMA_QPM_MIN_RNR_TIMER,
		.optional = XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_ACCESS,
	},
	[XRDMA_QPS_RTR][XRDMA_QPS_RTS] = {
		.legal = true,
		.required = XRDMA_QPM_TIMEOUT | XRDMA_QPM_RETRY_CNT |
			    XRDMA_QPM_RNR_RETRY | XRDMA_QPM_SQ_PSN |
			    XRDMA_QPM_MAX_RD_ATOMIC,
		.optional = RTS_OPTIONAL,
	},
	[XRDMA_QPS_RTS][XRDMA_QPS_RTS] = {
		.legal = true,
		.optional = RTS_OPTIONAL,
	},
	[XRDMA_QPS_RTS][XRDMA_QPS_SQD] = {
		.legal = true,
		.optional = XRDMA_QPM_SQD_NOTIFY,
	},
	[XRDMA_QPS_SQD][XRDMA_QPS_SQD] = {
		.legal = true,
		.optional = SQD_OPTIONAL,
	},
	[XRDMA_QPS_SQD][XRDMA_QPS_RTS] = {
		.legal = true,
		.optional = RTS_OPTIONAL,
	},
	/* For UC; an RC queue pair is never in SQE */
	[XRDMA_QPS_SQE][XRDMA_QPS_RTS] = {
		.legal = true,
		.optional = RTS_OPTIONAL,
	},
};

static const struct transition datagram[NUM_STATES][NUM_STATES] = {
	[XRDMA_QPS_RESET][XRDMA_QPS_INIT] = {
		.legal = true,
		.required = XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_QKEY,
	},
	[XRDMA_QPS_INIT][XRDMA_QPS_INIT] = {
		.legal = true,
		.optional = XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_QKEY,
	},
	[XRDMA_QPS_INIT][XRDMA_QPS_RTR] = {
		.legal = true,
		.optional = XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_QKEY,
	},
	[XRDMA_QPS_RTR][XRDMA_QPS_RTS] = {
		.legal = true,
		.required = XRDMA_QPM_SQ_PSN,
		.optional = XRDMA_QPM_QKEY,
	},
	[XRDMA_QPS_RTS][XRDMA_QPS_RTS] = {
		.legal = true,
		.optional = XRDMA_QPM_QKEY,
	},
	[XRDMA_QPS_RTS][XRDMA_QPS_SQD] = {
		.legal = true,
		.optional = XRDMA_QPM_SQD_NOTIFY,
	},
	[XRDMA_QPS_SQD][XRDMA_QPS_SQD] = {
		.legal = true,
		.optional = XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_QKEY |
			    XRDMA_QPM_SQD_NOTIFY,
	},
	[XRDMA_QPS_SQD][XRDMA_QPS_RTS] = {
		.legal = true,
		.optional = XRDMA_QPM_QKEY,
	},
	[XRDMA_QPS_SQE][XRDMA_QPS_RTS] = {
		.legal = true,
		.optional = XRDMA_QPM_QKEY,
	},
};

static const struct transition raw[NUM_STATES][NUM_STATES] = {
	[XRDMA_QPS_RESET][XRDMA_QPS_INIT] = { .legal = true },
	[XRDMA_QPS_INIT][XRDMA_QPS_INIT] = { .legal = true },
	[XRDMA_QPS_INIT][XRDMA_QPS_RTR] = { .legal = true },
	[XRDMA_QPS_RTR][XRDMA_QPS_RTS] = { .legal = true },
	[XRDMA_QPS_RTS][XRDMA_QPS_RTS] = { .legal = true },
	[XRDMA_QPS_RTS][XRDMA_QPS_SQD] = {
		.legal = true,
		.optional = XRDMA_QPM_SQD_NOTIFY,
	},
	[XRDMA_QPS_SQD][XRDMA_QPS_RTS] = { .legal = true },
	[XRDMA_QPS_SQE][XRDMA_QPS_RTS] = { .legal = true },
};

/*
 * Each type: its transitions, and the attributes that the type does not have.
 */
static const struct {
	const struct transition (*table)[NUM_STATES];
	u32 lacks;
} types[MODEL_NUM_QP_TYPES] = {
	[XRDMA_QP_RC] = { connected },
	[XRDMA_QP_UC] = { connected, RELIABLE },
	[XRDMA_QP_UD] = { datagram },
	[XRDMA_QP_GSI] = { datagram },
	[XRDMA_QP_XRC_INI] = { connected, OF_RESPONDER },
	[XRDMA_QP_XRC_TGT] = { connected, OF_REQUESTER },
	[XRDMA_QP_RAW] = { raw },
};

/*
 * An attribute: its bit in the mask, its field, its largest value or its bits.
 */
#define ATTR(mask_bit, type, field, maximum)				\
	{								\
		.bit = XRDMA_QPM_##mask_bit,				\
		.offset = offsetof(struct xrdma_qp_attr, field),	\
		.size = sizeof(type),					\
		.max = maximum,						\
	}

#define QP_RIGHTS							\
	(XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |		\
	 XRDMA_ACCESS_REMOTE_ATOMIC | XRDMA_ACCESS_MW_BIND |		\
	 XRDMA_ACCESS_FLUSH_GLOBAL | XRDMA_ACCESS_FLUSH_PERSISTENT)

static const struct attr {
	u32 bit;
	size_t offset;
	size_t size;
	u32 max;
} attrs[] = {
	ATTR(STATE, u8, state, XRDMA_QPS_ERR),
	ATTR(PATH_MTU, u8, path_mtu, 5),
	ATTR(RETRY_CNT, u8, retry_cnt, 7),
	ATTR(RNR_RETRY, u8, rnr_retry, 7),
	ATTR(TIMEOUT, u8, timeout, 31),
	ATTR(MIN_RNR_TIMER, u8, min_rnr_timer, 31),
	ATTR(MAX_RD_ATOMIC, u8, max_rd_atomic, MODEL_MAX_RD_ATOMIC),
	ATTR(MAX_DEST_RD_ATOMIC, u8, max_dest_rd_atomic,
	     MODEL_MAX_RD_ATOMIC),
	ATTR(QKEY, __le32, qkey, UINT32_MAX),
	ATTR(RQ_PSN, __le32, rq_psn, 0xffffff),
	ATTR(SQ_PSN, __le32, sq_psn, 0xffffff),
	ATTR(DEST_QPN, __le32, dest_qpn, 0xffffff),
	ATTR(ACCESS, __le16, access, QP_RIGHTS),
	ATTR(PKEY_INDEX, __le16, pkey_index, 0),
	ATTR(SQD_NOTIFY, u8, flags, XRDMA_QPA_SQD_NOTIFY),
};

#define ALL_ATTRS	(XRDMA_QPM_AV | (XRDMA_QPM_AV - 1))

static u32 attr_value(const struct xrdma_qp_attr *attr, const struct attr *a)
{
	__le32 value = 0;

	memcpy(&value, (const u8 *)attr + a->offset, a->size);
	return le32_to_cpu(value);
}

static bool is_zero(const void *buf, size_t len)
{
	const u8 *p = buf;

	while (len && !*p) {
		p++;
		len--;
	}
	return !len;
}

/**
 * model_av_ok - check the values of an address vector
 * @dev: the device
 * @av: the address vector; its source GID need not be valid
 *
 * Return: true if all values are legal.
 */
bool model_av_ok(const struct model_device *dev, const struct xrdma_av *av)
{
	const struct model_gid *gid = model_gid_get(dev, av->sgid_index);
	u16 sport = le16_to_cpu(av->udp_sport);

	if (gid && !!(gid->flags & XRDMA_GID_IPV4) !=
		   model_gid_is_ipv4(av->dgid))
		return false;
	return av->sl <= 7 && le32_to_cpu(av->flow_label) <= 0xfffff &&
	       (!sport || sport >= 0xc000);
}

/* @max of rights and flags is a mask, @max of other attributes a limit. */
static bool value_ok(const struct attr *a, u32 value)
{
	if (a->bit == XRDMA_QPM_ACCESS || a->bit == XRDMA_QPM_SQD_NOTIFY)
		return !(value & ~a->max);
	if (a->bit == XRDMA_QPM_PATH_MTU && !value)
		return false;
	return value <= a->max;
}

static bool path_mtu_ok(const struct model_device *dev, u8 code)
{
	return model_path_mtu(code) <= model_port_path_mtu(dev);
}

/* Check that values in @mask are legal, and that all other values are 0. */
static bool attrs_ok(const struct model_device *dev, u32 mask,
		     const struct xrdma_qp_attr *attr)
{
	u32 i, value;

	if (mask & ~ALL_ATTRS || !is_zero(attr->reserved, 3))
		return false;
	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		value = attr_value(attr, &attrs[i]);
		if (!(mask & attrs[i].bit) ? value != 0 :
					     !value_ok(&attrs[i], value))
			return false;
	}
	if (mask & XRDMA_QPM_PATH_MTU && !path_mtu_ok(dev, attr->path_mtu))
		return false;
	if (mask & XRDMA_QPM_AV)
		return model_av_ok(dev, &attr->av) &&
		       model_gid_get(dev, attr->av.sgid_index);
	return is_zero(&attr->av, sizeof(attr->av));
}

static enum xrdma_cmd_status check_transition(const struct model_qp *qp,
					      u8 next, u32 mask)
{
	const struct transition *t = &types[qp->type].table[qp->state][next];
	u32 required = t->required & ~types[qp->type].lacks;
	u32 optional = t->optional & ~types[qp->type].lacks;

	mask &= ~XRDMA_QPM_STATE;
	if (next == XRDMA_QPS_RESET || next == XRDMA_QPS_ERR)
		return mask ? XRDMA_CMD_BAD_PARAM : XRDMA_CMD_OK;
	if (!t->legal)
		return XRDMA_CMD_BAD_STATE;
	if (required & ~mask || mask & ~(required | optional))
		return XRDMA_CMD_BAD_PARAM;
	return XRDMA_CMD_OK;
}

static void set_attrs(struct model_qp *qp, u32 mask,
		      const struct xrdma_qp_attr *attr)
{
	const struct attr *a;

	for (a = attrs; a < attrs + ARRAY_SIZE(attrs); a++)
		if (mask & a->bit && a->bit != XRDMA_QPM_STATE)
			memcpy((u8 *)&qp->attr + a->offset,
			       (const u8 *)attr + a->offset, a->size);
	if (mask & XRDMA_QPM_AV)
		qp->attr.av = attr->av;
}

/**
 * model_qp_comm_est - raise COMM_EST for the first packet in RTR
 * @qp: the queue pair
 */
void model_qp_comm_est(struct model_qp *qp)
{
	if (qp->comm_est || qp->state != XRDMA_QPS_RTR)
		return;
	qp->comm_est = true;
	model_event(qp->dev, XRDMA_EVENT_QP_COMM_EST, qp->qpn);
}

/*
 * Move to RESET: discard all entries and attributes; keep number, PD and CQs.
 */
static enum xrdma_cmd_status reset(struct model_qp *qp)
{
	model_qp_quiesce(qp);
	model_late_forget(qp);
	qp->ops->destroy(qp);
	qp->state = XRDMA_QPS_RESET;
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->rung_pi = 0;
	qp->pushed.size = 0;
	qp->sq.pi = 0;
	qp->sq.ci = 0;
	qp->sq.place = 0;
	qp->rq.pi = 0;
	qp->rq.ci = 0;
	qp->taken = false;
	qp->broken = false;
	qp->comm_est = false;
	qp->drained = false;
	if (!qp->ops->init(qp))
		return XRDMA_CMD_OK;
	model_device_fatal(qp->dev, XRDMA_FATAL_INTERNAL);
	return XRDMA_CMD_INTERNAL;
}

static void change(struct model_qp *qp, u8 next, u32 mask,
		   const struct xrdma_qp_attr *attr)
{
	u8 old = qp->state;

	set_attrs(qp, mask, attr);
	qp->state = next;
	if (next == XRDMA_QPS_SQD &&
	    (old != XRDMA_QPS_SQD || mask & XRDMA_QPM_SQD_NOTIFY))
		qp->drained = !(attr->flags & XRDMA_QPA_SQD_NOTIFY);
	model_qp_stop_flushing(qp);
	qp->ops->modify(qp, mask, old);
	model_qp_activate(qp);
}

/**
 * model_qp_modify - MODIFY_QP
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_qp_modify(struct model_device *dev,
				      const struct xrdma_cmd_modify_qp *p)
{
	struct model_qp *qp = model_qp_get(dev, le32_to_cpu(p->qpn));
	u32 mask = le32_to_cpu(p->mask);
	enum xrdma_cmd_status status;
	u8 next;

	if (!qp)
		return XRDMA_CMD_BAD_NUMBER;
	if (!attrs_ok(dev, mask, &p->attr))
		return XRDMA_CMD_BAD_PARAM;
	next = mask & XRDMA_QPM_STATE ? p->attr.state : qp->state;
	status = check_transition(qp, next, mask);
	if (status)
		return status;
	if (next == XRDMA_QPS_RESET)
		return qp->windows ? XRDMA_CMD_BUSY : reset(qp);
	if (next != XRDMA_QPS_ERR) {
		change(qp, next, mask, &p->attr);
		return XRDMA_CMD_OK;
	}
	model_qp_enter_error(qp, 0);
	return XRDMA_CMD_OK;
}

/**
 * model_qp_path_mtu_lowered - look for the reason of a refused MODIFY_QP
 * @dev: the device
 * @p: body of the command
 *
 * Return: true if the path MTU is above that of the port, which may have been lowered
 * since the driver has compared the two.
 */
bool model_qp_path_mtu_lowered(const struct model_device *dev,
			       const struct xrdma_cmd_modify_qp *p)
{
	return le32_to_cpu(p->mask) & XRDMA_QPM_PATH_MTU &&
	       p->attr.path_mtu <= 5 && !path_mtu_ok(dev, p->attr.path_mtu);
}

/**
 * model_qp_query - QUERY_QP
 * @dev: the device
 * @qpn: number
 * @rsp: body of the reply, zeroed
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_qp_query(struct model_device *dev, u32 qpn,
				     struct xrdma_rsp_query_qp *rsp)
{
	struct model_qp *qp = model_qp_get(dev, qpn);

	if (!qp)
		return XRDMA_CMD_BAD_NUMBER;
	rsp->attr = qp->attr;
	rsp->attr.state = qp->state;
	rsp->attr.flags = 0;
	if (qp->state == XRDMA_QPS_SQD && !qp->ops->idle(qp))
		rsp->attr.flags |= XRDMA_QPA_SQ_DRAINING;
	qp->ops->query(qp, &rsp->attr);
	rsp->sq_ci = cpu_to_le32(qp->sq.ci);
	rsp->rq_ci = cpu_to_le32(qp->rq.ci);
	return XRDMA_CMD_OK;
}
