/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA commands: opcodes and bodies. Replies are in xrdma_hw_rsp.h, commands
 * that steer Ethernet frames in xrdma_hw_steer.h. Contract layer: includes
 * nothing of the driver, the PCI core or verbs.
 * Documentation/infiniband/xrdma-hw.rst specifies each command, with golden
 * bytes.
 *
 * Integers are little-endian; reserved fields are zero.
 */

#ifndef XRDMA_HW_CMD_H
#define XRDMA_HW_CMD_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>
#include <rdma/xrdma-abi.h>
#include "xrdma_hw_steer.h"

enum xrdma_cmd_opcode {
	XRDMA_CMD_NOP			= 0x00, /* do nothing */
	XRDMA_CMD_QUERY_DEVICE		= 0x01, /* limits of the device */
	XRDMA_CMD_QUERY_PORT		= 0x02, /* link state and speed */
	XRDMA_CMD_MODIFY_PORT		= 0x03, /* link, MTU, address, filters */
	XRDMA_CMD_SET_GID		= 0x04, /* set or clear a table entry */
	XRDMA_CMD_QUERY_STATS		= 0x05, /* write counters to memory */
	XRDMA_CMD_BIND_COUNTER		= 0x06, /* counter set of a queue pair */
	XRDMA_CMD_QUERY_CC		= 0x07, /* read congestion control */
	XRDMA_CMD_MODIFY_CC		= 0x08, /* set congestion control */
	XRDMA_CMD_CREATE_EQ		= 0x10,
	XRDMA_CMD_DESTROY_EQ		= 0x11,
	XRDMA_CMD_CREATE_CQ		= 0x20,
	XRDMA_CMD_DESTROY_CQ		= 0x21,
	XRDMA_CMD_RESIZE_CQ		= 0x22, /* set another ring */
	XRDMA_CMD_MODIFY_CQ		= 0x23, /* set event moderation */
	XRDMA_CMD_CREATE_QP		= 0x30,
	XRDMA_CMD_MODIFY_QP		= 0x31, /* set state and attributes */
	XRDMA_CMD_QUERY_QP		= 0x32,
	XRDMA_CMD_DESTROY_QP		= 0x33,
	XRDMA_CMD_CREATE_SRQ		= 0x40,
	XRDMA_CMD_MODIFY_SRQ		= 0x41, /* set the limit, or another ring */
	XRDMA_CMD_QUERY_SRQ		= 0x42,
	XRDMA_CMD_DESTROY_SRQ		= 0x43,
	XRDMA_CMD_ATTACH_MCAST		= 0x50, /* add a QP to a group */
	XRDMA_CMD_DETACH_MCAST		= 0x51, /* remove a QP from a group */
	XRDMA_CMD_CREATE_FLOW		= 0x52,
	XRDMA_CMD_DESTROY_FLOW		= 0x53,
	XRDMA_CMD_CREATE_RSS		= 0x54,
	XRDMA_CMD_DESTROY_RSS		= 0x55,
	XRDMA_CMD_INVALIDATE		= 0x60, /* end keys and their accesses */
	XRDMA_CMD_ENABLE_ODP		= 0x61, /* set queues of page faults */
	XRDMA_CMD_INVALIDATE_RANGE	= 0x62, /* end the use of table entries */
};

/**
 * struct xrdma_cmd_modify_port - body of MODIFY_PORT
 * @flags: XRDMA_PORT_*
 * @mtu: largest Ethernet payload, in bytes: 68 to max_mtu of the reply to
 *	QUERY_DEVICE
 * @eth_qpn: QPN of the raw packet queue pair that receives frames that are not
 *	RoCE, or with XRDMA_CAP_ETH_RSS of an RSS object; 0: none
 * @mac: MAC address of the port
 * @reserved: 0
 */
struct xrdma_cmd_modify_port {
	__le32 flags;
	__le32 mtu;
	__le32 eth_qpn;
	__u8 mac[6];
	__u8 reserved[2];
};

#define XRDMA_PORT_UP			BIT(0) /* the port is up */
#define XRDMA_PORT_PROMISC		BIT(1) /* receive all frames */
#define XRDMA_PORT_ALLMULTI		BIT(2) /* receive all multicast frames */
#define XRDMA_PORT_PAUSE		BIT(3) /* hold the far end back */
#define XRDMA_PORT_CSUM			BIT(4) /* check sums of received frames */
#define XRDMA_PORT_VLAN			BIT(5) /* remove VLAN tags */
#define XRDMA_PORT_GRO			BIT(6) /* merge received frames */

