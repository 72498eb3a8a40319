/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A capture: frames with their times in a file, as pcap, that every tool for
 * networks reads.
 *
 * Owns the file. Knows nothing of what a frame holds, nor which way it goes.
 */
#ifndef XRDMA_MODEL_CAPTURE_H
#define XRDMA_MODEL_CAPTURE_H

#include <linux/types.h>
#include <stdio.h>

/**
 * struct xrdma_capture - a capture; all zero is none
 * @file: where frames go; NULL: nowhere
 * @frames: how many have gone there
 */
struct xrdma_capture {
	FILE *file;
	u64 frames;
};

int xrdma_capture_open(struct xrdma_capture *capture, const char *path);
int xrdma_capture_close(struct xrdma_capture *capture);
void xrdma_capture_write(struct xrdma_capture *capture, const u8 *data,
			 u32 len);

/**
 * xrdma_capture_frame() - a frame passes
 * @capture: the capture, if there is one
 * @data: the frame
 * @len: its bytes
 */
static inline void xrdma_capture_frame(struct xrdma_capture *capture,
				       const u8 *data, u32 len)
{
	if (capture->file)
		xrdma_capture_write(capture, data, len);
}

#endif /* XRDMA_MODEL_CAPTURE_H */
