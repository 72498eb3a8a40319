// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The commands of the device on the control socket, and the sections "device",
 * "paging" and "pcie" of "stats"; device_control.h describes them. The faults are
 * executed by cmdq.c, regs.c, event.c, pager.c, resume.c and transport/eth.c.
 */
#include <errno.h>
#include <linux/array_size.h>
#include <string.h>

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
	add_bool(object, "shadow_db", dev->shadow_db);
	add_u64(object, "status", dev->regs.status);
	add_u64(object, "eqs", count_objects((void * const *)dev->eqs,
					     MODEL_MAX_EQ));
	add_u64(object, "cqs", count_objects((void * const *)dev->cqs,
					     MODEL_MAX_CQ));
	add_u64(object, "qps", count_objects((void * const *)dev->qps,
					     MODEL_MAX_QP));
	add_u64(object, "srqs", count_objects((void * const *)dev->srqs,
					      MODEL_MAX_SRQ));
	add_u64(object, "groups", dev->mcast.num);
	add_u64(object, "active_qps", dev->num_active);
	add_u64(object, "mtu", dev->port.mtu);
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

/* Return: number @name of a request; @missing if it has none; -1 if illegal. */
static s64 get_number(struct json_object *request, const char *name,
		      s64 missing, s64 max)
{
	struct json_object *value;
	s64 n;

	if (!json_object_object_get_ex(request, name, &value))
		return missing;
	if (!json_object_is_type(value, json_type_int))
		return -1;
	n = json_object_get_int64(value);
	return n < 0 || n > max ? -1 : n;
}

static const char *get_string(struct json_object *request, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(request, name, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static int get_opcode(struct json_object *request)
{
	const char *name = get_string(request, "opcode");

	if (!name)
		return -1;
	return strcmp(name, "any") ? model_cmd_opcode(name) :
				     MODEL_CMD_FAULT_ANY;
}

static int get_kind(struct json_object *request)
{
	const char *name = get_string(request, "kind");
	u32 i;

	for (i = 0; name && i < ARRAY_SIZE(fault_kinds); i++)
		if (!strcmp(fault_kinds[i], name))
			return i;
	return -1;
}

static int command_fault(void *opaque, struct json_object *request,
			 struct json_object *reply)
{
	s64 status = get_number(request, "status", XRDMA_CMD_INTERNAL, 255);
	s64 count = get_number(request, "count", 1, UINT32_MAX);
	s64 skip = get_number(request, "skip", 0, UINT32_MAX);
	s64 ms = get_number(request, "ms", 0, MAX_DELAY_MS);
	int opcode = get_opcode(request);
	int kind = get_kind(request);
	struct model_cmd_fault fault;

	(void)reply;
	if (opcode < 0 || kind < 0 || status <= 0 || count <= 0 || skip < 0 ||
	    ms < 0)
		return -EINVAL;
	fault = (struct model_cmd_fault) {
		.skip = skip,
		.count = count,
		.kind = kind,
		.opcode = opcode,
		.status = kind == MODEL_CMD_FAULT_FAIL ? status : 0,
		.delay_ns = ms * NS_PER_MS,
	};
	return model_cmdq_add_fault(opaque, &fault);
}

static int command_faults_clear(void *opaque, struct json_object *request,
				struct json_object *reply)
{
	(void)request;
	add_u64(reply, "left", model_cmdq_clear_faults(opaque));
	return 0;
}

static int eth_fault(void *opaque, struct json_object *request,
		     struct json_object *reply)
{
	const char *kind = get_string(request, "kind");
	struct model_device *dev = opaque;
	u32 i;

	(void)reply;
	for (i = 0; kind && i < ARRAY_SIZE(eth_faults); i++) {
		if (!strcmp(eth_faults[i], kind)) {
			dev->eth_fault = i;
			return 0;
		}
	}
	return -EINVAL;
}

/* Return: counter of the fault @kind of page faults; NULL if it is unknown. */
static u32 *paging_switch(struct model_pager_faults *switches, const char *kind)
{
	if (!kind)
		return NULL;
	if (!strcmp(kind, "late"))
		return &switches->late;
	if (!strcmp(kind, "lost"))
		return &switches->lost;
	if (!strcmp(kind, "twice"))
		return &switches->twice;
	return strcmp(kind, "answer_lost") ? NULL : &switches->answers_lost;
}

static int paging_fault(void *opaque, struct json_object *request,
			struct json_object *reply)
{
	struct model_device *dev = opaque;
	struct model_pager_faults *switches = &dev->pager.switches;
	u32 *left = paging_switch(switches, get_string(request, "kind"));
	s64 count = get_number(request, "count", 1, UINT32_MAX);
	s64 ms = get_number(request, "ms", 0, MAX_DELAY_MS);

	(void)reply;
	if (!left || count < 0 || ms < 0)
		return -EINVAL;
	*left = count;
	if (left == &switches->late)
		switches->late_ns = ms * NS_PER_MS;
	return 0;
}

static int gone(void *opaque, struct json_object *request,
		struct json_object *reply)
{
	struct json_object *on;

	(void)reply;
	if (!json_object_object_get_ex(request, "on", &on) ||
	    !json_object_is_type(on, json_type_boolean))
		return -EINVAL;
	model_device_set_gone(opaque, json_object_get_boolean(on));
	return 0;
}

static int fatal(void *opaque, struct json_object *request,
		 struct json_object *reply)
{
	(void)request;
	(void)reply;
	model_device_fatal(opaque, XRDMA_FATAL_INTERNAL);
	return 0;
}

static int register_lie(void *opaque, struct json_object *request,
			struct json_object *reply)
{
	const char *name = get_string(request, "register");
	s64 value = get_number(request, "value", -1, UINT32_MAX);
	s64 count = get_number(request, "count", UINT32_MAX, UINT32_MAX);

	(void)reply;
	if (!name || value < 0 || count <= 0)
		return -EINVAL;
	return model_regs_lie(opaque, name, value, count);
}

static int register_lie_clear(void *opaque, struct json_object *request,
			      struct json_object *reply)
{
	(void)request;
	(void)reply;
	return model_regs_lie(opaque, NULL, 0, 0);
}

static const struct {
	const char *name;
	model_control_fn fn;
} commands[] = {
	{ "command_fault", command_fault },
	{ "command_faults_clear", command_faults_clear },
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
