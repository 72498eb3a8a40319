// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Correct commands of each opcode, and correct key entries, for the fuzzer of
 * commands, which changes some of their bytes. fuzz_cmd.c executes them.
 */
#include <linux/array_size.h>
#include <string.h>

#include "fuzz/fuzz_cmd.h"

#define RIGHTS	(WIRE_ALL_RIGHTS | XRDMA_ACCESS_MW_BIND | \
		 XRDMA_ACCESS_FLUSH_GLOBAL | XRDMA_ACCESS_FLUSH_PERSISTENT)
#define QP_RIGHTS (RIGHTS & ~(u32)XRDMA_ACCESS_LOCAL_WRITE)

/* Where in the page of lists the device reads and writes. */
#define LIST_STATS	0
#define LIST_RSS	0x400
#define LIST_FLOW	0x800
#define LIST_INVAL	0xc00

static const u16 opcodes[] = {
	XRDMA_CMD_NOP, XRDMA_CMD_QUERY_DEVICE, XRDMA_CMD_QUERY_PORT,
	XRDMA_CMD_MODIFY_PORT, XRDMA_CMD_SET_GID, XRDMA_CMD_QUERY_STATS,
	XRDMA_CMD_BIND_COUNTER, XRDMA_CMD_QUERY_CC, XRDMA_CMD_MODIFY_CC,
	XRDMA_CMD_CREATE_EQ, XRDMA_CMD_DESTROY_EQ, XRDMA_CMD_CREATE_CQ,
	XRDMA_CMD_DESTROY_CQ, XRDMA_CMD_RESIZE_CQ, XRDMA_CMD_MODIFY_CQ,
	XRDMA_CMD_CREATE_QP, XRDMA_CMD_MODIFY_QP, XRDMA_CMD_QUERY_QP,
	XRDMA_CMD_DESTROY_QP, XRDMA_CMD_CREATE_SRQ, XRDMA_CMD_MODIFY_SRQ,
	XRDMA_CMD_QUERY_SRQ, XRDMA_CMD_DESTROY_SRQ, XRDMA_CMD_ATTACH_MCAST,
	XRDMA_CMD_DETACH_MCAST, XRDMA_CMD_CREATE_FLOW, XRDMA_CMD_DESTROY_FLOW,
	XRDMA_CMD_CREATE_RSS, XRDMA_CMD_DESTROY_RSS, XRDMA_CMD_INVALIDATE,
	XRDMA_CMD_ENABLE_ODP, XRDMA_CMD_INVALIDATE_RANGE,
};

_Static_assert(ARRAY_SIZE(opcodes) == FUZZ_CMD_OPCODES, "FUZZ_CMD_OPCODES");

static __le64 root_of(u64 addr, u8 leaf)
{
	return cpu_to_le64(xrdma_make_root(addr, 0, leaf));
}

/* GID 0: IPv4, 1: IPv6, 2: IPv6 with a VLAN tag; the peer has another last byte. */
static void gid_of(u8 n, u8 last, u8 *gid)
{
	static const u8 ipv4[16] = { [10] = 0xff, 0xff, 192, 168, 77 };

	memset(gid, 0, 16);
	if (n == 0)
		memcpy(gid, ipv4, sizeof(ipv4));
	else
		gid[0] = 0xfd;
	gid[1] += n == 2;
	gid[15] = last;
}

static void make_port(struct xrdma_cmd *c, u8 n, u8 how)
{
	c->modify_port.flags = cpu_to_le32(XRDMA_PORT_UP | (how & 0x7e));
	c->modify_port.mtu = cpu_to_le32(how & 0x80 ? 1500 : 4500);
	c->modify_port.mac[0] = 2;
	if (n & 1)
		c->modify_port.eth_qpn =
			cpu_to_le32(n & 2 ? FUZZ_CMD_RSS_QPN :
					    fuzz_cmd_qpn(XRDMA_QP_RAW));
}

