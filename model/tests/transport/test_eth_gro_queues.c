// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of merged frames with several queue pairs: receive side scaling selects the
 * queue pair in which the frames of a stream are merged, and flow rules take frames
 * out of a stream, or copy them. One queue pair is tested in test_eth_gro_port.c.
 */
#include <string.h>

#include "core/rss.h"
#include "packet/flow_fields.h"
#include "tests/lib/tcp_frames.h"
#include "tests/lib/wire_raw.h"
#include "transport/eth.h"
#include "transport/eth_gro.h"
#include "transport/rx.h"

#define QUEUES		4
#define MSS		200
#define PARTS		4
#define HEADER		54
#define TABLE		500 /* number of the RSS object */
#define MERGED		(XRDMA_CQE_CSUM | XRDMA_CQE_GRO)

/*
 * struct stream - the frames of a stream of TCP
 * @all: all of them as one frame
 * @queue: queue pair of the port that gets the frames
 */
struct stream {
	struct tcp_long all;
	u32 queue;
};

/* Return: queue pair of the table that gets the frames of @all. */
static u32 queue_of(struct wire_env *env, const struct tcp_long *all)
{
	struct model_rss *rss = model_rss_get(env->hosts[0].dev, TABLE);
	struct xrdma_flow_fields f;
	u8 have = model_flow_fields(&f, all->data, all->len);
	u32 i;

	for (i = 0; rss->table[i] != model_rss_pick(rss, &f, have); i++)
		;
	return i;
}

/* Make a stream with a source port. All else is the same in each stream. */
static void make_stream(struct wire_env *env, u16 port, struct stream *stream)
{
	const struct tcp_shape shape = {
		.ipv4 = true, .flags = TCP_ACK, .mss = MSS,
		.bytes = PARTS * MSS, .seed = 3,
	};
	struct tcp_long *all = &stream->all;

	tcp_make_long(all, &shape);
	memcpy(all->data, env->hosts[0].mac, 6);
	all->data[34] = port >> 8;
	all->data[35] = port;
	stream->queue = queue_of(env, all);
}

/* Make two streams, of the same queue pair if @same, otherwise of different ones. */
static void make_streams(struct wire_env *env, bool same, struct stream *streams)
{
	u16 port = 1000;

	make_stream(env, port, &streams[0]);
	do
		make_stream(env, ++port, &streams[1]);
	while ((streams[0].queue == streams[1].queue) != same);
}

/* Make queue pairs of the kernel, and a table of the port that names them. */
static void start(struct wire_env *env, struct raw *raw)
{
	struct wire_host *host = &env->hosts[0];
	u64 addr = wire_alloc(host, QUEUES * sizeof(__le32), 4);
	struct xrdma_cmd_create_rss rss = {
		.addr = cpu_to_le64(addr), .qpn = cpu_to_le32(TABLE),
		.fields = XRDMA_RSS_FIELDS, .log_size = 2,
	};
	struct xrdma_cmd_modify_port port = {
		.flags = cpu_to_le32(XRDMA_PORT_UP | XRDMA_PORT_CSUM |
				     XRDMA_PORT_GRO),
		.mtu = cpu_to_le32(1500), .eth_qpn = cpu_to_le32(TABLE),
	};
	__le32 *table = wire_ptr(host, addr);
	u32 i;

	for (i = 0; i < QUEUES; i++) {
		raw_make(env, XRDMA_QP_KERNEL, &raw[i]);
		table[i] = cpu_to_le32(raw[i].qp.qpn);
		raw_post_buffers(&raw[i], 8);
	}
	wire_fill(rss.key, sizeof(rss.key), 9);
	assert_int_equal(model_rss_create(host->dev, &rss), XRDMA_CMD_OK);
	memcpy(port.mac, host->mac, sizeof(port.mac));
	assert_int_equal(model_port_modify(host->dev, &port), XRDMA_CMD_OK);
}

/* Part @index of a stream arrives; the burst goes on. */
static void arrive(struct wire_env *env, const struct stream *stream, u32 index)
{
	static struct model_frame frame;

	tcp_part(&stream->all, index, &frame);
	model_rx_frame(env->hosts[0].dev, frame.data, frame.len);
}

static void burst_end(struct wire_env *env)
{
	model_eth_burst_end(env->hosts[0].dev);
	assert_true(TAILQ_EMPTY(&env->hosts[0].dev->merging));
}

