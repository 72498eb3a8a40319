// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA time stamps of frames, and the PTP hardware clock. The host cannot set the
 * device clock, so this file calculates the time of the PTP hardware clock, and of
 * received and sent frames, from values of the device clock. xrdma_clock.c reads
 * the device clock. The PTP hardware clock stays registered while
 * xrdma_function.c takes the device down and brings the device up again.
 */

#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/timekeeping.h>
#include "xrdma_dev.h"
#include "xrdma_eth.h"
#include "xrdma_eth_tstamp.h"
#include "xrdma_hw.h"

/* Difference of the clocks of host and device that is no loss of power, in ns */
#define XRDMA_CLOCK_SLACK	NSEC_PER_SEC

/* ---- time ------------------------------------------------------------------ */

/**
 * xrdma_eth_time() - calculate the time from the device clock
 * @rate: how time follows from the device clock
 * @clock: value of the device clock, before or after that of @rate
 *
 * Context: any.
 * Return: the time, in ns.
 */
u64 xrdma_eth_time(const struct xrdma_eth_rate *rate, u64 clock)
{
	s64 delta = clock - rate->clock;

	if (delta < 0)
		return rate->ns - adjust_by_scaled_ppm(rate->clock - clock,
						       rate->scaled_ppm);
	return rate->ns + adjust_by_scaled_ppm(delta, rate->scaled_ppm);
}

/**
 * xrdma_eth_restarted() - find out whether the device has lost its power
 * @seen: a value of the device clock that was read before
 * @clock: value of the device clock now
 * @boot: time since the boot of the host now, in ns
 * @expected: gets the value that the device clock would have now if it had not
 *	stopped, by the clock of the host
 *
 * A device clock that has lost its power starts at a lower value. The two clocks may
 * differ by 1,000 ppm, and by XRDMA_CLOCK_SLACK.
 *
 * Context: any.
 * Return: true if @clock is lower than @seen or @expected permits.
 */
bool xrdma_eth_restarted(const struct xrdma_eth_seen *seen, u64 clock, u64 boot,
			 u64 *expected)
{
	u64 elapsed = boot - seen->boot;

	*expected = seen->clock + elapsed;
	return seen->boot &&
	       (clock < seen->clock ||
		clock + elapsed / 1000 + XRDMA_CLOCK_SLACK < *expected);
}

/* Return: the time of a completion. */
static ktime_t xrdma_eth_stamp(struct xrdma_eth_clock *ec,
			       const struct xrdma_cqe *cqe)
{
	unsigned int seq;
	u64 ns;

	do {
		seq = read_seqbegin(&ec->rate_lock);
		ns = xrdma_eth_time(&ec->rate, le64_to_cpu(cqe->timestamp));
	} while (read_seqretry(&ec->rate_lock, seq));
	return ns_to_ktime(ns);
}

static void xrdma_eth_set_rate(struct xrdma_eth_clock *ec,
			       const struct xrdma_eth_rate *rate)
{
	lockdep_assert_held(&ec->lock);

	/* netpoll reads the rate while interrupts are off */
	write_seqlock_irq(&ec->rate_lock);
	ec->rate = *rate;
	write_sequnlock_irq(&ec->rate_lock);
}

/* ---- PTP hardware clock ---------------------------------------------------- */

static int xrdma_phc_read(struct xrdma_eth_clock *ec, u64 *clock,
			  struct ptp_system_timestamp *sts)
{
	int err;

	lockdep_assert_held(&ec->lock);

	if (!ec->xdev)
		return -ENODEV;
	err = xrdma_hw_clock(ec->xdev, clock, sts);
	if (!err) {
		ec->seen.clock = *clock;
		ec->seen.boot = ktime_get_boottime_ns();
	}
	return err;
}

/*
 * The device clock has the value @clock, and has started anew since it was read last. It
 * would have the value @expected otherwise: let the time go on.
 */
