/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The one place where an access to memory by key is checked and made.
 *
 * Every access to memory that a consumer named goes through
 * model_access_check(), each packet of a longer operation anew; so once a key
 * has been invalidated, nothing more can happen under it. Must not know
 * packets or work queue entries.
 */
#ifndef MODEL_ACCESS_H
#define MODEL_ACCESS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/xlat.h"
#include "xrdma_rules.h"

struct model_device;
struct model_qp;

/**
 * struct model_access_req - an access that somebody asks for
 * @qp: on whose behalf: its protection domain, number and rights count
 * @addr: first address
 * @len: bytes; an access of 0 bytes is always granted, whatever the key
 * @key: lkey, or with @remote rkey
 * @rights: XRDMA_ACCESS_* that it needs; 0: local read
 * @remote: asked for by the peer: @rights must also be among the queue pair's
 * @aligned: @addr must be a multiple of 8
 * @whole: of all of a region: @addr does not matter, nor does @len, but for the
 *	fault record; to be checked only
 * @opcode: enum xrdma_wqe_opcode, for the fault record
 */
struct model_access_req {
	const struct model_qp *qp;
	u64 addr;
	u64 len;
	u32 key;
	u16 rights;
	bool remote;
	bool aligned;
	bool whole;
	u8 opcode;
};

/**
 * struct model_target - where an access that was granted goes
 * @mem: the memory; good until the next model_access_check()
 * @off: offset of the first byte in it
 */
struct model_target {
	struct model_mem *mem;
	u64 off;
};

struct xrdma_rules_actor model_access_actor(const struct model_qp *qp);
int model_access_check(struct model_device *dev,
		       const struct model_access_req *req,
		       struct model_target *acc);
void *model_access_ptr(struct model_device *dev,
		       const struct model_access_req *req, size_t *len,
		       int *reason);
int model_access_read(struct model_device *dev,
		      const struct model_access_req *req, void *buf);
int model_access_write(struct model_device *dev,
		       const struct model_access_req *req, const void *buf);
void model_fault(struct model_device *dev, const struct model_access_req *req,
		 enum xrdma_fault_reason reason);

#endif /* MODEL_ACCESS_H */
