// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The table of functions through which the core calls the transport, and the
 * functions through which the wire calls it. The transport creates the wire.
 * Received frames are handled in rx.c, answers are sent in answer.c.
 */
#include <errno.h>

#include "transport/answer.h"
#include "transport/conn.h"
#include "transport/eth.h"
#include "transport/room.h"
#include "transport/rx.h"
#include "transport/transport.h"
#include "wire/wire.h"

static bool is_local(void *opaque, const u8 *mac)
{
	return model_mac_is_local(opaque, mac);
}

static bool ready(void *opaque, const u8 *frame, u32 len)
{
	return model_eth_ready(opaque, frame, len);
}

static void receive(void *opaque, const u8 *frame, u32 len)
{
	model_rx_frame(opaque, frame, len);
}

static void burst_end(void *opaque)
{
	model_eth_burst_end(opaque);
}

static void carrier_changed(void *opaque)
{
	model_port_link_changed(opaque);
}

static const struct model_wire_ops wire_ops = {
	.is_local = is_local,
	.ready = ready,
	.receive = receive,
	.burst_end = burst_end,
	.carrier_changed = carrier_changed,
};

static int transport_init(struct model_device *dev)
{
	TAILQ_INIT(&dev->answering);
	TAILQ_INIT(&dev->replaying);
	TAILQ_INIT(&dev->merging);
	dev->wire = model_wire_create(dev->params.loop, dev->params.seed,
				      &wire_ops, dev);
	return dev->wire ? 0 : -ENOMEM;
}

static void transport_destroy(struct model_device *dev)
{
	model_wire_destroy(dev->wire);
	dev->wire = NULL;
}

static void transport_reset(struct model_device *dev)
{
	model_wire_reset(dev->wire);
}

static bool transport_poll(struct model_device *dev)
{
	bool any = model_wire_poll(dev->wire);

	if (dev->live)
		any |= model_room_wake(dev);
	if (dev->live && !TAILQ_EMPTY(&dev->replaying))
		any |= model_responders_replay(dev);
	if (dev->live && !TAILQ_EMPTY(&dev->answering))
		any |= model_answers_send(dev);
	return any;
}

static bool transport_carrier(const struct model_device *dev)
{
	return model_wire_carrier(dev->wire);
}

static void transport_port_changed(struct model_device *dev)
{
	dev->wire->port_up = dev->port.flags & XRDMA_PORT_UP;
}

const struct model_transport model_roce_transport = {
	.qp_ops = {
		[XRDMA_QP_RC] = &model_conn_ops,
		[XRDMA_QP_UC] = &model_conn_ops,
		[XRDMA_QP_UD] = &model_ud_ops,
		[XRDMA_QP_GSI] = &model_ud_ops,
		[XRDMA_QP_XRC_INI] = &model_conn_ops,
		[XRDMA_QP_XRC_TGT] = &model_conn_ops,
		[XRDMA_QP_RAW] = &model_raw_ops,
	},
	.init = transport_init,
	.destroy = transport_destroy,
	.reset = transport_reset,
	.poll = transport_poll,
	.carrier = transport_carrier,
	.port_changed = transport_port_changed,
};
