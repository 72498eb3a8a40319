// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of protection: each reason of the access check, malformed key entries,
 * invalidation of cached entries.
 */
#include <string.h>

#include "tests/lib/core_env.h"

#define ALL_REMOTE							\
	(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |		\
	 XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC)

static struct {
	struct core_env *env;
	struct core_qp cqp;
	u64 addr;
	u32 key;
} t;

static int setup(void **state)
{
	t.env = core_setup_qp(state, &t.cqp);
	t.addr = core_alloc(t.env, 0x200000, 0x200000) + 0x10000;
	t.key = core_region(t.env, 9, t.addr, 0x10000, ALL_REMOTE);
	return 0;
}

static struct model_access_req remote(u16 rights)
{
	return (struct model_access_req) {
		.qp = t.cqp.qp,
		.addr = t.addr,
		.len = 64,
		.key = t.key,
		.rights = rights,
		.remote = true,
		.opcode = XRDMA_OP_WRITE,
	};
}

static int check(struct model_access_req req)
{
	struct model_target target;

	return model_access_check(t.env->dev, &req, &target);
}

static int write_remote(void)
{
	return check(remote(XRDMA_ACCESS_REMOTE_WRITE));
}

static void set_ctrl(u32 index, u8 state, u8 type, u32 pd, u16 access)
{
	core_mpt(t.env, index)->ctrl =
		cpu_to_le64(xrdma_make_mpt_ctrl(state, type, 0x5a, pd, access));
}

static void data_goes_where_it_belongs(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_REMOTE_WRITE);
	u8 data[64], back[64];

	(void)state;
	memset(data, 0xc3, sizeof(data));
	req.addr += 0xffc0;
	assert_int_equal(model_access_write(t.env->dev, &req, data), 0);
	assert_memory_equal(core_ptr(t.env, t.addr + 0xffc0), data, 64);
	req.rights = XRDMA_ACCESS_REMOTE_READ;
	assert_int_equal(model_access_read(t.env->dev, &req, back), 0);
	assert_memory_equal(back, data, 64);
}

static void every_reason_has_its_case(void **state)
{
	struct model_access_req req;

	(void)state;
	req = remote(XRDMA_ACCESS_REMOTE_WRITE);
	req.key = xrdma_make_key(40000, 0x5a);
	assert_int_equal(check(req), XRDMA_FAULT_KEY_INDEX);
	req.key = xrdma_make_key(10, 0x5a);
	assert_int_equal(check(req), XRDMA_FAULT_KEY_INVALID);
	req.key = t.key ^ 1;
	assert_int_equal(check(req), XRDMA_FAULT_KEY_BYTE);

	req = remote(XRDMA_ACCESS_REMOTE_WRITE);
	t.cqp.qp->pd = 8;
	assert_int_equal(check(req), XRDMA_FAULT_PD);
	t.cqp.qp->pd = 7;
	t.cqp.qp->attr.access = cpu_to_le16(XRDMA_ACCESS_REMOTE_READ);
	assert_int_equal(check(req), XRDMA_FAULT_QP_RIGHTS);
	req = remote(XRDMA_ACCESS_REMOTE_READ);
	assert_int_equal(check(req), 0);
	req = remote(XRDMA_ACCESS_REMOTE_ATOMIC);
	req.addr += 4;
	req.len = 8;
	assert_int_equal(check(req), XRDMA_FAULT_ALIGN);
}

static void rights_are_checked_one_by_one(void **state)
{
	static const u16 rights[] = {
		XRDMA_ACCESS_LOCAL_WRITE, XRDMA_ACCESS_REMOTE_WRITE,
		XRDMA_ACCESS_REMOTE_READ, XRDMA_ACCESS_REMOTE_ATOMIC,
	};
	struct model_access_req req;
	unsigned int granted, asked;
	u32 index = 100;

	(void)state;
	for (granted = 0; granted < 4; granted++) {
		index++;
		t.key = core_region(t.env, index, t.addr, 64, rights[granted]);
		for (asked = 0; asked < 4; asked++) {
			req = remote(rights[asked]);
			req.remote = asked != 0;
			assert_int_equal(check(req), granted == asked ? 0 :
					 XRDMA_FAULT_RIGHTS);
		}
		req = remote(0);
		req.remote = false;
		assert_int_equal(check(req), 0);
	}
}

