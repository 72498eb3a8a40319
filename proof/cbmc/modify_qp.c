// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: MODIFY_QP and QUERY_QP. The driver's xrdma_qp_modify.c
 * and xrdma_ah.c convert the attributes that a consumer sets, and the device's
 * core/qp_modify.c takes them; all are compiled unchanged. Stubs stand for the
 * commands, of which commands.c proves that they arrive, for the transport and for
 * ib_core.
 *
 * CBMC: -I proof/include -I include --unwind 33 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "xrdma_ah.c"
#include "xrdma_qp_modify.c"
#include "device_qp.h"
#include "core/qp_modify.c"

/* The queue pair in the driver, and in the device */
static struct xrdma_ibdev xib;
static struct xrdma_qp qp;
static struct model_device dev;
static struct model_qp device_qp;

/* What the consumer sets */
static struct ib_qp_attr sets;

/* Body of the last MODIFY_QP, its status, and the number of commands */
static struct xrdma_cmd_modify_qp body;
static enum xrdma_cmd_status status;
static u32 executed;

/* The command is recorded and not executed. */
static bool only_record;

/* Whether the transport has no send entry in progress */
static bool idle;

/* The source GID of the path, in the driver and in the device */
static struct ib_gid_attr sgid;
static struct model_gid gid;
static u32 gid_index;

/* The queue pair of this harness is not destroyed. */
bool xrdma_qp_get_live(struct xrdma_ibdev *x, struct xrdma_qp *queue)
{
	PROVE(x == &xib && queue == &qp);
	return true;
}

void xrdma_qp_put(struct xrdma_qp *queue)
{
	PROVE(queue == &qp);
}

/* The MTU of the port has room for each path MTU. */
u32 model_port_path_mtu(const struct model_device *device)
{
	(void)device;
	return 4096;
}

/* ---- stubs for ib_core ---- */

enum rdma_network_type
rdma_gid_attr_network_type(const struct ib_gid_attr *attr)
{
	PROVE(attr == &sgid);
	return gid.flags & 4 ? RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
}

bool ib_modify_qp_is_ok(enum ib_qp_state cur, enum ib_qp_state next,
			enum ib_qp_type type, int mask)
{
	(void)mask;
	PROVE(type == qp.ibqp.qp_type);
	return (u32)cur <= IB_QPS_ERR && (u32)next <= IB_QPS_ERR &&
	       nondet_truth();
}

enum ib_mtu xrdma_active_mtu(struct xrdma_ibdev *x)
{
	(void)x;
	return IB_MTU_4096;
}

/* ---- the commands ---- */

int xrdma_cmd_modify_qp(struct xrdma_dev *x, u32 qpn, u32 mask,
			const struct xrdma_qp_attr *attr)
{
	PROVE(x == &xib.hw);
	body.qpn = cpu_to_le32(qpn);
	body.mask = cpu_to_le32(mask);
	body.attr = *attr;
	executed++;
	if (!only_record)
		status = model_qp_modify(&dev, &body);
	return status ? -EINVAL : 0;
}

int xrdma_cmd_query_qp(struct xrdma_dev *x, u32 qpn,
		       struct xrdma_rsp_query_qp *rsp)
{
	static const struct xrdma_rsp_query_qp zero;

	PROVE(x == &xib.hw);
	*rsp = zero;
	return model_qp_query(&dev, qpn, rsp) ? -EINVAL : 0;
}

void xrdma_cq_drop_qp(struct xrdma_cq *cq, u32 qpn, struct xrdma_srq *srq)
{
	(void)cq;
	(void)srq;
	PROVE(qpn == qp.qpn);
}

void xrdma_qp_caps(const struct xrdma_qp *q, struct ib_qp_cap *cap)
{
	(void)cap;
	PROVE(q == &qp);
}

/* ---- stubs for the device ---- */

struct model_qp *model_qp_get(struct model_device *device, u32 qpn)
{
	PROVE(device == &dev && qpn == device_qp.qpn);
	return &device_qp;
}

