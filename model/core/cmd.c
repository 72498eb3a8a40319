// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The table of commands: name, size of the body, required capability and
 * handler of each command. A command that violates the specification is refused
 * and is a host error. The rings are in cmdq.c; the handlers call the files of
 * the objects.
 */
#include <linux/array_size.h>
#include <string.h>

#include "core/device.h"
#include "xrdma_encode.h"

#define FW_VERSION	((u64)1 << 32)

/* Type of the handlers below: execute @cmd, fill in the body of @rsp */
typedef enum xrdma_cmd_status (*cmd_fn)(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp);

/**
 * struct cmd_info - properties of a command
 * @name: name as in enum xrdma_cmd_opcode, without prefix
 * @fn: handler; NULL for an unknown command
 * @size: bytes of the body in use; the bytes that follow are reserved
 * @cap: XRDMA_CAP_* that the command needs
 */
struct cmd_info {
	const char *name;
	cmd_fn fn;
	u8 size;
	u64 cap;
};

static u32 object_number(const struct xrdma_cmd *cmd)
{
	return le32_to_cpu(cmd->object.number);
}

static enum xrdma_cmd_status nop(struct model_device *dev,
				 const struct xrdma_cmd *cmd,
				 struct xrdma_rsp *rsp)
{
	(void)dev;
	(void)cmd;
	(void)rsp;
	return XRDMA_CMD_OK;
}

/* EUI-64 (IBTA 4.1.1), made from the permanent MAC address as IEEE defines. */
static void node_guid(const u8 *mac, u8 *guid)
{
	guid[0] = mac[0] ^ 2;
	guid[1] = mac[1];
	guid[2] = mac[2];
	guid[3] = 0xff;
	guid[4] = 0xfe;
	guid[5] = mac[3];
	guid[6] = mac[4];
	guid[7] = mac[5];
}

static enum xrdma_cmd_status query_device(struct model_device *dev,
					  const struct xrdma_cmd *cmd,
					  struct xrdma_rsp *rsp)
{
	(void)cmd;
	rsp->query_device = (struct xrdma_rsp_query_device) {
		.fw_version = cpu_to_le64(FW_VERSION),
		.max_mr_size = cpu_to_le64(1ULL << 47),
		.max_qp = cpu_to_le32(MODEL_MAX_QP),
		.max_cq = cpu_to_le32(MODEL_MAX_CQ),
		.max_srq = cpu_to_le32(MODEL_MAX_SRQ),
		.max_eq = cpu_to_le32(MODEL_MAX_EQ),
		.max_pd = cpu_to_le32(MODEL_MAX_PD),
		.max_gid = cpu_to_le32(MODEL_MAX_GID),
		.max_mcast = cpu_to_le32(MODEL_MAX_MCAST),
		.log_max_qp_wr = MODEL_QP_LOG_WR_MAX,
		.log_max_cqe = MODEL_CQ_LOG_MAX,
		.max_sge = MODEL_MAX_SGE,
		.max_rd_atomic = MODEL_MAX_RD_ATOMIC,
		.log_max_keys = dev->params.log_max_keys,
		.max_mtu = cpu_to_le16(MODEL_MAX_MTU),
		.max_inline = cpu_to_le16(MODEL_MAX_INLINE),
		.device_memory = cpu_to_le64(dev->dm.size),
		.max_counters = cpu_to_le32(MODEL_MAX_COUNTERS),
		.max_flows = cpu_to_le32(MODEL_MAX_FLOWS),
		.log_max_rss = MODEL_RSS_LOG_MAX,
		.log_page_faults = MODEL_PAGE_FAULTS_LOG,
	};
	node_guid(dev->params.mac, rsp->query_device.node_guid);
	return XRDMA_CMD_OK;
}

static enum xrdma_cmd_status query_port(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp)
{
	(void)cmd;
	model_port_query(dev, &rsp->query_port);
	return XRDMA_CMD_OK;
}

static enum xrdma_cmd_status modify_port(struct model_device *dev,
					 const struct xrdma_cmd *cmd,
					 struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_port_modify(dev, &cmd->modify_port);
}

static enum xrdma_cmd_status set_gid(struct model_device *dev,
				     const struct xrdma_cmd *cmd,
				     struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_gid_set(dev, &cmd->set_gid);
}

static enum xrdma_cmd_status query_stats(struct model_device *dev,
					 const struct xrdma_cmd *cmd,
					 struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_counter_query(dev, &cmd->query_stats);
}

