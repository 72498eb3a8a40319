// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the protection rules (xrdma_rules.h), from the tables of the device
 * specification: each operation on each state of each type of entry; each
 * reason alone; the order of the checks. Tests of ranges and of changes to key
 * entries are in rules_effect_kunit.c.
 */

#include <kunit/test.h>
#include <linux/limits.h>
#include "rules_scene.h"

/* ---- each state of each type against each operation ------------------------ */

/**
 * struct state_row - expected results of all operations on an entry
 * @type: enum xrdma_mpt_type
 * @state: enum xrdma_mpt_state
 * @expected: by enum operation: enum xrdma_fault_reason; of END: enum
 *	xrdma_inval_status
 */
struct state_row {
	u8 type;
	u8 state;
	u8 expected[NUM_OPERATIONS];
};

#define NO_ROW(t, s, end)						\
	{ XRDMA_MPT_##t, XRDMA_MPT_##s, {				\
	  XRDMA_FAULT_KEY_INVALID, XRDMA_FAULT_KEY_INVALID,		\
	  XRDMA_FAULT_KEY_INVALID, XRDMA_FAULT_KEY_INVALID,		\
	  XRDMA_FAULT_KEY_INVALID, XRDMA_INVAL_##end } }

#define FREE_ROW(t, b, r, i)						\
	{ XRDMA_MPT_##t, XRDMA_MPT_FREE, {				\
	  XRDMA_FAULT_KEY_FREE, XRDMA_FAULT_KEY_FREE,			\
	  b, r, i, XRDMA_INVAL_OK } }

#define VALID_ROW(t, l, b, r, i)					\
	{ XRDMA_MPT_##t, XRDMA_MPT_VALID, { NONE, l, b, r, i,		\
	  XRDMA_INVAL_OK } }

#define F_TYPE	XRDMA_FAULT_TYPE

/*
 * Windows: the table of states in chapter "Memory windows" of the
 * specification. Regions: the checks of each operation, in the chapter of the
 * operation.
 */
static const struct state_row state_rows[] = {
	NO_ROW(MR, INVALID, BAD_INDEX),
	NO_ROW(FAST_REG, INVALID, BAD_INDEX),
	NO_ROW(MW_1, INVALID, BAD_INDEX),
	NO_ROW(MW_2, INVALID, BAD_INDEX),
	NO_ROW(MR, NOT_PRESENT, OK),
	NO_ROW(FAST_REG, NOT_PRESENT, OK),
	NO_ROW(MW_1, NOT_PRESENT, OK),
	NO_ROW(MW_2, NOT_PRESENT, OK),
	FREE_ROW(MR, F_TYPE, F_TYPE, F_TYPE),
	FREE_ROW(FAST_REG, F_TYPE, NONE, NONE),
	FREE_ROW(MW_1, NONE, F_TYPE, F_TYPE),
	FREE_ROW(MW_2, NONE, F_TYPE, NONE),
	VALID_ROW(MR, NONE, F_TYPE, F_TYPE, F_TYPE),
	VALID_ROW(FAST_REG, NONE, F_TYPE, XRDMA_FAULT_NOT_FREE, NONE),
	VALID_ROW(MW_1, F_TYPE, NONE, F_TYPE, F_TYPE),
	VALID_ROW(MW_2, F_TYPE, XRDMA_FAULT_NOT_FREE, F_TYPE, NONE),
};

static void every_state_answers_every_operation(struct kunit *test)
{
	enum operation op;
	struct scene s;
	int i;

	for (i = 0; i < ARRAY_SIZE(state_rows); i++) {
		for (op = 0; op < NUM_OPERATIONS; op++) {
			s = make_scene(op);
			s.e = make_region();
			s.e.type = state_rows[i].type;
			s.e.state = state_rows[i].state;
			s.e.qpn = QPN;
			KUNIT_EXPECT_EQ_MSG(test, try(&s, op),
					    state_rows[i].expected[op],
					    "type %d, state %d, operation %d",
					    s.e.type, s.e.state, op);
		}
	}
}

/* ---- each rule alone, and their order -------------------------------------- */

