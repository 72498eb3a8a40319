/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA contract between driver and device: capability bits, translations, key
 * entries, events and counters. Registers are in xrdma_regs.h, commands in
 * xrdma_hw_cmd.h, replies in xrdma_hw_rsp.h, flow rules and receive side
 * scaling in xrdma_hw_steer.h, Ethernet offloads in xrdma_hw_eth.h, and what
 * user space shares in xrdma-abi.h and xrdma-ring.h. Contract layer: includes
 * nothing of the driver, the PCI core or verbs.
 * Documentation/infiniband/xrdma-hw.rst specifies each structure, with golden
 * bytes.
 *
 * Integers are little-endian; reserved fields are zero.
 */

#ifndef XRDMA_HW_H
#define XRDMA_HW_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>
#include <rdma/xrdma-abi.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_hw_eth.h"
#include "xrdma_hw_rsp.h"

/* Structures of xrdma-abi.h that the device reads or writes */
static_assert(sizeof(struct xrdma_qp_rec) == 128);
static_assert(sizeof(struct xrdma_cq_rec) == 128);
static_assert(sizeof(struct xrdma_srq_rec) == 128);
static_assert(sizeof(struct xrdma_sge) == 16);
static_assert(sizeof(struct xrdma_av) == 32);
static_assert(sizeof(struct xrdma_sq_wqe) == 32);
static_assert(sizeof(struct xrdma_atomic_seg) == 16);
static_assert(sizeof(struct xrdma_bind_seg) == 32);
static_assert(sizeof(struct xrdma_reg_seg) == 32);
static_assert(sizeof(struct xrdma_rq_wqe) == 16);
static_assert(sizeof(struct xrdma_cqe) == 64);

/* Structures of xrdma-abi.h that provider and driver exchange */
static_assert(sizeof(struct xrdma_uresp_alloc_ucontext) == 40);
static_assert(sizeof(struct xrdma_uresp_alloc_pd) == 8);
static_assert(sizeof(struct xrdma_ureq_create_cq) == 16);
static_assert(sizeof(struct xrdma_uresp_create_cq) == 8);
static_assert(sizeof(struct xrdma_ureq_resize_cq) == 16);
static_assert(sizeof(struct xrdma_uresp_resize_cq) == 8);
static_assert(sizeof(struct xrdma_ureq_create_qp) == 16);
static_assert(sizeof(struct xrdma_ureq_create_rss) == 56);
static_assert(sizeof(struct xrdma_uresp_create_qp) == 8);
static_assert(sizeof(struct xrdma_ureq_create_srq) == 16);
static_assert(sizeof(struct xrdma_uresp_create_srq) == 8);
static_assert(sizeof(struct xrdma_ureq_create_wq) == 16);
static_assert(sizeof(struct xrdma_uresp_create_wq) == 8);
static_assert(sizeof(struct xrdma_uresp_alloc_dm) == 24);
static_assert(sizeof(struct xrdma_uresp_create_ah) == 32);

#define XRDMA_PAGE_SIZE			4096 /* of tables and rings, in bytes */

#define XRDMA_QPN_GSI			1 /* number of the GSI QP */
#define XRDMA_QPN_FIRST			2 /* lowest number of another QP */
#define XRDMA_QPN_MCAST			0xffffff /* destination of multicast */
#define XRDMA_XRCDN_MAX			0xffffff /* highest XRC domain */
#define XRDMA_FLOW_LABEL		GENMASK(19, 0) /* bits of a flow label */

