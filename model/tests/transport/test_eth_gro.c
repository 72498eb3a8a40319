// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the rule by which received frames of TCP are merged: dividing the merged
 * frame, as the device divides frames to be sent, gives the received frames. Tests of
 * a port that merges are in test_eth_gro_port.c.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/prng.h"
#include "packet/checksum.h"
#include "tests/lib/tcp_frames.h"
#include "tests/lib/wire_env.h"
#include "transport/eth_gro.h"

#define ROOM		12000
#define ROUNDS		3000
#define FRAMES		12

static struct tcp_long all, merged;
static struct model_frame parts[FRAMES], again;
static struct model_gro gro;
static u64 rng;

static u32 below(u32 n)
{
	return model_prng_below(&rng, n);
}

static bool start(const struct model_frame *frame)
{
	gro.count = 0;
	return model_sums_ok(frame->data, frame->len) &&
	       model_gro_start(&gro, frame->data, frame->len, ROOM);
}

static bool add(const struct model_frame *frame)
{
	return model_sums_ok(frame->data, frame->len) &&
	       model_gro_add(&gro, frame->data, frame->len);
}

/* Divide what is in @gro, and compare with the @num frames from @first on. */
static void check_inverse(const struct model_frame *first, u32 num)
{
	u32 i;

	assert_int_equal(gro.count, num);
	model_gro_finish(&gro);
	if (num == 1) {
		assert_int_equal(gro.len, first->len);
		assert_memory_equal(gro.data, first->data, first->len);
		return;
	}
	merged.len = gro.len;
	memcpy(merged.data, gro.data, gro.len);
	tcp_plan(&merged, gro.mss);
	assert_int_equal(merged.cut.count, num);
	for (i = 0; i < num; i++) {
		tcp_part(&merged, i, &again);
		assert_int_equal(again.len, first[i].len);
		assert_memory_equal(again.data, first[i].data, again.len);
	}
}

static struct tcp_shape random_shape(void)
{
	static const u8 flags[] = { 0, TCP_PSH, TCP_FIN, TCP_ECE, TCP_CWR,
				    TCP_CWR | TCP_ECE | TCP_PSH };
	u32 mss = 1 + below(1448), num = 2 + below(FRAMES - 1);

	if (num * mss > ROOM - 200)
		num = (ROOM - 200) / mss;
	return (struct tcp_shape) {
		.ipv4 = below(2),
		.vlan = below(2),
		.options = below(2) ? 12 : 4 * below(11),
		.flags = TCP_ACK | flags[below(ARRAY_SIZE(flags))],
		.mss = mss,
		.bytes = num * mss - below(mss),
		.seed = below(1 << 30),
	};
}

static void make_parts(const struct tcp_shape *shape)
{
	u32 i;

	tcp_make_long(&all, shape);
	assert_true(all.cut.count <= FRAMES);
	for (i = 0; i < all.cut.count; i++)
		tcp_part(&all, i, &parts[i]);
}

/* The frames of any long frame become that frame again, byte by byte. */
static void merging_is_the_inverse_of_division(void **state)
{
	struct tcp_shape shape;
	u32 round, i;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		shape = random_shape();
		make_parts(&shape);
		assert_true(start(&parts[0]));
		for (i = 1; i < all.cut.count; i++)
			assert_true(add(&parts[i]));
		model_gro_finish(&gro);
		assert_int_equal(gro.len, all.len);
		assert_memory_equal(gro.data, all.data, all.len);
		assert_int_equal(gro.mss, shape.mss);
	}
}

/* Change something in a frame, with right checksums in most cases. */
static void spoil(struct model_frame *frame)
{
	u32 at = below(3) ? below(all.cut.payload) : below(frame->len);

	switch (below(8)) {
	case 0:
		frame->len -= below(2);
		return;
	case 1:
		frame->data[at] ^= 1 << below(8);
		return;
	case 2:
		model_put16(frame->data + all.cut.l4 + 16, below(2) * 0xffff);
		return;
	case 3:
		model_put16(frame->data + all.cut.l3 + 10, below(2) * 0xffff);
		return;
	default:
		frame->data[at] ^= 1 << below(8);
		tcp_fix_sums(&all.cut, frame);
	}
}

