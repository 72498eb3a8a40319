// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of a port that merges received frames of TCP: what it writes to memory and
 * to completions, the order of frames, and that it holds no frame after a burst. The
 * rule by which frames are merged is tested in test_eth_gro.c.
 */
#include <string.h>

#include "base/bytes.h"
#include "tests/lib/tcp_frames.h"
#include "tests/lib/wire_nic.h"
#include "transport/eth_gro.h"

#define ALL_OPTIONS	(XRDMA_PORT_UP | XRDMA_PORT_PAUSE | XRDMA_PORT_CSUM | \
			 XRDMA_PORT_VLAN | XRDMA_PORT_GRO)
#define MSS		500
#define PLACE		1024	/* bytes of buffer of a frame to send */
#define ROOM		3072	/* bytes of a receive entry */
#define ENTRIES		(WIRE_NIC_BUF / ROOM)
#define MERGED		(XRDMA_CQE_CSUM | XRDMA_CQE_GRO)

static struct wire_nic a, b;
static struct tcp_long all;
static u32 sent, posted;

static void start(struct wire_env *env)
{
	wire_nic_make(env, 0, &a);
	wire_nic_make(env, 1, &b);
	wire_nic_port(b.qp.host, ALL_OPTIONS, 1500, b.qp.qpn);
	sent = 0;
	posted = 0;
}

static void make(struct wire_env *env, const struct tcp_shape *shape)
{
	tcp_make_long(&all, shape);
	memcpy(all.data, env->hosts[1].mac, 6);
}

static struct tcp_shape simple(u32 frames)
{
	return (struct tcp_shape) { .ipv4 = true, .flags = TCP_ACK | TCP_PSH,
				    .mss = MSS, .bytes = frames * MSS,
				    .seed = 3 };
}

/* Send a frame. */
static void put(const struct model_frame *frame)
{
	u64 at = sent++ * PLACE;
	struct xrdma_sge sge = wire_sge(a.buf + at, frame->len, a.key);

	assert_true(frame->len <= PLACE && at < WIRE_NIC_BUF);
	memcpy(a.mem + at, frame->data, frame->len);
	wire_post_send(&a.qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND, .sges = &sge, .num_sge = 1,
	});
}

/* Send part @index of the long frame. */
static void put_part(u32 index)
{
	static struct model_frame frame;

	tcp_part(&all, index, &frame);
	put(&frame);
}

/* Send a frame that has nothing to do with TCP. */
static void put_other(struct wire_env *env)
{
	static struct model_frame frame;

	frame.len = 100;
	memset(frame.data, 0, frame.len);
	memcpy(frame.data, env->hosts[1].mac, 6);
	put(&frame);
}

/* All frames arrive, and wait for receive entries. */
static void arrive(struct wire_env *env)
{
	int i;

	for (i = 0; i < 8; i++)
		wire_turn(env);
	assert_int_equal(b.qp.host->dev->wire->arrived.count, sent);
}

static void post(u32 entries)
{
	u64 place = posted % ENTRIES * ROOM;
	struct xrdma_sge sge = wire_sge(b.buf + WIRE_NIC_BUF + place, ROOM,
					b.key);

	for (; entries; entries--) {
		wire_post_recv(&b.qp, posted++, &sge, 1);
		place = posted % ENTRIES * ROOM;
		sge.addr = cpu_to_le64(b.buf + WIRE_NIC_BUF + place);
	}
}

/*
 * Send the first @parts parts of a long frame, which arrive before @entries receive
 * entries are posted.
 */
static void send_parts(struct wire_env *env, const struct tcp_shape *shape,
		       u32 parts, u32 entries)
{
	u32 i;

	make(env, shape);
	for (i = 0; i < parts; i++)
		put_part(i);
	arrive(env);
	post(entries);
}

static const u8 *memory(u32 wr_id)
{
	return b.mem + WIRE_NIC_BUF + wr_id % ENTRIES * ROOM;
}

/* Expect a receive of @len bytes. */
static void expect(u32 wr_id, u32 len, u16 flags, u16 mss)
{
	struct xrdma_cqe cqe;

	wire_expect_recv(&b.qp, wr_id, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), len);
	assert_int_equal(le16_to_cpu(cqe.flags), flags);
	assert_int_equal(le16_to_cpu(cqe.mss), mss);
	assert_true(TAILQ_EMPTY(&b.qp.host->dev->merging));
}

static u64 delivered(void)
{
	return b.qp.host->dev->wire->rx_frames[MODEL_RX_ETHERNET];
}

static void a_burst_is_one_frame(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(4);

	start(env);
	send_parts(env, &shape, 4, 3);
	expect(0, all.len, MERGED, MSS);
	assert_memory_equal(memory(0), all.data, all.len);
	assert_int_equal(delivered(), 4);
	wire_run(env, WIRE_MS);
	assert_int_equal(b.qp.qp->rq.ci, 1);
}

