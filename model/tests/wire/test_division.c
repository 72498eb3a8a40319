// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the division of TCP and UDP frames: each frame is, byte by byte, the one
 * that a host without offloads would have sent. The test makes that frame from its
 * fields, and knows the addresses of the pseudo header, which may differ from those of
 * the IP header: the destination with a routing header, the source with a home address.
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
#include "base/prng.h"
#include "packet/checksum.h"
#include "wire/offload.h"

#define ROUNDS		4000
#define LONGEST		65535
#define FLAGS_FIN_PSH	0x09
#define FLAG_CWR	0x80

/* The headers of IPv6 behind the first one, and options of IPv4 */
#define HOP_BY_HOP	0x1	/* IPv4: four NOPs */
#define ROUTE		0x2	/* type 4, or IPv4: a loose source route */
#define HOME		0x4	/* IPv6: the home address of the source */

/*
 * struct shape - what the frames of a division have in common
 * @tags: number of VLAN tags
 * @options: bytes of TCP options
 * @extra: HOP_BY_HOP etc.
 * @flags: flags of TCP in the long frame
 * @bytes: bytes of payload in the long frame
 * @mss: bytes of payload in each frame but the last
 * @addr: source and destination in the pseudo header
 * @via: source and destination in the IP header, if they differ
 */
struct shape {
	bool ipv4;
	bool tcp;
	u32 tags;
	u32 options;
	u32 extra;
	u8 flags;
	u32 bytes;
	u32 mss;
	u32 seq;
	u16 id;
	u8 addr[2][16];
	u8 via[2][16];
};

static u8 payload[LONGEST], long_frame[LONGEST], want[LONGEST];
static struct model_frame got;
static u64 rng;

static u32 below(u32 n)
{
	return model_prng_below(&rng, n);
}

static void fill(u8 *to, u32 len)
{
	while (len--)
		*to++ = below(256);
}

static const u8 *in_header(const struct shape *s, int end)
{
	bool differs = s->extra & (end ? ROUTE : HOME);

	return differs ? s->via[end] : s->addr[end];
}

/* Write an IPv4 header for @len bytes behind it. Return: its length. */
static u32 put_ipv4(const struct shape *s, u8 *ip, u32 len, u32 index)
{
	u8 *at = ip + 20;

	memset(ip, 0, 60);
	if (s->extra & HOP_BY_HOP) {
		memset(at, 1, 4);
		at += 4;
	}
	if (s->extra & ROUTE) {
		memcpy(at, "\x83\x07\x04", 3);
		memcpy(at + 3, s->addr[1], 4);
		at += 8;
	}
	ip[0] = 0x40 | (at - ip) / 4;
	model_put16(ip + 2, at - ip + len);
	model_put16(ip + 4, s->id + index);
	model_put16(ip + 6, 0x4000);
	ip[8] = 64;
	ip[9] = s->tcp ? IPPROTO_TCP : IPPROTO_UDP;
	memcpy(ip + 12, in_header(s, 0), 4);
	memcpy(ip + 16, in_header(s, 1), 4);
	model_put16(ip + 10, model_sum_fold(model_sum_bytes(0, ip, at - ip)));
	return at - ip;
}

/* Write IPv6 headers for @len bytes behind them. Return: their length. */
static u32 put_ipv6(const struct shape *s, u8 *ip, u32 len)
{
	u8 *next = ip + 6, *at = ip + 40;

	memset(ip, 0, 40 + 8 + 24 + 24);
	ip[0] = 0x60;
	ip[7] = 64;
	memcpy(ip + 8, in_header(s, 0), 16);
	memcpy(ip + 24, in_header(s, 1), 16);
	if (s->extra & HOP_BY_HOP) {
		*next = 0;
		next = at;
		memcpy(at, "\0\0\1\4", 4);	/* PadN */
		at += 8;
	}
	if (s->extra & ROUTE) {
		*next = 43;
		next = at;
		memcpy(at, "\0\2\4\1", 4);	/* one segment is left */
		memcpy(at + 8, s->addr[1], 16);
		at += 24;
	}
	if (s->extra & HOME) {
		*next = 60;
		next = at;
		memcpy(at, "\0\2\1\2\0\0\xc9\x10", 8);
		memcpy(at + 8, s->addr[0], 16);
		at += 24;
	}
	*next = s->tcp ? IPPROTO_TCP : IPPROTO_UDP;
	model_put16(ip + 4, at - ip - 40 + len);
	return at - ip;
}

static u32 header_bytes(const struct shape *s)
{
	return s->tcp ? 20 + s->options : 8;
}