static void make_gid(struct xrdma_cmd *c, u8 n)
{
	struct xrdma_cmd_set_gid *p = &c->set_gid;

	n %= 3;
	p->index = cpu_to_le32(n);
	p->flags = cpu_to_le32(XRDMA_GID_VALID | (n ? 0 : XRDMA_GID_IPV4) |
			       (n == 2 ? XRDMA_GID_VLAN : 0));
	p->mac[0] = 2;
	p->vlan_tci = cpu_to_le16(n == 2 ? 100 : 0);
	gid_of(n, 1, p->gid);
}

static void make_eq(struct xrdma_cmd *c, u8 n)
{
	bool odp = (n & 3) == 2;

	c->create_eq.eqn = cpu_to_le32(n & 3);
	c->create_eq.vector = cpu_to_le16(n & 1);
	c->create_eq.log_depth = odp ? XRDMA_RESUME_LOG_MIN : XRDMA_EQ_LOG_MIN;
	c->create_eq.root = odp ? root_of(FUZZ_CMD_EQ_ODP, 16) :
				  root_of(FUZZ_CMD_EQ(n), 13);
}

static void make_cq(struct xrdma_cmd *c, u8 n, bool resize)
{
	struct xrdma_cmd_create_cq *p = &c->create_cq;

	n &= 15;
	p->cqn = cpu_to_le32(n);
	p->log_depth = FUZZ_CMD_QUEUE_LOG + 1;
	p->root = root_of(resize ? FUZZ_CMD_SPARE(n) : FUZZ_CMD_CQ(n), 12);
	if (resize)
		return;
	p->eqn = cpu_to_le32(1);
	p->db_page = cpu_to_le32(n & 8 ? FUZZ_CMD_USER_PAGE : 0);
}

/* Queue pair @n has the type @n % 8, or RC. */
static u8 type_of(u8 n)
{
	return (n & 7) <= XRDMA_QP_RAW ? n & 7 : XRDMA_QP_RC;
}

static void make_qp(struct xrdma_cmd *c, u8 n, u8 how)
{
	struct xrdma_cmd_create_qp *p = &c->create_qp;

	p->type = type_of(n);
	p->qpn = cpu_to_le32(fuzz_cmd_qpn(n));
	p->db_page = cpu_to_le32(n & 8 ? FUZZ_CMD_USER_PAGE : 0);
	p->flags = n & 8 ? 0 : XRDMA_QP_KERNEL;
	if (p->type == XRDMA_QP_XRC_TGT) {
		p->xrcd = cpu_to_le32(FUZZ_CMD_XRCD);
		return;
	}
	p->pd = cpu_to_le32(FUZZ_CMD_PD);
	p->root = root_of(FUZZ_CMD_QP(n), 12);
	p->send_cqn = cpu_to_le32(n & 15);
	p->log_sq_depth = FUZZ_CMD_QUEUE_LOG;
	p->sq_units = FUZZ_CMD_SQ_UNITS;
	if (p->type == XRDMA_QP_XRC_INI)
		return;
	p->recv_cqn = cpu_to_le32(how & 2 ? 0 : n & 15);
	if (how & 1 && p->type != XRDMA_QP_RAW) {
		p->flags |= XRDMA_QP_SRQ;
		return;
	}
	p->log_rq_depth = FUZZ_CMD_QUEUE_LOG;
	p->log_rq_stride = FUZZ_CMD_STRIDE_LOG;
}

static void fill_rtr(struct xrdma_qp_attr *a, u8 n, u8 how)
{
	u8 gid = how >> 4 & 3;

	a->path_mtu = 1 + (how >> 6);
	a->dest_qpn = cpu_to_le32(fuzz_cmd_qpn(n ^ 8));
	a->rq_psn = cpu_to_le32(0xfffff0);
	a->max_dest_rd_atomic = 4;
	a->min_rnr_timer = 1;
	a->av.hop_limit = 64;
	a->av.sgid_index = gid % 3;
	a->av.dmac[0] = 2;
	gid_of(gid % 3, 1, a->av.dgid);
}

