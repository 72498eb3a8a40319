// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA PCI function: decides when the device is brought up and taken down. The
 * device is up while the driver is bound, except during resets, bus errors and
 * suspends. A dead device is taken down and brought up again. The steps that
 * bring a device up and take it down are in xrdma_life.c.
 */

#include <linux/dma-mapping.h>
#include <linux/pci-p2pdma.h>
#include <linux/slab.h>
#include "xrdma_ctx.h"
#include "xrdma_flush.h"
#include "xrdma_function.h"
#include "xrdma_ibdev.h"
#include "xrdma_netdev.h"
#include "xrdma_regs.h"

/*
 * Seconds before each try to recover. A device that has worked for
 * XRDMA_GOOD_HEALTH_JIFFIES begins with the first element again.
 */
static const unsigned int xrdma_recovery_pauses[] = { 0, 1, 2, 4, 8 };
#define XRDMA_GOOD_HEALTH_JIFFIES	(60 * HZ)

/* ---- up and down ----------------------------------------------------------- */

static int xrdma_function_up(struct xrdma_function *fn)
{
	int err;

	lockdep_assert_held(&fn->lock);

	/*
	 * xrdma_slot_reset() restores this state: xrdma_life_begin() makes the
	 * function bus master, when the device has been reset.
	 */
	pci_clear_master(fn->pdev);
	pci_save_state(fn->pdev);
	err = xrdma_life_begin(fn);
	if (!err)
		fn->up_at = jiffies;
	return err;
}

static void xrdma_function_down(struct xrdma_function *fn)
{
	lockdep_assert_held(&fn->lock);

	if (fn->xib)
		xrdma_life_end(fn);
}

/* Take the device down, and prevent recovery until xrdma_function_release(). */
static void xrdma_function_hold(struct xrdma_function *fn)
{
	cancel_work_sync(&fn->restart);
	mutex_lock(&fn->lock);
	fn->held = true;
	xrdma_function_down(fn);
	mutex_unlock(&fn->lock);
}

/* ---- recovery -------------------------------------------------------------- */

static void xrdma_recovery_plan(struct xrdma_function *fn)
{
	lockdep_assert_held(&fn->lock);

	if (fn->tries == ARRAY_SIZE(xrdma_recovery_pauses)) {
		dev_err(&fn->pdev->dev,
			"the device is given up: it did not recover in %u tries\n",
			fn->tries);
		return;
	}
	mod_delayed_work(system_long_wq, &fn->recovery,
			 xrdma_recovery_pauses[fn->tries++] * HZ);
}

/*
 * Has the device died, but is still on the bus? The PCI core handles removal.
 */
static bool xrdma_recoverable(const struct xrdma_dev *xdev)
{
	return xrdma_dead(xdev) && xrdma_hw_present(xdev);
}

static void xrdma_recovery_step(struct xrdma_function *fn)
{
	lockdep_assert_held(&fn->lock);

	if (fn->held)
		return;
	if (!fn->xib) {
		if (xrdma_function_up(fn))
			xrdma_recovery_plan(fn);
		else
			dev_info(&fn->pdev->dev,
				 "the device works again, after try %u\n",
				 fn->tries);
	} else if (xrdma_recoverable(&fn->xib->hw)) {
		if (time_after(jiffies, fn->up_at + XRDMA_GOOD_HEALTH_JIFFIES))
			fn->tries = 0;
		xrdma_function_down(fn);
		xrdma_recovery_plan(fn);
	}
}

static void xrdma_recovery_work(struct work_struct *work)
{
	struct xrdma_function *fn = container_of(to_delayed_work(work),
						 struct xrdma_function,
						 recovery);

	mutex_lock(&fn->lock);
	xrdma_recovery_step(fn);
	mutex_unlock(&fn->lock);
}

/* Bring the device up after xrdma_function_hold(), or plan more tries. */
static int xrdma_function_release(struct xrdma_function *fn)
{
	int err = 0;

	mutex_lock(&fn->lock);
	fn->held = false;
	fn->tries = 0;
	xrdma_function_down(fn);
	err = xrdma_function_up(fn);
	if (err)
		xrdma_recovery_plan(fn);
	mutex_unlock(&fn->lock);
	return err;
}

