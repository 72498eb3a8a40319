/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA commands. Contract layer: must not know the driver, the PCI core or
 * verbs. Documentation/infiniband/xrdma-hw.rst explains each, with golden
 * bytes. Replies are in xrdma_hw_rsp.h.
 *
 * Everything is little-endian; a reserved field is zero.
 */

#ifndef XRDMA_HW_CMD_H
#define XRDMA_HW_CMD_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>
#include <rdma/xrdma-abi.h>
#include "xrdma_hw_steer.h"

enum xrdma_cmd_opcode {
	XRDMA_CMD_NOP			= 0x00,
	XRDMA_CMD_QUERY_DEVICE		= 0x01,
	XRDMA_CMD_QUERY_PORT		= 0x02,
	XRDMA_CMD_MODIFY_PORT		= 0x03,
	XRDMA_CMD_SET_GID		= 0x04,
	XRDMA_CMD_QUERY_STATS		= 0x05,
	XRDMA_CMD_BIND_COUNTER		= 0x06,
	XRDMA_CMD_QUERY_CC		= 0x07,
	XRDMA_CMD_MODIFY_CC		= 0x08,
	XRDMA_CMD_CREATE_EQ		= 0x10,
	XRDMA_CMD_DESTROY_EQ		= 0x11,
	XRDMA_CMD_CREATE_CQ		= 0x20,
	XRDMA_CMD_DESTROY_CQ		= 0x21,
	XRDMA_CMD_RESIZE_CQ		= 0x22,
	XRDMA_CMD_MODIFY_CQ		= 0x23,
	XRDMA_CMD_CREATE_QP		= 0x30,
	XRDMA_CMD_MODIFY_QP		= 0x31,
	XRDMA_CMD_QUERY_QP		= 0x32,
	XRDMA_CMD_DESTROY_QP		= 0x33,
	XRDMA_CMD_CREATE_SRQ		= 0x40,
	XRDMA_CMD_MODIFY_SRQ		= 0x41,
	XRDMA_CMD_QUERY_SRQ		= 0x42,
	XRDMA_CMD_DESTROY_SRQ		= 0x43,
	XRDMA_CMD_ATTACH_MCAST		= 0x50,
	XRDMA_CMD_DETACH_MCAST		= 0x51,
	XRDMA_CMD_CREATE_FLOW		= 0x52,
	XRDMA_CMD_DESTROY_FLOW		= 0x53,
	XRDMA_CMD_CREATE_RSS		= 0x54,
	XRDMA_CMD_DESTROY_RSS		= 0x55,
	XRDMA_CMD_INVALIDATE		= 0x60,
	XRDMA_CMD_RESUME		= 0x61, /* for on-demand paging */
};

/**
 * struct xrdma_cmd_modify_port - body of MODIFY_PORT
 * @flags: XRDMA_PORT_*
 * @mtu: largest Ethernet payload, 68 to 4500
 * @eth_qpn: raw packet queue pair that receives what is not RoCE; 0: none
 * @mac: the port's address
 * @reserved: 0
 */
struct xrdma_cmd_modify_port {
	__le32 flags;
	__le32 mtu;
	__le32 eth_qpn;
	__u8 mac[6];
	__u8 reserved[2];
};

#define XRDMA_PORT_UP			BIT(0)
#define XRDMA_PORT_PROMISC		BIT(1)
#define XRDMA_PORT_ALLMULTI		BIT(2)

/**
 * struct xrdma_cmd_set_gid - body of SET_GID
 * @index: in the GID table
 * @flags: XRDMA_GID_*; without VALID the entry is cleared
 * @gid: as on the wire; IPv4 as ::ffff:a.b.c.d
 * @mac: source MAC of frames sent from this entry
 * @vlan_tci: VLAN tag of those frames, if XRDMA_GID_VLAN
 */
struct xrdma_cmd_set_gid {
	__le32 index;
	__le32 flags;
	__u8 gid[16];
	__u8 mac[6];
	__le16 vlan_tci;
};

#define XRDMA_GID_VALID			BIT(0)
#define XRDMA_GID_VLAN			BIT(1)
#define XRDMA_GID_IPV4			BIT(2)

