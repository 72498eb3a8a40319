/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA on kernels whose network stack reports a change of the address lists in
 * a context that may not sleep. A work item of each network device calls the
 * driver's operation later, under the RTNL.
 */

#ifndef XRDMA_COMPAT_RX_MODE_H
#define XRDMA_COMPAT_RX_MODE_H

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

/* The kernel calls the wrapper in this file. ops.h explains the macro. */
#define ndo_set_rx_mode_async ndo_set_rx_mode
#define xrdma_ndo_set_rx_mode(...) xrdma_native_ndo_set_rx_mode(__VA_ARGS__)

int xrdma_ndo_set_rx_mode(struct net_device *ndev,
			  struct netdev_hw_addr_list *uc,
			  struct netdev_hw_addr_list *mc);

struct xrdma_compat_rx_mode {
	struct net_device *ndev;
	struct work_struct work;
};

static inline void xrdma_compat_rx_mode_work(struct work_struct *work)
{
	struct xrdma_compat_rx_mode *rx =
		container_of(work, struct xrdma_compat_rx_mode, work);
	struct net_device *ndev = rx->ndev;

	rtnl_lock();
	if (netif_running(ndev) && netif_device_present(ndev))
		xrdma_ndo_set_rx_mode(ndev, &ndev->uc, &ndev->mc);
	rtnl_unlock();
}

static inline void (xrdma_ndo_set_rx_mode)(struct net_device *ndev)
{
	struct xrdma_compat_rx_mode *rx =
		netdev_get_ml_priv(ndev, ML_PRIV_NONE);

	schedule_work(&rx->work);
}

static inline int xrdma_compat_register_netdev(struct net_device *ndev)
{
	struct xrdma_compat_rx_mode *rx = kzalloc(sizeof(*rx), GFP_KERNEL);
	int err;

	if (!rx)
		return -ENOMEM;
	rx->ndev = ndev;
	INIT_WORK(&rx->work, xrdma_compat_rx_mode_work);
	netdev_set_ml_priv(ndev, rx, ML_PRIV_NONE);
	err = register_netdev(ndev);
	if (err)
		kfree(rx);
	return err;
}

static inline void xrdma_compat_unregister_netdev(struct net_device *ndev)
{
	struct xrdma_compat_rx_mode *rx =
		netdev_get_ml_priv(ndev, ML_PRIV_NONE);

	unregister_netdev(ndev);
	cancel_work_sync(&rx->work);
	kfree(rx);
}

#define register_netdev xrdma_compat_register_netdev
#define unregister_netdev xrdma_compat_unregister_netdev

#endif /* XRDMA_COMPAT_RX_MODE_H */
