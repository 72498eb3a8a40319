// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA health: declares the device dead (xrdma_fatal()), and reads the STATUS
 * register once a second in a watchdog. Reset is in xrdma_reset.c. The handler
 * of the death, xrdma_on_fatal(), is in xrdma_events.c.
 */

#include <linux/bitfield.h>
#include <linux/stdarg.h>
#include <linux/workqueue.h>
#include "xrdma_cmdq.h"
#include "xrdma_dev.h"
#include "xrdma_regs.h"

#define XRDMA_WATCHDOG_JIFFIES	HZ

/**
 * xrdma_fatal() - declare the device dead
 * @xdev: the device
 * @fmt: printf() format of the reason for the log: a clause that says what
 *	happened to which object, with numbers. "it" in the clause means the
 *	device
 *
 * Only the first call has an effect: all commands in progress fail, new
 * commands are refused, and, if the watchdog runs, a work item calls
 * xrdma_event_ops.fatal.
 *
 * Context: any.
 */
void xrdma_fatal(struct xrdma_dev *xdev, const char *fmt, ...)
{
	struct va_format why = { .fmt = fmt };
	va_list args;

	if (cmpxchg(&xdev->dead, 0, 1))
		return;
	xrdma_cmdq_abort(xdev);
	if (!READ_ONCE(xdev->running))
		return;
	va_start(args, fmt);
	why.va = &args;
	dev_err(xrdma_to_dev(xdev), "the device is dead: %pV\n", &why);
	va_end(args);
	schedule_work(&xdev->fatal_work);
}

static void xrdma_fatal_work(struct work_struct *work)
{
	struct xrdma_dev *xdev = container_of(work, struct xrdma_dev,
					      fatal_work);

	xdev->event_ops->fatal(xdev);
}

static const char *const xrdma_fatal_codes[] = {
	[XRDMA_FATAL_NONE] = "no reason given",
	[XRDMA_FATAL_BAD_CONFIG] = "its configuration is illegal",
	[XRDMA_FATAL_DMA] = "a ring or table is out of its reach",
	[XRDMA_FATAL_INTERNAL] = "it has an internal failure",
};

static void xrdma_watchdog_check(struct xrdma_dev *xdev, u32 status)
{
	u32 code = FIELD_GET(XRDMA_STATUS_CODE, status);

	if (status == XRDMA_GONE)
		xrdma_fatal(xdev, "it is gone, register STATUS reads as %#x",
			    status);
	else if (status & XRDMA_STATUS_FATAL)
		xrdma_fatal(xdev, "register STATUS is %#x, fatal code %u: %s",
			    status, code,
			    code < ARRAY_SIZE(xrdma_fatal_codes) ?
			    xrdma_fatal_codes[code] :
			    "not known to the driver");
	else if (!(status & XRDMA_STATUS_ENABLED))
		xrdma_fatal(xdev, "somebody else has reset it, register STATUS is %#x",
			    status);
}

static void xrdma_watchdog(struct work_struct *work)
{
	struct xrdma_dev *xdev = container_of(to_delayed_work(work),
					      struct xrdma_dev, watchdog);

	/* a dead device may be in reset */
	if (xrdma_dead(xdev))
		return;
	xrdma_watchdog_check(xdev, xrdma_hw_status(xdev));
	if (!xrdma_dead(xdev))
		schedule_delayed_work(&xdev->watchdog, XRDMA_WATCHDOG_JIFFIES);
}

/**
 * xrdma_health_start() - start the watchdog, and let xrdma_fatal() log and
 *	report
 * @xdev: the device, enabled
 *
 * Context: process.
 */
void xrdma_health_start(struct xrdma_dev *xdev)
{
	INIT_WORK(&xdev->fatal_work, xrdma_fatal_work);
	INIT_DELAYED_WORK(&xdev->watchdog, xrdma_watchdog);
	WRITE_ONCE(xdev->running, true);
	schedule_delayed_work(&xdev->watchdog, 0);
}

/**
 * xrdma_health_stop() - stop the watchdog, and wait for the handler of a death
 * @xdev: the device
 *
 * An interrupt handler that calls xrdma_fatal() at the same time cannot start
 * the work item any more, because it is disabled.
 *
 * Context: may sleep.
 */
void xrdma_health_stop(struct xrdma_dev *xdev)
{
	cancel_delayed_work_sync(&xdev->watchdog);
	WRITE_ONCE(xdev->running, false);
	flush_work(&xdev->fatal_work);
	disable_work_sync(&xdev->fatal_work);
}
