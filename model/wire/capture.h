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
#include <stdbool.h>
#include <stdio.h>

/**
 * struct model_capture - a capture; all zero if no capture is open
 * @file: file of the capture; NULL if no capture is open
 * @frames: number of frames written to @file
 * @dir: directory of the files of model_capture_create(), set before the first
 *	call; the owner of the capture does not close it
 */
struct model_capture {
	FILE *file;
	u64 frames;
	int dir;
};

int model_capture_open(struct model_capture *capture, const char *path);
bool model_capture_name_ok(const char *name);
int model_capture_create(struct model_capture *capture, const char *name);
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
