// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of frames with flow rules and RSS tables: which rule matches a frame,
 * which queue pair of a table gets it, also of a table of the port, which frames
 * stay inside the device, and that objects cannot be destroyed while a rule, a
 * table or the port names them. The
 * checks of the commands are tested in core/test_flow.c.
 */
#include <stdio.h>
#include <string.h>

#include "core/flow.h"
#include "core/rss.h"
#include "packet/flow_fields.h"
#include "tests/lib/wire_raw.h"
#include "transport/eth.h"
#include "transport/rx.h"

/* The RSS key that pyverbs uses. */
static const u8 key[XRDMA_RSS_KEY_BYTES] = {
	0x2c, 0xc6, 0x81, 0xd1, 0x5b, 0xdb, 0xf4, 0xf7, 0xfc, 0xa2,
	0x83, 0x19, 0xdb, 0x1a, 0x3e, 0x94, 0x6b, 0x9e, 0x38, 0xd9,
	0x2c, 0x9c, 0x03, 0xd1, 0xad, 0x99, 0x44, 0xa7, 0xd9, 0x56,
	0x3d, 0x59, 0x06, 0x3c, 0x25, 0xf3, 0xfc, 0x1f, 0xdc, 0x2a,
};

static u8 create_flow(struct wire_host *host, u32 number, u32 qpn, u16 priority,
		      u16 flags, const struct xrdma_flow_rule *rule)
{
	u64 addr = wire_alloc(host, sizeof(*rule), 64);
	struct xrdma_cmd_create_flow p = {
		.addr = cpu_to_le64(addr), .flow = cpu_to_le32(number),
		.qpn = cpu_to_le32(qpn), .priority = cpu_to_le16(priority),
		.flags = cpu_to_le16(flags),
	};
	u8 status;

	memcpy(wire_ptr(host, addr), rule, sizeof(*rule));
	status = model_flow_create(host->dev, &p);
	/* the device has copied the rule */
	memset(wire_ptr(host, addr), 0x5a, sizeof(*rule));
	return status;
}

/* Return: a rule for all frames to raw_dmac. */
static struct xrdma_flow_rule rule_of_dmac(void)
{
	struct xrdma_flow_rule rule = { 0 };

	memcpy(rule.value.dmac, raw_dmac, 6);
	memset(rule.mask.dmac, 0xff, 6);
	return rule;
}

static void deliver(struct wire_env *env, const u8 *frame, enum model_rx want)
{
	enum model_rx rx = model_rx_frame(env->hosts[0].dev, frame, RAW_FRAME);

	if (rx != want)
		fail_msg("%s, wanted %s", model_rx_name(rx),
			 model_rx_name(want));
}

static void the_lowest_priority_wins_then_the_oldest(void **state)
{
	struct xrdma_flow_rule rule = rule_of_dmac();
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct raw nic, raw[4];
	u8 frame[RAW_FRAME];
	u32 i;

	raw_make_nic(env, &nic, XRDMA_PORT_PROMISC);
	raw_post_buffers(&nic, 8);
	for (i = 0; i < 4; i++) {
		raw_make(env, 0, &raw[i]);
		raw_post_buffers(&raw[i], 8);
	}
	raw_make_ipv4(frame, "1.1.1.1", "2.2.2.2", 17, 1234, 5678);
	deliver(env, frame, MODEL_RX_ETHERNET);
	assert_int_equal(raw_received(&nic, frame), 1);
	assert_int_equal(create_flow(host, 9, raw[0].qp.qpn, 5, 0, &rule), 0);
	assert_int_equal(create_flow(host, 3, raw[1].qp.qpn, 5, 0, &rule), 0);
	deliver(env, frame, MODEL_RX_ETHERNET);
	assert_int_equal(raw_received(&raw[0], frame), 1);
	assert_int_equal(create_flow(host, 1023, raw[2].qp.qpn, 4, 0, &rule),
			 0);
	deliver(env, frame, MODEL_RX_ETHERNET);
	assert_int_equal(raw_received(&raw[2], frame), 1);
	/* this rule copies the frame; later rules match too */
	assert_int_equal(create_flow(host, 0, raw[3].qp.qpn, 0, XRDMA_FLOW_COPY,
				     &rule), 0);
	deliver(env, frame, MODEL_RX_ETHERNET);
	assert_int_equal(raw_received(&raw[3], frame), 1);
	assert_int_equal(raw_received(&raw[2], frame), 1);
	assert_int_equal(model_flow_destroy(host->dev, 1023), 0);
	assert_int_equal(model_flow_destroy(host->dev, 9), 0);
	deliver(env, frame, MODEL_RX_ETHERNET);
	assert_int_equal(raw_received(&raw[3], frame), 1);
	assert_int_equal(raw_received(&raw[1], frame), 1);
	assert_int_equal(model_flow_destroy(host->dev, 3), 0);
	deliver(env, frame, MODEL_RX_ETHERNET);
	assert_int_equal(raw_received(&raw[3], frame), 1);
	assert_int_equal(raw_received(&nic, frame), 1);
	for (i = 0; i < 4; i++)
		assert_int_equal(raw_received(&raw[i], NULL), 0);
}

