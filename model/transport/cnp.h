/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sends congestion notification packets. core/cc_qp.c handles received ones.
 */
#ifndef MODEL_CNP_H
#define MODEL_CNP_H

#include <linux/types.h>

struct model_qp;

void model_cnp_marked(struct model_qp *qp, u16 pkey);

#endif /* MODEL_CNP_H */
