// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the Ethernet port (xrdma_eth.c): sending of a frame while the send
 * ring is full. There is no device: the netdev is not registered, and nothing
 * reads the ring. Tests with a device are in lab/tests/.
 */

#include <kunit/test.h>
#include <linux/etherdevice.h>
#include "xrdma_eth.h"

#define ETH_TEST_LOG_DEPTH	4
#define ETH_TEST_DEPTH		BIT(ETH_TEST_LOG_DEPTH)

static int eth_test_init(struct kunit *test)
{
	struct net_device *ndev = alloc_etherdev(sizeof(struct xrdma_netdev));
	struct xrdma_netdev *xn;

	KUNIT_ASSERT_NOT_NULL(test, ndev);
	test->priv = ndev;
	xn = netdev_priv(ndev);
	xn->ndev = ndev;
	xn->qp.sq.log_depth = ETH_TEST_LOG_DEPTH;
	netif_tx_start_all_queues(ndev);
	return 0;
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
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct sk_buff *skb = alloc_skb(ETH_FRAME_LEN, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, ETH_ZLEN);
	xn->qp.sq.pi = ETH_TEST_DEPTH + 3;
	xn->qp.sq.ci = 3;
	xn->tx_published = xn->qp.sq.pi;

	KUNIT_EXPECT_EQ(test, eth_test_send(ndev, skb), NETDEV_TX_BUSY);
	KUNIT_EXPECT_EQ(test, xn->qp.sq.pi, ETH_TEST_DEPTH + 3);
	KUNIT_EXPECT_TRUE(test,
			  netif_tx_queue_stopped(netdev_get_tx_queue(ndev, 0)));
	/* xrdma_eth_xmit() has not freed the frame */
	KUNIT_EXPECT_EQ(test, refcount_read(&skb->users), 1);
	kfree_skb(skb);
}

static struct kunit_case eth_cases[] = {
	KUNIT_CASE(a_frame_for_a_full_ring_waits),
	{}
};

static struct kunit_suite eth_suite = {
	.name = "xrdma_eth",
	.init = eth_test_init,
	.exit = eth_test_exit,
	.test_cases = eth_cases,
};

kunit_test_suite(eth_suite);
