// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Impairments of the wire: parser of their specification, and application to
 * frames. wire/wire.c passes the frames; holding packets on request of a test
 * is in wire/hold.c.
 */

#include <errno.h>
#include <linux/array_size.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/prng.h"
#include "base/why.h"
#include "packet/icrc.h"
#include "packet/net.h"
#include "wire/impair.h"

#define ONE		0x100000000ULL
#define SPEC_MAX	256
#define ECN_CE		0x03

#define IMPAIR_NAME(symbol, name) [MODEL_IMPAIR_##symbol] = name,

static const char * const names[MODEL_IMPAIR_NUM] = {
	MODEL_IMPAIRMENTS(IMPAIR_NAME)
};

/**
 * model_impair_name() - get the name of a kind
 * @kind: the kind
 *
 * Return: the name in MODEL_IMPAIRMENTS.
 */
const char *model_impair_name(enum model_impairment kind)
{
	return names[kind];
}

/*
 * Decide whether to apply @kind. Takes one random number even if its
 * probability is 0, so that a change of one probability does not change the
 * decisions about other kinds.
 */
static bool applies(struct model_impair *imp, enum model_impairment kind)
{
	if (model_prng(&imp->rng) >= imp->threshold[kind])
		return false;
	imp->count[kind]++;
	return true;
}

static int parse_probability(const char *text, u64 *threshold)
{
	char *end;
	double p = strtod(text, &end);

	if (end == text)
		return -EINVAL;
	if (*end == '%') {
		p /= 100;
		end++;
	}
	if (*end || !(p >= 0 && p <= 1))
		return -EINVAL;
	*threshold = p * ONE;
	return 0;
}

static int parse_time(const char *text, u64 *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	};
	char *end;
	double value = strtod(text, &end);
	size_t i;

	if (end == text || !(value >= 0))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		*ns = value * units[i].ns;
		return *ns <= 10000000000ULL ? 0 : -EINVAL;
	}
	return -EINVAL;
}

static int parse_seed(const char *text, u64 *seed)
{
	char *end;

	*seed = strtoull(text, &end, 0);
	return end == text || *end ? -EINVAL : 0;
}

static int refuse_name(struct model_why *why, const char *name)
{
	model_why(why, -EINVAL, "no such word: '%s'; words: delay, seed, ",
		  name);
	model_why_list(why, names, MODEL_IMPAIR_NUM);
	return -EINVAL;
}

static int parse_setting(struct model_impair *imp, const char *name,
			 const char *value, struct model_why *why)
{
	const char *like = "a probability, like 1% or 0.01";
	int err = -EINVAL;
	int kind;

	for (kind = 0; kind < MODEL_IMPAIR_NUM; kind++)
		if (!strcmp(name, names[kind]))
			break;
	if (kind < MODEL_IMPAIR_NUM) {
		err = parse_probability(value, &imp->threshold[kind]);
	} else if (!strcmp(name, "delay")) {
		err = parse_time(value, &imp->delay_ns);
		like = "a time up to 10s, like 500ns, 50us or 2ms";
	} else if (!strcmp(name, "seed")) {
		err = parse_seed(value, &imp->rng);
		like = "a number";
	} else {
		return refuse_name(why, name);
	}
	if (err)
		model_why(why, err, "%s: '%s' is not %s", name, value, like);
	return err;
}

/**
 * model_impair_parse() - set impairments
 * @imp: changed only if the specification is correct; frames that are delayed
 *	or reordered keep their times
 * @spec: like "loss=1%,dup=0.5%,reorder=2%,corrupt=0.1%,corrupt-icrc-ok=0.01%,
 *	ecn=10%,delay=50us,seed=7"; kinds that are not named are off; "" or
 *	"none" turns all kinds off
 * @why: reason of a failure
 *
 * Return: 0 or -EINVAL.
 */
