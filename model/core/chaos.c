// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Chaos: random corruption of entries before they are written, for tests of
 * drivers. An entry gets random bytes, a wrong value of one field, or one wrong
 * byte. The writers of the entries are cq.c, event.c, cmdq.c, counter.c and
 * completion.c.
 */
#include <errno.h>
#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <stddef.h>
#include <string.h>

#include "base/prng.h"
#include "base/request.h"
#include "base/why.h"
#include "core/chaos.h"

#define RATE_MAX	1000
#define DEFAULT_RATE	100

static const char * const targets[] = {
	[MODEL_CHAOS_CQE] = "cqe",
	[MODEL_CHAOS_EQE] = "eqe",
	[MODEL_CHAOS_REPLY] = "reply",
	[MODEL_CHAOS_BODY] = "body",
	[MODEL_CHAOS_STATS] = "stats",
	[MODEL_CHAOS_WQE] = "wqe",
};

static u32 draw(struct model_chaos *chaos)
{
	return model_prng(&chaos->rng);
}

static u32 draw_below(struct model_chaos *chaos, u32 limit)
{
	return model_prng_below(&chaos->rng, limit);
}

static void randomize(struct model_chaos *chaos, void *data, size_t len)
{
	u8 *bytes = data;

	while (len--)
		*bytes++ = draw(chaos);
}

/* Change one byte of @len, mostly to a value at a limit of its range. */
static void change_byte(struct model_chaos *chaos, void *data, size_t len)
{
	static const u8 edges[] = { 0, 1, 0x7f, 0x80, 0xff };
	u8 *byte = (u8 *)data + draw_below(chaos, len);
	u32 n = draw_below(chaos, 8);

	*byte = n < sizeof(edges) ? edges[n] : draw(chaos);
}

static bool corrupts(struct model_chaos *chaos, enum model_chaos_target target)
{
	if (!chaos->rate[target] ||
	    draw_below(chaos, RATE_MAX) >= chaos->rate[target])
		return false;
	chaos->done[target]++;
	return true;
}

/**
 * model_chaos_cqe - corrupt a completion at the set rate
 * @chaos: state of the corruption
 * @cqe: the entry; the caller writes its phase later
 *
 * Return: number of times to write @cqe: 1 or 2.
 */
unsigned int model_chaos_cqe(struct model_chaos *chaos, struct xrdma_cqe *cqe)
{
	const size_t len = offsetof(struct xrdma_cqe, own);

	if (!corrupts(chaos, MODEL_CHAOS_CQE))
		return 1;
	switch (draw_below(chaos, 8)) {
	case 0:
		randomize(chaos, cqe, len);
		break;
	case 1:
		cqe->qpn = cpu_to_le32(draw_below(chaos, 20000));
		break;
	case 2:
		cqe->wqe_index = cpu_to_le16(draw(chaos));
		break;
	case 3:
		cqe->opcode = draw(chaos);
		break;
	case 4:
		cqe->status = draw(chaos);
		cqe->flags = cpu_to_le16(draw(chaos));
		break;
	case 5:
		cqe->byte_len = cpu_to_le32(draw(chaos));
		cqe->wr_id = cpu_to_le64(draw(chaos));
		break;
	case 6:
		return 2;
	default:
		change_byte(chaos, cqe, len);
	}
	return 1;
}

/**
 * model_chaos_eqe - make a false event at the set rate
 * @chaos: state of the corruption
 * @eqe: copy of an event that is written; replaced by a false event
 *
 * A false event is never DEVICE_FATAL, which would end the test.
 *
 * Return: true if @eqe is to be written in addition to the true event.
 */
bool model_chaos_eqe(struct model_chaos *chaos, struct xrdma_eqe *eqe)
{
	const size_t len = offsetof(struct xrdma_eqe, own);

	if (!corrupts(chaos, MODEL_CHAOS_EQE))
		return false;
	switch (draw_below(chaos, 5)) {
	case 0:
		randomize(chaos, eqe, len);
		break;
	case 1:
		eqe->number = cpu_to_le32(draw_below(chaos, 20000));
		break;
	case 2:
		eqe->event = draw_below(chaos, XRDMA_EVENT_PAGE_FAULT + 2);
		break;
	case 3:
		break;
	default:
		change_byte(chaos, eqe, len);
	}
	if (eqe->event == XRDMA_EVENT_DEVICE_FATAL)
		eqe->event = XRDMA_EVENT_PORT_UP;
	return true;
}

static void spoil_body(struct model_chaos *chaos, struct xrdma_rsp *rsp)
{
	if (draw_below(chaos, 2))
		randomize(chaos, rsp->body, sizeof(rsp->body));
	else
		change_byte(chaos, rsp->body, sizeof(rsp->body));
}

