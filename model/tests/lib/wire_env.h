/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fixture of tests with a transport: one or two complete devices, the memory of
 * their hosts, a wire between the devices, and functions that do what a driver
 * does. The time of the fake loop advances only when no device has work.
 * core_env.h has a device without a transport.
 */
#ifndef MODEL_TEST_WIRE_ENV_H
#define MODEL_TEST_WIRE_ENV_H

#include <linux/array_size.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <rdma/xrdma-ring.h>

#include "core/device.h"
#include "tests/lib/fake_loop.h"
#include "transport/conn.h"
#include "transport/transport.h"
#include "wire/wire.h"
#include "xrdma_encode.h"
#include "xrdma_xlat.h"

#define WIRE_IOVA	0x40000000ULL
#define WIRE_MEM_SIZE	0x8000000ULL
#define WIRE_PD		7
#define WIRE_ALL_RIGHTS	(XRDMA_ACCESS_LOCAL_WRITE | \
			 XRDMA_ACCESS_REMOTE_WRITE | \
			 XRDMA_ACCESS_REMOTE_READ | \
			 XRDMA_ACCESS_REMOTE_ATOMIC)
#define WIRE_MS		1000000ULL

#define WIRE_BUF_SIZE	0x400000

#define WIRE_SQ_UNITS		4
#define WIRE_RQ_STRIDE_LOG	7
/* Bytes of struct xrdma_bind_seg and of struct xrdma_reg_seg. */
#define WIRE_SEG_BYTES		32

/*
 * struct wire_host - a device and its host
 * @mem: host memory in this process
 * @fd: file descriptor of host memory
 * @next: bus address that wire_alloc() returns next
 * @next_number: number of the next CQ and QP
 * @mpt: bus address of the key table
 * @expected: number of host errors that the test has expected
 */
struct wire_host {
	struct model_device *dev;
	struct model_dma *dma;
	struct model_host_errors *herr;
	u8 *mem;
	int fd;
	u64 next;
	u32 next_number;
	u64 mpt;
	u64 expected;
	u8 mac[6];
	u8 gid[16];
};

/*
 * struct wire_env - the hosts and their wire
 * @hosts: @n hosts; if @n is 2, a wire connects them
 * @dir: directory of the sockets of that wire
 */
struct wire_env {
	struct model_loop *loop;
	struct wire_host hosts[2];
	int n;
	char dir[32];
};

/*
 * struct wire_cq - a completion queue
 * @ring: entries of the queue
 * @ci: consumer index
 * @log_depth: log2 of the number of entries
 */
struct wire_cq {
	const struct xrdma_cqe *ring;
	struct xrdma_cq_rec *rec;
	u32 cqn;
	u32 ci;
	u8 log_depth;
};

/*
 * struct wire_qp - a queue pair and its queues
 * @place: place of the next send entry, unless the producer index is 0
 */
struct wire_qp {
	struct wire_env *env;
	struct wire_host *host;
	struct model_qp *qp;
	u32 qpn;
	u8 *sq;
	u8 *rq;
	u32 place;
	struct xrdma_qp_rec *rec;
	struct wire_cq send_cq;
	struct wire_cq recv_cq;
	u8 log_depth;
};

/*
 * struct wire_params - parameters of a connection; see wire_defaults
 */
struct wire_params {
	u8 log_depth;
	u8 path_mtu;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 min_rnr_timer;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u16 access;
	u32 psn;
	u8 flags;
	u8 gid_index;
};

extern const struct wire_params wire_defaults;

/*
 * struct wire_wr - a send work request
 * @sges: scatter-gather list; NULL if the data are the @len bytes at
 *	@inline_data
 * @inv_key: key of SEND_INV, LOCAL_INV, BIND_MW, REG_MR; bytes of FLUSH
 * @ext: XRC: number of the SRQ; FLUSH: XRDMA_FLUSH_*
 * @seg: segment of BIND_MW, REG_MR or SEND_ETH, otherwise NULL
 */
