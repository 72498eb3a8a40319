// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The list of faults that a user of verbs has asked for; inject.h describes it.
 * The callers report the faults: completion.c, cq.c, access.c, transport/
 * requester_wqe.c, sends.c and rx.c.
 */
#include <errno.h>
#include <string.h>

#include "core/inject.h"
#include "xrdma_encode.h"

/**
 * model_inject_add() - set a fault
 * @list: the faults of a device
 * @fault: the fault; copied
 *
 * Return: 0, or -ENOSPC if MODEL_INJECT_MAX faults wait.
 */
int model_inject_add(struct model_injects *list,
		     const struct model_inject *fault)
{
	if (list->num == MODEL_INJECT_MAX)
		return -ENOSPC;
	list->waiting[list->num++] = *fault;
	return 0;
}

static void take_out(struct model_injects *list, u32 i)
{
	struct model_inject *at = &list->waiting[i];

	memmove(at, at + 1, (--list->num - i) * sizeof(*at));
}

static bool concerns(const struct model_inject *fault,
		     enum model_inject_kind kind, u32 number)
{
	return fault->kind == kind && fault->number == number;
}

/**
 * model_inject_step() - count an occasion for a fault
 * @list: the faults of a device
 * @kind: kind of the fault, neither KEY nor SILENCE
 * @number: number of the object
 * @fault: on return, the fault; not changed if none happens
 *
 * Return: true if a fault happens now; it is no longer in the list.
 */
bool model_inject_step(struct model_injects *list, enum model_inject_kind kind,
		       u32 number, struct model_inject *fault)
{
	bool happens = false;
	u32 i = 0;

	while (i < list->num) {
		struct model_inject *at = &list->waiting[i];

		if (!concerns(at, kind, number) || --at->nth) {
			i++;
			continue;
		}
		*fault = *at;
		happens = true;
		list->done[kind]++;
		take_out(list, i);
	}
	return happens;
}

/**
 * model_inject_refuses() - count an access by key
 * @list: the faults of a device
 * @key: lkey or rkey of the access
 *
 * Return: true if the access must be refused, as all later ones are.
 */
bool model_inject_refuses(struct model_injects *list, u32 key)
{
	bool refuses = false;
	u32 i;

	for (i = 0; i < list->num; i++) {
		struct model_inject *at = &list->waiting[i];

		if (!concerns(at, MODEL_INJECT_KEY, key))
			continue;
		if (at->nth > 1)
			at->nth--;
		else
			refuses = true;
	}
	list->done[MODEL_INJECT_KEY] += refuses;
	return refuses;
}

/**
 * model_inject_expire() - remove the silences that are over
 * @list: the faults of a device
 * @now_ns: time of the loop
 */
void model_inject_expire(struct model_injects *list, u64 now_ns)
{
	u32 i = 0;

	while (i < list->num) {
		if (list->waiting[i].kind == MODEL_INJECT_SILENCE &&
		    list->waiting[i].ns <= now_ns)
			take_out(list, i);
		else
			i++;
	}
}

/**
 * model_inject_silent() - decide whether a received frame is dropped
 * @list: the faults of a device
 * @number: QPN of the receiver, or MODEL_INJECT_PORT
 * @now_ns: time of the loop
 *
 * Return: true if the frame must be dropped.
 */
bool model_inject_silent(struct model_injects *list, u32 number, u64 now_ns)
{
	u32 i;

	model_inject_expire(list, now_ns);
	for (i = 0; i < list->num; i++) {
		if (!concerns(&list->waiting[i], MODEL_INJECT_SILENCE, number))
			continue;
		list->done[MODEL_INJECT_SILENCE]++;
		return true;
	}
	return false;
}

/**
 * model_inject_forget() - remove the faults of an object that ends
 * @list: the faults of a device
 * @kinds: kinds of faults of such objects, as a mask of BIT(kind)
 * @number: number of the object
 */
void model_inject_forget(struct model_injects *list, u64 kinds, u32 number)
{
	u32 i = 0;

	while (i < list->num) {
		if (kinds & BIT(list->waiting[i].kind) &&
		    list->waiting[i].number == number)
			take_out(list, i);
		else
			i++;
	}
}

/**
 * model_inject_forget_keys() - remove the faults of a key that ends
 * @list: the faults of a device
 * @index: key index; the key byte may have changed
 */
void model_inject_forget_keys(struct model_injects *list, u32 index)
{
	u32 i = 0;

	while (i < list->num) {
		if (list->waiting[i].kind == MODEL_INJECT_KEY &&
		    xrdma_key_index(list->waiting[i].number) == index)
			take_out(list, i);
		else
			i++;
	}
}

/**
 * model_inject_clear() - remove all faults
 * @list: the faults of a device
 */
void model_inject_clear(struct model_injects *list)
{
	list->num = 0;
}
