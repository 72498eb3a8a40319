/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Values that several golden cases share, and functions that build commands and
 * replies. The cases are in golden_cases.h and golden_net.h.
 */

#ifndef XRDMA_GOLDEN_MAKE_H
#define XRDMA_GOLDEN_MAKE_H

#include "xrdma_encode.h"
#include "xrdma_xlat.h"

static const u8 golden_mac[6] = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee };

static inline u64 golden_root_value(void)
{
	return xrdma_make_root(0x123456000ULL, 2, 12);
}

static struct xrdma_cmd golden_cmd(u16 opcode, u16 id)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(opcode);

	cmd.id = cpu_to_le16(id);
	return cmd;
}

static void golden_put_cmd(void *out, struct xrdma_cmd cmd, u16 id)
{
	cmd.id = cpu_to_le16(id);
	memcpy(out, &cmd, sizeof(cmd));
}

static struct xrdma_rsp golden_rsp(u16 opcode, u16 id, u32 phase)
{
	return (struct xrdma_rsp) {
		.opcode = cpu_to_le16(opcode),
		.id = cpu_to_le16(id),
		.own = cpu_to_le32(phase),
	};
}

static void golden_put_gid(u8 *gid)
{
	static const u8 bytes[16] = {
		[10] = 0xff, 0xff, 192, 168, 77, 1
	};

	memcpy(gid, bytes, sizeof(bytes));
}

#endif /* XRDMA_GOLDEN_MAKE_H */
