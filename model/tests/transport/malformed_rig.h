/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Functions for test_malformed.c: make malformed frames, and check that the
 * device drops them. A dropped frame increments the counter of its reason; it
 * does not change the queue pair, its records for duplicates or memory of the
 * host, and the device sends nothing.
 */
#ifndef MODEL_TEST_MALFORMED_RIG_H
#define MODEL_TEST_MALFORMED_RIG_H

#include "packet/pkt.h"
#include "tests/lib/wire_env.h"
#include "transport/rx.h"

#define RIG_PSN		(wire_defaults.psn ^ 0x55)
#define RIG_FAMILIES	3 /* IPv4, IPv6, IPv6 with a VLAN tag: GIDs 0 to 2 */
#define RIG_ANY		MODEL_RX_NUM /* dropped for any reason */

/*
 * struct rig - a queue pair of host 0, whose peer is the test
 * @gid: GID index of both ends
 */
struct rig {
	struct wire_env *env;
	struct wire_pair p;
	u8 gid;
};

/*
 * struct frame - a frame and the offsets of its headers
 */
struct frame {
	u32 len;
	u32 l3;
	u32 udp;
	u32 bth;
	bool is_ipv4;
	u8 data[MODEL_FRAME_MAX + 64];
};

void rig_begin(void **state, struct rig *r, u8 gid);
struct model_pkt rig_pkt(const struct rig *r, u8 opcode);
void rig_frame(const struct rig *r, const struct model_pkt *pkt,
	       struct frame *f);
void rig_good_frame(const struct rig *r, struct frame *f);
void rig_fix_sum(struct frame *f);
void rig_fix(struct frame *f);
void rig_put_ip_length(struct frame *f, u32 udp_len);
void rig_put_udp_length(struct frame *f, u32 udp_len);
void rig_resize(struct frame *f, u32 len);
enum model_rx rig_receive(struct rig *r, const u8 *data, u32 len);
void rig_dropped(struct rig *r, const struct frame *f, enum model_rx why);
void rig_each_family(void **state, void (*kind)(struct rig *r));

#endif /* MODEL_TEST_MALFORMED_RIG_H */
