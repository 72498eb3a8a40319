// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The key table: reads entries from host memory, caches valid entries in
 * decoded form, and writes changed entries to host memory. The rules are in
 * xrdma_rules.h, work requests that change entries in window.c.
 */
#include <errno.h>
#include <string.h>

#include "core/device.h"
#include "core/key.h"
#include "xrdma_encode.h"
#include "xrdma_xlat.h"

/* Each type of entry needs one of these capabilities; regions need none. */
static const u64 type_caps[] = {
	[XRDMA_MPT_MR] = 0,
	[XRDMA_MPT_FAST_REG] = XRDMA_CAP_FAST_REG,
	[XRDMA_MPT_MW_1] = XRDMA_CAP_MW_TYPE_1,
	[XRDMA_MPT_MW_2] = XRDMA_CAP_MW_TYPE_2A | XRDMA_CAP_MW_TYPE_2B,
};

static u64 entry_pos(u32 index)
{
	return (u64)index * sizeof(struct xrdma_mpt_entry);
}

/* Return: the entry in host memory, or NULL if the table has no such entry. */
static struct xrdma_mpt_entry *entry_at(struct model_device *dev, u32 index,
					bool write)
{
	size_t len = sizeof(struct xrdma_mpt_entry);

	return model_mem_ptr(dev, &dev->keys.mem, entry_pos(index), &len,
			     write);
}

static struct model_key *slot_of(struct model_device *dev, u32 index)
{
	return &dev->keys.cache[index & (MODEL_KEY_CACHE - 1)];
}

/* Return: the cached entry of an index, or NULL. */
static struct model_key *cached(struct model_device *dev, u32 index)
{
	struct model_key *slot = slot_of(dev, index);

	return slot->cached && slot->index == index ? slot : NULL;
}

static void drop(struct model_device *dev, u32 index)
{
	struct model_key *key = cached(dev, index);

	if (key)
		key->cached = false;
}

static u8 ctrl_state(u64 ctrl)
{
	return FIELD_GET(XRDMA_MPT_STATE, ctrl);
}

/*
 * Orders the read of ctrl before reads of the other fields: the driver writes
 * ctrl last, so the fields are at least as new as ctrl.
 */
static u64 read_ctrl(const struct xrdma_mpt_entry *host)
{
	return le64_to_cpu(__atomic_load_n(&host->ctrl, __ATOMIC_ACQUIRE));
}

/* Orders the writes of the other fields before the write of ctrl. */
static void write_ctrl(struct xrdma_mpt_entry *host, u64 ctrl)
{
	__atomic_store_n(&host->ctrl, cpu_to_le64(ctrl), __ATOMIC_RELEASE);
}

static void decode(struct xrdma_rules_entry *e, u64 ctrl,
		   const struct xrdma_mpt_entry *host)
{
	*e = (struct xrdma_rules_entry) {
		.state = ctrl_state(ctrl),
		.type = FIELD_GET(XRDMA_MPT_TYPE, ctrl),
		.byte = FIELD_GET(XRDMA_MPT_KEY_BYTE, ctrl),
		.identity = ctrl & XRDMA_MPT_IDENTITY,
		.access = FIELD_GET(XRDMA_MPT_ACCESS, ctrl),
		.pd = FIELD_GET(XRDMA_MPT_PD, ctrl),
		.qpn = le32_to_cpu(host->qpn),
		.parent = le32_to_cpu(host->parent),
		.bound = le32_to_cpu(host->bound),
		.iova = le64_to_cpu(host->iova),
		.length = le64_to_cpu(host->length),
		.window_base = le64_to_cpu(host->window_base),
	};
}

/* Check the first word of an entry that is not in state INVALID. */
static bool ctrl_ok(struct model_device *dev, u32 index, u64 ctrl)
{
	u64 where = ctrl & (XRDMA_MPT_IDENTITY | XRDMA_MPT_DEVICE |
			    XRDMA_MPT_PAGED);
	u8 type = FIELD_GET(XRDMA_MPT_TYPE, ctrl);

	if (ctrl & XRDMA_MPT_RESERVED ||
	    FIELD_GET(XRDMA_MPT_ACCESS, ctrl) & ~(u64)XRDMA_RULES_RIGHTS ||
	    (where && type != XRDMA_MPT_MR) ||
	    where & (where - 1)) {
		model_dev_herr(dev, MPT_RESERVED, "key index %#x, ctrl %#llx",
			       index, ctrl);
		return false;
	}
	if (ctrl & XRDMA_MPT_PAGED && !dev->pager.eq) {
		model_dev_herr(dev, MPT_PAGED, "key index %#x, ctrl %#llx",
			       index, ctrl);
		return false;
	}
	if (ctrl_state(ctrl) > XRDMA_MPT_VALID) {
		model_dev_herr(dev, MPT_STATE, "key index %#x, ctrl %#llx",
			       index, ctrl);
		return false;
	}
	if (type > XRDMA_MPT_MW_2 ||
	    (type_caps[type] && !(type_caps[type] & dev->caps))) {
		model_dev_herr(dev, MPT_TYPE, "key index %#x, ctrl %#llx",
			       index, ctrl);
		return false;
	}
	return true;
}