/* Each field of a rule is compared, under its mask. */
static void every_field_counts(void **state)
{
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct xrdma_flow_fields f;
	struct xrdma_flow_rule rule;
	struct raw nic, raw;
	u8 *value, *mask;
	u8 frame[RAW_FRAME];
	size_t i;

	raw_make_nic(env, &nic, 0);
	raw_make(env, 0, &raw);
	raw_make_ipv6(frame, "a0a1::a8a9", "b0b1::b8b9", 6, 1234, 5678);
	raw_add_vlan(frame, 0xbc0c);
	model_flow_fields(&f, frame, RAW_FRAME);
	for (i = 0; i < offsetof(struct xrdma_flow_fields, reserved2); i++) {
		if (i == offsetof(struct xrdma_flow_fields, reserved) ||
		    i == offsetof(struct xrdma_flow_fields, flow_label))
			continue;
		memset(&rule, 0, sizeof(rule));
		value = (u8 *)&rule.value;
		mask = (u8 *)&rule.mask;
		mask[i] = 0x0f;
		value[i] = ((u8 *)&f)[i] & 0x0f;
		assert_int_equal(create_flow(host, 1, raw.qp.qpn, 0, 0, &rule),
				 XRDMA_CMD_OK);
		raw_post_buffers(&raw, 1);
		deliver(env, frame, MODEL_RX_ETHERNET);
		assert_int_equal(raw_received(&raw, frame), 1);
		assert_int_equal(model_flow_destroy(host->dev, 1), 0);
		value[i] ^= 1;
		assert_int_equal(create_flow(host, 1, raw.qp.qpn, 0, 0, &rule),
				 XRDMA_CMD_OK);
		deliver(env, frame, MODEL_RX_FILTERED);
		assert_int_equal(model_flow_destroy(host->dev, 1), 0);
	}
}

/* Rules match neither RoCE packets nor frames of an invalid length. */
static void rules_ignore_roce_and_bad_lengths(void **state)
{
	const struct xrdma_flow_rule all = { 0 };
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct raw nic, raw;
	u8 frame[2000];

	raw_make_nic(env, &nic, 0);
	raw_make(env, 0, &raw);
	raw_post_buffers(&raw, 4);
	assert_int_equal(create_flow(host, 1, raw.qp.qpn, 0, 0, &all), 0);
	raw_make_ipv4(frame, "1.1.1.1", "2.2.2.2", 17, 0xc000,
		      MODEL_ROCE_UDP_PORT);
	deliver(env, frame, MODEL_RX_IP_CHECKSUM);
	frame[37]++;
	deliver(env, frame, MODEL_RX_ETHERNET);
	memcpy(frame, host->mac, 6);
	assert_int_equal(model_rx_frame(host->dev, frame, 1523),
			 MODEL_RX_OVERSIZED);
	assert_int_equal(model_rx_frame(host->dev, frame, 13), MODEL_RX_RUNT);
	assert_int_equal(raw_received(&raw, NULL), 1);
	/* a matching frame is dropped if its queue pair has no receive */
	raw_post_buffers(&nic, 4);
	wire_modify_state(&raw.qp, XRDMA_QPS_ERR);
	deliver(env, frame, MODEL_RX_STATE);
	assert_int_equal(raw_received(&nic, NULL), 0);
}

