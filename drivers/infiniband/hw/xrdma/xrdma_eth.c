// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet queues: sends and receives frames through one raw packet queue
 * pair of the kernel. Frames are received into pages of a pool, and sent from
 * the memory of the socket buffer without a copy. Addresses, MTU and other
 * settings of the port are in xrdma_netdev.c, ethtool is in xrdma_ethtool.c.
 */

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <net/netdev_queues.h>
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

/* A stopped transmit queue is started when this number of entries is free. */
#define XRDMA_TX_WAKE		(XRDMA_ETH_DEPTH / 4)
#define XRDMA_TX_WAIT_JIFFIES	HZ
#define XRDMA_RX_HEADROOM	(NET_SKB_PAD + NET_IP_ALIGN)
/* Bytes of a frame in addition to the MTU: Ethernet header and one VLAN tag */
#define XRDMA_FRAME_EXTRA	(ETH_HLEN + VLAN_HLEN)

/* Request new queues. Only the first of several failures is logged. */
static void xrdma_eth_failed(struct xrdma_netdev *xn, const char *what,
			     const struct xrdma_cqe *cqe)
{
	if (xrdma_netdev_restart(xn) && net_ratelimit())
		netdev_err(xn->ndev, "a %s of QP %u has failed with status %u, vendor error %u: new queues are made\n",
			   what, xn->qp.qpn, cqe->status,
			   le16_to_cpu(cqe->vendor_err));
}

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

/* ---- send ------------------------------------------------------------------- */

static void xrdma_tx_unmap(struct xrdma_netdev *xn, const struct xrdma_tx *tx)
{
	struct device *dev = xrdma_to_dev(&xn->xib->hw);
	unsigned int i;

	for (i = 0; i < tx->num; i++) {
		if (i)
			dma_unmap_page(dev, tx->addr[i], tx->len[i],
				       DMA_TO_DEVICE);
		else
			dma_unmap_single(dev, tx->addr[i], tx->len[i],
					 DMA_TO_DEVICE);
	}
}

/* Add a mapped piece of memory to a frame and to its send entry. */
static int xrdma_tx_add(struct xrdma_netdev *xn, struct xrdma_tx *tx,
			struct xrdma_sq_wqe *wqe, dma_addr_t addr, u32 len)
{
	struct xrdma_sge *sge = (struct xrdma_sge *)(wqe + 1) + tx->num;

	if (dma_mapping_error(xrdma_to_dev(&xn->xib->hw), addr))
		return -ENOMEM;
	sge->addr = cpu_to_le64(addr);
	sge->length = cpu_to_le32(len);
	sge->lkey = cpu_to_le32(XRDMA_KEY_LOCAL_DMA);
	tx->addr[tx->num] = addr;
	tx->len[tx->num] = len;
	tx->num++;
	return 0;
}

static int xrdma_tx_map(struct xrdma_netdev *xn, struct sk_buff *skb,
			struct xrdma_tx *tx, struct xrdma_sq_wqe *wqe)
{
	struct device *dev = xrdma_to_dev(&xn->xib->hw);
	int i, err;

	tx->skb = skb;
	tx->num = 0;
	err = xrdma_tx_add(xn, tx, wqe, dma_map_single(dev, skb->data,
						       skb_headlen(skb),
						       DMA_TO_DEVICE),
			   skb_headlen(skb));
	for (i = 0; !err && i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];
		u32 len = skb_frag_size(frag);

		err = xrdma_tx_add(xn, tx, wqe,
				   skb_frag_dma_map(dev, frag, 0, len,
						    DMA_TO_DEVICE), len);
	}
	if (err) {
		xrdma_tx_unmap(xn, tx);
		return err;
	}
	memset(wqe, 0, sizeof(*wqe));
	wqe->opcode = XRDMA_OP_SEND;
	wqe->flags = XRDMA_WQE_SIGNALED;
	wqe->num_sge = cpu_to_le16(tx->num);
	return 0;
}

/* Hand the posted frames to the device. */
static void xrdma_tx_publish(struct xrdma_netdev *xn)
{
	u32 old = xn->tx_published;

	/* orders writes to xn->tx before tx_published, for xrdma_tx_poll() */
	smp_store_release(&xn->tx_published, xn->qp.sq.pi);
	xrdma_publish_sq(&xn->qp, old);
}

/**
 * xrdma_eth_xmit() - net_device_ops.ndo_start_xmit
 * @skb: a frame
 * @ndev: the netdev
 *
 * Context: bottom halves are off; the transmit lock is held.
 * Return: NETDEV_TX_OK: the frame is sent or dropped, and counted; NETDEV_TX_BUSY:
 * the send ring is full, the queue is stopped, and the caller keeps the frame.
 */
