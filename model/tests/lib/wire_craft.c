// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets made by the test, in place of a peer: see wire_craft.h.
 */
#include <string.h>

#include "packet/icrc.h"
#include "tests/lib/wire_craft.h"
#include "transport/rx.h"

void craft_begin(void **state, struct craft *c,
		 const struct wire_params *params)
{
	memset(c, 0, sizeof(*c));
	c->env = *state;
	wire_make_pair(c->env, &c->p, params);
}

/* Return: a packet to the queue pair under test, with default fields. */
struct model_pkt craft_pkt(const struct craft *c, u8 opcode, u32 psn)
{
	struct model_pkt pkt = { 0 };

	model_pkt_init(&pkt, opcode, c->p.a.qpn, psn & MODEL_PSN_MASK);
	pkt.syndrome = MODEL_AETH_NO_CREDITS;
	pkt.va = c->p.a_buf;
	pkt.rkey = c->p.a_key;
	return pkt;
}

static void path_from_peer(const struct craft *c, struct model_path *path)
{
	const struct wire_host *from = c->p.b.host;
	const struct wire_host *to = c->p.a.host;

	memset(path, 0, sizeof(*path));
	memcpy(path->sgid, from->gid, sizeof(path->sgid));
	memcpy(path->dgid, to->gid, sizeof(path->dgid));
	memcpy(path->smac, from->mac, sizeof(path->smac));
	memcpy(path->dmac, to->mac, sizeof(path->dmac));
	path->sport = 0xc000;
	path->hop_limit = 64;
	path->is_ipv4 = true;
}

/* Make the frame of a packet; NULL @data: zeros. Return: bytes of the frame. */
u32 craft_frame(const struct craft *c, const struct model_pkt *pkt,
		const u8 *data, u8 *frame)
{
	u32 roce_len = model_pkt_roce_len(pkt);
	struct model_net_template tmpl;
	struct model_path path;
	u8 *payload;
	u32 bth;

	path_from_peer(c, &path);
	model_net_template(&tmpl, &path);
	bth = model_net_write(&tmpl, frame, roce_len);
	payload = model_pkt_write(pkt, frame + bth);
	if (data)
		memcpy(payload, data, pkt->len);
	else
		memset(payload, 0, pkt->len);
	model_icrc_write(frame, tmpl.l3, bth, bth + roce_len);
	return bth + roce_len;
}

enum model_rx craft_send(struct craft *c, const struct model_pkt *pkt,
			 const u8 *data)
{
	u8 frame[MODEL_FRAME_MAX + 64];
	u32 len = craft_frame(c, pkt, data, frame);

	return model_rx_frame(c->p.a.host->dev, frame, len);
}

/* Poll the device under test only. */
void craft_turn(struct craft *c)
{
	int i;

	for (i = 0; i < 8; i++) {
		model_device_poll(c->p.a.host->dev);
		fake_loop_watches(c->env->loop);
	}
}

/* Take the next packet that the device under test sent. */
bool craft_receive(struct craft *c)
{
	struct model_wire *wire = c->p.b.host->dev->wire;
	struct model_frame *frame;
	struct model_net net;

	craft_turn(c);
	frame = model_frameq_pop(&wire->arrived);
	if (!frame)
		return false;
	assert_int_equal(model_net_parse(&net, frame->data, frame->len),
			 MODEL_RX_OK);
	assert_true(model_icrc_ok(frame->data, net.l3, net.bth, net.end));
	assert_int_equal(model_pkt_parse(&c->pkt, frame->data + net.bth,
					 net.end - net.bth - 4), MODEL_RX_OK);
	assert_int_equal(c->pkt.dqpn, c->p.b.qpn);
	memcpy(c->data, c->pkt.payload, c->pkt.len);
	model_frame_put(&wire->pool, frame);
	/* model_wire_poll(), which is not called here, does this */
	if (wire->socket.deaf)
		model_socket_listen(&wire->socket);
	return true;
}

void craft_expect(struct craft *c, u8 opcode, u32 psn)
{
	if (!craft_receive(c))
		fail_msg("no packet, wanted %s", model_opcode_name(opcode));
	if (c->pkt.opcode != opcode || c->pkt.psn != (psn & MODEL_PSN_MASK))
		fail_msg("%s %#x, wanted %s %#x",
			 model_opcode_name(c->pkt.opcode), c->pkt.psn,
			 model_opcode_name(opcode), psn & MODEL_PSN_MASK);
}

void craft_expect_ack(struct craft *c, u8 syndrome, u32 psn)
{
	craft_expect(c, MODEL_BTH_ACK, psn);
	assert_int_equal(c->pkt.syndrome, syndrome);
}

void craft_expect_nothing(struct craft *c)
{
	if (craft_receive(c))
		fail_msg("%s %#x, wanted nothing",
			 model_opcode_name(c->pkt.opcode), c->pkt.psn);
}
