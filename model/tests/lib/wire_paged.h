/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * On-demand paging of a host of wire_env.h: the driver's side of page faults,
 * and paged regions.
 */
#ifndef MODEL_TEST_WIRE_PAGED_H
#define MODEL_TEST_WIRE_PAGED_H

#include "tests/lib/wire_env.h"

#define PAGED_PAGE	4096U
#define PAGED_EQN	2
#define PAGED_LOG	9

/*
 * struct paged - the driver's side of page faults of a host
 * @events: entries of the event queue
 * @rec: record of the event queue
 * @ci: consumer index of the event queue
 * @ring: the resume ring
 * @pi: producer index of the resume ring
 * @last: the event that paged_next() has taken
 */
struct paged {
	struct wire_host *host;
	const struct xrdma_eqe *events;
	struct xrdma_cq_rec *rec;
	u32 ci;
	struct xrdma_resume *ring;
	u32 pi;
	struct xrdma_eqe last;
};

/*
 * struct paged_region - a paged region of up to 1 GiB
 * @addr: first address; position 0 is that of the first byte
 * @buf: bus address of the memory that paged_map() maps
 * @mem: that memory in this process
 * @top: table of level 2
 */
struct paged_region {
	struct wire_host *host;
	u32 index;
	u32 key;
	u64 addr;
	u64 buf;
	u8 *mem;
	__le64 *top;
};

void paged_start(struct wire_host *host, struct paged *paged);
bool paged_next(struct paged *paged);
u32 paged_expect(struct paged *paged, const struct paged_region *region,
		 u64 pos, bool write);
void paged_expect_none(struct paged *paged);
void paged_answer(struct paged *paged, u32 token, u32 outcome);
void paged_serve(struct paged *paged, struct paged_region *region, u64 pos,
		 bool write);

void paged_region(struct wire_host *host, struct paged_region *region,
		  u32 index, u64 size);
void paged_map(struct paged_region *region, u64 pos, u64 size, bool write);
void paged_unmap(struct paged_region *region, u64 pos, u64 size);

#endif /* MODEL_TEST_WIRE_PAGED_H */
