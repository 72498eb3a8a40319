/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * XRDMA user ABI: layouts of what provider and driver exchange through uverbs,
 * and of what user space shares with the device: entries, records, doorbells.
 * The arithmetic of rings is in xrdma-ring.h; registers, commands, key entries
 * and translations are in headers of the driver, which user space cannot use.
 * Documentation/infiniband/xrdma-hw.rst has golden bytes of the device's part.
 *
 * Rules: everything is little-endian but immediate data and addresses of the
 * wire (GID, MAC), which are copied as they are; 8-byte fields are aligned to
 * 8 bytes; a reserved field is zero, and one that is not is refused.
 */

#ifndef XRDMA_ABI_USER_H
#define XRDMA_ABI_USER_H

#include <linux/types.h>

#define XRDMA_ABI_VERSION		1

/* ---- udata ---------------------------------------------------------- */

enum xrdma_ucontext_caps {
	XRDMA_UCAP_SHADOW_DB		= 1 << 0, /* see struct xrdma_qp_rec */
};

/**
 * struct xrdma_uresp_alloc_ucontext - reply to alloc_context
 * @db_mmap_key: offset for mmap() of this context's doorbell page
 * @db_mmap_size: length for that mmap(), in bytes
 * @caps: enum xrdma_ucontext_caps
 * @max_qp_wr: highest depth of a send or receive queue
 * @max_cqe: highest depth of a completion queue
 * @max_sge: highest number of scatter-gather entries of a work request
 * @max_inline: highest number of inline bytes of a work request
 */
struct xrdma_uresp_alloc_ucontext {
	__aligned_u64 db_mmap_key;
	__u32 db_mmap_size;
	__u32 caps;
	__u32 max_qp_wr;
	__u32 max_cqe;
	__u32 max_sge;
	__u32 max_inline;
};

/**
 * struct xrdma_uresp_alloc_pd - reply to alloc_pd
 * @pdn: number of the protection domain, for fault records and debugging
 * @reserved: 0
 */
struct xrdma_uresp_alloc_pd {
	__u32 pdn;
	__u32 reserved;
};

/**
 * struct xrdma_ureq_create_cq - request to create_cq
 * @buf_addr: address of the ring, page-aligned; the record follows the ring
 * @log_depth: log2 of the number of entries, 4 or more; at least the entries
 *	asked for
 * @reserved: 0
 *
 * The buffer is (64 << log_depth) bytes of struct xrdma_cqe, then one
 * struct xrdma_cq_rec; all of it zeroed.
 */
struct xrdma_ureq_create_cq {
	__aligned_u64 buf_addr;
	__u32 log_depth;
	__u32 reserved;
};

/**
 * struct xrdma_uresp_create_cq - reply to create_cq
 * @cqn: number of the completion queue
 * @reserved: 0
 */
struct xrdma_uresp_create_cq {
	__u32 cqn;
	__u32 reserved;
};

/**
 * struct xrdma_ureq_resize_cq - request to resize_cq
 * @buf_addr: address of the new ring and record, as in create_cq
 * @log_depth: log2 of the number of entries; at least those not consumed
 * @reserved: 0
 *
 * The record holds the present @ci and @arm. In each entry of the ring, @own
 * has the phase that the next entry to come there, counted from @ci, will not
 * have. The queue is not polled nor armed until the reply is there.
 */
struct xrdma_ureq_resize_cq {
	__aligned_u64 buf_addr;
	__u32 log_depth;
	__u32 reserved;
};

/**
 * struct xrdma_uresp_resize_cq - reply to resize_cq
 * @index: of the first entry in the new ring; those before stay in the old
 * @reserved: 0
 */
struct xrdma_uresp_resize_cq {
	__u32 index;
	__u32 reserved;
};

