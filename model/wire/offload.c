// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Finishes frames that Linux has left to the hardware of an interface: completes
 * checksums, and divides TCP and UDP frames into segments. The frames come from
 * wire_packet.c; transport/eth_tx.c divides frames that the host sends.
 */

#include <errno.h>
#include <linux/if_ether.h>
#include <string.h>

#include "base/bytes.h"
#include "packet/checksum.h"
#include "wire/offload.h"

#define VLAN_BYTES	4
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

/* Return: true if a VLAN tag follows: IEEE 802.1Q, or the outer tag of 802.1ad. */
static bool is_tag(u16 ethertype)
{
	return ethertype == ETH_P_8021Q || ethertype == ETH_P_8021AD;
}

/**
 * model_cut_plan() - check whether a frame can be divided
 * @cut: filled in
 * @todo: what is left to be done, as the kernel describes it to a virtio device
 * @data: the frame
 * @len: bytes of @data, at least those of an Ethernet header
 *
 * Return: 0, or -EMSGSIZE.
 */
int model_cut_plan(struct model_cut *cut, const struct virtio_net_hdr *todo,
		   const u8 *data, u32 len)
{
	u8 type = todo->gso_type & ~VIRTIO_NET_HDR_GSO_ECN;
	u16 ethertype = model_get16(data + 12);

	cut->l3 = ETH_HLEN;
	while (is_tag(ethertype) && cut->l3 + VLAN_BYTES <= len) {
		cut->l3 += VLAN_BYTES;
		ethertype = model_get16(data + cut->l3 - 2);
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
	/* the header of a segment has all fields that model_cut_frame() writes */
	if (cut->tcp && cut->payload < cut->l4 + TCP_BYTES)
		return -EMSGSIZE;
	if (cut->payload > len || cut->payload + cut->size > MODEL_FRAME_MAX)
		return -EMSGSIZE;
	cut->all = len - cut->payload;
	cut->count = cut->all ? (cut->all - 1) / cut->size + 1 : 1;
	return 0;
}

/* The length, the identification and the checksum of the IP header */
static void fix_l3(const struct model_cut *cut, struct model_frame *frame,
		   u32 index)
{
	u8 *ip = frame->data + cut->l3;

	if (!cut->ipv4) {
		model_put16(ip + 4, frame->len - cut->l3 - IPV6_BYTES);
		return;
	}
	model_put16(ip + 2, frame->len - cut->l3);
	model_put16(ip + 4, model_get16(ip + 4) + index);
	model_put16(ip + 10, 0);
	model_put16(ip + 10,
		    model_sum_fold(model_sum_bytes(0, ip, cut->l4 - cut->l3)));
}

/* The fields of the L4 header that differ between segments */
static void fix_l4(const struct model_cut *cut, struct model_frame *frame,
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

/*
 * The checksum of the L4 header, over the pseudo header and the segment. The field has
 * the sum of the pseudo header of the whole frame, of which only the length is
 * replaced: the addresses are not always those of the IP header, for example with a
 * routing header.
 */
static void fix_sum(const struct model_cut *cut, struct model_frame *frame,
		    u32 offset)
{
	u8 *field = frame->data + cut->l4 + offset;
	u32 whole = cut->payload - cut->l4 + cut->all;
	u64 sum = model_get16(field) + frame->len - cut->l4;

	/* in ones' complement, the complement of @whole is its negative */
	model_put16(field, ~model_sum_fold(sum + model_sum_fold(whole)));
	model_sum_complete(frame->data, frame->len, cut->l4, offset);
}

/**
 * model_cut_frame() - write one of the frames into which a frame is divided
 * @cut: how the frame is divided
 * @data: the frame
 * @index: number of the segment, below model_cut.count
 * @frame: filled in
 */
void model_cut_frame(const struct model_cut *cut, const u8 *data, u32 index,
		     struct model_frame *frame)
{
	u32 done = index * cut->size;
	u32 bytes = cut->all - done < cut->size ? cut->all - done : cut->size;

	memcpy(frame->data, data, cut->payload);
	memcpy(frame->data + cut->payload, data + cut->payload + done, bytes);
	frame->len = cut->payload + bytes;
	fix_l3(cut, frame, index);
	fix_l4(cut, frame, done, done + bytes == cut->all);
	fix_sum(cut, frame, cut->tcp ? 16 : 6);
}

static int segment(const struct model_cut *cut, const u8 *data,
		   struct model_frame_pool *pool, struct model_frameq *out)
{
	u32 index;

	for (index = 0; index < cut->count; index++) {
		struct model_frame *frame = model_frame_get(pool);

		if (!frame)
			return -ENOBUFS;
		model_cut_frame(cut, data, index, frame);
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
	struct model_cut cut;

	if (todo->gso_type != VIRTIO_NET_HDR_GSO_NONE) {
		if (model_cut_plan(&cut, todo, data, len))
			return -EMSGSIZE;
		return segment(&cut, data, pool, out);
	}
	if (todo->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM &&
	    (u32)todo->csum_start + todo->csum_offset + 2 <= len)
		model_sum_complete(data, len, todo->csum_start, todo->csum_offset);
	return copy(data, len, pool, out);
}
