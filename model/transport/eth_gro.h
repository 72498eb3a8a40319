/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Merges received frames of TCP: the inverse of the division of frames in
 * wire/offload.c. Knows neither device nor queue pair; eth.c decides which frames
 * are merged, and writes the merged frame to a receive entry.
 */
#ifndef MODEL_ETH_GRO_H
#define MODEL_ETH_GRO_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "core/qp.h"
#include "packet/net.h"
#include "xrdma_hw_eth.h"

/**
 * struct model_gro - frames that are merged
 * @link: entry of model_device.merging, while @count is not 0
 * @count: number of frames; 0: there is no frame, and other fields have no meaning
 * @len: bytes in @data
 * @max: largest value of @len
 * @l3: offset of the IP header
 * @l4: offset of the TCP header
 * @payload: offset of the payload
 * @mss: bytes of payload of the first frame
 * @seq: sequence number of the next frame
 * @id: identification of the next frame, in IPv4
 * @end_flags: FIN and PSH of the last frame
 * @ipv4: the IP header is one of IPv4, not IPv6
 * @open: a further frame may follow
 * @taken_ns: time at which the device took the last frame from the wire
 * @data: the first frame, then the payload of the others
 */
struct model_gro {
	TAILQ_ENTRY(model_qp) link;
	u32 count;
	u32 len;
	u32 max;
	u32 l3;
	u32 l4;
	u32 payload;
	u32 mss;
	u32 seq;
	u16 id;
	u8 end_flags;
	bool ipv4;
	bool open;
	u64 taken_ns;
	u8 data[MODEL_VLAN_BYTES + XRDMA_ETH_TSO_MAX];
};

bool model_gro_start(struct model_gro *gro, const u8 *frame, u32 len, u32 max);
bool model_gro_add(struct model_gro *gro, const u8 *frame, u32 len);
void model_gro_finish(struct model_gro *gro);

#endif /* MODEL_ETH_GRO_H */
