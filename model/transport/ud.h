/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Delivers received datagrams, to one queue pair or to all queue pairs of a
 * multicast group. ud.c also has model_ud_ops, which conn.h declares.
 */
#ifndef MODEL_UD_H
#define MODEL_UD_H

#include <linux/types.h>

#include "packet/net.h"

struct model_device;
struct model_pkt;
struct model_qp;

enum model_rx model_ud_receive(struct model_qp *qp,
			       const struct model_net *net,
			       const struct model_pkt *pkt);
enum model_rx model_ud_multicast(struct model_device *dev,
				 const struct model_net *net,
				 const struct model_pkt *pkt);

#endif /* MODEL_UD_H */