/**
 * struct xrdma_ureq_create_qp - request to create_qp, but of RSS
 * @buf_addr: address of the rings, page-aligned; 0 if there are none
 * @log_sq_depth: log2 of the number of send entries
 * @log_sq_stride: log2 of the bytes of a send entry, 6 to 10; 0 = no send
 *	queue (RAW_PACKET only), then @log_sq_depth is 0 too
 * @log_rq_depth: log2 of the number of receive entries
 * @log_rq_stride: log2 of the bytes of a receive entry, 5 to 10; 0 = no
 *	receive queue, then @log_rq_depth is 0 too
 * @reserved: 0
 *
 * The buffer is the send ring, then the receive ring, then (aligned to 64
 * bytes) one struct xrdma_qp_rec; the record is zeroed.
 */
struct xrdma_ureq_create_qp {
	__aligned_u64 buf_addr;
	__u8 log_sq_depth;
	__u8 log_sq_stride;
	__u8 log_rq_depth;
	__u8 log_rq_stride;
	__u32 reserved;
};

#define XRDMA_RSS_TOEPLITZ		1

/**
 * struct xrdma_ureq_create_rss - request to create_qp with an indirection table
 * @fields: enum ibv_rx_hash_fields
 * @function: XRDMA_RSS_TOEPLITZ
 * @key_len: bytes of @key: 40
 * @reserved: 0
 * @key: of the hash
 */
struct xrdma_ureq_create_rss {
	__aligned_u64 fields;
	__u8 function;
	__u8 key_len;
	__u8 reserved[6];
	__u8 key[40];
};

/**
 * struct xrdma_uresp_create_qp - reply to create_qp
 * @qpn: number of the queue pair, 24 bits
 * @reserved: 0
 */
struct xrdma_uresp_create_qp {
	__u32 qpn;
	__u32 reserved;
};

/**
 * struct xrdma_ureq_create_srq - request to create_srq; and to modify_srq, if
 * it resizes
 * @buf_addr: address of the ring, page-aligned; struct xrdma_srq_rec follows
 *	at the next multiple of 64 bytes
 * @log_depth: log2 of the number of entries
 * @log_stride: log2 of the bytes of an entry, 5 to 10; modify_srq: unchanged
 * @reserved: 0
 *
 * The record is zeroed. For modify_srq it holds the present @pi, and the ring
 * the entries that are posted, each on its index modulo the new depth; nothing
 * is posted until the call is done.
 */
struct xrdma_ureq_create_srq {
	__aligned_u64 buf_addr;
	__u8 log_depth;
	__u8 log_stride;
	__u8 reserved[6];
};

/**
 * struct xrdma_uresp_create_srq - reply to create_srq
 * @srqn: number of the shared receive queue, 24 bits
 * @reserved: 0
 */
struct xrdma_uresp_create_srq {
	__u32 srqn;
	__u32 reserved;
};

/**
 * struct xrdma_ureq_create_wq - request to create_wq
 * @buf_addr: as in create_srq, but a struct xrdma_qp_rec follows the ring
 * @log_depth: log2 of the number of entries
 * @log_stride: log2 of the bytes of an entry, 5 to 10
 * @reserved: 0
 */
struct xrdma_ureq_create_wq {
	__aligned_u64 buf_addr;
	__u8 log_depth;
	__u8 log_stride;
	__u8 reserved[6];
};

/**
 * struct xrdma_uresp_create_wq - reply to create_wq
 * @wqn: number of the work queue, of the same space as queue pairs
 * @reserved: 0
 */
struct xrdma_uresp_create_wq {
	__u32 wqn;
	__u32 reserved;
};

/*
 * They begin at 1 << UVERBS_ID_NS_SHIFT. QUERY_CONTEXT answers with a struct
 * xrdma_uresp_alloc_ucontext, ALLOC_DM and DM_QUERY with xrdma_uresp_alloc_dm.
 */
enum xrdma_ioctl_numbers {
	XRDMA_IB_ATTR_QUERY_CONTEXT_RESP	= 0x1000,
	XRDMA_IB_ATTR_ALLOC_DM_RESP		= 0x1000,
	XRDMA_IB_METHOD_DM_QUERY		= 0x1000,
	XRDMA_IB_ATTR_DM_QUERY_HANDLE		= 0x1001,
};

