// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet queues: creates one raw packet queue pair of the kernel and its
 * completion queues, and polls them (NAPI). Receiving is in xrdma_eth_rx.c,
 * sending in xrdma_eth_tx.c. Addresses, MTU and other settings of the port are
 * in xrdma_netdev.c, ethtool is in xrdma_ethtool.c.
 */

#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_eq.h"
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"
#include "xrdma_kqp.h"
#include "xrdma_qp.h"
#include "xrdma_wq.h"

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
static bool xrdma_eth_arm(struct xrdma_netdev *xn, struct xrdma_cq *cq)
{
	unsigned long flags;
	bool missed;

	spin_lock_irqsave(&cq->lock, flags);
	xrdma_cq_arm(&xn->xib->hw, cq, XRDMA_ARM_NEXT);
	missed = xrdma_cq_next(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return missed;
}

static int xrdma_napi_poll(struct napi_struct *napi, int budget)
{
	struct xrdma_netdev *xn = container_of(napi, struct xrdma_netdev, napi);
	int work = xrdma_rx_poll(xn, budget);
	bool missed;

	xrdma_tx_poll(xn, budget);
	if (work >= budget || !napi_complete_done(napi, work))
		return work;

	missed = xrdma_eth_arm(xn, &xn->rx_cq);
	missed |= xrdma_eth_arm(xn, &xn->tx_cq);
	if (missed)
		napi_schedule(napi);
	return work;
}

static void xrdma_tx_comp(struct xrdma_cq *cq)
{
	napi_schedule(&container_of(cq, struct xrdma_netdev, tx_cq)->napi);
}

static void xrdma_rx_comp(struct xrdma_cq *cq)
{
	napi_schedule(&container_of(cq, struct xrdma_netdev, rx_cq)->napi);
}

/* ---- open and close ----------------------------------------------------- */

/* The queue pair has failed: request new queues. */
static void xrdma_eth_event(struct ib_event *event, void *context)
{
	struct xrdma_netdev *xn = context;

	if (xrdma_netdev_restart(xn) && net_ratelimit())
		netdev_err(xn->ndev, "QP %u has failed with event %u, \"%s\": new queues are made\n",
			   xn->qp.qpn, event->event,
			   ib_event_msg(event->event));
}

static int xrdma_eth_create_queues(struct xrdma_netdev *xn)
{
	struct xrdma_ibdev *xib = xn->xib;
	u32 eqn = xrdma_comp_eqn(&xib->hw, 0);
	struct xrdma_qp_init init = {
		.type = XRDMA_QP_RAW,
		.pdn = xn->pdn,
		.send_cq = &xn->tx_cq,
		.recv_cq = &xn->rx_cq,
		.has_rq = true,
		.send_wr = XRDMA_ETH_DEPTH,
		.recv_wr = XRDMA_ETH_DEPTH,
		.send_bytes = sizeof(struct xrdma_sq_wqe) +
			      sizeof(struct xrdma_eth_seg) +
			      XRDMA_TX_MAX_SGE * sizeof(struct xrdma_sge),
		.recv_sge = XRDMA_RX_PAGES,
	};
	int err;

	memset(&xn->tx_cq, 0, sizeof(xn->tx_cq));
	memset(&xn->rx_cq, 0, sizeof(xn->rx_cq));
	memset(&xn->qp, 0, sizeof(xn->qp));
	xn->tx_cq.comp = xrdma_tx_comp;
	xn->rx_cq.comp = xrdma_rx_comp;
	xn->qp.ibqp.event_handler = xrdma_eth_event;
	xn->qp.ibqp.qp_context = xn;
	xn->tx_published = 0;

	err = xrdma_kcq_create(xib, &xn->tx_cq, XRDMA_ETH_DEPTH, eqn);
	if (err)
		return err;
	err = xrdma_kcq_create(xib, &xn->rx_cq, XRDMA_ETH_DEPTH, eqn);
	if (err)
		goto err_tx_cq;
	err = xrdma_kqp_create(xib, &xn->qp, &init);
	if (err)
		goto err_rx_cq;
	return 0;

err_rx_cq:
	xrdma_kcq_destroy(xib, &xn->rx_cq);
err_tx_cq:
	xrdma_kcq_destroy(xib, &xn->tx_cq);
	return err;
}

/* Destroy the queues, but keep the indexes, which xrdma_eth_free() reads. */
static int xrdma_eth_stop_queues(struct xrdma_netdev *xn)
{
	int err;

	err = xrdma_kqp_stop(xn->xib, &xn->qp, &xn->tx_cq, &xn->rx_cq);
	xrdma_kcq_destroy(xn->xib, &xn->rx_cq);
	xrdma_kcq_destroy(xn->xib, &xn->tx_cq);
	return err;
}

static int xrdma_eth_moderate_cq(struct xrdma_netdev *xn,
				 const struct xrdma_cq *cq,
				 const struct xrdma_eth_moderation *m)
{
	u16 count = m->usecs && !m->frames ? U16_MAX : m->frames;

	return xrdma_cmd_modify_cq(&xn->xib->hw, cq->cqn, count, m->usecs);
}

/**
 * xrdma_eth_moderate() - set the moderation of the interrupts in the device
 * @xn: the netdev, with its queues
 *
 * Context: may sleep, under the RTNL.
 * Return: 0 or an error of a command.
 */
int xrdma_eth_moderate(struct xrdma_netdev *xn)
{
	int err;

	err = xrdma_eth_moderate_cq(xn, &xn->rx_cq, &xn->rx_moderation);
	if (err)
		return err;
	return xrdma_eth_moderate_cq(xn, &xn->tx_cq, &xn->tx_moderation);
}

static int xrdma_eth_start(struct xrdma_netdev *xn)
{
	static const u8 states[] = {
		XRDMA_QPS_INIT, XRDMA_QPS_RTR, XRDMA_QPS_RTS,
	};
	int i, err;

	err = xrdma_rx_fill(xn);
	if (!err)
		err = xrdma_eth_moderate(xn);
	for (i = 0; !err && i < ARRAY_SIZE(states); i++) {
		struct xrdma_qp_attr attr = { .state = states[i] };

		err = xrdma_cmd_modify_qp(&xn->xib->hw, xn->qp.qpn,
					  XRDMA_QPM_STATE, &attr);
	}
	return err;
}

/* Destroy the queues. Free the memory that the device cannot access. */
static void xrdma_eth_free(struct xrdma_netdev *xn)
{
	bool quiet = !xrdma_eth_stop_queues(xn);
	struct xrdma_wq *sq = &xn->qp.sq;

	DEV_STATS_ADD(xn->ndev, tx_dropped, sq->pi - sq->done);
	if (quiet) {
		xrdma_tx_drain(xn);
		xrdma_rx_drain(xn);
	}
	xrdma_rx_free_pool(xn, !quiet);
	xrdma_kqp_free(xn->xib, &xn->qp, !quiet);
}

/**
 * xrdma_eth_open() - create the queues and start them
 * @xn: the netdev, with its protection domain
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an error of a command.
 */
int xrdma_eth_open(struct xrdma_netdev *xn)
{
	int err;

	err = xrdma_rx_create_pool(xn);
	if (err)
		return err;
	/* before the queues are created, since their events use the NAPI */
	netif_napi_add(xn->ndev, &xn->napi, xrdma_napi_poll);
	err = xrdma_eth_create_queues(xn);
	if (err) {
		netif_napi_del(&xn->napi);
		xrdma_rx_free_pool(xn, false);
		return err;
	}
	err = xrdma_eth_start(xn);
	if (err) {
		xrdma_eth_close(xn);
		return err;
	}

	netdev_reset_queue(xn->ndev);
	napi_enable(&xn->napi);
	/* the first poll arms the queues */
	local_bh_disable();
	napi_schedule(&xn->napi);
	local_bh_enable();
	return 0;
}

/**
 * xrdma_eth_stop() - stop sending and receiving frames
 * @xn: the netdev, open
 *
 * Stops polling before the transmit queue, since polling starts a stopped
 * transmit queue when the ring has room.
 *
 * Context: may sleep.
 */
void xrdma_eth_stop(struct xrdma_netdev *xn)
{
	napi_disable(&xn->napi);
	netif_tx_disable(xn->ndev);
}

/**
 * xrdma_eth_close() - destroy the queues and free their memory
 * @xn: the netdev, after xrdma_eth_stop(); the port no longer delivers frames
 *	to the queue pair, or the device is dead
 *
 * Context: may sleep.
 */
void xrdma_eth_close(struct xrdma_netdev *xn)
{
	netif_napi_del(&xn->napi);
	xrdma_eth_free(xn);
}
