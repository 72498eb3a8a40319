// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The commands that set faults for users of verbs; inject_control.h describes
 * them. Faults that happen later are in inject.c. This file executes the faults
 * that happen at once.
 */
#include <errno.h>
#include <linux/array_size.h>
#include <string.h>

#include "base/control.h"
#include "base/request.h"
#include "base/why.h"
#include "core/device.h"
#include "core/inject_control.h"
#include "core/srq.h"
#include "wire/wire.h"
#include "xrdma_encode.h"

#define NS_PER_MS	1000000ULL
#define MAX_MS		600000

static const char * const statuses[] = {
	[XRDMA_WC_LOC_LEN_ERR] = "loc-len-err",
	[XRDMA_WC_LOC_QP_OP_ERR] = "loc-qp-op-err",
	[XRDMA_WC_LOC_PROT_ERR] = "loc-prot-err",
	[XRDMA_WC_MW_BIND_ERR] = "mw-bind-err",
	[XRDMA_WC_BAD_RESP_ERR] = "bad-resp-err",
	[XRDMA_WC_LOC_ACCESS_ERR] = "loc-access-err",
	[XRDMA_WC_REM_INV_REQ_ERR] = "rem-inv-req-err",
	[XRDMA_WC_REM_ACCESS_ERR] = "rem-access-err",
	[XRDMA_WC_REM_OP_ERR] = "rem-op-err",
	[XRDMA_WC_RETRY_EXC_ERR] = "retry-exc-err",
	[XRDMA_WC_RNR_RETRY_EXC_ERR] = "rnr-retry-exc-err",
	[XRDMA_WC_REM_ABORT_ERR] = "rem-abort-err",
	[XRDMA_WC_FATAL_ERR] = "fatal-err",
	[XRDMA_WC_GENERAL_ERR] = "general-err",
};

/* Statuses of requests that involve no peer, and of all other requests. */
#define LOCAL								\
	(BIT(XRDMA_WC_LOC_LEN_ERR) | BIT(XRDMA_WC_LOC_QP_OP_ERR) |	\
	 BIT(XRDMA_WC_LOC_PROT_ERR) | BIT(XRDMA_WC_FATAL_ERR) |		\
	 BIT(XRDMA_WC_GENERAL_ERR))
#define OF_RECV		(LOCAL | BIT(XRDMA_WC_LOC_ACCESS_ERR))
#define OF_SEND								\
	(LOCAL | BIT(XRDMA_WC_MW_BIND_ERR) |				\
	 BIT(XRDMA_WC_BAD_RESP_ERR) | BIT(XRDMA_WC_REM_INV_REQ_ERR) |	\
	 BIT(XRDMA_WC_REM_ACCESS_ERR) | BIT(XRDMA_WC_REM_OP_ERR) |	\
	 BIT(XRDMA_WC_RETRY_EXC_ERR) | BIT(XRDMA_WC_RNR_RETRY_EXC_ERR) |	\
	 BIT(XRDMA_WC_REM_ABORT_ERR))

/* Words of "queue". */
enum { SEND, RECV };
static const char * const queues[] = { [SEND] = "send", [RECV] = "recv" };

/**
 * struct kind - how the kinds of inject.h are shown
 * @name: word of "kind"
 * @object: option that has the number of the object
 * @queue: word of "queue", or NULL
 */
struct kind {
	const char *name;
	const char *object;
	const char *queue;
};

static const struct kind shown[MODEL_INJECT_KINDS] = {
	[MODEL_INJECT_SEND] = { "completion", "qp", "send" },
	[MODEL_INJECT_RECV] = { "completion", "qp", "recv" },
	[MODEL_INJECT_LATE_SEND] = { "late", "qp", "send" },
	[MODEL_INJECT_LATE_RECV] = { "late", "qp", "recv" },
	[MODEL_INJECT_LOST_SEND] = { "lost", "qp", "send" },
	[MODEL_INJECT_LOST_RECV] = { "lost", "qp", "recv" },
	[MODEL_INJECT_CQ_OVERRUN] = { "cq-overrun", "cq", NULL },
	[MODEL_INJECT_KEY] = { "key", "key", NULL },
	[MODEL_INJECT_SILENCE] = { "silence", "qp", NULL },
	[MODEL_INJECT_LINK_DOWN] = { "link-down", NULL, NULL },
	[MODEL_INJECT_EVENT] = { "event", NULL, NULL },
};

/* ---- options ---------------------------------------------------------- */

static u32 get_number(struct model_request *r, const char *name)
{
	return model_request_number(r, name, MODEL_REQUEST_NEEDED, 0,
				    UINT32_MAX);
}