/**
 * struct rule - change of a field, and the reason to refuse the operation then
 * @op: operation
 * @offset: offset of the field in struct scene
 * @size: size of the field in bytes
 * @value: new value of the field
 * @reason: expected reason, enum xrdma_fault_reason
 */
struct rule {
	enum operation op;
	size_t offset;
	size_t size;
	u64 value;
	int reason;
};

#define RULE(o, type, field, new_value, why)					\
	{								\
		.op = o,						\
		.offset = offsetof(struct scene, field),		\
		.size = sizeof(type),					\
		.value = new_value,					\
		.reason = XRDMA_FAULT_##why,				\
	}

#define OTHER_INDEX	((MW_INDEX + 1) << 8 | (BYTE + 1))

/* Violations of one rule each, by operation, in the order of the checks */
static const struct rule rules[] = {
	RULE(ACCESS, bool, missing, true, KEY_INDEX),
	RULE(ACCESS, u8, e.state, XRDMA_MPT_INVALID, KEY_INVALID),
	RULE(ACCESS, u8, e.byte, BYTE + 1, KEY_BYTE),
	RULE(ACCESS, u8, e.state, XRDMA_MPT_FREE, KEY_FREE),
	RULE(ACCESS, u32, e.pd, PD + 1, PD),
	RULE(ACCESS, u16, e.access, FULL & ~XRDMA_ACCESS_REMOTE_WRITE, RIGHTS),
	RULE(ACCESS, u64, access.addr, IOVA - 1, RANGE),
	RULE(ACCESS, u16, who.rights, XRDMA_ACCESS_REMOTE_READ, QP_RIGHTS),

	RULE(LOCAL_ACCESS, bool, missing, true, KEY_INDEX),
	RULE(LOCAL_ACCESS, u8, e.state, XRDMA_MPT_INVALID, KEY_INVALID),
	RULE(LOCAL_ACCESS, u8, e.byte, BYTE - 1, KEY_BYTE),
	RULE(LOCAL_ACCESS, u8, e.state, XRDMA_MPT_FREE, KEY_FREE),
	RULE(LOCAL_ACCESS, u8, e.type, XRDMA_MPT_MW_1, TYPE),
	RULE(LOCAL_ACCESS, u32, e.pd, PD - 1, PD),
	RULE(LOCAL_ACCESS, u16, e.access, REMOTE, RIGHTS),
	RULE(LOCAL_ACCESS, u64, access.len, LENGTH + 1, RANGE),

	RULE(BIND, bool, missing, true, KEY_INDEX),
	RULE(BIND, u8, e.state, XRDMA_MPT_INVALID, KEY_INVALID),
	RULE(BIND, u8, e.byte, BYTE + 2, KEY_BYTE),
	RULE(BIND, u8, e.type, XRDMA_MPT_FAST_REG, TYPE),
	RULE(BIND, u32, e.pd, PD + 1, PD),
	RULE(BIND, u8, e.state, XRDMA_MPT_VALID, NOT_FREE),
	RULE(BIND, u32, bind.new_key, OTHER_INDEX, KEY_INDEX),
	RULE(BIND, u64, bind.length, 0, RANGE),
	RULE(BIND, u32, bind.access, XRDMA_ACCESS_LOCAL_WRITE, RIGHTS),
	RULE(BIND, bool, mr_missing, true, KEY_INDEX),
	RULE(BIND, u8, mr.state, XRDMA_MPT_INVALID, KEY_INVALID),
	RULE(BIND, u8, mr.byte, BYTE + 1, KEY_BYTE),
	RULE(BIND, u8, mr.state, XRDMA_MPT_FREE, KEY_FREE),
	RULE(BIND, u8, mr.type, XRDMA_MPT_MW_1, TYPE),
	RULE(BIND, u32, mr.pd, PD + 1, PD),
	RULE(BIND, u16, mr.access, REMOTE | XRDMA_ACCESS_LOCAL_WRITE, RIGHTS),
	RULE(BIND, u64, bind.addr, IOVA + 1, RANGE),

	RULE(REG, bool, missing, true, KEY_INDEX),
	RULE(REG, u8, e.state, XRDMA_MPT_INVALID, KEY_INVALID),
	RULE(REG, u8, e.type, XRDMA_MPT_MR, TYPE),
	RULE(REG, u32, e.pd, PD + 1, PD),
	RULE(REG, u8, e.state, XRDMA_MPT_VALID, NOT_FREE),
	RULE(REG, u32, reg.access, FULL & ~XRDMA_ACCESS_LOCAL_WRITE, RIGHTS),
	RULE(REG, u64, reg.length, 0, RANGE),

	RULE(INVAL, bool, missing, true, KEY_INDEX),
	RULE(INVAL, u8, e.state, XRDMA_MPT_INVALID, KEY_INVALID),
	RULE(INVAL, u8, e.byte, BYTE + 1, KEY_BYTE),
	RULE(INVAL, u8, e.type, XRDMA_MPT_MW_1, TYPE),
	RULE(INVAL, u32, e.pd, PD + 1, PD),
	RULE(INVAL, u32, e.qpn, QPN + 1, QP),
	RULE(INVAL, u32, e.bound, 1, BOUND),
};