static enum xrdma_cmd_status bind_counter(struct model_device *dev,
					  const struct xrdma_cmd *cmd,
					  struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_counter_bind(dev, &cmd->bind_counter);
}

static enum xrdma_cmd_status query_cc(struct model_device *dev,
				      const struct xrdma_cmd *cmd,
				      struct xrdma_rsp *rsp)
{
	(void)cmd;
	rsp->query_cc = dev->cc.set;
	return XRDMA_CMD_OK;
}

static enum xrdma_cmd_status modify_cc(struct model_device *dev,
				       const struct xrdma_cmd *cmd,
				       struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_cc_modify(dev, &cmd->modify_cc);
}

static enum xrdma_cmd_status create_eq(struct model_device *dev,
				       const struct xrdma_cmd *cmd,
				       struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_eq_create(dev, &cmd->create_eq);
}

static enum xrdma_cmd_status destroy_eq(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_eq_destroy(dev, object_number(cmd));
}

static enum xrdma_cmd_status create_cq(struct model_device *dev,
				       const struct xrdma_cmd *cmd,
				       struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_cq_create(dev, &cmd->create_cq);
}

static enum xrdma_cmd_status destroy_cq(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_cq_destroy(dev, object_number(cmd));
}

static enum xrdma_cmd_status resize_cq(struct model_device *dev,
				       const struct xrdma_cmd *cmd,
				       struct xrdma_rsp *rsp)
{
	enum xrdma_cmd_status status;
	u32 index = 0;

	status = model_cq_resize(dev, &cmd->create_cq, &index);
	rsp->resize_cq.index = cpu_to_le32(index);
	return status;
}

static enum xrdma_cmd_status modify_cq(struct model_device *dev,
				       const struct xrdma_cmd *cmd,
				       struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_cq_modify(dev, &cmd->modify_cq);
}

static enum xrdma_cmd_status create_qp(struct model_device *dev,
				       const struct xrdma_cmd *cmd,
				       struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_qp_create(dev, &cmd->create_qp);
}

static enum xrdma_cmd_status modify_qp(struct model_device *dev,
				       const struct xrdma_cmd *cmd,
				       struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_qp_modify(dev, &cmd->modify_qp);
}

static enum xrdma_cmd_status query_qp(struct model_device *dev,
				      const struct xrdma_cmd *cmd,
				      struct xrdma_rsp *rsp)
{
	return model_qp_query(dev, object_number(cmd), &rsp->query_qp);
}

static enum xrdma_cmd_status destroy_qp(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_qp_destroy(dev, object_number(cmd));
}

static enum xrdma_cmd_status create_srq(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_srq_create(dev, &cmd->create_srq);
}

static enum xrdma_cmd_status modify_srq(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_srq_modify(dev, &cmd->modify_srq);
}

static enum xrdma_cmd_status query_srq(struct model_device *dev,
				       const struct xrdma_cmd *cmd,
				       struct xrdma_rsp *rsp)
{
	return model_srq_query(dev, object_number(cmd), &rsp->query_srq);
}

static enum xrdma_cmd_status destroy_srq(struct model_device *dev,
					 const struct xrdma_cmd *cmd,
					 struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_srq_destroy(dev, object_number(cmd));
}

static enum xrdma_cmd_status attach_mcast(struct model_device *dev,
					  const struct xrdma_cmd *cmd,
					  struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_mcast_attach(dev, &cmd->mcast);
}

static enum xrdma_cmd_status detach_mcast(struct model_device *dev,
					  const struct xrdma_cmd *cmd,
					  struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_mcast_detach(dev, &cmd->mcast);
}

static enum xrdma_cmd_status create_flow(struct model_device *dev,
					 const struct xrdma_cmd *cmd,
					 struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_flow_create(dev, &cmd->create_flow);
}

static enum xrdma_cmd_status destroy_flow(struct model_device *dev,
					  const struct xrdma_cmd *cmd,
					  struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_flow_destroy(dev, object_number(cmd));
}

static enum xrdma_cmd_status create_rss(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_rss_create(dev, &cmd->create_rss);
}

static enum xrdma_cmd_status destroy_rss(struct model_device *dev,
					 const struct xrdma_cmd *cmd,
					 struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_rss_destroy(dev, object_number(cmd));
}

