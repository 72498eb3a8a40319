// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of device memory (xrdma_dm.c): allocation by a thread that is being
 * killed. There is no device: memory of the kernel replaces BAR 4.
 */

#include <kunit/test.h>
#include <linux/genalloc.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>
#include "xrdma_dm.h"
#include "xrdma_ibdev.h"

#define DM_TEST_SIZE		(4ULL << 20)
#define DM_TEST_PHYS		0x100000000ULL

/**
 * struct dm_test - device of which only the device memory works
 * @xib: RDMA device
 * @pdev: PCI function of the device
 */
struct dm_test {
	struct xrdma_ibdev xib;
	struct pci_dev pdev;
};

static int dm_test_init(struct kunit *test)
{
	struct dm_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct xrdma_dev *xdev;
	void *bar;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	xdev = &t->xib.hw;
	xdev->pdev = &t->pdev;
	xdev->caps.flags = XRDMA_CAP_DEVICE_MEMORY;
	xdev->caps.device_memory = DM_TEST_SIZE;
	xdev->dm_size = DM_TEST_SIZE;
	xdev->dm_phys = DM_TEST_PHYS;
	bar = vmalloc(DM_TEST_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, bar);
	xdev->dm = (void __iomem __force *)bar;
	return xrdma_dm_create(&t->xib);
}

static void dm_test_exit(struct kunit *test)
{
	struct dm_test *t = test->priv;

	if (!t)
		return;
	xrdma_dm_destroy(&t->xib);
	vfree((void __force *)t->xib.hw.dm);
}

static struct ib_dm *alloc(struct dm_test *t)
{
	struct ib_dm_alloc_attr attr = { .length = DM_TEST_SIZE };

	return xrdma_alloc_dm(&t->xib.ibdev, NULL, &attr, NULL);
}

static void memory_is_not_zeroed_for_the_killed(struct kunit *test)
{
	struct dm_test *t = test->priv;
	struct ib_dm *dm;

	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	dm = alloc(t);
	flush_signals(current);
	disallow_signal(SIGKILL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(dm), -EINTR);
	/* the failed allocation has freed all device memory */
	KUNIT_EXPECT_EQ(test, gen_pool_avail(t->xib.dm_pool), DM_TEST_SIZE);
}

static struct kunit_case dm_cases[] = {
	KUNIT_CASE(memory_is_not_zeroed_for_the_killed),
	{}
};

static struct kunit_suite dm_suite = {
	.name = "xrdma_dm",
	.init = dm_test_init,
	.exit = dm_test_exit,
	.test_cases = dm_cases,
};

kunit_test_suite(dm_suite);
