// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reasons as text. The files that parse words and open things write them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/**
 * model_why_list() - append a list of words to a reason
 * @why: the reason; a text that is too long is cut off
 * @words: the words; NULL elements are left out
 * @num: number of elements in @words
 */
void model_why_list(struct model_why *why, const char * const *words,
		    size_t num)
{
	size_t len = strlen(why->text);
	const char *between = "";
	size_t i;

	for (i = 0; i < num; i++) {
		if (!words[i])
			continue;
		snprintf(why->text + len, sizeof(why->text) - len, "%s%s",
			 between, words[i]);
		len += strlen(why->text + len);
		between = ", ";
	}
}