static void xrdma_phc_continue(struct xrdma_eth_clock *ec, u64 clock,
			       u64 expected)
{
	struct xrdma_eth_rate rate = {
		.clock = clock,
		.ns = xrdma_eth_time(&ec->rate, expected),
		.scaled_ppm = ec->rate.scaled_ppm,
	};

	xrdma_eth_set_rate(ec, &rate);
}

static int xrdma_phc_gettimex64(struct ptp_clock_info *info,
				struct timespec64 *ts,
				struct ptp_system_timestamp *sts)
{
	struct xrdma_eth_clock *ec = container_of(info, struct xrdma_eth_clock,
						  info);
	u64 clock;
	int err;

	mutex_lock(&ec->lock);
	err = xrdma_phc_read(ec, &clock, sts);
	if (!err)
		*ts = ns_to_timespec64(xrdma_eth_time(&ec->rate, clock));
	mutex_unlock(&ec->lock);
	return err;
}

/* From now on the time is @ns. Return: 0 or an errno of xrdma_phc_read(). */
static int xrdma_phc_set(struct xrdma_eth_clock *ec, u64 ns)
{
	struct xrdma_eth_rate rate = {
		.ns = ns,
		.scaled_ppm = ec->rate.scaled_ppm,
	};
	int err;

	err = xrdma_phc_read(ec, &rate.clock, NULL);
	if (!err)
		xrdma_eth_set_rate(ec, &rate);
	return err;
}

static int xrdma_phc_settime64(struct ptp_clock_info *info,
			       const struct timespec64 *ts)
{
	struct xrdma_eth_clock *ec = container_of(info, struct xrdma_eth_clock,
						  info);
	int err;

	mutex_lock(&ec->lock);
	err = xrdma_phc_set(ec, timespec64_to_ns(ts));
	mutex_unlock(&ec->lock);
	return err;
}

/* Needs no device: a clock whose device is being reset can be stepped. */
static int xrdma_phc_adjtime(struct ptp_clock_info *info, s64 delta)
{
	struct xrdma_eth_clock *ec = container_of(info, struct xrdma_eth_clock,
						  info);
	struct xrdma_eth_rate rate;

	mutex_lock(&ec->lock);
	rate = ec->rate;
	rate.ns += delta;
	xrdma_eth_set_rate(ec, &rate);
	mutex_unlock(&ec->lock);
	return 0;
}

/* The new rate applies from now on: the time does not jump. */
static int xrdma_phc_adjfine(struct ptp_clock_info *info, long scaled_ppm)
{
	struct xrdma_eth_clock *ec = container_of(info, struct xrdma_eth_clock,
						  info);
	struct xrdma_eth_rate rate = { .scaled_ppm = scaled_ppm };
	int err;

	mutex_lock(&ec->lock);
	err = xrdma_phc_read(ec, &rate.clock, NULL);
	if (!err) {
		rate.ns = xrdma_eth_time(&ec->rate, rate.clock);
		xrdma_eth_set_rate(ec, &rate);
	}
	mutex_unlock(&ec->lock);
	return err;
}

/* The clock has neither pins nor pulses. */
static int xrdma_phc_enable(struct ptp_clock_info *info,
			    struct ptp_clock_request *request, int on)
{
	return -EOPNOTSUPP;
}

static const struct ptp_clock_info xrdma_phc_info = {
	.owner = THIS_MODULE,
	.name = "xrdma",
	.max_adj = XRDMA_PHC_MAX_ADJ,
	.adjfine = xrdma_phc_adjfine,
	.adjtime = xrdma_phc_adjtime,
	.gettimex64 = xrdma_phc_gettimex64,
	.settime64 = xrdma_phc_settime64,
	.enable = xrdma_phc_enable,
};

/* ---- life ------------------------------------------------------------------ */

/**
 * xrdma_eth_clock_init() - initialise a clock without a device
 * @ec: the clock, zeroed
 *
 * Context: any.
 */
void xrdma_eth_clock_init(struct xrdma_eth_clock *ec)
{
	mutex_init(&ec->lock);
	seqlock_init(&ec->rate_lock);
}

