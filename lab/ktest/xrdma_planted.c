// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bugs on purpose: one for each checker of the lab's own kernels, so that
 * lab/tests/lab/debug_kernels.py can check that lab/vm reports them. Loading
 * the module makes the bug that its parameter names. Some bugs need a PCI
 * device; the module finds it by its PCI ID, and does not use the driver.
 */

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#define PLANTED_SIZE	64
#define PLANTED_ROUNDS	2000000

static char *bug = "";
module_param(bug, charp, 0444);
MODULE_PARM_DESC(bug, "which one");

/* always 0; a parameter, so that the compiler does not know the value */
static unsigned int zero;
module_param(zero, uint, 0444);

static DEFINE_SPINLOCK(planted_lock);
static DEFINE_MUTEX(planted_one);
static DEFINE_MUTEX(planted_other);
static unsigned long planted_count;

static void planted_freed(void)
{
	char *memory = kzalloc(PLANTED_SIZE, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(memory);
	kfree(memory);
	READ_ONCE(memory[zero]);
}

static void planted_beyond(void)
{
	char *memory = kzalloc(PLANTED_SIZE, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(memory);
	WRITE_ONCE(memory[PLANTED_SIZE + zero], 1);
	kfree(memory);
}

static void planted_leak(void)
{
	unsigned int n;

	for (n = 0; n < 4; n++)
		kzalloc(PLANTED_SIZE, GFP_KERNEL);
}

static void planted_sleep(void)
{
	spin_lock(&planted_lock);
	fsleep(1000);
	spin_unlock(&planted_lock);
}

static void planted_inversion(void)
{
	mutex_lock(&planted_one);
	mutex_lock(&planted_other);
	mutex_unlock(&planted_other);
	mutex_unlock(&planted_one);
	mutex_lock(&planted_other);
	mutex_lock(&planted_one);
	mutex_unlock(&planted_one);
	mutex_unlock(&planted_other);
}

static void planted_mapping(void)
{
	struct pci_dev *pdev = NULL;
	void *memory = kzalloc(PLANTED_SIZE, GFP_KERNEL);

	for_each_pci_dev(pdev)
		if (pdev->vendor == 0x1af4 && (pdev->device & ~0xf) == 0x10f0)
			dma_map_single(&pdev->dev, memory, PLANTED_SIZE,
				       DMA_TO_DEVICE);
}

static void planted_shift(void)
{
	WRITE_ONCE(planted_count, 1 << (32 + zero));
}

static void planted_timer(struct timer_list *timer)
{
}

static void planted_object(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	timer_setup(timer, planted_timer, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static void planted_list(void)
{
	struct list_head head, entry;

	INIT_LIST_HEAD(&head);
	list_add(&entry, &head);
	list_del(&entry);
	list_del(&entry);
}

static int planted_counter(void *unused)
{
	unsigned int n;

	for (n = 0; n < PLANTED_ROUNDS; n++) {
		planted_count++;
		barrier();
	}
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static void planted_race(void)
{
	struct task_struct *one = kthread_run(planted_counter, NULL, "one");
	struct task_struct *other = kthread_run(planted_counter, NULL, "other");

	kthread_stop(one);
	kthread_stop(other);
}

static const struct {
	const char *name;
	void (*make)(void);
} planted_bugs[] = {
	{ "freed", planted_freed },
	{ "beyond", planted_beyond },
	{ "leak", planted_leak },
	{ "sleep", planted_sleep },
	{ "inversion", planted_inversion },
	{ "mapping", planted_mapping },
	{ "shift", planted_shift },
	{ "object", planted_object },
	{ "list", planted_list },
	{ "race", planted_race },
};

static int __init planted_init(void)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(planted_bugs); n++)
		if (!strcmp(planted_bugs[n].name, bug)) {
			planted_bugs[n].make();
			return 0;
		}
	return -EINVAL;
}

static void __exit planted_exit(void)
{
}

module_init(planted_init);
module_exit(planted_exit);
MODULE_DESCRIPTION("Bugs that the lab must notice");
MODULE_LICENSE("Dual BSD/GPL");
