/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA work of the Ethernet port that the device does instead of the host:
 * checksums, division of TCP frames, VLAN tags. The options of the port are in
 * xrdma_hw_cmd.h, the flags of completions in xrdma-abi.h. Contract layer:
 * includes nothing of the driver, the PCI core or verbs.
 * Documentation/infiniband/xrdma-hw.rst specifies each structure, with golden
 * bytes.
 */

#ifndef XRDMA_HW_ETH_H
#define XRDMA_HW_ETH_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

/**
 * struct xrdma_eth_seg - what the device does with the frame of a SEND_ETH
 * @flags: XRDMA_ETH_*
 * @csum_start: XRDMA_ETH_CSUM: offset in the frame of the first byte that the
 *	checksum covers; TCP frames to be divided: of the TCP header
 * @csum_offset: XRDMA_ETH_CSUM: offset of the checksum from @csum_start
 * @mss: XRDMA_ETH_TSO: largest number of bytes of TCP payload in a frame
 * @header_len: XRDMA_ETH_TSO: number of bytes before the TCP payload
 * @vlan_tci: XRDMA_ETH_VLAN: VLAN tag to insert
 * @reserved: 0
 *
 * Offsets and lengths are those of the frame in memory, without the VLAN tag to
 * insert. A field whose flag is not set is 0.
 */
struct xrdma_eth_seg {
	__le16 flags;
	__le16 csum_start;
	__le16 csum_offset;
	__le16 mss;
	__le16 header_len;
	__le16 vlan_tci;
	__le32 reserved;
};

#define XRDMA_ETH_CSUM			BIT(0) /* complete a checksum */
#define XRDMA_ETH_TSO			BIT(1) /* divide a frame of TCP */
#define XRDMA_ETH_VLAN			BIT(2) /* insert a VLAN tag */

#define XRDMA_ETH_TSO_MAX		65535 /* longest frame to be divided */
#define XRDMA_ETH_EXTRA			22 /* bytes of header and two VLAN tags */

static_assert(sizeof(struct xrdma_eth_seg) == 16);

#endif /* XRDMA_HW_ETH_H */
