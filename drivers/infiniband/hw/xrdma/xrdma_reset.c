// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA reset: checks that the device is present and has the right version,
 * resets and enables the device by its registers, and ends all DMA of a device
 * that has stopped working. xrdma_fatal() in xrdma_health.c declares the device
 * dead, xrdma_life.c calls reset and enable, and xrdma_cmdq.c sends commands.
 */

#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include "xrdma_dev.h"
#include "xrdma_regs.h"

/*
 * A reset may take one second by the specification. The driver waits for
 * longer, since a device that runs as software on a busy host may be late.
 */
#define XRDMA_RESET_US		5000000
#define XRDMA_ENABLE_US		5000000
#define XRDMA_POLL_US		100

/**
 * xrdma_hw_status() - read the STATUS register
 * @xdev: the device
 *
 * If STATUS reads as all ones, MAGIC, which never has that value, shows whether
 * the device answers. So one lost read does not count as a removed device.
 *
 * Context: any.
 * Return: the register, or XRDMA_GONE if the device does not answer reads.
 */
u32 xrdma_hw_status(const struct xrdma_dev *xdev)
{
	u32 status = readl(xdev->regs + XRDMA_REG_STATUS);

	if (status == XRDMA_GONE &&
	    readl(xdev->regs + XRDMA_REG_MAGIC) != XRDMA_GONE)
		status = readl(xdev->regs + XRDMA_REG_STATUS);
	return status;
}

/**
 * xrdma_hw_present() - does the device answer reads?
 * @xdev: the device
 *
 * Context: any.
 * Return: false if the registers read as all ones: the device has been removed,
 * or its link is down.
 */
bool xrdma_hw_present(const struct xrdma_dev *xdev)
{
	return xrdma_hw_status(xdev) != XRDMA_GONE;
}

/*
 * Clear capabilities that depend on one that the device lacks, or that do not
 * work on this machine. LOCAL_INV and SEND_INV invalidate a window of type 2, and
 * a device without FAST_REG does not implement these operations. Push is slow
 * without write-combining memory, and needs a BAR with push pages.
 */
static u64 xrdma_usable_caps(const struct xrdma_dev *xdev, u64 caps)
{
	if (!(caps & XRDMA_CAP_FAST_REG))
		caps &= ~(XRDMA_CAP_MW_TYPE_2A | XRDMA_CAP_MW_TYPE_2B);
	if (!arch_can_pci_mmap_wc() ||
	    pci_resource_len(xdev->pdev, XRDMA_BAR_DB) < XRDMA_BAR_DB_PUSH_SIZE)
		caps &= ~XRDMA_CAP_PUSH;
	return caps;
}

/**
 * xrdma_hw_check() - check identity and version, and read the capabilities
 * @xdev: the device, with its registers mapped
 *
 * Logs why the driver does not support the device.
 *
 * Context: process.
 * Return: 0 or -ENODEV.
 */
int xrdma_hw_check(struct xrdma_dev *xdev)
{
	u32 magic = readl(xdev->regs + XRDMA_REG_MAGIC);
	u32 version = readl(xdev->regs + XRDMA_REG_VERSION);
	u32 major = FIELD_GET(XRDMA_VERSION_MAJOR, version);

	if (magic == XRDMA_GONE)
		return dev_err_probe(xrdma_to_dev(xdev), -ENODEV,
				     "the device is not there: its registers read as all ones\n");
	if (magic != XRDMA_MAGIC)
		return dev_err_probe(xrdma_to_dev(xdev), -ENODEV,
				     "not an XRDMA device: its first register is %#x\n",
				     magic);
	if (major != XRDMA_CONTRACT_MAJOR)
		return dev_err_probe(xrdma_to_dev(xdev), -ENODEV,
				     "the device implements version %u of the specification, this driver version %u\n",
				     major, XRDMA_CONTRACT_MAJOR);
	xdev->caps.flags = xrdma_usable_caps(xdev,
					     readq(xdev->regs + XRDMA_REG_CAPS));
	return 0;
}

/*
 * Does a value of STATUS say that the device is quiet? READY is also set while the
 * device is enabled or in the fatal state, so a device that ignores writes to
 * its registers keeps READY.
 */
static bool xrdma_status_quiet(u32 status)
{
	return (status & (XRDMA_STATUS_READY | XRDMA_STATUS_ENABLED |
			  XRDMA_STATUS_FATAL | XRDMA_STATUS_CODE)) ==
	       XRDMA_STATUS_READY;
}

