// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet port, sending: posts frames to the send ring from the memory of
 * the socket buffer, without a copy, and frees the frames that have been sent.
 * xrdma_eth.c creates the queues and calls xrdma_tx_poll().
 */

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/tcp.h>
#include <net/netdev_queues.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_cq.h"
#include "xrdma_eth.h"
#include "xrdma_hw.h"
#include "xrdma_ibdev.h"
#include "xrdma_post.h"
#include "xrdma_wq.h"

#define XRDMA_TX_WAIT_JIFFIES	HZ

/* A stopped transmit queue is started when this number of entries is free. */
static u32 xrdma_tx_wake(const struct xrdma_wq *sq)
{
	return 1U << sq->log_depth >> 2;
}

static void xrdma_tx_unmap(struct xrdma_channel *ch, const struct xrdma_tx *tx)
{
	struct device *dev = xrdma_to_dev(&ch->xn->xib->hw);
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
static int xrdma_tx_add(struct xrdma_channel *ch, struct xrdma_tx *tx,
			struct xrdma_sge *sges, dma_addr_t addr, u32 len)
{
	struct xrdma_sge *sge = sges + tx->num;

	if (dma_mapping_error(xrdma_to_dev(&ch->xn->xib->hw), addr))
		return -ENOMEM;
	sge->addr = cpu_to_le64(addr);
	sge->length = cpu_to_le32(len);
	sge->lkey = cpu_to_le32(XRDMA_KEY_LOCAL_DMA);
	tx->addr[tx->num] = addr;
	tx->len[tx->num] = len;
	tx->num++;
	return 0;
}

static int xrdma_tx_map(struct xrdma_channel *ch, struct sk_buff *skb,
			struct xrdma_tx *tx, struct xrdma_sge *sges)
{
	struct device *dev = xrdma_to_dev(&ch->xn->xib->hw);
	int i, err;

	tx->skb = skb;
	tx->num = 0;
	err = xrdma_tx_add(ch, tx, sges, dma_map_single(dev, skb->data,
							skb_headlen(skb),
							DMA_TO_DEVICE),
			   skb_headlen(skb));
	for (i = 0; !err && i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];
		u32 len = skb_frag_size(frag);

		err = xrdma_tx_add(ch, tx, sges,
				   skb_frag_dma_map(dev, frag, 0, len,
						    DMA_TO_DEVICE), len);
	}
	if (err)
		xrdma_tx_unmap(ch, tx);
	return err;
}

/**
 * xrdma_make_eth_seg() - describe what the device has to do with a frame
 * @seg: filled in
 * @skb: the frame
 *
 * Context: any.
 */
void xrdma_make_eth_seg(struct xrdma_eth_seg *seg, const struct sk_buff *skb)
{
	u16 flags = 0;

	memset(seg, 0, sizeof(*seg));
	if (skb->ip_summed == CHECKSUM_PARTIAL) {
		flags |= XRDMA_ETH_CSUM;
		seg->csum_start = cpu_to_le16(skb_checksum_start_offset(skb));
		seg->csum_offset = cpu_to_le16(skb->csum_offset);
	}
	if (skb_is_gso(skb)) {
		flags |= XRDMA_ETH_TSO;
		seg->mss = cpu_to_le16(skb_shinfo(skb)->gso_size);
		seg->header_len = cpu_to_le16(skb_tcp_all_headers(skb));
	}
	if (skb_vlan_tag_present(skb)) {
		flags |= XRDMA_ETH_VLAN;
		seg->vlan_tci = cpu_to_le16(skb_vlan_tag_get(skb));
	}
	seg->flags = cpu_to_le16(flags);
}

/*
 * Write a send entry. A frame with which the device has nothing to do is sent by
 * an entry that devices without offloads have, too.
 */
static int xrdma_tx_make(struct xrdma_channel *ch, struct sk_buff *skb,
			 struct xrdma_tx *tx, struct xrdma_sq_wqe *wqe)
{
	struct xrdma_sge *sges = (struct xrdma_sge *)(wqe + 1);
	struct xrdma_eth_seg *seg = (struct xrdma_eth_seg *)(wqe + 1);
	bool work = skb->ip_summed == CHECKSUM_PARTIAL ||
		    skb_vlan_tag_present(skb);
	u32 bytes;
	int err;