static void range_is_exact_and_never_wraps(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_REMOTE_WRITE);

	(void)state;
	req.len = 0x10000;
	assert_int_equal(check(req), 0);
	req.len = 0x10001;
	assert_int_equal(check(req), XRDMA_FAULT_RANGE);
	req.addr = t.addr - 1;
	req.len = 1;
	assert_int_equal(check(req), XRDMA_FAULT_RANGE);
	req.addr = t.addr + 0x10000;
	assert_int_equal(check(req), XRDMA_FAULT_RANGE);
	req.addr = t.addr + 0xffff;
	assert_int_equal(check(req), 0);
	req.len = 2;
	assert_int_equal(check(req), XRDMA_FAULT_RANGE);
	req.len = ~0ULL;
	assert_int_equal(check(req), XRDMA_FAULT_RANGE);
	req.addr = ~0ULL;
	req.len = 2;
	assert_int_equal(check(req), XRDMA_FAULT_RANGE);
}

/* A region may end at the very end of the address space. */
static void a_region_at_the_top(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_REMOTE_WRITE);

	(void)state;
	core_region(t.env, 20, t.addr, 0x1000, ALL_REMOTE);
	core_mpt(t.env, 20)->iova = cpu_to_le64(-0x1000ULL);
	req.key = xrdma_make_key(20, 0x5a);
	req.addr = -0x40ULL;
	req.len = 0x40;
	assert_int_equal(check(req), 0);
	req.len = 0x41;
	assert_int_equal(check(req), XRDMA_FAULT_RANGE);
}

/* A region may begin at position 0. */
static void a_region_at_the_bottom(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_REMOTE_WRITE);

	(void)state;
	core_region(t.env, 20, t.addr - 0x10000, 0x1000, ALL_REMOTE);
	req.key = xrdma_make_key(20, 0x5a);
	req.addr = t.addr - 0x10000;
	assert_int_equal(core_mpt(t.env, 20)->offset, 0);
	assert_int_equal(check(req), 0);
}

static void zero_bytes_need_no_key(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_REMOTE_WRITE);

	(void)state;
	req.key = 0;
	req.len = 0;
	assert_int_equal(check(req), 0);
}

static void a_refusal_is_recorded(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_REMOTE_WRITE);
	const struct xrdma_eqe *eqe;

	(void)state;
	req.len = 0x10001;
	check(req);
	eqe = core_eqe(t.env, 0, 0);
	assert_int_equal(eqe->event, XRDMA_EVENT_FAULT);
	assert_int_equal(eqe->reason, XRDMA_FAULT_RANGE);
	assert_int_equal(le64_to_cpu(eqe->length), 0x10001);
	assert_int_equal(t.env->dev->stats[XRDMA_STAT_REM_ACCESS_ERRORS], 1);
}

static void local_keys_take_the_same_way(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_LOCAL_WRITE);

	(void)state;
	req.remote = false;
	assert_int_equal(check(req), 0);
	core_region(t.env, 21, t.addr, 64, 0);
	req.key = xrdma_make_key(21, 0x5a);
	assert_int_equal(check(req), XRDMA_FAULT_RIGHTS);
	req.rights = 0;
	assert_int_equal(check(req), 0);
}

static void identity_takes_bus_addresses(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_LOCAL_WRITE);
	struct xrdma_mpt_entry *e = core_mpt(t.env, 22);
	u8 data[64];

	(void)state;
	e->length = cpu_to_le64(~0ULL);
	e->ctrl = cpu_to_le64(xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, 0, 0, 7,
						  XRDMA_ACCESS_LOCAL_WRITE) |
			      XRDMA_MPT_IDENTITY);
	req.key = xrdma_make_key(22, 0);
	req.remote = false;
	req.addr = t.addr + 0xfe0; /* crosses a page boundary */
	memset(data, 0x99, sizeof(data));
	assert_int_equal(model_access_write(t.env->dev, &req, data), 0);
	assert_memory_equal(core_ptr(t.env, t.addr + 0xfe0), data, 64);
	req.addr = 0x10;
	assert_int_equal(model_access_write(t.env->dev, &req, data),
			 XRDMA_FAULT_TRANSLATION);
	core_expect(t.env, MODEL_HERR_DMA_UNMAPPED, 1);
}

/* An entry becomes valid without a command, and is cached only then. */
/* hw.rst, "The local key of the kernel" */
static void the_kernels_local_key_reaches_all_memory(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_LOCAL_WRITE);
	u8 data[64];

	(void)state;
	memset(data, 0x3c, sizeof(data));
	req.key = 0x00000001;
	req.remote = false;
	req.addr = t.addr + 0xfe0;
	t.cqp.qp->flags |= XRDMA_QP_KERNEL;
	assert_int_equal(model_access_write(t.env->dev, &req, data), 0);
	assert_memory_equal(core_ptr(t.env, t.addr + 0xfe0), data, 64);
	req.rights = 0;
	assert_int_equal(check(req), 0);
	req.addr = -32ULL;
	assert_int_equal(check(req), XRDMA_FAULT_RANGE);
}

