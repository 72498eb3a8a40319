// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The members of a request on the control socket: reads and checks them. The
 * commands themselves are in core/device_control.c, core/inject_control.c,
 * core/chaos.c and wire/wire_control.c.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/request.h"
#include "base/why.h"

/**
 * model_request_refuse() - refuse a request
 * @r: the request
 * @why: the reason; dropped if the request was refused before
 *
 * Return: -EINVAL.
 */
int model_request_refuse(struct model_request *r, const struct model_why *why)
{
	if (!r->err)
		json_object_object_add(r->reply, "error",
				       json_object_new_string(why->text));
	r->err = -EINVAL;
	return r->err;
}

/**
 * model_request_fail() - refuse a request
 * @r: the request
 * @fmt: the reason, in printf() format
 *
 * Return: -EINVAL.
 */
int model_request_fail(struct model_request *r, const char *fmt, ...)
{
	struct model_why why;
	va_list args;

	va_start(args, fmt);
	vsnprintf(why.text, sizeof(why.text), fmt, args);
	va_end(args);
	return model_request_refuse(r, &why);
}

/* Return: true if @name is one of the words of @takes. */
static bool takes_word(const char *takes, const char *name)
{
	size_t len = strlen(name);
	const char *at = takes;

	for (; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == len && !strncmp(at, name, len))
			return true;
		at += word;
	}
	return false;
}

/**
 * model_request() - begin to read a request
 * @object: the request
 * @reply: the reply
 * @takes: names of the members that the command takes, apart from "cmd",
 *	separated by spaces; a request with another member is refused
 *
 * Return: the request.
 */
struct model_request model_request(struct json_object *object,
				   struct json_object *reply,
				   const char *takes)
{
	struct model_request r = { .object = object, .reply = reply };

	json_object_object_foreach(object, name, value) {
		(void)value;
		if (!strcmp(name, "cmd") || takes_word(takes, name))
			continue;
		model_request_fail(&r, "no such option: '%s'; options: %s",
				   name, *takes ? takes : "none");
	}
	return r;
}

/**
 * model_request_has() - check whether a request has a member
 * @r: the request
 * @name: name of the member
 *
 * Return: true if the member exists.
 */
bool model_request_has(const struct model_request *r, const char *name)
{
	return json_object_object_get_ex(r->object, name, NULL);
}

/* Return: the member, or NULL if it is missing or the request is refused. */
static struct json_object *member(struct model_request *r, const char *name,
				  bool needed)
{
	struct json_object *value = NULL;

	if (r->err)
		return NULL;
	json_object_object_get_ex(r->object, name, &value);
	if (!value && needed)
		model_request_fail(r, "'%s' is missing", name);
	return value;
}

/**
 * model_request_number() - read a number
 * @r: the request
 * @name: name of the member
 * @missing: number if the request has no such member, or MODEL_REQUEST_NEEDED
 * @min: smallest number that is taken
 * @max: largest number that is taken, at most INT64_MAX
 *
 * Return: the number; 0 if the request is refused.
 */
u64 model_request_number(struct model_request *r, const char *name,
			 s64 missing, u64 min, u64 max)
{
	struct json_object *value = member(r, name, missing < 0);
	s64 n;

	if (!value)
		return r->err ? 0 : missing;
	n = json_object_get_int64(value);
	if (json_object_is_type(value, json_type_int) && n >= 0 &&
	    (u64)n >= min && (u64)n <= max)
		return n;
	model_request_fail(r, "%s: %s is not a number from %llu to %llu", name,
			   json_object_to_json_string(value), min, max);
	return 0;
}

/**
 * model_request_text() - read a text
 * @r: the request
 * @name: name of the member
 * @missing: text if the request has no such member, or NULL if it must have one
 *
 * Return: the text, which the request owns; "" if the request is refused.
 */
const char *model_request_text(struct model_request *r, const char *name,
			       const char *missing)
{
	struct json_object *value = member(r, name, !missing);

	if (!value)
		return r->err ? "" : missing;
	if (json_object_is_type(value, json_type_string))
		return json_object_get_string(value);
	model_request_fail(r, "%s: %s is not a string", name,
			   json_object_to_json_string(value));
	return "";
}

/**
 * model_request_bool() - read true or false
 * @r: the request, which must have the member
 * @name: name of the member
 *
 * Return: the value; false if the request is refused.
 */
bool model_request_bool(struct model_request *r, const char *name)
{
	struct json_object *value = member(r, name, true);

	if (!value)
		return false;
	if (json_object_is_type(value, json_type_boolean))
		return json_object_get_boolean(value);
	model_request_fail(r, "%s: %s is not true or false", name,
			   json_object_to_json_string(value));
	return false;
}

/**
 * model_request_word() - read a word of a list
 * @r: the request
 * @name: name of the member
 * @missing: index if the request has no such member, or MODEL_REQUEST_NEEDED
 * @words: the words that are taken; NULL elements are no words
 * @num: number of elements in @words
 *
 * Return: index of the word in @words; 0 if the request is refused.
 */
unsigned int model_request_word(struct model_request *r, const char *name,
				int missing, const char * const *words,
				size_t num)
{
	struct json_object *value = member(r, name, false);
	const char *text = value ? json_object_to_json_string(value) : NULL;
	struct model_why why;
	size_t i;

	if (r->err)
		return 0;
	if (!value && missing >= 0)
		return missing;
	if (json_object_is_type(value, json_type_string))
		text = json_object_get_string(value);
	for (i = 0; text && i < num; i++)
		if (words[i] && !strcmp(words[i], text))
			return i;
	if (text)
		model_why(&why, -EINVAL, "%s: no such word: '%s'; words: ",
			  name, text);
	else
		model_why(&why, -EINVAL, "'%s' is missing; words: ", name);
	model_why_list(&why, words, num);
	model_request_refuse(r, &why);
	return 0;
}
