// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Binding of windows, fast registration, invalidation by work requests. None
 * of them looks further than at the entries it names.
 */
#include "core/access.h"
#include "core/device.h"
#include "core/window.h"

/*
 * A copy of the entry that a key names, since a look at another one may take
 * its place in the cache. Return: @copy, or NULL if the table has none.
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

/* As entry_of(), but as it is in host memory now */
static struct xrdma_rules_entry *entry_anew(struct model_device *dev, u32 key,
					    struct xrdma_rules_entry *copy)
{
	model_key_get_anew(dev, xrdma_key_index(key));
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

/* The window is all right; is the region? */
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
		mr = entry_anew(qp->dev, b->mr_key, &copy);
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
 * model_bind_mw - BIND_MW
 * @qp: the queue pair
 * @key: present key of the window
 * @seg: the grant; its reserved field has been checked
 *
 * Return: XRDMA_FAULT_NONE, or why nothing was changed.
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

/* The root comes from the kernel: a bad one is its fault. */
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
 * model_reg_mr - REG_MR
 * @qp: the queue pair, of the kernel
 * @key: key that the region shall have
 * @seg: the rest of it
 *
 * Return: XRDMA_FAULT_NONE, or why nothing was changed.
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
 * model_inval_key - LOCAL_INV, or a SEND_INV that has arrived
 * @qp: the queue pair
 * @key: the key
 * @remote: asked for by the peer
 *
 * Return: XRDMA_FAULT_NONE, then the key grants nothing; or why nothing was
 * changed.
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