/* Check the fields that must be zero for this type of entry, in this state. */
static bool zeros_ok(struct model_device *dev, u32 index, u64 ctrl,
		     const struct xrdma_rules_entry *e,
		     const struct xrdma_mpt_entry *host)
{
	u64 bad = host->reserved;

	if (xrdma_rules_is_window(e) || e->identity)
		bad |= host->root | host->offset;
	if (ctrl & XRDMA_MPT_DEVICE)
		bad |= host->root;
	if (xrdma_rules_is_window(e))
		bad |= e->bound;
	else
		bad |= e->qpn | e->parent | e->window_base;
	if (e->state == XRDMA_MPT_FREE && e->type != XRDMA_MPT_MR)
		bad |= e->access | e->qpn | e->parent | e->bound | e->iova |
		       e->length | e->window_base | host->root | host->offset;
	if (!bad)
		return true;
	model_dev_herr(dev, MPT_RESERVED,
		       "key index %#x, type %u: field of another type is not 0",
		       index, e->type);
	return false;
}

/**
 * model_key_root_ok - check that a translation covers a region
 * @root: XRDMA_ROOT_*
 * @offset: position of the first byte of the region
 * @length: bytes of the region
 *
 * Return: false if the root is malformed or does not cover the region.
 */
bool model_key_root_ok(u64 root, u64 offset, u64 length)
{
	if (!xrdma_root_ok(root) || xrdma_rules_wraps(offset, length))
		return false;
	return !length || xrdma_root_covers(root, offset + length - 1);
}

/* The root of a paged region may map less than the region. */
static bool paged_root_ok(u64 root, u64 offset, u64 length)
{
	return xrdma_root_paged_ok(root) && !xrdma_rules_wraps(offset, length);
}

/* Set up the memory of a region, whose range must not wrap. */
static bool decode_mem(struct model_device *dev, struct model_key *key,
		       u64 ctrl, const struct xrdma_mpt_entry *host)
{
	u64 root = le64_to_cpu(host->root);
	u64 base = le32_to_cpu(host->offset);
	bool ok = true;
	u8 flags = 0;

	if (key->e.identity) {
		base = key->e.iova;
		flags = MODEL_MEM_IDENTITY;
	} else if (ctrl & XRDMA_MPT_DEVICE) {
		ok = base <= dev->dm.size &&
		     key->e.length <= dev->dm.size - base;
		flags = MODEL_MEM_DEVICE;
	} else if (ctrl & XRDMA_MPT_PAGED) {
		ok = paged_root_ok(root, base, key->e.length);
		flags = MODEL_MEM_PAGED;
	} else {
		ok = model_key_root_ok(root, base, key->e.length);
	}
	if (!ok) {
		model_dev_herr(dev, MPT_ROOT,
			       "key index %#x, root %#llx, offset %#llx, length %#llx",
			       key->index, root, base, key->e.length);
		return false;
	}
	model_mem_init(&key->mem, root, base, key->e.length, flags);
	return true;
}

static bool entry_ok(struct model_device *dev, struct model_key *key, u64 ctrl,
		     const struct xrdma_mpt_entry *host)
{
	const struct xrdma_rules_entry *e = &key->e;

	if (!ctrl_ok(dev, key->index, ctrl) ||
	    !zeros_ok(dev, key->index, ctrl, e, host))
		return false;
	if (xrdma_rules_wraps(e->iova, e->length)) {
		model_dev_herr(dev, MPT_RANGE,
			       "key index %#x, iova %#llx, length %#llx",
			       key->index, e->iova, e->length);
		return false;
	}
	return xrdma_rules_is_window(e) || e->state != XRDMA_MPT_VALID ||
	       decode_mem(dev, key, ctrl, host);
}

static void note_paged(struct model_device *dev, const struct model_key *key)
{
	u32 slot = key - dev->keys.cache;

	dev->keys.paged[slot / 64] |= 1ULL << slot % 64;
}

/* Read an entry from host memory into its slot of the cache. */
static struct model_key *load(struct model_device *dev, u32 index)
{
	const struct xrdma_mpt_entry *host = entry_at(dev, index, false);
	struct model_key *key = slot_of(dev, index);
	struct xrdma_mpt_entry copy;
	u64 ctrl;

