// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Files of captured frames. The format is that of draft-ietf-opsawg-pcap with
 * times in nanoseconds, in the byte order of this machine. wire/wire.c selects
 * the frames.
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Longest name of a file that model_capture_create() takes, and its end */
#define NAME_MAX_LEN		64
#define NAME_END		".pcap"

/* Begin a capture to @fd, which is closed after a failure. */
static int begin(struct model_capture *capture, int fd)
{
	const struct file_header header = {
		.magic = PCAP_MAGIC_NSEC,
		.major = 2,
		.minor = 4,
		.snap_len = MODEL_FRAME_MAX,
		.link_type = PCAP_ETHERNET,
	};

	int err;

	if (fd < 0)
		return -errno;
	capture->file = fdopen(fd, "w");
	if (!capture->file) {
		err = -errno;
		close(fd);
		return err;
	}
	capture->frames = 0;
	fwrite(&header, sizeof(header), 1, capture->file);
	return 0;
}

/**
 * model_capture_open() - begin a capture for the user who starts the process
 * @capture: a capture that is not open
 * @path: path of the file; an existing file is overwritten
 *
 * Return: 0 or a negative errno.
 */
int model_capture_open(struct model_capture *capture, const char *path)
{
	return begin(capture, open(path, O_WRONLY | O_CREAT | O_TRUNC |
					 O_CLOEXEC, 0666));
}

/**
 * model_capture_name_ok() - check the name of a file for model_capture_create()
 * @name: the name
 *
 * The end of the name keeps the names of sockets and logs free.
 *
 * Return: true if @name consists of at most 64 letters, digits, '.', '_' and
 * '-', begins with a letter or digit, and ends in ".pcap".
 */
bool model_capture_name_ok(const char *name)
{
	size_t len = strlen(name), end = strlen(NAME_END), i;

	if (len <= end || len > NAME_MAX_LEN || !isalnum((u8)name[0]))
		return false;
	for (i = 0; i < len; i++)
		if (!isalnum((u8)name[i]) && !strchr("._-", name[i]))
			return false;
	return !strcmp(name + len - end, NAME_END);
}

/**
 * model_capture_create() - begin a capture for a client of the control socket
 * @capture: a capture that is not open
 * @name: name of a new file in model_capture.dir
 *
 * The client may be a guest, which must not reach other files of this machine:
 * a file or a link that exists is not opened.
 *
 * Return: 0; -EINVAL for a name that model_capture_name_ok() refuses; -EEXIST;
 * or another negative errno.
 */
int model_capture_create(struct model_capture *capture, const char *name)
{
	if (!model_capture_name_ok(name))
		return -EINVAL;
	return begin(capture, openat(capture->dir, name, O_WRONLY | O_CREAT |
				     O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
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
