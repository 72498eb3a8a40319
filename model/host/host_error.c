// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The record of host errors: counts, a bounded log, and a line on standard
 * error for each of the first host errors of a kind. stats.c shows the record
 * on the control socket.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "host/host_error.h"

/*
 * Number of lines printed per kind; further errors are only counted and logged
 */
#define PRINTED_PER_KIND	32

#define KIND_NAME(name, text)	[MODEL_HERR_##name] = #name,
#define KIND_TEXT(name, text)	[MODEL_HERR_##name] = text,

static const char * const kind_names[] = { MODEL_HOST_ERRORS(KIND_NAME) };
static const char * const kind_texts[] = { MODEL_HOST_ERRORS(KIND_TEXT) };

/**
 * model_host_errors_create - make an empty record
 *
 * Return: the record, or NULL without memory.
 */
struct model_host_errors *model_host_errors_create(void)
{
	return calloc(1, sizeof(struct model_host_errors));
}

/**
 * model_host_errors_destroy - free a record
 * @herr: the record; NULL is allowed
 */
void model_host_errors_destroy(struct model_host_errors *herr)
{
	free(herr);
}

static u64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void print_entry(const struct model_host_error_entry *entry, u64 count)
{
	if (count > PRINTED_PER_KIND)
		return;
	fprintf(stderr, "xrdma-device: host error: %s: %s: %s\n",
		kind_names[entry->kind], kind_texts[entry->kind], entry->text);
	if (count == PRINTED_PER_KIND)
		fprintf(stderr, "xrdma-device: host error: %s: further ones are only counted\n",
			kind_names[entry->kind]);
}

/**
 * model_host_error - record one host error
 * @herr: the record
 * @kind: kind of the violation
 * @fmt: printf format of the details, such as the place and the illegal value
 */
void model_host_error(struct model_host_errors *herr,
		      enum model_host_error_kind kind, const char *fmt, ...)
{
	struct model_host_error_entry *entry;
	va_list args;

	entry = &herr->log[herr->total++ % MODEL_HOST_ERROR_LOG];
	herr->count[kind]++;
	entry->time_ns = monotonic_ns();
	entry->kind = kind;
	va_start(args, fmt);
	vsnprintf(entry->text, sizeof(entry->text), fmt, args);
	va_end(args);
	print_entry(entry, herr->count[kind]);
}

/**
 * model_host_error_name - get the name of a kind
 * @kind: the kind
 *
 * Return: the name in MODEL_HOST_ERRORS.
 */
const char *model_host_error_name(enum model_host_error_kind kind)
{
	return kind_names[kind];
}

/**
 * model_host_errors_kept - get the number of entries that can be read
 * @herr: the record
 *
 * Return: the smaller of @herr->total and MODEL_HOST_ERROR_LOG.
 */
unsigned int model_host_errors_kept(const struct model_host_errors *herr)
{
	if (herr->total < MODEL_HOST_ERROR_LOG)
		return herr->total;
	return MODEL_HOST_ERROR_LOG;
}

/**
 * model_host_errors_entry - read one entry
 * @herr: the record
 * @i: 0 for the oldest entry that is kept; less than model_host_errors_kept()
 *
 * Return: the entry, valid until the next model_host_error().
 */
const struct model_host_error_entry *
model_host_errors_entry(const struct model_host_errors *herr, unsigned int i)
{
	u64 first = herr->total - model_host_errors_kept(herr);

	return &herr->log[(first + i) % MODEL_HOST_ERROR_LOG];
}
