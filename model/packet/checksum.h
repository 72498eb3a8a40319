/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The checksum of IPv4, TCP and UDP (RFC 1071).
 */
#ifndef MODEL_CHECKSUM_H
#define MODEL_CHECKSUM_H

#include <linux/types.h>
#include <stdbool.h>

u64 model_sum_bytes(u64 sum, const u8 *data, u32 len);
u16 model_sum_fold(u64 sum);
void model_sum_complete(u8 *data, u32 len, u32 start, u32 offset);
bool model_sums_ok(const u8 *frame, u32 len);

#endif /* MODEL_CHECKSUM_H */
