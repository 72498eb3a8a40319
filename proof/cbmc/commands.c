// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: the typed functions of the driver's xrdma_cmd.c and
 * xrdma_cmd_port.c, and the handlers of the device, model/core/cmd.c, all compiled
 * unchanged. A stub stands for the rings: it calls the handler that the device has for
 * the opcode. Stubs stand for the objects of the device: they record what they get, and
 * give replies of any contents. What callers fill into the bodies is in create_qp.c,
 * modify_qp.c and create_srq.c; other bodies are no subject here. The encoders of
 * xrdma_encode.h are in encode.c, the rings in device_cmdq.c.
 *
 * CBMC: -I proof/include --unwind 31 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "xrdma_cmd.c"
#include "xrdma_cmd_port.c"
#include "core/cmd.c"

static struct xrdma_dev xdev;
static struct pci_dev pdev;
static struct model_device dev;

/*
 * What the device has executed: the opcode, the command whose function of the device
 * was called, the body, the number of the object
 */
static u32 executed;
static u16 opcode, handled;
static struct xrdma_cmd got;
static u32 object;

/* The device's answer, of any contents */
static struct xrdma_rsp reply;
static u32 reply_index;
static enum xrdma_cmd_status status;

/* The rings: the device executes the command. */
int xrdma_cmd_exec(struct xrdma_dev *x, const struct xrdma_cmd *cmd,
		   struct xrdma_rsp *rsp)
{
	PROVE(x == &xdev && !cmd->id && !cmd->reserved);
	opcode = le16_to_cpu(cmd->opcode);
	PROVE(opcode < NUM_COMMANDS && commands[opcode].fn);
	executed++;
	status = commands[opcode].fn(&dev, cmd, rsp);
	return status ? -EINVAL : 0;
}

int xrdma_cmd_exec_status(struct xrdma_dev *x, const struct xrdma_cmd *cmd)
{
	struct xrdma_rsp rsp;

	return xrdma_cmd_exec(x, cmd, &rsp);
}

int xrdma_cmd_exec_destroy(struct xrdma_dev *x, const struct xrdma_cmd *cmd)
{
	return xrdma_cmd_exec_status(x, cmd);
}

int xrdma_cmd_destroy_outcome(struct xrdma_dev *x, const struct xrdma_cmd *cmd,
			      u8 outcome, int err)
{
	PROVE(x == &xdev && le32_to_cpu(cmd->object.number) == object);
	(void)outcome;
	return err;
}

/* An object of the device that records the body of its command */
#define RECORDS(op, function, type, field)				\
	enum xrdma_cmd_status function(struct model_device *device,	\
				       const struct type *body)		\
	{								\
		PROVE(device == &dev);					\
		handled = XRDMA_CMD_##op;				\
		got.field = *body;					\
		return nondet_truth() ? XRDMA_CMD_OK : XRDMA_CMD_BUSY;	\
	}

RECORDS(MODIFY_PORT, model_port_modify, xrdma_cmd_modify_port, modify_port)
RECORDS(SET_GID, model_gid_set, xrdma_cmd_set_gid, set_gid)
RECORDS(QUERY_STATS, model_counter_query, xrdma_cmd_query_stats, query_stats)
RECORDS(BIND_COUNTER, model_counter_bind, xrdma_cmd_bind_counter, bind_counter)
RECORDS(MODIFY_CC, model_cc_modify, xrdma_cc, modify_cc)
RECORDS(CREATE_EQ, model_eq_create, xrdma_cmd_create_eq, create_eq)
RECORDS(CREATE_CQ, model_cq_create, xrdma_cmd_create_cq, create_cq)
RECORDS(MODIFY_CQ, model_cq_modify, xrdma_cmd_modify_cq, modify_cq)
RECORDS(CREATE_QP, model_qp_create, xrdma_cmd_create_qp, create_qp)
RECORDS(MODIFY_QP, model_qp_modify, xrdma_cmd_modify_qp, modify_qp)
RECORDS(CREATE_SRQ, model_srq_create, xrdma_cmd_create_srq, create_srq)
RECORDS(MODIFY_SRQ, model_srq_modify, xrdma_cmd_modify_srq, modify_srq)
RECORDS(ATTACH_MCAST, model_mcast_attach, xrdma_cmd_mcast, mcast)
RECORDS(DETACH_MCAST, model_mcast_detach, xrdma_cmd_mcast, mcast)
RECORDS(CREATE_FLOW, model_flow_create, xrdma_cmd_create_flow, create_flow)
RECORDS(CREATE_RSS, model_rss_create, xrdma_cmd_create_rss, create_rss)