static void fill_rts(struct xrdma_qp_attr *a)
{
	a->timeout = 10;
	a->retry_cnt = 2;
	a->rnr_retry = 2;
	a->sq_psn = cpu_to_le32(0xfffff0);
	a->max_rd_atomic = 4;
}

#define TO_RTR	(XRDMA_QPM_AV | XRDMA_QPM_PATH_MTU | XRDMA_QPM_DEST_QPN | \
		 XRDMA_QPM_RQ_PSN)
#define TO_RTS	(XRDMA_QPM_RETRY_CNT | XRDMA_QPM_RNR_RETRY | \
		 XRDMA_QPM_MAX_RD_ATOMIC)
#define ANSWERS	(XRDMA_QPM_MAX_DEST_RD_ATOMIC | XRDMA_QPM_MIN_RNR_TIMER)

/* Attributes that MODIFY_QP to a state must set, for each type. */
static u32 mask_of(u8 type, u8 state)
{
	bool datagram = type == XRDMA_QP_UD || type == XRDMA_QP_GSI;
	bool reliable = type != XRDMA_QP_UC;

	if (type == XRDMA_QP_RAW)
		return 0;
	if (state == XRDMA_QPS_INIT)
		return XRDMA_QPM_PKEY_INDEX |
		       (datagram ? XRDMA_QPM_QKEY : XRDMA_QPM_ACCESS);
	if (state == XRDMA_QPS_RTR && !datagram)
		return TO_RTR |
		       (reliable && type != XRDMA_QP_XRC_INI ? ANSWERS : 0);
	if (state == XRDMA_QPS_RTS && datagram)
		return XRDMA_QPM_SQ_PSN;
	if (state == XRDMA_QPS_RTS)
		return XRDMA_QPM_SQ_PSN | (reliable ? XRDMA_QPM_TIMEOUT : 0) |
		       (reliable && type != XRDMA_QP_XRC_TGT ? TO_RTS : 0);
	return 0;
}

/* Attributes that are not in the mask are 0. */
static void clear_rest(struct xrdma_qp_attr *a, u32 mask)
{
	if (!(mask & XRDMA_QPM_MAX_DEST_RD_ATOMIC)) {
		a->max_dest_rd_atomic = 0;
		a->min_rnr_timer = 0;
	}
	if (!(mask & XRDMA_QPM_TIMEOUT))
		a->timeout = 0;
	if (!(mask & XRDMA_QPM_RETRY_CNT)) {
		a->retry_cnt = 0;
		a->rnr_retry = 0;
		a->max_rd_atomic = 0;
	}
}

/* MODIFY_QP to the state in the low three bits of @how. */
static void make_modify(struct xrdma_cmd *c, u8 n, u8 how)
{
	struct xrdma_qp_attr *a = &c->modify_qp.attr;
	u8 state = how & 7;
	u32 mask = mask_of(type_of(n), state);

	if (mask & XRDMA_QPM_AV)
		fill_rtr(a, n, how);
	if (mask & XRDMA_QPM_SQ_PSN)
		fill_rts(a);
	if (mask & XRDMA_QPM_QKEY)
		a->qkey = cpu_to_le32(FUZZ_CMD_QKEY);
	if (mask & XRDMA_QPM_ACCESS)
		a->access = cpu_to_le16(QP_RIGHTS);
	if (state == XRDMA_QPS_SQD) {
		mask |= XRDMA_QPM_SQD_NOTIFY;
		a->flags = how & 8 ? XRDMA_QPA_SQD_NOTIFY : 0;
	}
	clear_rest(a, mask);
	a->state = state;
	c->modify_qp.qpn = cpu_to_le32(fuzz_cmd_qpn(n));
	c->modify_qp.mask = cpu_to_le32(mask | XRDMA_QPM_STATE);
}

