// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA module: brings a PCI function up and down, layer by layer, and wires
 * the layers together: verbs to objects, events of the device to objects.
 * Nothing else may know all of them.
 */

#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include "xrdma_regs.h"
#include "xrdma_verbs.h"

static const struct ib_device_ops xrdma_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_XRDMA,
	.uverbs_abi_ver = XRDMA_ABI_VERSION,
	.uverbs_robust_udata = 1,

	.add_gid = xrdma_add_gid,
	.alloc_dm = xrdma_alloc_dm,
	.alloc_hw_port_stats = xrdma_alloc_hw_port_stats,
	.alloc_mr = xrdma_alloc_mr,
	.alloc_mw = xrdma_alloc_mw,
	.alloc_pd = xrdma_alloc_pd,
	.alloc_ucontext = xrdma_alloc_ucontext,
	.create_cq = xrdma_create_cq,
	.create_qp = xrdma_create_qp,
	.dealloc_mw = xrdma_dealloc_mw,
	.dealloc_dm = xrdma_dealloc_dm,
	.dealloc_pd = xrdma_dealloc_pd,
	.dealloc_ucontext = xrdma_dealloc_ucontext,
	.del_gid = xrdma_del_gid,
	.dereg_mr = xrdma_dereg_mr,
	.destroy_cq = xrdma_destroy_cq,
	.destroy_qp = xrdma_destroy_qp,
	.disassociate_ucontext = xrdma_disassociate_ucontext,
	.fill_res_cq_entry = xrdma_fill_res_cq_entry,
	.fill_res_mr_entry = xrdma_fill_res_mr_entry,
	.fill_res_mr_entry_raw = xrdma_fill_res_mr_entry_raw,
	.fill_res_qp_entry = xrdma_fill_res_qp_entry,
	.get_dev_fw_str = xrdma_get_dev_fw_str,
	.get_dma_mr = xrdma_get_dma_mr,
	.get_hw_stats = xrdma_get_hw_stats,
	.get_link_layer = xrdma_get_link_layer,
	.get_port_immutable = xrdma_get_port_immutable,
	.map_mr_sg = xrdma_map_mr_sg,
	.mmap = xrdma_mmap,
	.mmap_free = xrdma_mmap_free,
	.modify_qp = xrdma_modify_qp,
	.poll_cq = xrdma_poll_cq,
	.post_recv = xrdma_post_recv,
	.post_send = xrdma_post_send,
	.query_device = xrdma_query_device,
	.query_pkey = xrdma_query_pkey,
	.query_port = xrdma_query_port,
	.query_qp = xrdma_query_qp,
	.reg_dm_mr = xrdma_reg_dm_mr,
	.reg_user_mr = xrdma_reg_user_mr,
	.reg_user_mr_dmabuf = xrdma_reg_user_mr_dmabuf,
	.req_notify_cq = xrdma_req_notify_cq,
	.rereg_user_mr = xrdma_rereg_user_mr,
	.ufile_hw_cleanup = xrdma_ufile_hw_cleanup,

	INIT_RDMA_OBJ_SIZE(ib_cq, xrdma_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, xrdma_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, xrdma_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, xrdma_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xrdma_ucontext, ibuc),
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

/* Work that is posted completes in software; users are told. */
static void xrdma_on_fatal(struct xrdma_dev *xdev)
{
	struct xrdma_ibdev *xib = xdev_to_xibdev(xdev);
	struct ib_event event = {
		.device = &xib->ibdev,
		.event = IB_EVENT_DEVICE_FATAL,
	};

	if (xrdma_hw_silence(xdev, false))
		xrdma_quarantine_release(xib);
	xrdma_netdev_link(xib, false);
	xrdma_flush_dead(xib);
	if (ib_device_try_get(&xib->ibdev)) {
		ib_dispatch_event(&event);
		ib_device_put(&xib->ibdev);
	}
}

static const struct xrdma_event_ops xrdma_event_ops = {
	.comp = xrdma_on_comp,
	.async = xrdma_on_async,
	.fatal = xrdma_on_fatal,
};

/* ---- PCI function -------------------------------------------------------- */

static bool xrdma_pci_has_bars(struct pci_dev *pdev)
{
	return pci_resource_len(pdev, XRDMA_BAR_REGS) >= XRDMA_BAR_REGS_SIZE &&
	       pci_resource_len(pdev, XRDMA_BAR_DB) >= XRDMA_BAR_DB_SIZE;
}