/**
 * xrdma_eth_clock_register() - set the time, and register a PTP hardware clock
 * @ec: the clock, attached; has no effect if the device has no device clock
 * @parent: the PCI function
 *
 * Context: may sleep.
 * Return: 0, -EIO if the device does not answer, or an errno of the PTP core.
 */
int xrdma_eth_clock_register(struct xrdma_eth_clock *ec, struct device *parent)
{
	struct ptp_clock *ptp;
	int err;

	if (!ec->xdev)
		return 0;
	mutex_lock(&ec->lock);
	err = xrdma_phc_set(ec, ktime_get_real_ns());
	mutex_unlock(&ec->lock);
	if (err)
		return err;
	ec->info = xrdma_phc_info;
	ptp = ptp_clock_register(&ec->info, parent);
	if (IS_ERR(ptp))
		return PTR_ERR(ptp);
	/* NULL if the kernel has no PTP hardware clocks */
	ec->ptp = ptp;
	return 0;
}

/**
 * xrdma_eth_clock_unregister() - unregister the PTP hardware clock
 * @ec: the clock
 *
 * Context: may sleep.
 */
void xrdma_eth_clock_unregister(struct xrdma_eth_clock *ec)
{
	if (ec->ptp)
		ptp_clock_unregister(ec->ptp);
	ec->ptp = NULL;
}

/**
 * xrdma_eth_clock_attach() - use the device clock of a device
 * @ec: the clock, detached
 * @xdev: the device, after a reset; its registers are mapped until
 *	xrdma_eth_clock_detach()
 *
 * A reset does not change the device clock, so the time goes on. If the device has
 * lost its power, the time goes on by the clock of the host. The time never jumps
 * back.
 *
 * Context: may sleep, under the RTNL if the netdev is registered.
 */
void xrdma_eth_clock_attach(struct xrdma_eth_clock *ec, struct xrdma_dev *xdev)
{
	struct xrdma_eth_seen seen;
	u64 clock, expected;

	if (!(xdev->caps.flags & XRDMA_CAP_CLOCK)) {
		ec->config = (struct kernel_hwtstamp_config) {};
		return;
	}
	mutex_lock(&ec->lock);
	ec->xdev = xdev;
	seen = ec->seen;
	if (!xrdma_phc_read(ec, &clock, NULL) &&
	    xrdma_eth_restarted(&seen, clock, ec->seen.boot, &expected))
		xrdma_phc_continue(ec, clock, expected);
	mutex_unlock(&ec->lock);
}

/**
 * xrdma_eth_clock_detach() - stop using the device clock
 * @ec: the clock
 *
 * Until the clock is attached again, it cannot be read. xrdma_eth_clock_attach() needs
 * the last value of the device clock; it is not known of a device that is dead.
 *
 * Context: may sleep, under the RTNL if the netdev is registered.
 */
void xrdma_eth_clock_detach(struct xrdma_eth_clock *ec)
{
	u64 clock;

	mutex_lock(&ec->lock);
	xrdma_phc_read(ec, &clock, NULL);
	ec->xdev = NULL;
	mutex_unlock(&ec->lock);
}

/* ---- frames ---------------------------------------------------------------- */

/**
 * xrdma_rx_stamp() - write the time at which a frame was received
 * @ec: the clock
 * @skb: the frame
 * @cqe: copy of its completion
 *
 * Context: any.
 */
void xrdma_rx_stamp(struct xrdma_eth_clock *ec, struct sk_buff *skb,
		    const struct xrdma_cqe *cqe)
{
	if (READ_ONCE(ec->config.rx_filter) == HWTSTAMP_FILTER_ALL)
		skb_hwtstamps(skb)->hwtstamp = xrdma_eth_stamp(ec, cqe);
}

/**
 * xrdma_tx_stamp_wanted() - find out whether a frame needs a time stamp
 * @ec: the clock
 * @skb: the frame; is marked if it gets a time stamp when it has been sent
 *
 * Context: any.
 * Return: true if xrdma_tx_stamp() is to be called with the completion of @skb.
 */