int model_impair_parse(struct model_impair *imp, const char *spec,
		       struct model_why *why)
{
	struct model_impair new = { .rng = imp->rng };
	char buf[SPEC_MAX];
	char *rest = buf;
	char *item;
	int kind;

	if (strlen(spec) >= sizeof(buf))
		return model_why(why, -EINVAL, "too long");
	strcpy(buf, spec);
	if (!*spec || !strcmp(spec, "none"))
		rest = NULL;
	while ((item = strsep(&rest, ",")) != NULL) {
		char *value = strchr(item, '=');

		if (!value)
			return model_why(why, -EINVAL,
					 "'%s' has no value, like loss=1%%",
					 item);
		*value++ = 0;
		if (parse_setting(&new, item, value, why))
			return -EINVAL;
	}
	memcpy(imp->threshold, new.threshold, sizeof(imp->threshold));
	imp->delay_ns = new.delay_ns;
	imp->rng = new.rng;
	imp->on = imp->delay_ns;
	for (kind = 0; kind < MODEL_IMPAIR_NUM; kind++)
		imp->on |= imp->threshold[kind] != 0;
	return 0;
}

static void flip_bit(struct model_impair *imp, u8 *data, u32 from, u32 to)
{
	u32 bit = model_prng_below(&imp->rng, (to - from) * 8);

	data[from + bit / 8] ^= 1 << bit % 8;
}

/* Flip one bit after the Ethernet header, without a change of the ICRC. */
static void corrupt(struct model_impair *imp, struct model_frame *frame)
{
	if (frame->len > MODEL_ETH_BYTES)
		flip_bit(imp, frame->data, MODEL_ETH_BYTES, frame->len);
}

/* Flip one bit of a RoCEv2 packet, and correct its ICRC. */
static void corrupt_icrc_ok(struct model_impair *imp,
			    struct model_frame *frame)
{
	struct model_net net;

	if (model_net_parse(&net, frame->data, frame->len))
		return;
	flip_bit(imp, frame->data, net.bth, net.end - MODEL_ICRC_BYTES);
	model_icrc_write(frame->data, net.l3, net.bth, net.end);
}

/*
 * Update the IPv4 checksum after a 16-bit word of the header changed (RFC 1624)
 */
static void fix_ipv4_sum(u8 *ip, u16 old, u16 new)
{
	u32 sum = (u16)~model_get16(ip + 10);

	sum += (u16)~old + new;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	model_put16(ip + 10, ~sum);
}

/* Mark "congestion experienced", even if the sender cannot use ECN. */
static void mark_ecn(struct model_frame *frame)
{
	struct model_net net;
	u16 old;
	u8 *ip;

	if (model_net_parse(&net, frame->data, frame->len))
		return;
	ip = frame->data + net.l3;
	old = model_get16(ip);
	if (net.is_ipv4) {
		ip[1] |= ECN_CE;
		fix_ipv4_sum(ip, old, model_get16(ip));
	} else {
		ip[1] |= ECN_CE << 4;
	}
}

static struct model_frame *copy_of(struct model_frame_pool *pool,
				   const struct model_frame *frame)
{
	struct model_frame *copy = model_frame_get(pool);

	if (copy) {
		copy->len = frame->len;
		memcpy(copy->data, frame->data, frame->len);
	}
	return copy;
}

/*
 * Move frames that are due, or that enough frames have overtaken, from @held to
 * @out.
 * @passed: one more frame has left.
 */
static void overtake(struct model_impair *imp, u64 now_ns, bool passed,
		     struct model_frameq *out)
{
	struct model_frameq keep = { 0 };
	struct model_frame *frame;

	while ((frame = model_frameq_pop(&imp->held)) != NULL) {
		if (passed && frame->overtake)
			frame->overtake--;
		if (frame->overtake && frame->due_ns > now_ns)
			model_frameq_push(&keep, frame);
		else
			model_frameq_push(out, frame);
	}
	imp->held = keep;
}

