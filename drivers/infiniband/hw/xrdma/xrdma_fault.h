/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA fault records: the reasons for refused accesses with their names, and
 * the functions of xrdma_fault.c, which stores the records and owns the debugfs
 * directories of the driver.
 */

#ifndef XRDMA_FAULT_H
#define XRDMA_FAULT_H

#include <linux/types.h>
#include "xrdma_hw.h"

struct dentry;
struct xrdma_ibdev;

/* Reasons of enum xrdma_fault_reason: symbol, name that users see. */
#define XRDMA_FAULTS(X)				\
	X(NONE, "none")				\
	X(KEY_INDEX, "key_index")		\
	X(KEY_INVALID, "key_invalid")		\
	X(KEY_FREE, "key_free")			\
	X(KEY_BYTE, "key_byte")			\
	X(PD, "pd")				\
	X(QP, "qp")				\
	X(RIGHTS, "rights")			\
	X(RANGE, "range")			\
	X(TRANSLATION, "translation")		\
	X(BOUND, "bound")			\
	X(TYPE, "type")				\
	X(ALIGN, "align")			\
	X(QP_RIGHTS, "qp_rights")		\
	X(NOT_FREE, "not_free")

#define XRDMA_NUM_FAULTS	(XRDMA_FAULT_NOT_FREE + 1)

/* xrdma_fault.c: records of refused accesses */
int xrdma_faults_create(struct xrdma_ibdev *xib);
void xrdma_faults_destroy(struct xrdma_ibdev *xib);
void xrdma_fault_report(struct xrdma_ibdev *xib, const struct xrdma_eqe *eqe);
u64 xrdma_fault_count(const struct xrdma_ibdev *xib, u32 reason);
const char *xrdma_fault_name(u32 reason);
bool xrdma_fault_last_of_qp(struct xrdma_ibdev *xib, u32 qpn,
			    struct xrdma_eqe *eqe);
bool xrdma_fault_last_of_key(struct xrdma_ibdev *xib, u32 index,
			     struct xrdma_eqe *eqe);
struct dentry *xrdma_debugfs_dir(const struct xrdma_ibdev *xib);
void xrdma_debugfs_init(void);
void xrdma_debugfs_exit(void);

#endif /* XRDMA_FAULT_H */
