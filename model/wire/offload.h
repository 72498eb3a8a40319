/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a network interface has left to the hardware: checksums that are not
 * complete, and TCP or UDP frames that are not segmented yet.
 */
#ifndef MODEL_OFFLOAD_H
#define MODEL_OFFLOAD_H

#include <linux/virtio_net.h>
#include <stdbool.h>

#include "wire/frame.h"

/**
 * struct model_cut - how a frame is divided
 * @l3: offset of the IP header
 * @l4: offset of the TCP or UDP header
 * @payload: offset of the payload
 * @ipv4: the IP header is one of IPv4, not IPv6
 * @tcp: the L4 header is one of TCP, not UDP
 * @size: bytes of payload in a segment; the last may have fewer
 * @all: bytes of payload
 * @count: number of segments
 */
struct model_cut {
	u32 l3;
	u32 l4;
	u32 payload;
	bool ipv4;
	bool tcp;
	u32 size;
	u32 all;
	u32 count;
};

int model_cut_plan(struct model_cut *cut, const struct virtio_net_hdr *todo,
		   const u8 *data, u32 len);
void model_cut_frame(const struct model_cut *cut, const u8 *data, u32 index,
		     struct model_frame *frame);
int model_offload_finish(const struct virtio_net_hdr *todo, u8 *data, u32 len,
			 struct model_frame_pool *pool,
			 struct model_frameq *out);

#endif /* MODEL_OFFLOAD_H */
