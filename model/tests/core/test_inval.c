// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of invalidation, by work requests of both sides and by command, and of
 * fast registration.
 */
#include <string.h>

#include "tests/lib/wire_mw.h"

#define MW		50
#define FR		51
#define MR		40
#define MR_BYTES	65536

/*
 * struct scene - a connection of the kernel's; side b has a region, a bound
 * window of type 2 and a registered fast-register region, all of the same bytes
 */
struct scene {
	struct wire_pair p;
	u32 mr;
	u32 mw;
	u32 fr;
};

static struct wire_bind make_bind(const struct scene *s, u32 key, u32 mr)
{
	return (struct wire_bind) {
		.key = key,
		.new_key = xrdma_make_key(xrdma_key_index(key), 0x11),
		.mr_key = mr,
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.addr = s->p.b_buf,
		.length = 4096,
	};
}

static struct wire_reg make_reg(const struct scene *s, u32 key, u8 byte)
{
	return (struct wire_reg) {
		.key = xrdma_make_key(xrdma_key_index(key), byte),
		.access = WIRE_BIND_RIGHTS,
		.iova = s->p.b_buf,
		.addr = s->p.b_buf,
		.length = MR_BYTES,
	};
}

static void begin(void **state, struct scene *s)
{
	struct wire_params params = wire_defaults;
	struct wire_host *host;
	struct wire_bind b;
	struct wire_reg r;

	params.flags = XRDMA_QP_KERNEL;
	wire_make_pair(*state, &s->p, &params);
	host = s->p.b.host;
	s->mr = wire_region(host, MR, s->p.b_buf, MR_BYTES, WIRE_BIND_RIGHTS);
	b = make_bind(s, wire_publish(host, MW, XRDMA_MPT_MW_2), s->mr);
	r = make_reg(s, wire_publish(host, FR, XRDMA_MPT_FAST_REG), 0x22);
	wire_post_bind(&s->p.b, 100, &b);
	wire_post_reg(&s->p.b, 101, &r);
	wire_expect_send(&s->p.b, 100, XRDMA_WC_SUCCESS);
	wire_expect_send(&s->p.b, 101, XRDMA_WC_SUCCESS);
	s->mw = b.new_key;
	s->fr = r.key;
}

static u8 write_to(struct scene *s, u32 key)
{
	struct xrdma_sge sge = wire_sge(s->p.a_buf, 64, s->p.a_key);
	struct xrdma_cqe cqe;

	wire_post_signaled(&s->p.a, XRDMA_OP_WRITE, 0, sge, s->p.b_buf, key);
	assert_true(wire_wait(s->p.a.env, &s->p.a.send_cq, &cqe));
	return cqe.status;
}

static void post_send_inv(struct scene *s, u64 wr_id, u32 len, u32 key)
{
	struct xrdma_sge sge = wire_sge(s->p.a_buf, len, s->p.a_key);

	wire_post_send(&s->p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND_INV, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = wr_id, .sges = &sge, .num_sge = 1, .inv_key = key,
	});
}

static void post_recv(struct scene *s, u64 wr_id)
{
	struct xrdma_sge sge = wire_sge(s->p.b_buf + 0x10000, 0x10000,
					s->p.b_key);

	wire_post_recv(&s->p.b, wr_id, &sge, 1);
}

static void is_free(struct scene *s, u32 key, u8 type)
{
	struct xrdma_mpt_entry *e = wire_mpt(s->p.b.host, xrdma_key_index(key));
	const struct xrdma_mpt_entry zero = { 0 };

	assert_int_equal(le64_to_cpu(e->ctrl),
			 xrdma_make_mpt_ctrl(XRDMA_MPT_FREE, type, key,
					     WIRE_PD, 0));
	assert_memory_equal((u8 *)e + 8, (u8 *)&zero + 8, sizeof(zero) - 8);
}

static void local_invalidation_frees(void **state)
{
	struct scene s;

	begin(state, &s);
	assert_int_equal(wire_bound(s.p.b.host, s.mr), 1);
	wire_post_inval(&s.p.b, 1, s.mw);
	wire_post_inval(&s.p.b, 2, s.fr);
	/* a free window stays free */
	wire_post_inval(&s.p.b, 3, s.mw);
	wire_post_inval(&s.p.b, 4, s.fr);
	wire_expect_send(&s.p.b, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.b, 2, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.b, 3, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.b, 4, XRDMA_WC_SUCCESS);
	is_free(&s, s.mw, XRDMA_MPT_MW_2);
	is_free(&s, s.fr, XRDMA_MPT_FAST_REG);
	assert_int_equal(wire_bound(s.p.b.host, s.mr), 0);
	assert_int_equal(write_to(&s, s.mw), XRDMA_WC_REM_ACCESS_ERR);
	wire_expect_fault(s.p.b.host, &s.p.b, 0, XRDMA_FAULT_KEY_FREE,
			  XRDMA_OP_WRITE, s.mw);
}

