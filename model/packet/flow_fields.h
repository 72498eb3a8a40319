/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Parser of the fields of a frame that flow rules and receive side scaling use.
 *
 * The flow rules are in core/flow.c, the hash is in core/rss.c.
 */
#ifndef MODEL_FLOW_FIELDS_H
#define MODEL_FLOW_FIELDS_H

#include <linux/types.h>

#include "xrdma_hw.h"

u8 model_flow_fields(struct xrdma_flow_fields *fields, const u8 *frame,
		     u32 len);

#endif /* MODEL_FLOW_FIELDS_H */
