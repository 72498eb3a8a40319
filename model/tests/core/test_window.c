// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of memory windows: access through a bound window, refused binds,
 * windows of type 1 that are bound again, windows of type 2A.
 */
#include <string.h>

#include "tests/lib/wire_mw.h"

#define MW		50
#define MW_ACCESS	(XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ)
#define MR_BYTES	65536

/*
 * struct scene - a connection; side b has a region to bind windows to
 * @mr: key of that region
 * @mw: key of a window of side b
 */
struct scene {
	struct wire_pair p;
	u32 mr;
	u32 mw;
};

static void begin(void **state, struct scene *s, u8 type)
{
	wire_make_pair(*state, &s->p, &wire_defaults);
	s->mr = wire_region(s->p.b.host, 40, s->p.b_buf, MR_BYTES,
			    WIRE_BIND_RIGHTS);
	s->mw = wire_publish(s->p.b.host, MW, type);
}

/* Return: a bind of 256 bytes from offset 4096 on. */
static struct wire_bind make_bind(const struct scene *s, u8 byte)
{
	return (struct wire_bind) {
		.key = s->mw,
		.new_key = xrdma_make_key(xrdma_key_index(s->mw), byte),
		.mr_key = s->mr,
		.access = MW_ACCESS,
		.addr = s->p.b_buf + 4096,
		.length = 256,
	};
}

/* Execute a bind, which must succeed, and set s->mw to the new key. */
static void bind(struct scene *s, const struct wire_bind *b)
{
	wire_post_bind(&s->p.b, 7, b);
	wire_expect_send(&s->p.b, 7, XRDMA_WC_SUCCESS);
	s->mw = b->new_key;
}

static u8 access_from(struct wire_qp *qp, const struct scene *s, u8 opcode,
		      u64 addr, u32 len)
{
	struct xrdma_sge sge = wire_sge(s->p.a_buf, len, s->p.a_key);
	struct xrdma_cqe cqe;

	wire_post_signaled(qp, opcode, 0, sge, addr, s->mw);
	assert_true(wire_wait(qp->env, &qp->send_cq, &cqe));
	return cqe.status;
}

/* Return: status of an access of the peer through the window. */
static u8 access(struct scene *s, u8 opcode, u64 addr, u32 len)
{
	return access_from(&s->p.a, s, opcode, addr, len);
}

static void a_window_grants_its_part(void **state)
{
	struct xrdma_mpt_entry *e;
	struct scene s;
	struct wire_bind b;

	begin(state, &s, XRDMA_MPT_MW_2);
	b = make_bind(&s, 0x11);
	bind(&s, &b);
	e = wire_mpt(s.p.b.host, MW);
	assert_int_equal(le64_to_cpu(e->ctrl),
			 xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MW_2,
					     0x11, WIRE_PD, MW_ACCESS));
	assert_int_equal(le64_to_cpu(e->iova), b.addr);
	assert_int_equal(le64_to_cpu(e->length), 256);
	assert_int_equal(e->root | e->offset | e->bound | e->reserved, 0);
	assert_int_equal(le32_to_cpu(e->qpn), s.p.b.qpn);
	assert_int_equal(le32_to_cpu(e->parent), xrdma_key_index(s.mr));
	assert_int_equal(le64_to_cpu(e->window_base), 4096);
	assert_int_equal(wire_bound(s.p.b.host, s.mr), 1);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, b.addr, 256),
			 XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.b_mem + 4096, s.p.a_mem, 256);
	memset(s.p.b_mem + 4096, 0xee, 256);
	assert_int_equal(access(&s, XRDMA_OP_READ, b.addr + 255, 1),
			 XRDMA_WC_SUCCESS);
	assert_int_equal(s.p.a_mem[0], 0xee);
}

