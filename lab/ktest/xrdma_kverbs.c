// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Calls kernel verbs one at a time, for tests that make each of them fail.
 * Writing the name of a verb to the debugfs file xrdma_kverbs calls the verb in
 * the writer's thread, with the objects that earlier writes have created. The
 * write returns the verb's errno. "end" destroys all these objects. The module
 * is a client of InfiniBand core; lab/tests/debug/test_failslab_kernel.py
 * injects the failures.
 */

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#define KVERBS_PIECES	1024	/* pages of the region: several tables */
#define KVERBS_DEPTH	64
#define KVERBS_NAME	32

static char *device_name = "xrdma0";
module_param_named(device, device_name, charp, 0444);
MODULE_PARM_DESC(device, "name of the device");

static int gid_index = 1;
module_param(gid_index, int, 0444);
MODULE_PARM_DESC(gid_index, "GID of the address handle");

/* The objects that verbs have created; NULL if there is none. */
struct kverbs_made {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_srq *srq;
	struct ib_qp *qp;
	struct ib_mr *dma_mr;
	struct ib_mr *mr;
	struct ib_ah *ah;
};

/* Protects made: held for a whole write. */
static DEFINE_MUTEX(kverbs_lock);
static struct ib_device *kverbs_dev;
static struct kverbs_made made;

/* ---- verbs ---------------------------------------------------------------- */

/* Stores what a verb returned in @where; evaluates to the verb's errno. */
#define KVERBS_KEEP(where, call) ({					\
	typeof(where) made_ = (call);					\
	int err_ = PTR_ERR_OR_ZERO(made_);				\
									\
	if (!err_)							\
		(where) = made_;					\
	err_;								\
})

static int kverbs_alloc_pd(void)
{
	return KVERBS_KEEP(made.pd, ib_alloc_pd(kverbs_dev, 0));
}

/* Calls the driver: the core calls get_dma_mr only in ib_alloc_pd(). */
static int kverbs_get_dma_mr(void)
{
	int err;

	err = KVERBS_KEEP(made.dma_mr, kverbs_dev->ops.get_dma_mr
			  (made.pd, IB_ACCESS_LOCAL_WRITE));
	if (err)
		return err;
	made.dma_mr->device = kverbs_dev;
	made.dma_mr->pd = made.pd;
	made.dma_mr->type = IB_MR_TYPE_DMA;
	return 0;
}

static int kverbs_alloc_mr(void)
{
	return KVERBS_KEEP(made.mr, ib_alloc_mr(made.pd,
						  IB_MR_TYPE_MEM_REG,
						  KVERBS_PIECES));
}

static int kverbs_create_a_cq(int entries)
{
	return KVERBS_KEEP(made.cq, ib_alloc_cq(kverbs_dev, NULL, entries, 0,
						  IB_POLL_DIRECT));
}

static int kverbs_create_cq(void)
{
	return kverbs_create_a_cq(KVERBS_DEPTH);
}

static int kverbs_create_cq_largest(void)
{
	return kverbs_create_a_cq(kverbs_dev->attrs.max_cqe);
}

static int kverbs_create_a_srq(u32 max_wr)
{
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = max_wr, .max_sge = 2 },
	};

	return KVERBS_KEEP(made.srq, ib_create_srq(made.pd, &init));
}

static int kverbs_create_srq(void)
{
	return kverbs_create_a_srq(KVERBS_DEPTH);
}

static int kverbs_create_srq_largest(void)
{
	return kverbs_create_a_srq(kverbs_dev->attrs.max_srq_wr);
}

static int kverbs_create_a_qp(enum ib_qp_type type, u32 max_wr)
{
	struct ib_qp_init_attr init = {
		.send_cq = made.cq,
		.recv_cq = made.cq,
		.cap = {
			.max_send_wr = max_wr,
			.max_recv_wr = max_wr,
			.max_send_sge = 2,
			.max_recv_sge = 2,
		},
		.qp_type = type,
	};

	return KVERBS_KEEP(made.qp, ib_create_qp(made.pd, &init));
}

static int kverbs_create_qp_rc(void)
{
	return kverbs_create_a_qp(IB_QPT_RC, KVERBS_DEPTH);
}

static int kverbs_create_qp_largest(void)
{
	return kverbs_create_a_qp(IB_QPT_RC, kverbs_dev->attrs.max_qp_wr);
}

static int kverbs_create_qp_ud(void)
{
	return kverbs_create_a_qp(IB_QPT_UD, KVERBS_DEPTH);
}

static int kverbs_modify_qp(void)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qkey = 0x11111111,
	};

	return ib_modify_qp(made.qp, &attr, IB_QP_STATE | IB_QP_PORT |
			    IB_QP_PKEY_INDEX | IB_QP_QKEY);
}

