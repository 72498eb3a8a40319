/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * XRDMA user ABI: the structures that the provider and xrdma.ko exchange
 * through uverbs, and those that user space and the device share: queue
 * entries, queue records and the doorbell page. Headers of the driver have all
 * others; xrdma-ring.h has the arithmetic of rings. The shared structures are
 * specified, with golden bytes, in Documentation/infiniband/xrdma-hw.rst.
 *
 * Integers are little-endian; immediate data, GIDs and MAC addresses have the
 * byte order of the wire. 8-byte fields are aligned to 8 bytes. Reserved fields
 * shall be zero; a structure with a reserved field that is not zero is refused.
 */

#ifndef XRDMA_ABI_USER_H
#define XRDMA_ABI_USER_H

#include <linux/types.h>

#define XRDMA_ABI_VERSION		3
#define XRDMA_KEY_NULL			0x00000002 /* lkey without memory */

/* ---- udata ---------------------------------------------------------- */

enum xrdma_ucontext_caps {
	XRDMA_UCAP_SHADOW_DB		= 1 << 0, /* the device reads records */
	XRDMA_UCAP_NULL_KEY		= 1 << 1, /* XRDMA_KEY_NULL exists */
	XRDMA_UCAP_PUSH			= 1 << 2, /* the context has a push page */
};

/**
 * struct xrdma_uresp_alloc_ucontext - reply to alloc_context
 * @db_mmap_key: mmap() offset of this context's doorbell page
 * @db_mmap_size: mmap() length of the doorbell page, in bytes
 * @caps: flags of enum xrdma_ucontext_caps
 * @max_qp_wr: largest depth of a send or receive queue, in entries
 * @max_cqe: largest depth of a completion queue, in entries
 * @max_sge: largest number of scatter-gather entries of a work request
 * @max_inline: largest number of inline bytes of a work request
 * @push_mmap_key: mmap() offset of the push page, of @db_mmap_size bytes
 */
struct xrdma_uresp_alloc_ucontext {
	__aligned_u64 db_mmap_key;
	__u32 db_mmap_size;
	__u32 caps;
	__u32 max_qp_wr;
	__u32 max_cqe;
	__u32 max_sge;
	__u32 max_inline;
	__aligned_u64 push_mmap_key;
};

/**
 * struct xrdma_uresp_alloc_pd - reply to alloc_pd
 * @pdn: number of the protection domain, as it appears in fault records
 * @reserved: 0
 */
struct xrdma_uresp_alloc_pd {
	__u32 pdn;
	__u32 reserved;
};

/**
 * struct xrdma_ureq_create_cq - request to create_cq
 * @buf_addr: user address of the ring, page-aligned; the record follows it
 * @log_depth: log2 of the number of ring entries, 4 or more; the ring has at
 *	least as many entries as create_cq asks for
 * @reserved: 0
 *
 * The buffer is (64 << log_depth) bytes of struct xrdma_cqe, then one
 * struct xrdma_cq_rec. User space zeroes all of it before the call.
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
 * @buf_addr: user address of the new ring and record, as in create_cq
 * @log_depth: log2 of the number of entries; at least as many as not consumed
 * @reserved: 0
 *
 * The new record holds the present @ci and @arm. The @own of each entry of the
 * new ring holds the inverse of the phase that the device will write there
 * next, counted from @ci. User space neither polls nor arms the queue until the
 * call has returned.
 */
struct xrdma_ureq_resize_cq {
	__aligned_u64 buf_addr;
	__u32 log_depth;
	__u32 reserved;
};

/**
 * struct xrdma_uresp_resize_cq - reply to resize_cq
 * @index: index of the first entry that the device writes to the new ring;
 *	entries with a lower index are in the old ring
 * @reserved: 0
 */
struct xrdma_uresp_resize_cq {
	__u32 index;
	__u32 reserved;
};

/**
 * struct xrdma_ureq_create_qp - request to create_qp, without indirection table
 * @buf_addr: user address of the rings, page-aligned; 0 if there are no rings
 * @log_sq_depth: log2 of the number of send entries
 * @sq_units: length of the longest send entry in units of 64 bytes, 1 to 16;
 *	0: no send queue (RAW_PACKET only), @log_sq_depth is 0 too
 * @log_rq_depth: log2 of the number of receive entries
 * @log_rq_stride: log2 of the bytes of a receive entry, 5 to 10; 0: no receive
 *	queue, @log_rq_depth is 0 too
 * @reserved: 0
 *
 * The buffer is the receive ring, the send ring with its tail at the next multiple
 * of 64 bytes, and struct xrdma_qp_rec, zeroed by user space, at that of 128.
 */