/* hw.rst, "Adding rights": the region is cached, without the right to bind */
static void an_added_right_to_bind_counts_at_once(void **state)
{
	struct xrdma_mpt_entry *e;
	struct wire_bind b;
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_2);
	s.mr = wire_region(s.p.b.host, 41, s.p.b_buf, MR_BYTES,
			   WIRE_ALL_RIGHTS);
	b = make_bind(&s, 0x11);
	s.mw = s.mr;
	assert_int_equal(access(&s, XRDMA_OP_WRITE, b.addr, 256),
			 XRDMA_WC_SUCCESS);
	e = wire_mpt(s.p.b.host, 41);
	e->ctrl |= cpu_to_le64(FIELD_PREP(XRDMA_MPT_ACCESS,
					  XRDMA_ACCESS_MW_BIND));
	bind(&s, &b);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, b.addr, 256),
			 XRDMA_WC_SUCCESS);
}

struct misuse {
	const char *name;
	u8 opcode;
	s64 offset;	/* offset from the first byte of the window */
	u32 length;
	u8 status;
};

static const struct misuse misuses[] = {
	{ "before", XRDMA_OP_WRITE, -1, 2, XRDMA_WC_REM_ACCESS_ERR },
	{ "behind", XRDMA_OP_WRITE, 256, 1, XRDMA_WC_REM_ACCESS_ERR },
	{ "over the end", XRDMA_OP_WRITE, 1, 256, XRDMA_WC_REM_ACCESS_ERR },
	{ "beyond, by a READ", XRDMA_OP_READ, 1, 256,
	  XRDMA_WC_REM_ACCESS_ERR },
	/* a right that the region has and the window has not */
	{ "a right of the region", XRDMA_OP_FETCH_ADD, 0, 8,
	  XRDMA_WC_REM_ACCESS_ERR },
	/* only the last byte is inside of the window */
	{ "up to its first byte", XRDMA_OP_WRITE, -0x3fffff, 0x400000,
	  XRDMA_WC_REM_ACCESS_ERR },
};

static void nothing_beyond_it(void **state)
{
	static u8 before[MR_BYTES];
	const struct misuse *m;
	struct wire_bind b;
	struct scene s;

	for (m = misuses; m < misuses + ARRAY_SIZE(misuses); m++) {
		begin(state, &s, XRDMA_MPT_MW_2);
		b = make_bind(&s, 0x11);
		bind(&s, &b);
		memcpy(before, s.p.b_mem, MR_BYTES);
		if (access(&s, m->opcode, b.addr + m->offset, m->length) !=
		    m->status)
			fail_msg("%s", m->name);
		assert_memory_equal(s.p.b_mem, before, MR_BYTES);
		wire_start_over(state);
	}
}

/* A window at the end of the address space. */
static void a_window_at_the_top(void **state)
{
	struct scene s;
	struct wire_bind b;

	begin(state, &s, XRDMA_MPT_MW_2);
	wire_mpt(s.p.b.host, 40)->iova = cpu_to_le64(-(u64)MR_BYTES);
	b = make_bind(&s, 1);
	b.addr = -256ULL;
	bind(&s, &b);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, -256ULL, 256),
			 XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.b_mem + MR_BYTES - 256, s.p.a_mem, 256);
	memcpy(s.p.a_mem, s.p.b_mem, 512);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, -255ULL, 256),
			 XRDMA_WC_REM_ACCESS_ERR);
	assert_memory_equal(s.p.b_mem, s.p.a_mem, 512);
}

static void zero_based(void **state)
{
	struct scene s;
	struct wire_bind b;

	begin(state, &s, XRDMA_MPT_MW_2);
	b = make_bind(&s, 1);
	b.access |= XRDMA_ACCESS_ZERO_BASED;
	bind(&s, &b);
	assert_int_equal(wire_mpt(s.p.b.host, MW)->iova, 0);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, 16, 240),
			 XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.b_mem + 4096 + 16, s.p.a_mem, 240);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, b.addr, 1),
			 XRDMA_WC_REM_ACCESS_ERR);
}