static u32 get_nth(struct model_request *r)
{
	return model_request_number(r, "nth", 1, 1, UINT32_MAX);
}

static u64 get_ns(struct model_request *r)
{
	return model_request_number(r, "ms", MODEL_REQUEST_NEEDED, 1, MAX_MS) *
	       NS_PER_MS;
}

static struct model_qp *get_qp(struct model_device *dev,
			       struct model_request *r)
{
	u32 qpn = get_number(r, "qp");
	struct model_qp *qp = model_qp_get(dev, qpn);

	if (!r->err && !qp)
		model_request_fail(r, "qp: no queue pair has number %u", qpn);
	return r->err ? NULL : qp;
}

static struct model_srq *get_srq(struct model_device *dev,
				 struct model_request *r)
{
	u32 srqn = get_number(r, "srq");
	struct model_srq *srq = model_srq_get(dev, srqn);

	if (!r->err && !srq)
		model_request_fail(r, "srq: no shared receive queue has number %u",
				   srqn);
	return r->err ? NULL : srq;
}

/* Return: SEND or RECV, a queue that @qp has; @qp may be NULL after an error. */
static unsigned int get_queue(struct model_request *r,
			      const struct model_qp *qp)
{
	unsigned int queue = model_request_word(r, "queue", SEND, queues,
						ARRAY_SIZE(queues));
	bool exists;

	if (r->err)
		return SEND;
	exists = queue == SEND ? qp->sq.units :
		 qp->rq.log_stride || qp->srq || qp->type == XRDMA_QP_XRC_TGT;
	if (!exists)
		model_request_fail(r, "queue: queue pair %u has no %s queue",
				   qp->qpn, queues[queue]);
	return queue;
}

static u8 get_status(struct model_request *r, u64 allowed)
{
	const char *words[ARRAY_SIZE(statuses)];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(statuses); i++)
		words[i] = allowed & BIT(i) ? statuses[i] : NULL;
	return model_request_word(r, "status", MODEL_REQUEST_NEEDED, words,
				  ARRAY_SIZE(words));
}

static void add(struct model_device *dev, struct model_request *r,
		const struct model_inject *fault)
{
	if (!r->err && model_inject_add(&dev->inject, fault))
		model_request_fail(r, "%u faults wait already",
				   MODEL_INJECT_MAX);
}

/* ---- faults ----------------------------------------------------------- */

static bool has_peer(const struct model_qp *qp)
{
	return qp->type == XRDMA_QP_RC || qp->type == XRDMA_QP_XRC_INI;
}

static void completion(struct model_device *dev, struct model_request *r)
{
	struct model_qp *qp = get_qp(dev, r);
	unsigned int queue = get_queue(r, qp);
	struct model_inject fault = {
		.kind = queue == SEND ? MODEL_INJECT_SEND : MODEL_INJECT_RECV,
		.nth = get_nth(r),
	};

	if (r->err)
		return;
	fault.number = qp->qpn;
	if (queue == RECV)
		fault.status = get_status(r, OF_RECV);
	else
		fault.status = get_status(r, has_peer(qp) ? OF_SEND : LOCAL);
	add(dev, r, &fault);
}

static void of_completion(struct model_device *dev, struct model_request *r,
			  enum model_inject_kind send, u64 ns)
{
	struct model_qp *qp = get_qp(dev, r);
	struct model_inject fault = {
		/* the kind of receives follows that of sends */
		.kind = send + get_queue(r, qp),
		.nth = get_nth(r),
		.ns = ns,
	};

	if (r->err)
		return;
	fault.number = qp->qpn;
	add(dev, r, &fault);
}

static void late(struct model_device *dev, struct model_request *r)
{
	of_completion(dev, r, MODEL_INJECT_LATE_SEND, get_ns(r));
}

static void lost(struct model_device *dev, struct model_request *r)
{
	of_completion(dev, r, MODEL_INJECT_LOST_SEND, 0);
}

static void cq_overrun(struct model_device *dev, struct model_request *r)
{
	struct model_inject fault = {
		.kind = MODEL_INJECT_CQ_OVERRUN,
		.number = get_number(r, "cq"),
		.nth = get_nth(r),
	};

	if (!r->err && !model_cq_get(dev, fault.number))
		model_request_fail(r, "cq: no completion queue has number %u",
				   fault.number);
	add(dev, r, &fault);
}