/* A refused invalidation and its reason. */
struct bad_inval {
	const char *name;
	u8 reason;
	u32 (*key)(struct scene *s);
};

#define KEY(name)							\
	static u32 name(struct scene *s __attribute__((unused)))

KEY(no_index) { return s->mw ^ 0x80000000; }
KEY(no_entry) { return s->mw ^ 0x10000; }
KEY(old_byte) { return s->mw ^ 1; }
KEY(old_byte_of_region) { return s->fr ^ 0x80; }
KEY(region) { return s->mr; }
KEY(type_1) { return wire_publish(s->p.b.host, 60, XRDMA_MPT_MW_1); }

KEY(other_pd)
{
	u32 key = wire_publish(s->p.b.host, 60, XRDMA_MPT_MW_2);

	wire_mpt(s->p.b.host, 60)->ctrl += 1ULL << 32;
	return key;
}

KEY(other_qp)
{
	struct wire_pair other;
	struct wire_bind b;

	wire_connect(s->p.b.env, &other.a, &other.b, &wire_defaults);
	b = make_bind(s, wire_publish(s->p.b.host, 60, XRDMA_MPT_MW_2), s->mr);
	wire_post_bind(&other.b, 1, &b);
	wire_expect_send(&other.b, 1, XRDMA_WC_SUCCESS);
	return b.new_key;
}

KEY(bound)
{
	struct wire_bind b;

	b = make_bind(s, wire_publish(s->p.b.host, 60, XRDMA_MPT_MW_2), s->fr);
	wire_post_bind(&s->p.b, 1, &b);
	wire_expect_send(&s->p.b, 1, XRDMA_WC_SUCCESS);
	return s->fr;
}

static const struct bad_inval bad_invals[] = {
	{ "no such index", XRDMA_FAULT_KEY_INDEX, no_index },
	{ "no such entry", XRDMA_FAULT_KEY_INVALID, no_entry },
	{ "old key byte", XRDMA_FAULT_KEY_BYTE, old_byte },
	{ "byte of a region", XRDMA_FAULT_KEY_BYTE, old_byte_of_region },
	{ "plain region", XRDMA_FAULT_TYPE, region },
	{ "type 1", XRDMA_FAULT_TYPE, type_1 },
	{ "another PD", XRDMA_FAULT_PD, other_pd },
	{ "another queue pair", XRDMA_FAULT_QP, other_qp },
	{ "region with a window", XRDMA_FAULT_BOUND, bound },
};

static struct xrdma_mpt_entry entry_of(struct scene *s, u32 key)
{
	const struct xrdma_mpt_entry none = { 0 };
	u32 index = xrdma_key_index(key);

	return index < 1000 ? *wire_mpt(s->p.b.host, index) : none;
}

static void refuse_local(struct scene *s, u32 key, u8 reason)
{
	wire_post_inval(&s->p.b, 5, key);
	wire_expect_refused(&s->p.b, 5, XRDMA_WC_LOC_QP_OP_ERR, reason);
}

