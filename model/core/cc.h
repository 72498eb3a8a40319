/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion control of connections (IBTA A17.9): the parameters, and the time at
 * which a queue pair may send. Its rate is computed in dcqcn.c; notification
 * packets are sent by transport/cnp.c.
 */
#ifndef XRDMA_MODEL_CC_H
#define XRDMA_MODEL_CC_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/loop.h"
#include "core/dcqcn.h"
#include "xrdma_hw.h"

struct xrdma_device;
struct xrdma_qp;

/* A queue pair that did not send may make up for no more time than this. */
#define XRDMA_CC_BURST_NS	50000

/* Bits of the traffic class that concern congestion (RFC 3168). */
#define XRDMA_ECN_MASK		0x03
#define XRDMA_ECN_ECT0		0x02
#define XRDMA_ECN_CE		0x03

/**
 * struct xrdma_cc_state - congestion control of a queue pair
 * @rp: reaction point
 * @next_ns: when its next packet may leave, if it is slowed
 * @timer: fires then
 * @resume: is called then
 * @cnp_ns: when it last sent a notification
 * @cnp_sent: it has sent one
 */
struct xrdma_cc_state {
	struct xrdma_dcqcn rp;
	u64 next_ns;
	struct xrdma_timer timer;
	void (*resume)(struct xrdma_qp *qp);
	u64 cnp_ns;
	bool cnp_sent;
};

/**
 * struct xrdma_cc_conf - congestion control of a device
 * @set: as MODIFY_CC set it
 * @params: the same for the reaction point
 * @rp: reaction points are on
 * @np: notification points are on
 * @cnp_interval_ns: shortest time between two notifications of a queue pair
 */
struct xrdma_cc_conf {
	struct xrdma_cc set;
	struct xrdma_dcqcn_params params;
	bool rp;
	bool np;
	u64 cnp_interval_ns;
};

/* cc.c: parameters */
void xrdma_cc_reset(struct xrdma_device *dev);
enum xrdma_cmd_status xrdma_cc_modify(struct xrdma_device *dev,
				      const struct xrdma_cc *set);
bool xrdma_cc_applies(const struct xrdma_qp *qp);

/* cc_qp.c: queue pairs */
void xrdma_cc_init(struct xrdma_qp *qp, void (*resume)(struct xrdma_qp *qp));
void xrdma_cc_stop(struct xrdma_qp *qp);
void xrdma_cc_notified(struct xrdma_qp *qp);
bool xrdma_cc_wait(struct xrdma_qp *qp);
void xrdma_cc_account(struct xrdma_qp *qp, u32 bytes);

#endif /* XRDMA_MODEL_CC_H */