struct xrdma_ureq_create_qp {
	__aligned_u64 buf_addr;
	__u8 log_sq_depth;
	__u8 sq_units;
	__u8 log_rq_depth;
	__u8 log_rq_stride;
	__u32 reserved;
};

#define XRDMA_RSS_TOEPLITZ		1 /* the only hash function */

/**
 * struct xrdma_ureq_create_rss - request to create_qp with an indirection table
 * @fields: flags of enum ibv_rx_hash_fields: header fields that are hashed
 * @function: hash function: XRDMA_RSS_TOEPLITZ
 * @key_len: length of @key in bytes: 40
 * @reserved: 0
 * @key: key of the hash function
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
 * struct xrdma_ureq_create_srq - request to create_srq and modify_srq
 * @buf_addr: user address of the ring, page-aligned; struct xrdma_srq_rec
 *	follows the ring at the next multiple of 128 bytes
 * @log_depth: log2 of the number of entries
 * @log_stride: log2 of the bytes of an entry, 5 to 10; modify_srq: unchanged
 * @reserved: 0
 *
 * create_srq: the record is zeroed. modify_srq: the new record holds the
 * present @pi, the new ring holds the posted entries, each at its index modulo
 * the new depth, and user space posts nothing until the call has returned.
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
 * @wqn: number of the work queue; unique among work queues and queue pairs
 * @reserved: 0
 */
struct xrdma_uresp_create_wq {
	__u32 wqn;
	__u32 reserved;
};

/*
 * Attributes and methods of the driver, from 1 << UVERBS_ID_NS_SHIFT on. The
 * replies: of QUERY_CONTEXT a struct xrdma_uresp_alloc_ucontext, of ALLOC_DM and
 * DM_QUERY a struct xrdma_uresp_alloc_dm, of QUERY_CLOCK the device clock in ns.
 */
enum xrdma_ioctl_numbers {
	XRDMA_IB_ATTR_QUERY_CONTEXT_RESP	= 0x1000,
	XRDMA_IB_ATTR_ALLOC_DM_RESP		= 0x1000,
	XRDMA_IB_METHOD_DM_QUERY		= 0x1000,
	XRDMA_IB_ATTR_DM_QUERY_HANDLE		= 0x1001,
	XRDMA_IB_METHOD_QUERY_CLOCK		= 0x1000,
	XRDMA_IB_ATTR_QUERY_CLOCK_RESP		= 0x1000,
};

/**
 * struct xrdma_uresp_alloc_dm - reply to alloc_dm and to DM_QUERY
 * @mmap_key: mmap() offset of the device memory
 * @mmap_size: mmap() length, in bytes: a multiple of the page size
 * @length: length that alloc_dm asked for, in bytes
 */
struct xrdma_uresp_alloc_dm {
	__aligned_u64 mmap_key;
	__aligned_u64 mmap_size;
	__aligned_u64 length;
};

#define XRDMA_QPN_MASK			0xffffff /* bits of a QPN */

/* ---- records: indexes that host and device share --------------------- */

/**
 * struct xrdma_qp_rec - record of a queue pair, stored after its rings
 * @sq_pi: producer index of the send queue: number of entries posted since
 *	creation, modulo 2^32. Written after those entries. The device reads it
 *	only with shadow doorbells.
 * @rq_pi: producer index of the receive queue, likewise; no doorbell follows
 * @host_reserved: 0
 * @sq_event: written by the device with shadow doorbells: value of @sq_pi at
 *	which the device last went idle. The host, after it has moved @sq_pi
 *	from old to new and after a full barrier, needs to ring the doorbell
 *	only if (__u32)(new - @sq_event - 1) < (__u32)(new - old).
 * @device_reserved: neither host nor device writes it
 *
 * The host writes the first cache line (64 bytes), the device the second.
 */
struct xrdma_qp_rec {
	__le32 sq_pi;
	__le32 rq_pi;
	__le32 host_reserved[14];
	__le32 sq_event;
	__le32 device_reserved[15];
};

/**
 * struct xrdma_cq_rec - record of a completion queue, stored after its ring
 * @ci: consumer index: number of entries consumed since creation, modulo 2^32
 * @arm: only with shadow doorbells, otherwise 0: XRDMA_ARM_* in bits 1:0; in
 *	bits 31:2 a sequence number that the host increments with each arming.
 *	The device reads @arm after writing an entry, and fires (raises the
 *	queue's event) at most once for each value.
 * @host_reserved: 0
 * @device_reserved: neither host nor device writes it
 *
 * After arming and a full barrier the host looks at the ring once more: an
 * entry after which the device still read the old @arm does not fire. An event
 * queue has the same record, and is always armed with XRDMA_ARM_NEXT.
 */
