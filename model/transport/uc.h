/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder of an unreliable connection (IBTA 9.8), which sends no answers.
 * The responder of reliable connections is in responder.h.
 */
#ifndef MODEL_UC_H
#define MODEL_UC_H

#include "packet/net.h"

struct model_pkt;
struct model_qp;

enum model_rx model_uc_request(struct model_qp *qp,
			       const struct model_pkt *pkt);

#endif /* MODEL_UC_H */
