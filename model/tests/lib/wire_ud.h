/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Functions for tests with wire_env.h: datagram queue pairs.
 */
#ifndef MODEL_TEST_WIRE_UD_H
#define MODEL_TEST_WIRE_UD_H

#include "tests/lib/wire_env.h"

#define WIRE_QKEY	0x11223344
#define WIRE_GRH	40

/*
 * struct wire_dgram - a datagram; its data are @inline_data or @sges
 */
struct wire_dgram {
	u8 opcode;
	u8 flags;
	u64 wr_id;
	struct xrdma_av av;
	u32 dqpn;
	u32 qkey;
	u32 imm;
	const struct xrdma_sge *sges;
	u16 num_sge;
	const void *inline_data;
};

/* Create and move to RTS with WIRE_QKEY; with an SRQ if @srqn is not 0. */
void wire_create_ud(struct wire_env *env, int host, u8 type, u32 srqn,
		    struct wire_qp *qp);
void wire_modify_ud(struct wire_qp *qp, u8 state, u32 mask, u32 value);

/* Return: address vector to host @to, with the GIDs of index @gid_index. */
struct xrdma_av wire_av(const struct wire_host *to, u8 gid_index);
/* Return: address vector to a multicast group. */
struct xrdma_av wire_group_av(const u8 *gid, u8 gid_index);
void wire_post_ud(struct wire_qp *qp, const struct wire_dgram *d);
u8 wire_mcast(struct wire_qp *qp, const u8 *gid, bool attach);

extern const u8 wire_group_4[16];
extern const u8 wire_group_6[16];

#endif /* MODEL_TEST_WIRE_UD_H */
