/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Keeps this process alive when a client takes guest memory away that it has
 * mapped.
 */
#ifndef MODEL_DMA_GUARD_H
#define MODEL_DMA_GUARD_H

#include "base/loop.h"
#include "host/dma.h"
#include "host/host_error.h"

int model_dma_guard_begin(struct model_loop *loop, struct model_dma *dma,
			  struct model_host_errors *herr);
void model_dma_guard_end(void);

#endif /* MODEL_DMA_GUARD_H */
