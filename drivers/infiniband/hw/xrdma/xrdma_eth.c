// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet queues: creates one raw packet queue pair of the kernel and its
 * completion queues, polls them (NAPI), and receives frames into pages of a
 * pool. Sending is in xrdma_eth_tx.c. Addresses, MTU and other settings of the
 * port are in xrdma_netdev.c, ethtool is in xrdma_ethtool.c.
 */

#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <net/page_pool/helpers.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_eq.h"
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"
#include "xrdma_kqp.h"
#include "xrdma_post.h"
#include "xrdma_qp.h"
#include "xrdma_wq.h"

#define XRDMA_RX_HEADROOM	(NET_SKB_PAD + NET_IP_ALIGN)

/* ---- receive ---------------------------------------------------------------- */

static void xrdma_rx_post(struct xrdma_netdev *xn, struct page *page)
{
	struct xrdma_wq *rq = &xn->qp.rq;
	struct xrdma_rq_wqe *wqe = xrdma_wq_entry(rq, rq->pi);
	struct xrdma_sge *sge = (struct xrdma_sge *)(wqe + 1);
	dma_addr_t addr = page_pool_get_dma_addr(page) + XRDMA_RX_HEADROOM;

	memset(wqe, 0, sizeof(*wqe));
	wqe->num_sge = cpu_to_le16(1);
	sge->addr = cpu_to_le64(addr);
	sge->length = cpu_to_le32(xn->ndev->max_mtu + XRDMA_FRAME_EXTRA);
	sge->lkey = cpu_to_le32(XRDMA_KEY_LOCAL_DMA);
	xn->rx_pages[xrdma_ring_slot(rq->pi, rq->log_depth)] = page;
	rq->pi++;
}

static void xrdma_rx_deliver(struct xrdma_netdev *xn, struct page *page,
			     u32 len)
{
	size_t size = PAGE_SIZE << xn->rx_order;
	struct sk_buff *skb;

	page_pool_dma_sync_for_cpu(xn->pool, page, 0, len);
	skb = napi_build_skb(page_address(page), size);
	if (!skb) {
		page_pool_recycle_direct(xn->pool, page);
		dev_core_stats_rx_dropped_inc(xn->ndev);
		return;
	}
	skb_mark_for_recycle(skb);
	skb_reserve(skb, XRDMA_RX_HEADROOM);
	skb_put(skb, len);
	dev_sw_netstats_rx_add(xn->ndev, len);
	skb->protocol = eth_type_trans(skb, xn->ndev);
	napi_gro_receive(&xn->napi, skb);
}

/*
 * Post a new page and deliver the old one; without a new page drop the frame.
 */
static void xrdma_rx_one(struct xrdma_netdev *xn, u32 len)
{
	struct xrdma_wq *rq = &xn->qp.rq;
	struct page *page = xn->rx_pages[xrdma_ring_slot(rq->ci, rq->log_depth)];
	struct page *fresh = NULL;

	if (len >= ETH_HLEN &&
	    len <= xn->ndev->max_mtu + XRDMA_FRAME_EXTRA) {
		fresh = page_pool_dev_alloc_pages(xn->pool);
		if (!fresh)
			dev_core_stats_rx_dropped_inc(xn->ndev);
	} else {
		DEV_STATS_INC(xn->ndev, rx_errors);
	}

	rq->ci++;
	xrdma_rx_post(xn, fresh ?: page);
	if (fresh)
		xrdma_rx_deliver(xn, page, len);
}

/* The queue pair is in state ERR and receives no frames: do not post again. */
static void xrdma_rx_failed(struct xrdma_netdev *xn,
			    const struct xrdma_cqe *cqe)
{
	if (cqe->status != XRDMA_WC_WR_FLUSH_ERR)
		DEV_STATS_INC(xn->ndev, rx_errors);
	xrdma_eth_failed(xn, "receive", cqe);
}

static int xrdma_rx_poll(struct xrdma_netdev *xn, int budget)
{
	struct xrdma_cqe cqe;
	int work = 0;

	while (work < budget && xrdma_cq_read(&xn->rx_cq, &cqe)) {
		xn->rx_cq.ci++;
		work++;
		if (cqe.status == XRDMA_WC_SUCCESS)
			xrdma_rx_one(xn, le32_to_cpu(cqe.byte_len));
		else
			xrdma_rx_failed(xn, &cqe);
	}
	if (work) {
		xrdma_cq_update_ci(&xn->rx_cq);
		xrdma_publish_rq(&xn->qp);
	}
	return work;
}

static int xrdma_rx_fill(struct xrdma_netdev *xn)
{
	u32 i;

	for (i = 0; i < XRDMA_ETH_DEPTH; i++) {
		struct page *page = page_pool_dev_alloc_pages(xn->pool);

		if (!page)
			return -ENOMEM;
		xrdma_rx_post(xn, page);
	}
	xrdma_publish_rq(&xn->qp);
	return 0;
}

static void xrdma_rx_drain(struct xrdma_netdev *xn)
{
	struct xrdma_wq *rq = &xn->qp.rq;

	for (; rq->ci != rq->pi; rq->ci++) {
		u32 slot = xrdma_ring_slot(rq->ci, rq->log_depth);

		page_pool_put_full_page(xn->pool, xn->rx_pages[slot], false);
	}
}

static int xrdma_rx_create_pool(struct xrdma_netdev *xn)
{
	struct page_pool_params params = {
		.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV,
		.pool_size = XRDMA_ETH_DEPTH,
		.nid = NUMA_NO_NODE,
		.dev = xrdma_to_dev(&xn->xib->hw),
		.napi = &xn->napi,
		.netdev = xn->ndev,
		.dma_dir = DMA_FROM_DEVICE,
		.offset = XRDMA_RX_HEADROOM,
	};
	unsigned int frame = xn->ndev->max_mtu + XRDMA_FRAME_EXTRA;
	size_t size = SKB_DATA_ALIGN(XRDMA_RX_HEADROOM + frame) +
		      SKB_DATA_ALIGN(sizeof(struct skb_shared_info));

	xn->rx_order = get_order(size);
	params.order = xn->rx_order;
	params.max_len = frame;
	xn->pool = page_pool_create(&params);
	return PTR_ERR_OR_ZERO(xn->pool);
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
			      XRDMA_TX_MAX_SGE * sizeof(struct xrdma_sge),
		.recv_sge = 1,
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

static int xrdma_eth_start(struct xrdma_netdev *xn)
{
	static const u8 states[] = {
		XRDMA_QPS_INIT, XRDMA_QPS_RTR, XRDMA_QPS_RTS,
	};
	int i, err;

	err = xrdma_rx_fill(xn);
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
		page_pool_destroy(xn->pool);
	} else {
		/* sockets may return pages after the NAPI is freed */
		page_pool_disable_direct_recycling(xn->pool);
	}
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
		page_pool_destroy(xn->pool);
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