	if (!host)
		return NULL;
	model_dev_pcie(dev, MODEL_PCIE_KEY, false, sizeof(copy));
	key->cached = false;
	key->index = index;
	key->e.state = XRDMA_MPT_INVALID;
	ctrl = read_ctrl(host);
	if (ctrl_state(ctrl) == XRDMA_MPT_INVALID)
		return key;
	memcpy(&copy, host, sizeof(copy));
	decode(&key->e, ctrl, &copy);
	if (!entry_ok(dev, key, ctrl, &copy))
		key->e.state = XRDMA_MPT_INVALID;
	key->cached = key->e.state == XRDMA_MPT_VALID;
	if (key->cached && key->mem.flags & MODEL_MEM_PAGED)
		note_paged(dev, key);
	return key;
}

/**
 * model_key_get - get a key entry, from the cache or from host memory
 * @dev: the device
 * @index: key index
 *
 * Return: the entry, valid until the next call; NULL if the table has no such
 * entry. A malformed entry is a host error, and is returned in state INVALID.
 */
struct model_key *model_key_get(struct model_device *dev, u32 index)
{
	struct model_key *key = cached(dev, index);

	return key ? key : load(dev, index);
}

/**
 * model_key_reload - read a key entry again from host memory
 * @dev: the device
 * @index: key index
 *
 * Called before an access is refused with XRDMA_FAULT_RIGHTS: the driver may
 * have added rights after the entry was cached.
 *
 * Return: the entry, as model_key_get() returns it.
 */
struct model_key *model_key_reload(struct model_device *dev, u32 index)
{
	drop(dev, index);
	return load(dev, index);
}

/**
 * model_key_put - write a changed entry to host memory
 * @dev: the device
 * @index: key index of a window or a fast-register region
 * @e: the entry; its field @bound is not written
 * @root: XRDMA_ROOT_*; 0 unless the entry is a valid region
 * @offset: position of the first byte of the region
 */
void model_key_put(struct model_device *dev, u32 index,
		   const struct xrdma_rules_entry *e, u64 root, u32 offset)
{
	struct xrdma_mpt_entry *host = entry_at(dev, index, true);

	drop(dev, index);
	if (!host)
		return;
	model_dev_pcie(dev, MODEL_PCIE_KEY, true, sizeof(*host));
	__atomic_store_n(&host->root, cpu_to_le64(root), __ATOMIC_RELAXED);
	/*
	 * Orders the write of root before the writes of the other fields: a
	 * driver that reads an offset of 0, then root, reads a root of 0.
	 */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	host->iova = cpu_to_le64(e->iova);
	host->length = cpu_to_le64(e->length);
	host->offset = cpu_to_le32(offset);
	host->qpn = cpu_to_le32(e->qpn);
	host->parent = cpu_to_le32(e->parent);
	host->window_base = cpu_to_le64(e->window_base);
	write_ctrl(host, FIELD_PREP(XRDMA_MPT_KEY_BYTE, e->byte) |
			 FIELD_PREP(XRDMA_MPT_STATE, e->state) |
			 FIELD_PREP(XRDMA_MPT_TYPE, e->type) |
			 FIELD_PREP(XRDMA_MPT_ACCESS, e->access) |
			 FIELD_PREP(XRDMA_MPT_PD, e->pd));
}

/* Change the number of windows of type 2A of the queue pair of a window. */
static void count_2a(struct model_device *dev,
		     const struct xrdma_rules_entry *mw, s32 change)
{
	struct model_qp *qp;

	if (mw->type != XRDMA_MPT_MW_2 || !(dev->caps & XRDMA_CAP_MW_TYPE_2A))
		return;
	qp = model_qp_get(dev, mw->qpn);
	if (qp)
		qp->windows += change;
}

static void count(struct model_device *dev, const struct xrdma_rules_entry *mw,
		  s32 change)
{
	struct xrdma_mpt_entry *host = entry_at(dev, mw->parent, true);
	struct model_key *key = cached(dev, mw->parent);
	u32 bound = host ? le32_to_cpu(host->bound) : 0;

	count_2a(dev, mw, change);
	if (!host || (change < 0 && !bound)) {
		model_dev_herr(dev, MPT_BOUND, "key index %#x", mw->parent);
		return;
	}
	model_dev_pcie(dev, MODEL_PCIE_KEY, false, sizeof(host->bound));
	model_dev_pcie(dev, MODEL_PCIE_KEY, true, sizeof(host->bound));
	host->bound = cpu_to_le32(bound + change);
	if (key)
		key->e.bound = bound + change;
}

/**
 * model_key_bound - count a window that was bound, in its region
 * @dev: the device
 * @mw: the window, after the bind
 */
void model_key_bound(struct model_device *dev,
		     const struct xrdma_rules_entry *mw)
{
	count(dev, mw, 1);
}