/**
 * struct xrdma_uresp_alloc_dm - reply to alloc_dm
 * @mmap_key: offset for mmap() of the memory
 * @mmap_size: length for that mmap(), in bytes: whole pages
 * @length: bytes that were asked for
 */
struct xrdma_uresp_alloc_dm {
	__aligned_u64 mmap_key;
	__aligned_u64 mmap_size;
	__aligned_u64 length;
};

/* ---- doorbell page -------------------------------------------------- */

/*
 * A 32-bit write of the QPN (24 bits, the rest zero) tells the device to look
 * at sq_pi of that queue pair. Every other offset is reserved.
 */
#define XRDMA_DB_PAGE_SIZE		4096
#define XRDMA_DB_SQ			0x00
#define XRDMA_QPN_MASK			0xffffff /* bits of a QPN */

/* ---- records: indexes that host and device share --------------------- */

/**
 * struct xrdma_qp_rec - record of a queue pair, behind its rings
 * @sq_pi: producer index of the send queue: entries posted since creation,
 *	modulo 2^32. Written after the entries it covers.
 * @rq_pi: likewise for the receive queue; no doorbell follows
 * @host_reserved: 0
 * @sq_event: written by the device: the value of @sq_pi at which it last went
 *	to sleep. With XRDMA_UCAP_SHADOW_DB the host, having moved @sq_pi from
 *	old to new and after a full barrier, needs to ring the doorbell only if
 *	(__u32)(new - @sq_event - 1) < (__u32)(new - old).
 * @device_reserved: written by nobody
 *
 * Two cache lines: the host writes the first, the device the second.
 */
struct xrdma_qp_rec {
	__le32 sq_pi;
	__le32 rq_pi;
	__le32 host_reserved[14];
	__le32 sq_event;
	__le32 device_reserved[15];
};

/**
 * struct xrdma_cq_rec - record of a completion queue, behind its ring
 * @ci: consumer index: entries consumed since creation, modulo 2^32
 * @arm: XRDMA_ARM_* in bits 1:0, a sequence number in bits 31:2 that the host
 *	increments with each arming. The device fires at most once for each
 *	value of this word: with the first entry it writes after it sees it
 *	(SOLICITED: the first that is solicited or in error).
 * @host_reserved: 0
 * @device_reserved: written by nobody
 *
 * After arming and a full barrier the host looks at the ring once more: an
 * entry that the device wrote before it saw @arm fires nothing. An event queue
 * has the same record, always armed with XRDMA_ARM_NEXT.
 */
struct xrdma_cq_rec {
	__le32 ci;
	__le32 arm;
	__le32 host_reserved[14];
	__le32 device_reserved[16];
};

/**
 * struct xrdma_srq_rec - record of a shared receive queue, behind its ring
 * @pi: producer index: entries posted since creation, modulo 2^32
 * @host_reserved: 0
 * @ci: written by the device: entries consumed, and free again, modulo 2^32
 * @device_reserved: written by nobody
 */
struct xrdma_srq_rec {
	__le32 pi;
	__le32 host_reserved[15];
	__le32 ci;
	__le32 device_reserved[15];
};

/* ---- work queue entries ---------------------------------------------- */

enum xrdma_wqe_opcode {
	XRDMA_OP_SEND			= 1,
	XRDMA_OP_SEND_IMM		= 2,
	XRDMA_OP_SEND_INV		= 3,
	XRDMA_OP_WRITE			= 4,
	XRDMA_OP_WRITE_IMM		= 5,
	XRDMA_OP_READ			= 6,
	XRDMA_OP_CMP_SWAP		= 7,
	XRDMA_OP_FETCH_ADD		= 8,
	XRDMA_OP_BIND_MW		= 9,
	XRDMA_OP_LOCAL_INV		= 10,
	XRDMA_OP_REG_MR			= 11,
	XRDMA_OP_FLUSH			= 12,
	XRDMA_OP_ATOMIC_WRITE		= 13,
	XRDMA_OP_RECV			= 128, /* these are in completions only */
	XRDMA_OP_RECV_WRITE_IMM		= 129,
};

