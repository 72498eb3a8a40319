// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: allocates and deallocates memory windows. They are bound by
 * requests of post.c and wr.c.
 */

#include <errno.h>
#include <stdlib.h>

#include "xrdma.h"

/**
 * xrdma_alloc_mw() - ibv_alloc_mw()
 * @ibpd: protection domain
 * @type: type of the window
 *
 * Return: the window, not bound, or NULL and errno.
 */
struct ibv_mw *xrdma_alloc_mw(struct ibv_pd *ibpd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp;
	struct ibv_alloc_mw cmd;
	struct ibv_mw *mw;
	int err;

	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;

	err = ibv_cmd_alloc_mw(ibpd, type, mw, &cmd, sizeof(cmd), &resp,
			       sizeof(resp));
	if (err) {
		free(mw);
		errno = err;
		return NULL;
	}
	return mw;
}

/**
 * xrdma_dealloc_mw() - ibv_dealloc_mw()
 * @mw: window, bound or not
 *
 * Return: 0, or an errno if the window still exists.
 */
int xrdma_dealloc_mw(struct ibv_mw *mw)
{
	int err;

	err = ibv_cmd_dealloc_mw(mw);
	if (err)
		return err;

	free(mw);
	return 0;
}