static void key(struct model_device *dev, struct model_request *r)
{
	struct model_inject fault = {
		.kind = MODEL_INJECT_KEY,
		.number = get_number(r, "key"),
		.nth = get_nth(r),
	};
	const struct model_key *entry;

	if (r->err)
		return;
	entry = model_key_get(dev, xrdma_key_index(fault.number));
	if (!entry || entry->e.state != XRDMA_MPT_VALID ||
	    entry->e.byte != xrdma_key_byte(fault.number))
		model_request_fail(r, "key: %#x is not valid", fault.number);
	add(dev, r, &fault);
}

static void silence(struct model_device *dev, struct model_request *r)
{
	struct model_inject fault = {
		.kind = MODEL_INJECT_SILENCE,
		.number = MODEL_INJECT_PORT,
		.ns = model_device_clock(dev) + get_ns(r),
	};

	if (model_request_has(r, "qp") && get_qp(dev, r))
		fault.number = get_number(r, "qp");
	add(dev, r, &fault);
}

static void link_down(struct model_device *dev, struct model_request *r)
{
	u64 ns = get_ns(r);

	if (r->err)
		return;
	if (model_wire_unplug(dev->wire, ns))
		model_request_fail(r, "the cable is unplugged already");
	else
		dev->inject.done[MODEL_INJECT_LINK_DOWN]++;
}

/* ---- events ----------------------------------------------------------- */

static void qp_error(struct model_device *dev, struct model_request *r,
		     u8 event)
{
	struct model_qp *qp = get_qp(dev, r);

	if (r->err)
		return;
	if (qp->state == XRDMA_QPS_RESET || qp->state == XRDMA_QPS_ERR)
		model_request_fail(r, "queue pair %u is in state %s", qp->qpn,
				   qp->state == XRDMA_QPS_ERR ? "ERR" : "RESET");
	else
		model_qp_error(qp, event);
}

static void comm_est(struct model_device *dev, struct model_request *r,
		     u8 event)
{
	struct model_qp *qp = get_qp(dev, r);

	(void)event;
	if (r->err)
		return;
	if (qp->state != XRDMA_QPS_RTR || qp->comm_est)
		model_request_fail(r, "queue pair %u does not wait in state RTR",
				   qp->qpn);
	else
		model_qp_comm_est(qp);
}

static void srq_err(struct model_device *dev, struct model_request *r,
		    u8 event)
{
	struct model_srq *srq = get_srq(dev, r);

	(void)event;
	if (r->err)
		return;
	if (srq->dead)
		model_request_fail(r, "shared receive queue %u has failed",
				   srq->srqn);
	else
		model_srq_fail(dev, srq);
}

static void srq_limit(struct model_device *dev, struct model_request *r,
		      u8 event)
{
	struct model_srq *srq = get_srq(dev, r);

	(void)event;
	if (r->err)
		return;
	if (!srq->limit)
		model_request_fail(r, "shared receive queue %u has no limit",
				   srq->srqn);
	else
		model_srq_limit_reached(dev, srq);
}

static void device_fatal(struct model_device *dev, struct model_request *r,
			 u8 event)
{
	(void)r;
	(void)event;
	model_device_fatal(dev, XRDMA_FATAL_INTERNAL);
}

static const char * const events[] = {
	"qp-fatal", "qp-req-err", "qp-access-err", "comm-est", "srq-err",
	"srq-limit", "device-fatal",
};

/* Each word of events: the function that raises it, and enum xrdma_event. */
static const struct {
	void (*raise)(struct model_device *dev, struct model_request *r,
		      u8 event);
	u8 event;
} raises[ARRAY_SIZE(events)] = {
	{ qp_error, XRDMA_EVENT_QP_FATAL },
	{ qp_error, XRDMA_EVENT_QP_REQ_ERR },
	{ qp_error, XRDMA_EVENT_QP_ACCESS_ERR },
	{ comm_est, XRDMA_EVENT_QP_COMM_EST },
	{ srq_err, XRDMA_EVENT_SRQ_ERR },
	{ srq_limit, XRDMA_EVENT_SRQ_LIMIT },
	{ device_fatal, XRDMA_EVENT_DEVICE_FATAL },
};

static void event(struct model_device *dev, struct model_request *r)
{
	unsigned int type = model_request_word(r, "type", MODEL_REQUEST_NEEDED,
					       events, ARRAY_SIZE(events));

	if (!r->err)
		raises[type].raise(dev, r, raises[type].event);
	if (!r->err)
		dev->inject.done[MODEL_INJECT_EVENT]++;
}

/* ---- commands --------------------------------------------------------- */

static const char * const kinds[] = {
	"completion", "late", "lost", "cq-overrun", "key", "silence",
	"link-down", "event",
};

