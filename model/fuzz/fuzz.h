/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The fuzzer of the receive path. An input is a script for the peer and for the
 * host of a device: frames that arrive, as they are or dressed up so that they
 * pass the first checks, work that is posted, time that passes. Whatever the
 * script is, the device stays alive, makes its host no reproach, changes no
 * memory that it was not granted, and loses no frame buffer.
 *
 * fuzz_world.c owns the device and the judgment, fuzz_script.c the script.
 */
#ifndef MODEL_FUZZ_H
#define MODEL_FUZZ_H

#include "tests/lib/wire_srq.h"

/* Queue pairs of the world. */
enum fuzz_qp {
	FUZZ_RC,	/* over IPv4 */
	FUZZ_RC6,	/* over IPv6 */
	FUZZ_UC,	/* over IPv6 with a VLAN tag */
	FUZZ_UD,	/* over IPv4, also for a group */
	FUZZ_RAW,	/* gets what is not RoCE */
	FUZZ_SRQ,	/* RC on an SRQ */
	FUZZ_XRC,	/* target */
	FUZZ_QPS
};

#define FUZZ_LOG_DEPTH	4
#define FUZZ_AREA	0x4000
#define FUZZ_MTU	1 /* of the path, coded: 256 bytes */

/*
 * struct fuzz_world - a device, its host and its peer
 * @srq: of FUZZ_SRQ
 * @xrc_srq: for FUZZ_XRC
 * @xrc_cq: of @xrc_srq
 * @area: bus address of what the peer may change
 * @key: of it
 * @shown: bus address of what the peer may only read
 * @shown_key: of it
 * @judged: checksum of all that must not change
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