static void expect_cqe(struct raw *raw, u32 len, u16 flags)
{
	struct xrdma_cqe cqe;

	assert_true(wire_poll_cq(&raw->qp.recv_cq, &cqe));
	assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
	assert_int_equal(le32_to_cpu(cqe.byte_len), len);
	assert_int_equal(le16_to_cpu(cqe.flags), flags);
	assert_int_equal(le16_to_cpu(cqe.mss), flags & XRDMA_CQE_GRO ? MSS : 0);
}

/*
 * Expect @num parts of a stream, from part @first on, in one receive. All receives of
 * a queue pair have the same memory: the last one can be compared.
 */
static void expect_merged(struct raw *raw, const struct stream *stream, u32 first,
			  u32 num, bool last)
{
	const u8 *data = stream->all.data;

	expect_cqe(raw, HEADER + num * MSS,
		   num > 1 ? MERGED : XRDMA_CQE_CSUM);
	if (!last)
		return;
	assert_memory_equal(raw->mem + RAW_BUF + 34, data + 34, 4);
	assert_memory_equal(raw->mem + RAW_BUF + HEADER,
			    data + HEADER + first * MSS, num * MSS);
}

static void expect_no_more(struct raw *raw, u32 num)
{
	struct xrdma_cqe cqe;
	u32 i;

	for (i = 0; i < num; i++)
		assert_false(wire_poll_cq(&raw[i].qp.recv_cq, &cqe));
}

/* The frames of both streams arrive in turn: each stream becomes one frame. */
static void each_stream_is_merged_in_its_queue(void **state)
{
	static struct stream streams[2];
	struct wire_env *env = *state;
	struct raw raw[QUEUES];
	u32 i, n;

	start(env, raw);
	make_streams(env, false, streams);
	for (i = 0; i < PARTS; i++)
		for (n = 0; n < 2; n++)
			arrive(env, &streams[n], i);
	expect_no_more(raw, QUEUES);
	burst_end(env);
	for (n = 0; n < 2; n++)
		expect_merged(&raw[streams[n].queue], &streams[n], 0, PARTS, true);
	expect_no_more(raw, QUEUES);
	assert_int_equal(env->hosts[0].dev->wire->rx_frames[MODEL_RX_ETHERNET],
			 2 * PARTS);
}

/* A frame of another stream ends the merging in its own queue only. */
static void streams_of_a_queue_are_not_mixed(void **state)
{
	static struct stream streams[2];
	struct wire_env *env = *state;
	struct raw raw[QUEUES], *queue;

	start(env, raw);
	make_streams(env, true, streams);
	queue = &raw[streams[0].queue];
	arrive(env, &streams[0], 0);
	arrive(env, &streams[1], 0);
	expect_merged(queue, &streams[0], 0, 1, true);
	arrive(env, &streams[0], 1);
	expect_merged(queue, &streams[1], 0, 1, true);
	arrive(env, &streams[0], 2);
	arrive(env, &streams[1], 1);
	expect_merged(queue, &streams[0], 1, 2, true);
	arrive(env, &streams[1], 2);
	arrive(env, &streams[1], 3);
	burst_end(env);
	expect_merged(queue, &streams[1], 1, 3, true);
	expect_no_more(raw, QUEUES);
}

/* Make a rule for the frames with the ports of @stream. */
static void direct(struct wire_env *env, const struct stream *stream, u32 qpn,
		   u16 flags)
{
	struct wire_host *host = &env->hosts[0];
	u64 addr = wire_alloc(host, sizeof(struct xrdma_flow_rule), 64);
	struct xrdma_flow_rule *rule = wire_ptr(host, addr);
	struct xrdma_cmd_create_flow p = {
		.addr = cpu_to_le64(addr), .qpn = cpu_to_le32(qpn),
		.flags = cpu_to_le16(flags),
	};

	memset(rule, 0, sizeof(*rule));
	memcpy(&rule->value.src_port, stream->all.data + 34, 2);
	memset(&rule->mask.src_port, 0xff, 2);
	assert_int_equal(model_flow_create(host->dev, &p), XRDMA_CMD_OK);
}

/* Expect part @index of a stream as it was on the wire. */
static void expect_plain(struct raw *raw, const struct stream *stream, u32 index)
{
	static struct model_frame frame;

	tcp_part(&stream->all, index, &frame);
	expect_cqe(raw, frame.len, 0);
	assert_memory_equal(raw->mem + RAW_BUF, frame.data, frame.len);
}

/*
 * A rule takes the frames of one stream, which are not merged; those of the other one,
 * of the same queue of the port, are merged as if the others had not come.
 */