/* Capabilities of the device: bits of register CAPS */
#define XRDMA_CAP_SHADOW_DB		BIT_ULL(0)  /* indexes and arming in memory */
#define XRDMA_CAP_MW_TYPE_1		BIT_ULL(1)  /* memory windows, type 1 */
#define XRDMA_CAP_MW_TYPE_2A		BIT_ULL(2)  /* memory windows, type 2A */
#define XRDMA_CAP_MW_TYPE_2B		BIT_ULL(3)  /* memory windows, type 2B */
#define XRDMA_CAP_FAST_REG		BIT_ULL(4)  /* REG_MR and invalidation */
#define XRDMA_CAP_SRQ			BIT_ULL(5)  /* shared receive queues */
#define XRDMA_CAP_UD			BIT_ULL(6)  /* datagrams and the GSI */
#define XRDMA_CAP_UC			BIT_ULL(7)  /* unreliable connections */
#define XRDMA_CAP_XRC			BIT_ULL(8)  /* extended connections */
#define XRDMA_CAP_RAW_PACKET		BIT_ULL(9)  /* raw packet queue pairs */
#define XRDMA_CAP_FLUSH			BIT_ULL(10) /* operation FLUSH */
#define XRDMA_CAP_ATOMIC_WRITE		BIT_ULL(11) /* operation ATOMIC_WRITE */
#define XRDMA_CAP_DEVICE_MEMORY		BIT_ULL(12) /* BAR 4: device memory */
#define XRDMA_CAP_MCAST			BIT_ULL(13) /* multicast groups */
#define XRDMA_CAP_FLOW			BIT_ULL(14) /* flow rules and RSS */
#define XRDMA_CAP_COUNTERS		BIT_ULL(15) /* counter sets */
#define XRDMA_CAP_CC			BIT_ULL(16) /* congestion control */
#define XRDMA_CAP_ODP			BIT_ULL(17) /* on-demand paging */
#define XRDMA_CAP_NULL_KEY		BIT_ULL(18) /* local key without memory */
#define XRDMA_CAP_CLOCK			BIT_ULL(19) /* register CLOCK */
#define XRDMA_CAP_ETH_PAUSE		BIT_ULL(24) /* XRDMA_PORT_PAUSE */
#define XRDMA_CAP_ETH_CSUM		BIT_ULL(25) /* checksums of frames */
#define XRDMA_CAP_ETH_TSO		BIT_ULL(26) /* division of TCP frames */
#define XRDMA_CAP_ETH_VLAN		BIT_ULL(27) /* VLAN tags of frames */
#define XRDMA_CAP_PUSH			BIT_ULL(28) /* push pages in BAR 2 */
#define XRDMA_CAP_ETH_RSS		BIT_ULL(29) /* RSS object for the port */
#define XRDMA_CAP_ETH_GRO		BIT_ULL(30) /* XRDMA_PORT_GRO */

/* ---- translation ----------------------------------------------------- */

/*
 * Root of a translation: address of the top table, number of table levels, and
 * log2 of the size of a leaf block. At level 0, ADDR is the block itself. Tables
 * are pages of 512 entries, indexed by position: the low LEAF_SHIFT bits of a
 * position select the byte in a block; each 9 bits above them select the entry
 * in the table of one level, beginning with level 1.
 */
#define XRDMA_ROOT_LEVEL		GENMASK_ULL(2, 0)   /* levels, 0 to 4 */
#define XRDMA_ROOT_LEAF_SHIFT		GENMASK_ULL(8, 3)   /* log2 of bytes */
#define XRDMA_ROOT_ADDR			GENMASK_ULL(63, 12) /* table or block */
#define XRDMA_ROOT_RESERVED		GENMASK_ULL(11, 9)
#define XRDMA_ROOT_MAX_LEVEL		4
#define XRDMA_LEAF_SHIFT_MIN		12
#define XRDMA_LEAF_SHIFT_MAX		30

/*
 * Translation entry. In a table of level N (1 is lowest) a block entry covers
 * 1 << (LEAF_SHIFT + 9 * (N - 1)) bytes, and its address is aligned to that
 * size. A table entry (never at level 1) holds the address of a table of level
 * N - 1.
 */