	if (work) {
		xrdma_make_eth_seg(seg, skb);
		sges = (struct xrdma_sge *)(seg + 1);
	}
	err = xrdma_tx_map(ch, skb, tx, sges);
	if (err)
		return err;
	bytes = (void *)(sges + tx->num) - (void *)wqe;
	memset(wqe, 0, sizeof(*wqe));
	wqe->opcode = work ? XRDMA_OP_SEND_ETH : XRDMA_OP_SEND;
	wqe->flags = XRDMA_WQE_SIGNALED |
		     xrdma_wqe_length(xrdma_sq_units(bytes));
	wqe->num_sge = cpu_to_le16(tx->num);
	return 0;
}

/*
 * Return: true if the frame, or each frame into which the device divides it, is
 * not longer than the MTU, which may have been lowered after the frame was built.
 */
static bool xrdma_tx_fits(const struct sk_buff *skb, unsigned int mtu)
{
	u32 len = skb->len;

	if (skb_is_gso(skb))
		len = skb_tcp_all_headers(skb) + skb_shinfo(skb)->gso_size;
	if (skb_vlan_tag_present(skb))
		len += VLAN_HLEN;
	return len <= mtu + XRDMA_ETH_EXTRA;
}

/* Count the frames that the device makes of @skb, and their bytes. */
static void xrdma_tx_count(struct xrdma_channel *ch, const struct sk_buff *skb)
{
	u32 num = skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
	u32 more = num > 1 ? (num - 1) * skb_tcp_all_headers(skb) : 0;

	xrdma_eth_count_tx(ch, num, skb->len + more);
}

/* Hand the posted frames to the device. */
static void xrdma_tx_publish(struct xrdma_channel *ch)
{
	u32 old = ch->tx_published;

	/* orders writes to ch->tx before tx_published, for xrdma_tx_poll() */
	smp_store_release(&ch->tx_published, ch->qp.sq.pi);
	xrdma_publish_sq(&ch->qp, old);
}

static netdev_tx_t xrdma_tx_send(struct xrdma_channel *ch, struct sk_buff *skb,
				 struct net_device *ndev)
{
	struct netdev_queue *txq = skb_get_tx_queue(ndev, skb);
	struct xrdma_wq *sq = &ch->qp.sq;
	u32 slot = xrdma_ring_slot(sq->pi, sq->log_depth);
	bool more = netdev_xmit_more();
	struct xrdma_sq_wqe *wqe;

	/*
	 * A full ring stops the queue, but the queue may run again: between the
	 * moment when netif_txq_completed_wake() sees room and the moment when
	 * it starts the queue, this function may fill the ring on another CPU.
	 */
	if (!netif_txq_maybe_stop(txq, xrdma_wq_room(sq), 1, xrdma_tx_wake(sq)))
		return NETDEV_TX_BUSY;
	if (skb_put_padto(skb, ETH_ZLEN)) {
		dev_core_stats_tx_dropped_inc(ndev);
		goto publish;
	}
	wqe = xrdma_sq_entry(sq);
	if (!xrdma_tx_fits(skb, READ_ONCE(ndev->mtu)) ||
	    (skb_shinfo(skb)->nr_frags >= XRDMA_TX_MAX_SGE &&
	     skb_linearize(skb)) ||
	    xrdma_tx_make(ch, skb, &ch->tx[slot], wqe)) {
		dev_core_stats_tx_dropped_inc(ndev);
		dev_kfree_skb_any(skb);
		goto publish;
	}

	ch->tx[slot].stamp = xrdma_tx_stamp_wanted(&ch->xn->clock, skb);
	skb_tx_timestamp(skb);
	xrdma_tx_count(ch, skb);
	xrdma_sq_pass(sq, wqe);
	WRITE_ONCE(sq->pi, sq->pi + 1);
	more = !__netdev_tx_sent_queue(txq, skb->len, more);
	if (netif_txq_maybe_stop(txq, xrdma_wq_room(sq), 1, xrdma_tx_wake(sq)) < 1)
		more = false;
publish:
	if (!more && sq->pi != ch->tx_published)
		xrdma_tx_publish(ch);
	return NETDEV_TX_OK;
}

/**
 * xrdma_eth_xmit() - net_device_ops.ndo_start_xmit
 * @skb: a frame
 * @ndev: the netdev
 *
 * Context: bottom halves are off; the transmit lock of the queue is held.
 * Return: NETDEV_TX_OK: the frame is sent or dropped, and counted; NETDEV_TX_BUSY:
 * the send ring is full, the queue is stopped, and the caller keeps the frame.
 */
netdev_tx_t xrdma_eth_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	u16 index = skb_get_queue_mapping(skb);

	/* a packet socket may have chosen the queue before the number was lowered */
	if (unlikely(index >= xn->eth->num)) {
		dev_core_stats_tx_dropped_inc(ndev);
		dev_kfree_skb_any(skb);
		return NETDEV_TX_OK;
	}
	return xrdma_tx_send(&xn->eth->channel[index], skb, ndev);
}

