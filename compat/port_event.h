/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA port events on kernels whose ib_core does not dispatch them when the
 * link of a netdev changes. A notifier of netdev events dispatches them; it is
 * registered with the first RDMA device and unregistered with the last one.
 */

#ifndef XRDMA_COMPAT_PORT_EVENT_H
#define XRDMA_COMPAT_PORT_EVENT_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

static inline void xrdma_compat_port_event(struct ib_device *ibdev,
					   struct net_device *netdev)
{
	bool up = netif_running(netdev) && netif_carrier_ok(netdev);
	struct ib_event event = {
		.device = ibdev,
		.event = up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
		.element.port_num = 1,
	};
	enum ib_port_state known;
	bool was_up;

	if (ib_get_cached_port_state(ibdev, 1, &known))
		return;
	was_up = known == IB_PORT_ACTIVE;
	if (up != was_up)
		ib_dispatch_event(&event);
}

static inline int xrdma_compat_netdev_event(struct notifier_block *nb,
					    unsigned long event, void *ptr)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(ptr);
	struct ib_device *ibdev;

	if (event != NETDEV_UP && event != NETDEV_DOWN &&
	    event != NETDEV_CHANGE)
		return NOTIFY_DONE;
	ibdev = ib_device_get_by_netdev(netdev, RDMA_DRIVER_XRDMA);
	if (ibdev) {
		xrdma_compat_port_event(ibdev, netdev);
		ib_device_put(ibdev);
	}
	return NOTIFY_DONE;
}

/*
 * Only xrdma_life.c registers devices: the variables are unused in other files.
 */
static __maybe_unused DEFINE_MUTEX(xrdma_compat_lock);
static __maybe_unused unsigned int xrdma_compat_devices;
static __maybe_unused struct notifier_block xrdma_compat_notifier = {
	.notifier_call = xrdma_compat_netdev_event,
};

static inline void xrdma_compat_unwatch(void)
{
	mutex_lock(&xrdma_compat_lock);
	if (!--xrdma_compat_devices)
		unregister_netdevice_notifier(&xrdma_compat_notifier);
	mutex_unlock(&xrdma_compat_lock);
}

static inline int xrdma_compat_watch(void)
{
	int err = 0;

	mutex_lock(&xrdma_compat_lock);
	if (!xrdma_compat_devices)
		err = register_netdevice_notifier(&xrdma_compat_notifier);
	if (!err)
		xrdma_compat_devices++;
	mutex_unlock(&xrdma_compat_lock);
	return err;
}

static inline int xrdma_compat_register_device(struct ib_device *ibdev,
					       const char *name,
					       struct device *dma_device)
{
	int err;

	err = xrdma_compat_watch();
	if (err)
		return err;
	err = ib_register_device(ibdev, name, dma_device);
	if (err)
		xrdma_compat_unwatch();
	return err;
}

static inline void xrdma_compat_unregister_device(struct ib_device *ibdev)
{
	ib_unregister_device(ibdev);
	xrdma_compat_unwatch();
}

#define ib_register_device xrdma_compat_register_device
#define ib_unregister_device xrdma_compat_unregister_device

#endif /* XRDMA_COMPAT_PORT_EVENT_H */
