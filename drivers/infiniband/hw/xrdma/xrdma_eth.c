// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet channels: creates for each channel a raw packet queue pair of the
 * kernel and its completion queues, and polls them (NAPI). Receiving is in
 * xrdma_eth_rx.c, sending in xrdma_eth_tx.c, the distribution of received frames in
 * xrdma_eth_rss.c. xrdma_eth_port.c gives the channels to the port.
 */

#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_eq.h"
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"
#include "xrdma_kqp.h"
#include "xrdma_qp.h"
#include "xrdma_wq.h"

/*
 * Numbers that @num channels need. While number or size of the queues changes, the
 * former channels exist beside the new ones. A channel has a queue pair and two
 * completion queues; several channels have an RSS object, whose number is a QPN.
 */
static u32 xrdma_eth_qpns(u32 num)
{
	return 2 * (num + (num > 1));
}

static u32 xrdma_eth_cqns(u32 num)
{
	return 2 * 2 * num;
}

/**
 * xrdma_eth_max_channels() - number of channels that the device permits
 * @caps: capabilities of the device
 *
 * Channels may share an interrupt, so the number of interrupts is no limit. Several
 * channels need at most a quarter of the queues of the device.
 *
 * Context: any.
 * Return: 1 or more.
 */
u32 xrdma_eth_max_channels(const struct xrdma_caps *caps)
{
	const u64 needed = XRDMA_CAP_FLOW | XRDMA_CAP_ETH_RSS;
	u32 num = XRDMA_ETH_MAX_CHANNELS;

	if ((caps->flags & needed) != needed)
		return 1;
	while (num > 1 && (xrdma_eth_qpns(num) > caps->max_qp / 4 ||
			   xrdma_eth_cqns(num) > caps->max_cq / 4))
		num--;
	return num;
}

/**
 * xrdma_eth_reserve() - set the shares of the netdev in the numbers of queues
 * @xib: the device, without queues
 * @channels: largest number of channels
 *
 * Context: any.
 */
void xrdma_eth_reserve(struct xrdma_ibdev *xib, u32 channels)
{
	const struct xrdma_caps *caps = &xib->hw.caps;

	xib->port_qpns.num = min(xrdma_eth_qpns(channels),
				 caps->max_qp - XRDMA_QPN_FIRST);
	xib->port_cqns.num = min(xrdma_eth_cqns(channels), caps->max_cq - 1);
}

/**
 * xrdma_eth_default_channels() - number of channels unless the user sets another
 * @cpus: number of CPUs that are online
 * @vectors: number of interrupts for completions
 * @max: result of xrdma_eth_max_channels()
 *
 * Context: any.
 * Return: a number such that each channel has a CPU and an interrupt of its own.
 */
u32 xrdma_eth_default_channels(u32 cpus, u32 vectors, u32 max)
{
	return max(min3(cpus, vectors, max), 1U);
}

/* ---- NAPI ------------------------------------------------------------------- */

/*
 * Arm a queue. The caller has polled the queue, and no longer owns the NAPI:
 * only napi_complete_done() knows whether an event is needed (busy polling and
 * deferred interrupts need none). So another CPU may poll and arm the queue at
 * the same time.
 *
 * No wakeup is lost. cq->lock orders the CPUs that arm. Each CPU advances ci
 * before it arms, so the last CPU that arms sees the final ci under the lock.
 * If the device wrote the entry at that ci before it could see the last arm
 * word, the last CPU finds the entry and schedules the NAPI. If the device
 * writes the entry later, it raises the event. If another CPU owns the NAPI,
 * napi_schedule() makes that CPU poll and arm again. A CPU that is not the last
 * to arm may see a ci that another CPU is advancing: then it schedules the NAPI
 * without need, or leaves the entry to the other CPU, which arms later.
 *
 * Return: true if the queue has an entry.
 */
