// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Files of captured frames. The format is that of draft-ietf-opsawg-pcap with
 * times in nanoseconds, in the byte order of this machine. wire/wire.c selects
 * the frames.
 */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "wire/capture.h"
#include "wire/frame.h"

#define PCAP_MAGIC_NSEC		0xa1b23c4dU
#define PCAP_ETHERNET		1

struct file_header {
	u32 magic;
	u16 major;
	u16 minor;
	u32 reserved[2];
	u32 snap_len;
	u32 link_type;
};

struct record_header {
	u32 sec;
	u32 nsec;
	u32 captured;
	u32 original;
};

/**
 * model_capture_open() - begin a capture
 * @capture: a capture that is not open
 * @path: path of the file; an existing file is overwritten
 *
 * Return: 0 or a negative errno.
 */
int model_capture_open(struct model_capture *capture, const char *path)
{
	const struct file_header header = {
		.magic = PCAP_MAGIC_NSEC,
		.major = 2,
		.minor = 4,
		.snap_len = MODEL_FRAME_MAX,
		.link_type = PCAP_ETHERNET,
	};

	capture->file = fopen(path, "we");
	if (!capture->file)
		return -errno;
	capture->frames = 0;
	fwrite(&header, sizeof(header), 1, capture->file);
	return 0;
}

/**
 * model_capture_close() - end the capture, if it is open
 * @capture: the capture
 *
 * Return: 0, or a negative errno if a part of the capture could not be written.
 */
int model_capture_close(struct model_capture *capture)
{
	int err = 0;

	if (!capture->file)
		return 0;
	if (ferror(capture->file))
		err = -EIO;
	if (fclose(capture->file))
		err = -errno;
	capture->file = NULL;
	return err;
}

/**
 * model_capture_write() - write a frame
 * @capture: a capture that is open
 * @data: the frame
 * @len: bytes of the frame
 *
 * model_capture_close() returns the errors of all writes.
 */
void model_capture_write(struct model_capture *capture, const u8 *data, u32 len)
{
	struct record_header header = { .captured = len, .original = len };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	header.sec = now.tv_sec;
	header.nsec = now.tv_nsec;
	fwrite(&header, sizeof(header), 1, capture->file);
	fwrite(data, len, 1, capture->file);
	capture->frames++;
}
