// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Check and execution of accesses to memory by key, and fault records of
 * refused accesses. The rules are in xrdma_rules.h, the key table is in key.c,
 * the translation in xlat.c.
 */
#include <errno.h>
#include <string.h>

#include "core/access.h"
#include "core/device.h"

/* Rights for writes. */
#define WRITE_RIGHTS							\
	(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |		\
	 XRDMA_ACCESS_REMOTE_ATOMIC)

/**
 * model_access_actor - describe a queue pair to xrdma_rules.h
 * @qp: the queue pair
 *
 * Return: protection domain, number and rights of the queue pair, and whether
 * it belongs to the kernel.
 */
struct xrdma_rules_actor model_access_actor(const struct model_qp *qp)
{
	return (struct xrdma_rules_actor) {
		.pd = qp->pd,
		.qpn = qp->qpn,
		.rights = le16_to_cpu(qp->attr.access),
		.kernel = qp->flags & XRDMA_QP_KERNEL,
	};
}

/* A window has no translation: continue in the memory of its region. */
static enum xrdma_fault_reason
resolve_window(struct model_device *dev, u32 parent, struct model_target *acc)
{
	struct model_key *region = model_key_get(dev, parent);

	/*
	 * A region with windows cannot be invalidated, so the table is corrupt
	 */
	if (!region || region->e.state != XRDMA_MPT_VALID ||
	    xrdma_rules_is_window(&region->e) || acc->off >= region->e.length)
		return XRDMA_FAULT_TYPE;
	acc->mem = &region->mem;
	acc->region = parent;
	return XRDMA_FAULT_NONE;
}

/* XRDMA_KEY_LOCAL_DMA allows any bus address, so no key entry is checked. */
static enum xrdma_fault_reason check_bus(struct model_device *dev,
					 const struct model_access_req *req,
					 struct model_target *acc)
{
	if (xrdma_rules_wraps(req->addr, req->len))
		return XRDMA_FAULT_RANGE;
	acc->mem = &dev->keys.bus;
	acc->off = req->addr;
	return XRDMA_FAULT_NONE;
}

/*
 * XRDMA_KEY_NULL has the same bytes at each address, so each access begins at
 * the first one.
 */
static enum xrdma_fault_reason check_null(struct model_device *dev,
					  const struct model_access_req *req,
					  struct model_target *acc)
{
	if (xrdma_rules_wraps(req->addr, req->len))
		return XRDMA_FAULT_RANGE;
	acc->mem = &dev->keys.null;
	acc->off = 0;
	return XRDMA_FAULT_NONE;
}

static enum xrdma_fault_reason check(struct model_device *dev,
				     const struct model_access_req *req,
				     struct model_target *acc)
{
	const struct xrdma_rules_actor who = model_access_actor(req->qp);
	const struct xrdma_rules_access access = {
		.key = req->key,
		.addr = req->addr,
		.len = req->len,
		.rights = req->rights,
		.remote = req->remote,
		.aligned = req->aligned,
		.whole = req->whole,
	};
	enum xrdma_fault_reason reason;
	struct model_key *key;

	if (dev->inject.num && model_inject_refuses(&dev->inject, req->key))
		return XRDMA_FAULT_KEY_INVALID;
	if (xrdma_rules_is_local_dma(&who, &access))
		return check_bus(dev, req, acc);
	if (dev->caps & XRDMA_CAP_NULL_KEY && xrdma_rules_is_null(&access))
		return check_null(dev, req, acc);
	key = model_key_get(dev, xrdma_key_index(req->key));
	reason = xrdma_rules_check_access(key ? &key->e : NULL, &who, &access);
	if (reason == XRDMA_FAULT_RIGHTS) {
		key = model_key_reload(dev, xrdma_key_index(req->key));
		reason = xrdma_rules_check_access(key ? &key->e : NULL, &who,
						  &access);
	}
	if (reason)
		return reason;
	acc->mem = &key->mem;
	acc->region = key->index;
	acc->off = req->whole ? 0 : req->addr - key->e.iova;
	if (!xrdma_rules_is_window(&key->e))
		return XRDMA_FAULT_NONE;
	acc->off += key->e.window_base;
	return resolve_window(dev, key->e.parent, acc);
}

/**
 * model_access_check - check an access to memory by key
 * @dev: the device
 * @req: the access
 * @acc: memory of the access; not set if @req->len is 0 and @req->whole is
 *	false
 *
 * A refused access is reported by a fault record.
 *
 * Return: 0, or enum xrdma_fault_reason.
 */
int model_access_check(struct model_device *dev,
		       const struct model_access_req *req,
		       struct model_target *acc)
{
	enum xrdma_fault_reason reason;

	if (!req->len && !req->whole)
		return 0;
	reason = check(dev, req, acc);
	if (reason)
		model_fault(dev, req, reason);
	return reason;
}

/*
 * The translation of a granted access has failed. If it misses, the access
 * waits, or is dropped if it cannot wait. Return: MODEL_MISS, or
 * XRDMA_FAULT_TRANSLATION after a fault record.
 */
static int untranslated(struct model_device *dev,
			const struct model_access_req *req,
			const struct model_target *acc)
{
	u64 done = acc->mem->miss_pos - acc->mem->base - acc->off;
	struct model_miss miss = {
		.key = acc->region,
		.pos = acc->mem->miss_pos,
		.len = req->len - done,
		.expected = req->expected > req->len ? req->expected - done :
						       req->len - done,
		.qpn = req->qp->qpn,
		.pd = req->qp->pd,
		.opcode = req->opcode,
		.write = req->rights & WRITE_RIGHTS,
		.remote = req->remote,
	};

	if (acc->mem->missed) {
		if (!req->waiter)
			model_qp_stat_add(req->qp, XRDMA_STAT_PAGE_DROPS, 1);
		if (model_pager_miss(dev, req->waiter, &miss) == MODEL_MISS)
			return MODEL_MISS;
	}
	model_fault(dev, req, XRDMA_FAULT_TRANSLATION);
	return XRDMA_FAULT_TRANSLATION;
}