static void only_on_its_queue_pair(void **state)
{
	struct wire_pair other;
	struct scene s;
	struct wire_bind b;

	begin(state, &s, XRDMA_MPT_MW_2);
	wire_connect(*state, &other.a, &other.b, &wire_defaults);
	b = make_bind(&s, 1);
	bind(&s, &b);
	assert_int_equal(access_from(&other.a, &s, XRDMA_OP_WRITE, b.addr, 8),
			 XRDMA_WC_REM_ACCESS_ERR);
	wire_expect_fault(s.p.b.host, &other.b, 0, XRDMA_FAULT_QP,
			  XRDMA_OP_WRITE, s.mw);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, b.addr, 8),
			 XRDMA_WC_SUCCESS);
}

/* A change that makes a valid bind invalid. */
struct bad_bind {
	const char *name;
	u8 type;
	u8 reason;
	bool names_region;
	void (*change)(struct scene *s, struct wire_bind *b);
};

#define CHANGE(name)							\
	static void name(struct scene *s __attribute__((unused)),	\
			 struct wire_bind *b __attribute__((unused)))

CHANGE(no_index) { b->key ^= 0x80000000; }
CHANGE(no_window) { b->key ^= 0x10000; }
CHANGE(old_byte) { b->key ^= 1; }
CHANGE(not_a_window) { b->key = s->mr; }
CHANGE(other_pd) { wire_mpt(s->p.b.host, MW)->ctrl += 1ULL << 32; }
CHANGE(other_index) { b->new_key += 256; }
CHANGE(same_byte) { b->new_key = b->key; }
CHANGE(no_bytes) { b->length = 0; }
CHANGE(local_right) { b->access |= XRDMA_ACCESS_LOCAL_WRITE; }
CHANGE(unknown_right) { b->access |= 1 << 20; }
CHANGE(from_zero) { b->access |= XRDMA_ACCESS_ZERO_BASED; }
CHANGE(mr_no_index) { b->mr_key ^= 0x80000000; }
CHANGE(mr_missing) { b->mr_key ^= 0x10000; }
CHANGE(mr_byte) { b->mr_key ^= 2; }
CHANGE(mr_free)
{
	b->mr_key = wire_publish(s->p.b.host, 60, XRDMA_MPT_FAST_REG);
}

CHANGE(mr_is_itself) { b->mr_key = s->mw; }
CHANGE(mr_no_bind) { b->mr_key = s->p.b_key; }
CHANGE(outside) { b->addr = s->p.b_buf + MR_BYTES; }
CHANGE(over_the_end) { b->length = MR_BYTES - 4095; }
CHANGE(before) { b->addr = s->p.b_buf - 1; }
CHANGE(wraps) { b->length = -b->addr; }
CHANGE(all_of_it) { b->length = -1ULL; }

CHANGE(mr_pd)
{
	b->mr_key = wire_region(s->p.b.host, 61, s->p.b_buf, MR_BYTES,
				WIRE_BIND_RIGHTS);
	wire_mpt(s->p.b.host, 61)->ctrl += 1ULL << 32;
}

CHANGE(mr_read_only)
{
	b->mr_key = wire_region(s->p.b.host, 61, s->p.b_buf, MR_BYTES,
				XRDMA_ACCESS_MW_BIND);
}

CHANGE(mr_identity)
{
	struct xrdma_mpt_entry *e = wire_mpt(s->p.b.host, 61);

	b->mr_key = wire_region(s->p.b.host, 61, s->p.b_buf, MR_BYTES,
				WIRE_BIND_RIGHTS);
	e->root = 0;
	e->offset = 0;
	e->ctrl |= cpu_to_le64(XRDMA_MPT_IDENTITY);
}

CHANGE(zero_on_zero)
{
	b->mr_key = wire_region(s->p.b.host, 61, s->p.b_buf, MR_BYTES,
				WIRE_BIND_RIGHTS | XRDMA_ACCESS_ZERO_BASED);
	wire_mpt(s->p.b.host, 61)->iova = 0;
	b->access |= XRDMA_ACCESS_ZERO_BASED;
	b->addr = 0;
}

/* A window of type 2 that is bound already. */
CHANGE(not_free)
{
	bind(s, b);
	b->key = s->mw;
}

