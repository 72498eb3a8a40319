/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Datagrams that arrive: for one queue pair, or for all of a multicast group.
 */
#ifndef XRDMA_MODEL_UD_H
#define XRDMA_MODEL_UD_H

#include <linux/types.h>

#include "packet/net.h"

struct xrdma_device;
struct xrdma_pkt;
struct xrdma_qp;

enum xrdma_rx xrdma_ud_receive(struct xrdma_qp *qp,
			       const struct xrdma_net *net,
			       const struct xrdma_pkt *pkt);
enum xrdma_rx xrdma_ud_multicast(struct xrdma_device *dev,
				 const struct xrdma_net *net,
				 const struct xrdma_pkt *pkt);

#endif /* XRDMA_MODEL_UD_H */
