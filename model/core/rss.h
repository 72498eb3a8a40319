/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive side scaling: tables of queue pairs, and the hash that selects a
 * queue pair from a table. transport/eth.c delivers the frames.
 */
#ifndef MODEL_RSS_H
#define MODEL_RSS_H

#include <linux/types.h>

#include "xrdma_hw.h"

struct model_device;
struct model_qp;

#define MODEL_RSS_LOG_MAX	7

/**
 * struct model_rss - RSS object
 * @qpn: number of the object; shares the numbers of queue pairs
 * @fields: XRDMA_RSS_* bits of the fields that are hashed
 * @log_size: log2 of the number of entries in @table
 * @key: key of the hash
 * @users: number of flow rules that name the object
 * @table: queue pairs
 */
struct model_rss {
	u32 qpn;
	u8 fields;
	u8 log_size;
	u8 key[XRDMA_RSS_KEY_BYTES];
	u32 users;
	struct model_qp *table[1 << MODEL_RSS_LOG_MAX];
};

enum xrdma_cmd_status model_rss_create(struct model_device *dev,
				       const struct xrdma_cmd_create_rss *p);
enum xrdma_cmd_status model_rss_destroy(struct model_device *dev, u32 qpn);
struct model_qp *model_rss_pick(const struct model_rss *rss,
				const struct xrdma_flow_fields *fields,
				u8 have);
u32 model_rss_hash(const u8 *key, const u8 *data, u32 len);
void model_rss_reset(struct model_device *dev);

#endif /* MODEL_RSS_H */