static const struct bad_bind bad_binds[] = {
	{ "no such index", 3, XRDMA_FAULT_KEY_INDEX, false, no_index },
	{ "no such window", 3, XRDMA_FAULT_KEY_INVALID, false, no_window },
	{ "old key byte", 3, XRDMA_FAULT_KEY_BYTE, false, old_byte },
	{ "a region", 3, XRDMA_FAULT_TYPE, false, not_a_window },
	{ "window of another PD", 2, XRDMA_FAULT_PD, false, other_pd },
	{ "not free", 3, XRDMA_FAULT_NOT_FREE, false, not_free },
	{ "another index", 2, XRDMA_FAULT_KEY_INDEX, false, other_index },
	{ "type 1, same byte", 2, XRDMA_FAULT_KEY_BYTE, false, same_byte },
	{ "type 2, length 0", 3, XRDMA_FAULT_RANGE, false, no_bytes },
	{ "type 1, half an unbind", 2, XRDMA_FAULT_RANGE, false, no_bytes },
	{ "local write", 3, XRDMA_FAULT_RIGHTS, false, local_right },
	{ "unknown right", 2, XRDMA_FAULT_RIGHTS, false, unknown_right },
	{ "type 1, zero-based", 2, XRDMA_FAULT_TYPE, false, from_zero },
	{ "no region index", 3, XRDMA_FAULT_KEY_INDEX, true, mr_no_index },
	{ "no region", 3, XRDMA_FAULT_KEY_INVALID, true, mr_missing },
	{ "byte of the region", 3, XRDMA_FAULT_KEY_BYTE, true, mr_byte },
	{ "free region", 3, XRDMA_FAULT_KEY_FREE, true, mr_free },
	{ "itself", 3, XRDMA_FAULT_KEY_FREE, true, mr_is_itself },
	{ "identity", 3, XRDMA_FAULT_TYPE, true, mr_identity },
	{ "both zero-based", 3, XRDMA_FAULT_TYPE, true, zero_on_zero },
	{ "region of another PD", 3, XRDMA_FAULT_PD, true, mr_pd },
	{ "no bind right", 3, XRDMA_FAULT_RIGHTS, true, mr_no_bind },
	{ "read-only region", 3, XRDMA_FAULT_RIGHTS, true, mr_read_only },
	{ "behind the region", 3, XRDMA_FAULT_RANGE, true, outside },
	{ "over its end", 2, XRDMA_FAULT_RANGE, true, over_the_end },
	{ "before it", 3, XRDMA_FAULT_RANGE, true, before },
	{ "up to the top", 3, XRDMA_FAULT_RANGE, true, wraps },
	{ "longest", 3, XRDMA_FAULT_RANGE, true, all_of_it },
};

/* Check that the bind is refused and nothing has changed. */
static void refuse_bind(void **state, const struct bad_bind *bad)
{
	struct xrdma_mpt_entry window, region;
	struct wire_host *host;
	struct wire_bind b;
	struct scene s;
	u32 n = 0;

	begin(state, &s, bad->type);
	host = s.p.b.host;
	b = make_bind(&s, 0x11);
	bad->change(&s, &b);
	window = *wire_mpt(host, MW);
	region = *wire_mpt(host, 40);
	while (wire_event(host, XRDMA_EVENT_FAULT, n))
		n++;
	/* the entry before the bind completes without error */
	wire_post_send(&s.p.b, &(struct wire_wr) {
		.opcode = XRDMA_OP_WRITE, .wr_id = 1,
		.flags = XRDMA_WQE_SIGNALED });
	wire_post_bind(&s.p.b, 2, &b);
	wire_post_inval(&s.p.b, 3, s.mw);
	wire_expect_send(&s.p.b, 1, XRDMA_WC_SUCCESS);
	wire_expect_refused(&s.p.b, 2, XRDMA_WC_MW_BIND_ERR, bad->reason);
	wire_expect_send(&s.p.b, 3, XRDMA_WC_WR_FLUSH_ERR);
	assert_memory_equal(&window, wire_mpt(host, MW), sizeof(window));
	assert_memory_equal(&region, wire_mpt(host, 40), sizeof(region));
	wire_expect_fault(host, &s.p.b, n, bad->reason, XRDMA_OP_BIND_MW,
			  bad->names_region ? b.mr_key : b.key);
	assert_int_equal(le64_to_cpu(wire_event(host, XRDMA_EVENT_FAULT,
						n)->addr), b.addr);
	assert_int_equal(le64_to_cpu(wire_event(host, XRDMA_EVENT_FAULT,
						n)->length), b.length);
}

