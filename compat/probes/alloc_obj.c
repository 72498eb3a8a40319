// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Has the kernel allocations whose argument is an object instead of a size? */
#include <linux/slab.h>

struct probe_array {
	unsigned int num;
	u32 entry[] __counted_by(num);
};

struct probe_objects {
	u32 *one;
	u32 *other;
	struct probe_array *array;
};

static __maybe_unused void probe(struct probe_objects *objects)
{
	objects->one = kzalloc_obj(*objects->one);
	objects->other = kvzalloc_obj(*objects->other, GFP_KERNEL_ACCOUNT);
	objects->array = kvzalloc_flex(*objects->array, entry, 2);
}