/**
 * struct xrdma_cmd_query_stats - body of QUERY_STATS
 * @addr: where the device writes @count 64-bit counters, aligned to 8
 * @count: how many of enum xrdma_stat
 * @counter: number of a counter set, below max_counters; 0: of the port
 */
struct xrdma_cmd_query_stats {
	__le64 addr;
	__le32 count;
	__le32 counter;
};

/**
 * struct xrdma_cmd_bind_counter - body of BIND_COUNTER
 * @qpn: the queue pair
 * @counter: the set that counts for it from now on, beside the port; 0: none.
 *	A set to which no queue pair was bound starts at zero.
 */
struct xrdma_cmd_bind_counter {
	__le32 qpn;
	__le32 counter;
};

/**
 * struct xrdma_cc - body of MODIFY_CC, reply to QUERY_CC: congestion control
 * @flags: XRDMA_CC_*
 * @min_rate: a queue pair is never slower, in Mbit/s, 1 or more
 * @ai_rate: additive increase, in Mbit/s
 * @hai_rate: hyper increase, in Mbit/s
 * @time_reset: of the rate timer, in us, 1 or more
 * @byte_reset: of the byte counter, 1 or more
 * @threshold: periods of fast recovery, 1 to 31
 * @alpha_timer: of the decay of alpha, in us, 1 or more
 * @alpha_g: weight of a new mark in alpha, of 1024, 1 to 1023
 * @initial_alpha: of 1024, 0 to 1024
 * @reduce_period: at most one cut of the rate in this time, in us
 * @cnp_interval: at most one CNP for a queue pair in this time, in us
 * @reserved: 0
 *
 * Names are those of DCQCN (Zhu et al., SIGCOMM 2015).
 */
struct xrdma_cc {
	__le32 flags;
	__le32 min_rate;
	__le32 ai_rate;
	__le32 hai_rate;
	__le32 time_reset;
	__le32 byte_reset;
	__le32 threshold;
	__le32 alpha_timer;
	__le16 alpha_g;
	__le16 initial_alpha;
	__le32 reduce_period;
	__le32 cnp_interval;
	__le32 reserved;
};

#define XRDMA_CC_RP			BIT(0) /* reaction point: CNPs slow us */
#define XRDMA_CC_NP			BIT(1) /* notification point: we send CNPs */

/**
 * struct xrdma_cmd_create_eq - body of CREATE_EQ
 * @root: translation of the ring, then (at byte 64 << @log_depth) the record
 * @eqn: number; 0 is the asynchronous event queue
 * @vector: MSI-X vector
 * @log_depth: log2 of the entries, 6 to 16
 * @reserved: 0
 */
struct xrdma_cmd_create_eq {
	__le64 root;
	__le32 eqn;
	__le16 vector;
	__u8 log_depth;
	__u8 reserved;
};

/**
 * struct xrdma_cmd_create_cq - body of CREATE_CQ and RESIZE_CQ
 * @root: translation of the ring, then (at byte 64 << @log_depth) the record
 * @cqn: number, 24 bits
 * @eqn: event queue of its completion events; RESIZE_CQ: 0, it keeps its own
 * @log_depth: log2 of the entries, 4 to 22
 * @reserved: 0
 */
struct xrdma_cmd_create_cq {
	__le64 root;
	__le32 cqn;
	__le32 eqn;
	__u8 log_depth;
	__u8 reserved[7];
};

/**
 * struct xrdma_cmd_modify_cq - body of MODIFY_CQ: moderation of an armed CQ
 * @cqn: number
 * @count: entries written since the last event before the next fires; 0 and 1:
 *	each
 * @period: or so long after the first of them, in us; 0: for ever
 */
struct xrdma_cmd_modify_cq {
	__le32 cqn;
	__le16 count;
	__le16 period;
};

/**
 * struct xrdma_cmd_object - body of the commands that only name an object
 * @number: EQN, CQN, QPN, SRQN, or number of a flow rule
 */
struct xrdma_cmd_object {
	__le32 number;
};

