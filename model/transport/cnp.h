/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion notification packets.
 */
#ifndef MODEL_CNP_H
#define MODEL_CNP_H

struct model_qp;

void model_cnp_marked(struct model_qp *qp);

#endif /* MODEL_CNP_H */
