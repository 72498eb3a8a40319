// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of on-demand paging without a transport: ENABLE_ODP, INVALIDATE_RANGE,
 * the doorbell of the resume ring, key entries of paged regions, and the walk of
 * their tables. Page faults are in test_pager.c.
 */
#include <string.h>

#include "tests/lib/core_env.h"

#define PAGE		4096ULL
#define HUGE		0x200000ULL
#define EQN		3
#define LOG		9
#define INDEX		31
#define POS(table, page) ((table) * HUGE + (page) * PAGE)

static struct {
	struct core_env *env;
	struct core_qp cqp;
	u64 ring;
	u64 mem;
	u64 top;
	u64 table;
} t;

static int setup(void **state)
{
	struct xrdma_cmd cmd;

	t.env = core_setup_qp(state, &t.cqp);
	t.mem = core_alloc(t.env, 2 * HUGE, HUGE);
	t.ring = core_alloc(t.env, PAGE, PAGE);
	t.top = core_alloc(t.env, PAGE, PAGE);
	t.table = core_alloc(t.env, PAGE, PAGE);
	cmd = xrdma_make_create_eq(EQN, 3, LOG, core_queue(t.env, LOG));
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_OK);
	return 0;
}

static int setup_odp(void **state)
{
	setup(state);
	assert_int_equal(core_status(t.env, xrdma_make_enable_odp(t.ring, LOG,
								  EQN)),
			 XRDMA_CMD_OK);
	return 0;
}

static u8 enable(u64 ring, u8 log_entries, u32 eqn)
{
	return core_status(t.env, xrdma_make_enable_odp(ring, log_entries,
							eqn));
}

