/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The invariant CRC (ICRC) of RoCEv2 (IBTA 7.8.1, annex A17.3.3). The offsets
 * of the headers come from packet/net.c.
 */
#ifndef MODEL_ICRC_H
#define MODEL_ICRC_H

#include <linux/types.h>

u32 model_icrc(const u8 *frame, u32 l3, u32 bth, u32 end);
void model_icrc_write(u8 *frame, u32 l3, u32 bth, u32 end);
bool model_icrc_ok(const u8 *frame, u32 l3, u32 bth, u32 end);

#endif /* MODEL_ICRC_H */
