// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The raw packet queue pair of a port, see wire_nic.h.
 */
#include <string.h>

#include "tests/lib/wire_nic.h"
#include "tests/lib/wire_raw.h"

#define LOG_DEPTH	5

void wire_nic_port(struct wire_host *host, u32 flags, u32 mtu, u32 qpn)
{
	struct xrdma_cmd_modify_port p = {
		.flags = cpu_to_le32(flags),
		.mtu = cpu_to_le32(mtu),
		.eth_qpn = cpu_to_le32(qpn),
	};

	memcpy(p.mac, host->mac, sizeof(p.mac));
	assert_int_equal(model_port_modify(host->dev, &p), XRDMA_CMD_OK);
}

/* Make the queue pair, and the port up with an MTU of 1500. */
void wire_nic_make(struct wire_env *env, int host, struct wire_nic *nic)
{
	wire_create_qp(env, host, XRDMA_QP_RAW, XRDMA_QP_KERNEL, LOG_DEPTH,
		       &nic->qp);
	raw_start(&nic->qp);
	nic->buf = wire_alloc(nic->qp.host, 2 * WIRE_NIC_BUF, 4096);
	nic->key = wire_region(nic->qp.host, 300 + host, nic->buf,
			       2 * WIRE_NIC_BUF, XRDMA_ACCESS_LOCAL_WRITE);
	nic->mem = wire_ptr(nic->qp.host, nic->buf);
	wire_nic_port(nic->qp.host, XRDMA_PORT_UP, 1500, nic->qp.qpn);
}

/* Post a receive of the second buffer. */
void wire_nic_recv(struct wire_nic *nic, u64 wr_id)
{
	struct xrdma_sge sge = wire_sge(nic->buf + WIRE_NIC_BUF, WIRE_NIC_BUF,
					nic->key);

	wire_post_recv(&nic->qp, wr_id, &sge, 1);
}