static int xrdma_hw_wait_reset(struct xrdma_dev *xdev)
{
	u32 status;
	int err;

	err = read_poll_timeout(xrdma_hw_status, status,
				status == XRDMA_GONE ||
				xrdma_status_quiet(status),
				XRDMA_POLL_US, XRDMA_RESET_US, false, xdev);
	return status == XRDMA_GONE ? -ENODEV : err;
}

/*
 * pci_reset_function() would call xrdma_reset_prepare() and xrdma_reset_done().
 * Processes that read or write the configuration space wait until it has been
 * restored. If the lock is taken, a reset of the PCI core holds it already, which
 * has called xrdma_reset_done(). Linux 6.12 restores a saved state only once.
 */
static int xrdma_hw_reset_function(struct xrdma_dev *xdev)
{
	struct pci_dev *pdev = xdev->pdev;
	bool locked;
	int err;

	locked = pci_cfg_access_trylock(pdev);
	err = pci_save_state(pdev);
	if (!err) {
		err = pcie_reset_flr(pdev, PCI_RESET_DO_RESET);
		pci_restore_state(pdev);
		pci_save_state(pdev);
	}
	if (locked)
		pci_cfg_access_unlock(pdev);
	return err;
}

/*
 * Reset the device by its CTRL register. While the PCI channel is frozen, writes
 * to registers are lost.
 */
static int xrdma_hw_reset_by_register(struct xrdma_dev *xdev)
{
	if (xdev->pdev->error_state == pci_channel_io_frozen)
		return -EIO;
	writel(XRDMA_CTRL_RESET, xdev->regs + XRDMA_REG_CTRL);
	return xrdma_hw_wait_reset(xdev);
}

/* While the PCI channel is frozen, a device that is present seems to be absent. */
static bool xrdma_hw_removed(struct xrdma_dev *xdev)
{
	return xdev->pdev->error_state != pci_channel_io_frozen &&
	       !pci_device_is_present(xdev->pdev);
}

/**
 * xrdma_hw_reset() - reset the device and wait until the reset is complete
 * @xdev: the device, which no process has mapped
 *
 * Resets the device by its CTRL register; if that fails, by a function level
 * reset. After a function level reset, the function refuses accesses to its BARs
 * until its configuration is restored, and the bus reports each refused access
 * as an error.
 *
 * Context: may sleep, for a bounded time.
 * Return: 0: the device accesses no host memory and raises no interrupt until
 * xrdma_hw_enable(); -ENODEV: the device is not present; -ETIMEDOUT: the device
 * does not become quiet; or an errno of the PCI core.
 */
int xrdma_hw_reset(struct xrdma_dev *xdev)
{
	int err = xrdma_hw_reset_by_register(xdev);

	if (!err || err == -EIO)
		return err;
	if (xrdma_hw_removed(xdev))
		return -ENODEV;
	err = xrdma_hw_reset_function(xdev);
	return err ?: xrdma_hw_wait_reset(xdev);
}

/*
 * Clear the Bus Master bit, and read it: a function that does not answer reads as
 * ones. Return: true if the bit is clear, and the device writes no host memory any
 * more.
 */
static bool xrdma_hw_clear_master(struct xrdma_dev *xdev)
{
	u16 command = PCI_COMMAND_MASTER;

	pci_clear_master(xdev->pdev);
	pci_read_config_word(xdev->pdev, PCI_COMMAND, &command);
	if (command & PCI_COMMAND_MASTER)
		return false;
	/* pairs with xrdma_writes_ended() */
	smp_store_release(&xdev->writes_ended, true);
	return true;
}

/* Does the function wait for answers to requests that it has sent? */
static bool xrdma_hw_pending(struct xrdma_dev *xdev)
{
	u16 status = PCI_EXP_DEVSTA_TRPND;

	pcie_capability_read_word(xdev->pdev, PCI_EXP_DEVSTA, &status);
	return status & PCI_EXP_DEVSTA_TRPND;
}

/*
 * End all DMA of a device that cannot be reset. A function that is no bus
 * master sends no request. Writes that the function has sent before arrive
 * before the function's answer to the read of PCI_COMMAND. Other requests of the
 * function have been answered when its bit Transactions Pending is clear (PCIe
 * 6.0, 7.5.1.1.3, 2.4.1 and 7.5.3.5).
 * xrdma_life_begin() makes the function bus master again, after a reset.
 * Return: true if DMA has ended.
 */
static bool xrdma_hw_disable_dma(struct xrdma_dev *xdev)
{
	return xrdma_hw_clear_master(xdev) &&
	       pci_wait_for_pending_transaction(xdev->pdev);
}

/*
 * Try all that ends DMA without a function level reset, and wait for it. While
 * the PCI channel is frozen, nothing can be tried, and the next call tries
 * again. Return: true if DMA has ended.
 */
