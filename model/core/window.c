// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests that change key entries: binding of windows, fast registration,
 * invalidation. A work request accesses only the key entries that it names.
 * xrdma_rules.h has the rules, key.c writes the entries.
 */
#include "core/access.h"
#include "core/device.h"
#include "core/window.h"

/*
 * Copy the entry of a key, since a look-up of another key may replace the entry
 * in the cache. Return: @copy, or NULL if the table has no such entry.
 */
static struct xrdma_rules_entry *entry_of(struct model_device *dev, u32 key,
					  struct xrdma_rules_entry *copy)
{
	const struct model_key *found = model_key_get(dev,
						      xrdma_key_index(key));

	if (!found)
		return NULL;
	*copy = found->e;
	return copy;
}

/* As entry_of(), but reads the entry again from host memory */
static struct xrdma_rules_entry *entry_reload(struct model_device *dev, u32 key,
					      struct xrdma_rules_entry *copy)
{
	model_key_reload(dev, xrdma_key_index(key));
	return entry_of(dev, key, copy);
}

static enum xrdma_fault_reason refuse(struct model_qp *qp,
				      const struct model_access_req *req,
				      enum xrdma_fault_reason reason)
{
	model_fault(qp->dev, req, reason);
	return reason;
}

static enum xrdma_fault_reason
refuse_bind(struct model_qp *qp, const struct xrdma_rules_bind *b, u32 key,
	    enum xrdma_fault_reason reason)
{
	const struct model_access_req req = {
		.qp = qp,
		.addr = b->addr,
		.len = b->length,
		.key = key,
		.opcode = XRDMA_OP_BIND_MW,
	};

	return refuse(qp, &req, reason);
}

static void unbind(struct model_qp *qp, const struct xrdma_rules_bind *b,
		   struct xrdma_rules_entry *mw)
{
	model_key_unbound(qp->dev, mw);
	xrdma_rules_free(mw, xrdma_key_byte(b->new_key));
	model_key_put(qp->dev, xrdma_key_index(b->key), mw, 0, 0);
}

/* Bind a checked window, if the rules allow it for the region. */
static enum xrdma_fault_reason bind(struct model_qp *qp,
				    const struct xrdma_rules_bind *b,
				    struct xrdma_rules_entry *mw)
{
	const struct xrdma_rules_actor who = model_access_actor(qp);
	struct xrdma_rules_entry *mr, copy;
	enum xrdma_fault_reason reason;

	mr = entry_of(qp->dev, b->mr_key, &copy);
	reason = xrdma_rules_check_bind_region(mr, &who, b);
	if (reason == XRDMA_FAULT_RIGHTS) {
		mr = entry_reload(qp->dev, b->mr_key, &copy);
		reason = xrdma_rules_check_bind_region(mr, &who, b);
	}
	if (reason)
		return refuse_bind(qp, b, b->mr_key, reason);
	model_key_unbound(qp->dev, mw);
	xrdma_rules_bind(mw, mr, &who, b);
	model_key_put(qp->dev, xrdma_key_index(b->key), mw, 0, 0);
	model_key_bound(qp->dev, mw);
	return XRDMA_FAULT_NONE;
}

/**
 * model_bind_mw - execute BIND_MW
 * @qp: the queue pair
 * @key: present key of the window
 * @seg: segment of the request; the caller has checked its reserved field
 *
 * Return: XRDMA_FAULT_NONE, or the reason of the refusal, which changes
 * nothing.
 */
enum xrdma_fault_reason model_bind_mw(struct model_qp *qp, u32 key,
				      const struct xrdma_bind_seg *seg)
{
	const struct xrdma_rules_actor who = model_access_actor(qp);
	const struct xrdma_rules_bind b = {
		.key = key,
		.new_key = le32_to_cpu(seg->new_key),
		.mr_key = le32_to_cpu(seg->mr_key),
		.access = le32_to_cpu(seg->access),
		.addr = le64_to_cpu(seg->addr),
		.length = le64_to_cpu(seg->length),
	};
	struct xrdma_rules_entry *mw, copy;
	enum xrdma_fault_reason reason;

	mw = entry_of(qp->dev, key, &copy);
	reason = xrdma_rules_check_bind_window(mw, &who, &b);
	if (reason)
		return refuse_bind(qp, &b, key, reason);
	if (b.length)
		return bind(qp, &b, mw);
	unbind(qp, &b, mw);
	return XRDMA_FAULT_NONE;
}

