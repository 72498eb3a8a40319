// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet port, receiving: posts pages of a pool to the receive ring, and
 * passes received frames to the network stack, without a copy. xrdma_eth.c
 * creates the queues and calls xrdma_rx_poll(); sending is in xrdma_eth_tx.c.
 */

#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <net/page_pool/helpers.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_cq.h"
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"
#include "xrdma_post.h"
#include "xrdma_wq.h"

/* Offset of the data in page @i of a receive entry, and bytes of data there */
static u32 xrdma_rx_offset(unsigned int i)
{
	return i ? 0 : XRDMA_RX_HEADROOM;
}

static u32 xrdma_rx_room(unsigned int i)
{
	return i ? PAGE_SIZE : PAGE_SIZE - XRDMA_RX_OVERHEAD;
}

/* Number of pages of a receive entry that a frame of @len bytes occupies */
static unsigned int xrdma_rx_used(u32 len)
{
	return DIV_ROUND_UP(XRDMA_RX_OVERHEAD + len, PAGE_SIZE);
}

static struct xrdma_rx *xrdma_rx_at(struct xrdma_channel *ch, u32 index)
{
	return &ch->rx[xrdma_ring_slot(index, ch->qp.rq.log_depth)];
}

/* Post the pages of the next slot of @ch->rx. */
static void xrdma_rx_post(struct xrdma_channel *ch)
{
	struct xrdma_wq *rq = &ch->qp.rq;
	struct xrdma_rx *rx = xrdma_rx_at(ch, rq->pi);
	struct xrdma_rq_wqe *wqe = xrdma_rq_entry(rq, rq->pi);
	struct xrdma_sge *sge = (struct xrdma_sge *)(wqe + 1);
	unsigned int i;

	memset(wqe, 0, sizeof(*wqe));
	wqe->num_sge = cpu_to_le16(XRDMA_RX_PAGES);
	for (i = 0; i < XRDMA_RX_PAGES; i++, sge++) {
		sge->addr = cpu_to_le64(page_pool_get_dma_addr(rx->page[i]) +
					xrdma_rx_offset(i));
		sge->length = cpu_to_le32(xrdma_rx_room(i));
		sge->lkey = cpu_to_le32(XRDMA_KEY_LOCAL_DMA);
	}
	rq->pi++;
}

static void xrdma_rx_put(struct xrdma_channel *ch, struct page **pages,
			 unsigned int num)
{
	while (num--)
		page_pool_put_full_page(ch->pool, pages[num], false);
}

