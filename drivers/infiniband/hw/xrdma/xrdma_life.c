// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA start and end of a device: brings the device up layer by layer after a
 * reset, and takes it down again. Only the network device stays
 * (xrdma_netdev.c). xrdma_function.c decides when the device is brought up and
 * taken down.
 */

#include <linux/delay.h>
#include <linux/pci-p2pdma.h>
#include <linux/random.h>
#include <net/net_namespace.h>
#include "xrdma_cc.h"
#include "xrdma_cmd.h"
#include "xrdma_cmdq.h"
#include "xrdma_counter.h"
#include "xrdma_ctx.h"
#include "xrdma_dm.h"
#include "xrdma_eq.h"
#include "xrdma_fault.h"
#include "xrdma_flow.h"
#include "xrdma_flush.h"
#include "xrdma_function.h"
#include "xrdma_ibdev.h"
#include "xrdma_inval.h"
#include "xrdma_key.h"
#include "xrdma_netdev.h"
#include "xrdma_odp.h"
#include "xrdma_quarantine.h"
#include "xrdma_regs.h"

/*
 * Time for consumers to see the flush errors of a dead device, before its
 * removal
 */
#define XRDMA_FLUSH_SEEN_MS	1000

/* Upper bound of the first number of queues; numbers wrap at the capability. */
#define XRDMA_FIRST_NUMBERS	16384

/* ---- device ---------------------------------------------------------------- */

static int xrdma_map(struct xrdma_dev *xdev)
{
	struct pci_dev *pdev = xdev->pdev;

	xdev->regs = pci_iomap(pdev, XRDMA_BAR_REGS, XRDMA_BAR_REGS_SIZE);
	xdev->db = pci_iomap(pdev, XRDMA_BAR_DB, XRDMA_DB_PAGE_SIZE);
	xdev->db_phys = pci_resource_start(pdev, XRDMA_BAR_DB);
	xdev->num_db_pages = XRDMA_NUM_DB_PAGES;
	xdev->push_phys = xdev->db_phys + XRDMA_BAR_DB_PUSH;
	if (!xdev->regs || !xdev->db)
		return -ENOMEM;
	/* only a device with its own memory has this BAR */
	xdev->dm_phys = pci_resource_start(pdev, XRDMA_BAR_DM);
	xdev->dm_size = pci_resource_len(pdev, XRDMA_BAR_DM);
	if (!xdev->dm_size)
		return 0;
	xdev->dm_bus = pci_bus_address(pdev, XRDMA_BAR_DM);
	xdev->dm_provider = pcim_p2pdma_provider(pdev, XRDMA_BAR_DM);
	xdev->dm = pci_iomap_wc(pdev, XRDMA_BAR_DM, 0);
	return xdev->dm ? 0 : -ENOMEM;
}

static void xrdma_unmap(struct xrdma_dev *xdev)
{
	if (xdev->dm)
		pci_iounmap(xdev->pdev, xdev->dm);
	if (xdev->db)
		pci_iounmap(xdev->pdev, xdev->db);
	if (xdev->regs)
		pci_iounmap(xdev->pdev, xdev->regs);
}

/*
 * Undo xrdma_core_start(), also after it has failed at any step. Memory is
 * freed only if the device has been silenced and cannot access it.
 */
static void xrdma_core_stop(struct xrdma_ibdev *xib)
{
	struct xrdma_dev *xdev = &xib->hw;
	bool quiet;

	/*
	 * The files of xrdma_cc.c and the work items of the key table send
	 * commands, which a silenced device does not answer.
	 */
	xrdma_cc_destroy(xib);
	if (xib->keys)
		xrdma_keys_stop(xib->keys);
	quiet = xrdma_hw_silence_unmapped(xdev);
	xrdma_eqs_stop(xdev);
	pci_clear_master(xdev->pdev);
	xrdma_counters_destroy(xib);
	xrdma_faults_destroy(xib);
	xrdma_dm_destroy(xib);
	if (!quiet) {
		xrdma_quarantine_abandon(xib);
		return;
	}
	xrdma_quarantine_release(xib);
	xrdma_odp_destroy(xib);
	if (xib->inval)
		xrdma_inval_destroy(xib);
	xrdma_eqs_destroy(xdev);
	if (xdev->cmdq)
		xrdma_cmdq_destroy(xdev);
	xrdma_cmd_stats_free(xdev);
	if (xib->keys)
		xrdma_keys_destroy(xib->keys);
}