#define XRDMA_MTT_VALID			BIT_ULL(0) /* clear: nothing is mapped */
#define XRDMA_MTT_BLOCK			BIT_ULL(1) /* clear: ADDR is a table */
#define XRDMA_MTT_WRITE			BIT_ULL(2) /* paged: block is writable */
#define XRDMA_MTT_ADDR			GENMASK_ULL(63, 12) /* block or table */
#define XRDMA_MTT_RESERVED		GENMASK_ULL(11, 2) /* 11:3 if paged */
#define XRDMA_MTT_ENTRIES		512  /* entries of a table */
#define XRDMA_MTT_BITS			9    /* log2 of MTT_ENTRIES */
#define XRDMA_MTT_TABLE_SIZE		4096 /* bytes of a table */

/* ---- key entries ----------------------------------------------------- */

/* Bits 31:8 of a key are its index in the table, bits 7:0 its key byte. */
#define XRDMA_KEY_INDEX			GENMASK(31, 8)
#define XRDMA_KEY_BYTE			GENMASK(7, 0)
#define XRDMA_LOG_MAX_KEYS		24 /* log2 of the largest key table */

/* Local key that grants all bus addresses to queue pairs of the kernel */
#define XRDMA_KEY_LOCAL_DMA		0x00000001

/* Fields of xrdma_mpt_entry.ctrl */
#define XRDMA_MPT_KEY_BYTE		GENMASK_ULL(7, 0) /* that of the key */
#define XRDMA_MPT_STATE			GENMASK_ULL(11, 8) /* xrdma_mpt_state */
#define XRDMA_MPT_TYPE			GENMASK_ULL(15, 12) /* xrdma_mpt_type */
#define XRDMA_MPT_ACCESS		GENMASK_ULL(31, 16) /* xrdma_access */
#define XRDMA_MPT_PD			GENMASK_ULL(55, 32) /* protection domain */
#define XRDMA_MPT_IDENTITY		BIT_ULL(56) /* addresses: bus addresses */
#define XRDMA_MPT_DEVICE		BIT_ULL(57) /* positions: device memory */
#define XRDMA_MPT_PAGED			BIT_ULL(58) /* translation may miss */
#define XRDMA_MPT_RESERVED		GENMASK_ULL(63, 59)

/* States of a key entry; XRDMA_MPT_INVALID is the only one the driver owns */
enum xrdma_mpt_state {
	XRDMA_MPT_INVALID		= 0, /* no access; owned by the driver */
	XRDMA_MPT_FREE			= 1, /* no access until bound, registered */
	XRDMA_MPT_VALID			= 2, /* access is granted */
	XRDMA_MPT_NOT_PRESENT		= 3, /* reserved; refused */
};

/* Types of a key entry, and the state in which the driver publishes each */
enum xrdma_mpt_type {
	XRDMA_MPT_MR			= 0, /* region: VALID */
	XRDMA_MPT_FAST_REG		= 1, /* fast-register region: FREE */
	XRDMA_MPT_MW_1			= 2, /* type 1 window: FREE */
	XRDMA_MPT_MW_2			= 3, /* type 2 window: FREE */
};

/**
 * struct xrdma_mpt_entry - key entry; the key table has one for each key index
 * @ctrl: XRDMA_MPT_*; the driver writes it last, with release order
 * @iova: address of the first byte; zero-based: 0
 * @length: number of bytes; @iova + @length does not wrap
 * @root: translation root, XRDMA_ROOT_*; window: 0, since accesses through a
 *	window use the translation of its region
 * @offset: position of the first byte in the translation; window: 0
 * @qpn: bound type 2 window: number of its queue pair; else 0
 * @parent: bound window: key index of its region; else 0
 * @bound: region: number of windows bound to it
 * @window_base: bound window: offset of its first byte from the first byte of
 *	its region, in bytes; else 0
 * @reserved: 0
 *
 * The driver owns an INVALID entry. Writing any other state hands the entry to
 * the device. The device owns all of it until it has made the entry INVALID for
 * an INVALIDATE, or has been reset; except that the driver may add rights to
 * @ctrl of a region. In @ctrl of an INVALID entry only the key byte has a
 * meaning: it is the last key byte that the entry had.
 */