static void xrdma_restart_work(struct work_struct *work)
{
	xrdma_function_release(container_of(work, struct xrdma_function,
					    restart));
}

/* ---- resets and errors of the bus ------------------------------------------ */

/**
 * xrdma_reset_prepare() - pci_error_handlers.reset_prepare
 * @pdev: the function, which a user is about to reset
 *
 * Context: may sleep.
 */
void xrdma_reset_prepare(struct pci_dev *pdev)
{
	xrdma_function_hold(pci_get_drvdata(pdev));
}

/**
 * xrdma_reset_done() - pci_error_handlers.reset_done
 * @pdev: the function
 *
 * Context: may sleep.
 */
void xrdma_reset_done(struct pci_dev *pdev)
{
	xrdma_function_release(pci_get_drvdata(pdev));
}

/**
 * xrdma_error_detected() - pci_error_handlers.error_detected
 * @pdev: the function
 * @state: whether the device can be reached, and whether a reset can help
 *
 * Declares the device dead, and silences it if it can be reached: the reset of
 * the bus that follows prevents that. Takes the pages of the BARs from all
 * processes, since no write may be on its way to the device while the bus is
 * reset.
 *
 * Context: may sleep.
 * Return: PCI_ERS_RESULT_DISCONNECT after a permanent failure, else
 * PCI_ERS_RESULT_NEED_RESET.
 */
pci_ers_result_t xrdma_error_detected(struct pci_dev *pdev,
				      pci_channel_state_t state)
{
	struct xrdma_function *fn = pci_get_drvdata(pdev);

	/* else the device would be brought up while its bus has failed */
	cancel_work_sync(&fn->restart);
	mutex_lock(&fn->lock);
	fn->held = true;
	if (fn->xib) {
		xrdma_fatal(&fn->xib->hw, "its bus has failed, channel state %u",
			    (__force unsigned int)state);
		xrdma_hw_silence(&fn->xib->hw);
		xrdma_ctx_revoke(fn->xib);
	}
	mutex_unlock(&fn->lock);
	return state == pci_channel_io_perm_failure ?
	       PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_NEED_RESET;
}

/**
 * xrdma_slot_reset() - pci_error_handlers.slot_reset
 * @pdev: the function, after a reset of the bus
 *
 * Context: may sleep.
 * Return: PCI_ERS_RESULT_RECOVERED if the device answers, else
 * PCI_ERS_RESULT_DISCONNECT.
 */
pci_ers_result_t xrdma_slot_reset(struct pci_dev *pdev)
{
	pci_restore_state(pdev);
	/* Linux 6.12 restores a saved state only once */
	pci_save_state(pdev);
	return pci_device_is_present(pdev) ? PCI_ERS_RESULT_RECOVERED :
					     PCI_ERS_RESULT_DISCONNECT;
}

/**
 * xrdma_error_resume() - pci_error_handlers.resume
 * @pdev: the function
 *
 * A work item takes the device down and brings it up. The caller is the interrupt
 * thread of AER, which has real-time priority: there, consumers that leave the
 * device would run before those that they wait for.
 *
 * Context: may sleep.
 */
void xrdma_error_resume(struct pci_dev *pdev)
{
	struct xrdma_function *fn = pci_get_drvdata(pdev);

	queue_work(system_long_wq, &fn->restart);
}

/* ---- power ------------------------------------------------------------------ */

/**
 * xrdma_suspend() - dev_pm_ops.suspend, .freeze and .poweroff
 * @dev: the function
 *
 * Context: may sleep.
 * Return: 0
 */
int xrdma_suspend(struct device *dev)
{
	xrdma_function_hold(dev_get_drvdata(dev));
	return 0;
}

/**
 * xrdma_resume() - dev_pm_ops.resume, .thaw and .restore
 * @dev: the function
 *
 * Context: may sleep.
 * Return: 0, or an errno: the device is down, and recovery is planned.
 */
int xrdma_resume(struct device *dev)
{
	return xrdma_function_release(dev_get_drvdata(dev));
}

/**
 * xrdma_shutdown() - pci_driver.shutdown
 * @pdev: the function
 *
 * Silences the device, since the memory may belong to another kernel
 * afterwards. Consumers stay registered, and their requests complete with a
 * flush error.
 *
 * Context: may sleep.
 */
