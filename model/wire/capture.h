/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A capture: frames and their times in a file of the format pcap, which tcpdump
 * and Wireshark read.
 *
 * wire/wire.c captures the frames, wire/wire_control.c starts and ends a
 * capture.
 */
#ifndef MODEL_CAPTURE_H
#define MODEL_CAPTURE_H

#include <linux/types.h>
#include <stdio.h>

/**
 * struct model_capture - a capture; all zero if no capture is open
 * @file: file of the capture; NULL if no capture is open
 * @frames: number of frames written to @file
 */
struct model_capture {
	FILE *file;
	u64 frames;
};

int model_capture_open(struct model_capture *capture, const char *path);
int model_capture_close(struct model_capture *capture);
void model_capture_write(struct model_capture *capture, const u8 *data,
			 u32 len);

/**
 * model_capture_frame() - write a frame if a capture is open
 * @capture: the capture, open or not
 * @data: the frame
 * @len: bytes of the frame
 */
static inline void model_capture_frame(struct model_capture *capture,
				       const u8 *data, u32 len)
{
	if (capture->file)
		model_capture_write(capture, data, len);
}

#endif /* MODEL_CAPTURE_H */