struct xrdma_mpt_entry {
	__le64 ctrl;
	__le64 iova;
	__le64 length;
	__le64 root;
	__le32 offset;
	__le32 qpn;
	__le32 parent;
	__le32 bound;
	__le64 window_base;
	__le64 reserved;
};

static_assert(sizeof(struct xrdma_mpt_entry) == 64);

/* ---- events ---------------------------------------------------------- */

enum xrdma_event {
	XRDMA_EVENT_CQ_COMP		= 0x01, /* an armed CQ has got an entry */
	XRDMA_EVENT_CQ_ERR		= 0x02, /* CQ overflow, ring unreachable */
	XRDMA_EVENT_QP_FATAL		= 0x10, /* queues out of reach or corrupt */
	XRDMA_EVENT_QP_REQ_ERR		= 0x11, /* request broke transport rules */
	XRDMA_EVENT_QP_ACCESS_ERR	= 0x12, /* request was refused access */
	XRDMA_EVENT_QP_COMM_EST		= 0x13, /* first packet in state RTR */
	XRDMA_EVENT_QP_SQ_DRAINED	= 0x14, /* in SQD, nothing in flight */
	XRDMA_EVENT_QP_LAST_WQE		= 0x15, /* QP takes no more SRQ entries */
	XRDMA_EVENT_SRQ_LIMIT		= 0x20, /* fewer entries than the limit */
	XRDMA_EVENT_SRQ_ERR		= 0x21, /* ring out of reach or corrupt */
	XRDMA_EVENT_PORT_UP		= 0x30, /* the link is up */
	XRDMA_EVENT_PORT_DOWN		= 0x31, /* the link is down */
	XRDMA_EVENT_DEVICE_FATAL	= 0x32, /* device is in the fatal state */
	XRDMA_EVENT_FAULT		= 0x40, /* an access was refused */
	XRDMA_EVENT_PAGE_FAULT		= 0x41, /* an access waits for a page */
};

#define XRDMA_EQ_LOG_MIN		6 /* lowest log_depth of an EQ */
#define XRDMA_EQ_LOG_MAX		16 /* highest log_depth of an EQ */

/* xrdma_eqe.flags of a FAULT or PAGE_FAULT */
#define XRDMA_FAULT_REMOTE		BIT(0) /* the peer asked for the access */
#define XRDMA_FAULT_WRITE		BIT(1) /* access would change memory */

/**
 * struct xrdma_eqe - event queue entry
 * @event: enum xrdma_event
 * @reason: FAULT: enum xrdma_fault_reason
 * @opcode: FAULT, PAGE_FAULT: enum xrdma_wqe_opcode of the operation
 * @flags: FAULT, PAGE_FAULT: XRDMA_FAULT_REMOTE, XRDMA_FAULT_WRITE
 * @number: number of the object: CQN, QPN, SRQN or port; FAULT, PAGE_FAULT:
 *	local QPN
 * @key: FAULT: key of the refused access; PAGE_FAULT: key index of the region
 * @pd: FAULT, PAGE_FAULT: protection domain of the queue pair
 * @addr: FAULT: first address of the refused access; PAGE_FAULT: first position
 *	that the access needs and that is missing
 * @length: FAULT: number of bytes of the refused access; PAGE_FAULT: number of
 *	bytes that the access needs from @addr on
 * @timestamp: device clock when the entry was written, in ns
 * @lost: FAULT: number of records dropped since the previous record, because
 *	the queue had no room for them
 * @token: PAGE_FAULT: number that the answer in the resume ring has to name
 * @expected: PAGE_FAULT: number of bytes from @addr on that the message is
 *	going to access, at least @length
 * @reserved: 0
 * @own: bit 0: phase, as in struct xrdma_cqe; the device writes this word last
 */