struct xrdma_cq_rec {
	__le32 ci;
	__le32 arm;
	__le32 host_reserved[14];
	__le32 device_reserved[16];
};

/**
 * struct xrdma_srq_rec - record of a shared receive queue, stored after its ring
 * @pi: producer index: number of entries posted since creation, modulo 2^32
 * @host_reserved: 0
 * @ci: written by the device: number of entries consumed and free, modulo 2^32
 * @device_reserved: neither host nor device writes it
 */
struct xrdma_srq_rec {
	__le32 pi;
	__le32 host_reserved[15];
	__le32 ci;
	__le32 device_reserved[15];
};

/* ---- work queue entries ---------------------------------------------- */

enum xrdma_wqe_opcode {
	XRDMA_OP_SEND			= 1,   /* send a message */
	XRDMA_OP_SEND_IMM		= 2,   /* SEND with immediate data */
	XRDMA_OP_SEND_INV		= 3,   /* SEND that invalidates a key */
	XRDMA_OP_WRITE			= 4,   /* write remote memory */
	XRDMA_OP_WRITE_IMM		= 5,   /* WRITE with immediate data */
	XRDMA_OP_READ			= 6,   /* read remote memory */
	XRDMA_OP_CMP_SWAP		= 7,   /* remote compare and swap */
	XRDMA_OP_FETCH_ADD		= 8,   /* remote fetch and add */
	XRDMA_OP_BIND_MW		= 9,   /* bind a memory window */
	XRDMA_OP_LOCAL_INV		= 10,  /* invalidate a local key */
	XRDMA_OP_REG_MR			= 11,  /* register memory (kernel only) */
	XRDMA_OP_FLUSH			= 12,  /* wait until writes are placed */
	XRDMA_OP_ATOMIC_WRITE		= 13,  /* write 8 bytes in one piece */
	XRDMA_OP_SEND_ETH		= 14,  /* send a frame (kernel only) */
	XRDMA_OP_RECV			= 128, /* completions only: receive */
	XRDMA_OP_RECV_WRITE_IMM		= 129, /* completions only: WRITE_IMM */
};

enum xrdma_wqe_flags {
	XRDMA_WQE_SIGNALED		= 1 << 0, /* complete on success too */
	XRDMA_WQE_FENCE			= 1 << 1, /* wait for READs and atomics */
	XRDMA_WQE_SOLICITED		= 1 << 2, /* peer's receive is solicited */
	XRDMA_WQE_INLINE		= 1 << 3, /* entry contains the data */
};

/**
 * struct xrdma_sge - scatter-gather entry
 * @addr: address of the first byte in the region of @lkey
 * @length: number of bytes; 0 means no byte
 * @lkey: local key
 */
struct xrdma_sge {
	__le64 addr;
	__le32 length;
	__le32 lkey;
};

/**
 * struct xrdma_av - address vector: destination of a datagram or a connection
 * @dgid: destination GID, in the byte order of the wire
 * @dmac: MAC address of the next hop, in the byte order of the wire
 * @udp_sport: UDP source port, 0xc000 to 0xffff; 0: the device derives it
 * @flow_label: IPv6 flow label, 20 bits
 * @sgid_index: index of the source GID in the GID table
 * @hop_limit: hop limit (IPv6) or time to live (IPv4)
 * @traffic_class: traffic class (IPv6) or type of service (IPv4)
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
 * @av: address vector to put into the send entry of each datagram
 */
struct xrdma_uresp_create_ah {
	struct xrdma_av av;
};

/**
 * struct xrdma_sq_wqe - first 32 bytes of every send entry
 * @opcode: enum xrdma_wqe_opcode
 * @flags: enum xrdma_wqe_flags; in bits 7:4 the length in units of 64 bytes, less 1
 * @num_sge: number of scatter-gather entries; XRDMA_WQE_INLINE: of bytes
 * @imm: immediate data, in the byte order of the wire
 * @inv_key: SEND_INV, LOCAL_INV: key to invalidate; BIND_MW: key of the window
 *	to bind; REG_MR: key that becomes valid
 * @length: number of bytes to FLUSH; 0 with XRDMA_FLUSH_MR
 * @remote_addr: first remote address of WRITE, READ, atomics and FLUSH
 * @dqpn: destination QPN of a datagram, 24 bits
 * @qkey: Q_Key of a datagram
 * @rkey: remote key for @remote_addr
 * @ext: XRC: number of the remote SRQ; FLUSH (RC only): XRDMA_FLUSH_*
 * @wr_id: any value; the completion returns it
 *
 * Byte 32 begins, depending on the operation, a struct xrdma_atomic_seg,
 * xrdma_bind_seg, xrdma_reg_seg, xrdma_eth_seg (of the driver's headers),
 * xrdma_av (UD), or nothing (RC and UC: SEND, WRITE, READ). The scatter-gather
 * entries or the inline bytes follow, and behind the last unit the next entry.
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

/* Placement type and selectivity of FLUSH, as in the FETH of IBTA 9.4.9. */
#define XRDMA_FLUSH_GLOBAL		(1 << 0) /* wait until visible to all */
#define XRDMA_FLUSH_PERSISTENT		(1 << 1) /* wait until persistent */
#define XRDMA_FLUSH_MR			(1 << 4) /* whole region; clear: a range */