/* An object of the device that records its number */
#define ENDS(op, function)						\
	enum xrdma_cmd_status function(struct model_device *device,	\
				       u32 number)			\
	{								\
		PROVE(device == &dev);					\
		handled = XRDMA_CMD_##op;				\
		object = number;					\
		return nondet_truth() ? XRDMA_CMD_OK : XRDMA_CMD_BUSY;	\
	}

ENDS(DESTROY_EQ, model_eq_destroy)
ENDS(DESTROY_CQ, model_cq_destroy)
ENDS(DESTROY_QP, model_qp_destroy)
ENDS(DESTROY_SRQ, model_srq_destroy)
ENDS(DESTROY_FLOW, model_flow_destroy)
ENDS(DESTROY_RSS, model_rss_destroy)

enum xrdma_cmd_status model_cq_resize(struct model_device *device,
				      const struct xrdma_cmd_create_cq *body,
				      u32 *index)
{
	PROVE(device == &dev);
	handled = XRDMA_CMD_RESIZE_CQ;
	got.create_cq = *body;
	reply_index = nondet_u32();
	*index = reply_index;
	return nondet_truth() ? XRDMA_CMD_OK : XRDMA_CMD_BUSY;
}

enum xrdma_cmd_status model_qp_query(struct model_device *device, u32 qpn,
				     struct xrdma_rsp_query_qp *rsp)
{
	PROVE(device == &dev);
	handled = XRDMA_CMD_QUERY_QP;
	object = qpn;
	*rsp = reply.query_qp;
	return XRDMA_CMD_OK;
}

enum xrdma_cmd_status model_srq_query(struct model_device *device, u32 srqn,
				      struct xrdma_rsp_query_srq *rsp)
{
	PROVE(device == &dev);
	handled = XRDMA_CMD_QUERY_SRQ;
	object = srqn;
	*rsp = reply.query_srq;
	return XRDMA_CMD_OK;
}

void model_port_query(const struct model_device *device,
		      struct xrdma_rsp_query_port *rsp)
{
	PROVE(device == &dev);
	handled = XRDMA_CMD_QUERY_PORT;
	*rsp = reply.query_port;
}

/* The one array that a command names */
static u8 array[sizeof(struct xrdma_flow_rule)];
static u64 array_addr;
static bool allocated;

void *dma_alloc_coherent(struct device *device, size_t size, dma_addr_t *addr,
			 gfp_t flags)
{
	(void)flags;
	PROVE(device == &pdev.dev && size <= sizeof(array) && !allocated);
	*addr = array_addr;
	allocated = nondet_truth();
	return allocated ? array : NULL;
}

void dma_free_coherent(struct device *device, size_t size, void *mem,
		       dma_addr_t addr)
{
	PROVE(device == &pdev.dev && size <= sizeof(array));
	PROVE(allocated && mem == array && addr == array_addr);
	allocated = false;
}

static void start(void)
{
	struct xrdma_rsp any;

	reply = any;	/* not initialised: any contents */
	xdev.pdev = &pdev;
	array_addr = nondet_u64();
}

/* Has the device executed one command of this opcode, with the outcome @err? */
static bool is_done(enum xrdma_cmd_opcode wanted, int err)
{
	return executed == 1 && opcode == wanted && handled == wanted &&
	       !err == !status;
}

/*
 * Theorem: The device executes each command that names an object once, with the
 *	operation and the number that the driver's function has; the driver
 *	returns an error exactly if the device does.
 * Holds for: all numbers; DESTROY_CQ, DESTROY_QP, DESTROY_SRQ, DESTROY_FLOW,
 *	DESTROY_RSS.
 * Assumes: nothing.
 */
