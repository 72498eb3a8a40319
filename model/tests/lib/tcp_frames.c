// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Frames of TCP for tests: see tcp_frames.h.
 */
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "packet/checksum.h"
#include "tests/lib/tcp_frames.h"
#include "tests/lib/wire_env.h"

/* Sum of the pseudo header of the frame @data of @len bytes */
static u16 pseudo(const u8 *data, u32 len, u32 l3, u32 l4, bool ipv4)
{
	u64 sum = len - l4 + IPPROTO_TCP;

	sum = ipv4 ? model_sum_bytes(sum, data + l3 + 12, 8) :
		     model_sum_bytes(sum, data + l3 + 8, 32);
	return ~model_sum_fold(sum);
}

static void put_ipv4(u8 *ip, u32 len)
{
	ip[0] = 0x45;
	model_put16(ip + 2, len);
	model_put16(ip + 6, 0x4000);
	ip[9] = IPPROTO_TCP;
	model_put16(ip + 10, 0);
	model_put16(ip + 10, model_sum_fold(model_sum_bytes(0, ip, 20)));
}

/* Set the checksums of a frame that was changed. */
void tcp_fix_sums(const struct model_cut *cut, struct model_frame *frame)
{
	u8 *ip = frame->data + cut->l3;

	if (cut->ipv4) {
		model_put16(ip + 10, 0);
		model_put16(ip + 10, model_sum_fold(model_sum_bytes(0, ip, 20)));
	}
	model_put16(frame->data + cut->l4 + 16,
		    pseudo(frame->data, frame->len, cut->l3, cut->l4,
			   cut->ipv4));
	model_sum_complete(frame->data, frame->len, cut->l4, 16);
}

/* Divide @all into frames with @mss bytes of payload. */
void tcp_plan(struct tcp_long *all, u32 mss)
{
	const u8 *data = all->data;
	bool vlan = model_get16(data + 12) == ETH_P_8021Q;
	u32 l3 = vlan ? 18 : 14;
	bool ipv4 = model_get16(data + l3 - 2) == ETH_P_IP;
	const struct virtio_net_hdr todo = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
		.gso_size = mss,
		.csum_start = l3 + (ipv4 ? 20 : 40),
		.csum_offset = 16,
	};

	assert_int_equal(model_cut_plan(&all->cut, &todo, data, all->len), 0);
}

void tcp_make_long(struct tcp_long *all, const struct tcp_shape *shape)
{
	u32 l3 = shape->vlan ? 18 : 14, l4 = l3 + (shape->ipv4 ? 20 : 40);
	u8 *p = all->data;

	all->len = l4 + 20 + shape->options + shape->bytes;
	assert_true(all->len <= TCP_LONG_MAX);
	wire_fill(p, all->len, shape->seed);
	p[0] &= ~1;
	if (shape->vlan)
		model_put16(p + 12, ETH_P_8021Q);
	model_put16(p + l3 - 2, shape->ipv4 ? ETH_P_IP : ETH_P_IPV6);
	if (shape->ipv4) {
		put_ipv4(p + l3, all->len - l3);
	} else {
		p[l3] = 0x60;
		model_put16(p + l3 + 4, all->len - l4);
		p[l3 + 6] = IPPROTO_TCP;
	}
	p[l4 + 12] = (20 + shape->options) << 2;
	p[l4 + 13] = shape->flags;
	model_put16(p + l4 + 16, pseudo(p, all->len, l3, l4, shape->ipv4));
	tcp_plan(all, shape->mss);
}

void tcp_part(const struct tcp_long *all, u32 index, struct model_frame *frame)
{
	model_cut_frame(&all->cut, all->data, index, frame);
}
