// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection: key entries and the access check. Reads key entries from host
 * memory; keeps decoded what is valid, until it is invalidated.
 */
#include <errno.h>
#include <string.h>

#include "device.h"
#include "key.h"
#include "xrdma_encode.h"
#include "xrdma_xlat.h"

/* Every right there is; the others are reserved. */
#define ALL_RIGHTS							\
	(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |		\
	 XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC |	\
	 XRDMA_ACCESS_MW_BIND | XRDMA_ACCESS_ZERO_BASED |		\
	 XRDMA_ACCESS_FLUSH_GLOBAL | XRDMA_ACCESS_FLUSH_PERSISTENT |	\
	 XRDMA_ACCESS_RELAXED_ORDERING)

/* Rights that change memory. */
#define WRITE_RIGHTS							\
	(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |		\
	 XRDMA_ACCESS_REMOTE_ATOMIC)

/* The capability that each type of entry needs; regions need none. */
static const u64 type_caps[] = {
	[XRDMA_MPT_MR] = 0,
	[XRDMA_MPT_FAST_REG] = XRDMA_CAP_FAST_REG,
	[XRDMA_MPT_MW_1] = XRDMA_CAP_MW_TYPE_1,
	[XRDMA_MPT_MW_2] = XRDMA_CAP_MW_TYPE_2A | XRDMA_CAP_MW_TYPE_2B,
};

static bool is_window(const struct xrdma_key *key)
{
	return key->type == XRDMA_MPT_MW_1 || key->type == XRDMA_MPT_MW_2;
}

static u64 entry_pos(u32 index)
{
	return (u64)index * sizeof(struct xrdma_mpt_entry);
}

/* The entry in host memory, or NULL if the table has none. */
static struct xrdma_mpt_entry *entry_at(struct xrdma_device *dev, u32 index,
					bool write)
{
	size_t len = sizeof(struct xrdma_mpt_entry);

	return xrdma_mem_ptr(dev, &dev->keys.mem, entry_pos(index), &len,
			     write);
}

static u8 ctrl_state(u64 ctrl)
{
	return FIELD_GET(XRDMA_MPT_STATE, ctrl);
}

/* Host errors of the first word of an entry that is not invalid. */
static bool ctrl_ok(struct xrdma_device *dev, u32 index, u64 ctrl)
{
	u8 type = FIELD_GET(XRDMA_MPT_TYPE, ctrl);

	if (ctrl & XRDMA_MPT_RESERVED ||
	    FIELD_GET(XRDMA_MPT_ACCESS, ctrl) & ~(u64)ALL_RIGHTS) {
		xrdma_dev_herr(dev, MPT_RESERVED, "key index %#x, ctrl %#llx",
			       index, ctrl);
		return false;
	}
	if (ctrl_state(ctrl) > XRDMA_MPT_VALID) {
		xrdma_dev_herr(dev, MPT_STATE, "key index %#x, ctrl %#llx",
			       index, ctrl);
		return false;
	}
	if (type > XRDMA_MPT_MW_2 ||
	    (type_caps[type] && !(type_caps[type] & XRDMA_DEVICE_CAPS))) {
		xrdma_dev_herr(dev, MPT_TYPE, "key index %#x, ctrl %#llx",
			       index, ctrl);
		return false;
	}
	return true;
}

/* Fields that are zero for this type of entry. */
static bool zeros_ok(struct xrdma_device *dev, const struct xrdma_key *key,
		     u64 ctrl, const struct xrdma_mpt_entry *e)
{
	u64 bad = e->reserved;

	if (is_window(key) || ctrl & XRDMA_MPT_IDENTITY)
		bad |= e->root | e->offset;
	if (is_window(key))
		bad |= e->bound;
	else
		bad |= e->qpn | e->parent | e->window_base;
	if (!bad)
		return true;
	xrdma_dev_herr(dev, MPT_RESERVED,
		       "key index %#x, type %u: a field of others is not 0",
		       key->index, key->type);
	return false;
}

/* Does a range exceed 2^64? */
static bool wraps(u64 start, u64 length)
{
	return start && length > -start;
}

/* Set up the memory of a region; its range does not wrap. */
static bool decode_mem(struct xrdma_device *dev, struct xrdma_key *key,
		       u64 ctrl, const struct xrdma_mpt_entry *e)
{
	u64 root = le64_to_cpu(e->root);
	u64 base = le32_to_cpu(e->offset);
	u8 flags = 0;

	if (ctrl & XRDMA_MPT_IDENTITY) {
		base = key->iova;
		flags = XRDMA_MEM_IDENTITY;
	} else if (!xrdma_root_ok(root) || wraps(base, key->length) ||
		   (key->length &&
		    !xrdma_root_covers(root, base + key->length - 1))) {
		xrdma_dev_herr(dev, MPT_ROOT,
			       "key index %#x, root %#llx, offset %#llx, length %#llx",
			       key->index, root, base, key->length);
		return false;
	}
	xrdma_mem_init(&key->mem, root, base, key->length, flags);
	return true;
}