/* Wait until the frames of a channel are sent, but not longer than @end. */
static void xrdma_tx_wait(struct xrdma_channel *ch, unsigned long end)
{
	struct net_device *ndev = ch->xn->ndev;
	struct netdev_queue *txq = netdev_get_tx_queue(ndev, ch->index);
	struct xrdma_wq *sq = &ch->qp.sq;
	u32 pi;

	__netif_tx_lock_bh(txq);
	pi = sq->pi;
	__netif_tx_unlock_bh(txq);
	while ((s32)(READ_ONCE(sq->ci) - pi) < 0 && time_before(jiffies, end))
		usleep_range(100, 1000);
}

/**
 * xrdma_eth_wait_sent() - wait until the frames posted before the call are sent
 * @xn: the netdev, with channels
 *
 * Context: may sleep, for at most XRDMA_TX_WAIT_JIFFIES.
 */
void xrdma_eth_wait_sent(struct xrdma_netdev *xn)
{
	unsigned long end = jiffies + XRDMA_TX_WAIT_JIFFIES;
	u32 i;

	for (i = 0; i < xn->eth->num; i++)
		xrdma_tx_wait(&xn->eth->channel[i], end);
}

/* The device has sent the frame with index @index. */
static void xrdma_tx_sent(struct xrdma_channel *ch, u32 index,
			  const struct xrdma_cqe *cqe)
{
	u32 slot = xrdma_ring_slot(index, ch->qp.sq.log_depth);
	const struct xrdma_tx *tx = &ch->tx[slot];

	if (unlikely(tx->stamp) && cqe->status == XRDMA_WC_SUCCESS)
		xrdma_tx_stamp(&ch->xn->clock, tx->skb, cqe);
}

/* Free the frames before index @end. Return: number of bytes in the frames. */
static unsigned int xrdma_tx_reap(struct xrdma_channel *ch, u32 end, int budget)
{
	struct xrdma_wq *sq = &ch->qp.sq;
	unsigned int bytes = 0;

	for (; sq->done != end; sq->done++) {
		struct xrdma_tx *tx;

		tx = &ch->tx[xrdma_ring_slot(sq->done, sq->log_depth)];
		bytes += tx->skb->len;
		xrdma_tx_unmap(ch, tx);
		napi_consume_skb(tx->skb, budget);
	}
	return bytes;
}

/**
 * xrdma_tx_poll() - free the frames that have been sent
 * @ch: the channel
 * @budget: of the NAPI, 0 for netpoll
 *
 * Context: the NAPI poll function of @ch.
 */
void xrdma_tx_poll(struct xrdma_channel *ch, int budget)
{
	struct netdev_queue *txq = netdev_get_tx_queue(ch->xn->ndev, ch->index);
	u32 done = ch->qp.sq.done, ci = ch->tx_cq.ci;
	struct xrdma_wq *sq = &ch->qp.sq;
	unsigned int bytes = 0;
	struct xrdma_cqe cqe;
	u32 published;

	while (xrdma_cq_read(&ch->tx_cq, &cqe)) {
		u32 end = xrdma_ring_unwind_index(sq->done,
						  le16_to_cpu(cqe.wqe_index));

		if (cqe.status != XRDMA_WC_SUCCESS) {
			/* the queue pair is in SQE: it sends no more frames */
			DEV_STATS_INC(ch->xn->ndev, tx_errors);
			xrdma_eth_failed(ch, "send", &cqe);
		}
		/* pairs with the release of xrdma_tx_publish() */
		published = smp_load_acquire(&ch->tx_published);
		/* a faulty device may name an entry that is not posted */
		if (end - sq->done < published - sq->done) {
			xrdma_tx_sent(ch, end, &cqe);
			bytes += xrdma_tx_reap(ch, end + 1, budget);
		}
		ch->tx_cq.ci++;
	}
	if (ch->tx_cq.ci == ci)
		return;
	xrdma_cq_update_ci(&ch->tx_cq);
	xrdma_wq_release(sq);
	netif_txq_completed_wake(txq, sq->done - done, bytes,
				 xrdma_wq_room(sq), xrdma_tx_wake(sq));
}

/**
 * xrdma_tx_drain() - free the frames that have not been sent
 * @ch: the channel; the transmit queue is stopped, and the device cannot access
 *	the memory of the frames
 *
 * Context: process.
 */
void xrdma_tx_drain(struct xrdma_channel *ch)
{
	xrdma_tx_reap(ch, ch->qp.sq.pi, 0);
}
