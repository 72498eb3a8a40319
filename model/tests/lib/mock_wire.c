// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The mock of struct model_transport of mock_wire.h. Tests that use it link no
 * object file of folders wire/ and transport/.
 */
#include "core/device.h"
#include "tests/lib/mock_wire.h"

struct mock_wire mock_wire;

static int mock_init(struct model_qp *qp)
{
	(void)qp;
	mock_wire.init++;
	return mock_wire.init_error;
}

static void mock_modify(struct model_qp *qp, u32 mask, u8 old)
{
	(void)qp;
	(void)old;
	mock_wire.modify++;
	mock_wire.mask = mask;
}

static void mock_stop(struct model_qp *qp, bool sq_only)
{
	(void)qp;
	mock_wire.stop++;
	mock_wire.sq_only += sq_only;
}

static void mock_destroy(struct model_qp *qp)
{
	(void)qp;
	mock_wire.destroy++;
}

/* Complete or fail one entry per call. */
static bool mock_run(struct model_qp *qp)
{
	u8 wqe[MODEL_WQE_MAX] __attribute__((aligned(8)));
	const struct xrdma_sq_wqe *head = (void *)wqe;
	u8 status = mock_wire.fail;

	if (mock_wire.hold || qp->sq.ci == qp->sq.pi ||
	    qp->state != XRDMA_QPS_RTS ||
	    model_qp_read_sq(qp, qp->sq.ci, qp->sq.place, wqe))
		return false;
	mock_wire.fail = 0;
	if (status)
		model_qp_fail_send(qp, head, status, 0);
	else
		model_qp_complete_send(qp, head, 0);
	return true;
}

static void mock_resume(struct model_qp *qp, enum model_wait_side side)
{
	(void)qp;
	mock_wire.resumed[side]++;
}

static bool mock_idle(const struct model_qp *qp)
{
	(void)qp;
	return !mock_wire.hold;
}

static void mock_query(const struct model_qp *qp, struct xrdma_qp_attr *attr)
{
	(void)qp;
	(void)attr;
}

static const struct model_qp_ops mock_ops = {
	.init = mock_init,
	.modify = mock_modify,
	.stop = mock_stop,
	.destroy = mock_destroy,
	.run = mock_run,
	.resume = mock_resume,
	.idle = mock_idle,
	.query = mock_query,
};

static int transport_init(struct model_device *dev)
{
	(void)dev;
	return 0;
}

static void transport_destroy(struct model_device *dev)
{
	(void)dev;
}

static void transport_reset(struct model_device *dev)
{
	(void)dev;
	mock_wire.resets++;
}

static bool transport_poll(struct model_device *dev)
{
	(void)dev;
	return false;
}

static bool transport_carrier(const struct model_device *dev)
{
	(void)dev;
	return mock_wire.carrier;
}

static void transport_port_changed(struct model_device *dev)
{
	(void)dev;
	mock_wire.port_changes++;
}

const struct model_transport mock_transport = {
	.qp_ops = {
		[XRDMA_QP_RC] = &mock_ops,
		[XRDMA_QP_UC] = &mock_ops,
		[XRDMA_QP_UD] = &mock_ops,
		[XRDMA_QP_GSI] = &mock_ops,
		[XRDMA_QP_XRC_INI] = &mock_ops,
		[XRDMA_QP_XRC_TGT] = &mock_ops,
		[XRDMA_QP_RAW] = &mock_ops,
	},
	.init = transport_init,
	.destroy = transport_destroy,
	.reset = transport_reset,
	.poll = transport_poll,
	.carrier = transport_carrier,
	.port_changed = transport_port_changed,
};
