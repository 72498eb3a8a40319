// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of wire/offload.c: which frames are divided. transport/test_eth_offload.c
 * compares the segments of a port, test_uplink.py those from an interface.
 */
#include <errno.h>
#include <linux/if_ether.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "wire/offload.h"

#define TCP_BYTES	20
#define DATA_OFFSET	12
#define SIZE		100

/* Write an IPv4 frame with a TCP header at @l4 whose data offset is @words. */
static void make(u8 *data, u32 len, u32 l4, u32 words)
{
	u32 i;

	for (i = 0; i < len; i++)
		data[i] = i;
	model_put16(data + 12, ETH_P_IP);
	data[ETH_HLEN] = 0x45;
	data[l4 + DATA_OFFSET] = words << 4;
}

static struct virtio_net_hdr tcp_at(u32 l4, u32 size)
{
	return (struct virtio_net_hdr) {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
		.gso_size = size,
		.csum_start = l4,
		.csum_offset = 16,
	};
}

static void data_offset_is_at_least_5(void **state)
{
	const u32 l4 = ETH_HLEN + 20, len = l4 + 60 + 3 * SIZE;
	struct virtio_net_hdr todo = tcp_at(l4, SIZE);
	struct model_cut cut;
	u8 data[600];
	u32 words;

	(void)state;
	for (words = 0; words < 16; words++) {
		make(data, len, l4, words);
		if (words < 5) {
			assert_int_equal(model_cut_plan(&cut, &todo, data, len),
					 -EMSGSIZE);
			continue;
		}
		assert_int_equal(model_cut_plan(&cut, &todo, data, len), 0);
		assert_int_equal(cut.payload, l4 + 4 * words);
		assert_int_equal(cut.all, len - cut.payload);
	}
}

/* The fields of a segment's header must not be written behind its buffer. */
static void header_fits_in_the_segment(void **state)
{
	static struct model_frame frame;
	static u8 data[2 * MODEL_FRAME_MAX];
	struct model_cut cut;
	u32 l4, words;

	(void)state;
	for (l4 = MODEL_FRAME_MAX - 80; l4 < MODEL_FRAME_MAX; l4++) {
		for (words = 0; words < 16; words++) {
			struct virtio_net_hdr todo = tcp_at(l4, 1);

			make(data, sizeof(data), l4, words);
			if (model_cut_plan(&cut, &todo, data, sizeof(data)))
				continue;
			model_cut_frame(&cut, data, cut.count - 1, &frame);
			assert_in_range(frame.len, l4 + TCP_BYTES + 1,
					MODEL_FRAME_MAX);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_offset_is_at_least_5),
		cmocka_unit_test(header_fits_in_the_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
