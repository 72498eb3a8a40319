/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA time stamps of frames: structures and prototypes for xrdma_eth_tstamp.c.
 */

#ifndef XRDMA_ETH_TSTAMP_H
#define XRDMA_ETH_TSTAMP_H

#include <linux/mutex.h>
#include <linux/net_tstamp.h>
#include <linux/ptp_clock_kernel.h>
#include <linux/seqlock.h>
#include <linux/skbuff.h>

struct kernel_ethtool_ts_info;
struct net_device;
struct netlink_ext_ack;
struct xrdma_cqe;
struct xrdma_dev;
struct xrdma_eth_clock;

/* Largest change of the rate of the PTP hardware clock, in ppb */
#define XRDMA_PHC_MAX_ADJ	100000000

/**
 * struct xrdma_eth_rate - how time follows from the device clock
 * @clock: a value of the device clock, in ns
 * @ns: time at @clock, in ns
 * @scaled_ppm: how much faster the time is than the device clock, in 2^-16 ppm
 *
 * The device clock has 64 bits of ns, so it does not overflow, and the distance to
 * @clock may be of any length: nothing has to move @clock on from time to time.
 */
struct xrdma_eth_rate {
	u64 clock;
	u64 ns;
	long scaled_ppm;
};

/**
 * struct xrdma_eth_seen - a value of the device clock, and when it was read
 * @clock: value of the device clock, in ns
 * @boot: time since the boot of the host, suspends included, in ns; 0: the device
 *	clock has not been read
 */
struct xrdma_eth_seen {
	u64 clock;
	u64 boot;
};

/**
 * struct xrdma_eth_clock - PTP hardware clock, and settings of time stamps
 * @lock: protects @xdev and @seen, and serialises changes of @rate
 * @xdev: device with the device clock; NULL: the netdev is detached, or the
 *	device has no XRDMA_CAP_CLOCK. Also written under the RTNL
 * @seen: the last value of the device clock that was read
 * @rate_lock: protects @rate against readers in any context
 * @rate: the time of the PTP hardware clock
 * @info: operations of the PTP hardware clock
 * @ptp: the PTP hardware clock; NULL: the device has no device clock, or the
 *	kernel has no PTP hardware clocks
 * @config: which frames get time stamps; written under the RTNL
 */
struct xrdma_eth_clock {
	struct mutex lock; /* @xdev, @seen, changes of @rate */
	struct xrdma_dev *xdev;
	struct xrdma_eth_seen seen;
	seqlock_t rate_lock; /* @rate */
	struct xrdma_eth_rate rate;
	struct ptp_clock_info info;
	struct ptp_clock *ptp;
	struct kernel_hwtstamp_config config;
};

bool xrdma_eth_restarted(const struct xrdma_eth_seen *seen, u64 clock, u64 boot,
			 u64 *expected);
u64 xrdma_eth_time(const struct xrdma_eth_rate *rate, u64 clock);
void xrdma_eth_clock_init(struct xrdma_eth_clock *ec);
int xrdma_eth_clock_register(struct xrdma_eth_clock *ec, struct device *parent);
void xrdma_eth_clock_unregister(struct xrdma_eth_clock *ec);
void xrdma_eth_clock_attach(struct xrdma_eth_clock *ec, struct xrdma_dev *xdev);
void xrdma_eth_clock_detach(struct xrdma_eth_clock *ec);
void xrdma_rx_stamp(struct xrdma_eth_clock *ec, struct sk_buff *skb,
		    const struct xrdma_cqe *cqe);
bool xrdma_tx_stamp_wanted(const struct xrdma_eth_clock *ec,
			   struct sk_buff *skb);
void xrdma_tx_stamp(struct xrdma_eth_clock *ec, struct sk_buff *skb,
		    const struct xrdma_cqe *cqe);
int xrdma_ndo_hwtstamp_get(struct net_device *ndev,
			   struct kernel_hwtstamp_config *config);
int xrdma_ndo_hwtstamp_set(struct net_device *ndev,
			   struct kernel_hwtstamp_config *config,
			   struct netlink_ext_ack *extack);
int xrdma_get_ts_info(struct net_device *ndev,
		      struct kernel_ethtool_ts_info *info);

#endif /* XRDMA_ETH_TSTAMP_H */
