// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the Ethernet port: a frame for a full send ring or for a queue that does
 * not exist, completions of frames that the device does not own, the work that a
 * frame leaves to the device (xrdma_eth_tx.c), frames that the device has merged
 * (xrdma_eth_rx.c), the number of channels and the numbers of their queues
 * (xrdma_eth.c) and the default indirection table (xrdma_eth_rss.c). The PTP hardware
 * clock is in eth_clock_kunit.c. There is no device: the netdev is not registered,
 * nothing reads the ring, and the test writes the completions.
 */

#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include "xrdma_eth.h"
#include "xrdma_hw.h"
#include "xrdma_ibdev.h"

#define ETH_TEST_LOG_DEPTH	4
#define ETH_TEST_DEPTH		BIT(ETH_TEST_LOG_DEPTH)

static int eth_test_init(struct kunit *test)
{
	struct net_device *ndev = alloc_etherdev_mq(sizeof(struct xrdma_netdev),
						    XRDMA_ETH_MAX_CHANNELS);
	struct xrdma_netdev *xn;
	struct xrdma_channel *ch;

	KUNIT_ASSERT_NOT_NULL(test, ndev);
	test->priv = ndev;
	xn = netdev_priv(ndev);
	xn->ndev = ndev;
	xrdma_eth_stats_init(xn);
	xn->eth = kunit_kzalloc(test, struct_size(xn->eth, channel, 1),
				GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, xn->eth);
	xn->eth->num = 1;
	ch = &xn->eth->channel[0];
	ch->xn = xn;
	ch->qp.sq.log_depth = ETH_TEST_LOG_DEPTH;
	ch->tx = kunit_kcalloc(test, ETH_TEST_DEPTH, sizeof(*ch->tx),
			       GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ch->tx);
	netif_tx_start_all_queues(ndev);
	return 0;
}

static struct xrdma_channel *eth_test_channel(struct net_device *ndev)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	return &xn->eth->channel[0];
}

static void eth_test_exit(struct kunit *test)
{
	if (test->priv)
		free_netdev(test->priv);
}

static netdev_tx_t eth_test_send(struct net_device *ndev, struct sk_buff *skb)
{
	netdev_tx_t result;

	__netif_tx_lock_bh(netdev_get_tx_queue(ndev, 0));
	result = xrdma_eth_xmit(skb, ndev);
	__netif_tx_unlock_bh(netdev_get_tx_queue(ndev, 0));
	return result;
}

/*
 * The transmit queue is not stopped although the send ring is full, as after
 * netif_txq_completed_wake() has started the queue while another CPU filled the
 * ring.
 */
static void a_frame_for_a_full_ring_waits(struct kunit *test)
{
	struct net_device *ndev = test->priv;
	struct xrdma_channel *ch = eth_test_channel(ndev);
	struct sk_buff *skb = alloc_skb(ETH_FRAME_LEN, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, ETH_ZLEN);
	ch->qp.sq.pi = ETH_TEST_DEPTH + 3;
	ch->qp.sq.ci = 3;
	ch->tx_published = ch->qp.sq.pi;

	KUNIT_EXPECT_EQ(test, eth_test_send(ndev, skb), NETDEV_TX_BUSY);
	KUNIT_EXPECT_EQ(test, ch->qp.sq.pi, ETH_TEST_DEPTH + 3);
	KUNIT_EXPECT_TRUE(test,
			  netif_tx_queue_stopped(netdev_get_tx_queue(ndev, 0)));
	/* xrdma_eth_xmit() has not freed the frame */
	KUNIT_EXPECT_EQ(test, refcount_read(&skb->users), 1);
	kfree_skb(skb);
}

/* A ring of one page in memory of the test. */
static struct xrdma_buf *eth_test_ring(struct kunit *test)
{
	struct xrdma_buf *buf;

	buf = kunit_kzalloc(test, struct_size(buf, frag, 1), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	buf->num = 1;
	buf->shift = PAGE_SHIFT;
	buf->frag[0].cpu = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf->frag[0].cpu);
	return buf;
}

