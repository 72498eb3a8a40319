// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The commands of the device on the control socket, and the sections "device",
 * "paging" and "pcie" of "stats"; device_control.h describes them. The faults are
 * executed by cmdq.c, regs.c, event.c, pager.c, resume.c and transport/eth.c.
 */
#include <linux/array_size.h>

#include "base/request.h"
#include "base/why.h"
#include "core/device.h"
#include "core/device_control.h"

#define NS_PER_MS	1000000ULL
#define MAX_DELAY_MS	600000

#define STAT_NAME(symbol, name) [XRDMA_STAT_##symbol] = name,
static const char * const stat_names[] = { XRDMA_STATS(STAT_NAME) };

#define PCIE_NAME(symbol, name) [MODEL_PCIE_##symbol] = name,

static const char * const fault_kinds[] = {
	[MODEL_CMD_FAULT_HANG] = "hang",
	[MODEL_CMD_FAULT_FAIL] = "fail",
	[MODEL_CMD_FAULT_DELAY] = "delay",
	[MODEL_CMD_FAULT_LATE] = "late",
	[MODEL_CMD_FAULT_WRONG] = "wrong",
};

static const char * const eth_faults[] = {
	[MODEL_ETH_FAULT_NONE] = "none",
	[MODEL_ETH_FAULT_SEND] = "send",
	[MODEL_ETH_FAULT_RECEIVE] = "receive",
	[MODEL_ETH_FAULT_STALL] = "stall",
	[MODEL_ETH_FAULT_FATAL] = "fatal",
	[MODEL_ETH_FAULT_MERGED] = "merged",
};

static void add_u64(struct json_object *object, const char *name, u64 value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

static void add_string(struct json_object *object, const char *name,
		       const char *value)
{
	json_object_object_add(object, name, json_object_new_string(value));
}

static void add_bool(struct json_object *object, const char *name, bool value)
{
	json_object_object_add(object, name, json_object_new_boolean(value));
}

static struct json_object *counters(const struct model_device *dev)
{
	struct json_object *object = json_object_new_object();
	u32 i;

	for (i = 0; i < XRDMA_NUM_STATS; i++)
		add_u64(object, stat_names[i], dev->stats[i]);
	return object;
}

static u64 count_objects(void * const *objects, u32 max)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < max; i++)
		n += !!objects[i];
	return n;
}

static struct json_object *device_section(void *opaque)
{
	const struct model_device *dev = opaque;
	struct json_object *object = json_object_new_object();

	add_bool(object, "enabled", model_device_enabled(dev));
	add_bool(object, "live", dev->live);
	add_bool(object, "gone", dev->gone);
	add_bool(object, "deaf", dev->deaf);
	add_bool(object, "shadow_db", dev->shadow_db);
	add_u64(object, "pushed", dev->push.used);
	add_u64(object, "status", dev->regs.status);
	add_u64(object, "eqs", count_objects((void * const *)dev->eqs,
					     MODEL_MAX_EQ));
	add_u64(object, "cqs", count_objects((void * const *)dev->cqs,
					     MODEL_MAX_CQ));
	add_u64(object, "qps", count_objects((void * const *)dev->qps,
					     MODEL_MAX_QP));
	add_u64(object, "rss", count_objects((void * const *)dev->rss,
					     MODEL_MAX_QP));
	add_u64(object, "srqs", count_objects((void * const *)dev->srqs,
					      MODEL_MAX_SRQ));
	add_u64(object, "groups", dev->mcast.num);
	add_u64(object, "active_qps", dev->num_active);
	add_u64(object, "mtu", dev->port.mtu);
	add_u64(object, "port_flags", dev->port.flags);
	add_string(object, "eth_fault", eth_faults[dev->eth_fault]);
	add_u64(object, "db_errors", dev->db_errors);
	add_u64(object, "user_errors", dev->user_errors);
	json_object_object_add(object, "counters", counters(dev));
	return object;
}

static struct json_object *paging_section(void *opaque)
{
	const struct model_device *dev = opaque;
	const struct model_pager *pager = &dev->pager;
	struct json_object *object = json_object_new_object();

	add_bool(object, "enabled", pager->eq);
	add_u64(object, "page_faults", pager->used);
	add_u64(object, "queued", pager->num_queued);
	add_u64(object, "parked_bytes", dev->parked_bytes);
	add_u64(object, "late", pager->switches.late);
	add_u64(object, "lost", pager->switches.lost);
	add_u64(object, "twice", pager->switches.twice);
	add_u64(object, "answer_lost", pager->switches.answers_lost);
	return object;
}

static const char * const pcie_uses[] = { MODEL_PCIE_USES(PCIE_NAME) };

static struct json_object *pcie_section(void *opaque)
{
	const struct model_device *dev = opaque;
	struct json_object *object = json_object_new_object();
	u32 i;

	for (i = 0; i < MODEL_NUM_PCIE_USES; i++) {
		const struct model_pcie *pcie = &dev->pcie[i];
		struct json_object *use = json_object_new_object();

		add_u64(use, "reads", pcie->reads);
		add_u64(use, "read_bytes", pcie->read_bytes);
		add_u64(use, "writes", pcie->writes);
		add_u64(use, "write_bytes", pcie->write_bytes);
		json_object_object_add(object, pcie_uses[i], use);
	}
	return object;
}

static u64 get_ns(struct model_request *r)
{
	return model_request_number(r, "ms", 0, 0, MAX_DELAY_MS) * NS_PER_MS;
}

static u32 get_count(struct model_request *r, u32 min)
{
	return model_request_number(r, "count", 1, min, UINT32_MAX);
}