static void change(struct scene *s, const struct rule *rule)
{
	u8 *at = (u8 *)s + rule->offset;

	if (rule->size == sizeof(u8))
		*at = rule->value;
	else if (rule->size == sizeof(u16))
		*(u16 *)at = rule->value;
	else if (rule->size == sizeof(u32))
		*(u32 *)at = rule->value;
	else
		*(u64 *)at = rule->value;
}

static void every_rule_gives_its_reason(struct kunit *test)
{
	struct scene s;
	int i;

	for (i = 0; i < NUM_OPERATIONS; i++) {
		s = make_scene(i);
		KUNIT_EXPECT_EQ_MSG(test, try(&s, i), NONE, "operation %d", i);
	}
	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		s = make_scene(rules[i].op);
		change(&s, &rules[i]);
		KUNIT_EXPECT_EQ_MSG(test, try(&s, rules[i].op), rules[i].reason,
				    "rule %d", i);
	}
}

/* If two rules are violated, the one that is checked first gives the reason. */
static void the_first_rule_that_fails_gives_the_reason(struct kunit *test)
{
	struct scene s;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		for (j = i + 1; j < ARRAY_SIZE(rules); j++) {
			if (rules[i].op != rules[j].op ||
			    rules[i].offset == rules[j].offset)
				continue;
			s = make_scene(rules[i].op);
			change(&s, &rules[j]);
			change(&s, &rules[i]);
			KUNIT_EXPECT_EQ_MSG(test, try(&s, rules[i].op),
					    rules[i].reason, "rules %d and %d",
					    i, j);
		}
	}
}

/* ---- rules of more than one field ------------------------------------------ */

static void type_2_is_for_its_queue_pair_only(struct kunit *test)
{
	struct scene s = make_scene(ACCESS);

	s.e.type = XRDMA_MPT_MW_2;
	s.e.qpn = QPN;
	KUNIT_EXPECT_EQ(test, try(&s, ACCESS), NONE);
	s.e.qpn = QPN + 1;
	KUNIT_EXPECT_EQ(test, try(&s, ACCESS), XRDMA_FAULT_QP);
	s.e.type = XRDMA_MPT_MW_1;
	KUNIT_EXPECT_EQ(test, try(&s, ACCESS), NONE);
	/* a free window belongs to no queue pair */
	s.e.type = XRDMA_MPT_MW_2;
	s.e.state = XRDMA_MPT_FREE;
	KUNIT_EXPECT_EQ(test, try(&s, INVAL), NONE);
}

/*
 * Specification, "Access check": each remote right needs its own bit, local
 * read needs none.
 */
