/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stand-in for headers of rdma-core: what the proved files of the provider use. */

#ifndef PROOF_UTIL_H
#define PROOF_UTIL_H

#include <assert.h>
#include <endian.h>
#include <linux/bits.h>

#define __force
#define likely(x)		(x)
#define unlikely(x)		(x)
#define udma_from_device_barrier()	((void)0)
#define udma_to_device_barrier()	((void)0)
#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

#define mmio_wc_start()			((void)0)
#define mmio_flush_writes()		((void)0)

int ilog64(uint64_t n);
void mmio_memcpy_x64(void *to, const void *from, size_t bytes);
void mmio_write64_le(void *addr, __le64 value);

#endif /* PROOF_UTIL_H */