enum xrdma_qp_type {
	XRDMA_QP_RC			= 0,
	XRDMA_QP_UC			= 1,
	XRDMA_QP_UD			= 2,
	XRDMA_QP_GSI			= 3, /* QPN 1 */
	XRDMA_QP_XRC_INI		= 4,
	XRDMA_QP_XRC_TGT		= 5,
	XRDMA_QP_RAW			= 6, /* whole Ethernet frames */
};

#define XRDMA_QP_SQ_SIG_ALL		BIT(0)
#define XRDMA_QP_KERNEL			BIT(1) /* REG_MR, KEY_LOCAL_DMA */
#define XRDMA_QP_SRQ			BIT(2) /* @srqn is valid */

/**
 * struct xrdma_cmd_create_qp - body of CREATE_QP
 * @root: translation of the send ring, the receive ring, and the record at the
 *	next multiple of 64 bytes
 * @qpn: number, 24 bits
 * @pd: protection domain, 24 bits
 * @send_cqn: completion queue of the send queue
 * @recv_cqn: completion queue of the receive queue
 * @srqn: shared receive queue, if XRDMA_QP_SRQ
 * @xrcd: XRC domain, of XRC types
 * @db_page: page of the doorbell BAR that may ring it
 * @type: enum xrdma_qp_type
 * @flags: XRDMA_QP_*
 * @log_sq_depth: log2 of the send entries, 0 to 15
 * @log_sq_stride: log2 of the bytes of a send entry, 6 to 10; 0: none, of RAW
 *	and XRC_TGT
 * @log_rq_depth: log2 of the receive entries, 0 to 15
 * @log_rq_stride: log2 of the bytes of a receive entry, 5 to 10; 0: none
 * @reserved: 0
 */
struct xrdma_cmd_create_qp {
	__le64 root;
	__le32 qpn;
	__le32 pd;
	__le32 send_cqn;
	__le32 recv_cqn;
	__le32 srqn;
	__le32 xrcd;
	__le32 db_page;
	__u8 type;
	__u8 flags;
	__u8 log_sq_depth;
	__u8 log_sq_stride;
	__u8 log_rq_depth;
	__u8 log_rq_stride;
	__u8 reserved[6];
};

enum xrdma_qp_state {
	XRDMA_QPS_RESET			= 0,
	XRDMA_QPS_INIT			= 1,
	XRDMA_QPS_RTR			= 2,
	XRDMA_QPS_RTS			= 3,
	XRDMA_QPS_SQD			= 4,
	XRDMA_QPS_SQE			= 5,
	XRDMA_QPS_ERR			= 6,
};

/* Rights of a queue pair are XRDMA_ACCESS_REMOTE_*. */

/**
 * struct xrdma_qp_attr - what MODIFY_QP sets and QUERY_QP returns
 * @state: enum xrdma_qp_state
 * @path_mtu: 1 to 5: 256 to 4096 bytes
 * @retry_cnt: 0 to 7
 * @rnr_retry: 0 to 7; 7: for ever
 * @timeout: local ACK timeout, 4.096 us * 2^n, 0 to 31; 0: none
 * @min_rnr_timer: 0 to 31, coded as IBTA 9.7.5.2.8 says
 * @max_rd_atomic: READs and atomics this side keeps in flight, 0 to 16
 * @max_dest_rd_atomic: those it answers at once, 0 to 16
 * @qkey: of datagrams
 * @rq_psn: expected PSN, 24 bits
 * @sq_psn: next PSN, 24 bits
 * @dest_qpn: of the connection
 * @access: enum xrdma_access, remote rights and MW_BIND only
 * @pkey_index: 0
 * @flags: XRDMA_QPA_*
 * @reserved: 0
 * @av: address vector of the connection
 */
struct xrdma_qp_attr {
	__u8 state;
	__u8 path_mtu;
	__u8 retry_cnt;
	__u8 rnr_retry;
	__u8 timeout;
	__u8 min_rnr_timer;
	__u8 max_rd_atomic;
	__u8 max_dest_rd_atomic;
	__le32 qkey;
	__le32 rq_psn;
	__le32 sq_psn;
	__le32 dest_qpn;
	__le16 access;
	__le16 pkey_index;
	__u8 flags;
	__u8 reserved[3];
	struct xrdma_av av;
};

