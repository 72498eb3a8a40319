// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The commands of the wire on the control socket, and the section "wire" of
 * "stats":
 *
 *   {"cmd":"fault", "wire":"loss=1%,dup=0.5%,seed=7"}
 *	impairs sent frames; with "direction":"rx" frames from the far
 *	end, with "direction":"both" all; "wire":"none" ends the impairments
 *   {"cmd":"capture", "file":"wire.pcap"}
 *	ends the capture, if one is open, and writes frames that are sent and
 *	received from now on to a new file, as pcap; the file is in the
 *	directory of the control socket. Without "file" only ends the capture
 *	->  {"ok":true, "frames":12}, number of frames of the ended one
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
#include "base/request.h"
#include "base/why.h"
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
 * @why: reason of a failure
 *
 * Return: 0 or -EINVAL.
 */
int model_wire_impair(struct model_wire *wire, const char *direction,
		      const char *spec, struct model_why *why)
{
	bool both = !strcmp(direction, "both");
	int err;

	if (both || !strcmp(direction, "tx")) {
		err = model_impair_parse(&wire->tx, spec, why);
		if (err || !both)
			return err;
	}
	if (both || !strcmp(direction, "rx"))
		return model_impair_parse(&wire->rx, spec, why);
	return model_why(why, -EINVAL,
			 "direction: no such word: '%s'; words: tx, rx, both",
			 direction);
}

static int fault(void *opaque, struct json_object *request,
		 struct json_object *reply)
{
	struct model_request r = model_request(request, reply,
					       "wire direction");
	const char *direction = model_request_text(&r, "direction", "tx");
	const char *spec = model_request_text(&r, "wire", NULL);
	struct model_why why;

	if (!r.err && model_wire_impair(opaque, direction, spec, &why))
		model_request_refuse(&r, &why);
	return r.err;
}

static int capture(void *opaque, struct json_object *request,
		   struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "file");
	const char *name = model_request_text(&r, "file", "");
	struct model_wire *wire = opaque;
	struct model_capture *capture = &wire->capture;
	int err;

	if (!r.err && *name && !model_capture_name_ok(name))
		model_request_fail(&r, "file: '%s' is not a plain name, like wire.pcap",
				   name);
	if (r.err)
		return r.err;
	add_u64(reply, "frames", capture->file ? capture->frames : 0);
	err = model_capture_close(capture);
	return !err && *name ? model_capture_create(capture, name) : err;
}

static int cable(void *opaque, struct json_object *request,
		 struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "plugged");
	bool plugged = model_request_bool(&r, "plugged");

	if (!r.err)
		model_wire_set_cable(opaque, plugged);
	return r.err;
}

static u32 get_qpn(struct model_request *r)
{
	return model_request_number(r, "qpn", MODEL_HOLD_ALL, 0, 0xffffff);
}

static int hold(void *opaque, struct json_object *request,
		struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "qpn after");
	u32 after = model_request_number(&r, "after", 0, 0, INT32_MAX);
	struct model_wire *wire = opaque;
	u32 qpn = get_qpn(&r);

	return r.err ? r.err : model_hold_begin(&wire->hold, qpn, after);
}

static int release(void *opaque, struct json_object *request,
		   struct json_object *reply)
{
	struct model_request r = model_request(request, reply, "qpn");
	struct model_wire *wire = opaque;
	u32 qpn = get_qpn(&r);

	if (!r.err)
		add_u64(reply, "released",
			model_hold_end(&wire->hold, qpn, &wire->arrived));
	return r.err;
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

	wire->capture.dir = model_control_dir(control);
	err = model_control_add_section(control, "wire", wire_section, wire);
	for (i = 0; !err && i < ARRAY_SIZE(commands); i++)
		err = model_control_add_command(control, commands[i].name,
						commands[i].fn, wire);
	return err;
}
