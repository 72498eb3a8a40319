// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RSS objects: CREATE_RSS, DESTROY_RSS, and the Toeplitz hash.
 * packet/flow_fields.c parses the frames, transport/eth.c delivers them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/device.h"
#include "core/rss.h"

/* Largest number of hashed bytes: two addresses of IPv6 and two ports. */
#define MAX_INPUT	(2 * 16 + 2 * 2)

_Static_assert(MAX_INPUT + sizeof(u32) <= XRDMA_RSS_KEY_BYTES,
	       "key too short");

static enum xrdma_cmd_status read_table(struct model_device *dev, u64 addr,
					struct model_rss *rss)
{
	__le32 numbers[1 << MODEL_RSS_LOG_MAX];
	size_t len = sizeof(numbers[0]) << rss->log_size;
	u32 i;

	if (model_dma_read(dev->params.dma, addr, numbers, len)) {
		model_dma_failed(dev, addr, len, false);
		return XRDMA_CMD_BAD_DMA;
	}
	model_dev_pcie(dev, MODEL_PCIE_COMMAND, false, len);
	for (i = 0; i < 1U << rss->log_size; i++) {
		rss->table[i] = model_qp_get(dev, le32_to_cpu(numbers[i]));
		if (!rss->table[i])
			return XRDMA_CMD_BAD_NUMBER;
		if (rss->table[i]->type != XRDMA_QP_RAW)
			return XRDMA_CMD_BAD_PARAM;
	}
	return XRDMA_CMD_OK;
}

static bool params_ok(const struct xrdma_cmd_create_rss *p)
{
	return p->log_size <= MODEL_RSS_LOG_MAX &&
	       !(le64_to_cpu(p->addr) % sizeof(__le32)) &&
	       !(p->fields & ~XRDMA_RSS_FIELDS) &&
	       !p->reserved[0] && !p->reserved[1];
}

/* Count the table in its queue pairs: they cannot be destroyed before it. */
static void use_table(const struct model_rss *rss, int n)
{
	u32 i;

	for (i = 0; i < 1U << rss->log_size; i++)
		rss->table[i]->steer_users += n;
}

/**
 * model_rss_create - CREATE_RSS
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_rss_create(struct model_device *dev,
				       const struct xrdma_cmd_create_rss *p)
{
	u32 qpn = le32_to_cpu(p->qpn);
	enum xrdma_cmd_status status;
	struct model_rss *rss;

	if (qpn < XRDMA_QPN_FIRST || qpn >= MODEL_MAX_QP || dev->qps[qpn] ||
	    dev->rss[qpn])
		return XRDMA_CMD_BAD_NUMBER;
	if (!params_ok(p))
		return XRDMA_CMD_BAD_PARAM;
	rss = calloc(1, sizeof(*rss));
	if (!rss)
		return XRDMA_CMD_NO_RESOURCE;
	rss->qpn = qpn;
	rss->fields = p->fields;
	rss->log_size = p->log_size;
	memcpy(rss->key, p->key, sizeof(rss->key));
	status = read_table(dev, le64_to_cpu(p->addr), rss);
	if (status) {
		free(rss);
		return status;
	}
	use_table(rss, 1);
	dev->rss[qpn] = rss;
	return XRDMA_CMD_OK;
}

static void rss_free(struct model_device *dev, struct model_rss *rss)
{
	use_table(rss, -1);
	dev->rss[rss->qpn] = NULL;
	free(rss);
}

/**
 * model_rss_destroy - DESTROY_RSS
 * @dev: the device
 * @qpn: number
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_rss_destroy(struct model_device *dev, u32 qpn)
{
	struct model_rss *rss = model_rss_get(dev, qpn);

	if (!rss)
		return XRDMA_CMD_BAD_NUMBER;
	if (rss->users || dev->port.eth_qpn == qpn)
		return XRDMA_CMD_BUSY;
	rss_free(dev, rss);
	return XRDMA_CMD_OK;
}

/**
 * model_rss_reset - destroy all RSS objects
 * @dev: the device; its flow rules are destroyed, its queue pairs still exist
 */
void model_rss_reset(struct model_device *dev)
{
	u32 i;

	for (i = 0; i < MODEL_MAX_QP; i++)
		if (dev->rss[i])
			rss_free(dev, dev->rss[i]);
}

/**
 * model_rss_hash - compute a Toeplitz hash
 * @key: key of 40 bytes
 * @data: bytes to hash
 * @len: number of bytes in @data, at most 36
 *
 * The hash is the exclusive or, over all bits N of @data that are 1, of the
 * bits N to N + 31 of the key.
 *
 * Return: the hash.
 */
u32 model_rss_hash(const u8 *key, const u8 *data, u32 len)
{
	u32 window = model_get32(key);
	u32 hash = 0;
	u32 i;
	int bit;

	for (i = 0; i < len; i++) {
		for (bit = 7; bit >= 0; bit--) {
			if (data[i] >> bit & 1)
				hash ^= window;
			window = window << 1 |
				 (key[i + sizeof(window)] >> bit & 1);
		}
	}
	return hash;
}

static u32 add_bytes(u8 *to, bool wanted, const void *from, u32 len)
{
	if (!wanted)
		return 0;
	memcpy(to, from, len);
	return len;
}

/* Copy the fields to hash to @to. Return: number of bytes. */
static u32 input(u8 *to, const struct xrdma_flow_fields *f, u8 fields)
{
	const u8 src_port = XRDMA_RSS_SRC_PORT_TCP | XRDMA_RSS_SRC_PORT_UDP;
	const u8 dst_port = XRDMA_RSS_DST_PORT_TCP | XRDMA_RSS_DST_PORT_UDP;
	u32 len;

	len = add_bytes(to, fields & XRDMA_RSS_SRC_IPV4, f->src_ip + 12, 4);
	len += add_bytes(to + len, fields & XRDMA_RSS_SRC_IPV6, f->src_ip, 16);
	len += add_bytes(to + len, fields & XRDMA_RSS_DST_IPV4, f->dst_ip + 12,
			 4);
	len += add_bytes(to + len, fields & XRDMA_RSS_DST_IPV6, f->dst_ip, 16);
	len += add_bytes(to + len, fields & src_port, &f->src_port, 2);
	len += add_bytes(to + len, fields & dst_port, &f->dst_port, 2);
	return len;
}

/**
 * model_rss_pick - select the queue pair for a frame
 * @rss: the object
 * @fields: fields of the frame
 * @have: XRDMA_RSS_* of the fields that the frame has
 *
 * Return: the queue pair that receives the frame.
 */
struct model_qp *model_rss_pick(const struct model_rss *rss,
				const struct xrdma_flow_fields *fields,
				u8 have)
{
	u8 data[MAX_INPUT];
	u32 len = input(data, fields, have & rss->fields);
	u32 hash = model_rss_hash(rss->key, data, len);

	return rss->table[hash & ((1U << rss->log_size) - 1)];
}
