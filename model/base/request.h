/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The members of a request on the control socket. Each function reads one
 * member. A member that is missing or wrong is refused by an error in the reply,
 * which names the member and the word, and lists what is taken instead. After
 * the first error, the functions change nothing and return 0, so a command reads
 * all members first and checks model_request.err once.
 *
 * The sockets, and the table of commands, are in control.c.
 */
#ifndef MODEL_REQUEST_H
#define MODEL_REQUEST_H

#include <json-c/json.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct model_why;

/* Value of @missing for a member that a request must have. */
#define MODEL_REQUEST_NEEDED	(-1)

/**
 * struct model_request - a request that is being read
 * @object: the request
 * @reply: the reply, which gets the error
 * @err: 0, or -EINVAL after the first error
 */
struct model_request {
	struct json_object *object;
	struct json_object *reply;
	int err;
};

struct model_request model_request(struct json_object *object,
				   struct json_object *reply,
				   const char *takes);
bool model_request_has(const struct model_request *r, const char *name);
u64 model_request_number(struct model_request *r, const char *name,
			 s64 missing, u64 min, u64 max);
const char *model_request_text(struct model_request *r, const char *name,
			       const char *missing);
bool model_request_bool(struct model_request *r, const char *name);
unsigned int model_request_word(struct model_request *r, const char *name,
				int missing, const char * const *words,
				size_t num);
int model_request_refuse(struct model_request *r, const struct model_why *why);
int model_request_fail(struct model_request *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* MODEL_REQUEST_H */