/**
 * struct xrdma_cmd_set_gid - body of SET_GID
 * @index: index of the entry in the GID table
 * @flags: XRDMA_GID_*; without XRDMA_GID_VALID the entry is cleared
 * @gid: the GID, in the byte order of the wire; IPv4: ::ffff:a.b.c.d
 * @mac: source MAC address of frames with this source GID
 * @vlan_tci: XRDMA_GID_VLAN: VLAN tag of frames with this source GID; else 0
 */
struct xrdma_cmd_set_gid {
	__le32 index;
	__le32 flags;
	__u8 gid[16];
	__u8 mac[6];
	__le16 vlan_tci;
};

#define XRDMA_GID_VALID			BIT(0) /* the entry is valid */
#define XRDMA_GID_VLAN			BIT(1) /* frames have an 802.1Q tag */
#define XRDMA_GID_IPV4			BIT(2) /* GID is an IPv4-mapped address */

/**
 * struct xrdma_cmd_query_stats - body of QUERY_STATS
 * @addr: bus address to which the device writes @count 64-bit counters, aligned
 *	to 8
 * @count: number of counters, in the order of enum xrdma_stat, 1 to
 *	XRDMA_NUM_STATS
 * @counter: number of a counter set, below max_counters; 0: counters of the
 *	port
 */
struct xrdma_cmd_query_stats {
	__le64 addr;
	__le32 count;
	__le32 counter;
};

/**
 * struct xrdma_cmd_bind_counter - body of BIND_COUNTER
 * @qpn: number of the queue pair
 * @counter: number of the counter set that counts for the queue pair from now
 *	on, in addition to the port; 0: none. If no other queue pair is bound to
 *	the set, its counters restart at zero.
 */
struct xrdma_cmd_bind_counter {
	__le32 qpn;
	__le32 counter;
};

/**
 * struct xrdma_cc - body of MODIFY_CC, reply to QUERY_CC: congestion control
 * @flags: XRDMA_CC_*
 * @min_rate: lowest rate of a queue pair, in Mbit/s, 1 or more
 * @ai_rate: additive increase of the rate, in Mbit/s
 * @hai_rate: hyper increase of the rate, in Mbit/s
 * @time_reset: period of the rate timer, in us, 1 or more
 * @byte_reset: period of the byte counter, in bytes, 1 or more
 * @threshold: number of periods of fast recovery, 1 to 31
 * @alpha_timer: period of the decay of alpha, in us, 1 or more
 * @alpha_g: weight of a new mark in alpha, in units of 1/1024, 1 to 1023
 * @initial_alpha: initial value of alpha, in units of 1/1024, 0 to 1024
 * @reduce_period: shortest time between two cuts of the rate, in us
 * @cnp_interval: shortest time between two CNPs of a queue pair, in us
 * @reserved: 0
 *
 * The names of the parameters are those of DCQCN (Zhu et al., SIGCOMM 2015).
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

#define XRDMA_CC_RP			BIT(0) /* reaction point: CNPs slow a QP */
#define XRDMA_CC_NP			BIT(1) /* notification point: send CNPs */

/**
 * struct xrdma_cmd_create_eq - body of CREATE_EQ
 * @root: translation root of the ring and (at byte 64 << @log_depth) its
 *	struct xrdma_cq_rec
 * @eqn: number of the event queue; 0 is the asynchronous event queue
 * @vector: number of the MSI-X vector
 * @log_depth: log2 of the number of entries, 6 to 16
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
 * @root: translation root of the ring and (at byte 64 << @log_depth) its
 *	struct xrdma_cq_rec
 * @cqn: number of the completion queue, 24 bits
 * @eqn: number of the event queue for completion events; RESIZE_CQ: 0, the
 *	completion queue keeps its event queue
 * @db_page: number of the page of the doorbell BAR that may arm the queue;
 *	RESIZE_CQ: 0, the page remains the same
 * @log_depth: log2 of the number of entries, 4 to 22
 * @reserved: 0
 */
struct xrdma_cmd_create_cq {
	__le64 root;
	__le32 cqn;
	__le32 eqn;
	__le32 db_page;
	__u8 log_depth;
	__u8 reserved[3];
};