/* Append a frame to @out, @delayed or @held. */
static void dispatch(struct model_impair *imp, struct model_frame_pool *pool,
		     struct model_frame *frame, u64 now_ns,
		     struct model_frameq *out)
{
	bool late = applies(imp, MODEL_IMPAIR_REORDER);

	if (!late && !imp->delay_ns) {
		model_frameq_push(out, frame);
		overtake(imp, now_ns, true, out);
		return;
	}
	if (imp->held.count + imp->delayed.count >= MODEL_IMPAIR_MAX_HELD) {
		imp->overflows++;
		model_frame_put(pool, frame);
		return;
	}
	if (late) {
		frame->overtake = 1 + model_prng_below(&imp->rng, MODEL_IMPAIR_OVERTAKE);
		frame->due_ns = now_ns + imp->delay_ns + MODEL_IMPAIR_HOLD_NS;
		model_frameq_push(&imp->held, frame);
		return;
	}
	frame->due_ns = now_ns + imp->delay_ns;
	model_frameq_push(&imp->delayed, frame);
}

/**
 * model_impair_frame() - impair a frame
 * @imp: impairments, of which @on is set
 * @pool: pool for duplicates and lost frames
 * @frame: the frame; the caller no longer owns it
 * @now_ns: time of the loop, in nanoseconds
 * @out: queue to which frames that leave now are appended
 */
void model_impair_frame(struct model_impair *imp,
			struct model_frame_pool *pool,
			struct model_frame *frame, u64 now_ns,
			struct model_frameq *out)
{
	struct model_frame *copy = NULL;

	if (applies(imp, MODEL_IMPAIR_LOSS)) {
		model_frame_put(pool, frame);
		return;
	}
	if (applies(imp, MODEL_IMPAIR_CORRUPT))
		corrupt(imp, frame);
	if (applies(imp, MODEL_IMPAIR_CORRUPT_ICRC_OK))
		corrupt_icrc_ok(imp, frame);
	if (applies(imp, MODEL_IMPAIR_ECN))
		mark_ecn(frame);
	if (applies(imp, MODEL_IMPAIR_DUP))
		copy = copy_of(pool, frame);
	dispatch(imp, pool, frame, now_ns, out);
	if (copy)
		dispatch(imp, pool, copy, now_ns, out);
}

/**
 * model_impair_due() - remove the frames that are due
 * @imp: impairments
 * @now_ns: time of the loop, in nanoseconds
 * @out: queue to which the frames that are due are appended
 */
void model_impair_due(struct model_impair *imp, u64 now_ns,
		      struct model_frameq *out)
{
	while (imp->delayed.head && imp->delayed.head->due_ns <= now_ns) {
		model_frameq_push(out, model_frameq_pop(&imp->delayed));
		overtake(imp, now_ns, true, out);
	}
	overtake(imp, now_ns, false, out);
}

/**
 * model_impair_next_ns() - get the time when the next frame is due
 * @imp: impairments
 *
 * Return: the time in nanoseconds, UINT64_MAX without delayed or reordered
 * frames.
 */
u64 model_impair_next_ns(const struct model_impair *imp)
{
	const struct model_frame *frame;
	u64 next_ns = UINT64_MAX;

	if (imp->delayed.head)
		next_ns = imp->delayed.head->due_ns;
	for (frame = imp->held.head; frame; frame = frame->next)
		if (frame->due_ns < next_ns)
			next_ns = frame->due_ns;
	return next_ns;
}

/**
 * model_impair_flush() - drop all delayed and reordered frames
 * @imp: impairments; their settings do not change
 * @pool: pool of the frames
 */
void model_impair_flush(struct model_impair *imp,
			struct model_frame_pool *pool)
{
	struct model_frame *frame;

	while ((frame = model_frameq_pop(&imp->delayed)) != NULL)
		model_frame_put(pool, frame);
	while ((frame = model_frameq_pop(&imp->held)) != NULL)
		model_frame_put(pool, frame);
}