static bool xrdma_eth_arm(struct xrdma_channel *ch, struct xrdma_cq *cq)
{
	unsigned long flags;
	bool missed;

	spin_lock_irqsave(&cq->lock, flags);
	xrdma_cq_arm(&ch->xn->xib->hw, cq, XRDMA_ARM_NEXT);
	missed = xrdma_cq_next(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return missed;
}

static int xrdma_napi_poll(struct napi_struct *napi, int budget)
{
	struct xrdma_channel *ch = container_of(napi, struct xrdma_channel,
						napi);
	int work = xrdma_rx_poll(ch, budget);
	bool missed;

	xrdma_tx_poll(ch, budget);
	if (work >= budget || !napi_complete_done(napi, work))
		return work;

	missed = xrdma_eth_arm(ch, &ch->rx_cq);
	missed |= xrdma_eth_arm(ch, &ch->tx_cq);
	if (missed)
		napi_schedule(napi);
	return work;
}

static void xrdma_tx_comp(struct xrdma_cq *cq)
{
	napi_schedule(&container_of(cq, struct xrdma_channel, tx_cq)->napi);
}

static void xrdma_rx_comp(struct xrdma_cq *cq)
{
	napi_schedule(&container_of(cq, struct xrdma_channel, rx_cq)->napi);
}

/* ---- one channel --------------------------------------------------------- */

/* The queue pair has failed: request new queues. */
static void xrdma_eth_event(struct ib_event *event, void *context)
{
	struct xrdma_channel *ch = context;

	if (xrdma_netdev_restart(ch->xn) && net_ratelimit())
		netdev_err(ch->xn->ndev, "QP %u has failed with event %u, \"%s\": new queues are made\n",
			   ch->qp.qpn, event->event,
			   ib_event_msg(event->event));
}

static int xrdma_channel_create_queues(struct xrdma_channel *ch,
				       const struct xrdma_eth_shape *shape)
{
	struct xrdma_ibdev *xib = ch->xn->xib;
	u32 eqn = xrdma_comp_eqn(&xib->hw, ch->index);
	struct xrdma_qp_init init = {
		.type = XRDMA_QP_RAW,
		.pdn = ch->xn->pdn,
		.send_cq = &ch->tx_cq,
		.recv_cq = &ch->rx_cq,
		.has_rq = true,
		.send_wr = shape->tx_depth,
		.recv_wr = shape->rx_depth,
		.send_bytes = sizeof(struct xrdma_sq_wqe) +
			      sizeof(struct xrdma_eth_seg) +
			      XRDMA_TX_MAX_SGE * sizeof(struct xrdma_sge),
		.recv_sge = XRDMA_RX_PAGES,
	};
	int err;

	ch->tx_cq.port = true;
	ch->rx_cq.port = true;
	ch->qp.port = true;
	ch->tx_cq.comp = xrdma_tx_comp;
	ch->rx_cq.comp = xrdma_rx_comp;
	ch->qp.ibqp.event_handler = xrdma_eth_event;
	ch->qp.ibqp.qp_context = ch;

	err = xrdma_kcq_create(xib, &ch->tx_cq, shape->tx_depth, eqn);
	if (err)
		return err;
	err = xrdma_kcq_create(xib, &ch->rx_cq, shape->rx_depth, eqn);
	if (err)
		goto err_tx_cq;
	err = xrdma_kqp_create(xib, &ch->qp, &init);
	if (err)
		goto err_rx_cq;
	return 0;

err_rx_cq:
	xrdma_kcq_destroy(xib, &ch->rx_cq);
err_tx_cq:
	xrdma_kcq_destroy(xib, &ch->tx_cq);
	return err;
}

/*
 * Destroy the queues, but keep the indexes, which xrdma_channel_destroy() reads.
 */
static int xrdma_channel_stop_queues(struct xrdma_channel *ch)
{
	struct xrdma_ibdev *xib = ch->xn->xib;
	int err;

	err = xrdma_kqp_stop(xib, &ch->qp, &ch->tx_cq, &ch->rx_cq);
	xrdma_kcq_destroy(xib, &ch->rx_cq);
	xrdma_kcq_destroy(xib, &ch->tx_cq);
	return err;
}

static int xrdma_eth_moderate_cq(struct xrdma_netdev *xn,
				 const struct xrdma_cq *cq,
				 const struct xrdma_eth_moderation *m)
{
	u16 count = m->usecs && !m->frames ? U16_MAX : m->frames;

	return xrdma_cmd_modify_cq(&xn->xib->hw, cq->cqn, count, m->usecs);
}

static int xrdma_channel_moderate(struct xrdma_netdev *xn,
				  const struct xrdma_channel *ch)
{
	int err;

	err = xrdma_eth_moderate_cq(xn, &ch->rx_cq, &xn->rx_moderation);
	if (err)
		return err;
	return xrdma_eth_moderate_cq(xn, &ch->tx_cq, &xn->tx_moderation);
}

/* Post receive entries, and take the queue pair to RTS. */
static int xrdma_channel_start_queues(struct xrdma_channel *ch)
{
	static const u8 states[] = {
		XRDMA_QPS_INIT, XRDMA_QPS_RTR, XRDMA_QPS_RTS,
	};
	int i, err;

	err = xrdma_rx_fill(ch);
	if (!err)
		err = xrdma_channel_moderate(ch->xn, ch);
	for (i = 0; !err && i < ARRAY_SIZE(states); i++) {
		struct xrdma_qp_attr attr = { .state = states[i] };

		err = xrdma_cmd_modify_qp(&ch->xn->xib->hw, ch->qp.qpn,
					  XRDMA_QPM_STATE, &attr);
	}
	return err;
}

/* Destroy the queues. Free the memory that the device cannot access. */
static void xrdma_channel_destroy(struct xrdma_channel *ch)
{
	struct xrdma_wq *sq = &ch->qp.sq;
	bool quiet;

	netif_napi_del(&ch->napi);
	quiet = !xrdma_channel_stop_queues(ch);
	DEV_STATS_ADD(ch->xn->ndev, tx_dropped, sq->pi - sq->done);
	if (quiet) {
		xrdma_tx_drain(ch);
		xrdma_rx_drain(ch);
	}
	xrdma_rx_free_pool(ch, !quiet);
	xrdma_kqp_free(ch->xn->xib, &ch->qp, !quiet);
	kvfree(ch->tx);
	kvfree(ch->rx);
}

static int xrdma_channel_alloc(struct xrdma_channel *ch,
			       const struct xrdma_eth_shape *shape)
{
	int err = -ENOMEM;

	ch->rx = kvcalloc(shape->rx_depth, sizeof(*ch->rx), GFP_KERNEL);
	ch->tx = kvcalloc(shape->tx_depth, sizeof(*ch->tx), GFP_KERNEL);
	if (ch->rx && ch->tx)
		err = xrdma_rx_create_pool(ch, shape->rx_depth);
	if (err) {
		kvfree(ch->tx);
		kvfree(ch->rx);
	}
	return err;
}

static int xrdma_channel_create(struct xrdma_channel *ch,
				const struct xrdma_eth_shape *shape)
{
	int err;

	err = xrdma_channel_alloc(ch, shape);
	if (err)
		return err;
	/* before the queues are created, since their events use the NAPI */
	netif_napi_add(ch->xn->ndev, &ch->napi, xrdma_napi_poll);
	netif_napi_set_irq(&ch->napi,
			   xrdma_comp_irq(&ch->xn->xib->hw, ch->index));
	err = xrdma_channel_create_queues(ch, shape);
	if (err) {
		netif_napi_del(&ch->napi);
		xrdma_rx_free_pool(ch, false);
		kvfree(ch->tx);
		kvfree(ch->rx);
		return err;
	}
	err = xrdma_channel_start_queues(ch);
	if (err)
		xrdma_channel_destroy(ch);
	return err;
}

/* ---- all channels --------------------------------------------------------- */

/* With one channel, the port needs no hash. */
static int xrdma_eth_name(struct xrdma_netdev *xn, struct xrdma_eth *eth)
{
	if (eth->num > 1)
		return xrdma_eth_rss_create(xn, eth, &xn->rss, &eth->qpn);
	eth->qpn = eth->channel[0].qp.qpn;
	return 0;
}

/**
 * xrdma_eth_create() - create channels that can send and receive
 * @xn: the netdev, with its protection domain; other channels may exist
 * @shape: number and size of the queues
 *
 * Nothing polls the channels until xrdma_eth_start().
 *
 * Context: may sleep, under the RTNL.
 * Return: the channels, or -ENOMEM, or an error of a command.
 */
struct xrdma_eth *xrdma_eth_create(struct xrdma_netdev *xn,
				   const struct xrdma_eth_shape *shape)
{
	struct xrdma_eth *eth;
	int err = 0;
	u32 i;

	eth = kvzalloc_flex(*eth, channel, shape->channels);
	if (!eth)
		return ERR_PTR(-ENOMEM);
	eth->num = shape->channels;
	for (i = 0; !err && i < eth->num; i++) {
		eth->channel[i].xn = xn;
		eth->channel[i].index = i;
		err = xrdma_channel_create(&eth->channel[i], shape);
		if (err)
			break;
	}
	if (!err)
		err = xrdma_eth_name(xn, eth);
	if (!err)
		return eth;

	while (i--)
		xrdma_channel_destroy(&eth->channel[i]);
	kvfree(eth);
	return ERR_PTR(err);
}

/**
 * xrdma_eth_destroy() - destroy channels and free their memory
 * @xn: the netdev
 * @eth: channels of xrdma_eth_create(), which are not polled; the port no longer
 *	names them, or the device is dead
 *
 * Context: may sleep, under the RTNL.
 */
void xrdma_eth_destroy(struct xrdma_netdev *xn, struct xrdma_eth *eth)
{
	u32 i;

	if (eth->num > 1)
		xrdma_eth_rss_destroy(xn, eth->qpn);
	for (i = 0; i < eth->num; i++)
		xrdma_channel_destroy(&eth->channel[i]);
	kvfree(eth);
}

/**
 * xrdma_eth_moderate() - set the moderation of the interrupts in the device
 * @xn: the netdev
 * @eth: channels
 *
 * Context: may sleep, under the RTNL.
 * Return: 0 or an error of a command.
 */
int xrdma_eth_moderate(struct xrdma_netdev *xn, struct xrdma_eth *eth)
{
	int err = 0;
	u32 i;

	for (i = 0; !err && i < eth->num; i++)
		err = xrdma_channel_moderate(xn, &eth->channel[i]);
	return err;
}

static void xrdma_eth_map_napi(struct xrdma_channel *ch,
			       struct napi_struct *napi)
{
	struct net_device *ndev = ch->xn->ndev;

	netif_queue_set_napi(ndev, ch->index, NETDEV_QUEUE_TYPE_RX, napi);
	netif_queue_set_napi(ndev, ch->index, NETDEV_QUEUE_TYPE_TX, napi);
}

/**
 * xrdma_eth_resume() - poll the channels and send frames after xrdma_eth_stop()
 * @xn: the netdev, with channels that the port names
 *
 * The network stack still counts the bytes of the frames that were posted before
 * the stop (BQL), since the channels report these frames when they are sent.
 *
 * Context: may sleep, under the RTNL.
 */
void xrdma_eth_resume(struct xrdma_netdev *xn)
{
	u32 i;

	for (i = 0; i < xn->eth->num; i++) {
		struct xrdma_channel *ch = &xn->eth->channel[i];

		xrdma_eth_map_napi(ch, &ch->napi);
		napi_enable(&ch->napi);
		/* the first poll arms the queues */
		local_bh_disable();
		napi_schedule(&ch->napi);
		local_bh_enable();
	}
	/* the watchdog checks all transmit queues, also those not in use */
	netif_tx_wake_all_queues(xn->ndev);
}

/**
 * xrdma_eth_start() - poll new channels and send frames
 * @xn: the netdev, with channels that the port names, and that have sent no frame
 *
 * The network stack forgets the bytes that former channels had posted (BQL), also
 * those of transmit queues that are not in use now: BQL may have stopped such a
 * queue, and the watchdog checks it.
 *
 * Context: may sleep, under the RTNL.
 */
void xrdma_eth_start(struct xrdma_netdev *xn)
{
	u32 i;

	for (i = 0; i < xn->ndev->num_tx_queues; i++)
		netdev_tx_reset_queue(netdev_get_tx_queue(xn->ndev, i));
	xrdma_eth_resume(xn);
}

/**
 * xrdma_eth_stop() - stop sending and receiving frames
 * @xn: the netdev, after xrdma_eth_start() or xrdma_eth_resume()
 *
 * Stops polling before the transmit queues, since polling starts a stopped
 * transmit queue when the ring has room.
 *
 * Context: may sleep, under the RTNL.
 */
void xrdma_eth_stop(struct xrdma_netdev *xn)
{
	u32 i;

	for (i = 0; i < xn->eth->num; i++) {
		struct xrdma_channel *ch = &xn->eth->channel[i];

		napi_disable(&ch->napi);
		xrdma_eth_map_napi(ch, NULL);
	}
	/* the watchdog does not count the time before this stop */
	for (i = 0; i < xn->ndev->num_tx_queues; i++)
		txq_trans_cond_update(netdev_get_tx_queue(xn->ndev, i));
	netif_tx_disable(xn->ndev);
}