struct wire_wr {
	u8 opcode;
	u8 flags;
	u64 wr_id;
	const struct xrdma_sge *sges;
	u16 num_sge;
	const void *inline_data;
	u16 len;
	u64 remote_addr;
	u32 rkey;
	u32 imm;
	u64 swap_add;
	u64 compare;
	u32 inv_key;
	u32 ext;
	const void *seg;
};

/*
 * struct wire_pair - a connection, and a region with all rights on each side
 */
struct wire_pair {
	struct wire_qp a;
	struct wire_qp b;
	u64 a_buf;
	u64 b_buf;
	u32 a_key;
	u32 b_key;
	u8 *a_mem;
	u8 *b_mem;
};

/* log2 of the bytes of the key table; set before the setup function runs. */
extern u8 wire_mpt_log;

int wire_setup_1(void **state);
int wire_setup_2(void **state);
int wire_teardown(void **state);
void wire_restart(struct wire_env *env, int number);

/* An entry of the table of tests: @test, with @n devices, which is 1 or 2. */
#define WIRE_TEST(test, n)						\
	cmocka_unit_test_setup_teardown(test, wire_setup_##n, wire_teardown)

u64 wire_alloc(struct wire_host *host, u64 size, u64 align);
void *wire_ptr(struct wire_host *host, u64 addr);
u32 wire_region(struct wire_host *host, u32 index, u64 addr, u64 length,
		u16 access);
void wire_unregion(struct wire_host *host, u32 index);
struct xrdma_sge wire_sge(u64 addr, u32 length, u32 lkey);

void wire_create_cq(struct wire_host *host, u8 log_depth, struct wire_cq *cq);
void wire_create_qp(struct wire_env *env, int host, u8 type, u8 flags,
		    u8 log_depth, struct wire_qp *qp);
void wire_create_qp_on(struct wire_env *env, int host, u8 type, u8 flags,
		       u8 log_depth, u32 srqn, struct wire_qp *qp);
void wire_connect_to_rtr(struct wire_qp *qp, const struct wire_qp *peer,
			 const struct wire_params *params, u32 rq_psn);
void wire_connect_one(struct wire_qp *qp, const struct wire_qp *peer,
		      const struct wire_params *params, u32 sq_psn,
		      u32 rq_psn);
void wire_connect(struct wire_env *env, struct wire_qp *a, struct wire_qp *b,
		  const struct wire_params *params);
void wire_modify_state(struct wire_qp *qp, u8 state);

void wire_impair(struct wire_host *host, const char *spec);
void wire_make_buffers(struct wire_pair *p, u64 size, u32 a_index, u32 b_index,
		       u16 access);
void wire_make_pair(struct wire_env *env, struct wire_pair *p,
		    const struct wire_params *params);
void wire_fill(u8 *mem, u32 len, u32 seed);

u8 *wire_sq_entry(struct wire_qp *qp);
void wire_sq_post(struct wire_qp *qp, struct xrdma_sq_wqe hdr, u32 bytes);
void wire_post_send(struct wire_qp *qp, const struct wire_wr *wr);
void wire_post_signaled(struct wire_qp *qp, u8 opcode, u64 wr_id,
			struct xrdma_sge sge, u64 remote_addr, u32 rkey);
void wire_put_recv(u8 *ring, u8 log_depth, __le32 *pi, u64 wr_id,
		   const struct xrdma_sge *sges, u16 num);
void wire_post_recv(struct wire_qp *qp, u64 wr_id, const struct xrdma_sge *sges,
		    u16 num);
bool wire_poll_cq(struct wire_cq *cq, struct xrdma_cqe *cqe);
void wire_expect_send(struct wire_qp *qp, u64 wr_id, u8 status);
void wire_expect_recv(struct wire_qp *qp, u64 wr_id, u8 status,
		      struct xrdma_cqe *cqe);

bool wire_turn(struct wire_env *env);
void wire_settle(struct wire_env *env);
void wire_run(struct wire_env *env, u64 ns);
bool wire_wait(struct wire_env *env, struct wire_cq *cq,
	       struct xrdma_cqe *cqe);

#endif /* MODEL_TEST_WIRE_ENV_H */