/* Give the netdev a completion queue in memory of the test. */
static struct xrdma_cqe *eth_test_cq(struct kunit *test, struct xrdma_cq *cq)
{
	cq->rec = kunit_kzalloc(test, sizeof(*cq->rec), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cq->rec);
	cq->buf = eth_test_ring(test);
	cq->log_depth = ETH_TEST_LOG_DEPTH;
	return cq->buf->frag[0].cpu;
}

/* Write the completion of send entry @index in slot @slot of the first lap. */
static void eth_test_complete(struct xrdma_cqe *ring, u32 slot, u16 index)
{
	ring[slot] = (struct xrdma_cqe) {
		.wqe_index = cpu_to_le16(index),
		.status = XRDMA_WC_SUCCESS,
		.own = cpu_to_le32(1),
	};
}

/*
 * The driver has posted 5 frames and published 3. A completion of one of the
 * last two, or of an entry behind them, is a fault of the device. It frees no
 * frame: the device may still read the memory of the frames.
 */
static void completions_free_published_frames_only(struct kunit *test)
{
	static const struct {
		u16 index;
		u32 done;
	} rows[] = {
		{ 4, 0 }, { 3, 0 }, { 5, 0 }, { 0xffff, 0 },
		{ 1, 2 }, { 1, 2 }, { 4, 2 }, { 2, 3 },
	};
	struct xrdma_channel *ch = eth_test_channel(test->priv);
	struct xrdma_cqe *ring = eth_test_cq(test, &ch->tx_cq);
	struct sk_buff *skb = alloc_skb(ETH_FRAME_LEN, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	ch->xn->xib = kunit_kzalloc(test, sizeof(*ch->xn->xib), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ch->xn->xib);
	for (i = 0; i < 5; i++)
		ch->tx[i].skb = skb_get(skb);
	ch->qp.sq.pi = 5;
	ch->tx_published = 3;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		eth_test_complete(ring, i, rows[i].index);
		local_bh_disable();
		xrdma_tx_poll(ch, 1);
		local_bh_enable();
		KUNIT_EXPECT_EQ_MSG(test, ch->qp.sq.done, rows[i].done,
				    "completion %u names entry %u", i,
				    rows[i].index);
		KUNIT_EXPECT_EQ(test, refcount_read(&skb->users),
				6 - rows[i].done);
		KUNIT_EXPECT_EQ(test, ch->tx_cq.ci, i + 1);
	}
	while (refcount_read(&skb->users) > 1)
		kfree_skb(skb);
	kfree_skb(skb);
}

/* Make a frame of TCP in IPv4 with 3000 bytes of payload. */
static struct sk_buff *eth_test_tcp(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(4096, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, ETH_HLEN + sizeof(struct iphdr) +
			  sizeof(struct tcphdr) + 12 + 3000);
	skb_set_network_header(skb, ETH_HLEN);
	skb_set_transport_header(skb, ETH_HLEN + sizeof(struct iphdr));
	tcp_hdr(skb)->doff = (sizeof(struct tcphdr) + 12) / 4;
	return skb;
}

static void eth_test_seg(struct kunit *test, const struct sk_buff *skb,
			 const struct xrdma_eth_seg *want)
{
	struct xrdma_eth_seg seg;

	memset(&seg, 0xff, sizeof(seg));
	xrdma_make_eth_seg(&seg, skb);
	KUNIT_EXPECT_MEMEQ(test, &seg, want, sizeof(seg));
}

