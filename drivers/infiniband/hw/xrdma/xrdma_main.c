// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA module: registers the PCI driver, and creates its directory in debugfs and
 * the work queue of page faults.
 * The callbacks of the PCI driver are in xrdma_function.c, the table of verbs
 * is in xrdma_ops.c.
 */

#include <linux/module.h>
#include "xrdma_fault.h"
#include "xrdma_function.h"
#include "xrdma_odp.h"
#include "xrdma_regs.h"

static const struct pci_device_id xrdma_pci_ids[] = {
	{ PCI_DEVICE(XRDMA_PCI_VENDOR_ID, XRDMA_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, xrdma_pci_ids);

static const struct pci_error_handlers xrdma_err_handlers = {
	.error_detected = xrdma_error_detected,
	.slot_reset = xrdma_slot_reset,
	.resume = xrdma_error_resume,
	.reset_prepare = xrdma_reset_prepare,
	.reset_done = xrdma_reset_done,
};

static DEFINE_SIMPLE_DEV_PM_OPS(xrdma_pm_ops, xrdma_suspend, xrdma_resume);

static struct pci_driver xrdma_pci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = xrdma_pci_ids,
	.probe = xrdma_probe,
	.remove = xrdma_remove,
	.shutdown = xrdma_shutdown,
	.err_handler = &xrdma_err_handlers,
	.driver.pm = pm_sleep_ptr(&xrdma_pm_ops),
};

static int __init xrdma_module_init(void)
{
	int err = xrdma_odp_init();

	if (err)
		return err;
	xrdma_debugfs_init();
	err = pci_register_driver(&xrdma_pci_driver);
	if (err) {
		xrdma_debugfs_exit();
		xrdma_odp_exit();
	}
	return err;
}
module_init(xrdma_module_init);

static void __exit xrdma_module_exit(void)
{
	pci_unregister_driver(&xrdma_pci_driver);
	xrdma_debugfs_exit();
	xrdma_odp_exit();
}
module_exit(xrdma_module_exit);

MODULE_DESCRIPTION("XRDMA RDMA over Converged Ethernet adapter");
MODULE_AUTHOR("The XRDMA project");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_IMPORT_NS("DMA_BUF");
