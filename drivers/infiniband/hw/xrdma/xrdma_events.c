// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA events: calls the handler of the object that an event names, and shuts
 * a dead device down. Events are read from the event queues in xrdma_eq.c.
 * Handlers are in the files of the objects: xrdma_cq.c, xrdma_qp.c,
 * xrdma_srq.c, xrdma_netdev.c, xrdma_fault.c, xrdma_odp_fault.c. xrdma_fatal() in xrdma_health.c
 * declares a device dead, xrdma_function.c recovers it.
 */

#include "xrdma_cq.h"
#include "xrdma_fault.h"
#include "xrdma_flush.h"
#include "xrdma_function.h"
#include "xrdma_ibdev.h"
#include "xrdma_netdev.h"
#include "xrdma_odp.h"
#include "xrdma_qp.h"
#include "xrdma_quarantine.h"
#include "xrdma_srq.h"

static void xrdma_on_comp(struct xrdma_dev *xdev, u32 cqn)
{
	xrdma_cq_completion(xdev_to_xibdev(xdev), cqn);
}

static void xrdma_on_async(struct xrdma_dev *xdev, const struct xrdma_eqe *eqe)
{
	struct xrdma_ibdev *xib = xdev_to_xibdev(xdev);
	u32 number = le32_to_cpu(eqe->number);

	switch (eqe->event) {
	case XRDMA_EVENT_CQ_ERR:
		xrdma_cq_event(xib, number, eqe->event);
		break;
	case XRDMA_EVENT_QP_FATAL:
	case XRDMA_EVENT_QP_REQ_ERR:
	case XRDMA_EVENT_QP_ACCESS_ERR:
	case XRDMA_EVENT_QP_COMM_EST:
	case XRDMA_EVENT_QP_SQ_DRAINED:
	case XRDMA_EVENT_QP_LAST_WQE:
		xrdma_qp_event(xib, number, eqe->event);
		break;
	case XRDMA_EVENT_SRQ_LIMIT:
	case XRDMA_EVENT_SRQ_ERR:
		xrdma_srq_event(xib, number, eqe->event);
		break;
	case XRDMA_EVENT_PORT_UP:
		xrdma_netdev_link(xib, true);
		/* xrdma_on_fatal() may have run in between */
		if (xrdma_dead(xdev))
			xrdma_netdev_link(xib, false);
		break;
	case XRDMA_EVENT_PORT_DOWN:
		xrdma_netdev_link(xib, false);
		break;
	case XRDMA_EVENT_DEVICE_FATAL:
		xrdma_fatal(xdev, "it reports a fatal error, register STATUS is %#x",
			    xrdma_hw_status(xdev));
		break;
	case XRDMA_EVENT_FAULT:
		xrdma_fault_report(xib, eqe);
		break;
	case XRDMA_EVENT_PAGE_FAULT:
		xrdma_odp_event(xib, eqe);
		break;
	default:
		/* a later minor version of the specification has more events */
		break;
	}
}

/* Schedule xrdma_recovery_work() of xrdma_function.c. */
static void xrdma_events_recover(struct pci_dev *pdev)
{
	struct xrdma_function *fn = pci_get_drvdata(pdev);

	mod_delayed_work(system_long_wq, &fn->recovery, 0);
}

/*
 * Called once when the device has been declared dead: take the link from the
 * network stack, silence the device, complete posted requests in software,
 * report IB_EVENT_DEVICE_FATAL to consumers, and schedule the recovery.
 */
static void xrdma_on_fatal(struct xrdma_dev *xdev)
{
	struct xrdma_ibdev *xib = xdev_to_xibdev(xdev);
	struct ib_event event = {
		.device = &xib->ibdev,
		.event = IB_EVENT_DEVICE_FATAL,
	};

	/*
	 * First, since a device that does not answer is silenced only after
	 * seconds: without a link, the network stack sends no frame, and its
	 * watchdog does not wait for one.
	 */
	xrdma_netdev_link(xib, false);
	if (xrdma_hw_silence(xdev))
		xrdma_quarantine_release(xib);
	xrdma_flush_begin(xib);
	if (ib_device_try_get(&xib->ibdev)) {
		ib_dispatch_event(&event);
		ib_device_put(&xib->ibdev);
	}
	xrdma_events_recover(xdev->pdev);
}

const struct xrdma_event_ops xrdma_event_ops = {
	.comp = xrdma_on_comp,
	.async = xrdma_on_async,
	.fatal = xrdma_on_fatal,
};