static void work_of_a_frame_is_left_to_the_device(struct kunit *test)
{
	struct xrdma_eth_seg want = {};
	struct sk_buff *skb = eth_test_tcp(test);

	eth_test_seg(test, skb, &want);

	__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), 0x6064);
	want.flags = cpu_to_le16(XRDMA_ETH_VLAN);
	want.vlan_tci = cpu_to_le16(0x6064);
	eth_test_seg(test, skb, &want);

	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct tcphdr, check);
	want.flags |= cpu_to_le16(XRDMA_ETH_CSUM);
	want.csum_start = cpu_to_le16(34);
	want.csum_offset = cpu_to_le16(16);
	eth_test_seg(test, skb, &want);

	skb_shinfo(skb)->gso_size = 1448;
	skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
	want.flags |= cpu_to_le16(XRDMA_ETH_TSO);
	want.mss = cpu_to_le16(1448);
	want.header_len = cpu_to_le16(66);
	eth_test_seg(test, skb, &want);
	kfree_skb(skb);
}

/**
 * struct eth_test_gro - a frame that the device says it has made of several
 * @ipv6: IPv6, not IPv4
 * @vlan: the frame has a VLAN tag
 * @mss: bytes of payload in each, as the device says
 * @at: offset of a byte to change; 0: none
 * @value: value of that byte
 * @len: bytes of the frame; 0: all
 * @head: bytes of the frame in the linear part of the socket buffer; 0: all
 * @segs: number of frames that is expected; 0: the frame is refused
 */
struct eth_test_gro {
	bool ipv6;
	bool vlan;
	u16 mss;
	u16 at;
	u8 value;
	u16 len;
	u16 head;
	u16 segs;
};

/* Move what is behind the first @head bytes of a frame to a page. */
static void eth_test_split(struct kunit *test, struct sk_buff *skb, u32 head)
{
	struct page *page = alloc_page(GFP_KERNEL);
	u32 rest = skb->len - head;

	KUNIT_ASSERT_NOT_NULL(test, page);
	memcpy(page_address(page), skb->data + head, rest);
	skb_trim(skb, head);
	skb_add_rx_frag(skb, 0, page, 0, rest, PAGE_SIZE);
}

static struct sk_buff *eth_test_merged(struct kunit *test,
				       const struct eth_test_gro *row)
{
	u32 l3 = row->vlan ? 18 : 14, l4 = l3 + (row->ipv6 ? 40 : 20);
	u32 len = row->len ?: l4 + 32 + 3000;
	struct sk_buff *skb = alloc_skb(4096, GFP_KERNEL);
	u8 *p;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, 64);
	p = skb_put_zero(skb, l4 + 32 + 3000);
	if (row->vlan)
		*(__be16 *)(p + 12) = htons(ETH_P_8021Q);
	*(__be16 *)(p + l3 - 2) = htons(row->ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	p[l3] = row->ipv6 ? 0x60 : 0x45;
	p[l3 + (row->ipv6 ? 6 : 9)] = IPPROTO_TCP;
	*(__be16 *)(p + l3 + (row->ipv6 ? 4 : 2)) =
		htons(len - (row->ipv6 ? l4 : l3));
	p[l4 + 12] = 0x80;
	if (row->at)
		p[row->at] = row->value;
	skb_trim(skb, len);
	if (row->head)
		eth_test_split(test, skb, row->head);
	return skb;
}

/*
 * The network stack gets a frame as it would send it; a frame that the device
 * cannot have made is refused, and is not described.
 */