const struct model_gid *model_gid_get(const struct model_device *device,
				      u32 index)
{
	PROVE(device == &dev);
	return index == gid_index && gid.flags & 1 ? &gid : NULL;
}

bool model_gid_is_ipv4(const u8 *g)
{
	return ipv6_addr_v4mapped((const struct in6_addr *)g);
}

void model_qp_enter_error(struct model_qp *q, u8 event)
{
	PROVE(q == &device_qp && !event);
	q->state = XRDMA_QPS_ERR;
}

void model_qp_stop_flushing(struct model_qp *q)
{
	PROVE(q == &device_qp);
}

void model_qp_quiesce(struct model_qp *q)
{
	PROVE(q == &device_qp);
}

void model_late_forget(struct model_qp *q)
{
	PROVE(q == &device_qp);
}

void model_qp_activate(struct model_qp *q)
{
	PROVE(q == &device_qp);
}

static int transport_init(struct model_qp *q)
{
	PROVE(q == &device_qp);
	return 0;
}

static void transport_destroy(struct model_qp *q)
{
	PROVE(q == &device_qp);
}

static void transport_modify(struct model_qp *q, u32 mask, u8 old)
{
	PROVE(q == &device_qp && mask == le32_to_cpu(body.mask));
	PROVE(old == qp.state);
}

static bool transport_idle(const struct model_qp *q)
{
	PROVE(q == &device_qp);
	return idle;
}

static void transport_query(const struct model_qp *q, struct xrdma_qp_attr *attr)
{
	PROVE(attr->sq_psn == q->attr.sq_psn);
}

static const struct model_qp_ops ops = {
	.init = transport_init,
	.destroy = transport_destroy,
	.modify = transport_modify,
	.idle = transport_idle,
	.query = transport_query,
};

/* ---- inputs ---- */

/* A queue pair of any type and state, with any attributes, in driver and device */
static void start(void)
{
	struct xrdma_qp_attr any;
	struct model_gid any_gid;
	struct ib_qp_attr any_set;
	union ib_gid dgid;

	sets = any_set;
	/* CBMC may read other values from an uninitialised union each time */
	memcpy(sets.ah_attr.grh.dgid.raw, dgid.raw, 16);
	device_qp.ops = &ops;
	device_qp.dev = &dev;
	device_qp.qpn = nondet_u32();
	device_qp.type = nondet_u8();
	device_qp.state = nondet_u8();
	device_qp.attr = any;	/* not initialised: any attributes */
	ASSUME(device_qp.type <= XRDMA_QP_RAW);
	ASSUME(device_qp.state <= XRDMA_QPS_ERR);
	gid = any_gid;
	xib.hw.caps.flags = nondet_u64();
	xib.hw.caps.max_gid = nondet_u32();
	xib.hw.caps.max_rd_atomic = nondet_u32();
	ASSUME(xib.hw.caps.max_rd_atomic <= 16);
	qp.ibqp.device = &xib.ibdev;
	qp.ibqp.qp_type = nondet_u8();
	qp.qpn = device_qp.qpn;
	idle = nondet_truth();
	qp.state = device_qp.state;
	sets.ah_attr.grh.sgid_attr = &sgid;
	gid_index = sets.ah_attr.grh.sgid_index;
}

/* ---- theorems ---- */

/* The attribute is what the consumer has set, if its bit is set, else as before. */
#define EXPECT(bit, after, set, before)					\
	PROVE((after) == ((u32)mask & (bit) ? (set) : (before)))

/* The rights of the contract have the bits of verbs; LOCAL_WRITE is no such right. */
static u16 rights_of(int ib)
{
	u16 rights = ib & 0x1e;

	if (xib.hw.caps.flags & XRDMA_CAP_FLUSH)
		rights |= ib & 0x300;
	return rights;
}

static void expect_path(const struct xrdma_av *av)
{
	const struct rdma_ah_attr *set = &sets.ah_attr;
	u32 i = nondet_u32(), j = nondet_u32();

	PROVE(av->sgid_index == set->grh.sgid_index);
	PROVE(i >= 16 || av->dgid[i] == set->grh.dgid.raw[i]);
	PROVE(j >= 6 || av->dmac[j] == set->roce.dmac[j]);
	PROVE(le32_to_cpu(av->flow_label) == (set->grh.flow_label & 0xfffff));
	PROVE(av->hop_limit == set->grh.hop_limit);
	PROVE(av->traffic_class == set->grh.traffic_class);
	PROVE(av->sl == (set->sl < 8 ? set->sl : 0) && !av->udp_sport);
}

