// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The module of the kernel verbs tests: runs the cases when it is loaded, and
 * shows their results as KTAP in the debugfs file xrdma_ktest. The cases are in
 * the other ktest_*.c files, the connection that they use is in ktest_rig.c.
 */

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "ktest.h"

#define KTEST_LOG_SIZE	65536

static char *device_name = "xrdma0";
module_param_named(device, device_name, charp, 0444);
MODULE_PARM_DESC(device, "name of the device");

static int gid_index = 1;
module_param(gid_index, int, 0444);
MODULE_PARM_DESC(gid_index, "GID that both ends of the connections use");

static char *only;
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "name of the case to run, instead of all");

static const struct ktest_case *const ktest_suites[] = {
	ktest_verbs_cases, ktest_queues_cases, ktest_rings_cases,
	ktest_events_cases, ktest_place_cases, ktest_reg_cases,
	ktest_refused_cases, ktest_mw_cases, ktest_mw_bad_cases,
};

/* Suites whose cases run only if the module parameter names them */
static const struct ktest_case *const ktest_named_suites[] = {
	ktest_dead_cases, ktest_bench_cases,
};

/* One instance suffices: the cases run once, while the module is loaded. */
static struct ktest ktest;
static char *ktest_log;
static struct debugfs_blob_wrapper ktest_blob;
static struct dentry *ktest_file;

/**
 * ktest_say() - append text to the results
 * @format: format as for printk()
 */
void ktest_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ktest_blob.size += vscnprintf(ktest_log + ktest_blob.size,
				      KTEST_LOG_SIZE - ktest_blob.size, format,
				      args);
	va_end(args);
}

/**
 * ktest_fail() - record that an expectation was not met
 * @t: the case
 * @where: name of the function
 * @line: line number in the source
 * @what: the expression, as text
 * @is: value of the expression
 * @wanted: expected value of the expression
 */
void ktest_fail(struct ktest *t, const char *where, int line, const char *what,
		s64 is, s64 wanted)
{
	t->failed = true;
	ktest_say("# %s:%d: %s is %lld, not %lld\n", where, line, what, is,
		  wanted);
}

static void ktest_run(struct ktest *t, const struct ktest_case *test,
		      unsigned int number)
{
	int err;

	t->failed = false;
	t->poll = IB_POLL_WORKQUEUE;
	memset(t->op, 0, sizeof(t->op));
	err = ktest_setup(t);
	EXPECT_EQ(t, err, 0);
	if (!err)
		test->run(t);
	ktest_teardown(t);
	ktest_say("%sok %u %s\n", t->failed ? "not " : "", number, test->name);
}

static unsigned int ktest_run_suites(struct ktest *t,
				     const struct ktest_case *const *suites,
				     unsigned int num, unsigned int number)
{
	const struct ktest_case *test;
	unsigned int i;

	for (i = 0; i < num; i++)
		for (test = suites[i]; test->name; test++)
			if (!only || !strcmp(test->name, only))
				ktest_run(t, test, ++number);
	return number;
}

static void ktest_run_all(struct ktest *t)
{
	unsigned int number;

	number = ktest_run_suites(t, ktest_suites, ARRAY_SIZE(ktest_suites), 0);
	if (only)
		number = ktest_run_suites(t, ktest_named_suites,
					  ARRAY_SIZE(ktest_named_suites),
					  number);
	ktest_say("1..%u\n", number);
}

/* InfiniBand core allocates no region with remote rights: call the driver. */
static struct ib_mr *ktest_all_memory(struct ktest *t)
{
	struct ib_mr *mr = t->dev->ops.get_dma_mr(t->pd, KTEST_ALL);

	if (!IS_ERR(mr)) {
		mr->device = t->dev;
		mr->pd = t->pd;
		mr->type = IB_MR_TYPE_DMA;
	}
	return mr;
}

static int ktest_open(struct ktest *t)
{
	t->pd = ib_alloc_pd(t->dev, 0);
	if (IS_ERR(t->pd))
		return PTR_ERR(t->pd);
	t->other_pd = ib_alloc_pd(t->dev, 0);
	if (IS_ERR(t->other_pd))
		goto err_pd;
	t->mr = ktest_all_memory(t);
	if (IS_ERR(t->mr))
		goto err_other_pd;
	return 0;

err_other_pd:
	ib_dealloc_pd(t->other_pd);
err_pd:
	ib_dealloc_pd(t->pd);
	return -ENOMEM;
}

static void ktest_close(struct ktest *t)
{
	t->dev->ops.dereg_mr(t->mr, NULL);
	ib_dealloc_pd(t->other_pd);
	ib_dealloc_pd(t->pd);
}

/* Runs all cases. After the error, the core does not call remove(). */
static int ktest_add(struct ib_device *dev)
{
	if (strcmp(dev_name(&dev->dev), device_name))
		return -EOPNOTSUPP;
	ktest.dev = dev;
	ktest.gid_index = gid_index;
	if (ktest_open(&ktest))
		return -EOPNOTSUPP;
	ktest_say("KTAP version 1\n");
	ktest_run_all(&ktest);
	ktest_close(&ktest);
	return -EOPNOTSUPP;
}

static struct ib_client ktest_client = {
	.name = "xrdma_ktest",
	.add = ktest_add,
};

static int __init ktest_start(void)
{
	int err;

	ktest_log = kvmalloc(KTEST_LOG_SIZE, GFP_KERNEL);
	if (!ktest_log)
		return -ENOMEM;
	ktest_blob.data = ktest_log;
	err = ib_register_client(&ktest_client);
	if (!err)
		ib_unregister_client(&ktest_client);
	if (!err && !ktest_blob.size)
		err = -ENODEV;
	if (err) {
		kvfree(ktest_log);
		return err;
	}
	ktest_file = debugfs_create_blob("xrdma_ktest", 0400, NULL,
					 &ktest_blob);
	return 0;
}
module_init(ktest_start);

static void __exit ktest_end(void)
{
	debugfs_remove(ktest_file);
	kvfree(ktest_log);
}
module_exit(ktest_end);

MODULE_DESCRIPTION("Tests of the verbs that kernel code calls, over XRDMA");
MODULE_AUTHOR("The XRDMA project");
MODULE_LICENSE("Dual BSD/GPL");