static int kverbs_create_ah(void)
{
	struct rdma_ah_attr attr = {
		.type = rdma_ah_find_type(kverbs_dev, 1),
	};
	union ib_gid gid;
	int err;

	err = rdma_query_gid(kverbs_dev, 1, gid_index, &gid);
	if (err)
		return err;
	rdma_ah_set_port_num(&attr, 1);
	rdma_ah_set_grh(&attr, &gid, 0, gid_index, 64, 0);
	return KVERBS_KEEP(made.ah, rdma_create_ah(made.pd, &attr,
						     RDMA_CREATE_AH_SLEEPABLE));
}

/* Destroys each object before those that it uses. Return: the last error. */
static int kverbs_end(void)
{
	int err = 0;

	if (made.ah)
		rdma_destroy_ah(made.ah, RDMA_DESTROY_AH_SLEEPABLE);
	if (made.mr)
		err = ib_dereg_mr(made.mr) ?: err;
	if (made.dma_mr)
		err = kverbs_dev->ops.dereg_mr(made.dma_mr, NULL) ?: err;
	if (made.qp)
		err = ib_destroy_qp(made.qp) ?: err;
	if (made.srq)
		ib_destroy_srq(made.srq);
	if (made.cq)
		ib_free_cq(made.cq);
	if (made.pd)
		ib_dealloc_pd(made.pd);
	made = (struct kverbs_made){};
	return err;
}

static const struct {
	const char *name;
	int (*call)(void);
} kverbs_table[] = {
	{ "alloc_pd", kverbs_alloc_pd },
	{ "get_dma_mr", kverbs_get_dma_mr },
	{ "alloc_mr", kverbs_alloc_mr },
	{ "create_cq", kverbs_create_cq },
	{ "create_cq_largest", kverbs_create_cq_largest },
	{ "create_srq", kverbs_create_srq },
	{ "create_srq_largest", kverbs_create_srq_largest },
	{ "create_qp_rc", kverbs_create_qp_rc },
	{ "create_qp_largest", kverbs_create_qp_largest },
	{ "create_qp_ud", kverbs_create_qp_ud },
	{ "modify_qp", kverbs_modify_qp },
	{ "create_ah", kverbs_create_ah },
	{ "end", kverbs_end },
};

/* ---- the file --------------------------------------------------------------- */

static int kverbs_call(const char *name)
{
	int i, err = -ENODEV;

	for (i = 0; i < ARRAY_SIZE(kverbs_table); i++)
		if (!strcmp(kverbs_table[i].name, name))
			break;
	if (i == ARRAY_SIZE(kverbs_table))
		return -ENOENT;
	mutex_lock(&kverbs_lock);
	if (kverbs_dev)
		err = kverbs_table[i].call();
	mutex_unlock(&kverbs_lock);
	return err;
}

static ssize_t kverbs_write(struct file *file, const char __user *words,
			    size_t len, loff_t *pos)
{
	char name[KVERBS_NAME] = "";
	int err;

	if (len >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, words, len))
		return -EFAULT;
	err = kverbs_call(name);
	return err ?: len;
}

static const struct file_operations kverbs_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = kverbs_write,
};

/* ---- the client ------------------------------------------------------------ */

static int kverbs_add(struct ib_device *dev)
{
	if (strcmp(dev_name(&dev->dev), device_name))
		return -EOPNOTSUPP;
	mutex_lock(&kverbs_lock);
	kverbs_dev = dev;
	mutex_unlock(&kverbs_lock);
	return 0;
}

static void kverbs_remove(struct ib_device *dev, void *client_data)
{
	mutex_lock(&kverbs_lock);
	kverbs_end();
	kverbs_dev = NULL;
	mutex_unlock(&kverbs_lock);
}

static struct ib_client kverbs_client = {
	.name = "xrdma_kverbs",
	.add = kverbs_add,
	.remove = kverbs_remove,
};

static struct dentry *kverbs_file;

static int __init kverbs_init(void)
{
	int err;

	err = ib_register_client(&kverbs_client);
	if (err)
		return err;
	kverbs_file = debugfs_create_file("xrdma_kverbs", 0200, NULL, NULL,
					  &kverbs_fops);
	return 0;
}
module_init(kverbs_init);

static void __exit kverbs_exit(void)
{
	debugfs_remove(kverbs_file);
	ib_unregister_client(&kverbs_client);
}
module_exit(kverbs_exit);

MODULE_DESCRIPTION("Verbs of the kernel's consumers, one at a time");
MODULE_AUTHOR("The XRDMA project");
MODULE_LICENSE("Dual BSD/GPL");