/* Without PORT_GRO each frame is for itself. */
static void merging_can_be_switched_off(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(2);

	start(env);
	wire_nic_port(b.qp.host, ALL_OPTIONS & ~XRDMA_PORT_GRO, 1500, b.qp.qpn);
	send_parts(env, &shape, 2, 3);
	expect(0, 54 + MSS, XRDMA_CQE_CSUM, 0);
	expect(1, 54 + MSS, XRDMA_CQE_CSUM, 0);
}

static void merging_needs_checksums(void **state)
{
	struct xrdma_cmd_modify_port p = {
		.flags = cpu_to_le32(XRDMA_PORT_UP | XRDMA_PORT_GRO),
		.mtu = cpu_to_le32(1500),
	};
	struct wire_env *env = *state;

	start(env);
	assert_int_equal(model_port_modify(b.qp.host->dev, &p),
			 XRDMA_CMD_BAD_PARAM);
	p.flags |= cpu_to_le32(XRDMA_PORT_CSUM);
	assert_int_equal(model_port_modify(b.qp.host->dev, &p), XRDMA_CMD_OK);
}

static void a_tag_is_removed_from_merged_frames(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(3);
	struct xrdma_cqe cqe;

	start(env);
	shape.vlan = true;
	send_parts(env, &shape, 3, 2);
	wire_expect_recv(&b.qp, 0, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), all.len - 4);
	assert_int_equal(le16_to_cpu(cqe.flags), MERGED | XRDMA_CQE_VLAN);
	assert_int_equal(le16_to_cpu(cqe.vlan_tci), model_get16(all.data + 14));
	assert_memory_equal(memory(0), all.data, 12);
	assert_memory_equal(memory(0) + 12, all.data + 16, all.len - 16);
}

/* A frame that cannot be merged is not before frames that came earlier. */
static void frames_keep_their_order(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(4);

	start(env);
	make(env, &shape);
	put_part(0);
	put_part(1);
	put_other(env);
	put_part(2);
	put_part(3);
	arrive(env);
	post(4);
	expect(0, 54 + 2 * MSS, MERGED, MSS);
	expect(1, 100, 0, 0);
	expect(2, 54 + 2 * MSS, MERGED, MSS);
	assert_memory_equal(memory(2) + 54, all.data + 54 + 2 * MSS, 2 * MSS);
}

/* Send three of the long frame's parts, and let them arrive. */
static void send_three(struct wire_env *env, u32 x, u32 y, u32 z)
{
	struct tcp_shape shape = simple(5);

	start(env);
	make(env, &shape);
	put_part(x);
	put_part(y);
	put_part(z);
	arrive(env);
	post(4);
}

static void frames_behind_a_lost_one_are_merged_apart(void **state)
{
	send_three(*state, 0, 2, 3);
	expect(0, 54 + MSS, XRDMA_CQE_CSUM, 0);
	expect(1, 54 + 2 * MSS, MERGED, MSS);
}

static void reordered_frames_are_not_merged(void **state)
{
	u32 i;

	send_three(*state, 1, 0, 2);
	for (i = 0; i < 3; i++)
		expect(i, 54 + MSS, XRDMA_CQE_CSUM, 0);
	assert_memory_equal(memory(0) + 54, all.data + 54 + MSS, MSS);
	assert_memory_equal(memory(1) + 54, all.data + 54, MSS);
}

static void repeated_frames_are_not_merged(void **state)
{
	u32 i;

	send_three(*state, 0, 0, 2);
	for (i = 0; i < 3; i++)
		expect(i, 54 + MSS, XRDMA_CQE_CSUM, 0);
}

static void a_wrong_checksum_is_not_merged(void **state)
{
	static struct model_frame frame;
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(3);

	start(env);
	make(env, &shape);
	put_part(0);
	tcp_part(&all, 1, &frame);
	frame.data[100] ^= 1;
	put(&frame);
	put_part(2);
	arrive(env);
	post(4);
	expect(0, 54 + MSS, XRDMA_CQE_CSUM, 0);
	expect(1, 54 + MSS, 0, 0);
	assert_memory_equal(memory(1), frame.data, frame.len);
	expect(2, 54 + MSS, XRDMA_CQE_CSUM, 0);
}

/* Padding is not part of the frame that would be divided. */
static void a_padded_frame_is_not_merged(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(2);

	start(env);
	shape.bytes = MSS + 3;
	send_parts(env, &shape, 2, 3);
	expect(0, 54 + MSS, XRDMA_CQE_CSUM, 0);
	expect(1, 60, XRDMA_CQE_CSUM, 0);
}

