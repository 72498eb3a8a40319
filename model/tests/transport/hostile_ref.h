/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the device specification allows, written down a second time, in other
 * words than the device's: the judge of the hostile peer's test. Owns the keys
 * as they should be, and the bytes as they should be.
 */
#ifndef MODEL_TEST_HOSTILE_REF_H
#define MODEL_TEST_HOSTILE_REF_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>

#define REF_LOG_KEYS	20
#define REF_KEYS	BIT(REF_LOG_KEYS)

/* Memory that is granted, with margins that never are. */
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
 * @qpn: of a bound window of type 2
 * @region: of a bound window: index
 * @windows: of a region: bound to it
 * @first: address of the first byte
 * @length: bytes
 * @at: of a region: place of its first byte in the arena (before the shuffle);
 *	of a bound window: its place in its region
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
 * struct ref - everything
 * @keys: by index
 * @shuffle: page of the arena at which a page of a shuffled region is
 * @bytes: as they should be
 */
struct ref {
	struct ref_key *keys;
	u16 shuffle[REF_ARENA / 4096];
	u8 *bytes;
};

/* struct ref_qp - a queue pair, as far as it matters */
struct ref_qp {
	u32 pd;
	u32 qpn;
	u16 rights;
};

/* struct ref_access - who wants what; @right 0: to read locally */
struct ref_access {
	u32 key;
	u64 addr;
	u64 length;
	u16 right;
	bool remote;
};

/* struct ref_bind - a bind */
struct ref_bind {
	u32 key;
	u32 new_key;
	u32 region_key;
	u32 rights;
	u64 addr;
	u64 length;
};

/*
 * struct verdict - what the specification says
 * @reason: as in fault records; 0: allowed
 * @key: that the record names
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