/* Return: 0, or -ENOMEM and no page. */
static int xrdma_rx_get(struct xrdma_channel *ch, struct page **pages,
			unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		pages[i] = page_pool_dev_alloc_pages(ch->pool);
		if (!pages[i]) {
			xrdma_rx_put(ch, pages, i);
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * The first page of a frame becomes the linear part of the socket buffer, the
 * others become fragments.
 *
 * Return: NULL if there is no memory; the pages are still the caller's.
 */
static struct sk_buff *xrdma_rx_build(struct xrdma_channel *ch,
				      struct page **pages, u32 len)
{
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < xrdma_rx_used(len); i++)
		page_pool_dma_sync_for_cpu(ch->pool, pages[i],
					   xrdma_rx_offset(i),
					   xrdma_rx_room(i));
	skb = napi_build_skb(page_address(pages[0]), PAGE_SIZE);
	if (!skb)
		return NULL;
	skb_mark_for_recycle(skb);
	skb_reserve(skb, XRDMA_RX_HEADROOM);
	skb_put(skb, min(len, xrdma_rx_room(0)));
	for (i = 1; i < xrdma_rx_used(len); i++)
		skb_add_rx_frag(skb, i - 1, pages[i], 0,
				min_t(u32, len - skb->len, PAGE_SIZE),
				PAGE_SIZE);
	return skb;
}

/*
 * Return: SKB_GSO_TCPV4 or SKB_GSO_TCPV6, with the offset of the TCP header in @l4; or
 * 0 if the linear part of @skb has no TCP header, behind an IP header without options,
 * or the IP header is not that of a packet of this length.
 */
static unsigned int xrdma_rx_parse_tcp(const struct sk_buff *skb, u32 *l4)
{
	const struct vlan_ethhdr *eth = (const void *)skb->data;
	const void *ip = skb->data + ETH_HLEN;
	u32 len, head = skb_headlen(skb);
	const struct ipv6hdr *ip6;
	const struct iphdr *ip4;
	__be16 proto;

	/* the shortest headers: those of IPv4 without a VLAN tag */
	if (head < ETH_HLEN + sizeof(*ip4) + sizeof(struct tcphdr))
		return 0;
	proto = eth->h_vlan_proto;
	if (proto == htons(ETH_P_8021Q)) {
		proto = eth->h_vlan_encapsulated_proto;
		ip += VLAN_HLEN;
	}
	len = skb->len - (ip - (const void *)skb->data);
	if (proto == htons(ETH_P_IP)) {
		ip4 = ip;
		*l4 = skb->len - len + sizeof(*ip4);
		if (head < *l4 + sizeof(struct tcphdr))
			return 0;
		return ip4->ihl == 5 && ip4->protocol == IPPROTO_TCP &&
		       ntohs(ip4->tot_len) == len ? SKB_GSO_TCPV4 : 0;
	}
	if (proto != htons(ETH_P_IPV6))
		return 0;
	ip6 = ip;
	*l4 = skb->len - len + sizeof(*ip6);
	if (head < *l4 + sizeof(struct tcphdr))
		return 0;
	return ip6->nexthdr == IPPROTO_TCP &&
	       ntohs(ip6->payload_len) + sizeof(*ip6) == len ? SKB_GSO_TCPV6 :
								 0;
}

/**
 * xrdma_rx_describe_gso() - describe a frame that the device has made of several
 * @skb: the frame, from its Ethernet header on
 * @mss: bytes of TCP payload in each frame but the last
 *
 * The checksum of TCP in the frame is the sum of the pseudo header, as in a frame
 * that the network stack would send.
 *
 * Context: any.
 * Return: number of bytes before the TCP payload; 0 if these are not several frames
 * of TCP: @skb is unchanged.
 */
u32 xrdma_rx_describe_gso(struct sk_buff *skb, u16 mss)
{
	struct skb_shared_info *info = skb_shinfo(skb);
	const struct tcphdr *tcp;
	u32 l4, header, type;

	type = xrdma_rx_parse_tcp(skb, &l4);
	if (!type || !mss)
		return 0;
	tcp = (const void *)skb->data + l4;
	header = l4 + tcp->doff * 4;
	if (tcp->doff < sizeof(*tcp) / 4 || header > skb_headlen(skb) ||
	    skb->len <= header + mss)
		return 0;
	info->gso_size = mss;
	info->gso_segs = DIV_ROUND_UP(skb->len - header, mss);
	info->gso_type = type | (tcp->cwr ? SKB_GSO_TCP_ECN : 0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_headroom(skb) + l4;
	skb->csum_offset = offsetof(struct tcphdr, check);
	return header;
}

/* Pass on what the device has found out about a frame. */
static void xrdma_rx_describe(struct xrdma_channel *ch, struct sk_buff *skb,
			      const struct xrdma_cqe *cqe)
{
	u16 flags = le16_to_cpu(cqe->flags);

	xrdma_rx_stamp(&ch->xn->clock, skb, cqe);
	if (flags & XRDMA_CQE_CSUM && !skb_is_gso(skb) &&
	    ch->xn->ndev->features & NETIF_F_RXCSUM)
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	if (flags & XRDMA_CQE_VLAN)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q),
				       le16_to_cpu(cqe->vlan_tci));
}

static void xrdma_rx_deliver(struct xrdma_channel *ch, struct page **pages,
			     const struct xrdma_cqe *cqe)
{
	u32 len = le32_to_cpu(cqe->byte_len);
	struct sk_buff *skb = xrdma_rx_build(ch, pages, len);
	u32 header = 0;

	if (!skb) {
		xrdma_rx_put(ch, pages, xrdma_rx_used(len));
		dev_core_stats_rx_dropped_inc(ch->xn->ndev);
		return;
	}
	if (le16_to_cpu(cqe->flags) & XRDMA_CQE_GRO) {
		header = xrdma_rx_describe_gso(skb, le16_to_cpu(cqe->mss));
		if (!header) {
			dev_kfree_skb(skb);
			DEV_STATS_INC(ch->xn->ndev, rx_errors);
			return;
		}
	}
	xrdma_eth_count_rx(ch, skb, header);
	skb->protocol = eth_type_trans(skb, ch->xn->ndev);
	skb_record_rx_queue(skb, ch->index);
	xrdma_rx_describe(ch, skb, cqe);
	napi_gro_receive(&ch->napi, skb);
}

static bool xrdma_rx_len_ok(const struct xrdma_channel *ch,
			    const struct xrdma_cqe *cqe)
{
	u32 len = le32_to_cpu(cqe->byte_len);

	if (le16_to_cpu(cqe->flags) & XRDMA_CQE_GRO)
		return len <= XRDMA_RX_ROOM;
	return len >= ETH_HLEN &&
	       len <= ch->xn->ndev->max_mtu + XRDMA_ETH_EXTRA;
}

/*
 * Post new pages and deliver the old ones; without new pages drop the frame. The
 * pages behind the frame are posted again.
 */