/* All of an access was translated. */
static void translated(const struct model_access_req *req,
		       const struct model_target *acc)
{
	if (acc->mem->flags & MODEL_MEM_PAGED && req->waiter &&
	    req->waiter->refused)
		model_pager_hit(req->waiter, acc->region,
				acc->mem->base + acc->off, req->len);
}

/**
 * model_access_ptr - check a write or an atomic, and point to its first bytes
 * @dev: the device
 * @req: the access; at least 1 byte
 * @len: on return, number of bytes at the pointer that are contiguous
 * @reason: on return, enum xrdma_fault_reason, or MODEL_MISS
 *
 * Return: the pointer, valid until the caller returns to the loop; NULL if
 * the access is refused or misses.
 */
void *model_access_ptr(struct model_device *dev,
		       const struct model_access_req *req, size_t *len,
		       int *reason)
{
	struct model_target acc;
	void *ptr;

	*reason = model_access_check(dev, req, &acc);
	if (*reason)
		return NULL;
	*len = req->len;
	ptr = model_mem_ptr(dev, acc.mem, acc.off, len,
			    req->rights & WRITE_RIGHTS);
	if (!ptr) {
		*reason = untranslated(dev, req, &acc);
		return NULL;
	}
	translated(req, &acc);
	if (req->rights & XRDMA_ACCESS_REMOTE_ATOMIC)
		model_mem_count(dev, acc.mem, false, *len);
	model_mem_count(dev, acc.mem, true, *len);
	return ptr;
}

/**
 * model_access_read - check an access and read all of it
 * @dev: the device
 * @req: the access
 * @buf: buffer for @req->len bytes
 *
 * Return: 0, enum xrdma_fault_reason, or MODEL_MISS.
 */
int model_access_read(struct model_device *dev,
		      const struct model_access_req *req, void *buf)
{
	struct model_target acc;
	int reason;

	reason = model_access_check(dev, req, &acc);
	if (reason || !req->len)
		return reason;
	if (model_mem_read(dev, acc.mem, acc.off, buf, req->len))
		return untranslated(dev, req, &acc);
	translated(req, &acc);
	return 0;
}

/**
 * model_access_write - check an access and write all of it
 * @dev: the device
 * @req: the access
 * @buf: @req->len bytes
 *
 * Return: 0, enum xrdma_fault_reason, or MODEL_MISS. After MODEL_MISS and
 * XRDMA_FAULT_TRANSLATION, a part of the bytes may be written; after other
 * reasons, none.
 */
int model_access_write(struct model_device *dev,
		       const struct model_access_req *req, const void *buf)
{
	struct model_target acc;
	int reason;

	reason = model_access_check(dev, req, &acc);
	if (reason || !req->len)
		return reason;
	if (model_mem_write(dev, acc.mem, acc.off, buf, req->len))
		return untranslated(dev, req, &acc);
	translated(req, &acc);
	return 0;
}

/**
 * model_access_probe - check an access, and translate all of it if the region
 * is paged
 * @dev: the device
 * @req: the access
 * @done: on return, number of bytes before the first one that misses
 *
 * Return: 0, enum xrdma_fault_reason, or MODEL_MISS.
 */
int model_access_probe(struct model_device *dev,
		       const struct model_access_req *req, u64 *done)
{
	struct model_target acc;
	size_t part;
	int reason;
	u64 off;

	*done = 0;
	reason = model_access_check(dev, req, &acc);
	if (reason || !req->len)
		return reason;
	if (!(acc.mem->flags & MODEL_MEM_PAGED)) {
		*done = req->len;
		return 0;
	}
	for (off = 0; off < req->len; off += part) {
		part = req->len - off;
		*done = off;
		if (!model_mem_ptr(dev, acc.mem, acc.off + off, &part,
				   req->rights & WRITE_RIGHTS))
			return untranslated(dev, req, &acc);
	}
	*done = req->len;
	translated(req, &acc);
	return 0;
}

/**
 * model_fault - report a refused access
 * @dev: the device
 * @req: the access
 * @reason: reason of the refusal
 *
 * Callers that refuse an access without model_access_check() call this function
 * too.
 */
void model_fault(struct model_device *dev, const struct model_access_req *req,
		 enum xrdma_fault_reason reason)
{
	struct xrdma_eqe record = {
		.event = XRDMA_EVENT_FAULT,
		.reason = reason,
		.opcode = req->opcode,
		.number = cpu_to_le32(req->qp->qpn),
		.key = cpu_to_le32(req->key),
		.pd = cpu_to_le32(req->qp->pd),
		.addr = cpu_to_le64(req->addr),
		.length = cpu_to_le64(req->len),
	};

	if (req->remote)
		record.flags |= XRDMA_FAULT_REMOTE;
	if (req->rights & WRITE_RIGHTS)
		record.flags |= XRDMA_FAULT_WRITE;
	model_qp_stat_add(req->qp, XRDMA_STAT_FAULTS, 1);
	if (req->remote)
		model_qp_stat_add(req->qp, XRDMA_STAT_REM_ACCESS_ERRORS, 1);
	if (!model_eq_fault(dev, &record))
		model_qp_stat_add(req->qp, XRDMA_STAT_FAULTS_LOST, 1);
}
