/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Frames of TCP for tests: a long frame, as a host gives it to the device, and the
 * frames into which the device divides it.
 */
#ifndef MODEL_TEST_TCP_FRAMES_H
#define MODEL_TEST_TCP_FRAMES_H

#include <linux/types.h>
#include <stdbool.h>

#include "wire/offload.h"

#define TCP_LONG_MAX	16384
#define TCP_FIN		0x01
#define TCP_SYN		0x02
#define TCP_RST		0x04
#define TCP_PSH		0x08
#define TCP_ACK		0x10
#define TCP_URG		0x20
#define TCP_ECE		0x40
#define TCP_CWR		0x80

/*
 * struct tcp_shape - a long frame
 * @ipv4: IPv4, not IPv6
 * @vlan: the frame has a VLAN tag
 * @options: bytes of TCP options
 * @flags: flags of TCP
 * @mss: bytes of payload in each frame but the last
 * @bytes: bytes of payload
 * @seed: selects addresses, numbers and payload
 */
struct tcp_shape {
	bool ipv4;
	bool vlan;
	u32 options;
	u8 flags;
	u32 mss;
	u32 bytes;
	u32 seed;
};

/*
 * struct tcp_long - a long frame, and how the device divides it
 * @cut: the division
 * @len: bytes in @data
 */
struct tcp_long {
	struct model_cut cut;
	u32 len;
	u8 data[TCP_LONG_MAX];
};

void tcp_make_long(struct tcp_long *all, const struct tcp_shape *shape);
void tcp_plan(struct tcp_long *all, u32 mss);
void tcp_part(const struct tcp_long *all, u32 index, struct model_frame *frame);
void tcp_fix_sums(const struct model_cut *cut, struct model_frame *frame);

#endif /* MODEL_TEST_TCP_FRAMES_H */