static bool decode(struct xrdma_device *dev, struct xrdma_key *key, u64 ctrl,
		   const struct xrdma_mpt_entry *e)
{
	key->byte = FIELD_GET(XRDMA_MPT_KEY_BYTE, ctrl);
	key->state = ctrl_state(ctrl);
	key->type = FIELD_GET(XRDMA_MPT_TYPE, ctrl);
	key->access = FIELD_GET(XRDMA_MPT_ACCESS, ctrl);
	key->pd = FIELD_GET(XRDMA_MPT_PD, ctrl);
	key->qpn = le32_to_cpu(e->qpn);
	key->parent = le32_to_cpu(e->parent);
	key->iova = le64_to_cpu(e->iova);
	key->length = le64_to_cpu(e->length);
	key->window_base = le64_to_cpu(e->window_base);
	if (!ctrl_ok(dev, key->index, ctrl) || !zeros_ok(dev, key, ctrl, e))
		return false;
	if (wraps(key->iova, key->length)) {
		xrdma_dev_herr(dev, MPT_RANGE,
			       "key index %#x, iova %#llx, length %#llx",
			       key->index, key->iova, key->length);
		return false;
	}
	return is_window(key) || key->state != XRDMA_MPT_VALID ||
	       decode_mem(dev, key, ctrl, e);
}

/* Read an entry from host memory. A malformed one counts as invalid. */
static enum xrdma_fault_reason load(struct xrdma_device *dev, u32 index,
				    struct xrdma_key *key)
{
	const struct xrdma_mpt_entry *host = entry_at(dev, index, false);
	struct xrdma_mpt_entry e;
	u64 ctrl;

	key->cached = false;
	key->index = index;
	if (!host)
		return XRDMA_FAULT_KEY_INDEX;
	/* What the driver wrote before it published ctrl is read after it. */
	ctrl = le64_to_cpu(__atomic_load_n(&host->ctrl, __ATOMIC_ACQUIRE));
	if (ctrl_state(ctrl) == XRDMA_MPT_INVALID)
		return XRDMA_FAULT_KEY_INVALID;
	memcpy(&e, host, sizeof(e));
	if (!decode(dev, key, ctrl, &e))
		return XRDMA_FAULT_KEY_INVALID;
	key->cached = key->state == XRDMA_MPT_VALID;
	return XRDMA_FAULT_NONE;
}

static struct xrdma_key *slot_of(struct xrdma_device *dev, u32 index)
{
	return &dev->keys.cache[index & (XRDMA_KEY_CACHE - 1)];
}

/* The entry of an index: from the cache, or read into its slot there. */
static enum xrdma_fault_reason lookup(struct xrdma_device *dev, u32 index,
				      struct xrdma_key **key)
{
	*key = slot_of(dev, index);
	if ((*key)->cached && (*key)->index == index)
		return XRDMA_FAULT_NONE;
	return load(dev, index, *key);
}

static enum xrdma_fault_reason
check_grant(const struct xrdma_key *key, const struct xrdma_access_req *req)
{
	if (key->byte != xrdma_key_byte(req->key))
		return XRDMA_FAULT_KEY_BYTE;
	if (key->state != XRDMA_MPT_VALID)
		return XRDMA_FAULT_KEY_FREE;
	if (is_window(key) && !req->remote)
		return XRDMA_FAULT_TYPE;
	if (key->pd != req->qp->pd)
		return XRDMA_FAULT_PD;
	if (key->type == XRDMA_MPT_MW_2 && key->qpn != req->qp->qpn)
		return XRDMA_FAULT_QP;
	if (req->rights & ~key->access)
		return XRDMA_FAULT_RIGHTS;
	/* key->iova + key->length does not exceed 2^64, so nothing wraps */
	if (req->addr < key->iova || req->len > key->length ||
	    req->addr - key->iova > key->length - req->len)
		return XRDMA_FAULT_RANGE;
	if (req->rights & XRDMA_ACCESS_REMOTE_ATOMIC && req->addr & 7)
		return XRDMA_FAULT_ALIGN;
	if (req->remote && req->rights & ~le16_to_cpu(req->qp->attr.access))
		return XRDMA_FAULT_QP_RIGHTS;
	return XRDMA_FAULT_NONE;
}