static void each_bad_bind_is_refused(void **state)
{
	const struct bad_bind *bad;

	for (bad = bad_binds; bad < bad_binds + ARRAY_SIZE(bad_binds); bad++) {
		print_message("  %s\n", bad->name);
		refuse_bind(state, bad);
		wire_start_over(state);
	}
}

static void type_1_is_bound_anew_and_unbound(void **state)
{
	struct xrdma_mpt_entry *e;
	struct wire_bind b;
	struct scene s;
	u32 other;

	begin(state, &s, XRDMA_MPT_MW_1);
	other = wire_region(s.p.b.host, 41, s.p.b_buf, MR_BYTES,
			    WIRE_BIND_RIGHTS);
	b = make_bind(&s, 1);
	bind(&s, &b);
	assert_int_equal(wire_mpt(s.p.b.host, MW)->qpn, 0);
	assert_int_equal(wire_bound(s.p.b.host, s.mr), 1);
	b = make_bind(&s, 2);
	b.mr_key = other;
	b.addr += 512;
	bind(&s, &b);
	assert_int_equal(wire_bound(s.p.b.host, s.mr), 0);
	assert_int_equal(wire_bound(s.p.b.host, other), 1);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, b.addr, 256),
			 XRDMA_WC_SUCCESS);
	b = (struct wire_bind) { .key = s.mw, .new_key = s.mw ^ 4 };
	bind(&s, &b);
	assert_int_equal(wire_bound(s.p.b.host, other), 0);
	e = wire_mpt(s.p.b.host, MW);
	assert_int_equal(le64_to_cpu(e->ctrl),
			 xrdma_make_mpt_ctrl(XRDMA_MPT_FREE, XRDMA_MPT_MW_1,
					     b.new_key, WIRE_PD, 0));
	assert_int_equal(e->iova | e->length | e->parent | e->window_base, 0);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, s.p.b_buf, 1),
			 XRDMA_WC_REM_ACCESS_ERR);
}

/* The old key of a window of type 1 is invalid after the next bind. */
static void an_old_key_ends_with_the_bind(void **state)
{
	struct wire_bind b;
	struct scene s;
	u32 old;

	begin(state, &s, XRDMA_MPT_MW_1);
	b = make_bind(&s, 1);
	bind(&s, &b);
	old = s.mw;
	b = make_bind(&s, 2);
	bind(&s, &b);
	s.mw = old;
	assert_int_equal(access(&s, XRDMA_OP_WRITE, b.addr, 8),
			 XRDMA_WC_REM_ACCESS_ERR);
	wire_expect_fault(s.p.b.host, &s.p.b, 0, XRDMA_FAULT_KEY_BYTE,
			  XRDMA_OP_WRITE, old);
}

/* Type 2: the consumer chooses the key byte; no other byte grants access. */
static void all_key_bytes(void **state)
{
	struct model_access_req req;
	struct model_target target;
	struct wire_bind b;
	struct scene s;
	int byte, i;

	begin(state, &s, XRDMA_MPT_MW_2);
	for (byte = 0; byte < 256; byte++) {
		b = make_bind(&s, byte);
		bind(&s, &b);
		req = (struct model_access_req) {
			.qp = s.p.b.qp, .addr = b.addr, .len = 1,
			.rights = XRDMA_ACCESS_REMOTE_READ, .remote = true,
		};
		for (i = 0; i < 256; i++) {
			req.key = xrdma_make_key(MW, i);
			assert_int_equal(model_access_check(s.p.b.host->dev,
							    &req, &target),
					 i == byte ? 0 : XRDMA_FAULT_KEY_BYTE);
		}
		wire_post_inval(&s.p.b, 1, s.mw);
		wire_expect_send(&s.p.b, 1, XRDMA_WC_SUCCESS);
	}
	assert_int_equal(wire_bound(s.p.b.host, s.mr), 0);
}