/* SRQs from 4 on are for XRC. */
static void make_srq(struct xrdma_cmd *c, u8 n, u8 how)
{
	struct xrdma_cmd_create_srq *p = &c->create_srq;

	n &= 7;
	p->srqn = cpu_to_le32(n);
	p->pd = cpu_to_le32(FUZZ_CMD_PD);
	p->root = root_of(FUZZ_CMD_SRQ(n), 12);
	p->limit = cpu_to_le32(how & 15);
	p->log_depth = FUZZ_CMD_QUEUE_LOG;
	p->log_stride = FUZZ_CMD_STRIDE_LOG;
	if (n & 4) {
		p->xrcd = cpu_to_le32(FUZZ_CMD_XRCD);
		p->cqn = cpu_to_le32(n);
	}
}

static void make_modify_srq(struct xrdma_cmd *c, u8 n, u8 how)
{
	struct xrdma_cmd_modify_srq *p = &c->modify_srq;

	p->srqn = cpu_to_le32(n & 7);
	p->mask = cpu_to_le32(how & 16 ? XRDMA_SRQM_RESIZE : XRDMA_SRQM_LIMIT);
	if (how & 16) {
		p->root = root_of(FUZZ_CMD_SPARE(n), 12);
		p->log_depth = FUZZ_CMD_QUEUE_LOG;
	} else {
		p->limit = cpu_to_le32(how & 15);
	}
}

static void make_cc(struct xrdma_cmd *c, u8 how)
{
	c->modify_cc = (struct xrdma_cc) {
		.flags = cpu_to_le32(how & 3),
		.min_rate = cpu_to_le32(10),
		.ai_rate = cpu_to_le32(5),
		.hai_rate = cpu_to_le32(50),
		.time_reset = cpu_to_le32(300),
		.byte_reset = cpu_to_le32(32767),
		.threshold = cpu_to_le32(5),
		.alpha_timer = cpu_to_le32(55),
		.alpha_g = cpu_to_le16(4),
		.initial_alpha = cpu_to_le16(1024),
		.reduce_period = cpu_to_le32(4),
		.cnp_interval = cpu_to_le32(50),
	};
}

static void make_flow(struct fuzz_cmd_world *w, struct xrdma_cmd *c, u8 n, u8 how)
{
	static const struct xrdma_flow_rule any;

	fuzz_cmd_poke(w, FUZZ_CMD_LISTS + LIST_FLOW, &any, sizeof(any));
	c->create_flow.flow = cpu_to_le32(n & 15);
	c->create_flow.addr = cpu_to_le64(FUZZ_CMD_LISTS + LIST_FLOW);
	c->create_flow.qpn = cpu_to_le32(how & 4 ? FUZZ_CMD_RSS_QPN :
						   fuzz_cmd_qpn(XRDMA_QP_RAW));
	c->create_flow.priority = cpu_to_le16(how & 3);
	c->create_flow.flags = cpu_to_le16(how & 8 ? XRDMA_FLOW_COPY : 0);
}

static void make_rss(struct fuzz_cmd_world *w, struct xrdma_cmd *c)
{
	const __le32 table[4] = {
		cpu_to_le32(fuzz_cmd_qpn(XRDMA_QP_RAW)),
		cpu_to_le32(fuzz_cmd_qpn(XRDMA_QP_RAW + 8)),
		cpu_to_le32(fuzz_cmd_qpn(XRDMA_QP_RAW)),
		cpu_to_le32(fuzz_cmd_qpn(XRDMA_QP_RAW + 8)),
	};

	fuzz_cmd_poke(w, FUZZ_CMD_LISTS + LIST_RSS, table, sizeof(table));
	c->create_rss.qpn = cpu_to_le32(FUZZ_CMD_RSS_QPN);
	c->create_rss.addr = cpu_to_le64(FUZZ_CMD_LISTS + LIST_RSS);
	c->create_rss.log_size = 2;
	c->create_rss.fields = XRDMA_RSS_FIELDS;
	memset(c->create_rss.key, 0x5a, sizeof(c->create_rss.key));
}