static void expect_small(const struct xrdma_qp_attr *new,
			 const struct xrdma_qp_attr *old, int mask)
{
	EXPECT(1 << 2, new->flags, sets.en_sqd_async_notify ? 2 : 0, old->flags);
	EXPECT(1 << 8, new->path_mtu, sets.path_mtu, old->path_mtu);
	EXPECT(1 << 9, new->timeout, sets.timeout, old->timeout);
	EXPECT(1 << 10, new->retry_cnt, sets.retry_cnt, old->retry_cnt);
	EXPECT(1 << 11, new->rnr_retry, sets.rnr_retry, old->rnr_retry);
	EXPECT(1 << 13, new->max_rd_atomic, sets.max_rd_atomic,
	       old->max_rd_atomic);
	EXPECT(1 << 15, new->min_rnr_timer, sets.min_rnr_timer,
	       old->min_rnr_timer);
	EXPECT(1 << 17, new->max_dest_rd_atomic, sets.max_dest_rd_atomic,
	       old->max_dest_rd_atomic);
}

static void expect_numbers(const struct xrdma_qp_attr *new,
			   const struct xrdma_qp_attr *old, int mask)
{
	EXPECT(1 << 3, le16_to_cpu(new->access), rights_of(sets.qp_access_flags),
	       le16_to_cpu(old->access));
	EXPECT(1 << 4, le16_to_cpu(new->pkey_index), 0,
	       le16_to_cpu(old->pkey_index));
	EXPECT(1 << 6, le32_to_cpu(new->qkey), sets.qkey,
	       le32_to_cpu(old->qkey));
	EXPECT(1 << 12, le32_to_cpu(new->rq_psn), sets.rq_psn,
	       le32_to_cpu(old->rq_psn));
	EXPECT(1 << 16, le32_to_cpu(new->sq_psn), sets.sq_psn,
	       le32_to_cpu(old->sq_psn));
	EXPECT(1 << 20, le32_to_cpu(new->dest_qpn), sets.dest_qp_num,
	       le32_to_cpu(old->dest_qpn));
}

/*
 * Theorem: If MODIFY_QP succeeds, the queue pair of the device has the state and each
 *	attribute that the consumer has set, under the mask of the consumer:
 *	path MTU, timers, numbers of retries, limits of READs and atomics, the
 *	request for the event of a drained send queue, Q_Key, PSNs, destination,
 *	rights, and the path with GID, MAC address, flow label,
 *	hop limit, traffic class and priority; every other attribute is as
 *	before. In RESET, all attributes are zero.
 * Holds for: all attributes and masks; queue pairs of any type and state.
 * Assumes: the device is not dead; theorem commands.bodies_arrive.
 */
static void attributes_arrive(void)
{
	bool sets_state;
	struct xrdma_qp_attr old;
	int mask = nondet_int();
	u32 i = nondet_u32();
	u8 before;

	start();
	sets_state = mask & 1;
	old = device_qp.attr;
	before = device_qp.state;
	ASSUME(!xrdma_modify_qp(&qp.ibqp, &sets, mask, NULL));
	REACHABLE(mask & 1 << 7 && sets.qp_state == IB_QPS_RTR);
	REACHABLE(before == XRDMA_QPS_RTS && qp.state == IB_QPS_RESET);
	PROVE(executed == 1 && !status);
	PROVE(device_qp.state == (sets_state ? sets.qp_state : before));
	PROVE(qp.state == device_qp.state);
	if (device_qp.state == XRDMA_QPS_RESET) {
		PROVE(i >= sizeof(old) || !((u8 *)&device_qp.attr)[i]);
		return;
	}
	expect_small(&device_qp.attr, &old, mask);
	expect_numbers(&device_qp.attr, &old, mask);
	if (mask & 1 << 7)
		expect_path(&device_qp.attr.av);
	else
		PROVE(i >= 32 || ((u8 *)&device_qp.attr.av)[i] ==
				 ((u8 *)&old.av)[i]);
}