/**
 * model_chaos_reply - corrupt a reply at the set rate
 * @chaos: state of the corruption
 * @rsp: the entry; the caller writes its phase later
 *
 * Return: number of times to write @rsp: 0, 1 or 2.
 */
unsigned int model_chaos_reply(struct model_chaos *chaos, struct xrdma_rsp *rsp)
{
	if (corrupts(chaos, MODEL_CHAOS_BODY))
		spoil_body(chaos, rsp);
	if (!corrupts(chaos, MODEL_CHAOS_REPLY))
		return 1;
	switch (draw_below(chaos, 16)) {
	case 0:
		return 0;
	case 1:
		rsp->id = cpu_to_le16(draw(chaos));
		break;
	case 2:
		rsp->opcode = cpu_to_le16(draw(chaos));
		break;
	case 3 ... 5:
		rsp->status = draw_below(chaos, 2) ? draw(chaos) :
			      draw_below(chaos, XRDMA_CMD_INTERNAL + 1);
		break;
	case 6 ... 7:
		return 2;
	default:
		spoil_body(chaos, rsp);
	}
	return 1;
}

/**
 * model_chaos_wqe - make a false send entry at the set rate
 * @chaos: state of the corruption
 * @wqe: buffer for random bytes
 * @len: number of bytes in @wqe
 *
 * Return: true if @wqe is to be written to the ring of the host.
 */
bool model_chaos_wqe(struct model_chaos *chaos, void *wqe, size_t len)
{
	if (!corrupts(chaos, MODEL_CHAOS_WQE))
		return false;
	randomize(chaos, wqe, len);
	return true;
}

/**
 * model_chaos_stats - corrupt the values of counters at the set rate
 * @chaos: state of the corruption
 * @values: the values
 * @count: number of entries in @values
 */
void model_chaos_stats(struct model_chaos *chaos, __le64 *values, u32 count)
{
	u64 value;
	u32 i;

	for (i = 0; i < count; i++) {
		if (!corrupts(chaos, MODEL_CHAOS_STATS))
			continue;
		value = le64_to_cpu(values[i]);
		/* A value that has decreased, or any value */
		value = draw_below(chaos, 2) ? value - draw(chaos) :
			(u64)draw(chaos) << 32 | draw(chaos);
		values[i] = cpu_to_le64(value);
	}
}

/* ---- control ---------------------------------------------------------- */

static void parse_what(struct model_request *r, const char *what, u32 rate,
		       u32 *rates)
{
	struct model_why why;
	size_t len;
	u32 i;

	for (; *what; what += len + (what[len] == ',')) {
		len = strcspn(what, ",");
		for (i = 0; i < ARRAY_SIZE(targets); i++)
			if (strlen(targets[i]) == len &&
			    !strncmp(what, targets[i], len))
				break;
		if (i == ARRAY_SIZE(targets)) {
			model_why(&why, -EINVAL,
				  "what: no such word: '%.*s'; words: ",
				  (int)len, what);
			model_why_list(&why, targets, ARRAY_SIZE(targets));
			model_request_refuse(r, &why);
			return;
		}
		rates[i] = rate;
	}
}

static int chaos_command(void *opaque, struct json_object *request,
			 struct json_object *reply)
{
	struct model_request r = model_request(request, reply,
					       "what rate seed");
	const char *what = model_request_text(&r, "what", "");
	u32 rate = model_request_number(&r, "rate", DEFAULT_RATE, 0, RATE_MAX);
	u64 seed = model_request_number(&r, "seed", 0, 0, INT64_MAX);
	u32 rates[MODEL_CHAOS_TARGETS] = {};
	struct model_chaos *chaos = opaque;

	parse_what(&r, what, rate, rates);
	if (r.err)
		return r.err;
	if (model_request_has(&r, "seed"))
		chaos->rng = seed;
	memcpy(chaos->rate, rates, sizeof(rates));
	return 0;
}

static struct json_object *chaos_section(void *opaque)
{
	struct json_object *object = json_object_new_object();
	const struct model_chaos *chaos = opaque;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		json_object_object_add(object, targets[i],
				       json_object_new_uint64(chaos->done[i]));
	return object;
}

/**
 * model_chaos_add_control - register the command and the section "chaos"
 * @chaos: state of the corruption
 * @control: the control socket
 *
 * Return: 0, or -ENOSPC.
 */
int model_chaos_add_control(struct model_chaos *chaos,
			    struct model_control *control)
{
	int err;

	err = model_control_add_command(control, "chaos", chaos_command, chaos);
	if (err)
		return err;
	return model_control_add_section(control, "chaos", chaos_section,
					 chaos);
}
