// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reasons as text. The files that parse words and open things write them.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/why.h"

/**
 * model_why() - write a reason
 * @why: filled in; a text that is too long is cut off
 * @err: the errno that belongs to the reason, negative
 * @fmt: text in printf() format
 *
 * Return: @err.
 */
int model_why(struct model_why *why, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, args);
	va_end(args);
	return err;
}