/* A window has no translation of its own: go on in its region. */
static enum xrdma_fault_reason
resolve_window(struct xrdma_device *dev, u32 parent, struct xrdma_grant *acc)
{
	enum xrdma_fault_reason reason;
	struct xrdma_key *region;

	reason = lookup(dev, parent, &region);
	if (reason)
		return reason;
	if (is_window(region) || region->state != XRDMA_MPT_VALID ||
	    acc->off >= region->length)
		return XRDMA_FAULT_TYPE;
	acc->mem = &region->mem;
	return XRDMA_FAULT_NONE;
}

static enum xrdma_fault_reason check(struct xrdma_device *dev,
				     const struct xrdma_access_req *req,
				     struct xrdma_grant *acc)
{
	enum xrdma_fault_reason reason;
	struct xrdma_key *key;

	reason = lookup(dev, xrdma_key_index(req->key), &key);
	if (!reason)
		reason = check_grant(key, req);
	if (reason)
		return reason;
	acc->mem = &key->mem;
	acc->off = req->addr - key->iova;
	if (!is_window(key))
		return XRDMA_FAULT_NONE;
	acc->off += key->window_base;
	return resolve_window(dev, key->parent, acc);
}

/**
 * xrdma_access_check - may this access be made?
 * @dev: the device
 * @req: the access
 * @acc: where to make it; untouched if @req->len is 0
 *
 * The one check of all accesses to memory by key. A refused access has been
 * reported by a fault record when this returns.
 *
 * Return: 0, or enum xrdma_fault_reason.
 */
int xrdma_access_check(struct xrdma_device *dev,
		       const struct xrdma_access_req *req,
		       struct xrdma_grant *acc)
{
	enum xrdma_fault_reason reason;

	if (!req->len)
		return 0;
	reason = check(dev, req, acc);
	if (reason)
		xrdma_fault(dev, req, reason);
	return reason;
}

/**
 * xrdma_access_ptr - check an access and point to its first bytes
 * @dev: the device
 * @req: the access; at least 1 byte
 * @len: on return, how many of them are in one piece
 * @reason: on return, enum xrdma_fault_reason
 *
 * Return: the pointer, good until the caller returns to the loop; NULL if
 * refused.
 */
void *xrdma_access_ptr(struct xrdma_device *dev,
		       const struct xrdma_access_req *req, size_t *len,
		       int *reason)
{
	struct xrdma_grant acc;
	void *ptr;

	*reason = xrdma_access_check(dev, req, &acc);
	if (*reason)
		return NULL;
	*len = req->len;
	ptr = xrdma_mem_ptr(dev, acc.mem, acc.off, len,
			    req->rights & WRITE_RIGHTS);
	if (!ptr) {
		*reason = XRDMA_FAULT_TRANSLATION;
		xrdma_fault(dev, req, XRDMA_FAULT_TRANSLATION);
	}
	return ptr;
}

/**
 * xrdma_access_read - check an access and read all of it
 * @dev: the device
 * @req: the access
 * @buf: gets @req->len bytes
 *
 * Return: 0, or enum xrdma_fault_reason.
 */
int xrdma_access_read(struct xrdma_device *dev,
		      const struct xrdma_access_req *req, void *buf)
{
	struct xrdma_grant acc;
	int reason;

	reason = xrdma_access_check(dev, req, &acc);
	if (reason || !req->len)
		return reason;
	if (!xrdma_mem_read(dev, acc.mem, acc.off, buf, req->len))
		return 0;
	xrdma_fault(dev, req, XRDMA_FAULT_TRANSLATION);
	return XRDMA_FAULT_TRANSLATION;
}

/**
 * xrdma_access_write - check an access and write all of it
 * @dev: the device
 * @req: the access
 * @buf: @req->len bytes
 *
 * Return: 0, or enum xrdma_fault_reason; only with XRDMA_FAULT_TRANSLATION may
 * some of the bytes have been written.
 */
int xrdma_access_write(struct xrdma_device *dev,
		       const struct xrdma_access_req *req, const void *buf)
{
	struct xrdma_grant acc;
	int reason;

	reason = xrdma_access_check(dev, req, &acc);
	if (reason || !req->len)
		return reason;
	if (!xrdma_mem_write(dev, acc.mem, acc.off, buf, req->len))
		return 0;
	xrdma_fault(dev, req, XRDMA_FAULT_TRANSLATION);
	return XRDMA_FAULT_TRANSLATION;
}