static bool xrdma_hw_end_dma(struct xrdma_dev *xdev)
{
	if (!xrdma_hw_reset_by_register(xdev) || xrdma_hw_removed(xdev) ||
	    xrdma_hw_disable_dma(xdev))
		return true;
	xdev->silence_failed = xdev->pdev->error_state != pci_channel_io_frozen;
	return false;
}

/*
 * Has a device become quiet which xrdma_hw_end_dma() could not silence? Waits for
 * nothing: at the end of a process, this is asked for each object. A reset of the
 * bus, a removal or a late end of the pending requests makes the device quiet.
 */
static bool xrdma_hw_has_become_quiet(struct xrdma_dev *xdev)
{
	if (xdev->pdev->error_state == pci_channel_io_frozen)
		return false;
	return xrdma_status_quiet(xrdma_hw_status(xdev)) ||
	       xrdma_hw_removed(xdev) ||
	       (xrdma_hw_clear_master(xdev) && !xrdma_hw_pending(xdev));
}

static void xrdma_hw_set_quiet(struct xrdma_dev *xdev)
{
	lockdep_assert_held(&xdev->silence_lock);

	/* pairs with xrdma_writes_ended() */
	smp_store_release(&xdev->writes_ended, true);
	/* pairs with xrdma_quiet(): the reset comes before the flag */
	smp_store_release(&xdev->quiet, true);
}

/**
 * xrdma_hw_silence() - end all DMA of the device
 * @xdev: the device, in any state; dead afterwards
 *
 * Makes no function level reset, see xrdma_hw_reset(): processes may still write
 * to their doorbell pages, and the caller may hold locks under which these pages
 * cannot be taken from the processes.
 *
 * Only the first call waits for the device. If that call fails, the later calls
 * look at once whether the device has become quiet.
 *
 * Context: may sleep, for a bounded time.
 * Return: true if the device cannot access host memory any more, because it has
 * been reset, has been removed, or is no bus master; false if all of this
 * failed.
 */
bool xrdma_hw_silence(struct xrdma_dev *xdev)
{
	WRITE_ONCE(xdev->dead, 1);
	mutex_lock(&xdev->silence_lock);
	if (!xrdma_quiet(xdev) &&
	    (xdev->silence_failed ? xrdma_hw_has_become_quiet(xdev) :
				    xrdma_hw_end_dma(xdev)))
		xrdma_hw_set_quiet(xdev);
	mutex_unlock(&xdev->silence_lock);
	return xrdma_quiet(xdev);
}

/**
 * xrdma_hw_silence_unmapped() - end all DMA of a device that nobody uses
 * @xdev: the device, which no process has mapped; dead afterwards
 *
 * As xrdma_hw_silence(), and makes a function level reset if nothing else helps.
 *
 * Context: may sleep, for a bounded time.
 * Return: as xrdma_hw_silence().
 */
bool xrdma_hw_silence_unmapped(struct xrdma_dev *xdev)
{
	if (xrdma_hw_silence(xdev))
		return true;
	mutex_lock(&xdev->silence_lock);
	if (!xrdma_hw_reset_function(xdev) &&
	    (!xrdma_hw_wait_reset(xdev) || xrdma_hw_has_become_quiet(xdev)))
		xrdma_hw_set_quiet(xdev);
	mutex_unlock(&xdev->silence_lock);
	return xrdma_quiet(xdev);
}

/**
 * xrdma_hw_enable() - start the device
 * @xdev: the device, after a reset and xrdma_cmdq_create()
 * @mpt_root: translation root of the key table
 *
 * Context: may sleep, for a bounded time.
 * Return: 0; -ENODEV: the device is not present; -EIO: the device reports a
 * fatal error; -ETIMEDOUT: the device does not become enabled.
 */
int xrdma_hw_enable(struct xrdma_dev *xdev, u64 mpt_root)
{
	u32 status;
	int err;

	writeq(mpt_root, xdev->regs + XRDMA_REG_MPT_ROOT);
	writel(XRDMA_CTRL_ENABLE |
	       (xrdma_shadow_db(xdev) ? XRDMA_CTRL_SHADOW_DB : 0),
	       xdev->regs + XRDMA_REG_CTRL);
	err = readl_poll_timeout(xdev->regs + XRDMA_REG_STATUS, status,
				 status & (XRDMA_STATUS_ENABLED |
					   XRDMA_STATUS_FATAL),
				 XRDMA_POLL_US, XRDMA_ENABLE_US);
	if (status == XRDMA_GONE)
		return -ENODEV;
	return status & XRDMA_STATUS_FATAL ? -EIO : err;
}