/* Each word of kinds: the options that it takes, and what it does. */
static const struct {
	const char *takes;
	void (*set)(struct model_device *dev, struct model_request *r);
} sets[ARRAY_SIZE(kinds)] = {
	{ "kind qp status nth queue", completion },
	{ "kind qp ms nth queue", late },
	{ "kind qp nth queue", lost },
	{ "kind cq nth", cq_overrun },
	{ "kind key nth", key },
	{ "kind ms qp", silence },
	{ "kind ms", link_down },
	{ "kind type qp srq", event },
};

static int inject(void *opaque, struct json_object *request,
		  struct json_object *reply)
{
	struct model_request r = { .object = request, .reply = reply };
	struct model_device *dev = opaque;
	unsigned int kind = model_request_word(&r, "kind", MODEL_REQUEST_NEEDED,
					       kinds, ARRAY_SIZE(kinds));

	if (r.err)
		return r.err;
	r = model_request(request, reply, sets[kind].takes);
	if (!r.err && !model_device_live(dev))
		model_request_fail(&r, "no driver uses the device");
	if (!r.err)
		sets[kind].set(dev, &r);
	return r.err;
}

static void put(struct json_object *object, const char *name, u64 value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

static void put_word(struct json_object *object, const char *name,
		     const char *word)
{
	json_object_object_add(object, name, json_object_new_string(word));
}

static struct json_object *describe(const struct model_inject *fault,
				    u64 now_ns)
{
	const struct kind *kind = &shown[fault->kind];
	struct json_object *object = json_object_new_object();

	put_word(object, "kind", kind->name);
	if (fault->number != MODEL_INJECT_PORT ||
	    fault->kind != MODEL_INJECT_SILENCE)
		put(object, kind->object, fault->number);
	if (kind->queue)
		put_word(object, "queue", kind->queue);
	if (fault->nth)
		put(object, "nth", fault->nth);
	if (fault->status)
		put_word(object, "status", statuses[fault->status]);
	if (fault->kind == MODEL_INJECT_SILENCE)
		put(object, "ms", (fault->ns - now_ns) / NS_PER_MS);
	else if (fault->ns)
		put(object, "ms", fault->ns / NS_PER_MS);
	return object;
}

static int inject_list(void *opaque, struct json_object *request,
		       struct json_object *reply)
{
	struct json_object *faults = json_object_new_array();
	struct model_request r = model_request(request, reply, "");
	struct model_device *dev = opaque;
	u64 now_ns = model_device_clock(dev);
	struct json_object *cut;
	u32 i;

	model_inject_expire(&dev->inject, now_ns);
	for (i = 0; i < dev->inject.num; i++)
		json_object_array_add(faults, describe(&dev->inject.waiting[i],
						       now_ns));
	if (dev->wire->plug_ns) {
		cut = json_object_new_object();
		put_word(cut, "kind", shown[MODEL_INJECT_LINK_DOWN].name);
		put(cut, "ms", (dev->wire->plug_ns - now_ns) / NS_PER_MS);
		json_object_array_add(faults, cut);
	}
	json_object_object_add(reply, "faults", faults);
	return r.err;
}

static int inject_clear(void *opaque, struct json_object *request,
			struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "");
	struct model_device *dev = opaque;

	if (r.err)
		return r.err;
	model_inject_expire(&dev->inject, model_device_clock(dev));
	put(reply, "left", dev->inject.num + !!dev->wire->plug_ns);
	model_inject_clear(&dev->inject);
	if (dev->wire->plug_ns)
		model_wire_set_cable(dev->wire, true);
	return 0;
}

static struct json_object *section(void *opaque)
{
	struct json_object *object = json_object_new_object();
	const struct model_device *dev = opaque;
	u32 i, kind;
	u64 done;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		done = 0;
		for (kind = 0; kind < MODEL_INJECT_KINDS; kind++)
			if (!strcmp(shown[kind].name, kinds[i]))
				done += dev->inject.done[kind];
		put(object, kinds[i], done);
	}
	put(object, "waiting", dev->inject.num);
	return object;
}

/**
 * model_inject_add_control() - register the commands and the section "inject"
 * @dev: the device
 * @control: the control socket
 *
 * Return: 0, or -ENOSPC.
 */
int model_inject_add_control(struct model_device *dev,
			     struct model_control *control)
{
	int err;

	err = model_control_add_section(control, "inject", section, dev);
	if (!err)
		err = model_control_add_command(control, "inject", inject, dev);
	if (!err)
		err = model_control_add_command(control, "inject_list",
						inject_list, dev);
	if (!err)
		err = model_control_add_command(control, "inject_clear",
						inject_clear, dev);
	return err;
}