void xrdma_shutdown(struct pci_dev *pdev)
{
	struct xrdma_function *fn = pci_get_drvdata(pdev);

	cancel_work_sync(&fn->restart);
	mutex_lock(&fn->lock);
	fn->held = true;
	if (fn->xib) {
		xrdma_health_stop(&fn->xib->hw);
		xrdma_fatal(&fn->xib->hw, "the system shuts down");
		/* the device is dead: an event that the link is up has no effect */
		xrdma_netdev_link(fn->xib, false);
		xrdma_hw_silence(&fn->xib->hw);
		xrdma_flush_begin(fn->xib);
	}
	pci_clear_master(pdev);
	mutex_unlock(&fn->lock);
}

/* ---- probe and remove ------------------------------------------------------- */

static bool xrdma_pci_has_bars(struct pci_dev *pdev)
{
	return pci_resource_len(pdev, XRDMA_BAR_REGS) >= XRDMA_BAR_REGS_SIZE &&
	       pci_resource_len(pdev, XRDMA_BAR_DB) >= XRDMA_BAR_DB_SIZE;
}

static void xrdma_pci_exit(struct pci_dev *pdev)
{
	pci_release_mem_regions(pdev);
	pci_disable_device(pdev);
}

static int xrdma_pci_init(struct pci_dev *pdev)
{
	struct device *dev = &pdev->dev;
	int err;

	err = pci_enable_device_mem(pdev);
	if (err)
		return dev_err_probe(dev, err, "cannot enable the function\n");
	err = pci_request_mem_regions(pdev, KBUILD_MODNAME);
	if (err) {
		pci_disable_device(pdev);
		return dev_err_probe(dev, err, "the BARs are in use\n");
	}
	if (!xrdma_pci_has_bars(pdev))
		err = dev_err_probe(dev, -ENODEV, "the BARs are too small\n");
	if (!err)
		err = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(64));
	if (!err)
		err = pcim_p2pdma_init(pdev);
	/* with -EOPNOTSUPP the device works, but does not export its memory */
	if (err && err != -EOPNOTSUPP) {
		xrdma_pci_exit(pdev);
		return err;
	}
	/*
	 * the device has no limit; SCSI hosts on top of the device set a lower
	 * one
	 */
	dma_set_max_seg_size(dev, UINT_MAX);
	return 0;
}

static struct xrdma_function *xrdma_function_alloc(struct pci_dev *pdev)
{
	struct xrdma_function *fn = kzalloc_obj(*fn);

	if (!fn)
		return NULL;
	fn->pdev = pdev;
	fn->held = true;
	mutex_init(&fn->lock);
	INIT_DELAYED_WORK(&fn->recovery, xrdma_recovery_work);
	INIT_WORK(&fn->restart, xrdma_restart_work);
	pci_set_drvdata(pdev, fn);
	return fn;
}

static void xrdma_function_free(struct xrdma_function *fn)
{
	xrdma_function_hold(fn);
	/* the device is down: no code schedules the work item */
	cancel_delayed_work_sync(&fn->recovery);
	if (fn->netdev)
		xrdma_netdev_destroy(fn->netdev);
	mutex_destroy(&fn->lock);
	kfree(fn);
}

/**
 * xrdma_probe() - pci_driver.probe
 * @pdev: the function, whose device may be in any state, also enabled
 * @id: not used
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int xrdma_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct xrdma_function *fn;
	int err;

	fn = xrdma_function_alloc(pdev);
	if (!fn)
		return -ENOMEM;
	err = xrdma_pci_init(pdev);
	if (err)
		goto err_free;
	mutex_lock(&fn->lock);
	err = xrdma_function_up(fn);
	fn->held = err;
	mutex_unlock(&fn->lock);
	if (!err)
		return 0;
	xrdma_pci_exit(pdev);
err_free:
	xrdma_function_free(fn);
	return err;
}

/**
 * xrdma_remove() - pci_driver.remove
 * @pdev: the function
 *
 * Context: may sleep.
 */
void xrdma_remove(struct pci_dev *pdev)
{
	xrdma_function_free(pci_get_drvdata(pdev));
	xrdma_pci_exit(pdev);
}