struct xrdma_eqe {
	__u8 event;
	__u8 reason;
	__u8 opcode;
	__u8 flags;
	__le32 number;
	__le32 key;
	__le32 pd;
	__le64 addr;
	__le64 length;
	__le64 timestamp;
	__le32 lost;
	__le32 token;
	__le64 expected;
	__le32 reserved;
	__le32 own;
};

static_assert(sizeof(struct xrdma_eqe) == 64);

/* ---- on-demand paging ------------------------------------------------ */

enum xrdma_resume_outcome {
	XRDMA_RESUME_AGAIN		= 0, /* translate again */
	XRDMA_RESUME_REFUSE		= 1, /* refuse the access */
	XRDMA_RESUME_LATER		= 2, /* translate again after a pause */
};

/**
 * struct xrdma_resume - entry of the resume ring: answer to a PAGE_FAULT
 * @token: xrdma_eqe.token of the page fault
 * @outcome: enum xrdma_resume_outcome
 */
struct xrdma_resume {
	__le32 token;
	__le32 outcome;
};

static_assert(sizeof(struct xrdma_resume) == 8);

/* ---- counters -------------------------------------------------------- */

/* Counters in the order of QUERY_STATS: symbol, name that users see. */
#define XRDMA_STATS(X)						\
	X(RX_PACKETS, "rx_pkts")				\
	X(RX_BYTES, "rx_bytes")					\
	X(TX_PACKETS, "tx_pkts")				\
	X(TX_BYTES, "tx_bytes")					\
	X(RX_ICRC_ERRORS, "rx_icrc_encapsulated")		\
	X(RX_DROPPED, "rx_dropped")				\
	X(DUPLICATES, "duplicate_request")			\
	X(OUT_OF_SEQUENCE, "out_of_sequence")			\
	X(RNR_NAK, "rnr_nak_retry_err")				\
	X(RETRANSMITS, "packet_seq_err")			\
	X(ACK_TIMEOUTS, "local_ack_timeout_err")		\
	X(REM_ACCESS_ERRORS, "resp_remote_access_errors")	\
	X(FAULTS, "access_faults")				\
	X(FAULTS_LOST, "access_faults_lost")			\
	X(COMMANDS, "commands")					\
	X(INVALIDATED_KEYS, "invalidated_keys")			\
	X(OUT_OF_BUFFER, "out_of_buffer")			\
	X(RX_WRITES, "rx_write_requests")			\
	X(RX_READS, "rx_read_requests")				\
	X(RX_ATOMICS, "rx_atomic_requests")			\
	X(TX_RETRANSMITTED, "tx_retransmitted_pkts")		\
	X(REQ_REMOTE_INVALID, "req_remote_invalid_request")	\
	X(REQ_REMOTE_ACCESS, "req_remote_access_errors")	\
	X(REQ_CQE_ERRORS, "req_cqe_error")			\
	X(RESP_CQE_ERRORS, "resp_cqe_error")			\
	X(REQ_FLUSHED, "req_cqe_flush_error")			\
	X(RESP_FLUSHED, "resp_cqe_flush_error")			\
	X(ECN_MARKED, "np_ecn_marked_roce_packets")		\
	X(CNP_SENT, "np_cnp_sent")				\
	X(CNP_HANDLED, "rp_cnp_handled")			\
	X(PAGE_FAULTS, "page_faults")				\
	X(PAGE_WAITS, "page_fault_waits")			\
	X(PAGE_DROPS, "page_fault_drops")

#define XRDMA_STAT_ENUM(symbol, name) XRDMA_STAT_##symbol,
enum xrdma_stat {
	XRDMA_STATS(XRDMA_STAT_ENUM)
	XRDMA_NUM_STATS
};

#endif /* XRDMA_HW_H */
