// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scatter-gather lists: length, check and copies. core/access.c checks the
 * access to each entry.
 */
#include "core/device.h"
#include "core/sgl.h"

/**
 * model_sgl_length - compute the length of a list
 * @sgl: the list
 *
 * Return: the sum of the lengths of the entries, in bytes.
 */
u64 model_sgl_length(const struct model_sgl *sgl)
{
	u64 length = 0;
	u16 i;

	for (i = 0; i < sgl->num; i++)
		length += le32_to_cpu(sgl->sge[i].length);
	return length;
}

static struct model_access_req local_access(const struct model_qp *qp,
					    const struct model_sgl *sgl, u16 i,
					    u16 rights)
{
	return (struct model_access_req) {
		.qp = qp,
		.waiter = sgl->waiter,
		.addr = le64_to_cpu(sgl->sge[i].addr),
		.len = le32_to_cpu(sgl->sge[i].length),
		.key = le32_to_cpu(sgl->sge[i].lkey),
		.rights = rights,
		.opcode = sgl->opcode,
	};
}

/**
 * model_sgl_check - check all entries of a list, without accesses to memory
 * @qp: the queue pair of the work request
 * @sgl: the list
 * @rights: XRDMA_ACCESS_LOCAL_WRITE, or 0 for reads
 * @paged: on success, whether an entry is in a paged region
 *
 * Return: 0, or enum xrdma_fault_reason of the first refused entry.
 */
int model_sgl_check(struct model_qp *qp, const struct model_sgl *sgl,
		    u16 rights, bool *paged)
{
	struct model_access_req req;
	struct model_target acc;
	int reason;
	u16 i;

	*paged = false;
	for (i = 0; i < sgl->num; i++) {
		req = local_access(qp, sgl, i, rights);
		reason = model_access_check(qp->dev, &req, &acc);
		if (reason)
			return reason;
		*paged |= req.len && acc.mem->flags & MODEL_MEM_PAGED;
	}
	return 0;
}

/*
 * Limit @req, an entry of a list, to the part of the list from *@off on, of at
 * most @len bytes. Reduces *@off by the bytes of the entry that are skipped.
 * Return: false if the whole entry is skipped.
 */
static bool clip(struct model_access_req *req, u64 *off, u64 len)
{
	if (*off >= req->len) {
		*off -= req->len;
		return false;
	}
	req->addr += *off;
	req->len -= *off;
	req->expected = req->len;
	*off = 0;
	if (req->len > len)
		req->len = len;
	return true;
}

/**
 * model_sgl_probe - check that a list can be written, without a write
 * @qp: the queue pair of the work request
 * @sgl: the list
 * @off: bytes of the list to skip; on return, number of bytes before the first
 *	one that misses or is refused
 *
 * Only the translations of paged regions are looked up.
 *
 * Return: 0, enum xrdma_fault_reason, or MODEL_MISS.
 */
int model_sgl_probe(struct model_qp *qp, const struct model_sgl *sgl, u64 *off)
{
	struct model_access_req req;
	u64 skip = *off;
	int reason = 0;
	u64 done;
	u16 i;

	for (i = 0; !reason && i < sgl->num; i++) {
		req = local_access(qp, sgl, i, XRDMA_ACCESS_LOCAL_WRITE);
		if (!clip(&req, &skip, req.len))
			continue;
		reason = model_access_probe(qp->dev, &req, &done);
		*off += done;
	}
	return reason;
}

/**
 * model_sgl_gather - copy from the memory of a list
 * @qp: the queue pair of the work request
 * @sgl: the list
 * @off: bytes of the list to skip
 * @buf: buffer for the bytes
 * @len: bytes; @off + @len is at most model_sgl_length()
 *
 * Return: 0, enum xrdma_fault_reason, or MODEL_MISS.
 */
int model_sgl_gather(struct model_qp *qp, const struct model_sgl *sgl, u64 off,
		     void *buf, size_t len)
{
	struct model_access_req req;
	u8 *to = buf;
	int reason;
	u16 i;

	for (i = 0; len && i < sgl->num; i++) {
		req = local_access(qp, sgl, i, 0);
		if (!clip(&req, &off, len))
			continue;
		reason = model_access_read(qp->dev, &req, to);
		if (reason)
			return reason;
		to += req.len;
		len -= req.len;
	}
	return 0;
}

/**
 * model_sgl_scatter - copy to the memory of a list
 * @qp: the queue pair of the work request
 * @sgl: the list
 * @off: bytes of the list to skip
 * @buf: the bytes
 * @len: bytes; @off + @len is at most model_sgl_length()
 *
 * Return: 0, enum xrdma_fault_reason, or MODEL_MISS; entries before the one that
 * is refused or misses have been written.
 */
int model_sgl_scatter(struct model_qp *qp, const struct model_sgl *sgl,
		      u64 off, const void *buf, size_t len)
{
	struct model_access_req req;
	const u8 *from = buf;
	int reason;
	u16 i;

	for (i = 0; len && i < sgl->num; i++) {
		req = local_access(qp, sgl, i, XRDMA_ACCESS_LOCAL_WRITE);
		if (!clip(&req, &off, len))
			continue;
		reason = model_access_write(qp->dev, &req, from);
		if (reason)
			return reason;
		from += req.len;
		len -= req.len;
	}
	return 0;
}
