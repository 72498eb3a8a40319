/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Protection: the key table and the one place where an access is checked.
 *
 * Every access to memory that a consumer named goes through
 * xrdma_access_check(), each packet of a longer operation anew; so once
 * INVALIDATE has dropped an entry, nothing more can happen under its key.
 * Must not know packets or work queue entries.
 */
#ifndef XRDMA_MODEL_KEY_H
#define XRDMA_MODEL_KEY_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "xlat.h"
#include "xrdma_hw.h"

struct xrdma_qp;

/* Entries of the cache of valid key entries; a power of two. */
#define XRDMA_KEY_CACHE		4096

/**
 * struct xrdma_key - key entry, decoded
 * @index: key index
 * @cached: this slot of the cache holds a valid entry
 * @byte: key byte
 * @state: enum xrdma_mpt_state
 * @type: enum xrdma_mpt_type
 * @access: XRDMA_ACCESS_*
 * @pd: protection domain
 * @qpn: of a bound type 2 window
 * @parent: of a bound window: key index of its region
 * @iova: address of the first byte
 * @length: bytes
 * @window_base: of a bound window: first byte relative to its region's
 * @mem: its memory; unused for windows
 */
struct xrdma_key {
	u32 index;
	bool cached;
	u8 byte;
	u8 state;
	u8 type;
	u16 access;
	u32 pd;
	u32 qpn;
	u32 parent;
	u64 iova;
	u64 length;
	u64 window_base;
	struct xrdma_mem mem;
};

/**
 * struct xrdma_key_table - the key table of the host, as the device sees it
 * @mem: the table, behind REG_MPT_ROOT
 * @cache: valid entries, direct-mapped by index
 */
struct xrdma_key_table {
	struct xrdma_mem mem;
	struct xrdma_key cache[XRDMA_KEY_CACHE];
};

/**
 * struct xrdma_access_req - an access that somebody asks for
 * @qp: on whose behalf: its protection domain, number and rights count
 * @addr: first address
 * @len: bytes; an access of 0 bytes is always granted, whatever the key
 * @key: lkey, or with @remote rkey
 * @rights: XRDMA_ACCESS_* that it needs; 0: local read
 * @remote: asked for by the peer: @rights must also be among the queue pair's
 * @opcode: enum xrdma_wqe_opcode, for the fault record
 */
struct xrdma_access_req {
	const struct xrdma_qp *qp;
	u64 addr;
	u64 len;
	u32 key;
	u16 rights;
	bool remote;
	u8 opcode;
};

/**
 * struct xrdma_grant - a granted access
 * @mem: the memory; good until the next xrdma_access_check()
 * @off: offset of the first byte in it
 */
struct xrdma_grant {
	struct xrdma_mem *mem;
	u64 off;
};

int xrdma_access_check(struct xrdma_device *dev,
		       const struct xrdma_access_req *req,
		       struct xrdma_grant *acc);
void *xrdma_access_ptr(struct xrdma_device *dev,
		       const struct xrdma_access_req *req, size_t *len,
		       int *reason);
int xrdma_access_read(struct xrdma_device *dev,
		      const struct xrdma_access_req *req, void *buf);
int xrdma_access_write(struct xrdma_device *dev,
		       const struct xrdma_access_req *req, const void *buf);
void xrdma_fault(struct xrdma_device *dev, const struct xrdma_access_req *req,
		 enum xrdma_fault_reason reason);

void xrdma_keys_enable(struct xrdma_device *dev, u64 root);
void xrdma_keys_reset(struct xrdma_device *dev);
enum xrdma_inval_status xrdma_key_invalidate(struct xrdma_device *dev,
					     u32 index);
void xrdma_key_invalidate_pd(struct xrdma_device *dev, u32 pd);

#endif /* XRDMA_MODEL_KEY_H */