static void frames_of_a_rule_are_not_merged(void **state)
{
	static struct stream streams[2];
	struct wire_env *env = *state;
	struct raw raw[QUEUES], taker;
	u32 i;

	start(env, raw);
	raw_make(env, 0, &taker);
	raw_post_buffers(&taker, 8);
	make_streams(env, true, streams);
	direct(env, &streams[1], taker.qp.qpn, 0);
	for (i = 0; i < PARTS; i++) {
		arrive(env, &streams[0], i);
		arrive(env, &streams[1], i);
		expect_plain(&taker, &streams[1], i);
	}
	burst_end(env);
	expect_merged(&raw[streams[0].queue], &streams[0], 0, PARTS, true);
	expect_no_more(raw, QUEUES);
	expect_no_more(&taker, 1);
}

/* The port merges frames of which another queue pair gets a copy. */
static void copied_frames_are_merged(void **state)
{
	static struct stream stream;
	struct wire_env *env = *state;
	struct raw raw[QUEUES], taker;
	u32 i;

	start(env, raw);
	raw_make(env, 0, &taker);
	raw_post_buffers(&taker, 8);
	make_stream(env, 1000, &stream);
	direct(env, &stream, taker.qp.qpn, XRDMA_FLOW_COPY);
	for (i = 0; i < PARTS; i++) {
		arrive(env, &stream, i);
		expect_plain(&taker, &stream, i);
	}
	burst_end(env);
	expect_merged(&raw[stream.queue], &stream, 0, PARTS, true);
	expect_no_more(raw, QUEUES);
	expect_no_more(&taker, 1);
}

/*
 * A rule names a queue pair of the port: its frames are not merged with those that are
 * held there, and do not overtake them.
 */
static void frames_of_a_rule_keep_the_order_of_the_queue(void **state)
{
	static struct stream streams[2];
	struct wire_env *env = *state;
	struct raw raw[QUEUES], *queue;

	start(env, raw);
	make_streams(env, false, streams);
	queue = &raw[streams[0].queue];
	direct(env, &streams[1], queue->qp.qpn, 0);
	arrive(env, &streams[0], 0);
	arrive(env, &streams[0], 1);
	arrive(env, &streams[1], 0);
	expect_merged(queue, &streams[0], 0, 2, false);
	expect_plain(queue, &streams[1], 0);
	arrive(env, &streams[1], 1);
	expect_plain(queue, &streams[1], 1);
	arrive(env, &streams[0], 2);
	arrive(env, &streams[0], 3);
	burst_end(env);
	expect_merged(queue, &streams[0], 2, 2, true);
	expect_no_more(raw, QUEUES);
}

/* A rule gives a frame to the queue pair that holds the frames before it. */
static void a_frame_of_a_rule_is_not_added_to_its_stream(void **state)
{
	static struct stream stream;
	struct wire_env *env = *state;
	struct raw raw[QUEUES], *queue;

	start(env, raw);
	make_stream(env, 1000, &stream);
	queue = &raw[stream.queue];
	arrive(env, &stream, 0);
	arrive(env, &stream, 1);
	direct(env, &stream, queue->qp.qpn, 0);
	arrive(env, &stream, 2);
	expect_merged(queue, &stream, 0, 2, false);
	expect_plain(queue, &stream, 2);
	burst_end(env);
	expect_no_more(raw, QUEUES);
}

/* The rule is made in the middle of a stream, and removed. */
static void a_rule_in_a_stream_leaves_a_gap(void **state)
{
	static struct stream stream;
	struct wire_env *env = *state;
	struct raw raw[QUEUES], taker;

	start(env, raw);
	raw_make(env, 0, &taker);
	raw_post_buffers(&taker, 8);
	make_stream(env, 1000, &stream);
	arrive(env, &stream, 0);
	direct(env, &stream, taker.qp.qpn, 0);
	arrive(env, &stream, 1);
	assert_int_equal(model_flow_destroy(env->hosts[0].dev, 0),
			 XRDMA_CMD_OK);
	arrive(env, &stream, 2);
	arrive(env, &stream, 3);
	burst_end(env);
	expect_plain(&taker, &stream, 1);
	expect_merged(&raw[stream.queue], &stream, 0, 1, false);
	expect_merged(&raw[stream.queue], &stream, 2, 2, true);
	expect_no_more(raw, QUEUES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(each_stream_is_merged_in_its_queue, 1),
		WIRE_TEST(streams_of_a_queue_are_not_mixed, 1),
		WIRE_TEST(frames_of_a_rule_are_not_merged, 1),
		WIRE_TEST(copied_frames_are_merged, 1),
		WIRE_TEST(frames_of_a_rule_keep_the_order_of_the_queue, 1),
		WIRE_TEST(a_frame_of_a_rule_is_not_added_to_its_stream, 1),
		WIRE_TEST(a_rule_in_a_stream_leaves_a_gap, 1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