static void invalidate_words(struct model_device *dev, __le32 *words, u32 count)
{
	enum xrdma_inval_status status;
	u32 i, index;

	for (i = 0; i < count; i++) {
		index = FIELD_GET(XRDMA_INVAL_INDEX, le32_to_cpu(words[i]));
		status = model_key_invalidate(dev, index);
		if (!status)
			model_pager_end_key(dev, index);
		if (status == XRDMA_INVAL_BAD_INDEX)
			model_dev_herr(dev, INVAL_KEY, "key index %#x", index);
		words[i] = cpu_to_le32(index |
				       FIELD_PREP(XRDMA_INVAL_STATUS, status));
	}
}

static enum xrdma_cmd_status invalidate_batch(struct model_device *dev,
					      u64 addr, u32 count)
{
	__le32 words[XRDMA_INVAL_MAX];
	size_t len = count * sizeof(words[0]);
	u32 i;

	/* Do all steps that can fail before the first invalidation */
	if (model_dma_check(dev->params.dma, addr, len, true) ||
	    model_dma_read(dev->params.dma, addr, words, len)) {
		model_dma_failed(dev, addr, len, true);
		return XRDMA_CMD_BAD_DMA;
	}
	for (i = 0; i < count; i++)
		if (le32_to_cpu(words[i]) & XRDMA_INVAL_STATUS)
			return XRDMA_CMD_BAD_PARAM;
	model_dev_pcie(dev, MODEL_PCIE_COMMAND, false, len);
	invalidate_words(dev, words, count);
	model_dma_write(dev->params.dma, addr, words, len);
	model_dev_pcie(dev, MODEL_PCIE_COMMAND, true, len);
	return XRDMA_CMD_OK;
}

static enum xrdma_cmd_status invalidate(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp)
{
	u64 addr = le64_to_cpu(cmd->invalidate.addr);
	u32 count = le32_to_cpu(cmd->invalidate.count);

	(void)rsp;
	if (count > XRDMA_INVAL_MAX || addr & 7 || (!count && addr) ||
	    cmd->invalidate.reserved)
		return XRDMA_CMD_BAD_PARAM;
	model_keys_forget_tables(dev);
	return count ? invalidate_batch(dev, addr, count) : XRDMA_CMD_OK;
}

static enum xrdma_cmd_status enable_odp(struct model_device *dev,
					const struct xrdma_cmd *cmd,
					struct xrdma_rsp *rsp)
{
	(void)rsp;
	return model_resume_enable(dev, &cmd->enable_odp);
}

static bool range_ok(const struct xrdma_inval_range *range)
{
	u64 pos = le64_to_cpu(range->pos), bytes = le64_to_cpu(range->bytes);
	u64 limit = 1ULL << 63;

	return !range->reserved && bytes && bytes <= limit &&
	       pos <= limit - bytes && !((pos | bytes) & (XRDMA_PAGE_SIZE - 1));
}

static enum xrdma_cmd_status
invalidate_range(struct model_device *dev, const struct xrdma_cmd *cmd,
		 struct xrdma_rsp *rsp)
{
	static const struct xrdma_inval_range none;
	const struct xrdma_inval_range *range = cmd->invalidate_range.range;
	u32 count = le32_to_cpu(cmd->invalidate_range.count);
	u32 i;

	(void)rsp;
	if (!count || count > XRDMA_INVAL_RANGES ||
	    cmd->invalidate_range.reserved)
		return XRDMA_CMD_BAD_PARAM;
	for (i = 0; i < XRDMA_INVAL_RANGES; i++)
		if (i < count ? !range_ok(&range[i]) :
				memcmp(&range[i], &none, sizeof(none)))
			return XRDMA_CMD_BAD_PARAM;
	for (i = 0; i < count; i++)
		model_key_forget_range(dev, le32_to_cpu(range[i].key_index));
	return XRDMA_CMD_OK;
}

