/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reads and writes big-endian numbers at byte addresses of any alignment, as
 * packets need it. The layout of the packet headers is in packet/net.h and
 * packet/pkt.h.
 */
#ifndef MODEL_BYTES_H
#define MODEL_BYTES_H

#include <endian.h>
#include <linux/types.h>
#include <string.h>

static inline u16 model_get16(const u8 *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return be16toh(v);
}

static inline u32 model_get24(const u8 *p)
{
	return (u32)p[0] << 16 | (u32)p[1] << 8 | p[2];
}

static inline u32 model_get32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline u64 model_get64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

static inline void model_put16(u8 *p, u16 value)
{
	value = htobe16(value);
	memcpy(p, &value, sizeof(value));
}

static inline void model_put24(u8 *p, u32 value)
{
	p[0] = value >> 16;
	p[1] = value >> 8;
	p[2] = value;
}

static inline void model_put32(u8 *p, u32 value)
{
	value = htobe32(value);
	memcpy(p, &value, sizeof(value));
}

static inline void model_put64(u8 *p, u64 value)
{
	value = htobe64(value);
	memcpy(p, &value, sizeof(value));
}

#endif /* MODEL_BYTES_H */