/**
 * model_key_unbound - count a window that was unbound, in its region
 * @dev: the device
 * @mw: the entry before the unbind; nothing happens unless it is a bound window
 */
void model_key_unbound(struct model_device *dev,
		       const struct xrdma_rules_entry *mw)
{
	if (xrdma_rules_is_bound(mw))
		count(dev, mw, -1);
}

/**
 * model_key_forget_range - discard cached translations of a part of a region
 * @dev: the device
 * @index: key index; nothing happens if it is not that of a paged region
 *
 * The device caches one run of bytes and one table for each region, and
 * discards both, wherever the part is.
 */
void model_key_forget_range(struct model_device *dev, u32 index)
{
	struct model_key *key = cached(dev, index);

	if (key && key->mem.flags & MODEL_MEM_PAGED)
		model_mem_forget(&key->mem);
}

static void check_unmap(struct model_device *dev, const struct model_key *key,
			u64 iova, u64 len)
{
	if (key->cached && key->mem.flags & MODEL_MEM_PAGED &&
	    model_mem_caches(&key->mem, iova, len))
		model_dev_herr(dev, MTT_FENCE,
			       "key index %#x, bus address %#llx, %#llx bytes",
			       key->index, iova, len);
}

/**
 * model_keys_check_unmap - find memory that the driver unmaps too early
 * @dev: the device, which may access memory
 * @iova: first bus address of a DMA mapping that is removed
 * @len: bytes
 *
 * A translation of a paged region that is cached, and that INVALIDATE_RANGE has
 * not discarded, must not name the mapping.
 */
void model_keys_check_unmap(struct model_device *dev, u64 iova, u64 len)
{
	const struct model_key_table *keys = &dev->keys;
	u32 i;
	u64 slots;

	for (i = 0; i < MODEL_KEY_CACHE / 64; i++)
		for (slots = keys->paged[i]; slots; slots &= slots - 1)
			check_unmap(dev, &keys->cache[64 * i +
						      __builtin_ctzll(slots)],
				    iova, len);
}

/**
 * model_keys_enable - start the use of the key table
 * @dev: the device
 * @root: translation root of the table, checked by xrdma_root_ok()
 */
void model_keys_enable(struct model_device *dev, u64 root)
{
	u64 size = sizeof(struct xrdma_mpt_entry) << dev->params.log_max_keys;

	while (!xrdma_root_covers(root, size - 1))
		size >>= 1;
	model_mem_init(&dev->keys.mem, root, 0, size, MODEL_MEM_SPARSE);
	model_mem_init(&dev->keys.bus, 0, 0, ~0ULL, MODEL_MEM_IDENTITY);
	model_mem_init(&dev->keys.null, 0, 0, ~0ULL, MODEL_MEM_NULL);
}

/**
 * model_keys_forget_tables - discard the cached walk of the tables of MPT_ROOT
 * @dev: the device
 *
 * Called when the driver has removed pages of the key table. All entries in
 * these pages were invalid, so the cache of entries has none of them.
 */
void model_keys_forget_tables(struct model_device *dev)
{
	model_mem_forget(&dev->keys.mem);
}

/**
 * model_keys_reset - discard the key table and all cached entries
 * @dev: the device
 */
void model_keys_reset(struct model_device *dev)
{
	u32 i;

	model_mem_init(&dev->keys.mem, 0, 0, 0, MODEL_MEM_SPARSE);
	for (i = 0; i < MODEL_KEY_CACHE; i++)
		dev->keys.cache[i].cached = false;
	memset(dev->keys.paged, 0, sizeof(dev->keys.paged));
}

/**
 * model_key_invalidate - invalidate a key
 * @dev: the device
 * @index: key index
 *
 * No access under the key is in progress during the call, and no access begins
 * after it.
 *
 * Return: enum xrdma_inval_status.
 */
enum xrdma_inval_status model_key_invalidate(struct model_device *dev,
					     u32 index)
{
	struct xrdma_mpt_entry *host = entry_at(dev, index, true);
	enum xrdma_inval_status status;
	struct xrdma_rules_entry e;

	if (!host)
		return xrdma_rules_check_end(NULL);
	model_dev_pcie(dev, MODEL_PCIE_KEY, false, sizeof(*host));
	decode(&e, read_ctrl(host), host);
	status = xrdma_rules_check_end(&e);
	if (status)
		return status;
	model_key_unbound(dev, &e);
	drop(dev, index);
	model_dev_pcie(dev, MODEL_PCIE_KEY, true, sizeof(host->ctrl));
	model_inject_forget_keys(&dev->inject, index);
	write_ctrl(host, FIELD_PREP(XRDMA_MPT_KEY_BYTE, e.byte));
	model_stat_add(dev, XRDMA_STAT_INVALIDATED_KEYS, 1);
	return status;
}