/*
 * Theorem: The device refuses no value of an attribute that the driver accepts, so
 *	MODIFY_QP fails only because of the transition or of the attributes that
 *	the transition needs or forbids; the fields of attributes that the
 *	consumer does not set are zero, as the contract demands.
 * Holds for: all attributes and masks; queue pairs of any type and state.
 * Assumes: the PSNs have 24 bits; the entry of the source GID is valid, and of the
 *	type of the GID; the device states a limit of at most 16 READs and
 *	atomics.
 */
static void values_are_accepted(void)
{
	int mask = nondet_int();

	start();
	ASSUME(sets.rq_psn < 1 << 24 && sets.sq_psn < 1 << 24);
	ASSUME(gid.flags & 1);
	only_record = true;
	ASSUME(!xrdma_modify_qp(&qp.ibqp, &sets, mask, NULL));
	REACHABLE(mask & 1 << 7 && sets.ah_attr.sl == 15);
	REACHABLE(mask & 1 << 3 && sets.qp_access_flags >> 20);
	PROVE(executed == 1);
	PROVE(attrs_ok(&dev, le32_to_cpu(body.mask), &body.attr));
}

/*
 * Theorem: QUERY_QP returns to the consumer the state and each attribute that the
 *	device has: numbers, rights, the path with its GID and MAC address, and
 *	whether the send queue drains.
 * Holds for: all attributes; queue pairs of any type and state.
 * Assumes: the device has values that the contract permits; the transport reports the
 *	PSNs of the attributes.
 */
static void attributes_are_reported(void)
{
	const struct xrdma_av *av = &device_qp.attr.av;
	const struct xrdma_qp_attr *has = &device_qp.attr;
	const struct rdma_ah_attr *path;
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	u32 i = nondet_u32(), j = nondet_u32();

	start();
	ASSUME(!(le16_to_cpu(has->access) & ~0x31e));
	ASSUME(!xrdma_query_qp(&qp.ibqp, &attr, 0, &init));
	REACHABLE(attr.sq_draining && attr.qkey);
	path = &attr.ah_attr;
	PROVE((u32)attr.qp_state == device_qp.state && qp.state == attr.qp_state);
	PROVE((u32)attr.cur_qp_state == device_qp.state && attr.port_num == 1);
	PROVE((u32)attr.path_mtu == has->path_mtu && attr.timeout == has->timeout);
	PROVE(attr.retry_cnt == has->retry_cnt && attr.rnr_retry == has->rnr_retry);
	PROVE(attr.min_rnr_timer == has->min_rnr_timer);
	PROVE(attr.max_rd_atomic == has->max_rd_atomic);
	PROVE(attr.max_dest_rd_atomic == has->max_dest_rd_atomic);
	PROVE(attr.qkey == le32_to_cpu(has->qkey));
	PROVE(attr.rq_psn == le32_to_cpu(has->rq_psn));
	PROVE(attr.sq_psn == le32_to_cpu(has->sq_psn));
	PROVE(attr.dest_qp_num == le32_to_cpu(has->dest_qpn));
	PROVE(attr.qp_access_flags == le16_to_cpu(has->access));
	PROVE(attr.sq_draining == (device_qp.state == 4 && !idle));
	PROVE(path->type == RDMA_AH_ATTR_TYPE_ROCE && path->ah_flags == IB_AH_GRH);
	PROVE(i >= 16 || path->grh.dgid.raw[i] == av->dgid[i]);
	PROVE(j >= 6 || path->roce.dmac[j] == av->dmac[j]);
	PROVE(path->grh.flow_label == le32_to_cpu(av->flow_label));
	PROVE(path->grh.sgid_index == av->sgid_index && path->sl == av->sl);
	PROVE(path->grh.hop_limit == av->hop_limit);
	PROVE(path->grh.traffic_class == av->traffic_class);
}
