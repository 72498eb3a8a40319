/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A mock of struct model_transport, for tests of core/: sends complete
 * successfully at once, unless the test changes that, and calls of the core are
 * counted.
 */
#ifndef MODEL_TEST_MOCK_WIRE_H
#define MODEL_TEST_MOCK_WIRE_H

#include <linux/types.h>
#include <stdbool.h>

#include "core/pager.h"

/**
 * struct mock_wire - calls that were counted, and results that the test sets
 * @init: number of calls of model_qp_ops.init
 * @modify: number of calls of model_qp_ops.modify
 * @stop: number of calls of model_qp_ops.stop
 * @sq_only: number of calls of model_qp_ops.stop with sq_only set
 * @destroy: number of calls of model_qp_ops.destroy
 * @resets: number of calls of model_transport.reset
 * @port_changes: number of calls of model_transport.port_changed
 * @resumed: number of calls of model_qp_ops.resume, by enum model_wait_side
 * @mask: mask of the last call of model_qp_ops.modify
 * @hold: take up no send entry, so that sends stay in progress
 * @fail: status with which the next send fails
 * @carrier: result of model_transport.carrier
 * @init_error: result of model_qp_ops.init
 */
struct mock_wire {
	unsigned int init;
	unsigned int modify;
	unsigned int stop;
	unsigned int sq_only;
	unsigned int destroy;
	unsigned int resets;
	unsigned int port_changes;
	unsigned int resumed[MODEL_WAIT_SIDES];
	u32 mask;
	bool hold;
	u8 fail;
	bool carrier;
	int init_error;
};

extern struct mock_wire mock_wire;
extern const struct model_transport mock_transport;

#endif /* MODEL_TEST_MOCK_WIRE_H */