static void make_inval(struct fuzz_cmd_world *w, struct xrdma_cmd *c, u8 n)
{
	__le32 words[4];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = cpu_to_le32((n + i) % FUZZ_CMD_KEYS);
	fuzz_cmd_poke(w, FUZZ_CMD_LISTS + LIST_INVAL, words, sizeof(words));
	c->invalidate.addr = cpu_to_le64(FUZZ_CMD_LISTS + LIST_INVAL);
	c->invalidate.count = cpu_to_le32(1 + (n >> 6));
}

static void make_object(struct xrdma_cmd *c, u8 n)
{
	u32 number = n & 15;

	switch (le16_to_cpu(c->opcode)) {
	case XRDMA_CMD_DESTROY_RSS:
		number = FUZZ_CMD_RSS_QPN;
		break;
	case XRDMA_CMD_QUERY_QP:
	case XRDMA_CMD_DESTROY_QP:
		number = fuzz_cmd_qpn(n);
		break;
	case XRDMA_CMD_DESTROY_EQ:
		number = n & 3;
		break;
	}
	c->object.number = cpu_to_le32(number);
}

static void make_mcast(struct xrdma_cmd *c, u8 n)
{
	c->mcast.qpn = cpu_to_le32(fuzz_cmd_qpn(n & 8 ? XRDMA_QP_UD + 8 :
							XRDMA_QP_UD));
	c->mcast.gid[0] = 0xff;
	c->mcast.gid[15] = n & 7;
}

static void make_numbers(struct xrdma_cmd *c, u8 n, u8 how)
{
	switch (le16_to_cpu(c->opcode)) {
	case XRDMA_CMD_QUERY_STATS:
		c->query_stats.addr = cpu_to_le64(FUZZ_CMD_LISTS + LIST_STATS);
		c->query_stats.count = cpu_to_le32(XRDMA_NUM_STATS);
		c->query_stats.counter = cpu_to_le32(how & 3);
		break;
	case XRDMA_CMD_BIND_COUNTER:
		c->bind_counter.qpn = cpu_to_le32(fuzz_cmd_qpn(n));
		c->bind_counter.counter = cpu_to_le32(how & 3);
		break;
	case XRDMA_CMD_MODIFY_CQ:
		c->modify_cq.cqn = cpu_to_le32(n & 15);
		c->modify_cq.count = cpu_to_le16(how & 15);
		c->modify_cq.period = cpu_to_le16(how >> 4);
		break;
	case XRDMA_CMD_ENABLE_ODP:
		c->enable_odp.ring = cpu_to_le64(FUZZ_CMD_RESUME);
		c->enable_odp.eqn = cpu_to_le32(2);
		c->enable_odp.log_entries = XRDMA_RESUME_LOG_MIN;
		break;
	case XRDMA_CMD_INVALIDATE_RANGE:
		c->invalidate_range.count = cpu_to_le32(1);
		c->invalidate_range.range[0].key_index = cpu_to_le32(n & 15);
		c->invalidate_range.range[0].pos = cpu_to_le64((u64)how << 12);
		c->invalidate_range.range[0].bytes = cpu_to_le64(4096);
		break;
	default:
		make_object(c, n);
	}
}

/*
 * Return: a correct command, if its objects exist. @kind selects the opcode, @n the
 * object, @how its other properties.
 */
struct xrdma_cmd fuzz_cmd_make(struct fuzz_cmd_world *w, u8 kind, u8 n, u8 how)
{
	u16 opcode = opcodes[kind % ARRAY_SIZE(opcodes)];
	struct xrdma_cmd c = xrdma_make_cmd(opcode);