static void no_entry_no_frame(void **state)
{
	const struct xrdma_flow_rule all = { 0 };
	struct wire_env *env = *state;
	struct raw nic, raw;
	u8 frame[RAW_FRAME];

	raw_make_nic(env, &nic, XRDMA_PORT_PROMISC);
	raw_make(env, 0, &raw);
	raw_post_buffers(&nic, 4);
	assert_int_equal(create_flow(&env->hosts[0], 1, raw.qp.qpn, 0, 0, &all),
			 0);
	raw_make_ipv4(frame, "1.1.1.1", "2.2.2.2", 17, 1, 2);
	deliver(env, frame, MODEL_RX_OVERRUN);
	assert_int_equal(raw_received(&nic, NULL), 0);
	assert_int_equal(env->hosts[0].dev->stats[XRDMA_STAT_RX_DROPPED], 1);
}

/* Client and server are on one device, as in test raw_traffic of pyverbs. */
static void frames_of_neighbours_stay_inside(void **state)
{
	struct xrdma_flow_rule rule = rule_of_dmac();
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct raw nic, client, server;
	u8 frame[RAW_FRAME];
	u32 i;

	raw_make_nic(env, &nic, XRDMA_PORT_PROMISC);
	raw_make(env, 0, &client);
	raw_make(env, 0, &server);
	raw_post_buffers(&nic, 4);
	raw_post_buffers(&client, 4);
	raw_post_buffers(&server, 16);
	raw_make_ipv4(frame, "1.1.1.1", "2.2.2.2", 17, 1234, 5678);
	assert_int_equal(create_flow(host, 1, server.qp.qpn, 0, 0, &rule), 0);
	for (i = 0; i < 10; i++) {
		raw_send_frame(&client, frame, RAW_FRAME);
		wire_expect_send(&client.qp, 0, XRDMA_WC_SUCCESS);
		assert_int_equal(raw_received(&server, frame), 1);
	}
	assert_int_equal(host->dev->wire->tx_frames, 0);
	/* except frames of the receiver itself and of the port's queue pair */
	raw_send_frame(&server, frame, RAW_FRAME);
	wire_expect_send(&server.qp, 0, XRDMA_WC_SUCCESS);
	raw_send_frame(&nic, frame, RAW_FRAME);
	wire_expect_send(&nic.qp, 0, XRDMA_WC_SUCCESS);
	assert_int_equal(host->dev->wire->tx_frames, 2);
	/* with a copying rule the frame is delivered and also sent */
	assert_int_equal(model_flow_destroy(host->dev, 1), 0);
	assert_int_equal(create_flow(host, 1, server.qp.qpn, 0, XRDMA_FLOW_COPY,
				     &rule), 0);
	raw_send_frame(&client, frame, RAW_FRAME);
	wire_expect_send(&client.qp, 0, XRDMA_WC_SUCCESS);
	assert_int_equal(raw_received(&server, frame), 1);
	assert_int_equal(host->dev->wire->tx_frames, 3);
	wire_settle(env);
	assert_int_equal(raw_received(&server, NULL), 0);
	assert_int_equal(raw_received(&client, NULL), 0);
	assert_int_equal(raw_received(&nic, NULL), 0);
	assert_int_equal(host->dev->wire->pool.available,
			 host->dev->wire->pool.total);
}

