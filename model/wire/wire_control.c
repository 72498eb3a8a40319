// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The commands of the wire on the control socket, and the section "wire" of
 * "stats":
 *
 *   {"cmd":"fault", "wire":"loss=1%,dup=0.5%,seed=7"}
 *	impairs sent frames; with "direction":"rx" frames from the far
 *	end, with "direction":"both" all; "wire":"none" ends the impairments
 *   {"cmd":"capture", "file":"/tmp/wire.pcap"}
 *	ends the capture, if one is open, and writes frames that are sent and
 *	received from now on to the file, as pcap; without "file" only ends the
 *	capture  ->  {"ok":true, "frames":12}, number of frames of the ended one
 *   {"cmd":"cable", "plugged":false}
 *	unplugs the cable
 *   {"cmd":"hold", "qpn":5, "after":1}
 *	holds the packets to a queue pair, also those from this device, after
 *	"after" more packets (default 0); without "qpn" the packets to all
 *	queue pairs. A reset removes the rule and drops the held packets
 *   {"cmd":"release", "qpn":5}
 *	releases held packets, in the order of their arrival, before packets
 *	that arrived later; without "qpn" all held packets
 *	->  {"ok":true, "released":3}
 *
 * The impairments are in impair.c, captures in capture.c, held packets in
 * hold.c.
 */

#include <errno.h>
#include <linux/array_size.h>
#include <string.h>

#include "base/control.h"
#include "wire/wire.h"

static void add_u64(struct json_object *object, const char *name, u64 value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

static struct json_object *impair_section(const struct model_impair *imp)
{
	struct json_object *object = json_object_new_object();
	int kind;

	for (kind = 0; kind < MODEL_IMPAIR_NUM; kind++)
		add_u64(object, model_impair_name(kind), imp->count[kind]);
	add_u64(object, "overflows", imp->overflows);
	return object;
}

static struct json_object *rx_section(const struct model_wire *wire)
{
	struct json_object *object = json_object_new_object();
	int rx;

	for (rx = 0; rx < MODEL_RX_NUM; rx++)
		add_u64(object, model_rx_name(rx), wire->rx_frames[rx]);
	return object;
}

static struct json_object *wire_section(void *opaque)
{
	const struct model_wire *wire = opaque;
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "plugged",
			       json_object_new_boolean(wire->cable));
	json_object_object_add(object, "far_end",
			       json_object_new_boolean(wire->socket.open));
	json_object_object_add(object, "carrier",
			       json_object_new_boolean(model_wire_carrier(wire)));
	add_u64(object, "tx_frames", wire->tx_frames);
	add_u64(object, "tx_port_down", wire->tx_port_down);
	add_u64(object, "tx_no_far_end", wire->tx_no_far_end);
	add_u64(object, "tx_no_gid", wire->tx_no_gid);
	add_u64(object, "socket_lost", wire->socket.lost);
	add_u64(object, "socket_oversized", wire->socket.end.oversized);
	add_u64(object, "frames_free", wire->pool.available);
	add_u64(object, "held", wire->hold.frames.count);
	add_u64(object, "held_lost", wire->hold.lost);
	json_object_object_add(object, "rx", rx_section(wire));
	json_object_object_add(object, "tx_impaired",
			       impair_section(&wire->tx));
	json_object_object_add(object, "rx_impaired",
			       impair_section(&wire->rx));
	return object;
}

/**
 * model_wire_impair() - set the impairments of the wire
 * @wire: the wire
 * @direction: "tx" for sent frames, "rx" for frames from the far end, or "both"
 * @spec: @spec of model_impair_parse()
 *
 * Return: 0 or -EINVAL.
 */
int model_wire_impair(struct model_wire *wire, const char *direction,
		      const char *spec)
{
	bool both = !strcmp(direction, "both");
	int err;

	if (both || !strcmp(direction, "tx")) {
		err = model_impair_parse(&wire->tx, spec);
		if (err || !both)
			return err;
	}
	if (both || !strcmp(direction, "rx"))
		return model_impair_parse(&wire->rx, spec);
	return -EINVAL;
}

static const char *get_string(struct json_object *request, const char *name,
			      const char *missing)
{
	struct json_object *value;

	if (!json_object_object_get_ex(request, name, &value))
		return missing;
	return json_object_is_type(value, json_type_string) ?
	       json_object_get_string(value) : NULL;
}

static int fault(void *opaque, struct json_object *request,
		 struct json_object *reply)
{
	const char *direction = get_string(request, "direction", "tx");
	const char *spec = get_string(request, "wire", NULL);

	(void)reply;
	if (!direction || !spec)
		return -EINVAL;
	return model_wire_impair(opaque, direction, spec);
}

static int capture(void *opaque, struct json_object *request,
		   struct json_object *reply)
{
	struct model_wire *wire = opaque;
	struct model_capture *capture = &wire->capture;
	const char *path = get_string(request, "file", "");
	int err;

	if (!path)
		return -EINVAL;
	add_u64(reply, "frames", capture->file ? capture->frames : 0);
	err = model_capture_close(capture);
	return !err && *path ? model_capture_open(capture, path) : err;
}

static int cable(void *opaque, struct json_object *request,
		 struct json_object *reply)
{
	struct json_object *plugged;

	(void)reply;
	if (!json_object_object_get_ex(request, "plugged", &plugged) ||
	    !json_object_is_type(plugged, json_type_boolean))
		return -EINVAL;
	model_wire_set_cable(opaque, json_object_get_boolean(plugged));
	return 0;
}

/* Get a number of a request. Return: false if it exists and is illegal. */
static bool get_number(struct json_object *request, const char *name,
		       u32 missing, u32 max, u32 *number)
{
	struct json_object *value;
	s64 n;

	*number = missing;
	if (!json_object_object_get_ex(request, name, &value))
		return true;
	if (!json_object_is_type(value, json_type_int))
		return false;
	n = json_object_get_int64(value);
	*number = n;
	return n >= 0 && n <= max;
}

static int hold(void *opaque, struct json_object *request,
		struct json_object *reply)
{
	struct model_wire *wire = opaque;
	u32 qpn, after;

	(void)reply;
	if (!get_number(request, "qpn", MODEL_HOLD_ALL, 0xffffff, &qpn) ||
	    !get_number(request, "after", 0, INT32_MAX, &after))
		return -EINVAL;
	return model_hold_begin(&wire->hold, qpn, after);
}

static int release(void *opaque, struct json_object *request,
		   struct json_object *reply)
{
	struct model_wire *wire = opaque;
	u32 qpn;

	if (!get_number(request, "qpn", MODEL_HOLD_ALL, 0xffffff, &qpn))
		return -EINVAL;
	add_u64(reply, "released", model_hold_end(&wire->hold, qpn,
						  &wire->arrived));
	return 0;
}

static const struct {
	const char *name;
	model_control_fn fn;
} commands[] = {
	{ "fault", fault },
	{ "capture", capture },
	{ "cable", cable },
	{ "hold", hold },
	{ "release", release },
};

/**
 * model_wire_add_control() - register commands and section of the wire
 * @wire: the wire
 * @control: the control socket
 *
 * Return: 0, or -ENOSPC.
 */
int model_wire_add_control(struct model_wire *wire,
			   struct model_control *control)
{
	unsigned int i;
	int err;

	err = model_control_add_section(control, "wire", wire_section, wire);
	for (i = 0; !err && i < ARRAY_SIZE(commands); i++)
		err = model_control_add_command(control, commands[i].name,
						commands[i].fn, wire);
	return err;
}