static void refuse_remote(struct scene *s, u32 key, u8 reason)
{
	struct xrdma_cqe cqe;

	post_recv(s, 1);
	post_recv(s, 2);
	post_send_inv(s, 3, 10, key);
	wire_expect_recv(&s->p.b, 1, XRDMA_WC_LOC_ACCESS_ERR, &cqe);
	assert_int_equal(le16_to_cpu(cqe.vendor_err), reason);
	wire_expect_recv(&s->p.b, 2, XRDMA_WC_WR_FLUSH_ERR, &cqe);
	wire_expect_send(&s->p.a, 3, XRDMA_WC_REM_ACCESS_ERR);
	assert_int_equal(s->p.a.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(s->p.b.qp->state, XRDMA_QPS_ERR);
	assert_non_null(wire_event(s->p.b.host, XRDMA_EVENT_QP_ACCESS_ERR, 0));
}

/*
 * For each of bad_invals, call @refuse to post the invalidation and to expect
 * its refusal. The invalidation must leave the entry of the key as it was and
 * report a fault with @opcode and @flags.
 */
static void each_bad(void **state, u8 opcode, u8 flags,
		     void (*refuse)(struct scene *s, u32 key, u8 reason))
{
	const struct bad_inval *bad;
	struct xrdma_mpt_entry before, after;
	struct scene s;
	u32 key;

	for (bad = bad_invals; bad < bad_invals + ARRAY_SIZE(bad_invals);
	     bad++) {
		print_message("  %s\n", bad->name);
		begin(state, &s);
		key = bad->key(&s);
		before = entry_of(&s, key);
		refuse(&s, key, bad->reason);
		after = entry_of(&s, key);
		assert_memory_equal(&before, &after, sizeof(before));
		wire_expect_fault(s.p.b.host, &s.p.b, 0, bad->reason, opcode,
				  key);
		assert_int_equal(wire_event(s.p.b.host, XRDMA_EVENT_FAULT,
					    0)->flags, flags);
		wire_start_over(state);
	}
}

static void each_bad_local_invalidation(void **state)
{
	each_bad(state, XRDMA_OP_LOCAL_INV, 0, refuse_local);
}

static void each_bad_remote_invalidation(void **state)
{
	each_bad(state, XRDMA_OP_SEND_INV, XRDMA_FAULT_REMOTE, refuse_remote);
}

static void a_send_invalidates(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;
	u32 len;

	/* one packet, then several packets */
	for (len = 100; len <= 5000; len += 4900) {
		begin(state, &s);
		post_recv(&s, 1);
		post_send_inv(&s, 2, len, s.mw);
		wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
		wire_expect_recv(&s.p.b, 1, XRDMA_WC_SUCCESS, &cqe);
		assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_INV);
		assert_int_equal(le32_to_cpu(cqe.inv_key), s.mw);
		assert_int_equal(le32_to_cpu(cqe.byte_len), len);
		assert_int_equal(cqe.opcode, XRDMA_OP_RECV);
		assert_memory_equal(s.p.b_mem + 0x10000, s.p.a_mem, len);
		is_free(&s, s.mw, XRDMA_MPT_MW_2);
		assert_int_equal(wire_bound(s.p.b.host, s.mr), 0);
		post_recv(&s, 3);
		post_send_inv(&s, 4, 0, s.fr);
		wire_expect_recv(&s.p.b, 3, XRDMA_WC_SUCCESS, &cqe);
		is_free(&s, s.fr, XRDMA_MPT_FAST_REG);
		wire_start_over(state);
	}
}

static void registration_makes_it_valid(void **state)
{
	struct xrdma_mpt_entry *e;
	struct wire_reg r;
	struct scene s;

	begin(state, &s);
	e = wire_mpt(s.p.b.host, FR);
	assert_int_equal(le64_to_cpu(e->ctrl),
			 xrdma_make_mpt_ctrl(XRDMA_MPT_VALID,
					     XRDMA_MPT_FAST_REG, 0x22, WIRE_PD,
					     WIRE_BIND_RIGHTS));
	assert_int_equal(le64_to_cpu(e->length), MR_BYTES);
	assert_int_equal(write_to(&s, s.fr), XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.b_mem, s.p.a_mem, 64);
	wire_post_inval(&s.p.b, 1, s.fr);
	/* register other memory under another key byte */
	r = make_reg(&s, s.fr, 0x23);
	r.addr += MR_BYTES;
	wire_post_reg(&s.p.b, 2, &r);
	wire_expect_send(&s.p.b, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.b, 2, XRDMA_WC_SUCCESS);
	assert_int_equal(write_to(&s, r.key), XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.b_mem + MR_BYTES, s.p.a_mem, 64);
	assert_int_equal(write_to(&s, s.fr), XRDMA_WC_REM_ACCESS_ERR);
}

struct bad_reg {
	const char *name;
	u8 reason;
	u32 key_xor;
	u32 access;
	u64 iova;
	u64 length;
	bool is_free;
};

static const struct bad_reg bad_regs[] = {
	{ "no such index", XRDMA_FAULT_KEY_INDEX, 0x80000000, 1, 0, 64, true },
	{ "no such entry", XRDMA_FAULT_KEY_INVALID, 0x10000, 1, 0, 64, true },
	{ "a window", XRDMA_FAULT_TYPE, 0x100, 1, 0, 64, true },
	{ "not free", XRDMA_FAULT_NOT_FREE, 0, 1, 0, 64, false },
	{ "no right", XRDMA_FAULT_RIGHTS, 0, 1 << 6, 0, 64, true },
	{ "beyond 16 bits", XRDMA_FAULT_RIGHTS, 0, 1 << 16, 0, 64, true },
	{ "remote write only", XRDMA_FAULT_RIGHTS, 0,
	  XRDMA_ACCESS_REMOTE_WRITE, 0, 64, true },
	{ "atomics only", XRDMA_FAULT_RIGHTS, 0, XRDMA_ACCESS_REMOTE_ATOMIC, 0,
	  64, true },
	{ "length 0", XRDMA_FAULT_RANGE, 0, 1, 0, 0, true },
	{ "wrap", XRDMA_FAULT_RANGE, 0, 1, -64ULL, 65, true },
};

