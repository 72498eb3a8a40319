/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A transport that sends nothing: sends succeed at once, unless the test takes
 * over; what the core asks of it is counted.
 */
#ifndef MODEL_TEST_MOCK_WIRE_H
#define MODEL_TEST_MOCK_WIRE_H

#include <linux/types.h>
#include <stdbool.h>

/**
 * struct mock_wire - what was asked, what is answered
 * @init: calls of model_qp_ops.init
 * @modify: calls of modify
 * @stop: calls of stop
 * @sq_only: of those with @sq_only
 * @destroy: calls of destroy
 * @resets: calls of model_transport.reset
 * @port_changes: calls of model_transport.port_changed
 * @mask: of the last modify
 * @hold: take nothing up: sends stay in progress
 * @fail: fail the next send with this status
 * @carrier: of the wire
 * @init_error: returned by init
 */
struct mock_wire {
	unsigned int init;
	unsigned int modify;
	unsigned int stop;
	unsigned int sq_only;
	unsigned int destroy;
	unsigned int resets;
	unsigned int port_changes;
	u32 mask;
	bool hold;
	u8 fail;
	bool carrier;
	int init_error;
};

extern struct mock_wire mock_wire;
extern const struct model_transport mock_transport;

#endif /* MODEL_TEST_MOCK_WIRE_H */