netdev_tx_t xrdma_eth_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct netdev_queue *txq = netdev_get_tx_queue(ndev, 0);
	struct xrdma_wq *sq = &xn->qp.sq;
	u32 slot = xrdma_ring_slot(sq->pi, sq->log_depth);
	bool more = netdev_xmit_more();

	/*
	 * A full ring stops the queue, but the queue may run again: between the
	 * moment when netif_txq_completed_wake() sees room and the moment when
	 * it starts the queue, this function may fill the ring on another CPU.
	 */
	if (!netif_txq_maybe_stop(txq, xrdma_wq_room(sq), 1, XRDMA_TX_WAKE))
		return NETDEV_TX_BUSY;
	if (skb_put_padto(skb, ETH_ZLEN)) {
		dev_core_stats_tx_dropped_inc(ndev);
		goto publish;
	}
	/* the MTU may have been lowered after the frame was built */
	if (skb->len > READ_ONCE(ndev->mtu) + XRDMA_FRAME_EXTRA ||
	    (skb_shinfo(skb)->nr_frags >= sq->max_sge && skb_linearize(skb)) ||
	    xrdma_tx_map(xn, skb, &xn->tx[slot], xrdma_wq_entry(sq, sq->pi))) {
		dev_core_stats_tx_dropped_inc(ndev);
		dev_kfree_skb_any(skb);
		goto publish;
	}

	skb_tx_timestamp(skb);
	dev_sw_netstats_tx_add(ndev, 1, skb->len);
	WRITE_ONCE(sq->pi, sq->pi + 1);
	more = !__netdev_tx_sent_queue(txq, skb->len, more);
	if (netif_txq_maybe_stop(txq, xrdma_wq_room(sq), 1, XRDMA_TX_WAKE) < 1)
		more = false;
publish:
	if (!more && sq->pi != xn->tx_published)
		xrdma_tx_publish(xn);
	return NETDEV_TX_OK;
}

/**
 * xrdma_eth_wait_sent() - wait until the frames posted before the call are sent
 * @xn: the netdev, open
 *
 * Context: may sleep, for at most XRDMA_TX_WAIT_JIFFIES.
 */
void xrdma_eth_wait_sent(struct xrdma_netdev *xn)
{
	unsigned long end = jiffies + XRDMA_TX_WAIT_JIFFIES;
	struct xrdma_wq *sq = &xn->qp.sq;
	u32 pi;

	netif_tx_lock_bh(xn->ndev);
	pi = sq->pi;
	netif_tx_unlock_bh(xn->ndev);
	while ((s32)(READ_ONCE(sq->ci) - pi) < 0 && time_before(jiffies, end))
		usleep_range(100, 1000);
}

/* Free the frames before index @end. Return: number of bytes in the frames. */
static unsigned int xrdma_tx_reap(struct xrdma_netdev *xn, u32 end, int budget)
{
	struct xrdma_wq *sq = &xn->qp.sq;
	unsigned int bytes = 0;

	for (; sq->done != end; sq->done++) {
		struct xrdma_tx *tx;

		tx = &xn->tx[xrdma_ring_slot(sq->done, sq->log_depth)];
		bytes += tx->skb->len;
		xrdma_tx_unmap(xn, tx);
		napi_consume_skb(tx->skb, budget);
	}
	return bytes;
}

static void xrdma_tx_poll(struct xrdma_netdev *xn, int budget)
{
	struct netdev_queue *txq = netdev_get_tx_queue(xn->ndev, 0);
	u32 done = xn->qp.sq.done, ci = xn->tx_cq.ci;
	struct xrdma_wq *sq = &xn->qp.sq;
	unsigned int bytes = 0;
	struct xrdma_cqe cqe;
	u32 published;

	while (xrdma_cq_read(&xn->tx_cq, &cqe)) {
		u32 end = xrdma_ring_unwind_index(sq->done,
						  le16_to_cpu(cqe.wqe_index));

		if (cqe.status != XRDMA_WC_SUCCESS) {
			/* the queue pair is in SQE: it sends no more frames */
			DEV_STATS_INC(xn->ndev, tx_errors);
			xrdma_eth_failed(xn, "send", &cqe);
		}
		/* pairs with the release of xrdma_tx_publish() */
		published = smp_load_acquire(&xn->tx_published);
		/* a faulty device may name an entry that is not posted */
		if (end - sq->done < published - sq->done)
			bytes += xrdma_tx_reap(xn, end + 1, budget);
		xn->tx_cq.ci++;
	}
	if (xn->tx_cq.ci == ci)
		return;
	xrdma_cq_update_ci(&xn->tx_cq);
	xrdma_wq_release(sq);
	netif_txq_completed_wake(txq, sq->done - done, bytes,
				 xrdma_wq_room(sq), XRDMA_TX_WAKE);
}

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
static bool xrdma_eth_arm(struct xrdma_cq *cq)
{
	unsigned long flags;
	bool missed;

	spin_lock_irqsave(&cq->lock, flags);
	xrdma_cq_arm(cq, XRDMA_ARM_NEXT);
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

	missed = xrdma_eth_arm(&xn->rx_cq);
	missed |= xrdma_eth_arm(&xn->tx_cq);
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
		xrdma_tx_reap(xn, sq->pi, 0);
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
