/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The reference of test_hostile.c: a second implementation of the access rules
 * of the device specification, independent of core/. It has the expected state
 * of all keys and the expected bytes of memory.
 */
#ifndef MODEL_TEST_HOSTILE_REF_H
#define MODEL_TEST_HOSTILE_REF_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>

#define REF_LOG_KEYS	20
#define REF_KEYS	BIT(REF_LOG_KEYS)

/* Bytes that keys grant; the margins around them are never granted. */
#define REF_ARENA	0x200000
#define REF_MARGIN	0x10000
#define REF_BYTES	(REF_ARENA + 2 * REF_MARGIN)

enum ref_kind { REF_MR, REF_FAST, REF_MW1, REF_MW2 };
enum ref_state { REF_DEAD, REF_FREE, REF_LIVE };

/*
 * struct ref_key - a key
 * @kind: enum ref_kind
 * @state: enum ref_state
 * @byte: key byte
 * @paged: a region whose pages are shuffled
 * @rights: as in enum xrdma_access
 * @pd: protection domain
 * @qpn: bound window of type 2: its queue pair
 * @region: bound window: index of the region
 * @windows: region: number of windows bound to it
 * @first: address of the first byte
 * @length: bytes
 * @at: region: offset of the first byte in the arena, before the shuffle;
 *	bound window: offset in its region
 */
struct ref_key {
	u8 kind;
	u8 state;
	u8 byte;
	bool paged;
	u16 rights;
	u32 pd;
	u32 qpn;
	u32 region;
	u32 windows;
	u64 first;
	u64 length;
	u64 at;
};

/*
 * struct ref - expected state of keys and memory
 * @keys: all keys by index
 * @shuffle: page of the arena that holds a page of a shuffled region
 * @bytes: expected bytes of the arena
 */
struct ref {
	struct ref_key *keys;
	u16 shuffle[REF_ARENA / 4096];
	u8 *bytes;
};

/* struct ref_qp - attributes of a queue pair that access rules depend on */
struct ref_qp {
	u32 pd;
	u32 qpn;
	u16 rights;
};

/* struct ref_access - a requested access; @right 0: local read */
struct ref_access {
	u32 key;
	u64 addr;
	u64 length;
	u16 right;
	bool remote;
};

/* struct ref_bind - parameters of a BIND_MW */
struct ref_bind {
	u32 key;
	u32 new_key;
	u32 region_key;
	u32 rights;
	u64 addr;
	u64 length;
};

/*
 * struct verdict - the outcome that the specification requires
 * @reason: reason in the fault record; 0: the operation is allowed
 * @key: key in the fault record
 */
struct verdict {
	int reason;
	u32 key;
};

void ref_init(struct ref *ref, u64 seed);
void ref_fini(struct ref *ref);
u64 ref_random(u64 *state);

struct verdict ref_access(const struct ref *ref, const struct ref_qp *qp,
			  const struct ref_access *a);
struct verdict ref_bind(const struct ref *ref, const struct ref_qp *qp,
			const struct ref_bind *b);
struct verdict ref_reg(const struct ref *ref, const struct ref_qp *qp, u32 key,
		       u32 rights, u64 first, u64 length);
struct verdict ref_inval(const struct ref *ref, const struct ref_qp *qp,
			 u32 key);

void ref_do_bind(struct ref *ref, const struct ref_qp *qp,
		 const struct ref_bind *b);
void ref_do_reg(struct ref *ref, u32 key, u32 rights, u64 first, u64 length,
		u64 at, bool paged);
void ref_do_free(struct ref *ref, u32 key);
void ref_do_end(struct ref *ref, u32 index);

u8 *ref_byte(struct ref *ref, u32 key, u64 addr);

#endif /* MODEL_TEST_HOSTILE_REF_H */
