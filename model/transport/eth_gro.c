// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Merges received frames of TCP, see eth_gro.h. A frame is merged only if the
 * division of the merged frame gives exactly its bytes: model_cut_frame() in
 * wire/offload.c says which fields of the headers the division changes, and how.
 * The checksums of the frames are checked in packet/checksum.c.
 */

#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>

#include "base/bytes.h"
#include "packet/checksum.h"
#include "transport/eth_gro.h"

#define TYPE_OFFSET	12 /* of the Ethernet type in a frame */
#define TCP_BYTES	20
#define TCP_FIN		0x01
#define TCP_PSH		0x08
#define TCP_ACK		0x10
#define TCP_ECE		0x40
#define TCP_CWR		0x80
#define TCP_END		(TCP_FIN | TCP_PSH) /* only in the last frame */

/**
 * struct segment - headers of a frame that can be merged
 * @frame: the frame
 * @l3: offset of the IP header
 * @l4: offset of the TCP header
 * @payload: offset of the payload
 * @bytes: bytes of the payload
 * @flags: flags of TCP
 * @ipv4: the IP header is one of IPv4, not IPv6
 */
struct segment {
	const u8 *frame;
	u32 l3;
	u32 l4;
	u32 payload;
	u32 bytes;
	u8 flags;
	bool ipv4;
};

/*
 * Division computes a checksum of IPv4 that is never 0xffff, which has the same
 * value as 0. Return: false if division would not make this header.
 */
static bool ipv4_ok(const u8 *ip, u32 len)
{
	return ip[0] == 0x45 && ip[9] == IPPROTO_TCP &&
	       model_get16(ip + 2) == len && model_get16(ip + 10) != 0xffff;
}

static bool ipv6_ok(const u8 *ip, u32 len)
{
	return ip[6] == IPPROTO_TCP &&
	       model_get16(ip + 4) == len - MODEL_IPV6_BYTES;
}

/* Return: false if the frame has no IP header of exactly its length, with TCP. */
static bool parse_ip(struct segment *seg, u32 len)
{
	u16 type = model_get16(seg->frame + TYPE_OFFSET);

	seg->l3 = MODEL_ETH_BYTES;
	if (type == ETH_P_8021Q) {
		type = model_get16(seg->frame + TYPE_OFFSET + MODEL_VLAN_BYTES);
		seg->l3 += MODEL_VLAN_BYTES;
	}
	seg->ipv4 = type == ETH_P_IP;
	seg->l4 = seg->l3 + (seg->ipv4 ? MODEL_IPV4_BYTES : MODEL_IPV6_BYTES);
	if (seg->ipv4)
		return ipv4_ok(seg->frame + seg->l3, len - seg->l3);
	return type == ETH_P_IPV6 && ipv6_ok(seg->frame + seg->l3, len - seg->l3);
}

/*
 * Division makes a checksum of TCP that is never 0, which has the same value as
 * 0xffff. Return: false if no division makes the frame @frame of @len bytes, whose
 * checksums are right.
 */
static bool parse(struct segment *seg, const u8 *frame, u32 len)
{
	const u8 *tcp;

	*seg = (struct segment) { .frame = frame };
	if (!parse_ip(seg, len))
		return false;
	tcp = frame + seg->l4;
	seg->flags = tcp[13];
	seg->payload = seg->l4 + (tcp[12] >> 4) * 4;
	if (seg->payload < seg->l4 + TCP_BYTES || seg->payload >= len)
		return false;
	seg->bytes = len - seg->payload;
	return (seg->flags & ~(TCP_END | TCP_ECE | TCP_CWR)) == TCP_ACK &&
	       model_get16(tcp + 16);
}

/* Return: true if the fields that division copies are the same in both headers. */
static bool same_ip(const u8 *a, const u8 *b, bool ipv4)
{
	if (ipv4)
		return !memcmp(a, b, 2) && !memcmp(a + 6, b + 6, 4) &&
		       !memcmp(a + 12, b + 12, 8);
	return !memcmp(a, b, 4) && !memcmp(a + 6, b + 6, MODEL_IPV6_BYTES - 6);
}

/*
 * Return: true if the fields that division copies are the same in both headers of
 * TCP, which have @len bytes.
 */