/*
 * struct neighbours - queue pairs of one device
 * @nic: queue pair of the port
 * @server: receives the frames that a flow rule gives to it
 */
struct neighbours {
	struct raw nic;
	struct raw client;
	struct raw server;
};

/* Make the queue pairs, and a rule that gives all frames to the server. */
static void make_neighbours(struct wire_env *env, struct neighbours *n,
			    u32 receives)
{
	const struct xrdma_flow_rule all = { 0 };

	raw_make_nic(env, &n->nic, 0);
	raw_make(env, 0, &n->client);
	raw_make(env, 0, &n->server);
	raw_post_buffers(&n->server, receives);
	assert_int_equal(create_flow(&env->hosts[0], 1, n->server.qp.qpn, 0, 0,
				     &all), 0);
}

/* RoCE packets of a raw queue pair are sent to the wire, not to a neighbour. */
static void neighbours_do_not_get_roce(void **state)
{
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct neighbours n;
	u8 frame[RAW_FRAME];

	make_neighbours(env, &n, 4);
	raw_make_ipv4(frame, "1.1.1.1", "2.2.2.2", 17, 0xc000,
		      MODEL_ROCE_UDP_PORT);
	raw_send_frame(&n.client, frame, RAW_FRAME);
	wire_expect_send(&n.client.qp, 0, XRDMA_WC_SUCCESS);
	assert_int_equal(raw_received(&n.server, NULL), 0);
	assert_int_equal(host->dev->wire->tx_frames, 1);
}

/* Without a link no frame is delivered inside the device either. */
static void without_a_link_neighbours_get_no_frame(void **state)
{
	struct wire_env *env = *state;
	struct neighbours n;
	u8 frame[RAW_FRAME];

	make_neighbours(env, &n, 4);
	raw_make_ipv4(frame, "1.1.1.1", "2.2.2.2", 17, 1234, 5678);
	model_wire_set_cable(env->hosts[0].dev->wire, false);
	raw_send_frame(&n.client, frame, RAW_FRAME);
	wire_expect_send(&n.client.qp, 0, XRDMA_WC_SUCCESS);
	assert_int_equal(raw_received(&n.server, NULL), 0);
}

/* Sender and receiver share a full CQ: its overrun moves both to ERR. */
static void a_receive_may_move_the_sender_to_err(void **state)
{
	struct wire_env *env = *state;
	struct neighbours n;
	struct model_qp *sender;
	struct model_cq *cq;
	struct xrdma_cqe cqe;
	u8 frame[RAW_FRAME];

	make_neighbours(env, &n, 1);
	sender = n.client.qp.qp;
	cq = n.server.qp.qp->recv_cq;
	TAILQ_REMOVE(&sender->recv_cq->receivers, sender, recv_link);
	sender->recv_cq = cq;
	TAILQ_INSERT_TAIL(&cq->receivers, sender, recv_link);
	cq->ci = cq->pi - (1U << cq->log_depth);
	n.server.qp.recv_cq.rec->ci = cpu_to_le32(cq->ci);
	raw_make_ipv4(frame, "1.1.1.1", "2.2.2.2", 17, 1234, 5678);
	raw_send_frame(&n.client, frame, RAW_FRAME);
	wire_settle(env);
	assert_int_equal(sender->state, XRDMA_QPS_ERR);
	assert_int_equal(n.server.qp.qp->state, XRDMA_QPS_ERR);
	wire_expect_send(&n.client.qp, 0, XRDMA_WC_WR_FLUSH_ERR);
	assert_false(wire_poll_cq(&n.client.qp.send_cq, &cqe));
}

