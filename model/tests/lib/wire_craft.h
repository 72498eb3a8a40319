/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets made by the test: the test takes the place of the peer of a queue
 * pair, sends packets to the queue pair and checks each packet that the queue
 * pair sends.
 */
#ifndef MODEL_TEST_WIRE_CRAFT_H
#define MODEL_TEST_WIRE_CRAFT_H

#include "packet/pkt.h"
#include "tests/lib/wire_env.h"

/*
 * struct craft - a queue pair of host 0, with the test in place of host 1
 * @p: the connection; the test never uses its side b
 * @pkt: the packet received last, with its payload in @data
 */
struct craft {
	struct wire_env *env;
	struct wire_pair p;
	struct model_pkt pkt;
	u8 data[MODEL_FRAME_MAX];
};

void craft_begin(void **state, struct craft *c,
		 const struct wire_params *params);
struct model_pkt craft_pkt(const struct craft *c, u8 opcode, u32 psn);
u32 craft_frame(const struct craft *c, const struct model_pkt *pkt,
		const u8 *data, u8 *frame);
enum model_rx craft_send(struct craft *c, const struct model_pkt *pkt,
			 const u8 *data);
void craft_turn(struct craft *c);
bool craft_receive(struct craft *c);
void craft_expect(struct craft *c, u8 opcode, u32 psn);
void craft_expect_ack(struct craft *c, u8 syndrome, u32 psn);
void craft_expect_nothing(struct craft *c);

#endif /* MODEL_TEST_WIRE_CRAFT_H */