/* INVALIDATE without a key: the device stops using replaced table pages. */
static int xrdma_core_fence_keys(void *context)
{
	return xrdma_cmd_invalidate(context, 0, 0);
}

/* Allocate the memory whose addresses the device needs before it is enabled. */
static int xrdma_core_alloc(struct xrdma_ibdev *xib)
{
	struct xrdma_dev *xdev = &xib->hw;
	struct xrdma_keys *keys;
	int err;

	keys = xrdma_keys_create(xrdma_to_dev(xdev), xrdma_core_fence_keys,
				 xdev);
	if (IS_ERR(keys))
		return PTR_ERR(keys);
	xib->keys = keys;
	xrdma_keys_show(keys, xrdma_debugfs_dir(xib));
	err = xrdma_cmdq_create(xdev);
	if (!err)
		err = xrdma_cmd_stats_alloc(xdev);
	return err ?: xrdma_inval_create(xib);
}

static int xrdma_core_enable(struct xrdma_ibdev *xib)
{
	struct xrdma_dev *xdev = &xib->hw;
	struct device *dev = xrdma_to_dev(xdev);
	int err;

	err = xrdma_hw_enable(xdev, xrdma_keys_root(xib->keys));
	if (err)
		return dev_err_probe(dev, err,
				     "the device does not start, register STATUS is %#x\n",
				     xrdma_hw_status(xdev));
	err = xrdma_cmd_query_device(xdev);
	if (err)
		return dev_err_probe(dev, err,
				     "QUERY_DEVICE has failed: the device does not say what it is\n");
	err = xrdma_keys_open(xib->keys, xdev->caps.log_max_keys);
	if (err)
		return err;
	err = xrdma_dm_create(xib);
	if (!err)
		err = xrdma_counters_create(xib);
	if (!err)
		err = xrdma_cc_create(xib);
	if (err)
		return err;
	err = xrdma_eqs_create(xdev);
	return err ?: xrdma_odp_create(xib);
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
				     "the device does not come out of reset, register STATUS is %#x\n",
				     xrdma_hw_status(xdev));
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

/* ---- verbs ----------------------------------------------------------------- */

/*
 * Register under @name, the previous name, or if it is in use, under a new one.
 */
static int xrdma_register_as(struct ib_device *ibdev, const char *name)
{
	int err = -ENFILE;

	if (name[0] && !strchr(name, '%'))
		err = ib_register_device(ibdev, name, ibdev->dev.parent);
	if (err == -ENFILE)
		err = ib_register_device(ibdev, "xrdma%d", ibdev->dev.parent);
	return err;
}

static int xrdma_register(struct xrdma_ibdev *xib,
			  const struct xrdma_function *fn)
{
	struct ib_device *ibdev = &xib->ibdev;
	struct xrdma_dev *xdev = &xib->hw;
	int err;

	ibdev->dev.parent = xrdma_to_dev(xdev);
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = xrdma_num_comp_vectors(xdev);
	ibdev->node_guid = xdev->caps.node_guid;
	static_assert(sizeof(ibdev->node_desc) == sizeof(fn->node_desc));
	memcpy(ibdev->node_desc, fn->node_desc, sizeof(fn->node_desc));
	ibdev->local_dma_lkey = XRDMA_KEY_LOCAL_DMA;
	ibdev->use_cq_dim = true;
	ib_set_device_ops(ibdev, &xrdma_ops);
	if (xdev->caps.flags & XRDMA_CAP_COUNTERS)
		ib_set_device_ops(ibdev, &xrdma_counter_ops);
	if (xdev->caps.flags & XRDMA_CAP_FLOW)
		ib_set_device_ops(ibdev, &xrdma_flow_ops);
	if (xdev->dm_provider)
		ib_set_device_ops(ibdev, &xrdma_export_ops);
	if (IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING) && xib->odp)
		ib_set_device_ops(ibdev, &xrdma_odp_ops);
	if (IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS))
		ibdev->driver_def = xrdma_uapi_defs;
	err = ib_device_set_netdev(ibdev, xib->netdev, 1);
	if (!err)
		err = xrdma_register_as(ibdev, fn->name);
	if (err)
		dev_err_probe(xrdma_to_dev(xdev), err,
			      "cannot register the RDMA device\n");
	return err;
}

