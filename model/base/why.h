/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The reason why something that a user or a test has asked for was refused, as
 * text. The caller decides where the text is printed.
 */
#ifndef MODEL_WHY_H
#define MODEL_WHY_H

#include <stddef.h>

/**
 * struct model_why - a reason
 * @text: the text, one line without its end
 */
struct model_why {
	char text[1024];
};

int model_why(struct model_why *why, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void model_why_list(struct model_why *why, const char * const *words,
		    size_t num);

#endif /* MODEL_WHY_H */