static void the_kernels_local_key_has_no_other_use(void **state)
{
	struct model_access_req req = remote(XRDMA_ACCESS_REMOTE_WRITE);

	(void)state;
	req.key = 0x00000001;
	t.cqp.qp->flags |= XRDMA_QP_KERNEL;
	assert_int_equal(check(req), XRDMA_FAULT_KEY_INVALID);
	t.cqp.qp->flags &= ~XRDMA_QP_KERNEL;
	assert_int_equal(check(req), XRDMA_FAULT_KEY_INVALID);
	req.remote = false;
	req.rights = XRDMA_ACCESS_LOCAL_WRITE;
	assert_int_equal(check(req), XRDMA_FAULT_KEY_INVALID);
	req.rights = 0;
	assert_int_equal(check(req), XRDMA_FAULT_KEY_INVALID);
}

static void publishing_needs_no_command(void **state)
{
	(void)state;
	assert_int_equal(write_remote(), 0);
	t.key = xrdma_make_key(30, 0x5a);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	core_region(t.env, 30, t.addr, 4096, ALL_REMOTE);
	assert_int_equal(write_remote(), 0);
}

/* A free entry grants nothing, and is not cached as free. */
static void a_free_entry_may_become_valid(void **state)
{
	(void)state;
	core_region(t.env, 30, t.addr, 4096, ALL_REMOTE);
	set_ctrl(30, XRDMA_MPT_FREE, 0, 7, ALL_REMOTE);
	t.key = xrdma_make_key(30, 0x5a);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_FREE);
	set_ctrl(30, XRDMA_MPT_VALID, 0, 7, ALL_REMOTE);
	assert_int_equal(write_remote(), 0);
}

/* hw.rst, "Adding rights": the entry is cached, nothing is invalidated */
static void added_rights_count_at_once(void **state)
{
	struct xrdma_mpt_entry *e;

	(void)state;
	t.key = core_region(t.env, 60, t.addr, 64, XRDMA_ACCESS_REMOTE_READ);
	e = core_mpt(t.env, 60);
	assert_int_equal(check(remote(XRDMA_ACCESS_REMOTE_READ)), 0);
	assert_int_equal(write_remote(), XRDMA_FAULT_RIGHTS);
	e->ctrl |= cpu_to_le64(FIELD_PREP(XRDMA_MPT_ACCESS,
					  XRDMA_ACCESS_REMOTE_WRITE));
	assert_int_equal(write_remote(), 0);
	assert_int_equal(check(remote(XRDMA_ACCESS_REMOTE_READ)), 0);
	assert_int_equal(check(remote(XRDMA_ACCESS_REMOTE_ATOMIC)),
			 XRDMA_FAULT_RIGHTS);
}

static void malformed_entries_are_host_errors(void **state)
{
	struct xrdma_mpt_entry *e = core_mpt(t.env, 31);

	(void)state;
	core_region(t.env, 31, t.addr, 4096, ALL_REMOTE);
	t.key = xrdma_make_key(31, 0x5a);
	e->ctrl |= cpu_to_le64(1ULL << 59);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	set_ctrl(31, XRDMA_MPT_VALID, 0, 7, 1 << 6);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	set_ctrl(31, XRDMA_MPT_VALID, 0, 7, ALL_REMOTE);
	e->reserved = 1;
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	e->reserved = 0;
	e->qpn = 1;
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	e->qpn = 0;
	core_expect(t.env, MODEL_HERR_MPT_RESERVED, 4);

	set_ctrl(31, XRDMA_MPT_NOT_PRESENT, 0, 7, ALL_REMOTE);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	set_ctrl(31, 9, 0, 7, ALL_REMOTE);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	core_expect(t.env, MODEL_HERR_MPT_STATE, 2);

	set_ctrl(31, XRDMA_MPT_VALID, 4, 7, ALL_REMOTE);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	set_ctrl(31, XRDMA_MPT_VALID, 15, 7, ALL_REMOTE);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	core_expect(t.env, MODEL_HERR_MPT_TYPE, 2);

	set_ctrl(31, XRDMA_MPT_VALID, 0, 7, ALL_REMOTE);
	e->iova = cpu_to_le64(-4095ULL);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	core_expect(t.env, MODEL_HERR_MPT_RANGE, 1);
	e->iova = cpu_to_le64(t.addr);
	e->length = cpu_to_le64(0x200000);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	e->length = cpu_to_le64(-1ULL - t.addr);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	e->length = cpu_to_le64(4096);
	e->root = cpu_to_le64(xrdma_make_root(t.addr, 0, 21));
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	core_expect(t.env, MODEL_HERR_MPT_ROOT, 3);
}