static bool same_tcp(const u8 *a, const u8 *b, u32 len)
{
	return !memcmp(a, b, 4) && !memcmp(a + 8, b + 8, 5) &&
	       !((a[13] ^ b[13]) & ~(TCP_END | TCP_CWR)) &&
	       !memcmp(a + 14, b + 14, 2) && !memcmp(a + 18, b + 18, len - 18);
}

/* Return: true if @seg follows the frames in @gro. */
static bool follows(const struct model_gro *gro, const struct segment *seg)
{
	const u8 *frame = seg->frame;

	return seg->payload == gro->payload && seg->l4 == gro->l4 &&
	       seg->ipv4 == gro->ipv4 && !memcmp(gro->data, frame, gro->l3) &&
	       same_ip(gro->data + gro->l3, frame + gro->l3, gro->ipv4) &&
	       same_tcp(gro->data + gro->l4, frame + gro->l4,
			gro->payload - gro->l4) &&
	       model_get32(frame + gro->l4 + 4) == gro->seq &&
	       (!gro->ipv4 || model_get16(frame + gro->l3 + 4) == gro->id) &&
	       !(seg->flags & TCP_CWR) && seg->bytes <= gro->mss;
}

/* Prepare @gro for the frame after @seg. */
static void expect_next(struct model_gro *gro, const struct segment *seg)
{
	gro->count++;
	gro->seq += seg->bytes;
	gro->id++;
	gro->end_flags = seg->flags & TCP_END;
	gro->open = !gro->end_flags && seg->bytes == gro->mss;
}

/**
 * model_gro_start() - hold a frame to which others may be added
 * @gro: filled in; has no frame
 * @frame: the frame, whose checksums model_sums_ok() has checked
 * @len: bytes of @frame
 * @max: largest length of the merged frame in bytes, at most that of
 *	model_gro.data
 *
 * Return: false if no frame can follow @frame; @gro still has no frame.
 */
bool model_gro_start(struct model_gro *gro, const u8 *frame, u32 len, u32 max)
{
	struct segment seg;

	if (len >= max || !parse(&seg, frame, len) || seg.flags & TCP_END)
		return false;
	gro->l3 = seg.l3;
	gro->l4 = seg.l4;
	gro->payload = seg.payload;
	gro->ipv4 = seg.ipv4;
	gro->mss = seg.bytes;
	gro->max = max;
	gro->seq = model_get32(frame + seg.l4 + 4);
	gro->id = model_get16(frame + seg.l3 + 4);
	gro->len = len;
	memcpy(gro->data, frame, len);
	expect_next(gro, &seg);
	return true;
}

/**
 * model_gro_add() - add a frame
 * @gro: has a frame, and model_gro_finish() was not called
 * @frame: the frame, whose checksums model_sums_ok() has checked
 * @len: bytes of @frame
 *
 * Return: false if @frame was not added, since it does not follow the frames of
 * @gro, or there is no room.
 */
bool model_gro_add(struct model_gro *gro, const u8 *frame, u32 len)
{
	struct segment seg;

	if (!gro->open || !parse(&seg, frame, len) || !follows(gro, &seg) ||
	    seg.bytes > gro->max - gro->len)
		return false;
	memcpy(gro->data + gro->len, frame + seg.payload, seg.bytes);
	gro->len += seg.bytes;
	expect_next(gro, &seg);
	return true;
}

/* Set the length and, in IPv4, the checksum. Return: sum of the addresses. */
static u64 finish_ip(struct model_gro *gro)
{
	u8 *ip = gro->data + gro->l3;

	if (!gro->ipv4) {
		model_put16(ip + 4, gro->len - gro->l4);
		return model_sum_bytes(0, ip + 8, 32);
	}
	model_put16(ip + 2, gro->len - gro->l3);
	model_put16(ip + 10, 0);
	model_put16(ip + 10,
		    model_sum_fold(model_sum_bytes(0, ip, MODEL_IPV4_BYTES)));
	return model_sum_bytes(0, ip + 12, 8);
}

/**
 * model_gro_finish() - complete the headers of the merged frame
 * @gro: has a frame; nothing can be added any more
 *
 * A single frame stays as it was received.
 */
void model_gro_finish(struct model_gro *gro)
{
	u8 *tcp = gro->data + gro->l4;

	gro->open = false;
	if (gro->count == 1)
		return;
	tcp[13] |= gro->end_flags;
	model_put16(tcp + 16, ~model_sum_fold(finish_ip(gro) + IPPROTO_TCP +
					      gro->len - gro->l4));
}
