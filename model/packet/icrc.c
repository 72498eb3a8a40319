// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The invariant CRC: the CRC-32 of Ethernet over 8 bytes of ones (in place of
 * the local route header of InfiniBand), the IP, UDP and base transport headers
 * with every field that routers may change set to ones, and the rest of the
 * packet. The headers are parsed in packet/net.c.
 */

#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "packet/icrc.h"
#include "packet/net.h"
#include "packet/opcode.h"

#define PSEUDO_LRH	8
#define MASKED_MAX	(PSEUDO_LRH + MODEL_IPV6_BYTES + MODEL_UDP_BYTES + \
			 MODEL_BTH_BYTES)

static void mask_ipv4(u8 *ip)
{
	ip[1] = 0xff; /* type of service */
	ip[8] = 0xff; /* time to live */
	ip[10] = 0xff; /* checksum */
	ip[11] = 0xff;
}

static void mask_ipv6(u8 *ip)
{
	ip[0] |= 0x0f; /* traffic class, flow label */
	ip[1] = 0xff;
	ip[2] = 0xff;
	ip[3] = 0xff;
	ip[7] = 0xff; /* hop limit */
}

/**
 * model_icrc() - compute the ICRC of a frame
 * @frame: the frame; model_net_parse() has checked its headers
 * @l3: offset of the IP header: IPv4 without options, or IPv6
 * @bth: offset of the BTH, which is the end of the UDP header
 * @end: offset of the byte after the ICRC
 *
 * Return: the ICRC; on the wire its lowest byte comes first.
 */
u32 model_icrc(const u8 *frame, u32 l3, u32 bth, u32 end)
{
	u32 hdrs = bth + MODEL_BTH_BYTES - l3;
	u8 masked[MASKED_MAX];
	u8 *ip = masked + PSEUDO_LRH;
	u8 *udp = ip + (bth - MODEL_UDP_BYTES - l3);
	u32 crc;

	memset(masked, 0xff, PSEUDO_LRH);
	memcpy(ip, frame + l3, hdrs);
	if (ip[0] >> 4 == 4)
		mask_ipv4(ip);
	else
		mask_ipv6(ip);
	udp[6] = 0xff; /* checksum */
	udp[7] = 0xff;
	udp[MODEL_UDP_BYTES + 4] = 0xff; /* FECN, BECN, reserved */
	crc = crc32_gzip_refl(0, masked, PSEUDO_LRH + hdrs);
	return crc32_gzip_refl(crc, frame + bth + MODEL_BTH_BYTES,
			       end - MODEL_ICRC_BYTES - bth - MODEL_BTH_BYTES);
}

static void put_le32(u8 *p, u32 value)
{
	value = htole32(value);
	memcpy(p, &value, sizeof(value));
}

/**
 * model_icrc_write() - compute the ICRC and write it to the end of the packet
 * @frame: the frame, complete except for the ICRC
 * @l3: offset of the IP header
 * @bth: offset of the BTH
 * @end: offset of the byte after the ICRC
 */
void model_icrc_write(u8 *frame, u32 l3, u32 bth, u32 end)
{
	put_le32(frame + end - MODEL_ICRC_BYTES,
		 model_icrc(frame, l3, bth, end));
}

/**
 * model_icrc_ok() - verify the ICRC
 * @frame: the frame
 * @l3: offset of the IP header
 * @bth: offset of the BTH
 * @end: offset of the byte after the ICRC
 *
 * Return: true if the ICRC of the frame is correct.
 */
bool model_icrc_ok(const u8 *frame, u32 l3, u32 bth, u32 end)
{
	u8 expected[MODEL_ICRC_BYTES];

	put_le32(expected, model_icrc(frame, l3, bth, end));
	return !memcmp(expected, frame + end - MODEL_ICRC_BYTES,
		       sizeof(expected));
}