/**
 * struct xrdma_cmd_modify_cq - body of MODIFY_CQ: moderation of an armed CQ
 * @cqn: number of the completion queue
 * @count: number of entries that are written after the last event before the
 *	next event fires; 0 and 1: each entry fires
 * @period: longest time from the first of these entries to the event, in us;
 *	0: no limit
 */
struct xrdma_cmd_modify_cq {
	__le32 cqn;
	__le16 count;
	__le16 period;
};

/**
 * struct xrdma_cmd_object - body of the commands that only name an object
 * @number: EQN, CQN, QPN (also of an RSS object), SRQN, or number of a flow
 *	rule
 */
struct xrdma_cmd_object {
	__le32 number;
};

enum xrdma_qp_type {
	XRDMA_QP_RC			= 0, /* reliable connection */
	XRDMA_QP_UC			= 1, /* unreliable connection */
	XRDMA_QP_UD			= 2, /* datagrams */
	XRDMA_QP_GSI			= 3, /* general services interface, QPN 1 */
	XRDMA_QP_XRC_INI		= 4, /* extended RC: requester */
	XRDMA_QP_XRC_TGT		= 5, /* extended RC: responder */
	XRDMA_QP_RAW			= 6, /* whole Ethernet frames */
};

/* xrdma_cmd_create_qp.flags */
#define XRDMA_QP_SQ_SIG_ALL		BIT(0) /* every send is signaled */
#define XRDMA_QP_KERNEL			BIT(1) /* may use REG_MR, KEY_LOCAL_DMA */
#define XRDMA_QP_SRQ			BIT(2) /* field srqn is valid */

/**
 * struct xrdma_cmd_create_qp - body of CREATE_QP
 * @root: translation root of the receive ring, at the next multiple of 64 bytes the
 *	send ring with its tail, and at that of 128 bytes struct xrdma_qp_rec
 * @qpn: number of the queue pair, 24 bits
 * @pd: protection domain, 24 bits
 * @send_cqn: number of the completion queue of the send queue
 * @recv_cqn: number of the completion queue of the receive queue
 * @srqn: XRDMA_QP_SRQ: number of the shared receive queue
 * @xrcd: XRC types: XRC domain
 * @db_page: number of the page of the doorbell BAR that may ring the queue pair
 * @type: enum xrdma_qp_type
 * @flags: XRDMA_QP_*
 * @log_sq_depth: log2 of the number of send entries, 0 to 15
 * @sq_units: length of the longest send entry in units of 64 bytes, 1 to 16; 0:
 *	no send queue (RAW and XRC_TGT only)
 * @log_rq_depth: log2 of the number of receive entries, 0 to 15
 * @log_rq_stride: log2 of the bytes of a receive entry, 5 to 10; 0: no receive
 *	queue
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
	__u8 sq_units;
	__u8 log_rq_depth;
	__u8 log_rq_stride;
	__u8 reserved[6];
};

enum xrdma_qp_state {
	XRDMA_QPS_RESET			= 0, /* as created, no work */
	XRDMA_QPS_INIT			= 1, /* receives may be posted */
	XRDMA_QPS_RTR			= 2, /* ready to receive */
	XRDMA_QPS_RTS			= 3, /* ready to send */
	XRDMA_QPS_SQD			= 4, /* send queue drains or is drained */
	XRDMA_QPS_SQE			= 5, /* send queue error */
	XRDMA_QPS_ERR			= 6, /* error, all work is flushed */
};

