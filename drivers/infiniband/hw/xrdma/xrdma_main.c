// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA module: wires the layers together: verbs to objects, events of the
 * device to objects, callbacks of the PCI core to the function. Nothing else
 * may know all of them.
 */

#include <linux/module.h>
#include "xrdma_function.h"
#include "xrdma_regs.h"
#include "xrdma_srq.h"
#include "xrdma_stats.h"

/* of every device; what only some offer is added when it is known */
const struct ib_device_ops xrdma_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_XRDMA,
	.uverbs_abi_ver = XRDMA_ABI_VERSION,
	.uverbs_robust_udata = 1,

	.add_gid = xrdma_add_gid,
	.attach_mcast = xrdma_attach_mcast,
	.alloc_dm = xrdma_alloc_dm,
	.alloc_hw_port_stats = xrdma_alloc_hw_port_stats,
	.alloc_mr = xrdma_alloc_mr,
	.alloc_mw = xrdma_alloc_mw,
	.alloc_pd = xrdma_alloc_pd,
	.alloc_ucontext = xrdma_alloc_ucontext,
	.alloc_xrcd = xrdma_alloc_xrcd,
	.create_ah = xrdma_create_ah,
	.create_cq = xrdma_create_cq,
	.create_qp = xrdma_create_qp,
	.create_srq = xrdma_create_srq,
	.create_user_ah = xrdma_create_ah,
	.dealloc_mw = xrdma_dealloc_mw,
	.dealloc_dm = xrdma_dealloc_dm,
	.dealloc_pd = xrdma_dealloc_pd,
	.dealloc_ucontext = xrdma_dealloc_ucontext,
	.dealloc_xrcd = xrdma_dealloc_xrcd,
	.del_gid = xrdma_del_gid,
	.dereg_mr = xrdma_dereg_mr,
	.destroy_ah = xrdma_destroy_ah,
	.destroy_cq = xrdma_destroy_cq,
	.destroy_qp = xrdma_destroy_qp,
	.destroy_srq = xrdma_destroy_srq,
	.detach_mcast = xrdma_detach_mcast,
	.disassociate_ucontext = xrdma_disassociate_ucontext,
	.fill_res_cq_entry = xrdma_fill_res_cq_entry,
	.fill_res_mr_entry = xrdma_fill_res_mr_entry,
	.fill_res_mr_entry_raw = xrdma_fill_res_mr_entry_raw,
	.fill_res_qp_entry = xrdma_fill_res_qp_entry,
	.fill_res_srq_entry = xrdma_fill_res_srq_entry,
	.get_dev_fw_str = xrdma_get_dev_fw_str,
	.get_dma_mr = xrdma_get_dma_mr,
	.get_hw_stats = xrdma_get_hw_stats,
	.get_link_layer = xrdma_get_link_layer,
	.get_port_immutable = xrdma_get_port_immutable,
	.map_mr_sg = xrdma_map_mr_sg,
	.mmap = xrdma_mmap,
	.mmap_free = xrdma_mmap_free,
	.modify_cq = xrdma_modify_cq,
	.modify_qp = xrdma_modify_qp,
	.modify_srq = xrdma_modify_srq,
	.poll_cq = xrdma_poll_cq,
	.post_destroy_cq = xrdma_post_destroy_cq,
	.post_recv = xrdma_post_recv,
	.post_send = xrdma_post_send,
	.post_srq_recv = xrdma_post_srq_recv,
	.pre_destroy_cq = xrdma_pre_destroy_cq,
	.query_ah = xrdma_query_ah,
	.query_device = xrdma_query_device,
	.query_pkey = xrdma_query_pkey,
	.query_port = xrdma_query_port,
	.query_qp = xrdma_query_qp,
	.query_srq = xrdma_query_srq,
	.query_ucontext = xrdma_query_ucontext,
	.reg_dm_mr = xrdma_reg_dm_mr,
	.reg_user_mr = xrdma_reg_user_mr,
	.reg_user_mr_dmabuf = xrdma_reg_user_mr_dmabuf,
	.req_notify_cq = xrdma_req_notify_cq,
	.rereg_user_mr = xrdma_rereg_user_mr,
	.resize_user_cq = xrdma_resize_user_cq,
	.ufile_hw_cleanup = xrdma_ufile_hw_cleanup,

	INIT_RDMA_OBJ_SIZE(ib_ah, xrdma_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, xrdma_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, xrdma_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, xrdma_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, xrdma_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, xrdma_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xrdma_ucontext, ibuc),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, xrdma_xrcd, ibxrcd),
};

/* ---- events of the device ---------------------------------------------- */

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
	case XRDMA_EVENT_PORT_DOWN:
		xrdma_netdev_link(xib, eqe->event == XRDMA_EVENT_PORT_UP);
		break;
	case XRDMA_EVENT_DEVICE_FATAL:
		xrdma_fatal(xdev, "it reports a fatal error");
		break;
	case XRDMA_EVENT_FAULT:
		xrdma_fault_report(xib, eqe);
		break;
	default:
		/* of a later minor version of the specification */
		break;
	}
}

/*
 * Work that is posted completes in software; users are told. Then what is left
 * of the device is taken down, and it is taken up again.
 */
static void xrdma_on_fatal(struct xrdma_dev *xdev)
{
	struct xrdma_ibdev *xib = xdev_to_xibdev(xdev);
	struct ib_event event = {
		.device = &xib->ibdev,
		.event = IB_EVENT_DEVICE_FATAL,
	};

	if (xrdma_hw_silence(xdev))
		xrdma_quarantine_release(xib);
	xrdma_netdev_link(xib, false);
	xrdma_flush_begin(xib);
	if (ib_device_try_get(&xib->ibdev)) {
		ib_dispatch_event(&event);
		ib_device_put(&xib->ibdev);
	}
	xrdma_function_recover(xdev->pdev);
}

const struct xrdma_event_ops xrdma_event_ops = {
	.comp = xrdma_on_comp,
	.async = xrdma_on_async,
	.fatal = xrdma_on_fatal,
};

/* ---- PCI driver ---------------------------------------------------------- */

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
	int err;

	xrdma_debugfs_init();
	err = pci_register_driver(&xrdma_pci_driver);
	if (err)
		xrdma_debugfs_exit();
	return err;
}
module_init(xrdma_module_init);

static void __exit xrdma_module_exit(void)
{
	pci_unregister_driver(&xrdma_pci_driver);
	xrdma_debugfs_exit();
}
module_exit(xrdma_module_exit);

MODULE_DESCRIPTION("XRDMA RDMA over Converged Ethernet adapter");
MODULE_AUTHOR("The XRDMA project");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_IMPORT_NS("DMA_BUF");