static void merged_frames_are_described(struct kunit *test)
{
	static const struct eth_test_gro rows[] = {
		{ .mss = 1448, .segs = 3 },
		{ .mss = 1500, .segs = 2 },
		{ .mss = 2999, .segs = 2 },
		{ .mss = 3000 }, { .mss = 0xffff }, { .mss = 0 },
		{ .mss = 1448, .ipv6 = true, .segs = 3 },
		{ .mss = 1448, .vlan = true, .segs = 3 },
		{ .mss = 1, .ipv6 = true, .vlan = true, .segs = 3000 },
		/* another Ethernet type, options in IPv4, UDP, wrong lengths */
		{ .mss = 1448, .at = 12, .value = 9 },
		{ .mss = 1448, .at = 14, .value = 0x46 },
		{ .mss = 1448, .at = 23, .value = IPPROTO_UDP },
		{ .mss = 1448, .at = 17, .value = 0 },
		{ .mss = 1448, .ipv6 = true, .at = 19, .value = 0 },
		{ .mss = 1448, .ipv6 = true, .at = 20, .value = 0 },
		/* TCP headers of 16 and of 60 bytes; CWR */
		{ .mss = 1448, .at = 46, .value = 0x40 },
		{ .mss = 1448, .at = 46, .value = 0xf0, .segs = 3 },
		{ .mss = 1448, .at = 47, .value = 0x80, .segs = 3 },
		/* two frames have at least two bytes of payload */
		{ .mss = 1, .len = 14 }, { .mss = 1, .len = 67 },
		{ .mss = 1, .len = 68, .segs = 2 },
		{ .mss = 1, .at = 46, .value = 0x50, .len = 56, .segs = 2 },
		{ .mss = 1, .ipv6 = true, .len = 88, .segs = 2 },
		/* all headers have to be in the linear part */
		{ .mss = 1448, .head = 53 }, { .mss = 1448, .head = 65 },
		{ .mss = 1448, .head = 66, .segs = 3 },
		{ .mss = 1448, .ipv6 = true, .head = 73 },
		{ .mss = 1448, .at = 46, .value = 0xf0, .head = 93 },
		{ .mss = 1448, .at = 46, .value = 0xf0, .head = 94, .segs = 3 },
	};
	u32 i, l4, header;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sk_buff *skb = eth_test_merged(test, &rows[i]);
		struct skb_shared_info *info = skb_shinfo(skb);
		bool cwr = rows[i].at == 47;

		l4 = 34 + (rows[i].vlan ? 4 : 0) + (rows[i].ipv6 ? 20 : 0);
		header = l4 + (rows[i].at == 46 ? rows[i].value >> 2 : 32);
		KUNIT_EXPECT_EQ_MSG(test, rows[i].segs ? header : 0,
				    xrdma_rx_describe_gso(skb, rows[i].mss),
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, rows[i].segs, info->gso_segs,
				    "row %u", i);
		KUNIT_EXPECT_EQ(test, (int)skb->ip_summed, rows[i].segs ?
				CHECKSUM_PARTIAL : CHECKSUM_NONE);
		if (rows[i].segs) {
			KUNIT_EXPECT_EQ(test, info->gso_size, rows[i].mss);
			KUNIT_EXPECT_EQ(test, info->gso_type,
					(rows[i].ipv6 ? SKB_GSO_TCPV6 :
							SKB_GSO_TCPV4) |
					(cwr ? SKB_GSO_TCP_ECN : 0));
			KUNIT_EXPECT_EQ(test, skb->csum_start, 64 + l4);
			KUNIT_EXPECT_EQ(test, skb->csum_offset, 16);
		}
		kfree_skb(skb);
	}
}

/* Give the netdev a receive ring of entries with pages that the device may not write. */
static void eth_test_rq(struct kunit *test, struct xrdma_channel *ch)
{
	u32 i, n;

	ch->qp.rec = kunit_kzalloc(test, sizeof(*ch->qp.rec), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ch->qp.rec);
	ch->rx = kunit_kcalloc(test, ETH_TEST_DEPTH, sizeof(*ch->rx),
			       GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ch->rx);
	ch->qp.rq.buf = eth_test_ring(test);
	ch->qp.rq.log_depth = ETH_TEST_LOG_DEPTH;
	ch->qp.rq.log_stride = 7;
	ch->qp.rq.pi = ETH_TEST_DEPTH;
	for (i = 0; i < ETH_TEST_DEPTH; i++)
		for (n = 0; n < XRDMA_RX_PAGES; n++)
			ch->rx[i].page[n] = ZERO_PAGE(0);
}

/*
 * The device says that it has written less than an Ethernet header, or more than the
 * largest MTU or the entry permits. The entry is posted again with its pages, and the
 * frame counts as an error: nothing is allocated from the pool, which does not exist.
 */
