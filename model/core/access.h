/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Check and execution of accesses to memory by key.
 *
 * model_access_check() checks every access by key, again for each packet of a
 * longer operation. So no access under a key happens after its invalidation.
 * The rules of the check are in xrdma_rules.h, the key table is in core/key.c,
 * scatter-gather lists are in core/sgl.c.
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
struct model_waiter;

/**
 * struct model_access_req - a requested access to memory
 * @qp: queue pair that accesses; the check uses its protection domain, number
 *	and rights
 * @addr: first address
 * @len: bytes; an access of 0 bytes is always granted, without a check of the
 *	key
 * @key: lkey of a local access, rkey of a remote access
 * @rights: XRDMA_ACCESS_* that the access needs; 0: local read
 * @remote: the peer requests the access: @qp must also allow @rights to its
 *	peer
 * @aligned: @addr must be a multiple of 8
 * @whole: the access covers the whole region; @addr and @len are used only in
 *	the fault record. Only for model_access_check().
 * @opcode: enum xrdma_wqe_opcode, for the fault record
 * @waiter: part of @qp that waits if a translation misses; NULL: the access
 *	cannot wait
 * @expected: bytes that the message is going to access from @addr on, as a
 *	hint; less than @len: @len
 */
struct model_access_req {
	const struct model_qp *qp;
	struct model_waiter *waiter;
	u64 expected;
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
 * struct model_target - memory of a granted access
 * @mem: the memory; valid until the next model_access_check()
 * @off: offset of the first byte in @mem
 * @region: key index of the region that @mem belongs to
 */
struct model_target {
	struct model_mem *mem;
	u64 off;
	u32 region;
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
int model_access_probe(struct model_device *dev,
		       const struct model_access_req *req, u64 *done);
void model_fault(struct model_device *dev, const struct model_access_req *req,
		 enum xrdma_fault_reason reason);

#endif /* MODEL_ACCESS_H */