static void shuffle(u32 num)
{
	u32 i = below(num), k = below(num);

	again = parts[i];
	parts[i] = parts[k];
	parts[k] = again;
	if (!below(3))
		parts[below(num)] = parts[below(num)];
}

/*
 * Whatever frames come, in whatever order: dividing what was merged gives the frames
 * that came.
 */
static void nothing_else_is_merged(void **state)
{
	u32 round, i, first, some = 0;
	struct tcp_shape shape;

	(void)state;
	for (round = 0; round < 4 * ROUNDS; round++) {
		shape = random_shape();
		make_parts(&shape);
		for (i = below(3); i; i--)
			shuffle(all.cut.count);
		for (i = below(3); i; i--)
			spoil(&parts[below(all.cut.count)]);
		for (i = 0; i < all.cut.count;) {
			first = i++;
			if (!start(&parts[first]))
				continue;
			while (i < all.cut.count && add(&parts[i]))
				i++;
			some += i - first > 1;
			check_inverse(&parts[first], i - first);
		}
	}
	assert_true(some > ROUNDS);
}

/* Return: true if a frame that differs in this bit may follow. */
static bool may_differ(u32 at, u8 bit)
{
	const struct model_cut *cut = &all.cut;

	if (at == cut->l4 + 13)
		return bit & (TCP_FIN | TCP_PSH);
	/* tcp_fix_sums() makes the checksums right again */
	return (cut->ipv4 && at - cut->l3 - 10 < 2) || at - cut->l4 - 16 < 2;
}

/* Each bit of the headers */
static void frames_that_differ_are_not_merged(void **state)
{
	struct tcp_shape shape = { .options = 12, .flags = TCP_ACK | TCP_ECE,
				   .mss = 100, .bytes = 300, .seed = 5 };
	u32 kind, at, bit;

	(void)state;
	for (kind = 0; kind < 4; kind++) {
		shape.ipv4 = kind & 1;
		shape.vlan = kind & 2;
		make_parts(&shape);
		for (at = 0; at < all.cut.payload; at++) {
			for (bit = 1; bit < 0x100; bit <<= 1) {
				assert_true(start(&parts[0]));
				again = parts[1];
				again.data[at] ^= bit;
				tcp_fix_sums(&all.cut, &again);
				assert_int_equal(add(&again),
						 may_differ(at, bit));
			}
		}
	}
}

/* Add @sum to the 16-bit word at @data, as a checksum does. */
static void add_word(u8 *data, u16 sum)
{
	model_put16(data, ~model_sum_fold((u64)model_get16(data) + sum));
}

/*
 * 0 and 0xffff are the same checksum: division writes 0xffff in TCP and 0 in IPv4. A
 * frame with the other form is not merged.
 */
static void the_other_zero_is_not_merged(void **state)
{
	struct tcp_shape shape = { .ipv4 = true, .flags = TCP_ACK, .mss = 100,
				   .bytes = 200, .seed = 9 };
	u8 *ip = parts[0].data + 14, *tcp = parts[1].data + 34;

	(void)state;
	make_parts(&shape);
	/* the checksum of part 1 becomes 0xffff, or 0 */
	add_word(tcp + 20, model_get16(tcp + 16));
	tcp_fix_sums(&all.cut, &parts[1]);
	assert_int_equal(model_get16(tcp + 16), 0xffff);
	assert_true(start(&parts[0]));
	assert_true(add(&parts[1]));
	model_put16(tcp + 16, 0);
	assert_true(model_sums_ok(parts[1].data, parts[1].len));
	assert_true(start(&parts[0]));
	assert_false(add(&parts[1]));
	/* that of IPv4 in part 0 becomes 0, or 0xffff */
	add_word(ip + 12, model_get16(ip + 10));
	tcp_fix_sums(&all.cut, &parts[0]);
	assert_int_equal(model_get16(ip + 10), 0);
	assert_true(start(&parts[0]));
	model_put16(ip + 10, 0xffff);
	assert_true(model_sums_ok(parts[0].data, parts[0].len));
	assert_false(start(&parts[0]));
}