/**
 * struct xrdma_atomic_seg - operands of CMP_SWAP, FETCH_ADD, ATOMIC_WRITE
 * @swap_add: value to swap in, to add, or to write
 * @compare: CMP_SWAP: value to compare with; other operations: 0
 */
struct xrdma_atomic_seg {
	__le64 swap_add;
	__le64 compare;
};

/**
 * struct xrdma_bind_seg - window that BIND_MW makes
 * @addr: address of the first byte of the window in the region of @mr_key
 * @length: number of bytes; 0 unbinds type 1: @addr, @mr_key and @access are 0
 * @mr_key: lkey of the region
 * @new_key: key after the bind: index of inv_key; type 1: with another key byte
 * @access: remote rights; for type 2 also XRDMA_ACCESS_ZERO_BASED
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
 * struct xrdma_reg_seg - region that REG_MR makes; kernel queue pairs only
 * @iova: address of the first byte of the region
 * @length: number of bytes
 * @root: translation root, XRDMA_ROOT_*
 * @offset: position of the first byte in the translation of @root
 * @access: flags of enum xrdma_access
 */
struct xrdma_reg_seg {
	__le64 iova;
	__le64 length;
	__le64 root;
	__le32 offset;
	__le32 access;
};

/* Rights that key entries, queue pairs, binds and registrations grant. */
enum xrdma_access {
	XRDMA_ACCESS_LOCAL_WRITE	= 1 << 0,  /* local write: receive, READ */
	XRDMA_ACCESS_REMOTE_WRITE	= 1 << 1,  /* peer: WRITE, ATOMIC_WRITE */
	XRDMA_ACCESS_REMOTE_READ	= 1 << 2,  /* peer: READ */
	XRDMA_ACCESS_REMOTE_ATOMIC	= 1 << 3,  /* peer: CMP_SWAP, FETCH_ADD */
	XRDMA_ACCESS_MW_BIND		= 1 << 4,  /* windows may be bound */
	XRDMA_ACCESS_ZERO_BASED		= 1 << 5,  /* first byte has address 0 */
	XRDMA_ACCESS_FLUSH_GLOBAL	= 1 << 8,  /* peer: FLUSH, visible to all */
	XRDMA_ACCESS_FLUSH_PERSISTENT	= 1 << 9,  /* peer: FLUSH, persistent */
	XRDMA_ACCESS_RELAXED_ORDERING	= 1 << 10, /* accesses may be reordered */
};

/* Rights that a window can have: it grants remote access only. */
#define XRDMA_ACCESS_WINDOW						\
	(XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |		\
	 XRDMA_ACCESS_REMOTE_ATOMIC | XRDMA_ACCESS_ZERO_BASED)

/**
 * struct xrdma_rq_wqe - first 16 bytes of every receive entry
 * @num_sge: number of struct xrdma_sge that follow
 * @reserved: 0
 * @wr_id: any value; the completion returns it
 */
struct xrdma_rq_wqe {
	__le16 num_sge;
	__le16 reserved[3];
	__le64 wr_id;
};