#define CMD(op, function, body)						\
	[XRDMA_CMD_##op] = { .name = #op, .fn = function, .size = body }
#define CMD_CAP(op, function, body, capability)				\
	[XRDMA_CMD_##op] = {						\
		.name = #op,						\
		.fn = function,						\
		.size = body,						\
		.cap = XRDMA_CAP_##capability,				\
	}
#define OBJECT		sizeof(struct xrdma_cmd_object)

static const struct cmd_info commands[] = {
	CMD(NOP, nop, 0),
	CMD(QUERY_DEVICE, query_device, 0),
	CMD(QUERY_PORT, query_port, 0),
	CMD(MODIFY_PORT, modify_port, sizeof(struct xrdma_cmd_modify_port)),
	CMD(SET_GID, set_gid, sizeof(struct xrdma_cmd_set_gid)),
	CMD(QUERY_STATS, query_stats, sizeof(struct xrdma_cmd_query_stats)),
	CMD_CAP(BIND_COUNTER, bind_counter,
		sizeof(struct xrdma_cmd_bind_counter), COUNTERS),
	CMD(QUERY_CC, query_cc, 0),
	CMD(MODIFY_CC, modify_cc, sizeof(struct xrdma_cc)),
	CMD(CREATE_EQ, create_eq, sizeof(struct xrdma_cmd_create_eq)),
	CMD(DESTROY_EQ, destroy_eq, OBJECT),
	CMD(CREATE_CQ, create_cq, sizeof(struct xrdma_cmd_create_cq)),
	CMD(DESTROY_CQ, destroy_cq, OBJECT),
	CMD(RESIZE_CQ, resize_cq, sizeof(struct xrdma_cmd_create_cq)),
	CMD(MODIFY_CQ, modify_cq, sizeof(struct xrdma_cmd_modify_cq)),
	CMD(CREATE_QP, create_qp, sizeof(struct xrdma_cmd_create_qp)),
	CMD(MODIFY_QP, modify_qp, sizeof(struct xrdma_cmd_modify_qp)),
	CMD(QUERY_QP, query_qp, OBJECT),
	CMD(DESTROY_QP, destroy_qp, OBJECT),
	CMD_CAP(CREATE_SRQ, create_srq, sizeof(struct xrdma_cmd_create_srq),
		SRQ),
	CMD_CAP(MODIFY_SRQ, modify_srq, sizeof(struct xrdma_cmd_modify_srq),
		SRQ),
	CMD_CAP(QUERY_SRQ, query_srq, OBJECT, SRQ),
	CMD_CAP(DESTROY_SRQ, destroy_srq, OBJECT, SRQ),
	CMD_CAP(ATTACH_MCAST, attach_mcast, sizeof(struct xrdma_cmd_mcast),
		MCAST),
	CMD_CAP(DETACH_MCAST, detach_mcast, sizeof(struct xrdma_cmd_mcast),
		MCAST),
	CMD_CAP(CREATE_FLOW, create_flow, sizeof(struct xrdma_cmd_create_flow),
		FLOW),
	CMD_CAP(DESTROY_FLOW, destroy_flow, OBJECT, FLOW),
	CMD_CAP(CREATE_RSS, create_rss, sizeof(struct xrdma_cmd_create_rss),
		FLOW),
	CMD_CAP(DESTROY_RSS, destroy_rss, OBJECT, FLOW),
	CMD(INVALIDATE, invalidate, sizeof(struct xrdma_cmd_invalidate)),
	CMD_CAP(ENABLE_ODP, enable_odp, sizeof(struct xrdma_cmd_enable_odp),
		ODP),
	CMD_CAP(INVALIDATE_RANGE, invalidate_range,
		sizeof(struct xrdma_cmd_invalidate_range), ODP),
};

#define NUM_COMMANDS	ARRAY_SIZE(commands)

_Static_assert(NUM_COMMANDS <= MODEL_CMD_OPCODES, "MODEL_CMD_OPCODES");

static const struct cmd_info *info_of(const struct model_device *dev,
				      u16 opcode)
{
	const struct cmd_info *info;

	if (opcode >= NUM_COMMANDS)
		return NULL;
	info = &commands[opcode];
	if (!info->fn || info->cap & ~dev->caps)
		return NULL;
	return info;
}

static bool reserved_ok(const struct cmd_info *info,
			const struct xrdma_cmd *cmd)
{
	u32 i;

	for (i = info->size; i < sizeof(cmd->body); i++)
		if (cmd->body[i])
			return false;
	return !cmd->reserved;
}

/*
 * Errors that a correct driver can get: a queue pair may have failed before the
 * driver reads the event; only the device knows the windows of type 2A and the
 * group members of a queue pair; a completion queue may fill up while it is
 * resized; see model_qp_path_mtu_lowered().
 */
static bool excused(struct model_device *dev, const struct xrdma_cmd *cmd,
		    u8 status)
{
	u16 opcode = le16_to_cpu(cmd->opcode);
	struct model_qp *qp = NULL;

	if (opcode == XRDMA_CMD_RESIZE_CQ || opcode == XRDMA_CMD_MODIFY_SRQ)
		return status == XRDMA_CMD_BAD_STATE;
	if (opcode == XRDMA_CMD_ATTACH_MCAST)
		return status == XRDMA_CMD_BAD_NUMBER &&
		       model_qp_get(dev, le32_to_cpu(cmd->mcast.qpn));
	if (opcode == XRDMA_CMD_MODIFY_QP)
		qp = model_qp_get(dev, le32_to_cpu(cmd->modify_qp.qpn));
	else if (opcode == XRDMA_CMD_DESTROY_QP)
		qp = model_qp_get(dev, object_number(cmd));
	if (!qp)
		return false;
	if (status == XRDMA_CMD_BUSY)
		return qp->windows;
	if (status == XRDMA_CMD_BAD_PARAM)
		return model_qp_path_mtu_lowered(dev, &cmd->modify_qp);
	return status == XRDMA_CMD_BAD_STATE &&
	       (qp->state == XRDMA_QPS_ERR || qp->state == XRDMA_QPS_SQE);
}

/* Report a host error for a status that a correct driver never gets. */
static void report(struct model_device *dev, const struct xrdma_cmd *cmd,
		   u8 status)
{
	static const enum model_host_error_kind kinds[] = {
		[XRDMA_CMD_BAD_OPCODE] = MODEL_HERR_CMD_OPCODE,
		[XRDMA_CMD_BAD_PARAM] = MODEL_HERR_CMD_PARAM,
		[XRDMA_CMD_BAD_NUMBER] = MODEL_HERR_CMD_NUMBER,
		[XRDMA_CMD_BAD_STATE] = MODEL_HERR_CMD_STATE,
		[XRDMA_CMD_BUSY] = MODEL_HERR_CMD_BUSY,
		[XRDMA_CMD_BAD_DMA] = MODEL_HERR_CMD_DMA,
	};
	unsigned long long body[6];

	if (status >= ARRAY_SIZE(kinds) || !kinds[status] ||
	    excused(dev, cmd, status))
		return;
	memcpy(body, cmd->body, sizeof(body));
	model_host_error(dev->params.herr, kinds[status],
			 "%s (%#x), id %u, body %016llx %016llx %016llx %016llx %016llx %016llx",
			 model_cmd_name(le16_to_cpu(cmd->opcode)),
			 le16_to_cpu(cmd->opcode), le16_to_cpu(cmd->id),
			 body[0], body[1], body[2], body[3], body[4],
			 body[5]);
}

/**
 * model_cmd_execute - execute a command
 * @dev: the device
 * @cmd: the command, copied from the ring
 * @rsp: filled in, except for the phase
 */
void model_cmd_execute(struct model_device *dev, const struct xrdma_cmd *cmd,
		       struct xrdma_rsp *rsp)
{
	const struct cmd_info *info = info_of(dev, le16_to_cpu(cmd->opcode));

	*rsp = (struct xrdma_rsp) { .opcode = cmd->opcode, .id = cmd->id };
	model_stat_add(dev, XRDMA_STAT_COMMANDS, 1);
	if (info && !reserved_ok(info, cmd)) {
		rsp->status = XRDMA_CMD_BAD_PARAM;
		model_dev_herr(dev, CMD_RESERVED, "%s, id %u", info->name,
			       le16_to_cpu(cmd->id));
		return;
	}
	rsp->status = info ? info->fn(dev, cmd, rsp) : XRDMA_CMD_BAD_OPCODE;
	if (rsp->status) {
		memset(rsp->body, 0, sizeof(rsp->body));
		report(dev, cmd, rsp->status);
	}
}

/**
 * model_cmd_word() - look up the name of a command
 * @opcode: enum xrdma_cmd_opcode; any value is allowed
 *
 * Return: the name as in the enum, without prefix; NULL if there is no such
 * command.
 */
const char *model_cmd_word(u16 opcode)
{
	return opcode < NUM_COMMANDS ? commands[opcode].name : NULL;
}

/**
 * model_cmd_name() - get the name of a command
 * @opcode: enum xrdma_cmd_opcode; any value is allowed
 *
 * Return: the result of model_cmd_word(), or "unknown".
 */
const char *model_cmd_name(u16 opcode)
{
	const char *word = model_cmd_word(opcode);

	return word ? word : "unknown";
}
