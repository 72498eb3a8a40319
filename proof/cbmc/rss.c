// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: CREATE_RSS, and which queue pair gets a frame. The
 * driver's xrdma_rss.c fills the body of the command and the table, the device's
 * core/rss.c makes an object of them; both are compiled unchanged. Stubs stand for the
 * command, of which commands.c proves that body and table arrive, for memory, and for
 * the queue pairs that the table names.
 *
 * CBMC: -I proof/include -I include --unwind 9 --unwindset model_rss_hash.1:37
 *	--slice-formula
 */

#include "proof.h"
#include "kernel.h"

/* What a process sends with the request */
#define ib_copy_validate_udata_in(udata, req, last)			\
	((void)(udata), (req) = asks, 0)

#include "xrdma_ibdev.h"
#include "xrdma_rss.h"

static struct xrdma_ureq_create_rss asks;

#include "xrdma_rss.c"
#include "xrdma_cmd.h"
#include "device_port.h"
#include <stdlib.h>

/* The one object that the device allocates */
static struct model_rss object;
static bool allocated;

static void *new_object(void)
{
	static const struct model_rss zero;

	PROVE(!allocated);
	object = zero;
	allocated = nondet_truth();
	return allocated ? &object : NULL;
}

static void free_object(const void *mem)
{
	PROVE(allocated && mem == &object);
	allocated = false;
}

#define calloc(n, size)		((void)(n), (void)(size), new_object())
#define free(mem)		free_object(mem)
#include "core/rss.c"

#define TABLE_MAX	8	/* 1 << MODEL_RSS_LOG_MAX */

static struct xrdma_ibdev xib;
static struct xrdma_qp qp;
static struct model_device dev;

/* The raw packet queue pairs of the device, of which the numbers begin with 2 */
static struct model_qp queues[TABLE_MAX];

/* The work queues of the table */
static struct ib_wq wqueues[TABLE_MAX];
static struct ib_wq *list[TABLE_MAX];
static struct ib_rwq_ind_table table;
static struct ib_udata udata;

/* The status of the command, and the number of commands */
static enum xrdma_cmd_status status;
static u32 executed;

/* The array of numbers in the driver, and its bus address while the command has it */
static __le32 numbers[TABLE_MAX];
static u64 numbers_addr;

/* ---- stubs for the kernel and other files of the driver ---- */

void *kmalloc_array(size_t n, size_t bytes, gfp_t flags)
{
	(void)flags;
	PROVE(n * bytes <= sizeof(numbers));
	return nondet_truth() ? numbers : NULL;
}

void kfree(const void *mem)
{
	PROVE(mem == numbers);
}

int xrdma_qp_reserve(struct xrdma_ibdev *x, struct xrdma_qp *q)
{
	PROVE(x == &xib && q == &qp && q->type == 6);
	q->qpn = nondet_u32();
	ASSUME(q->qpn >= 2 + TABLE_MAX && q->qpn < MODEL_MAX_QP);
	return nondet_truth() ? 0 : -ENOMEM;
}

void *xa_erase_irq(struct xarray *xa, unsigned long id)
{
	PROVE(xa == &xib.qps && id == qp.qpn && (status || !executed));
	return NULL;
}

int xrdma_cmd_create_rss(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_create_rss *rss,
			 const __le32 *array)
{
	struct xrdma_cmd_create_rss body = *rss;

	PROVE(xdev == &xib.hw && array == numbers);
	body.addr = cpu_to_le64(numbers_addr);
	executed++;
	status = model_rss_create(&dev, &body);
	return status ? -EINVAL : 0;
}

/* ---- stubs for the device ---- */

struct model_qp *model_qp_get(struct model_device *device, u32 qpn)
{
	PROVE(device == &dev);
	return qpn - 2 < TABLE_MAX ? &queues[qpn - 2] : NULL;
}

int model_dma_read(struct model_dma *dma, u64 iova, void *buf, size_t len)
{
	u32 i;

	PROVE(dma == dev.params.dma && iova == numbers_addr);
	PROVE(len == sizeof(numbers[0]) << table.log_ind_tbl_size);
	for (i = 0; i < len / sizeof(numbers[0]); i++)
		((__le32 *)buf)[i] = numbers[i];
	return nondet_truth() ? -EFAULT : 0;
}