/* ---- up and down -------------------------------------------------------- */

/*
 * The first numbers are random: after a reset, a packet of a peer that has the
 * number of an old queue pair is unlikely to match a new one.
 */
static void xrdma_numbers_init(struct xrdma_ibdev *xib)
{
	xa_init_flags(&xib->cqs, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&xib->qps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&xib->srqs, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	xib->next_cqn = get_random_u32_below(XRDMA_FIRST_NUMBERS);
	xib->next_qpn = get_random_u32_below(XRDMA_FIRST_NUMBERS);
	xib->next_srqn = get_random_u32_below(XRDMA_FIRST_NUMBERS);
	ida_init(&xib->pds);
	ida_init(&xib->xrcds);
	ida_init(&xib->flows);
	ida_init(&xib->db_pages);
	init_rwsem(&xib->bar_lock);
}

static void xrdma_numbers_destroy(struct xrdma_ibdev *xib)
{
	ida_destroy(&xib->db_pages);
	ida_destroy(&xib->flows);
	ida_destroy(&xib->xrcds);
	ida_destroy(&xib->pds);
	xa_destroy(&xib->srqs);
	xa_destroy(&xib->qps);
	xa_destroy(&xib->cqs);
}

/*
 * Find the network namespace that the RDMA device had before. It may have been deleted
 * since: then the next one belongs to the initial namespace, to which ib_core moves the
 * devices of a deleted namespace. The function keeps a cookie instead of a reference,
 * since a reference would keep the namespace alive while the device is down.
 * Return: the namespace, with a reference.
 */
static struct net *xrdma_get_net(u64 cookie)
{
	struct net *net, *found = NULL;

	rcu_read_lock();
	for_each_net_rcu(net) {
		if (net->net_cookie == cookie) {
			found = maybe_get_net(net);
			break;
		}
	}
	rcu_read_unlock();
	return found ?: get_net(&init_net);
}

static struct xrdma_ibdev *xrdma_alloc(struct pci_dev *pdev, struct net *net)
{
	struct xrdma_ibdev *xib;

	xib = ib_alloc_device_with_net(xrdma_ibdev, ibdev, net);
	if (!xib)
		return NULL;
	xib->hw.pdev = pdev;
	xib->hw.event_ops = &xrdma_event_ops;
	mutex_init(&xib->hw.silence_lock);
	xrdma_numbers_init(xib);
	xrdma_quarantine_init(&xib->quarantine);
	xrdma_flush_init(xib);
	return xib;
}

static void xrdma_free(struct xrdma_ibdev *xib)
{
	xrdma_flush_exit(xib);
	xrdma_numbers_destroy(xib);
	mutex_destroy(&xib->hw.silence_lock);
	ib_dealloc_device(&xib->ibdev);
}

/* Create the network device if there is none, else attach it to @xib. */
static int xrdma_attach(struct xrdma_function *fn, struct xrdma_ibdev *xib)
{
	struct net_device *netdev;
	int err;

	if (fn->netdev) {
		err = xrdma_netdev_attach(xib, fn->netdev);
	} else {
		netdev = xrdma_netdev_create(xib);
		err = PTR_ERR_OR_ZERO(netdev);
		if (!err)
			fn->netdev = netdev;
	}
	if (err)
		dev_err_probe(xrdma_to_dev(&xib->hw), err,
			      "cannot register the Ethernet port\n");
	return err;
}

/* Bring a device up whose RDMA device belongs to the network namespace @net. */
static int xrdma_life_begin_in(struct xrdma_function *fn, struct net *net)
{
	struct xrdma_ibdev *xib;
	int err;

	lockdep_assert_held(&fn->lock);

	xib = xrdma_alloc(fn->pdev, net);
	if (!xib)
		return -ENOMEM;
	err = xrdma_map(&xib->hw);
	if (!err)
		err = xrdma_core_start(xib);
	if (err)
		goto err_unmap;
	xrdma_health_start(&xib->hw);
	err = xrdma_attach(fn, xib);
	if (err)
		goto err_core;
	err = xrdma_register(xib, fn);
	if (err)
		goto err_netdev;
	fn->xib = xib;
	return 0;

err_netdev:
	xrdma_netdev_detach(xib);
err_core:
	xrdma_health_stop(&xib->hw);
	xrdma_core_stop(xib);
err_unmap:
	xrdma_unmap(&xib->hw);
	xrdma_free(xib);
	return err;
}

/**
 * xrdma_life_begin() - bring a device up
 * @fn: the function, enabled, without a device
 *
 * Logs the cause of a failure.
 *
 * Context: may sleep; @fn->lock is held.
 * Return: 0: consumers can use @fn->xib; or an errno: @fn->xib is NULL.
 */
int xrdma_life_begin(struct xrdma_function *fn)
{
	struct net *net = xrdma_get_net(fn->net_cookie);
	int err;

	/* once the device is registered, ib_core sees to it that its namespace exists */
	err = xrdma_life_begin_in(fn, net);
	put_net(net);
	return err;
}

/*
 * Give consumers time to see the flush errors of a dead device before the
 * device is unregistered. If the removal comes first, a consumer may wait for
 * its requests until they time out, which takes NVMe over Fabrics 30 seconds:
 * nvme_rdma_error_recovery() in drivers/nvme/host/rdma.c does nothing for a
 * controller that is being deleted. A consumer that has closed its connection
 * before the removal stays, and connects again when the device is back.
 */
static void xrdma_wait_flush_seen(struct xrdma_ibdev *xib)
{
	if (!xrdma_dead(&xib->hw))
		return;
	flush_work(&xib->hw.fatal_work);
	/* after a reset of the bus, a device that was frozen is quiet */
	if (!xrdma_flushing(xib) && xrdma_hw_silence(&xib->hw))
		xrdma_flush_begin(xib);
	flush_work(&xib->flush_work);
	msleep(XRDMA_FLUSH_SEEN_MS);
}

/**
 * xrdma_life_end() - take a device down
 * @fn: the function; its device may be dead or alive
 *
 * When this function returns, consumers are disconnected, their objects and the
 * memory of the device are freed, and the device is silent. The network device
 * stays, detached. Memory that a device may still access is not freed.
 *
 * Context: may sleep, takes the RTNL; @fn->lock is held.
 */
void xrdma_life_end(struct xrdma_function *fn)
{
	struct xrdma_ibdev *xib = fn->xib;

	lockdep_assert_held(&fn->lock);

	fn->xib = NULL;
	strscpy(fn->name, dev_name(&xib->ibdev.dev));
	xrdma_odp_close(xib);
	memcpy(fn->node_desc, xib->ibdev.node_desc, sizeof(fn->node_desc));
	/* deleting a namespace moves the device first, and frees it after a grace period */
	rcu_read_lock();
	fn->net_cookie = rdma_dev_net(&xib->ibdev)->net_cookie;
	rcu_read_unlock();
	xrdma_wait_flush_seen(xib);
	ib_unregister_device(&xib->ibdev);
	xrdma_netdev_detach(xib);
	xrdma_health_stop(&xib->hw);
	xrdma_core_stop(xib);
	xrdma_unmap(&xib->hw);
	xrdma_free(xib);
}