static struct xrdma_cmd_create_rss make_table(struct wire_host *host, u32 qpn,
					      u8 log_size, const u32 *qpns)
{
	u64 addr = wire_alloc(host, 4 << log_size, 4);
	struct xrdma_cmd_create_rss p = {
		.addr = cpu_to_le64(addr), .qpn = cpu_to_le32(qpn),
		.fields = XRDMA_RSS_SRC_IPV4 | XRDMA_RSS_DST_IPV4,
		.log_size = log_size,
	};
	__le32 *table = wire_ptr(host, addr);
	u32 i;

	memcpy(p.key, key, sizeof(p.key));
	for (i = 0; i < 1U << log_size; i++)
		table[i] = cpu_to_le32(qpns[i]);
	return p;
}

/* 32 addresses and a table of 8, as in test raw_rss_traffic of pyverbs. */
static void tables_spread_frames(void **state)
{
	struct xrdma_flow_rule rule = rule_of_dmac();
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct raw nic, client, raw[8];
	struct xrdma_cmd_create_rss p;
	u32 want[8] = { 0 }, qpns[8];
	u8 frame[RAW_FRAME];
	u32 i, used = 0;
	char src[32];

	raw_make_nic(env, &nic, 0);
	raw_make(env, 0, &client);
	for (i = 0; i < 8; i++) {
		raw_make(env, 0, &raw[i]);
		raw_post_buffers(&raw[i], 32);
		qpns[i] = raw[i].qp.qpn;
	}
	p = make_table(host, 500, 3, qpns);
	assert_int_equal(model_rss_create(host->dev, &p), XRDMA_CMD_OK);
	assert_int_equal(create_flow(host, 1, 500, 0, 0, &rule), 0);
	for (i = 0; i < 32; i++) {
		snprintf(src, sizeof(src), "%u.%u.%u.%u", i, i + 1, i + 2,
			 i + 3);
		raw_make_ipv4(frame, src, "2.2.2.2", 17, 1234, 5678);
		want[model_rss_hash(key, frame + 26, 8) & 7]++;
		raw_send_frame(&client, frame, RAW_FRAME);
		wire_expect_send(&client.qp, 0, XRDMA_WC_SUCCESS);
	}
	for (i = 0; i < 8; i++) {
		assert_int_equal(raw_received(&raw[i], NULL), want[i]);
		used += want[i] > 0;
	}
	assert_true(used > 4);
}

static u8 set_port(struct wire_host *host, u32 flags, u32 qpn)
{
	struct xrdma_cmd_modify_port p = {
		.flags = cpu_to_le32(XRDMA_PORT_UP | flags),
		.mtu = cpu_to_le32(1500),
		.eth_qpn = cpu_to_le32(qpn),
	};

	memcpy(p.mac, host->mac, sizeof(p.mac));
	return model_port_modify(host->dev, &p);
}

/* Make queue pairs of the kernel, and a table of the port that names them. */
static void make_port_table(struct wire_env *env, u32 flags, struct raw *raw)
{
	struct wire_host *host = &env->hosts[0];
	struct xrdma_cmd_create_rss p;
	u32 qpns[4], i;

	for (i = 0; i < 4; i++) {
		raw_make(env, XRDMA_QP_KERNEL, &raw[i]);
		qpns[i] = raw[i].qp.qpn;
	}
	p = make_table(host, 500, 2, qpns);
	assert_int_equal(model_rss_create(host->dev, &p), XRDMA_CMD_OK);
	assert_int_equal(set_port(host, flags, 500), XRDMA_CMD_OK);
}

/* Make a frame to the port. Return: number of the queue pair that gets it. */
static u32 make_port_frame(struct wire_env *env, u8 *frame, u32 n)
{
	char src[32];

	snprintf(src, sizeof(src), "10.1.%u.7", n);
	raw_make_ipv4(frame, src, "2.2.2.2", 6, 1234, 5678);
	memcpy(frame, env->hosts[0].mac, 6);
	return model_rss_hash(key, frame + 26, 8) & 3;
}

