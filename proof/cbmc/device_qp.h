/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stands for model/core/device.h in harnesses of queue pairs and their attributes:
 * the fields and functions that their files use. CBMC is slow for the whole
 * structure, which has all objects. device_objects.h is the same for the rings of
 * other objects. A file that uses another field does not compile.
 *
 * A harness defines the functions that are only declared here, and those of which
 * the file under proof uses the header.
 */

#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include <linux/bitfield.h>
#include "core/counter.h"
#include "core/cq.h"
#include "core/eq.h"
#include "core/gid.h"
#include "core/inject.h"
#include "core/qp.h"
#include "core/srq.h"
#include "xrdma_regs.h"
#include "no_pcie.h"

/* CBMC is slow for large arrays: this device has few objects. */
#undef MODEL_MAX_QP
#define MODEL_MAX_QP	8
#undef MODEL_MAX_SRQ
#define MODEL_MAX_SRQ	8

struct model_transport {
	const struct model_qp_ops *qp_ops[MODEL_NUM_QP_TYPES];
};

struct model_device {
	struct {
		const struct model_transport *transport;
	} params;
	u64 caps;
	struct model_qp *qps[MODEL_MAX_QP];
	struct model_rss *rss[MODEL_MAX_QP];
	struct model_srq *srqs[MODEL_MAX_SRQ];
	struct {
		u32 eth_qpn;
	} port;
	struct model_injects inject;
	u64 user_errors;
};

void model_device_fatal(struct model_device *dev, u8 code);
struct model_qp *model_qp_get(struct model_device *dev, u32 qpn);
struct model_cq *model_cq_get(struct model_device *dev, u32 cqn);
struct model_srq *model_srq_get(struct model_device *dev, u32 srqn);

#endif /* MODEL_DEVICE_H */