static void enable_checks_its_parameters(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_enable_odp(t.ring, LOG, EQN);

	(void)state;
	assert_int_equal(enable(t.ring, LOG, 0), XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(enable(t.ring, LOG, 40), XRDMA_CMD_BAD_NUMBER);
	core_expect(t.env, MODEL_HERR_CMD_NUMBER, 2);
	assert_int_equal(enable(t.ring + 8, LOG, EQN), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(enable(t.ring, MODEL_PAGE_FAULTS_LOG, EQN),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(enable(t.ring, LOG + 1, EQN), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(enable(t.ring, 17, EQN), XRDMA_CMD_BAD_PARAM);
	cmd.enable_odp.reserved[2] = 1;
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(enable(t.ring, LOG, 1), XRDMA_CMD_BAD_PARAM);
	core_expect(t.env, MODEL_HERR_CMD_PARAM, 6);
	assert_int_equal(enable(PAGE, LOG, EQN), XRDMA_CMD_BAD_DMA);
	core_expect(t.env, MODEL_HERR_DMA_UNMAPPED, 1);
	core_expect(t.env, MODEL_HERR_CMD_DMA, 1);
	assert_null(t.env->dev->pager.eq);
	assert_int_equal(enable(t.ring, LOG, EQN), XRDMA_CMD_OK);
	assert_int_equal(enable(t.ring, LOG, EQN), XRDMA_CMD_BAD_STATE);
	core_expect(t.env, MODEL_HERR_CMD_STATE, 1);
}

static void the_event_queue_belongs_to_page_faults(void **state)
{
	struct xrdma_cmd cq;

	(void)state;
	cq = xrdma_make_create_cq(7, EQN, 0, CORE_CQ_LOG,
				  core_queue(t.env, CORE_CQ_LOG));
	assert_int_equal(core_status(t.env, cq), XRDMA_CMD_OK);
	assert_int_equal(enable(t.ring, LOG, EQN), XRDMA_CMD_BUSY);
	assert_int_equal(core_object(t.env, XRDMA_CMD_DESTROY_CQ, 7),
			 XRDMA_CMD_OK);
	assert_int_equal(enable(t.ring, LOG, EQN), XRDMA_CMD_OK);
	assert_int_equal(core_status(t.env, cq), XRDMA_CMD_BUSY);
	assert_int_equal(core_object(t.env, XRDMA_CMD_DESTROY_EQ, EQN),
			 XRDMA_CMD_BUSY);
	core_expect(t.env, MODEL_HERR_CMD_BUSY, 3);
}

static void the_device_reports_the_limit(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_QUERY_DEVICE);

	(void)state;
	assert_int_equal(core_cmd(t.env, &cmd)->query_device.log_page_faults, 8);
}

static void the_doorbell_is_checked(void **state)
{
	const struct xrdma_cmd cmd = xrdma_make_enable_odp(t.ring, LOG, EQN);

	(void)state;
	core_write32(t.env, XRDMA_REG_RESUME_DB, 1);
	core_expect(t.env, MODEL_HERR_REG_ILLEGAL, 1);
	assert_int_equal(core_read32(t.env, XRDMA_REG_RESUME_DB), 0);
	core_expect(t.env, MODEL_HERR_REG_RESERVED, 1);
	core_cmd(t.env, &cmd);
	core_write32(t.env, XRDMA_REG_RESUME_DB, (1 << LOG) + 1);
	core_write32(t.env, XRDMA_REG_RESUME_DB, UINT32_MAX);
	core_write32(t.env, XRDMA_REG_RESUME_DB, 1);
	core_write32(t.env, XRDMA_REG_RESUME_DB, 0);
	core_expect(t.env, MODEL_HERR_RESUME_INDEX, 3);
	/* an answer of zeros names no page fault */
	model_device_poll(t.env->dev);
	assert_int_equal(t.env->dev->pager.ci, 1);
	core_write32(t.env, XRDMA_REG_RESUME_DB, 1 + (1 << LOG));
	while (t.env->dev->pager.ci != t.env->dev->pager.pi)
		model_device_poll(t.env->dev);
	core_expect(t.env, MODEL_HERR_RESUME_ENTRY, 1 + (1 << LOG));
}

static u8 forget(u32 count, u64 pos, u64 bytes)
{
	struct xrdma_cmd cmd = xrdma_make_invalidate_range(INDEX, pos, bytes);

	cmd.invalidate_range.count = cpu_to_le32(count);
	return core_status(t.env, cmd);
}

static void invalidate_range_checks_its_ranges(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_invalidate_range(5000, 0, PAGE);
	u64 limit = 1ULL << 63;
	u32 i;

	(void)state;
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_OK);
	assert_int_equal(forget(1, limit - PAGE, PAGE), XRDMA_CMD_OK);
	assert_int_equal(forget(1, 0, limit), XRDMA_CMD_OK);
	assert_int_equal(forget(0, 0, PAGE), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(forget(2, 0, PAGE), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(forget(5, 0, PAGE), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(forget(1, 0, 0), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(forget(1, 512, PAGE), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(forget(1, 0, 512), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(forget(1, limit, PAGE), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(forget(1, PAGE, limit), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(forget(1, 0, limit + PAGE), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(forget(1, -PAGE, 2 * PAGE), XRDMA_CMD_BAD_PARAM);
	cmd.invalidate_range.range[3].pos = cpu_to_le64(PAGE);
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_invalidate_range(INDEX, 0, PAGE);
	cmd.invalidate_range.range[0].reserved = 1;
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(t.env, MODEL_HERR_CMD_PARAM, 12);
	for (i = 1; i < XRDMA_INVAL_RANGES; i++)
		cmd.invalidate_range.range[i].bytes = cpu_to_le64(PAGE);
	cmd.invalidate_range.range[0].reserved = 0;
	cmd.invalidate_range.count = cpu_to_le32(XRDMA_INVAL_RANGES);
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_OK);
}

/* Publish a paged region with two levels of tables, at address 0. */
static void publish(u64 ctrl, u64 root, u64 length, u32 offset)
{
	struct xrdma_mpt_entry *e = core_mpt(t.env, INDEX);

	memset(e, 0, sizeof(*e));
	e->length = cpu_to_le64(length);
	e->root = cpu_to_le64(root);
	e->offset = cpu_to_le32(offset);
	ctrl |= xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MR, 0x5a, 7,
				    XRDMA_ACCESS_LOCAL_WRITE);
	e->ctrl = cpu_to_le64(ctrl);
}

static void publish_paged(u64 length)
{
	publish(XRDMA_MPT_PAGED, xrdma_make_root(t.top, 2, 12), length, 0);
}

static int access_at(u64 addr, u64 len, bool write)
{
	struct model_access_req req = {
		.qp = t.cqp.qp,
		.addr = addr,
		.len = len,
		.key = xrdma_make_key(INDEX, 0x5a),
		.rights = write ? XRDMA_ACCESS_LOCAL_WRITE : 0,
		.opcode = XRDMA_OP_SEND,
	};
	u8 bytes[64] = { 0x77 };

	return write ? model_access_write(t.env->dev, &req, bytes) :
		       model_access_read(t.env->dev, &req, bytes);
}

static void set_entry(u64 table, u32 index, u64 entry)
{
	((__le64 *)core_ptr(t.env, table))[index] = cpu_to_le64(entry);
}

static void a_key_entry_needs_enable(void **state)
{
	(void)state;
	publish_paged(PAGE);
	assert_int_equal(access_at(0, 8, false), XRDMA_FAULT_KEY_INVALID);
	core_expect(t.env, MODEL_HERR_MPT_PAGED, 1);
	assert_int_equal(enable(t.ring, LOG, EQN), XRDMA_CMD_OK);
	assert_int_equal(access_at(0, 8, false), MODEL_MISS);
}

static void malformed_key_entries_are_host_errors(void **state)
{
	u64 root = xrdma_make_root(t.top, 2, 12);

	(void)state;
	publish(XRDMA_MPT_PAGED | XRDMA_MPT_IDENTITY, 0, PAGE, 0);
	assert_int_equal(access_at(0, 8, false), XRDMA_FAULT_KEY_INVALID);
	publish(XRDMA_MPT_PAGED | XRDMA_MPT_DEVICE, 0, PAGE, 0);
	assert_int_equal(access_at(0, 8, false), XRDMA_FAULT_KEY_INVALID);
	publish(XRDMA_MPT_PAGED | FIELD_PREP(XRDMA_MPT_TYPE, XRDMA_MPT_MW_1),
		0, PAGE, 0);
	assert_int_equal(access_at(0, 8, false), XRDMA_FAULT_KEY_INVALID);
	core_expect(t.env, MODEL_HERR_MPT_RESERVED, 3);
	publish(XRDMA_MPT_PAGED, xrdma_make_root(t.top, 0, 12), PAGE, 0);
	assert_int_equal(access_at(0, 8, false), XRDMA_FAULT_KEY_INVALID);
	publish(XRDMA_MPT_PAGED, xrdma_make_root(t.top, 2, 13), PAGE, 0);
	assert_int_equal(access_at(0, 8, false), XRDMA_FAULT_KEY_INVALID);
	publish(XRDMA_MPT_PAGED, root, ~0ULL, PAGE);
	assert_int_equal(access_at(0, 8, false), XRDMA_FAULT_KEY_INVALID);
	core_expect(t.env, MODEL_HERR_MPT_ROOT, 3);
}

/* A root of 2 levels maps 1 GiB, whatever the region has. */
static void the_region_may_exceed_its_root(void **state)
{
	u64 end = 1ULL << 30;

	(void)state;
	publish_paged(~0ULL);
	assert_int_equal(access_at(end - 8, 8, false), MODEL_MISS);
	assert_int_equal(access_at(end, 8, false), XRDMA_FAULT_TRANSLATION);
	assert_int_equal(access_at(end + 8, 8, true), XRDMA_FAULT_TRANSLATION);
	assert_int_equal(access_at(~0ULL - 8, 8, true),
			 XRDMA_FAULT_TRANSLATION);
	/* the first byte misses, and what follows is never reached */
	assert_int_equal(access_at(end - 8, 16, false), MODEL_MISS);
	set_entry(t.top, 511, xrdma_make_mtt_block(t.mem));
	assert_int_equal(access_at(end - 8, 8, false), 0);
	assert_int_equal(access_at(end - 8, 16, false),
			 XRDMA_FAULT_TRANSLATION);
}

static void a_miss_is_found_on_each_level(void **state)
{
	u64 block = xrdma_make_mtt_block(t.mem);

	(void)state;
	publish_paged(HUGE * 4);
	assert_int_equal(access_at(0, 8, false), MODEL_MISS);
	set_entry(t.top, 0, xrdma_make_mtt_table(t.table));
	assert_int_equal(access_at(0, 8, false), MODEL_MISS);
	set_entry(t.table, 0, block);
	assert_int_equal(access_at(0, 8, false), 0);
	assert_int_equal(access_at(0, 8, true), MODEL_MISS);
	assert_int_equal(access_at(PAGE - 8, 16, false), MODEL_MISS);
	set_entry(t.table, 0, block | XRDMA_MTT_WRITE);
	assert_int_equal(access_at(0, 8, true), 0);
	assert_int_equal(*(u8 *)core_ptr(t.env, t.mem), 0x77);
	assert_int_equal(access_at(0, 8, false), 0);
	/* a block of 2 MiB */
	set_entry(t.top, 1, block | XRDMA_MTT_WRITE);
	assert_int_equal(access_at(HUGE + 0x12345, 8, true), 0);
	assert_int_equal(*(u8 *)core_ptr(t.env, t.mem + 0x12345), 0x77);
}

static void malformed_entries_are_refused(void **state)
{
	u64 block = xrdma_make_mtt_block(t.mem);
	u64 table = xrdma_make_mtt_table(t.table);

	(void)state;
	publish_paged(HUGE * 4);
	set_entry(t.top, 0, table | XRDMA_MTT_WRITE);
	assert_int_equal(access_at(0, 8, false), XRDMA_FAULT_TRANSLATION);
	set_entry(t.top, 0, table);
	set_entry(t.table, 0, block | 1 << 3);
	assert_int_equal(access_at(0, 8, false), XRDMA_FAULT_TRANSLATION);
	set_entry(t.top, 1, block + PAGE);
	assert_int_equal(access_at(HUGE, 8, false), XRDMA_FAULT_TRANSLATION);
	core_expect(t.env, MODEL_HERR_MTT_ENTRY, 3);
	assert_int_equal(t.env->dev->pager.used, 0);
}

/* What is cached is used until the fence, and not longer. */
static void invalidate_range_forgets_entries(void **state)
{
	u64 block = xrdma_make_mtt_block(t.mem) | XRDMA_MTT_WRITE;

	(void)state;
	publish_paged(HUGE * 4);
	set_entry(t.top, 0, xrdma_make_mtt_table(t.table));
	set_entry(t.table, 0, block);
	assert_int_equal(access_at(0, 8, true), 0);
	set_entry(t.table, 0, 0);
	assert_int_equal(forget(1, 0, PAGE), XRDMA_CMD_OK);
	assert_int_equal(access_at(0, 8, false), MODEL_MISS);
	set_entry(t.table, 0, block);
	assert_int_equal(access_at(0, 8, true), 0);
	/* the right to write is lost */
	set_entry(t.table, 0, block & ~XRDMA_MTT_WRITE);
	assert_int_equal(forget(1, 0, PAGE), XRDMA_CMD_OK);
	assert_int_equal(access_at(0, 8, true), MODEL_MISS);
	assert_int_equal(access_at(0, 8, false), 0);
	/* the table is replaced by a block */
	set_entry(t.top, 0, xrdma_make_mtt_block(t.mem + HUGE));
	assert_int_equal(forget(1, 0, HUGE), XRDMA_CMD_OK);
	*(u8 *)core_ptr(t.env, t.mem + HUGE) = 0x12;
	assert_int_equal(access_at(0, 8, false), 0);
	set_entry(t.top, 0, 0);
	assert_int_equal(forget(1, 0, HUGE), XRDMA_CMD_OK);
	assert_int_equal(access_at(0, 8, false), MODEL_MISS);
}

/*
 * A mapping of its own for the page behind the guest memory. Return: its bus
 * address.
 */
static u64 map_page(void)
{
	u64 addr = CORE_IOVA + CORE_MEM_SIZE;

	assert_int_equal(model_dma_map(t.env->dma, addr, PAGE,
				       MODEL_DMA_READ | MODEL_DMA_WRITE,
				       t.env->fd, 0), 0);
	return addr;
}

static void unmap_page(u64 addr)
{
	assert_int_equal(model_dma_unmap(t.env->dma, addr, PAGE), 0);
}

/* The driver unmaps memory for DMA while the device may use it. */
static void memory_unmapped_too_early_is_a_host_error(void **state)
{
	u64 page, table;
	u32 turn;

	(void)state;
	publish_paged(HUGE);
	set_entry(t.top, 0, xrdma_make_mtt_table(t.table));
	page = map_page();
	set_entry(t.table, 0, xrdma_make_mtt_block(page));
	assert_int_equal(access_at(0, 8, false), 0);
	/* the entry is cleared, and the fence answered, before the unmap */
	set_entry(t.table, 0, 0);
	assert_int_equal(forget(1, 0, PAGE), XRDMA_CMD_OK);
	unmap_page(page);

	for (turn = 0; turn < 2; turn++) {
		page = map_page();
		set_entry(t.table, 0, xrdma_make_mtt_block(page));
		assert_int_equal(access_at(0, 8, false), 0);
		/* the cached result of an old epoch is found too */
		t.env->dev->epoch += turn;
		set_entry(t.table, 0, 0);
		unmap_page(page);
		assert_int_equal(t.env->herr->count[MODEL_HERR_MTT_FENCE],
				 turn + 1);
		assert_int_equal(access_at(0, 8, false), MODEL_MISS);
		assert_int_equal(forget(1, 0, PAGE), XRDMA_CMD_OK);
	}
	/* a table */
	table = map_page();
	*(__le64 *)core_ptr(t.env, CORE_IOVA) =
		cpu_to_le64(xrdma_make_mtt_block(t.mem));
	set_entry(t.top, 0, xrdma_make_mtt_table(table));
	assert_int_equal(access_at(0, 8, false), 0);
	unmap_page(table);
	core_expect(t.env, MODEL_HERR_MTT_FENCE, 3);
	assert_int_equal(forget(1, 0, PAGE), XRDMA_CMD_OK);
}

static void memory_unmapped_after_the_key_is_no_host_error(void **state)
{
	u64 page;

	(void)state;
	publish_paged(HUGE);
	set_entry(t.top, 0, xrdma_make_mtt_table(t.table));
	page = map_page();
	set_entry(t.table, 0, xrdma_make_mtt_block(page));
	assert_int_equal(access_at(0, 8, false), 0);
	*(__le32 *)core_ptr(t.env, t.ring) = cpu_to_le32(INDEX);
	assert_int_equal(core_status(t.env, xrdma_make_invalidate(t.ring, 1)),
			 XRDMA_CMD_OK);
	unmap_page(page);
}

/* The range of another region, or of one that is not paged, has no effect. */
static void other_ranges_have_no_effect(void **state)
{
	u64 addr = core_alloc(t.env, PAGE, PAGE);
	struct model_key *key;

	(void)state;
	core_region(t.env, INDEX + 1, addr, PAGE, XRDMA_ACCESS_LOCAL_WRITE);
	publish_paged(HUGE);
	set_entry(t.top, 0, xrdma_make_mtt_block(t.mem));
	assert_int_equal(access_at(0, 8, false), 0);
	key = model_key_get(t.env->dev, INDEX);
	assert_true(key->mem.run_len);
	model_key_forget_range(t.env->dev, INDEX + 1);
	model_key_forget_range(t.env->dev, INDEX + MODEL_KEY_CACHE);
	assert_true(key->mem.run_len);
	model_key_forget_range(t.env->dev, INDEX);
	assert_false(key->mem.run_len);
}

#define T(name, setup) \
	cmocka_unit_test_setup_teardown(name, setup, core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(enable_checks_its_parameters, setup),
		T(the_event_queue_belongs_to_page_faults, setup),
		T(the_device_reports_the_limit, setup),
		T(the_doorbell_is_checked, setup),
		T(invalidate_range_checks_its_ranges, setup_odp),
		T(a_key_entry_needs_enable, setup),
		T(malformed_key_entries_are_host_errors, setup_odp),
		T(the_region_may_exceed_its_root, setup_odp),
		T(a_miss_is_found_on_each_level, setup_odp),
		T(malformed_entries_are_refused, setup_odp),
		T(invalidate_range_forgets_entries, setup_odp),
		T(memory_unmapped_too_early_is_a_host_error, setup_odp),
		T(memory_unmapped_after_the_key_is_no_host_error, setup_odp),
		T(other_ranges_have_no_effect, setup_odp),
	};

	return cmocka_run_group_tests_name("on-demand paging", tests, NULL,
					   NULL);
}