static void the_port_spreads_frames(void **state)
{
	struct wire_env *env = *state;
	struct raw raw[4];
	u8 frame[RAW_FRAME];
	u32 want[4] = { 0 }, i;

	make_port_table(env, 0, raw);
	for (i = 0; i < 4; i++)
		raw_post_buffers(&raw[i], 32);
	for (i = 0; i < 32; i++) {
		want[make_port_frame(env, frame, i)]++;
		deliver(env, frame, MODEL_RX_ETHERNET);
	}
	for (i = 0; i < 4; i++) {
		assert_true(want[i]);
		assert_int_equal(raw_received(&raw[i], NULL), want[i]);
	}
	/* a frame without addresses */
	memcpy(frame + 12, "\x08\x06", 2);
	deliver(env, frame, MODEL_RX_ETHERNET);
	assert_int_equal(raw_received(&raw[0], frame), 1);
	/* the filters of the port are applied first */
	frame[0] ^= 2;
	deliver(env, frame, MODEL_RX_FILTERED);
}

/* A frame waits for an entry of its own queue pair only. */
static void a_full_queue_holds_back_its_own_frames(void **state)
{
	struct wire_env *env = *state;
	struct model_device *dev = env->hosts[0].dev;
	struct raw raw[4];
	u8 frame[RAW_FRAME], other[RAW_FRAME];
	u32 i, n;

	make_port_table(env, XRDMA_PORT_PAUSE, raw);
	for (i = 1; i < 4; i++)
		raw_post_buffers(&raw[i], 32);
	for (i = 0; i < 32; i++) {
		n = make_port_frame(env, frame, i);
		assert_int_equal(model_eth_ready(dev, frame, RAW_FRAME), n > 0);
	}
	/* frames for other queue pairs do not make it wait longer than a second */
	while (make_port_frame(env, frame, i))
		i++;
	while (!make_port_frame(env, other, i))
		i++;
	assert_false(model_eth_ready(dev, frame, RAW_FRAME));
	fake_loop_advance(env->loop, model_loop_now(env->loop) + 1000 * WIRE_MS);
	assert_true(model_eth_ready(dev, other, RAW_FRAME));
	assert_true(model_eth_ready(dev, frame, RAW_FRAME));
	deliver(env, frame, MODEL_RX_OVERRUN);
	raw_post_buffers(&raw[0], 1);
	assert_true(model_eth_ready(dev, frame, RAW_FRAME));
	deliver(env, frame, MODEL_RX_ETHERNET);
	assert_false(model_eth_ready(dev, frame, RAW_FRAME));
}

/* Rules of processes do not take what the kernel sends, from any queue pair. */
static void all_frames_of_the_kernel_are_sent(void **state)
{
	const struct xrdma_flow_rule all = { 0 };
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct raw raw[4], server;
	u8 frame[RAW_FRAME];
	u32 i;

	make_port_table(env, 0, raw);
	raw_make(env, 0, &server);
	raw_post_buffers(&server, 8);
	assert_int_equal(create_flow(host, 1, server.qp.qpn, 0, 0, &all), 0);
	/* the port names only one of them */
	assert_int_equal(set_port(host, 0, raw[0].qp.qpn), XRDMA_CMD_OK);
	raw_make_ipv4(frame, "1.1.1.1", "2.2.2.2", 17, 1234, 5678);
	for (i = 0; i < 4; i++) {
		raw_send_frame(&raw[i], frame, RAW_FRAME);
		wire_expect_send(&raw[i].qp, 0, XRDMA_WC_SUCCESS);
	}
	assert_int_equal(raw_received(&server, NULL), 0);
	assert_int_equal(host->dev->wire->tx_frames, 4);
}

