/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion control of connections (IBTA A17.9): the parameters, and the time at
 * which a queue pair may send. Its rate is computed in dcqcn.c; notification
 * packets are sent by transport/cnp.c.
 */
#ifndef MODEL_CC_H
#define MODEL_CC_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/loop.h"
#include "core/dcqcn.h"
#include "xrdma_hw.h"

struct model_device;
struct model_qp;

/* Longest time without sends for which a queue pair may send a burst later */
#define MODEL_CC_BURST_NS	50000

/* ECN bits of the traffic class (RFC 3168). */
#define MODEL_ECN_MASK		0x03
#define MODEL_ECN_ECT0		0x02
#define MODEL_ECN_CE		0x03

/**
 * struct model_cc_state - congestion control of a queue pair
 * @rp: reaction point
 * @next_ns: time when the next packet may be sent, if @rp.slowed
 * @timer: fires at @next_ns, if a packet waits
 * @resume: called when @timer fires
 * @cnp_ns: time when the queue pair last sent a notification
 * @cnp_sent: the queue pair has sent a notification
 */
struct model_cc_state {
	struct model_dcqcn rp;
	u64 next_ns;
	struct model_timer timer;
	void (*resume)(struct model_qp *qp);
	u64 cnp_ns;
	bool cnp_sent;
};

/**
 * struct model_cc_conf - congestion control of a device
 * @set: parameters as set by MODIFY_CC
 * @params: parameters of the reaction point, in the units of dcqcn.h
 * @rp: reaction points are enabled
 * @np: notification points are enabled
 * @cnp_interval_ns: shortest time between two notifications of a queue pair
 */
struct model_cc_conf {
	struct xrdma_cc set;
	struct model_dcqcn_params params;
	bool rp;
	bool np;
	u64 cnp_interval_ns;
};

/* cc.c: parameters */
void model_cc_reset(struct model_device *dev);
enum xrdma_cmd_status model_cc_modify(struct model_device *dev,
				      const struct xrdma_cc *set);
bool model_cc_applies(const struct model_qp *qp);

/* cc_qp.c: queue pairs */
void model_cc_init(struct model_qp *qp, void (*resume)(struct model_qp *qp));
void model_cc_stop(struct model_qp *qp);
void model_cc_notified(struct model_qp *qp);
bool model_cc_wait(struct model_qp *qp);
void model_cc_account(struct model_qp *qp, u32 bytes);

#endif /* MODEL_CC_H */