static void a_receive_of_a_wrong_length_is_refused(struct kunit *test)
{
	static const struct {
		u32 len;
		u16 flags;
	} rows[] = {
		{ 0, 0 }, { ETH_HLEN - 1, 0 },
		{ XRDMA_ETH_MAX_MTU + XRDMA_ETH_EXTRA + 1, 0 },
		{ XRDMA_RX_ROOM, 0 }, { U32_MAX, 0 },
		{ XRDMA_RX_ROOM + 1, XRDMA_CQE_GRO }, { 0xffff, XRDMA_CQE_GRO },
		{ U32_MAX, XRDMA_CQE_GRO },
	};
	struct xrdma_channel *ch = eth_test_channel(test->priv);
	struct xrdma_cqe *ring = eth_test_cq(test, &ch->rx_cq);
	struct net_device *ndev = test->priv;
	u32 i;

	ndev->max_mtu = XRDMA_ETH_MAX_MTU;
	eth_test_rq(test, ch);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		eth_test_complete(ring, i, 0);
		ring[i].byte_len = cpu_to_le32(rows[i].len);
		ring[i].flags = cpu_to_le16(rows[i].flags);
		KUNIT_EXPECT_EQ(test, xrdma_rx_poll(ch, 1), 1);
		KUNIT_EXPECT_EQ_MSG(test, i + 1,
				    atomic_long_read(&ndev->stats.__rx_errors),
				    "row %u", i);
		KUNIT_EXPECT_EQ(test, ch->qp.rq.ci, i + 1);
		KUNIT_EXPECT_EQ(test, le32_to_cpu(ch->qp.rec->rq_pi),
				ETH_TEST_DEPTH + i + 1);
		KUNIT_EXPECT_PTR_EQ(test, ch->rx[i].page[0], ZERO_PAGE(0));
	}
}

/* A packet socket may have chosen the queue when there were more queues. */
static void a_frame_for_a_missing_queue_is_dropped(struct kunit *test)
{
	struct net_device *ndev = test->priv;
	struct xrdma_channel *ch = eth_test_channel(ndev);
	struct sk_buff *skb = alloc_skb(ETH_FRAME_LEN, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, ETH_ZLEN);
	skb_set_queue_mapping(skb, 1);
	KUNIT_EXPECT_EQ(test, eth_test_send(ndev, skb_get(skb)), NETDEV_TX_OK);
	KUNIT_EXPECT_EQ(test, ch->qp.sq.pi, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&skb->users), 1);
	kfree_skb(skb);
}

