/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A capture: frames with their times in a file, as pcap, that every tool for
 * networks reads.
 *
 * Owns the file. Knows nothing of what a frame holds, nor which way it goes.
 */
#ifndef MODEL_CAPTURE_H
#define MODEL_CAPTURE_H

#include <linux/types.h>
#include <stdio.h>

/**
 * struct model_capture - a capture; all zero is none
 * @file: where frames go; NULL: nowhere
 * @frames: how many have gone there
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
 * model_capture_frame() - a frame passes
 * @capture: the capture, if there is one
 * @data: the frame
 * @len: its bytes
 */
static inline void model_capture_frame(struct model_capture *capture,
				       const u8 *data, u32 len)
{
	if (capture->file)
		model_capture_write(capture, data, len);
}

#endif /* MODEL_CAPTURE_H */