/* Return: opcode of a command, or MODEL_CMD_FAULT_ANY. */
static u16 get_opcode(struct model_request *r)
{
	const char *words[MODEL_CMD_OPCODES + 1] = { "any" };
	unsigned int word;
	u16 opcode;

	for (opcode = 0; opcode < MODEL_CMD_OPCODES; opcode++)
		words[opcode + 1] = model_cmd_word(opcode);
	word = model_request_word(r, "opcode", MODEL_REQUEST_NEEDED, words,
				  ARRAY_SIZE(words));
	return word ? word - 1 : MODEL_CMD_FAULT_ANY;
}

static int command_fault(void *opaque, struct json_object *request,
			 struct json_object *reply)
{
	struct model_request r = model_request(request, reply,
					"opcode kind count skip ms status");
	struct model_cmd_fault fault = {
		.skip = model_request_number(&r, "skip", 0, 0, UINT32_MAX),
		.count = get_count(&r, 1),
		.kind = model_request_word(&r, "kind", MODEL_REQUEST_NEEDED,
					   fault_kinds,
					   ARRAY_SIZE(fault_kinds)),
		.opcode = get_opcode(&r),
		.status = model_request_number(&r, "status",
					       XRDMA_CMD_INTERNAL, 1, 255),
		.delay_ns = get_ns(&r),
	};

	if (r.err)
		return r.err;
	if (fault.kind != MODEL_CMD_FAULT_FAIL)
		fault.status = 0;
	return model_cmdq_add_fault(opaque, &fault);
}

static int command_faults_clear(void *opaque, struct json_object *request,
				struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "");

	if (!r.err)
		add_u64(reply, "left", model_cmdq_clear_faults(opaque));
	return r.err;
}

static int eth_fault(void *opaque, struct json_object *request,
		     struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "kind");
	unsigned int kind = model_request_word(&r, "kind", MODEL_REQUEST_NEEDED,
					       eth_faults,
					       ARRAY_SIZE(eth_faults));
	struct model_device *dev = opaque;

	if (!r.err)
		dev->eth_fault = kind;
	return r.err;
}

static const char * const paging_kinds[] = {
	"late", "lost", "twice", "answer_lost",
};

static int paging_fault(void *opaque, struct json_object *request,
			struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "kind count ms");
	unsigned int kind = model_request_word(&r, "kind", MODEL_REQUEST_NEEDED,
					       paging_kinds,
					       ARRAY_SIZE(paging_kinds));
	struct model_device *dev = opaque;
	struct model_pager_faults *switches = &dev->pager.switches;
	/* in the order of paging_kinds */
	u32 *left[] = {
		&switches->late, &switches->lost, &switches->twice,
		&switches->answers_lost,
	};
	u32 count = get_count(&r, 0);
	u64 ns = get_ns(&r);

	if (r.err)
		return r.err;
	*left[kind] = count;
	if (left[kind] == &switches->late)
		switches->late_ns = ns;
	return 0;
}

static int gone(void *opaque, struct json_object *request,
		struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "on");
	bool on = model_request_bool(&r, "on");

	if (!r.err)
		model_device_set_gone(opaque, on);
	return r.err;
}

static int deaf(void *opaque, struct json_object *request,
		struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "on");
	bool on = model_request_bool(&r, "on");
	struct model_device *dev = opaque;

	if (!r.err)
		dev->deaf = on;
	return r.err;
}

static int fatal(void *opaque, struct json_object *request,
		 struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "");

	if (!r.err)
		model_device_fatal(opaque, XRDMA_FATAL_INTERNAL);
	return r.err;
}

static int register_lie(void *opaque, struct json_object *request,
			struct json_object *reply)
{
	struct model_request r = model_request(request, reply,
					       "register value count");
	const char *name = model_request_text(&r, "register", NULL);
	u32 value = model_request_number(&r, "value", MODEL_REQUEST_NEEDED, 0,
					 UINT32_MAX);
	u32 count = model_request_number(&r, "count", UINT32_MAX, 1,
					 UINT32_MAX);
	struct model_why why;

	if (!r.err && model_regs_lie(opaque, name, value, count, &why))
		model_request_refuse(&r, &why);
	return r.err;
}

static int register_lie_clear(void *opaque, struct json_object *request,
			      struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "");

	if (!r.err)
		model_regs_lie_end(opaque);
	return r.err;
}

static const struct {
	const char *name;
	model_control_fn fn;
} commands[] = {
	{ "command_fault", command_fault },
	{ "command_faults_clear", command_faults_clear },
	{ "deaf", deaf },
	{ "eth_fault", eth_fault },
	{ "fatal", fatal },
	{ "gone", gone },
	{ "paging_fault", paging_fault },
	{ "register_lie", register_lie },
	{ "register_lie_clear", register_lie_clear },
};

/**
 * model_device_add_control - register commands and sections of a device
 * @dev: the device
 * @control: the control socket
 *
 * Return: 0, or -ENOSPC.
 */
int model_device_add_control(struct model_device *dev,
			     struct model_control *control)
{
	unsigned int i;
	int err;

	err = model_control_add_section(control, "device", device_section, dev);
	if (!err)
		err = model_control_add_section(control, "paging",
						paging_section, dev);
	if (!err)
		err = model_control_add_section(control, "pcie", pcie_section,
						dev);
	for (i = 0; !err && i < ARRAY_SIZE(commands); i++)
		err = model_control_add_command(control, commands[i].name,
						commands[i].fn, dev);
	return err;
}
