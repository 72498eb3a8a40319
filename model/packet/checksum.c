// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The checksum of IPv4, TCP and UDP (RFC 1071): computes sums, completes the
 * checksum of a frame to be sent, and checks those of a received frame, which
 * may have any contents. wire/offload.c divides frames.
 */
#include <linux/bitfield.h>
#include <string.h>

#include "base/bytes.h"
#include "packet/checksum.h"
#include "packet/net.h"

#define ETH_P_IPV4	0x0800
#define ETH_P_VLAN	0x8100
#define ETH_P_IPV6_	0x86dd
#define PROTO_TCP	6
#define PROTO_UDP	17
#define TCP_BYTES	20
#define IPV4_FRAGMENT	0x3fff /* offset, and "more fragments" */

/**
 * struct sum_area - the part of a frame that a TCP or UDP checksum covers
 * @l4: the TCP or UDP header
 * @len: bytes of header and payload
 * @proto: protocol
 * @pseudo: sum of the addresses in the pseudo header
 */
struct sum_area {
	const u8 *l4;
	u32 len;
	u8 proto;
	u64 pseudo;
};

/**
 * model_sum_bytes() - add bytes to a sum
 * @sum: sum of 16-bit words so far, without carries folded in
 * @data: the bytes; the first is the high byte of a word
 * @len: number of bytes; an odd byte counts as if a zero followed
 *
 * Return: the sum; model_sum_fold() makes the checksum.
 */
u64 model_sum_bytes(u64 sum, const u8 *data, u32 len)
{
	u64 native = 0;
	u32 word;

	/* The sum of words in the host's byte order has its bytes swapped. */
	for (; len >= sizeof(word); len -= sizeof(word), data += sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		native += word;
	}
	while (native >> 16)
		native = (native & 0xffff) + (native >> 16);
	sum += be16_to_cpu((__be16)native);
	for (; len > 1; len -= 2, data += 2)
		sum += model_get16(data);
	return len ? sum + (data[0] << 8) : sum;
}

/**
 * model_sum_fold() - make the checksum of a sum
 * @sum: the sum
 *
 * Return: the complement of the sum.
 */
u16 model_sum_fold(u64 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/**
 * model_sum_complete() - complete the checksum of a frame
 * @data: the frame
 * @len: bytes of @data
 * @start: offset of the first byte that the checksum covers
 * @offset: offset of the checksum from @start; the field has the sum of the
 *	pseudo header
 *
 * A sum of 0 is sent as 0xffff, which has the same value, because 0 means "no
 * checksum" in UDP.
 */
void model_sum_complete(u8 *data, u32 len, u32 start, u32 offset)
{
	u16 sum = model_sum_fold(model_sum_bytes(0, data + start, len - start));

	model_put16(data + start + offset, sum ? sum : 0xffff);
}

/* Return: false if the header is none of IPv4, or has a wrong checksum. */
static bool ipv4_area(struct sum_area *area, const u8 *ip, u32 avail)
{
	u32 header, total;

	if (avail < MODEL_IPV4_BYTES || ip[0] >> 4 != 4)
		return false;
	header = (ip[0] & 0xf) * 4;
	total = model_get16(ip + 2);
	if (header < MODEL_IPV4_BYTES || total < header || total > avail ||
	    model_get16(ip + 6) & IPV4_FRAGMENT ||
	    model_sum_fold(model_sum_bytes(0, ip, header)))
		return false;
	*area = (struct sum_area) {
		.l4 = ip + header,
		.len = total - header,
		.proto = ip[9],
		.pseudo = model_sum_bytes(0, ip + 12, 8),
	};
	return true;
}

static bool ipv6_area(struct sum_area *area, const u8 *ip, u32 avail)
{
	u32 len;

	if (avail < MODEL_IPV6_BYTES || ip[0] >> 4 != 6)
		return false;
	len = model_get16(ip + 4);
	if (len > avail - MODEL_IPV6_BYTES)
		return false;
	*area = (struct sum_area) {
		.l4 = ip + MODEL_IPV6_BYTES,
		.len = len,
		.proto = ip[6],
		.pseudo = model_sum_bytes(0, ip + 8, 32),
	};
	return true;
}

static bool area_ok(const struct sum_area *area)
{
	u64 sum = area->pseudo + area->len + area->proto;

	if (area->proto == PROTO_UDP) {
		/* a checksum of 0 means that there is none */
		if (area->len < MODEL_UDP_BYTES || !model_get16(area->l4 + 6) ||
		    model_get16(area->l4 + 4) != area->len)
			return false;
	} else if (area->proto != PROTO_TCP || area->len < TCP_BYTES) {
		return false;
	}
	return !model_sum_fold(model_sum_bytes(sum, area->l4, area->len));
}

/**
 * model_sums_ok() - check the checksums of a received frame
 * @frame: the frame, at least an Ethernet header, with at most one VLAN tag
 * @len: bytes of @frame
 *
 * Return: true if the frame is TCP or UDP in IPv4 or IPv6, no fragment, and all
 * its checksums are right.
 */
bool model_sums_ok(const u8 *frame, u32 len)
{
	u32 l3 = MODEL_ETH_BYTES;
	u16 type = model_get16(frame + 12);
	struct sum_area area;

	if (type == ETH_P_VLAN && len >= l3 + MODEL_VLAN_BYTES) {
		type = model_get16(frame + 16);
		l3 += MODEL_VLAN_BYTES;
	}
	if (type == ETH_P_IPV4)
		return ipv4_area(&area, frame + l3, len - l3) && area_ok(&area);
	if (type == ETH_P_IPV6_)
		return ipv6_area(&area, frame + l3, len - l3) && area_ok(&area);
	return false;
}