	switch (opcode) {
	case XRDMA_CMD_NOP:
	case XRDMA_CMD_QUERY_DEVICE:
	case XRDMA_CMD_QUERY_PORT:
	case XRDMA_CMD_QUERY_CC:
		break;
	case XRDMA_CMD_MODIFY_PORT:
		make_port(&c, n, how);
		break;
	case XRDMA_CMD_SET_GID:
		make_gid(&c, n);
		break;
	case XRDMA_CMD_MODIFY_CC:
		make_cc(&c, how);
		break;
	case XRDMA_CMD_CREATE_EQ:
		make_eq(&c, n);
		break;
	case XRDMA_CMD_CREATE_CQ:
	case XRDMA_CMD_RESIZE_CQ:
		make_cq(&c, n, opcode == XRDMA_CMD_RESIZE_CQ);
		break;
	case XRDMA_CMD_CREATE_QP:
		make_qp(&c, n, how);
		break;
	case XRDMA_CMD_MODIFY_QP:
		make_modify(&c, n, how);
		break;
	case XRDMA_CMD_CREATE_SRQ:
		make_srq(&c, n, how);
		break;
	case XRDMA_CMD_MODIFY_SRQ:
		make_modify_srq(&c, n, how);
		break;
	case XRDMA_CMD_ATTACH_MCAST:
	case XRDMA_CMD_DETACH_MCAST:
		make_mcast(&c, n);
		break;
	case XRDMA_CMD_CREATE_FLOW:
		make_flow(w, &c, n, how);
		break;
	case XRDMA_CMD_CREATE_RSS:
		make_rss(w, &c);
		break;
	case XRDMA_CMD_INVALIDATE:
		make_inval(w, &c, n);
		break;
	default:
		make_numbers(&c, n, how);
	}
	return c;
}

/* A window or a fast-register region that is not bound or registered. */
static void make_free(struct xrdma_mpt_entry *e, u8 type, u32 key)
{
	e->ctrl = cpu_to_le64(xrdma_make_mpt_ctrl(XRDMA_MPT_FREE, type, key,
						  FUZZ_CMD_PD, 0));
}

/*
 * Return: a correct key entry, for index @n: 0, 1: regions with a block or with a
 * table, 2: with bus addresses, 3: of device memory, 4: paged, 5: fast-register
 * region, 6, 7: windows; from 8 on the same again.
 */
struct xrdma_mpt_entry fuzz_cmd_key(u8 n)
{
	u32 key = xrdma_make_key(n % FUZZ_CMD_KEYS, 0x5a);
	u64 ctrl = xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MR, key,
				       FUZZ_CMD_PD, RIGHTS);
	struct xrdma_mpt_entry e = {
		.iova = cpu_to_le64(FUZZ_CMD_DATA),
		.length = cpu_to_le64(1ULL << FUZZ_CMD_DATA_LOG),
	};

	switch (n & 7) {
	case 0:
		e.root = root_of(FUZZ_CMD_DATA, FUZZ_CMD_DATA_LOG);
		break;
	case 2:
		ctrl |= XRDMA_MPT_IDENTITY;
		break;
	case 3:
		ctrl |= XRDMA_MPT_DEVICE;
		e.length = cpu_to_le64(FUZZ_CMD_DM);
		break;
	case 4:
		ctrl |= XRDMA_MPT_PAGED;
		e.root = cpu_to_le64(xrdma_make_root(FUZZ_CMD_PAGED, 1, 12));
		break;
	case 5:
	case 6:
	case 7:
		e.iova = 0;
		e.length = 0;
		make_free(&e, (n & 7) - 5 + XRDMA_MPT_FAST_REG, key);
		return e;
	default:
		e.root = cpu_to_le64(xrdma_make_root(FUZZ_CMD_TABLE, 1, 12));
	}
	e.ctrl = cpu_to_le64(ctrl);
	return e;
}

void fuzz_cmd_key_write(struct fuzz_cmd_world *w, u8 n,
			const struct xrdma_mpt_entry *e)
{
	fuzz_cmd_poke(w, FUZZ_CMD_MPT + n % FUZZ_CMD_KEYS * sizeof(*e), e,
		      sizeof(*e));
}