/* Run INVALIDATE with two keys; @words: the outcome of each. */
static u8 invalidate(__le32 **words, u32 one, u32 two)
{
	u64 addr = core_alloc(t.env, 8, 8);

	*words = core_ptr(t.env, addr);
	(*words)[0] = cpu_to_le32(one);
	(*words)[1] = cpu_to_le32(two);
	return core_status(t.env, xrdma_make_invalidate(addr, 2));
}

static void invalidate_ends_access(void **state)
{
	__le32 *words;

	(void)state;
	assert_int_equal(write_remote(), 0);
	core_region(t.env, 32, t.addr, 64, ALL_REMOTE);
	core_mpt(t.env, 32)->bound = cpu_to_le32(2);
	assert_int_equal(invalidate(&words, 9, 32), XRDMA_CMD_OK);
	assert_int_equal(le32_to_cpu(words[0]), 9);
	assert_int_equal(le32_to_cpu(words[1]),
			 32 | XRDMA_INVAL_BOUND << 24);
	assert_int_equal(core_mpt(t.env, 9)->ctrl, 0x5a);
	assert_int_not_equal(core_mpt(t.env, 32)->ctrl, 0x5a);
	assert_int_equal(write_remote(), XRDMA_FAULT_KEY_INVALID);
	assert_int_equal(t.env->dev->stats[XRDMA_STAT_INVALIDATED_KEYS], 1);
}

static void invalidate_of_nothing_is_a_host_error(void **state)
{
	__le32 *words;

	(void)state;
	assert_int_equal(invalidate(&words, 33, 0xffffff), XRDMA_CMD_OK);
	assert_int_equal(le32_to_cpu(words[0]),
			 33 | XRDMA_INVAL_BAD_INDEX << 24);
	assert_int_equal(le32_to_cpu(words[1]),
			 0xffffff | XRDMA_INVAL_BAD_INDEX << 24);
	core_expect(t.env, MODEL_HERR_INVAL_KEY, 2);
}

static void invalidate_checks_its_array_first(void **state)
{
	struct xrdma_cmd cmd;
	__le32 *words;

	(void)state;
	assert_int_equal(invalidate(&words, 9, 1 << 24 | 9),
			 XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_invalidate(t.addr, XRDMA_INVAL_MAX + 1);
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_invalidate(t.addr + 4, 1);
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(t.env, MODEL_HERR_CMD_PARAM, 3);
	cmd = xrdma_make_invalidate(CORE_IOVA + CORE_MEM_SIZE - 8, 3);
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_BAD_DMA);
	core_expect(t.env, MODEL_HERR_CMD_DMA, 1);
	core_expect(t.env, MODEL_HERR_DMA_UNMAPPED, 1);
	assert_int_equal(write_remote(), 0);
}

/* INVALIDATE names single keys: no command invalidates a whole domain. */
static void invalidate_names_each_key(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_invalidate(0, 0);

	(void)state;
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_OK);
	assert_int_equal(write_remote(), 0);
	cmd.invalidate.addr = cpu_to_le64(core_alloc(t.env, 8, 8));
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd.invalidate.addr = 0;
	cmd.invalidate.reserved = cpu_to_le32(7);
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd.invalidate.addr = cpu_to_le64(core_alloc(t.env, 8, 8));
	cmd.invalidate.count = cpu_to_le32(1);
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(t.env, MODEL_HERR_CMD_PARAM, 3);
	assert_int_equal(write_remote(), 0);
}

/*
 * The table entry of a page of the key table is cleared. Once an INVALIDATE has
 * answered, the device neither reads nor writes that page any more.
 */