/* Completion status; the numbers are those of enum ibv_wc_status. */
enum xrdma_wc_status {
	XRDMA_WC_SUCCESS		= 0,  /* operation succeeded */
	XRDMA_WC_LOC_LEN_ERR		= 1,  /* message or buffer length wrong */
	XRDMA_WC_LOC_QP_OP_ERR		= 2,  /* request not valid on queue pair */
	XRDMA_WC_LOC_PROT_ERR		= 4,  /* local memory access was refused */
	XRDMA_WC_WR_FLUSH_ERR		= 5,  /* discarded: queue pair in error */
	XRDMA_WC_MW_BIND_ERR		= 6,  /* BIND_MW or REG_MR was refused */
	XRDMA_WC_BAD_RESP_ERR		= 7,  /* unexpected response from peer */
	XRDMA_WC_LOC_ACCESS_ERR		= 8,  /* receive: key of peer was refused */
	XRDMA_WC_REM_INV_REQ_ERR	= 9,  /* peer found the request invalid */
	XRDMA_WC_REM_ACCESS_ERR		= 10, /* peer refused the access */
	XRDMA_WC_REM_OP_ERR		= 11, /* peer failed to execute request */
	XRDMA_WC_RETRY_EXC_ERR		= 12, /* no answer after all retries */
	XRDMA_WC_RNR_RETRY_EXC_ERR	= 13, /* peer not ready after all retries */
	XRDMA_WC_REM_ABORT_ERR		= 16, /* peer aborted the operation */
	XRDMA_WC_FATAL_ERR		= 19, /* unrecoverable error */
	XRDMA_WC_GENERAL_ERR		= 21, /* any other error */
};

enum xrdma_cqe_flags {
	XRDMA_CQE_SEND			= 1 << 0, /* of the send queue */
	XRDMA_CQE_IMM			= 1 << 1, /* imm is valid */
	XRDMA_CQE_INV			= 1 << 2, /* inv_key is valid */
	XRDMA_CQE_GRH			= 1 << 3, /* 40 bytes of GRH precede data */
	XRDMA_CQE_SRQ			= 1 << 4, /* of a shared receive queue */
	XRDMA_CQE_SOLICITED		= 1 << 5, /* sender asked for an event */
	XRDMA_CQE_VLAN			= 1 << 6, /* vlan_tci is valid */
	XRDMA_CQE_IPV4			= 1 << 7, /* GRH area: an IPv4 header */
	XRDMA_CQE_CSUM			= 1 << 8, /* checksums of frame are right */
	XRDMA_CQE_GRO			= 1 << 9, /* frame is several; mss is valid */
};

/* Why an access was refused: reported in fault records and vendor_err. */
enum xrdma_fault_reason {
	XRDMA_FAULT_NONE		= 0,  /* no access was refused */
	XRDMA_FAULT_KEY_INDEX		= 1,  /* key table has no such entry */
	XRDMA_FAULT_KEY_INVALID		= 2,  /* entry is invalid */
	XRDMA_FAULT_KEY_FREE		= 3,  /* entry is free, grants nothing */
	XRDMA_FAULT_KEY_BYTE		= 4,  /* key byte differs */
	XRDMA_FAULT_PD			= 5,  /* protection domain differs */
	XRDMA_FAULT_QP			= 6,  /* window of another queue pair */
	XRDMA_FAULT_RIGHTS		= 7,  /* right is not granted */
	XRDMA_FAULT_RANGE		= 8,  /* outside of the range, or wraps */
	XRDMA_FAULT_TRANSLATION		= 9,  /* address is not mapped */
	XRDMA_FAULT_BOUND		= 10, /* windows are bound to the region */
	XRDMA_FAULT_TYPE		= 11, /* entry of the wrong type */
	XRDMA_FAULT_ALIGN		= 12, /* atomic operand is not aligned */
	XRDMA_FAULT_QP_RIGHTS		= 13, /* queue pair does not allow it */
	XRDMA_FAULT_NOT_FREE		= 14, /* entry to bind or register in use */
};

/**
 * struct xrdma_cqe - completion queue entry
 * @wr_id: wr_id of the work request
 * @byte_len: number of bytes received or read; atomics: 8
 * @imm: immediate data, in the byte order of the wire
 * @inv_key: key that was invalidated
 * @qpn: number of the local queue pair
 * @src_qpn: number of the sending queue pair of a datagram
 * @opcode: enum xrdma_wqe_opcode
 * @status: enum xrdma_wc_status
 * @flags: flags of enum xrdma_cqe_flags
 * @vendor_err: enum xrdma_fault_reason of a refused access, else 0
 * @wqe_index: send queue: low 16 bits of the index of the send entry; that
 *	entry and all entries before it are free
 * @timestamp: device clock, in ns: when a frame was at the wire, or of the entry
 * @smac: source MAC address of a datagram
 * @vlan_tci: VLAN tag of a datagram
 * @pkey_index: P_Key index of a datagram
 * @sl: priority of a datagram: bits 15:13 of @vlan_tci; 0 without a tag
 * @reserved0: 0
 * @mss: XRDMA_CQE_GRO: bytes of TCP payload in each frame but the last; else 0
 * @reserved1: 0
 * @own: bit 0: phase: 1 in the first lap, then alternating; rest: 0; written last
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
	__le16 mss;
	__le16 reserved1[3];
	__le32 own;
};

#endif /* XRDMA_ABI_USER_H */
