/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copies of request packets that wait for a page. responder.c decides which
 * packets wait, and executes them later. early.h has the packets that wait for
 * an earlier packet; their memory is counted here, too.
 */
#ifndef MODEL_PARKED_H
#define MODEL_PARKED_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "packet/pkt.h"

struct model_device;
struct model_qp;

/* Largest number of packets of a queue pair that wait. */
#define MODEL_PARKED_MAX	2048
/* Largest memory of all packets that wait, in bytes. */
#define MODEL_PARKED_BYTES	0x10000000U
/* Largest memory of those of the queue pairs of a protection domain. */
#define MODEL_PARKED_BYTES_PD	(MODEL_PARKED_BYTES / 4)

/**
 * struct model_parked_pkt - a packet that waits
 * @link: link of model_parked.pkts or model_early.pkts
 * @pd: protection domain of the queue pair when the packet was parked. That of
 *	an XRC_TGT queue pair changes
 * @pkt: the packet; its payload is @payload
 * @payload: the payload
 */
struct model_parked_pkt {
	TAILQ_ENTRY(model_parked_pkt) link;
	u32 pd;
	struct model_pkt pkt;
	u8 payload[];
};

TAILQ_HEAD(model_parked_pkts, model_parked_pkt);

/**
 * struct model_parked - packets of a queue pair that wait
 * @pkts: the packets, in the order of their PSNs
 * @num: number of packets in @pkts
 * @psn: PSN of the request after the packets
 * @overflow: the packet with @psn has been dropped for lack of room
 * @gap: a later packet was not kept
 * @replay: the queue pair is on model_device.replaying: the wait is over
 * @link: link of that list
 */
struct model_parked {
	struct model_parked_pkts pkts;
	u32 num;
	u32 psn;
	bool overflow;
	bool gap;
	bool replay;
	TAILQ_ENTRY(model_qp) link;
};

void model_parked_init(struct model_qp *qp);
struct model_parked_pkt *model_parked_copy(struct model_qp *qp,
					   const struct model_pkt *pkt);
void model_parked_free(struct model_qp *qp, struct model_parked_pkt *parked);
bool model_parked_add(struct model_qp *qp, const struct model_pkt *pkt);
struct model_parked_pkt *model_parked_take(struct model_qp *qp);
void model_parked_put_back(struct model_qp *qp,
			   struct model_parked_pkt *parked);
void model_parked_clear(struct model_qp *qp);
void model_parked_replay(struct model_qp *qp);
void model_parked_end_replay(struct model_qp *qp);

#endif /* MODEL_PARKED_H */
