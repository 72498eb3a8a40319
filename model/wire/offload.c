// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Finishes frames that Linux has left to the hardware of an interface: completes
 * checksums, and divides TCP and UDP frames into segments. The frames come from
 * wire_packet.c.
 */

#include <errno.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/offload.h"

#define IPV4_BYTES	20
#define IPV6_BYTES	40
#define TCP_BYTES	20
#define UDP_BYTES	8
#define TCP_FLAGS	13
#define TCP_FIN_PSH	0x09
#define TCP_CWR		0x80

/* The headers of Linux 6.1 and older, such as those of Debian 12, lack it. */
#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4	5
#endif

/**
 * struct cut - how a frame is divided
 * @l3: offset of the IP header
 * @l4: offset of the TCP or UDP header
 * @payload: offset of the payload
 * @ipv4: the IP header is one of IPv4, not IPv6
 * @tcp: the L4 header is one of TCP, not UDP
 * @size: bytes of payload in a segment; the last may have fewer
 */
struct cut {
	u32 l3;
	u32 l4;
	u32 payload;
	bool ipv4;
	bool tcp;
	u32 size;
};

/* Add bytes to a checksum. An odd byte counts as if a zero followed. */
static u64 sum_bytes(u64 sum, const u8 *data, u32 len)
{
	for (; len > 1; len -= 2, data += 2)
		sum += model_get16(data);
	return len ? sum + (data[0] << 8) : sum;
}

static u16 fold(u64 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/*
 * The field at @offset from @start already has the sum of the pseudo header. A
 * sum of 0 is sent as 0xffff, which has the same value, because 0 means "no
 * checksum" in UDP.
 */
static void complete_sum(u8 *data, u32 len, u32 start, u32 offset)
{
	u16 sum = fold(sum_bytes(0, data + start, len - start));

	model_put16(data + start + offset, sum ? sum : 0xffff);
}

static int plan(struct cut *cut, const struct virtio_net_hdr *todo,
		const u8 *data, u32 len)
{
	u8 type = todo->gso_type & ~VIRTIO_NET_HDR_GSO_ECN;
	u16 ethertype = model_get16(data + 12);

	cut->l3 = ETH_HLEN;
	if (ethertype == ETH_P_8021Q) {
		ethertype = model_get16(data + 16);
		cut->l3 += 4;
	}
	cut->ipv4 = ethertype == ETH_P_IP;
	cut->tcp = type != VIRTIO_NET_HDR_GSO_UDP_L4;
	cut->l4 = todo->csum_start;
	cut->size = todo->gso_size;
	if (type != VIRTIO_NET_HDR_GSO_TCPV4 &&
	    type != VIRTIO_NET_HDR_GSO_TCPV6 && cut->tcp)
		return -EMSGSIZE;
	if (!(todo->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) ||
	    cut->l4 < cut->l3 + (cut->ipv4 ? IPV4_BYTES : IPV6_BYTES) ||
	    cut->l4 + TCP_BYTES > len || !cut->size)
		return -EMSGSIZE;
	cut->payload = cut->l4 + UDP_BYTES;
	if (cut->tcp)
		cut->payload = cut->l4 + (data[cut->l4 + 12] >> 4) * 4;
	if (cut->payload > len || cut->payload + cut->size > MODEL_FRAME_MAX)
		return -EMSGSIZE;
	return 0;
}

/* The length, the identification and the checksum of the IP header */
static void fix_l3(const struct cut *cut, struct model_frame *frame, u32 index)
{
	u8 *ip = frame->data + cut->l3;

	if (!cut->ipv4) {
		model_put16(ip + 4, frame->len - cut->l3 - IPV6_BYTES);
		return;
	}
	model_put16(ip + 2, frame->len - cut->l3);
	model_put16(ip + 4, model_get16(ip + 4) + index);
	model_put16(ip + 10, 0);
	model_put16(ip + 10, fold(sum_bytes(0, ip, cut->l4 - cut->l3)));
}

/* The fields of the L4 header that differ between segments */
static void fix_l4(const struct cut *cut, struct model_frame *frame,
		   u32 done, bool last)
{
	u8 *l4 = frame->data + cut->l4;

	if (!cut->tcp) {
		model_put16(l4 + 4, frame->len - cut->l4);
		return;
	}
	model_put32(l4 + 4, model_get32(l4 + 4) + done);
	if (!last)
		l4[TCP_FLAGS] &= ~TCP_FIN_PSH;
	if (done)
		l4[TCP_FLAGS] &= ~TCP_CWR;
}

/* The checksum of the L4 header, over the pseudo header and the segment */
static void fix_sum(const struct cut *cut, struct model_frame *frame,
		    u32 offset)
{
	const u8 *ip = frame->data + cut->l3;
	u32 len = frame->len - cut->l4;
	u64 sum = len + (cut->tcp ? IPPROTO_TCP : IPPROTO_UDP);

	sum = cut->ipv4 ? sum_bytes(sum, ip + 12, 8) :
			  sum_bytes(sum, ip + 8, 32);
	model_put16(frame->data + cut->l4 + offset, ~fold(sum));
	complete_sum(frame->data, frame->len, cut->l4, offset);
}

static int segment(const struct cut *cut, const u8 *data, u32 len,
		   struct model_frame_pool *pool, struct model_frameq *out)
{
	u32 all = len - cut->payload;
	u32 done, bytes, index = 0;

	for (done = 0; done < all || !index; done += bytes, index++) {
		struct model_frame *frame = model_frame_get(pool);

		if (!frame)
			return -ENOBUFS;
		bytes = all - done < cut->size ? all - done : cut->size;
		memcpy(frame->data, data, cut->payload);
		memcpy(frame->data + cut->payload, data + cut->payload + done,
		       bytes);
		frame->len = cut->payload + bytes;
		fix_l3(cut, frame, index);
		fix_l4(cut, frame, done, done + bytes == all);
		fix_sum(cut, frame, cut->tcp ? 16 : 6);
		model_frameq_push(out, frame);
	}
	return 0;
}

static int copy(const u8 *data, u32 len, struct model_frame_pool *pool,
		struct model_frameq *out)
{
	struct model_frame *frame;

	if (len > MODEL_FRAME_MAX)
		return -EMSGSIZE;
	frame = model_frame_get(pool);
	if (!frame)
		return -ENOBUFS;
	memcpy(frame->data, data, len);
	frame->len = len;
	model_frameq_push(out, frame);
	return 0;
}

/**
 * model_offload_finish() - finish a frame
 * @todo: what is left to be done, as the kernel describes it to a virtio device
 * @data: the frame, which is changed
 * @len: bytes of @data, at least those of an Ethernet header
 * @pool: pool for the finished frames
 * @out: queue to which the finished frames are appended
 *
 * Return: 0, -EMSGSIZE if the frame is too long and cannot be divided, or
 * -ENOBUFS if the pool is empty; some segments may be in @out then.
 */
int model_offload_finish(const struct virtio_net_hdr *todo, u8 *data, u32 len,
			 struct model_frame_pool *pool,
			 struct model_frameq *out)
{
	struct cut cut;

	if (todo->gso_type != VIRTIO_NET_HDR_GSO_NONE) {
		if (len < ETH_HLEN + 4 || plan(&cut, todo, data, len))
			return -EMSGSIZE;
		return segment(&cut, data, len, pool, out);
	}
	if (todo->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM &&
	    (u32)todo->csum_start + todo->csum_offset + 2 <= len)
		complete_sum(data, len, todo->csum_start, todo->csum_offset);
	return copy(data, len, pool, out);
}