bool xrdma_tx_stamp_wanted(const struct xrdma_eth_clock *ec,
			   struct sk_buff *skb)
{
	if (likely(!(skb_shinfo(skb)->tx_flags & SKBTX_HW_TSTAMP)) ||
	    READ_ONCE(ec->config.tx_type) != HWTSTAMP_TX_ON)
		return false;
	skb_shinfo(skb)->tx_flags |= SKBTX_IN_PROGRESS;
	return true;
}

/**
 * xrdma_tx_stamp() - report the time at which a frame was sent
 * @ec: the clock
 * @skb: the frame
 * @cqe: copy of its completion, which has succeeded
 *
 * Context: any.
 */
void xrdma_tx_stamp(struct xrdma_eth_clock *ec, struct sk_buff *skb,
		    const struct xrdma_cqe *cqe)
{
	struct skb_shared_hwtstamps stamps = {
		.hwtstamp = xrdma_eth_stamp(ec, cqe),
	};

	skb_tstamp_tx(skb, &stamps);
}

/* ---- settings -------------------------------------------------------------- */

/**
 * xrdma_ndo_hwtstamp_get() - net_device_ops.ndo_hwtstamp_get
 * @ndev: the netdev, attached
 * @config: set to the present settings
 *
 * Context: under the RTNL.
 * Return: 0, or -EOPNOTSUPP if the device has no device clock.
 */
int xrdma_ndo_hwtstamp_get(struct net_device *ndev,
			   struct kernel_hwtstamp_config *config)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	if (!xn->clock.xdev)
		return -EOPNOTSUPP;
	*config = xn->clock.config;
	return 0;
}

/**
 * xrdma_ndo_hwtstamp_set() - net_device_ops.ndo_hwtstamp_set
 * @ndev: the netdev, attached
 * @config: new settings; a filter of received frames becomes that of all frames,
 *	since the device stamps each frame
 * @extack: not used
 *
 * Context: under the RTNL.
 * Return: 0; -ERANGE if tx_type of @config is neither HWTSTAMP_TX_OFF nor
 * HWTSTAMP_TX_ON; -EOPNOTSUPP if the device has no device clock.
 */
int xrdma_ndo_hwtstamp_set(struct net_device *ndev,
			   struct kernel_hwtstamp_config *config,
			   struct netlink_ext_ack *extack)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct kernel_hwtstamp_config *now = &xn->clock.config;

	if (!xn->clock.xdev)
		return -EOPNOTSUPP;
	if (config->tx_type != HWTSTAMP_TX_OFF &&
	    config->tx_type != HWTSTAMP_TX_ON)
		return -ERANGE;
	if (config->rx_filter != HWTSTAMP_FILTER_NONE)
		config->rx_filter = HWTSTAMP_FILTER_ALL;
	WRITE_ONCE(now->tx_type, config->tx_type);
	WRITE_ONCE(now->rx_filter, config->rx_filter);
	return 0;
}

/**
 * xrdma_get_ts_info() - ethtool_ops.get_ts_info
 * @ndev: the netdev, attached
 * @info: set to the time stamps that can be had
 *
 * Context: may sleep.
 * Return: 0.
 */
int xrdma_get_ts_info(struct net_device *ndev,
		      struct kernel_ethtool_ts_info *info)
{
	const struct xrdma_eth_clock *ec;

	ec = &((struct xrdma_netdev *)netdev_priv(ndev))->clock;
	ethtool_op_get_ts_info(ndev, info);
	if (!READ_ONCE(ec->xdev))
		return 0;
	info->so_timestamping |= SOF_TIMESTAMPING_TX_HARDWARE |
				 SOF_TIMESTAMPING_RX_HARDWARE |
				 SOF_TIMESTAMPING_RAW_HARDWARE;
	if (ec->ptp)
		info->phc_index = ptp_clock_index(ec->ptp);
	info->tx_types = BIT(HWTSTAMP_TX_OFF) | BIT(HWTSTAMP_TX_ON);
	info->rx_filters = BIT(HWTSTAMP_FILTER_NONE) | BIT(HWTSTAMP_FILTER_ALL);
	return 0;
}