static void each_bad_registration(void **state)
{
	const struct bad_reg *bad;
	struct xrdma_mpt_entry before, after;
	struct wire_reg r;
	struct scene s;

	for (bad = bad_regs; bad < bad_regs + ARRAY_SIZE(bad_regs); bad++) {
		print_message("  %s\n", bad->name);
		begin(state, &s);
		if (bad->is_free) {
			wire_post_inval(&s.p.b, 1, s.fr);
			wire_expect_send(&s.p.b, 1, XRDMA_WC_SUCCESS);
		}
		r = make_reg(&s, s.fr ^ bad->key_xor, 9);
		r.access = bad->access;
		r.iova = bad->iova;
		r.length = bad->length;
		before = entry_of(&s, s.fr);
		wire_post_reg(&s.p.b, 2, &r);
		wire_expect_refused(&s.p.b, 2, XRDMA_WC_MW_BIND_ERR,
				    bad->reason);
		after = entry_of(&s, s.fr);
		assert_memory_equal(&before, &after, sizeof(before));
		wire_expect_fault(s.p.b.host, &s.p.b, 0, bad->reason,
				  XRDMA_OP_REG_MR, r.key);
		wire_start_over(state);
	}
}

static void a_bad_root_is_a_host_error(void **state)
{
	struct wire_reg r;
	struct scene s;

	begin(state, &s);
	wire_post_inval(&s.p.b, 1, s.fr);
	wire_expect_send(&s.p.b, 1, XRDMA_WC_SUCCESS);
	r = make_reg(&s, s.fr, 9);
	r.length = WIRE_MEM_SIZE;
	wire_post_reg(&s.p.b, 2, &r);
	wire_expect_refused(&s.p.b, 2, XRDMA_WC_MW_BIND_ERR,
			    XRDMA_FAULT_TRANSLATION);
	is_free(&s, s.fr, XRDMA_MPT_FAST_REG);
	assert_int_equal(s.p.b.host->herr->count[MODEL_HERR_MPT_ROOT], 1);
	s.p.b.host->expected++;
}

static void a_user_registers_nothing(void **state)
{
	struct wire_pair user;
	struct wire_reg r;
	struct scene s;

	begin(state, &s);
	wire_connect(*state, &user.a, &user.b, &wire_defaults);
	r = make_reg(&s, wire_publish(s.p.b.host, 60, XRDMA_MPT_FAST_REG), 9);
	wire_post_reg(&user.b, 1, &r);
	wire_expect_refused(&user.b, 1, XRDMA_WC_LOC_QP_OP_ERR, 0);
	assert_int_equal(wire_state(s.p.b.host, r.key), XRDMA_MPT_FREE);
}

/* INVALIDATE handles keys in the order of the array. */
static void the_command_ends_windows_before_regions(void **state)
{
	struct xrdma_cmd cmd;
	struct xrdma_rsp rsp;
	struct scene s;
	__le32 *words;
	u64 addr;
	u32 free_mw;

	begin(state, &s);
	free_mw = wire_publish(s.p.b.host, 60, XRDMA_MPT_MW_1);
	addr = wire_alloc(s.p.b.host, 64, 64);
	words = wire_ptr(s.p.b.host, addr);
	words[0] = cpu_to_le32(MR);
	words[1] = cpu_to_le32(MW);
	words[2] = cpu_to_le32(MR);
	words[3] = cpu_to_le32(FR);
	words[4] = cpu_to_le32(60);
	cmd = xrdma_make_invalidate(addr, 5);
	model_cmd_execute(s.p.b.host->dev, &cmd, &rsp);
	assert_int_equal(rsp.status, XRDMA_CMD_OK);
	assert_int_equal(le32_to_cpu(words[0]), MR | XRDMA_INVAL_BOUND << 24);
	assert_int_equal(le32_to_cpu(words[1]), MW);
	assert_int_equal(le32_to_cpu(words[2]), MR);
	assert_int_equal(le32_to_cpu(words[3]), FR);
	assert_int_equal(le32_to_cpu(words[4]), 60);
	/* the entry keeps only its key byte */
	assert_int_equal(wire_mpt(s.p.b.host, MW)->ctrl,
			 xrdma_key_byte(s.mw));
	assert_int_equal(wire_mpt(s.p.b.host, FR)->ctrl,
			 xrdma_key_byte(s.fr));
	assert_int_equal(wire_mpt(s.p.b.host, 60)->ctrl,
			 xrdma_key_byte(free_mw));
	assert_int_equal(write_to(&s, s.mw), XRDMA_WC_REM_ACCESS_ERR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(local_invalidation_frees, 1),
		WIRE_TEST(each_bad_local_invalidation, 1),
		WIRE_TEST(a_send_invalidates, 1),
		WIRE_TEST(each_bad_remote_invalidation, 1),
		WIRE_TEST(registration_makes_it_valid, 1),
		WIRE_TEST(each_bad_registration, 1),
		WIRE_TEST(a_bad_root_is_a_host_error, 1),
		WIRE_TEST(a_user_registers_nothing, 1),
		WIRE_TEST(the_command_ends_windows_before_regions, 1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
