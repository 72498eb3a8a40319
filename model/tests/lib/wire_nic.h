/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The raw packet queue pair of a port, as a netdev makes it, for tests of
 * Ethernet frames.
 */
#ifndef MODEL_TEST_WIRE_NIC_H
#define MODEL_TEST_WIRE_NIC_H

#include "tests/lib/wire_env.h"

#define WIRE_NIC_BUF	12288

/*
 * struct wire_nic - the queue pair and its buffers
 * @buf: bus address of two buffers of WIRE_NIC_BUF bytes: frames to send,
 *	received frames
 * @key: key of both buffers
 * @mem: the buffers in this process
 */
struct wire_nic {
	struct wire_qp qp;
	u64 buf;
	u32 key;
	u8 *mem;
};

void wire_nic_port(struct wire_host *host, u32 flags, u32 mtu, u32 qpn);
void wire_nic_make(struct wire_env *env, int host, struct wire_nic *nic);
void wire_nic_recv(struct wire_nic *nic, u64 wr_id);

#endif /* MODEL_TEST_WIRE_NIC_H */