enum xrdma_wqe_flags {
	XRDMA_WQE_SIGNALED		= 1 << 0,
	XRDMA_WQE_FENCE			= 1 << 1,
	XRDMA_WQE_SOLICITED		= 1 << 2,
	XRDMA_WQE_INLINE		= 1 << 3,
};

/**
 * struct xrdma_sge - scatter-gather entry
 * @addr: virtual address under @lkey
 * @length: bytes; 0 is 0
 * @lkey: local key
 */
struct xrdma_sge {
	__le64 addr;
	__le32 length;
	__le32 lkey;
};

/**
 * struct xrdma_av - address vector: where datagrams and connections go
 * @dgid: GID of the destination, as on the wire
 * @dmac: MAC of the next hop, as on the wire
 * @udp_sport: source port of UDP, 0xc000 to 0xffff; 0: the device derives it
 * @flow_label: 20 bits
 * @sgid_index: index of the source GID
 * @hop_limit: of the IP header
 * @traffic_class: of the IP header
 * @sl: service level, 0 to 7
 */
struct xrdma_av {
	__u8 dgid[16];
	__u8 dmac[6];
	__le16 udp_sport;
	__le32 flow_label;
	__u8 sgid_index;
	__u8 hop_limit;
	__u8 traffic_class;
	__u8 sl;
};

/**
 * struct xrdma_uresp_create_ah - reply to create_ah
 * @av: what a datagram to that address carries
 */
struct xrdma_uresp_create_ah {
	struct xrdma_av av;
};

/**
 * struct xrdma_sq_wqe - first 32 bytes of every send entry
 * @opcode: enum xrdma_wqe_opcode
 * @flags: enum xrdma_wqe_flags
 * @num_sge: number of scatter-gather entries, or of bytes with INLINE
 * @imm: immediate data, as given by the consumer
 * @inv_key: key to invalidate, of the window to bind, or to make valid (REG_MR)
 * @length: bytes to FLUSH; 0 if it is a whole region
 * @remote_addr: of WRITE, READ, atomics, FLUSH
 * @dqpn: destination QPN of a datagram, 24 bits
 * @qkey: Q_Key of a datagram
 * @rkey: key of @remote_addr
 * @ext: XRC: number of the remote SRQ; FLUSH (of RC only): XRDMA_FLUSH_*
 * @wr_id: returned in the completion as it is
 *
 * What follows at byte 32 depends on the operation: nothing (RC and UC: SEND,
 * WRITE, READ), struct xrdma_atomic_seg, struct xrdma_bind_seg,
 * struct xrdma_reg_seg, or struct xrdma_av (UD). Then the scatter-gather
 * entries or the inline bytes. An entry never takes more than one stride.
 */
struct xrdma_sq_wqe {
	__u8 opcode;
	__u8 flags;
	__le16 num_sge;
	union {
		__be32 imm;
		__le32 inv_key;
		__le32 length;
	};
	union {
		__le64 remote_addr;
		struct {
			__le32 dqpn;
			__le32 qkey;
		};
	};
	__le32 rkey;
	__le32 ext;
	__le64 wr_id;
};

/* FLUSH: what to wait for, and of what (as in the FETH of IBTA 9.4.9). */
#define XRDMA_FLUSH_GLOBAL		(1 << 0) /* visible to all */
#define XRDMA_FLUSH_PERSISTENT		(1 << 1)
#define XRDMA_FLUSH_MR			(1 << 4) /* the whole region, else a range */