static void only_data_with_ack_are_merged(void **state)
{
	static const struct {
		u8 flags;
		bool first;
		bool second;
	} cases[] = {
		{ TCP_ACK, true, true },
		{ TCP_ACK | TCP_CWR, true, false },
		{ TCP_ACK | TCP_PSH, false, true },
		{ TCP_ACK | TCP_FIN, false, true },
		{ TCP_ACK | TCP_SYN, false, false },
		{ TCP_ACK | TCP_RST, false, false },
		{ TCP_ACK | TCP_URG, false, false },
		{ 0, false, false },
	};
	struct tcp_shape shape = { .ipv4 = true, .flags = TCP_ACK, .mss = 100,
				   .bytes = 200, .seed = 6 };
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		make_parts(&shape);
		again = parts[0];
		again.data[47] = cases[i].flags;
		tcp_fix_sums(&all.cut, &again);
		assert_int_equal(start(&again), cases[i].first);
		assert_true(start(&parts[0]));
		again = parts[1];
		again.data[47] = cases[i].flags;
		tcp_fix_sums(&all.cut, &again);
		assert_int_equal(add(&again), cases[i].second);
	}
	/* no payload */
	shape.bytes = 0;
	make_parts(&shape);
	assert_false(start(&parts[0]));
}

static void nothing_follows_a_short_frame_or_an_end(void **state)
{
	struct tcp_shape shape = { .flags = TCP_ACK, .mss = 100, .bytes = 300,
				   .seed = 7 };
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++) {
		make_parts(&shape);
		assert_true(start(&parts[0]));
		assert_true(add(&parts[1]));
		assert_true(add(&parts[2]));
		assert_true(start(&parts[0]));
		if (i)
			parts[1].data[54 + 13] |= TCP_PSH;
		else
			parts[1].len--;
		model_put16(parts[1].data + 18, parts[1].len - 54);
		tcp_fix_sums(&all.cut, &parts[1]);
		if (!i)
			model_put32(parts[2].data + 58,
				    model_get32(parts[2].data + 58) - 1);
		tcp_fix_sums(&all.cut, &parts[2]);
		assert_true(add(&parts[1]));
		assert_false(add(&parts[2]));
	}
	/* a longer frame does not follow a shorter one */
	shape.mss = 99;
	make_parts(&shape);
	assert_true(start(&parts[0]));
	parts[1].len++;
	model_put16(parts[1].data + 18, parts[1].len - 54);
	tcp_fix_sums(&all.cut, &parts[1]);
	assert_false(add(&parts[1]));
}

static void a_merged_frame_is_not_longer_than_its_room(void **state)
{
	struct tcp_shape shape = { .ipv4 = true, .flags = TCP_ACK, .mss = 1000,
				   .bytes = 3000, .seed = 8 };

	(void)state;
	make_parts(&shape);
	assert_false(model_gro_start(&gro, parts[0].data, 1054, 1054));
	assert_true(model_gro_start(&gro, parts[0].data, 1054, 3053));
	assert_true(add(&parts[1]));
	assert_false(add(&parts[2]));
	gro.count = 0;
	assert_true(model_gro_start(&gro, parts[0].data, 1054, 3054));
	assert_true(add(&parts[1]));
	assert_true(add(&parts[2]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging_is_the_inverse_of_division),
		cmocka_unit_test(nothing_else_is_merged),
		cmocka_unit_test(frames_that_differ_are_not_merged),
		cmocka_unit_test(the_other_zero_is_not_merged),
		cmocka_unit_test(only_data_with_ack_are_merged),
		cmocka_unit_test(nothing_follows_a_short_frame_or_an_end),
		cmocka_unit_test(a_merged_frame_is_not_longer_than_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