static void invalidate_forgets_pages_of_the_key_table(void **state)
{
	u64 table = core_alloc(t.env, 4096, 4096);
	__le64 *entry = core_ptr(t.env, table);
	struct model_access_req req;

	(void)state;
	entry[0] = cpu_to_le64(xrdma_make_mtt_block(t.env->mpt));
	entry[1] = cpu_to_le64(xrdma_make_mtt_block(t.env->mpt + 4096));
	model_keys_enable(t.env->dev, xrdma_make_root(table, 1, 12));
	assert_int_equal(write_remote(), 0);
	req = remote(XRDMA_ACCESS_REMOTE_WRITE);
	req.key = xrdma_make_key(64, 0x5a);
	assert_int_equal(check(req), XRDMA_FAULT_KEY_INVALID);
	entry[1] = 0;
	assert_int_equal(core_status(t.env, xrdma_make_invalidate(0, 0)),
			 XRDMA_CMD_OK);
	core_region(t.env, 64, t.addr, 64, ALL_REMOTE);
	assert_int_equal(check(req), XRDMA_FAULT_KEY_INDEX);
	assert_int_equal(write_remote(), 0);
	entry[1] = cpu_to_le64(xrdma_make_mtt_block(t.env->mpt + 4096));
	assert_int_equal(check(req), 0);
}

/* Two keys with the same cache slot do not use each other's entry. */
static void cache_slots_do_not_mix(void **state)
{
	u32 first = t.key;

	(void)state;
	core_region(t.env, 9 + MODEL_KEY_CACHE, t.addr, 16, ALL_REMOTE);
	assert_int_equal(write_remote(), 0);
	t.key = xrdma_make_key(9 + MODEL_KEY_CACHE, 0x5a);
	assert_int_equal(write_remote(), XRDMA_FAULT_RANGE);
	t.key = first;
	assert_int_equal(write_remote(), 0);
}

static void sgl_crosses_its_entries(void **state)
{
	struct xrdma_sge sge[3] = {
		{ cpu_to_le64(t.addr), cpu_to_le32(5), cpu_to_le32(t.key) },
		{ 0, 0, cpu_to_le32(1) },
		{ cpu_to_le64(t.addr + 100), cpu_to_le32(7),
		  cpu_to_le32(t.key) },
	};
	struct model_sgl sgl = { .sge = sge, .num = 3 };
	char text[] = "hello, world", back[12];
	bool paged = true;

	(void)state;
	assert_int_equal(model_sgl_length(&sgl), 12);
	assert_int_equal(model_sgl_check(t.cqp.qp, &sgl,
					 XRDMA_ACCESS_LOCAL_WRITE, &paged), 0);
	assert_false(paged);
	assert_int_equal(model_sgl_scatter(t.cqp.qp, &sgl, 0, text, 4), 0);
	assert_int_equal(model_sgl_scatter(t.cqp.qp, &sgl, 4, text + 4, 8), 0);
	assert_memory_equal(core_ptr(t.env, t.addr), "hello", 5);
	assert_memory_equal(core_ptr(t.env, t.addr + 100), ", world", 7);
	assert_int_equal(model_sgl_gather(t.cqp.qp, &sgl, 3, back, 9), 0);
	assert_memory_equal(back, text + 3, 9);
	assert_int_equal(model_sgl_gather(t.cqp.qp, &sgl, 7, back, 5), 0);
	assert_memory_equal(back, text + 7, 5);
	sge[2].lkey = cpu_to_le32(t.key ^ 1);
	assert_int_equal(model_sgl_gather(t.cqp.qp, &sgl, 0, back, 5), 0);
	assert_int_equal(model_sgl_gather(t.cqp.qp, &sgl, 0, back, 6),
			 XRDMA_FAULT_KEY_BYTE);
	assert_int_equal(model_sgl_check(t.cqp.qp, &sgl, 0, &paged),
			 XRDMA_FAULT_KEY_BYTE);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(data_goes_where_it_belongs),
		T(every_reason_has_its_case),
		T(rights_are_checked_one_by_one),
		T(range_is_exact_and_never_wraps),
		T(a_region_at_the_top),
		T(a_region_at_the_bottom),
		T(zero_bytes_need_no_key),
		T(a_refusal_is_recorded),
		T(local_keys_take_the_same_way),
		T(identity_takes_bus_addresses),
		T(the_kernels_local_key_reaches_all_memory),
		T(the_kernels_local_key_has_no_other_use),
		T(publishing_needs_no_command),
		T(a_free_entry_may_become_valid),
		T(added_rights_count_at_once),
		T(malformed_entries_are_host_errors),
		T(invalidate_ends_access),
		T(invalidate_of_nothing_is_a_host_error),
		T(invalidate_checks_its_array_first),
		T(invalidate_names_each_key),
		T(invalidate_forgets_pages_of_the_key_table),
		T(cache_slots_do_not_mix),
		T(sgl_crosses_its_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