static void objects_are_named(void)
{
	u32 number = nondet_u32();
	u8 which = nondet_u8();

	start();
	if (which == 0)
		PROVE(is_done(XRDMA_CMD_DESTROY_CQ,
			      xrdma_cmd_destroy_cq(&xdev, number)));
	else if (which == 1)
		PROVE(is_done(XRDMA_CMD_DESTROY_QP,
			      xrdma_cmd_destroy_qp(&xdev, number, false)));
	else if (which == 2)
		PROVE(is_done(XRDMA_CMD_DESTROY_SRQ,
			      xrdma_cmd_destroy_srq(&xdev, number)));
	else if (which == 3)
		PROVE(is_done(XRDMA_CMD_DESTROY_FLOW,
			      xrdma_cmd_destroy_flow(&xdev, number)));
	else
		PROVE(is_done(XRDMA_CMD_DESTROY_RSS,
			      xrdma_cmd_destroy_rss(&xdev, number)));
	REACHABLE(which == 4 && object >> 31);
	PROVE(object == number);
}

/*
 * Theorem: The device executes CREATE_EQ, CREATE_CQ, RESIZE_CQ, MODIFY_CQ and
 *	BIND_COUNTER with each argument of the driver's function, and with zeros
 *	in the other fields; the driver gets the index that the device answers to
 *	RESIZE_CQ.
 * Holds for: all arguments.
 * Assumes: nothing.
 */
static void queues_get_their_arguments(void)
{
	u32 n = nondet_u32(), m = nondet_u32(), page = nondet_u32(), index = 0;
	u16 count = nondet_u16(), period = nondet_u16();
	u64 root = nondet_u64();
	u8 log = nondet_u8(), which = nondet_u8();
	int err;

	start();
	if (which == 0) {
		err = xrdma_cmd_create_eq(&xdev, n, count, log, root);
		PROVE(is_done(XRDMA_CMD_CREATE_EQ, err));
		PROVE(le64_to_cpu(got.create_eq.root) == root);
		PROVE(le32_to_cpu(got.create_eq.eqn) == n);
		PROVE(le16_to_cpu(got.create_eq.vector) == count);
		PROVE(got.create_eq.log_depth == log && !got.create_eq.reserved);
	} else if (which == 1) {
		err = xrdma_cmd_modify_cq(&xdev, n, count, period);
		PROVE(is_done(XRDMA_CMD_MODIFY_CQ, err));
		PROVE(le32_to_cpu(got.modify_cq.cqn) == n);
		PROVE(le16_to_cpu(got.modify_cq.count) == count);
		PROVE(le16_to_cpu(got.modify_cq.period) == period);
	} else if (which == 2) {
		err = xrdma_cmd_bind_counter(&xdev, n, m);
		PROVE(is_done(XRDMA_CMD_BIND_COUNTER, err));
		PROVE(le32_to_cpu(got.bind_counter.qpn) == n);
		PROVE(le32_to_cpu(got.bind_counter.counter) == m);
	} else if (which == 3) {
		err = xrdma_cmd_create_cq(&xdev, n, m, page, log, root);
		PROVE(is_done(XRDMA_CMD_CREATE_CQ, err));
	} else {
		m = 0;
		page = 0;
		err = xrdma_cmd_resize_cq(&xdev, n, log, root, &index);
		PROVE(is_done(XRDMA_CMD_RESIZE_CQ, err));
		PROVE(index == (err ? 0 : reply_index));
	}
	REACHABLE(which == 4 && index && !err);
	REACHABLE(which == 3 && err);
	ASSUME(which >= 3);
	PROVE(le64_to_cpu(got.create_cq.root) == root);
	PROVE(le32_to_cpu(got.create_cq.cqn) == n);
	PROVE(le32_to_cpu(got.create_cq.eqn) == m);
	PROVE(le32_to_cpu(got.create_cq.db_page) == page);
	PROVE(got.create_cq.log_depth == log);
	PROVE(!got.create_cq.reserved[0] && !got.create_cq.reserved[2]);
}

/* Two structures are equal in each byte. */
#define EXPECT_SAME(a, b) do {						\
	typeof(a) __a = (a);						\
	typeof(a) __b = (b);						\
	u32 __i = nondet_u32();						\
									\
	PROVE(__i >= sizeof(__a) ||					\
	      ((u8 *)&__a)[__i] == ((u8 *)&__b)[__i]);			\
} while (0)

/*
 * Theorem: The device executes CREATE_QP, CREATE_SRQ, MODIFY_SRQ, MODIFY_PORT,
 *	SET_GID and MODIFY_CC with the body that the caller has filled in, and
 *	MODIFY_QP with the number, the mask and the attributes of the caller.
 * Holds for: all bodies.
 * Assumes: nothing.
 */