static void xrdma_rx_one(struct xrdma_channel *ch, const struct xrdma_cqe *cqe)
{
	u32 len = le32_to_cpu(cqe->byte_len);
	struct xrdma_wq *rq = &ch->qp.rq;
	struct page *fresh[XRDMA_RX_PAGES], *full[XRDMA_RX_PAGES];
	struct xrdma_rx *rx = xrdma_rx_at(ch, rq->ci++);
	unsigned int used = 0;

	if (!xrdma_rx_len_ok(ch, cqe))
		DEV_STATS_INC(ch->xn->ndev, rx_errors);
	else if (xrdma_rx_get(ch, fresh, xrdma_rx_used(len)))
		dev_core_stats_rx_dropped_inc(ch->xn->ndev);
	else
		used = xrdma_rx_used(len);

	memcpy(full, rx->page, used * sizeof(*full));
	*xrdma_rx_at(ch, rq->pi) = *rx;
	memcpy(xrdma_rx_at(ch, rq->pi)->page, fresh, used * sizeof(*fresh));
	xrdma_rx_post(ch);
	if (used)
		xrdma_rx_deliver(ch, full, cqe);
}

/* The queue pair is in state ERR and receives no frames: do not post again. */
static void xrdma_rx_failed(struct xrdma_channel *ch,
			    const struct xrdma_cqe *cqe)
{
	if (cqe->status != XRDMA_WC_WR_FLUSH_ERR)
		DEV_STATS_INC(ch->xn->ndev, rx_errors);
	xrdma_eth_failed(ch, "receive", cqe);
}

/**
 * xrdma_rx_poll() - deliver the frames that have been received
 * @ch: the channel
 * @budget: largest number of frames
 *
 * Context: the NAPI poll function of @ch.
 * Return: number of frames.
 */
int xrdma_rx_poll(struct xrdma_channel *ch, int budget)
{
	struct xrdma_cqe cqe;
	int work = 0;

	while (work < budget && xrdma_cq_read(&ch->rx_cq, &cqe)) {
		ch->rx_cq.ci++;
		work++;
		if (cqe.status == XRDMA_WC_SUCCESS)
			xrdma_rx_one(ch, &cqe);
		else
			xrdma_rx_failed(ch, &cqe);
	}
	if (work) {
		xrdma_cq_update_ci(&ch->rx_cq);
		xrdma_publish_rq(&ch->qp);
	}
	return work;
}

/**
 * xrdma_rx_fill() - post a receive entry to each slot of the receive ring
 * @ch: the channel, with its queues and its pool
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM: xrdma_rx_drain() frees what was posted.
 */
int xrdma_rx_fill(struct xrdma_channel *ch)
{
	struct xrdma_wq *rq = &ch->qp.rq;
	u32 i;

	for (i = 0; i < 1U << rq->log_depth; i++) {
		if (xrdma_rx_get(ch, xrdma_rx_at(ch, rq->pi)->page,
				 XRDMA_RX_PAGES))
			return -ENOMEM;
		xrdma_rx_post(ch);
	}
	xrdma_publish_rq(&ch->qp);
	return 0;
}

/**
 * xrdma_rx_drain() - free the pages of the entries that have received nothing
 * @ch: the channel; the device cannot access the pages
 *
 * Context: process.
 */
void xrdma_rx_drain(struct xrdma_channel *ch)
{
	struct xrdma_wq *rq = &ch->qp.rq;

	for (; rq->ci != rq->pi; rq->ci++)
		xrdma_rx_put(ch, xrdma_rx_at(ch, rq->ci)->page, XRDMA_RX_PAGES);
}

/**
 * xrdma_rx_create_pool() - create the pool of the receive pages
 * @ch: the channel
 * @depth: entries of the receive ring
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_rx_create_pool(struct xrdma_channel *ch, u32 depth)
{
	const struct page_pool_params params = {
		.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV,
		.pool_size = depth * XRDMA_RX_PAGES,
		.nid = NUMA_NO_NODE,
		.dev = xrdma_to_dev(&ch->xn->xib->hw),
		.napi = &ch->napi,
		.netdev = ch->xn->ndev,
		.queue_idx = ch->index,
		.dma_dir = DMA_FROM_DEVICE,
		.max_len = PAGE_SIZE,
	};

	ch->pool = page_pool_create(&params);
	return PTR_ERR_OR_ZERO(ch->pool);
}

/**
 * xrdma_rx_free_pool() - free the pool of the receive pages
 * @ch: the channel
 * @keep: the device may still access the pages: keep them
 *
 * Context: may sleep.
 */
void xrdma_rx_free_pool(struct xrdma_channel *ch, bool keep)
{
	if (keep)
		/* sockets may return pages after the NAPI is freed */
		page_pool_disable_direct_recycling(ch->pool);
	else
		page_pool_destroy(ch->pool);
}
