// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Diagnostics of the device process: the threshold and the format of the lines.
 * Host errors are recorded by host/host_error.c.
 */
#include <errno.h>
#include <linux/array_size.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

static const char * const level_names[] = {
	[MODEL_LOG_ERROR] = "error",
	[MODEL_LOG_WARN] = "warn",
	[MODEL_LOG_INFO] = "info",
	[MODEL_LOG_DEBUG] = "debug",
};

static enum model_log_level threshold = MODEL_LOG_WARN;

/**
 * model_log_set - set the threshold by name
 * @name: "error", "warn", "info" or "debug"
 *
 * Return: 0, or -EINVAL for any other name.
 */
int model_log_set(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(level_names); i++) {
		if (!strcmp(name, level_names[i])) {
			threshold = i;
			return 0;
		}
	}
	return -EINVAL;
}

/**
 * model_log_print - print one line, unless its level is above the threshold
 * @level: severity, which the line names
 * @fmt: printf format, without the newline
 */
void model_log_print(enum model_log_level level, const char *fmt, ...)
{
	char line[512];
	va_list args;

	if (level > threshold)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	fprintf(stderr, "xrdma-device: %s: %s\n", level_names[level], line);
}