static int xrdma_pci_map(struct xrdma_dev *xdev)
{
	struct pci_dev *pdev = xdev->pdev;

	xdev->regs = pci_iomap(pdev, XRDMA_BAR_REGS, XRDMA_BAR_REGS_SIZE);
	xdev->db = pci_iomap(pdev, XRDMA_BAR_DB, XRDMA_DB_PAGE_SIZE);
	xdev->db_phys = pci_resource_start(pdev, XRDMA_BAR_DB);
	xdev->num_db_pages = XRDMA_NUM_DB_PAGES;
	if (!xdev->regs || !xdev->db)
		return -ENOMEM;
	/* only a device with memory of its own has this one */
	xdev->dm_phys = pci_resource_start(pdev, XRDMA_BAR_DM);
	xdev->dm_size = pci_resource_len(pdev, XRDMA_BAR_DM);
	if (!xdev->dm_size)
		return 0;
	xdev->dm = pci_iomap_wc(pdev, XRDMA_BAR_DM, 0);
	return xdev->dm ? 0 : -ENOMEM;
}

static void xrdma_pci_unmap(struct xrdma_dev *xdev)
{
	if (xdev->dm)
		pci_iounmap(xdev->pdev, xdev->dm);
	if (xdev->db)
		pci_iounmap(xdev->pdev, xdev->db);
	if (xdev->regs)
		pci_iounmap(xdev->pdev, xdev->regs);
}

static void xrdma_pci_exit(struct xrdma_dev *xdev)
{
	xrdma_pci_unmap(xdev);
	pci_release_mem_regions(xdev->pdev);
	pci_disable_device(xdev->pdev);
}

static int xrdma_pci_init(struct xrdma_dev *xdev)
{
	struct pci_dev *pdev = xdev->pdev;
	struct device *dev = &pdev->dev;
	int err;

	err = pci_enable_device_mem(pdev);
	if (err)
		return dev_err_probe(dev, err, "cannot enable the function\n");
	err = pci_request_mem_regions(pdev, KBUILD_MODNAME);
	if (err) {
		pci_disable_device(pdev);
		return dev_err_probe(dev, err, "its BARs are in use\n");
	}
	if (!xrdma_pci_has_bars(pdev))
		err = dev_err_probe(dev, -ENODEV, "its BARs are too small\n");
	if (!err)
		err = xrdma_pci_map(xdev);
	if (!err)
		err = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(64));
	if (err) {
		xrdma_pci_exit(xdev);
		return err;
	}
	/* a piece of memory may be as long as it is: fewer, larger blocks */
	dma_set_max_seg_size(dev, UINT_MAX);
	return 0;
}

/* ---- what verbs and netdev share ------------------------------------------ */

/*
 * What xrdma_core_start() built, as far as it came. Memory is freed only when
 * the device cannot touch it any more.
 */
static void xrdma_core_stop(struct xrdma_ibdev *xib)
{
	struct xrdma_dev *xdev = &xib->hw;
	bool quiet = xrdma_hw_silence(xdev, true);

	xrdma_eqs_stop(xdev);
	pci_clear_master(xdev->pdev);
	xrdma_faults_destroy(xib);
	xrdma_dm_destroy(xib);
	if (!quiet) {
		dev_err(xrdma_to_dev(xdev),
			"the device cannot be reset: memory that it may use is lost\n");
		if (xib->inval)
			xrdma_quarantine_abandon(xib);
		return;
	}
	if (xib->inval) {
		xrdma_quarantine_release(xib);
		xrdma_inval_destroy(xib);
	}
	xrdma_eqs_destroy(xdev);
	if (xdev->cmdq)
		xrdma_cmdq_destroy(xdev);
	if (xib->keys)
		xrdma_keys_destroy(xib->keys);
}

/* Memory that the device has to know before it starts. */
static int xrdma_core_alloc(struct xrdma_ibdev *xib)
{
	struct xrdma_dev *xdev = &xib->hw;
	struct xrdma_keys *keys;
	int err;

	keys = xrdma_keys_create(xrdma_to_dev(xdev));
	if (IS_ERR(keys))
		return PTR_ERR(keys);
	xib->keys = keys;
	xrdma_keys_show(keys, xrdma_debugfs_dir(xib));
	err = xrdma_cmdq_create(xdev);
	return err ?: xrdma_inval_create(xib);
}

static int xrdma_core_enable(struct xrdma_ibdev *xib)
{
	struct xrdma_dev *xdev = &xib->hw;
	struct device *dev = xrdma_to_dev(xdev);
	int err;

	err = xrdma_hw_enable(xdev, xrdma_keys_root(xib->keys));
	if (err)
		return dev_err_probe(dev, err, "the device does not start\n");
	err = xrdma_cmd_query_device(xdev);
	if (err)
		return dev_err_probe(dev, err,
				     "the device does not say what it is\n");
	err = xrdma_keys_open(xib->keys, xdev->caps.log_max_keys);
	if (err)
		return err;
	err = xrdma_dm_create(xib);
	if (err)
		return err;
	err = xrdma_eqs_create(xdev);
	if (err)
		return dev_err_probe(dev, err, "cannot set up event queues\n");
	return 0;
}

