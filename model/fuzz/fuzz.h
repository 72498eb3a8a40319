/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The fuzzer of the receive path. An input is a script of steps: frames that
 * arrive at a device, unchanged or corrected so that they pass the first
 * checks, work requests of the host, accesses of a hostile process, time that
 * passes. After each step the device must not be in the fatal state, must not have
 * reported a host error or changed memory without a right, must not have lost a
 * frame buffer, and the queue pairs of the port have received the frames that have
 * arrived for them.
 *
 * fuzz_world.c has the device and these checks, fuzz_script.c executes the
 * script. fuzz_port.c has the steps of the Ethernet port and the check of its
 * frames, fuzz_process.c the steps of the hostile process.
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
	FUZZ_RAW,	/* raw packet: gets a copy of each frame that is not RoCE */
	FUZZ_SRQ,	/* RC with an SRQ */
	FUZZ_XRC,	/* XRC target */
	FUZZ_NIC,	/* raw packet: the port's, with all its offloads */
	FUZZ_NIC_1,	/* the same: receive side scaling selects one of both */
	FUZZ_USER,	/* RC of a hostile process, with a doorbell page */
	FUZZ_QPS
};

#define FUZZ_LOG_DEPTH	4
#define FUZZ_AREA	0x4000
#define FUZZ_MTU	1 /* encoded path MTU: 256 bytes */
#define FUZZ_PAGE	1 /* doorbell page of FUZZ_USER */

/*
 * struct fuzz_script - the rest of an input
 */
struct fuzz_script {
	const u8 *p;
	size_t left;
};

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
 * @nic: bus address of the memory of FUZZ_NIC and FUZZ_NIC_1
 * @nic_key: key of @nic
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
	u64 nic;
	u32 nic_key;
	u32 judged;
};

static inline u8 fuzz_take8(struct fuzz_script *s)
{
	if (!s->left)
		return 0;
	s->left--;
	return *s->p++;
}

static inline u32 fuzz_take16(struct fuzz_script *s)
{
	u32 low = fuzz_take8(s);

	return low | fuzz_take8(s) << 8;
}

u32 fuzz_take(struct fuzz_script *s, u8 *to, u32 room);
void fuzz_arrive(struct fuzz_world *w, const u8 *frame, u32 len);

void fuzz_world_begin(struct fuzz_world *w);
void fuzz_world_serve(struct fuzz_world *w);
void fuzz_world_judge(const struct fuzz_world *w);
void fuzz_wrong(const char *what) __attribute__((noreturn));
void fuzz_world_path(const struct fuzz_world *w, enum fuzz_qp number,
		     struct model_path *path);

void fuzz_port_begin(struct fuzz_world *w);
void fuzz_port_burst_end(struct fuzz_world *w);
void fuzz_port_recv(struct fuzz_world *w, struct wire_qp *qp, u32 len);
void fuzz_port_judge(struct fuzz_world *w, enum fuzz_qp number);
void fuzz_step_tcp(struct fuzz_world *w, struct fuzz_script *s);
void fuzz_step_eth(struct fuzz_world *w, struct fuzz_script *s);

void fuzz_step_post(struct fuzz_world *w, struct fuzz_script *s);
void fuzz_step_doorbell(struct fuzz_world *w, struct fuzz_script *s);
void fuzz_step_record(struct fuzz_world *w, struct fuzz_script *s);
void fuzz_step_plain(struct fuzz_world *w);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* MODEL_FUZZ_H */