static void bodies_arrive(void)
{
	u32 n = nondet_u32(), mask = nondet_u32();
	u8 which = nondet_u8();
	struct xrdma_cmd any;

	start();
	if (which == 0) {
		PROVE(is_done(XRDMA_CMD_CREATE_QP,
			      xrdma_cmd_create_qp(&xdev, &any.create_qp)));
		EXPECT_SAME(got.create_qp, any.create_qp);
	} else if (which == 1) {
		PROVE(is_done(XRDMA_CMD_CREATE_SRQ,
			      xrdma_cmd_create_srq(&xdev, &any.create_srq)));
		EXPECT_SAME(got.create_srq, any.create_srq);
	} else if (which == 2) {
		PROVE(is_done(XRDMA_CMD_MODIFY_SRQ,
			      xrdma_cmd_modify_srq(&xdev, &any.modify_srq)));
		EXPECT_SAME(got.modify_srq, any.modify_srq);
	} else if (which == 3) {
		PROVE(is_done(XRDMA_CMD_MODIFY_PORT,
			      xrdma_cmd_modify_port(&xdev, &any.modify_port)));
		EXPECT_SAME(got.modify_port, any.modify_port);
	} else if (which == 4) {
		PROVE(is_done(XRDMA_CMD_SET_GID,
			      xrdma_cmd_set_gid(&xdev, &any.set_gid)));
		EXPECT_SAME(got.set_gid, any.set_gid);
	} else if (which == 5) {
		PROVE(is_done(XRDMA_CMD_MODIFY_CC,
			      xrdma_cmd_modify_cc(&xdev, &any.modify_cc)));
		EXPECT_SAME(got.modify_cc, any.modify_cc);
	} else {
		PROVE(is_done(XRDMA_CMD_MODIFY_QP,
			      xrdma_cmd_modify_qp(&xdev, n, mask,
						  &any.modify_qp.attr)));
		PROVE(le32_to_cpu(got.modify_qp.qpn) == n);
		PROVE(le32_to_cpu(got.modify_qp.mask) == mask);
		EXPECT_SAME(got.modify_qp.attr, any.modify_qp.attr);
	}
	REACHABLE(which == 6 && n >> 31 && !status);
}

/*
 * Theorem: The driver gets each field of the replies to QUERY_QP, QUERY_SRQ and
 *	QUERY_PORT as the device has answered it, for the object that the driver
 *	has named; it takes an undefined state of a queue pair for an error.
 * Holds for: all numbers and replies.
 * Assumes: nothing.
 */
static void replies_arrive(void)
{
	struct xrdma_rsp_query_port port;
	struct xrdma_rsp_query_srq srq;
	struct xrdma_rsp_query_qp qp;
	u32 number = nondet_u32();
	u8 which = nondet_u8();
	int err;

	start();
	if (which == 0) {
		err = xrdma_cmd_query_qp(&xdev, number, &qp);
		REACHABLE(err);
		PROVE(opcode == XRDMA_CMD_QUERY_QP && handled == opcode);
		PROVE(executed == 1);
		PROVE(!err == (reply.query_qp.attr.state <= XRDMA_QPS_ERR));
		EXPECT_SAME(qp, reply.query_qp);
		PROVE(object == number);
	} else if (which == 1) {
		err = xrdma_cmd_query_srq(&xdev, number, &srq);
		PROVE(is_done(XRDMA_CMD_QUERY_SRQ, err));
		EXPECT_SAME(srq, reply.query_srq);
		PROVE(object == number);
	} else {
		PROVE(is_done(XRDMA_CMD_QUERY_PORT,
			      xrdma_cmd_query_port(&xdev, &port)));
		EXPECT_SAME(port, reply.query_port);
	}
	REACHABLE(which == 2 && port.speed);
}

/*
 * Theorem: The device executes CREATE_FLOW with each argument of the driver's function
 *	and the bus address of a copy of the rule, which the driver frees
 *	afterwards; without memory for the copy, it sends no command.
 * Holds for: all arguments and rules.
 * Assumes: the device is not dead.
 */