/* 5 frames have 3054 + 12 bytes, 6 frames do not fit. */
static void a_merged_frame_fits_into_its_entry(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(8);

	start(env);
	shape.options = 24;
	send_parts(env, &shape, 8, 3);
	expect(0, 78 + 5 * MSS, MERGED, MSS);
	expect(1, 78 + 3 * MSS, MERGED, MSS);
	assert_memory_equal(memory(1) + 78, all.data + 78 + 5 * MSS, 3 * MSS);
}

/* The tag is not in memory: 6 frames fill the entry exactly. */
static void a_removed_tag_needs_no_room(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(6);

	start(env);
	shape.vlan = true;
	shape.mss = 503;
	shape.bytes = 6 * 503;
	send_parts(env, &shape, 6, 3);
	expect(0, ROOM, MERGED | XRDMA_CQE_VLAN, 503);
}

/* Frames that are held need an entry as much as those that were written. */
static void no_frame_is_lost_for_the_last_entry(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(2);
	u32 i;

	start(env);
	make(env, &shape);
	put_part(0);
	put_other(env);
	put_part(0);
	put_part(1);
	arrive(env);
	for (i = 0; i < 2; i++) {
		post(1);
		expect(i, i ? 100 : 54 + MSS, i ? 0 : XRDMA_CQE_CSUM, 0);
	}
	post(2);
	expect(2, 54 + 2 * MSS, MERGED, MSS);
	assert_int_equal(delivered(), 4);
	assert_int_equal(b.qp.host->dev->wire->rx_frames[MODEL_RX_OVERRUN], 0);
}

/* Frames that are held when a receive fails are counted as dropped. */
static void a_failed_receive_drops_all_its_frames(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(3);
	struct xrdma_cqe cqe;
	u32 i;

	start(env);
	make(env, &shape);
	for (i = 0; i < 3; i++)
		put_part(i);
	arrive(env);
	b.qp.host->dev->eth_fault = MODEL_ETH_FAULT_RECEIVE;
	post(2);
	wire_expect_recv(&b.qp, 0, XRDMA_WC_LOC_PROT_ERR, &cqe);
	assert_int_equal(delivered(), 0);
	assert_int_equal(b.qp.host->dev->wire->rx_frames[MODEL_RX_OVERRUN], 3);
	assert_true(TAILQ_EMPTY(&b.qp.host->dev->merging));
}

/* A fault for tests of the driver. */
static void a_frame_can_be_said_to_be_several(void **state)
{
	struct wire_env *env = *state;
	struct tcp_shape shape = simple(1);

	start(env);
	make(env, &shape);
	b.qp.host->dev->eth_fault = MODEL_ETH_FAULT_MERGED;
	put_other(env);
	put_part(0);
	arrive(env);
	post(2);
	expect(0, 100, XRDMA_CQE_GRO, 1);
	expect(1, 54 + MSS, XRDMA_CQE_CSUM, 0);
}

/* A merged frame has the time of the last frame. */
static void the_time_is_that_of_the_last_frame(void **state)
{
	struct wire_env *env = *state;
	u64 begin = model_loop_now(env->loop);
	struct tcp_shape shape = simple(2);
	struct xrdma_cqe cqe;

	start(env);
	make(env, &shape);
	put_part(0);
	arrive(env);
	fake_loop_advance(env->loop, begin + WIRE_MS);
	put_part(1);
	arrive(env);
	fake_loop_advance(env->loop, begin + 2 * WIRE_MS);
	post(2);
	wire_expect_recv(&b.qp, 0, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le16_to_cpu(cqe.flags), MERGED);
	assert_int_equal(le64_to_cpu(cqe.timestamp), begin + WIRE_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(a_burst_is_one_frame, 2),
		WIRE_TEST(merging_can_be_switched_off, 2),
		WIRE_TEST(merging_needs_checksums, 2),
		WIRE_TEST(a_tag_is_removed_from_merged_frames, 2),
		WIRE_TEST(frames_keep_their_order, 2),
		WIRE_TEST(frames_behind_a_lost_one_are_merged_apart, 2),
		WIRE_TEST(reordered_frames_are_not_merged, 2),
		WIRE_TEST(repeated_frames_are_not_merged, 2),
		WIRE_TEST(a_wrong_checksum_is_not_merged, 2),
		WIRE_TEST(a_padded_frame_is_not_merged, 2),
		WIRE_TEST(a_merged_frame_fits_into_its_entry, 2),
		WIRE_TEST(a_removed_tag_needs_no_room, 2),
		WIRE_TEST(no_frame_is_lost_for_the_last_entry, 2),
		WIRE_TEST(a_failed_receive_drops_all_its_frames, 2),
		WIRE_TEST(a_frame_can_be_said_to_be_several, 2),
		WIRE_TEST(the_time_is_that_of_the_last_frame, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
