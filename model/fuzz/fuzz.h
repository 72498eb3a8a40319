/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The fuzzer of the receive path. An input is a script of steps: frames that
 * arrive at a device, unchanged or corrected so that they pass the first
 * checks, work requests of the host, time that passes. After each step the
 * device must not be in the fatal state, must not have reported a host error or
 * changed memory without a right, and must not have lost a frame buffer.
 *
 * fuzz_world.c has the device and these checks, fuzz_script.c executes the
 * script.
 */
#ifndef MODEL_FUZZ_H
#define MODEL_FUZZ_H

#include "tests/lib/wire_srq.h"

/* Queue pairs of the device. */
enum fuzz_qp {
	FUZZ_RC,	/* over IPv4 */
	FUZZ_RC6,	/* over IPv6 */
	FUZZ_UC,	/* over IPv6 with a VLAN tag */
	FUZZ_UD,	/* over IPv4, and attached to a multicast group */
	FUZZ_RAW,	/* raw packet, for frames that are not RoCE */
	FUZZ_SRQ,	/* RC with an SRQ */
	FUZZ_XRC,	/* XRC target */
	FUZZ_QPS
};

#define FUZZ_LOG_DEPTH	4
#define FUZZ_AREA	0x4000
#define FUZZ_MTU	1 /* encoded path MTU: 256 bytes */

/*
 * struct fuzz_world - a device, its host and its peer
 * @env: device, its host and the loop
 * @qps: queue pairs
 * @srq: shared receive queue of FUZZ_SRQ
 * @xrc_srq: shared receive queue for FUZZ_XRC
 * @xrc_cq: completion queue of @xrc_srq
 * @area: bus address of the memory that the peer may change
 * @key: key of @area
 * @shown: bus address of the memory that the peer may only read
 * @shown_key: key of @shown
 * @judged: checksum of the memory that must not change
 */
struct fuzz_world {
	struct wire_env *env;
	struct wire_qp qps[FUZZ_QPS];
	struct wire_srq srq;
	struct wire_srq xrc_srq;
	struct wire_cq xrc_cq;
	u64 area;
	u32 key;
	u64 shown;
	u32 shown_key;
	u32 judged;
};

void fuzz_world_begin(struct fuzz_world *w);
void fuzz_world_serve(struct fuzz_world *w);
void fuzz_world_judge(const struct fuzz_world *w);
void fuzz_wrong(const char *what) __attribute__((noreturn));
void fuzz_world_path(const struct fuzz_world *w, enum fuzz_qp number,
		     struct model_path *path);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* MODEL_FUZZ_H */