/**
 * xrdma_fault - report a refused access
 * @dev: the device
 * @req: the access
 * @reason: why it was refused
 *
 * For those that refuse an access before they get to xrdma_access_check().
 */
void xrdma_fault(struct xrdma_device *dev, const struct xrdma_access_req *req,
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
	xrdma_stat_add(dev, XRDMA_STAT_FAULTS, 1);
	if (req->remote)
		xrdma_stat_add(dev, XRDMA_STAT_REM_ACCESS_ERRORS, 1);
	xrdma_eq_fault(dev, &record);
}

/**
 * xrdma_keys_enable - take over the key table
 * @dev: the device
 * @root: its translation root, checked by xrdma_root_ok()
 */
void xrdma_keys_enable(struct xrdma_device *dev, u64 root)
{
	u64 size = sizeof(struct xrdma_mpt_entry) << XRDMA_LOG_MAX_KEYS;

	while (!xrdma_root_covers(root, size - 1))
		size >>= 1;
	xrdma_mem_init(&dev->keys.mem, root, 0, size, XRDMA_MEM_SPARSE);
}

/**
 * xrdma_keys_reset - forget the key table and all its entries
 * @dev: the device
 */
void xrdma_keys_reset(struct xrdma_device *dev)
{
	u32 i;

	xrdma_mem_init(&dev->keys.mem, 0, 0, 0, XRDMA_MEM_SPARSE);
	for (i = 0; i < XRDMA_KEY_CACHE; i++)
		dev->keys.cache[i].cached = false;
}

static void drop(struct xrdma_device *dev, u32 index)
{
	struct xrdma_key *slot = slot_of(dev, index);

	if (slot->index == index)
		slot->cached = false;
}

/**
 * xrdma_key_invalidate - end the life of a key
 * @dev: the device
 * @index: key index
 *
 * Nothing is in progress under the key while this runs, and nothing can begin
 * after it.
 *
 * Return: enum xrdma_inval_status.
 */
enum xrdma_inval_status xrdma_key_invalidate(struct xrdma_device *dev,
					     u32 index)
{
	struct xrdma_mpt_entry *e = entry_at(dev, index, true);
	u64 ctrl;

	if (!e)
		return XRDMA_INVAL_BAD_INDEX;
	ctrl = le64_to_cpu(__atomic_load_n(&e->ctrl, __ATOMIC_ACQUIRE));
	if (ctrl_state(ctrl) == XRDMA_MPT_INVALID)
		return XRDMA_INVAL_BAD_INDEX;
	if (e->bound)
		return XRDMA_INVAL_BOUND;
	drop(dev, index);
	__atomic_store_n(&e->ctrl, 0, __ATOMIC_RELEASE);
	xrdma_stat_add(dev, XRDMA_STAT_INVALIDATED_KEYS, 1);
	return XRDMA_INVAL_OK;
}

static bool pd_owns(u64 ctrl, u32 pd, bool windows)
{
	u8 type = FIELD_GET(XRDMA_MPT_TYPE, ctrl);

	return ctrl_state(ctrl) != XRDMA_MPT_INVALID &&
	       FIELD_GET(XRDMA_MPT_PD, ctrl) == pd &&
	       windows == (type == XRDMA_MPT_MW_1 || type == XRDMA_MPT_MW_2);
}

/* Invalidate the windows, or the others, among the keys in one page. */
static void invalidate_page(struct xrdma_device *dev, u32 first, u32 count,
			    u32 pd, bool windows)
{
	const struct xrdma_mpt_entry *e = entry_at(dev, first, false);
	u64 ctrl;
	u32 i;

	if (!e)
		return;
	for (i = 0; i < count; i++) {
		ctrl = __atomic_load_n(&e[i].ctrl, __ATOMIC_ACQUIRE);
		if (pd_owns(le64_to_cpu(ctrl), pd, windows))
			xrdma_key_invalidate(dev, first + i);
	}
}

/**
 * xrdma_key_invalidate_pd - end the life of all keys of a protection domain
 * @dev: the device
 * @pd: protection domain
 *
 * Windows go first, so that no region is left bound.
 */
void xrdma_key_invalidate_pd(struct xrdma_device *dev, u32 pd)
{
	u32 per_page = XRDMA_PAGE_SIZE / sizeof(struct xrdma_mpt_entry);
	u32 end = dev->keys.mem.size / sizeof(struct xrdma_mpt_entry);
	u32 i;

	for (i = 0; i < end; i += per_page)
		invalidate_page(dev, i, per_page, pd, true);
	for (i = 0; i < end; i += per_page)
		invalidate_page(dev, i, per_page, pd, false);
}