static void rights_are_independent(struct kunit *test)
{
	static const u16 rights[] = {
		XRDMA_ACCESS_REMOTE_WRITE, XRDMA_ACCESS_REMOTE_READ,
		XRDMA_ACCESS_REMOTE_ATOMIC,
	};
	struct scene s = make_scene(ACCESS);
	u16 granted;
	int i;

	for (granted = 0; granted <= FULL; granted++) {
		s.e.access = granted;
		for (i = 0; i < ARRAY_SIZE(rights); i++) {
			s.access.rights = rights[i];
			KUNIT_EXPECT_EQ(test, try(&s, ACCESS),
					granted & rights[i] ? NONE :
					XRDMA_FAULT_RIGHTS);
		}
		s.access.rights = 0;
		s.access.remote = false;
		KUNIT_EXPECT_EQ(test, try(&s, LOCAL_ACCESS), NONE);
		s.access.remote = true;
	}
}

static void atomics_are_aligned(struct kunit *test)
{
	struct scene s = make_scene(ACCESS);
	int i;

	s.access.rights = XRDMA_ACCESS_REMOTE_ATOMIC;
	s.access.len = 8;
	for (i = 0; i < 64; i++) {
		s.access.addr = IOVA + i;
		KUNIT_EXPECT_EQ(test, try(&s, ACCESS),
				i % 8 ? XRDMA_FAULT_ALIGN : NONE);
	}
	s.who.rights = 0;
	KUNIT_EXPECT_EQ(test, try(&s, ACCESS), XRDMA_FAULT_ALIGN);
}

/* C10-74: a window with remote write or atomics needs LOCAL_WRITE of the MR. */
static void a_writable_window_needs_a_writable_region(struct kunit *test)
{
	struct scene s = make_scene(BIND);
	u32 access;

	s.mr.access = XRDMA_ACCESS_MW_BIND;
	for (access = 0; access <= U16_MAX; access++) {
		int expected = NONE;

		if (access & ~(REMOTE | XRDMA_ACCESS_ZERO_BASED) ||
		    access & (XRDMA_ACCESS_REMOTE_WRITE |
			      XRDMA_ACCESS_REMOTE_ATOMIC))
			expected = XRDMA_FAULT_RIGHTS;
		s.bind.access = access;
		KUNIT_EXPECT_EQ(test, try(&s, BIND), expected);
	}
	/* the rights of a key entry have 16 bits: bit 16 is no right */
	s.bind.access = BIT(16);
	KUNIT_EXPECT_EQ(test, try(&s, BIND), XRDMA_FAULT_RIGHTS);
}

static void zero_based_windows(struct kunit *test)
{
	struct scene s = make_scene(BIND);

	s.bind.access |= XRDMA_ACCESS_ZERO_BASED;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), NONE);
	s.mr.access |= XRDMA_ACCESS_ZERO_BASED;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), XRDMA_FAULT_TYPE);
	s.bind.access &= ~XRDMA_ACCESS_ZERO_BASED;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), NONE);
	s.mr.identity = true;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), XRDMA_FAULT_TYPE);
	s.mr.identity = false;
	s.mr.type = XRDMA_MPT_FAST_REG;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), NONE);
	s.e.type = XRDMA_MPT_MW_1;
	s.bind.access |= XRDMA_ACCESS_ZERO_BASED;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), XRDMA_FAULT_TYPE);
}

static void length_0_unbinds_type_1(struct kunit *test)
{
	struct scene s = make_scene(BIND);

	s.e.type = XRDMA_MPT_MW_1;
	s.bind.length = 0;
	s.mr_missing = true;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), XRDMA_FAULT_RANGE);
	s.bind.access = 0;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), XRDMA_FAULT_RANGE);
	s.bind.addr = 0;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), XRDMA_FAULT_RANGE);
	s.bind.mr_key = 0;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), NONE);
	s.e.state = XRDMA_MPT_VALID;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), NONE);
	s.e.state = XRDMA_MPT_FREE;
	s.e.type = XRDMA_MPT_MW_2;
	KUNIT_EXPECT_EQ(test, try(&s, BIND), XRDMA_FAULT_RANGE);
}