#define XRDMA_QPA_SQ_DRAINING		BIT(0) /* QUERY_QP only */
#define XRDMA_QPA_SQD_NOTIFY		BIT(1) /* event when the SQ has drained */

/* Which fields of struct xrdma_qp_attr a MODIFY_QP sets. */
#define XRDMA_QPM_STATE			BIT(0)
#define XRDMA_QPM_PATH_MTU		BIT(1)
#define XRDMA_QPM_RETRY_CNT		BIT(2)
#define XRDMA_QPM_RNR_RETRY		BIT(3)
#define XRDMA_QPM_TIMEOUT		BIT(4)
#define XRDMA_QPM_MIN_RNR_TIMER		BIT(5)
#define XRDMA_QPM_MAX_RD_ATOMIC		BIT(6)
#define XRDMA_QPM_MAX_DEST_RD_ATOMIC	BIT(7)
#define XRDMA_QPM_QKEY			BIT(8)
#define XRDMA_QPM_RQ_PSN		BIT(9)
#define XRDMA_QPM_SQ_PSN		BIT(10)
#define XRDMA_QPM_DEST_QPN		BIT(11)
#define XRDMA_QPM_ACCESS		BIT(12)
#define XRDMA_QPM_PKEY_INDEX		BIT(13)
#define XRDMA_QPM_SQD_NOTIFY		BIT(14)
#define XRDMA_QPM_AV			BIT(15)

/**
 * struct xrdma_cmd_modify_qp - body of MODIFY_QP
 * @qpn: the queue pair
 * @mask: XRDMA_QPM_*; a field that is not named is 0
 * @attr: the new values
 */
struct xrdma_cmd_modify_qp {
	__le32 qpn;
	__le32 mask;
	struct xrdma_qp_attr attr;
};

/**
 * struct xrdma_cmd_create_srq - body of CREATE_SRQ
 * @root: translation of the ring, then (aligned to 64) its
 *	struct xrdma_srq_rec
 * @srqn: number, 24 bits
 * @pd: protection domain
 * @xrcd: XRC domain, or 0: not for XRC
 * @cqn: completion queue of XRC, else 0
 * @limit: number of entries below which one SRQ_LIMIT event is raised; 0: none
 * @log_depth: log2 of the entries, 0 to 15
 * @log_stride: log2 of the bytes of an entry, 5 to 10
 * @reserved: 0
 */
struct xrdma_cmd_create_srq {
	__le64 root;
	__le32 srqn;
	__le32 pd;
	__le32 xrcd;
	__le32 cqn;
	__le32 limit;
	__u8 log_depth;
	__u8 log_stride;
	__u8 reserved[2];
};

/**
 * struct xrdma_cmd_modify_srq - body of MODIFY_SRQ
 * @root: RESIZE: translation of the new ring and record, else 0
 * @srqn: number
 * @mask: XRDMA_SRQM_*
 * @limit: LIMIT: as in CREATE_SRQ, else 0
 * @log_depth: RESIZE: of the new ring, else 0
 * @reserved: 0
 */
struct xrdma_cmd_modify_srq {
	__le64 root;
	__le32 srqn;
	__le32 mask;
	__le32 limit;
	__u8 log_depth;
	__u8 reserved[3];
};

#define XRDMA_SRQM_LIMIT		BIT(0)
#define XRDMA_SRQM_RESIZE		BIT(1)

/**
 * struct xrdma_cmd_mcast - body of ATTACH_MCAST and DETACH_MCAST
 * @qpn: a datagram queue pair
 * @reserved: 0
 * @gid: of the group: IPv6 multicast, or ::ffff:a.b.c.d of IPv4 multicast
 */
struct xrdma_cmd_mcast {
	__le32 qpn;
	__le32 reserved;
	__u8 gid[16];
};

/**
 * struct xrdma_cmd_invalidate - body of INVALIDATE
 * @addr: array of @count words, aligned to 8: a key index in bits 23:0, and in
 *	bits 31:24 0 before and enum xrdma_inval_status after; 0 if @count is 0
 * @count: 0 to 1024
 * @reserved: 0
 *
 * Completes when no access under those keys is in progress or can begin, and the
 * device uses no page of the key table any more that it can no longer find by the
 * tables of MPT_ROOT.
 */
