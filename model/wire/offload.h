/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a network interface has left to the hardware: checksums that are not
 * complete, and TCP or UDP frames that are not segmented yet.
 */
#ifndef MODEL_OFFLOAD_H
#define MODEL_OFFLOAD_H

#include <linux/virtio_net.h>

#include "wire/frame.h"

int model_offload_finish(const struct virtio_net_hdr *todo, u8 *data, u32 len,
			 struct model_frame_pool *pool,
			 struct model_frameq *out);

#endif /* MODEL_OFFLOAD_H */