/**
 * struct xrdma_atomic_seg - operands of CMP_SWAP, FETCH_ADD, ATOMIC_WRITE
 * @swap_add: value to swap in, to add, or to write
 * @compare: value to compare with; 0 but for CMP_SWAP
 */
struct xrdma_atomic_seg {
	__le64 swap_add;
	__le64 compare;
};

/**
 * struct xrdma_bind_seg - grant of BIND_MW
 * @addr: first byte of the window, under @mr_key
 * @length: bytes; 0 unbinds a type 1 window, and then @addr, @mr_key and
 *	@access are 0
 * @mr_key: lkey of the region
 * @new_key: key of the window from now on: index of inv_key, and for type 1
 *	another key byte
 * @access: remote rights, and XRDMA_ACCESS_ZERO_BASED for type 2
 * @reserved: 0
 */
struct xrdma_bind_seg {
	__le64 addr;
	__le64 length;
	__le32 mr_key;
	__le32 new_key;
	__le32 access;
	__le32 reserved;
};

/**
 * struct xrdma_reg_seg - grant of REG_MR; kernel queue pairs only
 * @iova: first address of the region
 * @length: bytes
 * @root: translation root, XRDMA_ROOT_*
 * @offset: position of the first byte in that translation
 * @access: enum xrdma_access
 */
struct xrdma_reg_seg {
	__le64 iova;
	__le64 length;
	__le64 root;
	__le32 offset;
	__le32 access;
};

/* Rights, of key entries and of bind and register segments. */
enum xrdma_access {
	XRDMA_ACCESS_LOCAL_WRITE	= 1 << 0,
	XRDMA_ACCESS_REMOTE_WRITE	= 1 << 1,
	XRDMA_ACCESS_REMOTE_READ	= 1 << 2,
	XRDMA_ACCESS_REMOTE_ATOMIC	= 1 << 3,
	XRDMA_ACCESS_MW_BIND		= 1 << 4,
	XRDMA_ACCESS_ZERO_BASED		= 1 << 5,
	XRDMA_ACCESS_FLUSH_GLOBAL	= 1 << 8,
	XRDMA_ACCESS_FLUSH_PERSISTENT	= 1 << 9,
	XRDMA_ACCESS_RELAXED_ORDERING	= 1 << 10,
};

/* Rights that a window can have: it grants remote access only. */
#define XRDMA_ACCESS_WINDOW						\
	(XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |		\
	 XRDMA_ACCESS_REMOTE_ATOMIC | XRDMA_ACCESS_ZERO_BASED)

/**
 * struct xrdma_rq_wqe - first 16 bytes of every receive entry
 * @num_sge: number of struct xrdma_sge that follow
 * @reserved: 0
 * @wr_id: returned in the completion as it is
 */
struct xrdma_rq_wqe {
	__le16 num_sge;
	__le16 reserved[3];
	__le64 wr_id;
};

/* ---- completion queue entry ------------------------------------------ */

/* Completion status; the numbers are those of enum ibv_wc_status. */
enum xrdma_wc_status {
	XRDMA_WC_SUCCESS		= 0,
	XRDMA_WC_LOC_LEN_ERR		= 1,
	XRDMA_WC_LOC_QP_OP_ERR		= 2,
	XRDMA_WC_LOC_PROT_ERR		= 4,
	XRDMA_WC_WR_FLUSH_ERR		= 5,
	XRDMA_WC_MW_BIND_ERR		= 6,
	XRDMA_WC_BAD_RESP_ERR		= 7,
	XRDMA_WC_LOC_ACCESS_ERR		= 8,
	XRDMA_WC_REM_INV_REQ_ERR	= 9,
	XRDMA_WC_REM_ACCESS_ERR		= 10,
	XRDMA_WC_REM_OP_ERR		= 11,
	XRDMA_WC_RETRY_EXC_ERR		= 12,
	XRDMA_WC_RNR_RETRY_EXC_ERR	= 13,
	XRDMA_WC_REM_ABORT_ERR		= 16,
	XRDMA_WC_FATAL_ERR		= 19,
	XRDMA_WC_GENERAL_ERR		= 21,
};