static void flow_rules_arrive(void)
{
	u32 flow = nondet_u32(), qpn = nondet_u32();
	u16 priority = nondet_u16(), flags = nondet_u16();
	struct xrdma_flow_rule rule;
	int err;

	start();
	err = xrdma_cmd_create_flow(&xdev, flow, qpn, priority, flags, &rule);
	REACHABLE(!err);
	REACHABLE(err == -ENOMEM);
	PROVE(!allocated && executed == (err != -ENOMEM));
	if (err == -ENOMEM)
		return;
	PROVE(is_done(XRDMA_CMD_CREATE_FLOW, err));
	PROVE(le64_to_cpu(got.create_flow.addr) == array_addr);
	PROVE(le32_to_cpu(got.create_flow.flow) == flow);
	PROVE(le32_to_cpu(got.create_flow.qpn) == qpn);
	PROVE(le16_to_cpu(got.create_flow.priority) == priority);
	PROVE(le16_to_cpu(got.create_flow.flags) == flags);
	EXPECT_SAME(*(struct xrdma_flow_rule *)array, rule);
}

/*
 * Theorem: The device executes CREATE_RSS with the body that the caller has filled in
 *	and the bus address of a copy of the table, which the driver frees
 *	afterwards; without memory for the copy, it sends no command.
 * Holds for: all bodies, tables of 1 to 32 entries.
 * Assumes: the device is not dead.
 */
static void tables_arrive(void)
{
	struct xrdma_cmd_create_rss rss;
	__le32 table[32];
	u32 i = nondet_u32();
	int err;

	start();
	ASSUME(rss.log_size <= 5 && i < 1U << rss.log_size);
	err = xrdma_cmd_create_rss(&xdev, &rss, table);
	REACHABLE(!err && i == 31);
	REACHABLE(err == -ENOMEM);
	PROVE(!allocated && executed == (err != -ENOMEM));
	if (err == -ENOMEM)
		return;
	PROVE(is_done(XRDMA_CMD_CREATE_RSS, err));
	PROVE(((__le32 *)array)[i] == table[i]);
	rss.addr = cpu_to_le64(array_addr);
	EXPECT_SAME(got.create_rss, rss);
}

/*
 * Theorem: The driver takes each limit of QUERY_DEVICE as the device states it, but
 *	none above the largest one that the driver can handle: 2^24 numbers, 256
 *	GIDs, 65,536 counter sets, work queues of 2^15 and completion queues of
 *	2^22 entries, tables of 2^24 keys and of 2^16 entries for RSS.
 * Holds for: all replies.
 * Assumes: nothing.
 */
static void limits_are_taken(void)
{
	struct xrdma_rsp_query_device r;
	struct xrdma_caps caps;
	u32 n = 1 << 24;

	xrdma_cmd_read_caps(&caps, &r);
	REACHABLE(caps.max_qp == n && le32_to_cpu(r.max_qp) > n);
	REACHABLE(caps.max_cqe == 16);
	PROVE(caps.fw_version == le64_to_cpu(r.fw_version));
	PROVE(caps.node_guid == *(__be64 *)r.node_guid);
	PROVE(caps.max_mr_size == le64_to_cpu(r.max_mr_size));
	PROVE(caps.max_qp == min(le32_to_cpu(r.max_qp), n));
	PROVE(caps.max_cq == min(le32_to_cpu(r.max_cq), n));
	PROVE(caps.max_srq == min(le32_to_cpu(r.max_srq), n));
	PROVE(caps.max_pd == min(le32_to_cpu(r.max_pd), n));
	PROVE(caps.max_flows == min(le32_to_cpu(r.max_flows), n));
	PROVE(caps.max_gid == min(le32_to_cpu(r.max_gid), 256));
	PROVE(caps.max_counters == min(le32_to_cpu(r.max_counters), 65536));
	PROVE(caps.max_eq == le32_to_cpu(r.max_eq));
	PROVE(caps.max_mcast == le32_to_cpu(r.max_mcast));
	PROVE(caps.max_qp_wr == 1U << min(r.log_max_qp_wr, 15));
	PROVE(caps.max_cqe == 1U << min(r.log_max_cqe, 22));
	PROVE(caps.max_rss == 1U << min(r.log_max_rss, 16));
	PROVE(caps.log_max_keys == min(r.log_max_keys, 24));
	PROVE(caps.max_sge == r.max_sge);
	PROVE(caps.max_rd_atomic == r.max_rd_atomic);
	PROVE(caps.max_mtu == le16_to_cpu(r.max_mtu));
	PROVE(caps.max_inline == le16_to_cpu(r.max_inline));
	PROVE(caps.device_memory == le64_to_cpu(r.device_memory));
}
