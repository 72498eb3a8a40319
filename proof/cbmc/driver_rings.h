/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stubs for the memory of the driver's rings: a buffer with any translation that maps
 * the whole buffer. The harness defines the device "xib" and the record "rec" before
 * it includes this file, and knows what is in the buffer.
 */

#ifndef PROOF_DRIVER_RINGS_H
#define PROOF_DRIVER_RINGS_H

/* The buffer of the rings: its root, its size, and the place of the record */
static struct xrdma_buf buffer;
static u64 root, size, record;

static void *record_at(const struct xrdma_buf *buf, size_t offset)
{
	PROVE(buf == &buffer);
	record = offset;
	return &rec;
}

/* The translation of a buffer maps the whole buffer. */
static void any_root(u64 bytes)
{
	size = bytes;
	root = nondet_u64();
	ASSUME(xrdma_root_ok(root) && xrdma_root_covers(root, size - 1));
}

struct xrdma_buf *xrdma_buf_alloc(struct xrdma_dev *xdev, size_t bytes)
{
	PROVE(xdev == &xib.hw);
	any_root(bytes);
	buffer.mtt.root = root;
	return nondet_truth() ? &buffer : NULL;
}

void xrdma_buf_release(struct xrdma_ibdev *x, struct xrdma_buf *buf, bool keep)
{
	(void)keep;
	PROVE(x == &xib && buf == &buffer);
}

bool xrdma_ubuf_ring_ok(const struct xrdma_caps *caps, u8 log_depth,
			u8 log_stride, u8 log_stride_min)
{
	PROVE(caps == &xib.hw.caps);
	return log_stride >= log_stride_min && log_stride <= 10 &&
	       log_depth <= 15 && 1U << log_depth <= caps->max_qp_wr;
}

#endif /* PROOF_DRIVER_RINGS_H */
