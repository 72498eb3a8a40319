// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet port, receive side scaling: the RSS object of the device that
 * distributes received frames over the channels. xrdma_eth_port.c gives the object to
 * the port, xrdma_ethtool_queues.c has the settings of the user.
 */

#include <linux/ethtool.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include "xrdma_cmd.h"
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"

/**
 * xrdma_eth_rss_reset() - make the default table
 * @rss: the settings, whose size is set
 * @channels: number of channels, over which the entries are distributed evenly
 *
 * Context: any.
 */
void xrdma_eth_rss_reset(struct xrdma_eth_rss *rss, u32 channels)
{
	u32 i;

	for (i = 0; i < rss->size; i++)
		rss->indir[i] = ethtool_rxfh_indir_default(i, channels);
}

/* Return: queue pairs of the table of @rss, which the caller frees, or NULL. */
static __le32 *xrdma_eth_rss_table(const struct xrdma_eth *eth,
				   const struct xrdma_eth_rss *rss)
{
	__le32 *table = kmalloc_array(rss->size, sizeof(*table), GFP_KERNEL);
	u32 i;

	for (i = 0; table && i < rss->size; i++)
		table[i] = cpu_to_le32(eth->channel[rss->indir[i]].qp.qpn);
	return table;
}

/**
 * xrdma_eth_rss_create() - create an RSS object
 * @xn: the netdev
 * @eth: the channels
 * @rss: the settings, whose table names channels of @eth
 * @qpn: gets the number of the object
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM when numbers or memory run out, or an error of the command.
 */
int xrdma_eth_rss_create(struct xrdma_netdev *xn, const struct xrdma_eth *eth,
			 const struct xrdma_eth_rss *rss, u32 *qpn)
{
	struct xrdma_cmd_create_rss cmd = {
		.fields = XRDMA_RSS_FIELDS,
		.log_size = ilog2(rss->size),
	};
	__le32 *table;
	int err;

	static_assert(sizeof(cmd.key) == sizeof(rss->key));
	memcpy(cmd.key, rss->key, sizeof(cmd.key));
	table = xrdma_eth_rss_table(eth, rss);
	if (!table)
		return -ENOMEM;
	err = xrdma_qpn_reserve(xn->xib, true, qpn);
	if (err)
		goto out;
	cmd.qpn = cpu_to_le32(*qpn);
	err = xrdma_cmd_create_rss(&xn->xib->hw, &cmd, table);
	if (err)
		xa_erase_irq(&xn->xib->qps, *qpn);
out:
	kfree(table);
	return err;
}

/**
 * xrdma_eth_rss_destroy() - destroy an RSS object that the port does not name
 * @xn: the netdev
 * @qpn: number of the object
 *
 * If the command fails, the number stays allocated, since the device may use it.
 *
 * Context: may sleep.
 */
void xrdma_eth_rss_destroy(struct xrdma_netdev *xn, u32 qpn)
{
	if (!xrdma_cmd_destroy_rss(&xn->xib->hw, qpn))
		xa_erase_irq(&xn->xib->qps, qpn);
}
