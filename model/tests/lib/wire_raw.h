/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Functions for tests with wire_env.h: raw packet queue pairs of host 0, and
 * frames for tests of flow rules and receive side scaling.
 */
#ifndef MODEL_TEST_WIRE_RAW_H
#define MODEL_TEST_WIRE_RAW_H

#include "tests/lib/wire_env.h"

/* Bytes of each frame. */
#define RAW_FRAME	128
/* Bytes of a buffer. Buffer 0 is for sending, buffer 1 for receiving. */
#define RAW_BUF		2048

/* Destination and source address of all frames. */
extern const u8 raw_dmac[6];
extern const u8 raw_smac[6];

/*
 * struct raw - a raw packet queue pair and its buffers
 */
struct raw {
	struct wire_qp qp;
	u64 buf;
	u32 key;
	u8 *mem;
};

/* Bring a raw packet queue pair from RESET to RTS. */
void raw_start(struct wire_qp *qp);
void raw_make(struct wire_env *env, u32 flags, struct raw *raw);
void raw_make_nic(struct wire_env *env, struct raw *nic, u32 flags);
void raw_post_buffers(struct raw *raw, u32 n);
void raw_send_frame(struct raw *raw, const u8 *frame, u32 len);
u32 raw_received(struct raw *raw, const u8 *frame);

void raw_make_ipv4(u8 *frame, const char *src, const char *dst, u8 proto,
		   u16 sport, u16 dport);
void raw_make_ipv6(u8 *frame, const char *src, const char *dst, u8 proto,
		   u16 sport, u16 dport);
void raw_add_vlan(u8 *frame, u16 tci);

#endif /* MODEL_TEST_WIRE_RAW_H */
