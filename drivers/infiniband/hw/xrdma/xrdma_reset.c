// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA registers that start and stop the device: finds out whether it is there,
 * checks its version, resets and enables it, and makes sure that a device which
 * has stopped working touches host memory no more. When the device is declared
 * dead is decided elsewhere, by calls of xrdma_fatal() in xrdma_health.c; when it
 * is reset, in xrdma_life.c. Commands are in xrdma_cmdq.c.
 */

#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include "xrdma_dev.h"
#include "xrdma_regs.h"

/* The specification allows a reset one second; a busy host needs some more. */
#define XRDMA_RESET_US		5000000
#define XRDMA_ENABLE_US		5000000
#define XRDMA_POLL_US		100

/**
 * xrdma_hw_status() - read the STATUS register
 * @xdev: the device
 *
 * One read that is lost does not make a device gone: MAGIC is never all ones.
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
 * Return: false if it is gone.
 */
bool xrdma_hw_present(const struct xrdma_dev *xdev)
{
	return xrdma_hw_status(xdev) != XRDMA_GONE;
}

/*
 * Clear capabilities that lack another one. A window of type 2 is invalidated by
 * LOCAL_INV or SEND_INV, which a device without FAST_REG does not have.
 */
static u64 xrdma_usable_caps(u64 caps)
{
	if (!(caps & XRDMA_CAP_FAST_REG))
		caps &= ~(XRDMA_CAP_MW_TYPE_2A | XRDMA_CAP_MW_TYPE_2B);
	return caps;
}

/**
 * xrdma_hw_check() - is this a device that we can drive?
 * @xdev: the device, with its registers mapped
 *
 * Says what is wrong.
 *
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
	xdev->caps.flags = xrdma_usable_caps(readq(xdev->regs + XRDMA_REG_CAPS));
	return 0;
}

static int xrdma_hw_wait_reset(struct xrdma_dev *xdev)
{
	u32 status;
	int err;

	err = read_poll_timeout(xrdma_hw_status, status,
				status & XRDMA_STATUS_READY, XRDMA_POLL_US,
				XRDMA_RESET_US, false, xdev);
	return status == XRDMA_GONE ? -ENODEV : err;
}

/* Not pci_reset_function(), which would call our own handlers. */
static int xrdma_hw_reset_function(struct xrdma_dev *xdev)
{
	struct pci_dev *pdev = xdev->pdev;
	int err;

	err = pci_save_state(pdev);
	if (err)
		return err;
	err = pcie_reset_flr(pdev, PCI_RESET_DO_RESET);
	pci_restore_state(pdev);
	return err;
}

/*
 * By its register, else by a function level reset. While the link is frozen
 * there is no way to reset it, nor to know whether it is still there.
 */
static int xrdma_hw_stop(struct xrdma_dev *xdev)
{
	struct pci_dev *pdev = xdev->pdev;

	if (pdev->error_state == pci_channel_io_frozen)
		return -EIO;
	writel(XRDMA_CTRL_RESET, xdev->regs + XRDMA_REG_CTRL);
	if (!xrdma_hw_wait_reset(xdev))
		return 0;
	if (!pci_device_is_present(pdev))
		return -ENODEV;
	return xrdma_hw_reset_function(xdev);
}

/**
 * xrdma_hw_reset() - reset the device and wait until it is quiet
 * @xdev: the device
 *
 * Context: may sleep, for a bounded time.
 * Return: 0: the device touches no host memory and raises no interrupt until
 * it is enabled; -ENODEV: it is gone; -ETIMEDOUT: it does not come back; or an
 * errno of the PCI core.
 */
int xrdma_hw_reset(struct xrdma_dev *xdev)
{
	int err = xrdma_hw_stop(xdev);

	return err ?: xrdma_hw_wait_reset(xdev);
}

/*
 * The last resort: a function that is no bus master sends no request, and what
 * it has sent comes before its answer to a read (PCIe 6.0, 7.5.1.1.3 and 2.4.1).
 * Only the next life makes it one again, after a reset.
 */
static bool xrdma_hw_cut_off(struct xrdma_dev *xdev)
{
	u16 command = PCI_COMMAND_MASTER;

	pci_clear_master(xdev->pdev);
	pci_read_config_word(xdev->pdev, PCI_COMMAND, &command);
	return !(command & PCI_COMMAND_MASTER);
}

/**
 * xrdma_hw_silence() - make sure that the device touches host memory no more
 * @xdev: the device, in any state; dead afterwards
 *
 * Context: may sleep, for a bounded time.
 * Return: true if it is quiet: it has been reset, is no longer in the system,
 * or cannot reach memory.
 */
bool xrdma_hw_silence(struct xrdma_dev *xdev)
{
	int err = 0;

	WRITE_ONCE(xdev->dead, 1);
	mutex_lock(&xdev->silence_lock);
	if (!xrdma_quiet(xdev))
		err = xrdma_hw_stop(xdev);
	if (!err || err == -ENODEV || xrdma_hw_cut_off(xdev))
		/* pairs with xrdma_quiet() */
		smp_store_release(&xdev->quiet, true);
	mutex_unlock(&xdev->silence_lock);
	return xrdma_quiet(xdev);
}

/**
 * xrdma_hw_enable() - start the device
 * @xdev: the device, out of reset; it knows its command ring
 * @mpt_root: translation root of the key table
 *
 * Return: 0, -ENODEV: the device is gone; -EIO: it refuses; -ETIMEDOUT.
 */
int xrdma_hw_enable(struct xrdma_dev *xdev, u64 mpt_root)
{
	u32 status;
	int err;

	writeq(mpt_root, xdev->regs + XRDMA_REG_MPT_ROOT);
	writel(XRDMA_CTRL_ENABLE, xdev->regs + XRDMA_REG_CTRL);
	err = readl_poll_timeout(xdev->regs + XRDMA_REG_STATUS, status,
				 status & (XRDMA_STATUS_ENABLED |
					   XRDMA_STATUS_FATAL),
				 XRDMA_POLL_US, XRDMA_ENABLE_US);
	if (status == XRDMA_GONE)
		return -ENODEV;
	return status & XRDMA_STATUS_FATAL ? -EIO : err;
}