/**
 * struct xrdma_qp_attr - attributes that MODIFY_QP sets and QUERY_QP returns
 * @state: enum xrdma_qp_state
 * @path_mtu: 1 to 5 for a path MTU of 256, 512, 1024, 2048, 4096 bytes; above 1,
 *	the MTU of the port is at least 96 bytes larger
 * @retry_cnt: number of retries after a NAK of sequence or a timeout, 0 to 7
 * @rnr_retry: number of retries after an RNR NAK, 0 to 6; 7: no limit
 * @timeout: n, 0 to 31, for a local ACK timeout of 4.096 us * 2^n; 0: no
 *	timeout
 * @min_rnr_timer: RNR timer, 0 to 31, coded as IBTA 9.7.5.2.8 says
 * @max_rd_atomic: number of READs and atomics that this side keeps in flight,
 *	0 to 16
 * @max_dest_rd_atomic: number of READs and atomics of the peer that this side
 *	serves at once, 0 to 16
 * @qkey: Q_Key of datagrams
 * @rq_psn: PSN that the receiver expects next, 24 bits
 * @sq_psn: PSN of the next packet to send, 24 bits
 * @dest_qpn: QPN of the remote queue pair of the connection
 * @access: rights that the queue pair grants: XRDMA_ACCESS_REMOTE_*,
 *	XRDMA_ACCESS_FLUSH_* and XRDMA_ACCESS_MW_BIND only
 * @pkey_index: index in the P_Key table: 0
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

#define XRDMA_QPA_SQ_DRAINING		BIT(0) /* QUERY_QP only: SQ is draining */
#define XRDMA_QPA_SQD_NOTIFY		BIT(1) /* raise QP_SQ_DRAINED in SQD */

/* Bits of xrdma_cmd_modify_qp.mask: fields of struct xrdma_qp_attr to set */
#define XRDMA_QPM_STATE			BIT(0)  /* sets state */
#define XRDMA_QPM_PATH_MTU		BIT(1)  /* sets path_mtu */
#define XRDMA_QPM_RETRY_CNT		BIT(2)  /* sets retry_cnt */
#define XRDMA_QPM_RNR_RETRY		BIT(3)  /* sets rnr_retry */
#define XRDMA_QPM_TIMEOUT		BIT(4)  /* sets timeout */
#define XRDMA_QPM_MIN_RNR_TIMER		BIT(5)  /* sets min_rnr_timer */
#define XRDMA_QPM_MAX_RD_ATOMIC		BIT(6)  /* sets max_rd_atomic */
#define XRDMA_QPM_MAX_DEST_RD_ATOMIC	BIT(7)  /* sets max_dest_rd_atomic */
#define XRDMA_QPM_QKEY			BIT(8)  /* sets qkey */
#define XRDMA_QPM_RQ_PSN		BIT(9)  /* sets rq_psn */
#define XRDMA_QPM_SQ_PSN		BIT(10) /* sets sq_psn */
#define XRDMA_QPM_DEST_QPN		BIT(11) /* sets dest_qpn */
#define XRDMA_QPM_ACCESS		BIT(12) /* sets access */
#define XRDMA_QPM_PKEY_INDEX		BIT(13) /* sets pkey_index */
#define XRDMA_QPM_SQD_NOTIFY		BIT(14) /* sets XRDMA_QPA_SQD_NOTIFY */
#define XRDMA_QPM_AV			BIT(15) /* sets av */

/**
 * struct xrdma_cmd_modify_qp - body of MODIFY_QP
 * @qpn: number of the queue pair
 * @mask: XRDMA_QPM_* of the fields of @attr to set; every other field is 0
 * @attr: new values
 */
struct xrdma_cmd_modify_qp {
	__le32 qpn;
	__le32 mask;
	struct xrdma_qp_attr attr;
};

/**
 * struct xrdma_cmd_create_srq - body of CREATE_SRQ
 * @root: translation root of the ring and, at the next multiple of 128 bytes,
 *	its struct xrdma_srq_rec
 * @srqn: number of the shared receive queue, 24 bits
 * @pd: protection domain
 * @xrcd: XRC domain; 0: the queue is not for XRC
 * @cqn: XRC: number of the completion queue; else 0
 * @limit: number of entries below which one SRQ_LIMIT event is raised; 0: none
 * @log_depth: log2 of the number of entries, 0 to 15
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
 * @root: RESIZE: translation root of the new ring and record; else 0
 * @srqn: number of the shared receive queue
 * @mask: XRDMA_SRQM_*
 * @limit: LIMIT: new limit, as in CREATE_SRQ; else 0
 * @log_depth: RESIZE: log2 of the number of entries of the new ring; else 0
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

#define XRDMA_SRQM_LIMIT		BIT(0) /* sets limit */
#define XRDMA_SRQM_RESIZE		BIT(1) /* sets root and log_depth */

/**
 * struct xrdma_cmd_mcast - body of ATTACH_MCAST and DETACH_MCAST
 * @qpn: number of a datagram queue pair
 * @reserved: 0
 * @gid: GID of the group, in the byte order of the wire: an IPv6 multicast
 *	address, or ::ffff:a.b.c.d with an IPv4 multicast address
 */