struct xrdma_cmd_invalidate {
	__le64 addr;
	__le32 count;
	__le32 reserved;
};

#define XRDMA_INVAL_INDEX		GENMASK(23, 0)
#define XRDMA_INVAL_STATUS		GENMASK(31, 24)
#define XRDMA_INVAL_MAX			1024

enum xrdma_inval_status {
	XRDMA_INVAL_OK			= 0,
	XRDMA_INVAL_BOUND		= 1, /* windows are bound; entry unchanged */
	XRDMA_INVAL_BAD_INDEX		= 2, /* entry is invalid, or not there */
};

/**
 * struct xrdma_cmd - entry of the command ring
 * @opcode: enum xrdma_cmd_opcode
 * @id: chosen by the driver, returned in the reply
 * @reserved: 0
 * @modify_port: body of MODIFY_PORT
 * @set_gid: body of SET_GID
 * @query_stats: body of QUERY_STATS
 * @bind_counter: body of BIND_COUNTER
 * @modify_cc: body of MODIFY_CC
 * @create_eq: body of CREATE_EQ
 * @create_cq: body of CREATE_CQ and RESIZE_CQ
 * @modify_cq: body of MODIFY_CQ
 * @create_qp: body of CREATE_QP
 * @modify_qp: body of MODIFY_QP
 * @create_srq: body of CREATE_SRQ
 * @modify_srq: body of MODIFY_SRQ
 * @mcast: body of ATTACH_MCAST and DETACH_MCAST
 * @create_flow: body of CREATE_FLOW
 * @create_rss: body of CREATE_RSS
 * @invalidate: body of INVALIDATE
 * @object: body of the commands that only name an object
 * @body: any body
 */
struct xrdma_cmd {
	__le16 opcode;
	__le16 id;
	__le32 reserved;
	union {
		struct xrdma_cmd_modify_port modify_port;
		struct xrdma_cmd_set_gid set_gid;
		struct xrdma_cmd_query_stats query_stats;
		struct xrdma_cmd_bind_counter bind_counter;
		struct xrdma_cc modify_cc;
		struct xrdma_cmd_create_eq create_eq;
		struct xrdma_cmd_create_cq create_cq;
		struct xrdma_cmd_modify_cq modify_cq;
		struct xrdma_cmd_create_qp create_qp;
		struct xrdma_cmd_modify_qp modify_qp;
		struct xrdma_cmd_create_srq create_srq;
		struct xrdma_cmd_modify_srq modify_srq;
		struct xrdma_cmd_mcast mcast;
		struct xrdma_cmd_create_flow create_flow;
		struct xrdma_cmd_create_rss create_rss;
		struct xrdma_cmd_invalidate invalidate;
		struct xrdma_cmd_object object;
		__u8 body[120];
	};
};

static_assert(sizeof(struct xrdma_cmd_modify_port) == 20);
static_assert(sizeof(struct xrdma_cmd_set_gid) == 32);
static_assert(sizeof(struct xrdma_cmd_query_stats) == 16);
static_assert(sizeof(struct xrdma_cmd_bind_counter) == 8);
static_assert(sizeof(struct xrdma_cc) == 48);
static_assert(sizeof(struct xrdma_cmd_create_eq) == 16);
static_assert(sizeof(struct xrdma_cmd_create_cq) == 24);
static_assert(sizeof(struct xrdma_cmd_modify_cq) == 8);
static_assert(sizeof(struct xrdma_cmd_create_qp) == 48);
static_assert(sizeof(struct xrdma_qp_attr) == 64);
static_assert(sizeof(struct xrdma_cmd_modify_qp) == 72);
static_assert(sizeof(struct xrdma_cmd_create_srq) == 32);
static_assert(sizeof(struct xrdma_cmd_modify_srq) == 24);
static_assert(sizeof(struct xrdma_cmd_mcast) == 24);
static_assert(sizeof(struct xrdma_cmd_invalidate) == 16);
static_assert(sizeof(struct xrdma_cmd_object) == 4);
static_assert(sizeof(struct xrdma_cmd) == 128);

#endif /* XRDMA_HW_CMD_H */