static int xrdma_core_start(struct xrdma_ibdev *xib)
{
	struct xrdma_dev *xdev = &xib->hw;
	int err;

	err = xrdma_hw_check(xdev);
	if (err)
		return err;
	err = xrdma_hw_reset(xdev);
	if (err)
		return dev_err_probe(xrdma_to_dev(xdev), err,
				     "the device does not come out of reset\n");
	err = xrdma_faults_create(xib);
	if (err)
		return err;
	pci_set_master(xdev->pdev);
	err = xrdma_core_alloc(xib);
	if (!err)
		err = xrdma_core_enable(xib);
	if (err)
		xrdma_core_stop(xib);
	return err;
}

/* ---- verbs ------------------------------------------------------------------ */

static int xrdma_register(struct xrdma_ibdev *xib)
{
	struct ib_device *ibdev = &xib->ibdev;
	struct xrdma_dev *xdev = &xib->hw;
	int err;

	ibdev->dev.parent = xrdma_to_dev(xdev);
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = xrdma_num_comp_vectors(xdev);
	ibdev->node_guid = xdev->caps.node_guid;
	ib_set_device_ops(ibdev, &xrdma_ops);
	if (IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS))
		ibdev->driver_def = xrdma_uapi_defs;
	err = ib_device_set_netdev(ibdev, xib->netdev, 1);
	if (err)
		return err;
	return ib_register_device(ibdev, "xrdma%d", xrdma_to_dev(xdev));
}

static void xrdma_init(struct xrdma_ibdev *xib, struct pci_dev *pdev)
{
	xib->hw.pdev = pdev;
	xib->hw.event_ops = &xrdma_event_ops;
	ida_init(&xib->pds);
	ida_init(&xib->db_pages);
	xrdma_queues_create(xib);
}

static void xrdma_free(struct xrdma_ibdev *xib)
{
	xrdma_queues_destroy(xib);
	ida_destroy(&xib->db_pages);
	ida_destroy(&xib->pds);
	ib_dealloc_device(&xib->ibdev);
}

static int xrdma_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct device *dev = &pdev->dev;
	struct xrdma_ibdev *xib;
	int err;

	xib = ib_alloc_device(xrdma_ibdev, ibdev);
	if (!xib)
		return -ENOMEM;
	xrdma_init(xib, pdev);
	err = xrdma_pci_init(&xib->hw);
	if (err)
		goto err_free;
	err = xrdma_core_start(xib);
	if (err)
		goto err_pci;
	xrdma_health_start(&xib->hw);
	err = xrdma_netdev_create(xib);
	if (err) {
		dev_err_probe(dev, err, "cannot register the Ethernet port\n");
		goto err_core;
	}
	err = xrdma_register(xib);
	if (err) {
		dev_err_probe(dev, err, "cannot register the RDMA device\n");
		goto err_netdev;
	}
	pci_set_drvdata(pdev, xib);
	return 0;

err_netdev:
	xrdma_netdev_destroy(xib);
err_core:
	xrdma_health_stop(&xib->hw);
	xrdma_core_stop(xib);
err_pci:
	xrdma_pci_exit(&xib->hw);
err_free:
	xrdma_free(xib);
	return err;
}

static void xrdma_remove(struct pci_dev *pdev)
{
	struct xrdma_ibdev *xib = pci_get_drvdata(pdev);

	ib_unregister_device(&xib->ibdev);
	xrdma_netdev_destroy(xib);
	xrdma_health_stop(&xib->hw);
	xrdma_core_stop(xib);
	xrdma_pci_exit(&xib->hw);
	xrdma_free(xib);
}

/* The next kernel finds the device quiet. */
static void xrdma_shutdown(struct pci_dev *pdev)
{
	struct xrdma_ibdev *xib = pci_get_drvdata(pdev);

	xrdma_health_stop(&xib->hw);
	xrdma_hw_silence(&xib->hw, true);
	pci_clear_master(pdev);
}

static const struct pci_device_id xrdma_pci_ids[] = {
	{ PCI_DEVICE(XRDMA_PCI_VENDOR_ID, XRDMA_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, xrdma_pci_ids);

static struct pci_driver xrdma_pci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = xrdma_pci_ids,
	.probe = xrdma_probe,
	.remove = xrdma_remove,
	.shutdown = xrdma_shutdown,
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