struct xrdma_cmd_mcast {
	__le32 qpn;
	__le32 reserved;
	__u8 gid[16];
};

/**
 * struct xrdma_cmd_invalidate - body of INVALIDATE
 * @addr: bus address of an array of @count words, aligned to 8: a key index in
 *	bits 23:0; in bits 31:24 the driver writes 0 and the device
 *	enum xrdma_inval_status. 0 if @count is 0.
 * @count: number of words, 0 to 1024
 * @reserved: 0
 *
 * INVALIDATE completes when no access under those keys is in progress or can
 * begin, and when the device uses only those pages of the key table that the
 * tables of register MPT_ROOT still map.
 */
struct xrdma_cmd_invalidate {
	__le64 addr;
	__le32 count;
	__le32 reserved;
};

/* Words of the array of INVALIDATE */
#define XRDMA_INVAL_INDEX		GENMASK(23, 0) /* key index */
#define XRDMA_INVAL_STATUS		GENMASK(31, 24) /* xrdma_inval_status */
#define XRDMA_INVAL_MAX			1024 /* words of one command */

enum xrdma_inval_status {
	XRDMA_INVAL_OK			= 0, /* the entry is invalid now */
	XRDMA_INVAL_BOUND		= 1, /* windows bound; entry unchanged */
	XRDMA_INVAL_BAD_INDEX		= 2, /* entry invalid or does not exist */
};

/**
 * struct xrdma_cmd_enable_odp - body of ENABLE_ODP
 * @ring: bus address of the resume ring, aligned to 4 KiB
 * @eqn: number of the event queue that receives PAGE_FAULT events, not 0. The
 *	queue has no completion queue, and at least as many entries as the
 *	resume ring
 * @log_entries: log2 of the number of entries of the resume ring: more than
 *	log_page_faults of the reply to QUERY_DEVICE, 9 to 16
 * @reserved: 0
 */
struct xrdma_cmd_enable_odp {
	__le64 ring;
	__le32 eqn;
	__u8 log_entries;
	__u8 reserved[3];
};

#define XRDMA_RESUME_LOG_MIN		9  /* lowest log_entries */
#define XRDMA_RESUME_LOG_MAX		16 /* highest log_entries */

/**
 * struct xrdma_inval_range - part of a paged region
 * @key_index: index of the region's key entry
 * @reserved: 0
 * @pos: first position, a multiple of 4 KiB
 * @bytes: number of bytes, a multiple of 4 KiB and not 0; @pos + @bytes is at
 *	most 2^63
 */
struct xrdma_inval_range {
	__le32 key_index;
	__le32 reserved;
	__le64 pos;
	__le64 bytes;
};

#define XRDMA_INVAL_RANGES		4 /* ranges of one command */

/**
 * struct xrdma_cmd_invalidate_range - body of INVALIDATE_RANGE
 * @count: number of ranges, 1 to XRDMA_INVAL_RANGES
 * @reserved: 0
 * @range: the ranges; all fields of those from @count on are 0
 *
 * INVALIDATE_RANGE completes when the device uses no translation of these
 * positions that it has read before the command was posted.
 */
struct xrdma_cmd_invalidate_range {
	__le32 count;
	__le32 reserved;
	struct xrdma_inval_range range[XRDMA_INVAL_RANGES];
};

/**
 * struct xrdma_cmd - entry of the command ring
 * @opcode: enum xrdma_cmd_opcode
 * @id: any value that the driver chooses; the reply returns it
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
 * @enable_odp: body of ENABLE_ODP
 * @invalidate_range: body of INVALIDATE_RANGE
 * @object: body of the commands that only name an object
 * @body: bytes of the body of any command
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
		struct xrdma_cmd_enable_odp enable_odp;
		struct xrdma_cmd_invalidate_range invalidate_range;
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
static_assert(sizeof(struct xrdma_cmd_enable_odp) == 16);
static_assert(sizeof(struct xrdma_inval_range) == 24);
static_assert(sizeof(struct xrdma_cmd_invalidate_range) == 104);
static_assert(sizeof(struct xrdma_cmd_object) == 4);
static_assert(sizeof(struct xrdma_cmd) == 128);

#endif /* XRDMA_HW_CMD_H */
