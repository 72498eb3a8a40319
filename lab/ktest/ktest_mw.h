/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Types and functions that the files of the memory window cases share:
 * ktest_mw.c, ktest_mw_bad.c, and ktest_mw_rig.c, which defines the functions.
 */

#ifndef XRDMA_KTEST_MW_H
#define XRDMA_KTEST_MW_H

#include "ktest.h"

#define KTEST_PAGES	4
#define KTEST_SIZE	(KTEST_PAGES * 4096)
#define KTEST_REMOTE	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

/**
 * struct ktest_windows - a region on the far side, and windows for it
 * @mem: memory of the region
 * @mr: the region, with the rights of KTEST_BINDABLE
 * @mw: a window of type 2
 * @other: another window of type 2
 * @old: a window of type 1
 */
struct ktest_windows {
	struct ktest_mem mem;
	struct ib_mr *mr;
	struct ib_mw *mw;
	struct ib_mw *other;
	struct ib_mw *old;
};

/**
 * struct ktest_second - a second connection, which replaces that of the case
 * @a: first queue pair of the case's near end, saved
 * @b: first queue pair of the case's far end, saved
 */
struct ktest_second {
	struct ib_qp *a;
	struct ib_qp *b;
};

int ktest_mw_open(struct ktest *t, struct ib_mw **out, struct ib_pd *pd,
		  enum ib_mw_type type);
void ktest_mw_close(struct ktest *t, struct ib_mw **mw);
int ktest_mw_region_open(struct ktest *t, struct ktest_windows *w,
			 struct ib_pd *pd, int access);
void ktest_mw_region_close(struct ktest *t, struct ktest_windows *w);
int ktest_windows_open(struct ktest *t, struct ktest_windows *w);
void ktest_windows_close(struct ktest *t, struct ktest_windows *w);
int ktest_mw_bind(struct ktest *t, struct ktest_windows *w, struct ib_mw *mw,
		  u64 off, u64 length, int access);
void ktest_mw_bind_ok(struct ktest *t, struct ktest_windows *w,
		      struct ib_mw *mw, u64 off, u64 length, int access);
void ktest_write_lands(struct ktest *t, struct ktest_windows *w, u32 key,
		       u64 addr, u64 off, u32 len);
void ktest_write_fails(struct ktest *t, struct ktest_windows *w, u32 key,
		       u64 addr, u32 len);
int ktest_second_open(struct ktest *t, struct ktest_second *c);
void ktest_second_close(struct ktest *t, struct ktest_second *c);

#endif /* XRDMA_KTEST_MW_H */