static void all_key_bytes(struct kunit *test)
{
	struct scene s = make_scene(BIND);
	int byte;

	for (byte = 0; byte < 256; byte++) {
		s.bind.new_key = xrdma_make_key(MW_INDEX, byte);
		s.e.type = XRDMA_MPT_MW_2;
		KUNIT_EXPECT_EQ(test, try(&s, BIND), NONE);
		s.e.type = XRDMA_MPT_MW_1;
		KUNIT_EXPECT_EQ(test, try(&s, BIND), byte == BYTE ?
				XRDMA_FAULT_KEY_BYTE : NONE);
		/* the key byte of bind.key is not checked for type 1 */
		s.bind.new_key = xrdma_make_key(MW_INDEX, BYTE + 1);
		s.bind.key = xrdma_make_key(MW_INDEX, byte);
		KUNIT_EXPECT_EQ(test, try(&s, BIND), NONE);
		s.bind.key = xrdma_make_key(MW_INDEX, BYTE);
		s.reg.key = xrdma_make_key(MW_INDEX, byte);
		s.e.type = XRDMA_MPT_FAST_REG;
		KUNIT_EXPECT_EQ(test, try(&s, REG), NONE);
	}
	s = make_scene(ACCESS);
	for (byte = 0; byte < 256; byte++) {
		s.access.key = xrdma_make_key(MW_INDEX, byte);
		KUNIT_EXPECT_EQ(test, try(&s, ACCESS), byte == BYTE ? NONE :
				XRDMA_FAULT_KEY_BYTE);
	}
}

static void the_local_key_is_for_local_accesses_of_the_kernel(struct kunit *test)
{
	struct scene s = make_scene(LOCAL_ACCESS);
	u32 i;

	for (i = 0; i < 8; i++) {
		bool local = i & 1, kernel = i & 2, remote = i & 4;

		s.access.key = local ? XRDMA_KEY_LOCAL_DMA :
				      XRDMA_KEY_LOCAL_DMA + 1;
		s.who.kernel = kernel;
		s.access.remote = remote;
		KUNIT_EXPECT_EQ_MSG(test, local && kernel && !remote,
				    xrdma_rules_is_local_dma(&s.who, &s.access),
				    "key %#x, kernel %d, remote %d",
				    s.access.key, kernel, remote);
	}
}

static void the_null_key_is_for_local_accesses(struct kunit *test)
{
	struct scene s = make_scene(LOCAL_ACCESS);
	u32 i;

	for (i = 0; i < 8; i++) {
		bool null = i & 1, remote = i & 2;

		s.access.key = null ? XRDMA_KEY_NULL : XRDMA_KEY_NULL + 1;
		s.access.remote = remote;
		s.who.kernel = i & 4;
		KUNIT_EXPECT_EQ_MSG(test, null && !remote,
				    xrdma_rules_is_null(&s.access),
				    "key %#x, remote %d", s.access.key, remote);
	}
}

static void registration_takes_known_rights_only(struct kunit *test)
{
	struct scene s = make_scene(REG);
	int bit;

	for (bit = 0; bit < 32; bit++) {
		s.reg.access = BIT(bit) | XRDMA_ACCESS_LOCAL_WRITE;
		KUNIT_EXPECT_EQ(test, try(&s, REG),
				bit < 6 || (bit >= 8 && bit <= 10) ? NONE :
				XRDMA_FAULT_RIGHTS);
	}
}

static struct kunit_case rules_cases[] = {
	KUNIT_CASE(every_state_answers_every_operation),
	KUNIT_CASE(every_rule_gives_its_reason),
	KUNIT_CASE(the_first_rule_that_fails_gives_the_reason),
	KUNIT_CASE(type_2_is_for_its_queue_pair_only),
	KUNIT_CASE(rights_are_independent),
	KUNIT_CASE(atomics_are_aligned),
	KUNIT_CASE(a_writable_window_needs_a_writable_region),
	KUNIT_CASE(zero_based_windows),
	KUNIT_CASE(length_0_unbinds_type_1),
	KUNIT_CASE(all_key_bytes),
	KUNIT_CASE(the_local_key_is_for_local_accesses_of_the_kernel),
	KUNIT_CASE(the_null_key_is_for_local_accesses),
	KUNIT_CASE(registration_takes_known_rights_only),
	{}
};

static struct kunit_suite rules_suite = {
	.name = "xrdma_rules",
	.test_cases = rules_cases,
};

kunit_test_suite(rules_suite);