static void a_table_of_the_port_is_busy(void **state)
{
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct raw raw[4];

	make_port_table(env, 0, raw);
	assert_int_equal(model_rss_destroy(host->dev, 500), XRDMA_CMD_BUSY);
	assert_int_equal(set_port(host, 0, 501), XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(set_port(host, 0, raw[3].qp.qpn), XRDMA_CMD_OK);
	assert_int_equal(model_rss_destroy(host->dev, 500), XRDMA_CMD_OK);
	assert_int_equal(set_port(host, 0, 0), XRDMA_CMD_OK);
}

static u8 destroy_qp(struct wire_host *host, u32 qpn)
{
	return model_qp_destroy(host->dev, qpn);
}

static void objects_that_are_named_are_busy(void **state)
{
	const struct xrdma_flow_rule all = { 0 };
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct model_device *dev = host->dev;
	struct xrdma_cmd_create_rss p;
	struct raw nic, a, b;
	u32 qpns[4];

	raw_make_nic(env, &nic, 0);
	raw_make(env, 0, &a);
	raw_make(env, 0, &b);
	qpns[0] = a.qp.qpn;
	qpns[1] = b.qp.qpn;
	qpns[2] = b.qp.qpn;
	qpns[3] = b.qp.qpn;
	p = make_table(host, 500, 2, qpns);
	assert_int_equal(model_rss_create(dev, &p), XRDMA_CMD_OK);
	assert_int_equal(create_flow(host, 1, a.qp.qpn, 0, 0, &all), 0);
	assert_int_equal(create_flow(host, 2, 500, 0, 0, &all), 0);
	assert_int_equal(destroy_qp(host, b.qp.qpn), XRDMA_CMD_BUSY);
	assert_int_equal(model_rss_destroy(dev, 500), XRDMA_CMD_BUSY);
	assert_int_equal(model_flow_destroy(dev, 2), XRDMA_CMD_OK);
	assert_int_equal(model_rss_destroy(dev, 500), XRDMA_CMD_OK);
	assert_int_equal(model_rss_destroy(dev, 500), XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(destroy_qp(host, b.qp.qpn), XRDMA_CMD_OK);
	assert_int_equal(destroy_qp(host, a.qp.qpn), XRDMA_CMD_BUSY);
	assert_int_equal(model_flow_destroy(dev, 1), XRDMA_CMD_OK);
	assert_int_equal(model_flow_destroy(dev, 1), XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(model_flow_destroy(dev, MODEL_MAX_FLOWS),
			 XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(destroy_qp(host, a.qp.qpn), XRDMA_CMD_OK);
}

static void a_reset_forgets_all(void **state)
{
	const struct xrdma_flow_rule all = { 0 };
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct xrdma_cmd_create_rss p;
	struct raw a;

	raw_make(env, 0, &a);
	p = make_table(host, 500, 0, &a.qp.qpn);
	assert_int_equal(model_rss_create(host->dev, &p), XRDMA_CMD_OK);
	assert_int_equal(create_flow(host, 1, 500, 0, 0, &all), 0);
	assert_int_equal(create_flow(host, 2, a.qp.qpn, 0, 0, &all), 0);
	model_device_reset(host->dev);
	assert_null(model_rss_get(host->dev, 500));
	assert_int_equal(model_flow_destroy(host->dev, 1),
			 XRDMA_CMD_BAD_NUMBER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(the_lowest_priority_wins_then_the_oldest, 1),
		WIRE_TEST(every_field_counts, 1),
		WIRE_TEST(rules_ignore_roce_and_bad_lengths, 1),
		WIRE_TEST(no_entry_no_frame, 1),
		WIRE_TEST(frames_of_neighbours_stay_inside, 1),
		WIRE_TEST(neighbours_do_not_get_roce, 1),
		WIRE_TEST(without_a_link_neighbours_get_no_frame, 1),
		WIRE_TEST(a_receive_may_move_the_sender_to_err, 1),
		WIRE_TEST(tables_spread_frames, 1),
		WIRE_TEST(the_port_spreads_frames, 1),
		WIRE_TEST(a_full_queue_holds_back_its_own_frames, 1),
		WIRE_TEST(all_frames_of_the_kernel_are_sent, 1),
		WIRE_TEST(a_table_of_the_port_is_busy, 1),
		WIRE_TEST(objects_that_are_named_are_busy, 1),
		WIRE_TEST(a_reset_forgets_all, 1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