/* Write the header of TCP or UDP for @bytes of payload from @done on. */
static void put_l4(const struct shape *s, u8 *l4, u32 done, u32 bytes)
{
	memset(l4, 0, header_bytes(s));
	model_put16(l4, 5300);
	model_put16(l4 + 2, 5301);
	if (!s->tcp) {
		model_put16(l4 + 4, 8 + bytes);
		return;
	}
	memset(l4 + 20, 1, s->options);
	model_put32(l4 + 4, s->seq + done);
	l4[12] = header_bytes(s) << 2;
	l4[13] = s->flags;
	if (done + bytes < s->bytes)
		l4[13] &= ~FLAGS_FIN_PSH;
	if (done)
		l4[13] &= ~FLAG_CWR;
}

/* Return: the sum of the pseudo header for @len bytes. */
static u64 pseudo(const struct shape *s, u32 len)
{
	u32 size = s->ipv4 ? 4 : 16;
	u64 sum = len + (s->tcp ? IPPROTO_TCP : IPPROTO_UDP);

	sum = model_sum_bytes(sum, s->addr[0], size);
	return model_sum_bytes(sum, s->addr[1], size);
}

/*
 * Write the frame with @bytes of payload from @done on, with the sum of the pseudo
 * header in the place of the checksum. Return: bytes of the frame; @l4 is the offset
 * of the header of TCP or UDP.
 */
static u32 put_frame(const struct shape *s, u8 *p, u32 index, u32 bytes, u32 *l4)
{
	u32 l3 = 14 + 4 * s->tags, len = header_bytes(s) + bytes, i;

	memset(p, 2, 12);
	for (i = 0; i < s->tags; i++) {
		model_put16(p + 12 + 4 * i, i + 1 < s->tags ? ETH_P_8021AD :
							      ETH_P_8021Q);
		model_put16(p + 14 + 4 * i, 100 + i);
	}
	model_put16(p + l3 - 2, s->ipv4 ? ETH_P_IP : ETH_P_IPV6);
	*l4 = l3 + (s->ipv4 ? put_ipv4(s, p + l3, len, index) :
			      put_ipv6(s, p + l3, len));
	put_l4(s, p + *l4, index * s->mss, bytes);
	model_put16(p + *l4 + (s->tcp ? 16 : 6), ~model_sum_fold(pseudo(s, len)));
	memcpy(p + *l4 + header_bytes(s), payload + index * s->mss, bytes);
	return *l4 + len;
}

static struct shape random_shape(void)
{
	bool tcp = below(4);
	struct shape s = {
		.ipv4 = below(2),
		.tcp = tcp,
		.tags = below(3),
		.options = tcp ? 4 * below(11) : 0,
		.extra = below(8),
		.flags = 0x10 | (below(2) ? FLAG_CWR : 0) |
			 (below(2) ? FLAGS_FIN_PSH : 0),
		.mss = 1 + below(below(2) ? 60 : 8000),
		.seq = 0xffffff00,
		.id = 0xfffe,
	};

	if (s.ipv4)
		s.extra &= ~HOME;
	s.bytes = 12 + below(below(2) ? 65000 : 20 * s.mss);
	if (s.bytes > 65000)
		s.bytes = 65000;
	fill((u8 *)s.addr, sizeof(s.addr));
	fill((u8 *)s.via, sizeof(s.via));
	fill(payload, s.bytes);
	return s;
}

static void check_parts(const struct shape *s, const struct model_cut *cut)
{
	u32 i, len, l4, done = 0;

	for (i = 0; i < cut->count; i++) {
		u32 bytes = s->bytes - done < s->mss ? s->bytes - done : s->mss;

		len = put_frame(s, want, i, bytes, &l4);
		model_sum_complete(want, len, l4, s->tcp ? 16 : 6);
		model_cut_frame(cut, long_frame, i, &got);
		assert_int_equal(got.len, len);
		assert_memory_equal(got.data, want, len);
		done += bytes;
	}
	assert_int_equal(done, s->bytes);
}

static void frames_are_those_of_a_host_without_offloads(void **state)
{
	struct virtio_net_hdr todo = { .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM };
	struct model_cut cut;
	u32 round, len, l4;

	(void)state;
	rng = 1;
	for (round = 0; round < ROUNDS; round++) {
		struct shape s = random_shape();

		len = put_frame(&s, long_frame, 0, s.bytes, &l4);
		todo.gso_type = s.tcp ? VIRTIO_NET_HDR_GSO_TCPV6 : 5;
		todo.gso_size = s.mss;
		todo.csum_start = l4;
		todo.csum_offset = s.tcp ? 16 : 6;
		assert_int_equal(model_cut_plan(&cut, &todo, long_frame, len), 0);
		check_parts(&s, &cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_of_a_host_without_offloads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