void model_dma_failed(struct model_device *device, u64 addr, size_t len,
		      bool write)
{
	PROVE(device == &dev && addr == numbers_addr && len && !write);
}

/* ---- theorems ---- */

static void start(void)
{
	struct xrdma_ureq_create_rss any;
	u32 i;

	asks = any;	/* not initialised: any request */
	xib.hw.caps.flags = nondet_u64();
	qp.ibqp.device = &xib.ibdev;
	numbers_addr = nondet_u64() & ~3ULL;
	table.ind_tbl = list;
	table.log_ind_tbl_size = nondet_u8();
	ASSUME(table.log_ind_tbl_size <= MODEL_RSS_LOG_MAX);
	for (i = 0; i < TABLE_MAX; i++) {
		queues[i].qpn = i + 2;
		queues[i].type = XRDMA_QP_RAW;
		wqueues[i].wq_num = nondet_u8() % TABLE_MAX + 2;
		list[i] = &wqueues[i];
	}
}

/*
 * Theorem: The device makes of a queue pair with an indirection table an RSS object
 *	with the number, the hashed fields and each byte of the key that the
 *	process has named, and with a table of as many entries, each the queue
 *	pair of the work queue at its index; it refuses no value and no number.
 *	The driver returns an error if the device does, and accepts only raw packet
 *	queue pairs without send queue, shared receive queue and flags.
 * Holds for: all requests; tables of 1 to 8 work queues of 8; queue pairs with the
 *	numbers 10 to 15.
 * Assumes: ib_core gives a table its work queues, which the device knows; theorem
 *	commands.bodies_arrive.
 */
static void tables_are_made(void)
{
	struct ib_qp_init_attr attr;
	const struct model_rss *rss;
	u32 i = nondet_u32(), size;
	int err;

	start();
	attr.rwq_ind_tbl = &table;
	err = xrdma_rss_create(&qp.ibqp, &attr, &udata);
	REACHABLE(status == XRDMA_CMD_BAD_DMA && err);
	REACHABLE(!err && table.log_ind_tbl_size == 3 && asks.fields == 0xff);
	PROVE(status != XRDMA_CMD_BAD_PARAM && status != XRDMA_CMD_BAD_NUMBER);
	PROVE(allocated == (executed && !status));
	PROVE(executed <= 1 && (err || (executed && !status)));
	ASSUME(!err);
	rss = dev.rss[qp.qpn];
	size = 1U << table.log_ind_tbl_size;
	PROVE(rss && rss->qpn == qp.qpn && qp.ibqp.qp_num == qp.qpn);
	PROVE(rss->log_size == table.log_ind_tbl_size && !rss->users);
	PROVE(rss->fields == asks.fields && asks.function == 1);
	PROVE(attr.qp_type == IB_QPT_RAW_PACKET && asks.key_len == 40);
	PROVE(!attr.create_flags && !attr.cap.max_send_wr && !attr.srq);
	PROVE(i >= 40 || rss->key[i] == asks.key[i]);
	PROVE(rss == &object && allocated);
	ASSUME(i < size);
	PROVE(rss->table[i] && rss->table[i]->qpn == list[i]->wq_num);
	PROVE(rss->table[i]->steer_users);
}

/*
 * Theorem: The device hashes at most 36 bytes of a frame, reads no byte behind the key
 *	and selects an entry of the table, the first one for a frame without
 *	hashed fields.
 * Holds for: all keys, all fields of frames, tables of 1 to 8 entries.
 * Assumes: nothing.
 */
static void choice_is_in_the_table(void)
{
	struct xrdma_flow_fields fields;
	u8 have = nondet_u8(), log;
	struct model_qp *chosen;
	struct model_rss rss;
	u32 i;

	start();
	log = table.log_ind_tbl_size;
	rss.log_size = log;
	for (i = 0; i < TABLE_MAX; i++)
		rss.table[i] = i < 1U << log ? &queues[i] : NULL;
	/* a frame has one version of IP, and the ports of one protocol */
	ASSUME(!(have & 3 && have & 12) && !(have & 48 && have & 192));
	chosen = model_rss_pick(&rss, &fields, have);
	REACHABLE(chosen == &queues[7] && have == 0x33);
	PROVE(chosen && chosen->qpn - 2 < 1U << log);
	PROVE(have & rss.fields || chosen == &queues[0]);
}