/* Return: status of DESTROY_QP; a refusal must not be a host error. */
static u8 destroy_status(const struct wire_qp *qp)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_QP,
						     qp->qpn);
	struct xrdma_rsp rsp;

	model_cmd_execute(qp->host->dev, &cmd, &rsp);
	return rsp.status;
}

static u8 reset_status(const struct wire_qp *qp)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_QP);
	struct xrdma_rsp rsp;

	cmd.modify_qp.qpn = cpu_to_le32(qp->qpn);
	cmd.modify_qp.mask = cpu_to_le32(XRDMA_QPM_STATE);
	cmd.modify_qp.attr.state = XRDMA_QPS_RESET;
	model_cmd_execute(qp->host->dev, &cmd, &rsp);
	return rsp.status;
}

static void type_2a_holds_its_queue_pair(void **state)
{
	struct wire_bind b;
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_2);
	s.p.b.host->dev->caps ^= XRDMA_CAP_MW_TYPE_2A | XRDMA_CAP_MW_TYPE_2B;
	b = make_bind(&s, 1);
	bind(&s, &b);
	assert_int_equal(destroy_status(&s.p.b), XRDMA_CMD_BUSY);
	assert_int_equal(reset_status(&s.p.b), XRDMA_CMD_BUSY);
	assert_int_equal(access(&s, XRDMA_OP_WRITE, b.addr, 8),
			 XRDMA_WC_SUCCESS);
	wire_post_inval(&s.p.b, 1, s.mw);
	wire_expect_send(&s.p.b, 1, XRDMA_WC_SUCCESS);
	b = make_bind(&s, 2);
	bind(&s, &b);
	wire_unregion(s.p.b.host, MW);
	assert_int_equal(reset_status(&s.p.b), XRDMA_CMD_OK);
	assert_int_equal(destroy_status(&s.p.b), XRDMA_CMD_OK);
}

/* 2B: a window outlives its queue pair, but grants no access then. */
static void type_2b_does_not(void **state)
{
	struct wire_bind b;
	struct scene s;

	begin(state, &s, XRDMA_MPT_MW_2);
	b = make_bind(&s, 1);
	bind(&s, &b);
	assert_int_equal(reset_status(&s.p.b), XRDMA_CMD_OK);
	assert_int_equal(destroy_status(&s.p.b), XRDMA_CMD_OK);
	assert_int_equal(wire_state(s.p.b.host, s.mw), XRDMA_MPT_VALID);
	assert_int_equal(wire_bound(s.p.b.host, s.mr), 1);
	assert_int_equal(model_key_invalidate(s.p.b.host->dev, 40),
			 XRDMA_INVAL_BOUND);
	wire_unregion(s.p.b.host, MW);
	wire_unregion(s.p.b.host, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(a_window_grants_its_part, 1),
		WIRE_TEST(an_added_right_to_bind_counts_at_once, 1),
		WIRE_TEST(nothing_beyond_it, 1),
		WIRE_TEST(a_window_at_the_top, 1),
		WIRE_TEST(zero_based, 1),
		WIRE_TEST(only_on_its_queue_pair, 1),
		WIRE_TEST(each_bad_bind_is_refused, 1),
		WIRE_TEST(type_1_is_bound_anew_and_unbound, 1),
		WIRE_TEST(an_old_key_ends_with_the_bind, 1),
		WIRE_TEST(all_key_bytes, 1),
		WIRE_TEST(type_2a_holds_its_queue_pair, 1),
		WIRE_TEST(type_2b_does_not, 1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