/* The kernel makes the root, so a malformed root is a host error. */
static enum xrdma_fault_reason check_root(struct model_qp *qp, u32 key,
					  const struct xrdma_reg_seg *seg)
{
	u64 root = le64_to_cpu(seg->root);
	u64 length = le64_to_cpu(seg->length);
	u32 offset = le32_to_cpu(seg->offset);

	if (model_key_root_ok(root, offset, length))
		return XRDMA_FAULT_NONE;
	model_dev_herr(qp->dev, MPT_ROOT,
		       "REG_MR of key %#x, root %#llx, offset %#x, length %#llx",
		       key, root, offset, length);
	return XRDMA_FAULT_TRANSLATION;
}

/**
 * model_reg_mr - execute REG_MR
 * @qp: the queue pair, which belongs to the kernel
 * @key: new key of the region
 * @seg: segment of the request
 *
 * Return: XRDMA_FAULT_NONE, or the reason of the refusal, which changes
 * nothing.
 */
enum xrdma_fault_reason model_reg_mr(struct model_qp *qp, u32 key,
				     const struct xrdma_reg_seg *seg)
{
	const struct xrdma_rules_actor who = model_access_actor(qp);
	const struct xrdma_rules_reg r = {
		.key = key,
		.access = le32_to_cpu(seg->access),
		.iova = le64_to_cpu(seg->iova),
		.length = le64_to_cpu(seg->length),
	};
	const struct model_access_req req = {
		.qp = qp,
		.addr = r.iova,
		.len = r.length,
		.key = key,
		.opcode = XRDMA_OP_REG_MR,
	};
	struct xrdma_rules_entry *mr, copy;
	enum xrdma_fault_reason reason;

	mr = entry_of(qp->dev, key, &copy);
	reason = xrdma_rules_check_reg(mr, &who, &r);
	if (!reason)
		reason = check_root(qp, key, seg);
	if (reason)
		return refuse(qp, &req, reason);
	xrdma_rules_reg(mr, &r);
	model_key_put(qp->dev, xrdma_key_index(key), mr,
		      le64_to_cpu(seg->root), le32_to_cpu(seg->offset));
	return XRDMA_FAULT_NONE;
}

/**
 * model_inval_key - execute LOCAL_INV, or a SEND_INV that has arrived
 * @qp: the queue pair
 * @key: the key
 * @remote: the peer requests the invalidation
 *
 * Return: XRDMA_FAULT_NONE if the key grants no access any more; or the reason
 * of the refusal, which changes nothing.
 */
enum xrdma_fault_reason model_inval_key(struct model_qp *qp, u32 key,
					bool remote)
{
	const struct xrdma_rules_actor who = model_access_actor(qp);
	const struct model_access_req req = {
		.qp = qp,
		.key = key,
		.remote = remote,
		.opcode = remote ? XRDMA_OP_SEND_INV : XRDMA_OP_LOCAL_INV,
	};
	struct xrdma_rules_entry *e, copy;
	enum xrdma_fault_reason reason;

	e = entry_of(qp->dev, key, &copy);
	reason = xrdma_rules_check_inval(e, &who, key);
	if (reason)
		return refuse(qp, &req, reason);
	if (e->state == XRDMA_MPT_FREE)
		return XRDMA_FAULT_NONE;
	model_key_unbound(qp->dev, e);
	xrdma_rules_free(e, e->byte);
	model_key_put(qp->dev, xrdma_key_index(key), e, 0, 0);
	return XRDMA_FAULT_NONE;
}