static void the_default_number_of_channels(struct kunit *test)
{
	static const struct {
		u32 cpus;
		u32 vectors;
		u32 max;
		u32 want;
	} rows[] = {
		{ 1, 1, 8, 1 }, { 4, 4, 8, 4 }, { 64, 62, 8, 8 }, { 4, 2, 8, 2 },
		{ 4, 4, 1, 1 }, { 1, 8, 8, 1 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ(test, rows[i].want,
				xrdma_eth_default_channels(rows[i].cpus,
							   rows[i].vectors,
							   rows[i].max));
}

/* Each channel gets as many entries as another, or one more. */
static void the_default_table_names_all_channels(struct kunit *test)
{
	struct xrdma_eth_rss *rss;
	u32 channels, i;

	rss = kunit_kzalloc(test, sizeof(*rss), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rss);
	rss->size = XRDMA_ETH_MAX_INDIR;
	for (channels = 1; channels <= XRDMA_ETH_MAX_CHANNELS; channels++) {
		u32 num[XRDMA_ETH_MAX_CHANNELS] = {};

		memset(rss->indir, 0xff, sizeof(rss->indir));
		xrdma_eth_rss_reset(rss, channels);
		for (i = 0; i < rss->size; i++) {
			KUNIT_ASSERT_LT(test, rss->indir[i], channels);
			num[rss->indir[i]]++;
		}
		for (i = 0; i < channels; i++) {
			KUNIT_EXPECT_GE(test, num[i], rss->size / channels);
			KUNIT_EXPECT_LE(test, num[i], rss->size / channels + 1);
		}
	}
}

/* Count the numbers that an owner gets before there are no more of them. */
static u32 eth_test_take(struct kunit *test, struct xrdma_ibdev *xib, bool port,
			 u32 lowest, u32 highest)
{
	u32 qpn, count = 0;

	while (!xrdma_qpn_reserve(xib, port, &qpn)) {
		KUNIT_EXPECT_GE(test, qpn, lowest);
		KUNIT_EXPECT_LE(test, qpn, highest);
		count++;
	}
	return count;
}

static void processes_leave_the_numbers_of_the_port(struct kunit *test)
{
	struct xrdma_ibdev *xib = kunit_kzalloc(test, sizeof(*xib), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, xib);
	xa_init_flags(&xib->qps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	xib->hw.caps.max_qp = 100;
	xib->hw.caps.max_cq = 100;
	xib->next_qpn = 90;
	/* two channels and an RSS object, of which new ones replace old ones */
	xrdma_eth_reserve(xib, 2);
	KUNIT_EXPECT_EQ(test, 8, xib->port_cqns.num);
	KUNIT_EXPECT_EQ(test, 92, eth_test_take(test, xib, false, 2, 93));
	KUNIT_EXPECT_EQ(test, 6, eth_test_take(test, xib, true, 94, 99));
	/* the port does not use the numbers of processes */
	xa_erase_irq(&xib->qps, 50);
	xa_erase_irq(&xib->qps, 95);
	KUNIT_EXPECT_EQ(test, 1, eth_test_take(test, xib, true, 95, 95));
	KUNIT_EXPECT_EQ(test, 1, eth_test_take(test, xib, false, 50, 50));
	xa_destroy(&xib->qps);
}

static void the_largest_number_of_channels(struct kunit *test)
{
	const u64 rss = XRDMA_CAP_FLOW | XRDMA_CAP_ETH_RSS;
	const struct {
		u64 flags;
		u32 max_qp;
		u32 max_cq;
		u32 want;
	} rows[] = {
		{ 0, 65536, 65536, 1 },
		{ XRDMA_CAP_FLOW, 65536, 65536, 1 },
		{ rss, 65536, 65536, XRDMA_ETH_MAX_CHANNELS },
		{ rss, 72, 128, XRDMA_ETH_MAX_CHANNELS },
		{ rss, 71, 128, 7 },
		{ rss, 72, 127, 7 },
		{ rss, 24, 65536, 2 },
		{ rss, 23, 65536, 1 },
		{ rss, 4, 4, 1 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct xrdma_caps caps = {
			.flags = rows[i].flags,
			.max_qp = rows[i].max_qp,
			.max_cq = rows[i].max_cq,
		};

		KUNIT_EXPECT_EQ_MSG(test, rows[i].want,
				    xrdma_eth_max_channels(&caps), "row %u", i);
	}
}

static struct kunit_case eth_cases[] = {
	KUNIT_CASE(a_frame_for_a_full_ring_waits),
	KUNIT_CASE(completions_free_published_frames_only),
	KUNIT_CASE(work_of_a_frame_is_left_to_the_device),
	KUNIT_CASE(merged_frames_are_described),
	KUNIT_CASE(a_receive_of_a_wrong_length_is_refused),
	KUNIT_CASE(a_frame_for_a_missing_queue_is_dropped),
	KUNIT_CASE(the_default_number_of_channels),
	KUNIT_CASE(the_largest_number_of_channels),
	KUNIT_CASE(processes_leave_the_numbers_of_the_port),
	KUNIT_CASE(the_default_table_names_all_channels),
	{}
};

static struct kunit_suite eth_suite = {
	.name = "xrdma_eth",
	.init = eth_test_init,
	.exit = eth_test_exit,
	.test_cases = eth_cases,
};

kunit_test_suite(eth_suite);