enum xrdma_cqe_flags {
	XRDMA_CQE_SEND			= 1 << 0, /* of the send queue */
	XRDMA_CQE_IMM			= 1 << 1, /* imm is valid */
	XRDMA_CQE_INV			= 1 << 2, /* inv_key is valid */
	XRDMA_CQE_GRH			= 1 << 3, /* 40 bytes of GRH precede the data */
	XRDMA_CQE_SRQ			= 1 << 4, /* of a shared receive queue */
	XRDMA_CQE_SOLICITED		= 1 << 5,
	XRDMA_CQE_VLAN			= 1 << 6, /* vlan_tci is valid */
	XRDMA_CQE_IPV4			= 1 << 7, /* the GRH area holds an IPv4 header */
};

/* Why an access was refused; in fault records and in vendor_err. */
enum xrdma_fault_reason {
	XRDMA_FAULT_NONE		= 0,
	XRDMA_FAULT_KEY_INDEX		= 1,  /* no such entry in the table */
	XRDMA_FAULT_KEY_INVALID		= 2,  /* entry is invalid */
	XRDMA_FAULT_KEY_FREE		= 3,  /* entry is free, grants nothing */
	XRDMA_FAULT_KEY_BYTE		= 4,  /* key byte differs */
	XRDMA_FAULT_PD			= 5,  /* protection domain differs */
	XRDMA_FAULT_QP			= 6,  /* window of another queue pair */
	XRDMA_FAULT_RIGHTS		= 7,  /* right not granted */
	XRDMA_FAULT_RANGE		= 8,  /* outside of the range, or wraps */
	XRDMA_FAULT_TRANSLATION		= 9,  /* no translation */
	XRDMA_FAULT_BOUND		= 10, /* windows are bound to the region */
	XRDMA_FAULT_TYPE		= 11, /* entry of the wrong type */
	XRDMA_FAULT_ALIGN		= 12, /* atomic operand is not aligned */
	XRDMA_FAULT_QP_RIGHTS		= 13, /* queue pair does not allow it */
	XRDMA_FAULT_NOT_FREE		= 14, /* entry must be free to be bound */
};

/**
 * struct xrdma_cqe - completion queue entry
 * @wr_id: of the work request
 * @byte_len: bytes received, read or, for atomics, 8
 * @imm: immediate data, as sent
 * @inv_key: key that was invalidated
 * @qpn: local queue pair
 * @src_qpn: sending queue pair (datagrams)
 * @opcode: enum xrdma_wqe_opcode
 * @status: enum xrdma_wc_status
 * @flags: enum xrdma_cqe_flags
 * @vendor_err: enum xrdma_fault_reason of a refused access, else 0
 * @wqe_index: send queue: low 16 bits of its index; all up to it are free
 * @timestamp: device clock when the entry was written, in ns
 * @smac: source MAC of a datagram
 * @vlan_tci: VLAN tag of a datagram
 * @pkey_index: of a datagram
 * @sl: priority of a datagram: that of @vlan_tci, or 0
 * @reserved0: 0
 * @reserved1: 0
 * @own: bit 0: phase: 1 in the first lap of the ring, then alternating; written
 *	last. Other bits 0.
 */
struct xrdma_cqe {
	__le64 wr_id;
	__le32 byte_len;
	union {
		__be32 imm;
		__le32 inv_key;
	};
	__le32 qpn;
	__le32 src_qpn;
	__u8 opcode;
	__u8 status;
	__le16 flags;
	__le16 vendor_err;
	__le16 wqe_index;
	__le64 timestamp;
	__u8 smac[6];
	__le16 vlan_tci;
	__le16 pkey_index;
	__u8 sl;
	__u8 reserved0;
	__le32 reserved1[2];
	__le32 own;
};

#endif /* XRDMA_ABI_USER_H */
