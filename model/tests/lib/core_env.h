/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fixture of the tests of core/: guest memory, a device that uses it, the mock
 * transport of mock_wire.h instead of folder transport/, and functions that do
 * what a driver does. wire_env.h has devices with a transport.
 */
#ifndef MODEL_TEST_CORE_ENV_H
#define MODEL_TEST_CORE_ENV_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/array_size.h>
#include <rdma/xrdma-ring.h>

#include "core/device.h"
#include "tests/lib/mock_wire.h"
#include "xrdma_encode.h"
#include "xrdma_xlat.h"

/* Guest memory is one DMA mapping. */
#define CORE_IOVA	0x40000000ULL
#define CORE_MEM_SIZE	0x4000000ULL
#define CORE_CMD_LOG	5
/* doorbell page of the queues that tests create */
#define CORE_PAGE	3
#define CORE_DM_SIZE	0x10000

/**
 * struct core_env - a device and its host
 * @dev: the device
 * @loop: event loop of the device
 * @dma: DMA mappings of the device
 * @herr: counters of host errors of the device
 * @mem: guest memory in this process
 * @fd: file descriptor of guest memory
 * @next: bus address that core_alloc() returns next
 * @irqs: number of interrupts raised, by vector
 * @cmd_pi: number of commands posted
 * @cmds: bus address of the command ring
 * @rsps: bus address of the reply ring
 * @mpt: bus address of the key table: 2 MiB, in one block
 * @expected: number of host errors that the test has expected
 * @no_shadow: core_enable() does not choose shadow doorbells
 * @awake: the loop polls without sleeping
 * @stop: ends core_run_ms()
 */
struct core_env {
	struct model_device *dev;
	struct model_loop *loop;
	struct model_dma *dma;
	struct model_host_errors *herr;
	u8 *mem;
	int fd;
	u64 next;
	unsigned int irqs[XRDMA_MSIX_VECTORS];
	u32 cmd_pi;
	u64 cmds;
	u64 rsps;
	u64 mpt;
	u64 expected;
	bool no_shadow;
	bool awake;
	struct model_timer stop;
};

/**
 * struct core_qp - a queue pair and its memory
 * @sq: send ring
 * @rq: receive ring
 * @rec: record
 * @qp: the device's object
 */
struct core_qp {
	u8 *sq;
	u8 *rq;
	struct xrdma_qp_rec *rec;
	struct model_qp *qp;
};

#define CORE_EQ_LOG	6
#define CORE_CQ_LOG	4
#define CORE_WQ_LOG	4
#define CORE_STRIDE_LOG	6

int core_setup(void **state);
int core_setup_enabled(void **state);
int core_setup_queues(void **state);
struct core_env *core_setup_qp(void **state, struct core_qp *cqp);
int core_teardown(void **state);

/*
 * An entry of the table of tests: @test, between core_setup_@setup() and
 * core_teardown().
 */
#define CORE_TEST(test, setup)						\
	cmocka_unit_test_setup_teardown(test, core_setup_##setup,	\
					core_teardown)

u64 core_alloc(struct core_env *env, u64 size, u64 align);
void *core_ptr(struct core_env *env, u64 addr);
void core_expect(struct core_env *env, enum model_host_error_kind kind,
		 u64 count);

void core_write32(struct core_env *env, u32 reg, u32 value);
void core_write64(struct core_env *env, u32 reg, u64 value);
u32 core_read32(struct core_env *env, u32 reg);
u64 core_read64(struct core_env *env, u32 reg);
void core_set_up_rings(struct core_env *env);
void core_enable(struct core_env *env);
void core_make_queues(struct core_env *env);
void core_doorbell(struct core_env *env, u32 page, u32 doorbell, u64 value);
void core_run_ms(struct core_env *env, unsigned int ms);
void core_ring(struct core_env *env, u32 page, u32 qpn);

void core_post(struct core_env *env, const struct xrdma_cmd *cmd);
const struct xrdma_rsp *core_reply(struct core_env *env, u32 index);
const struct xrdma_rsp *core_cmd(struct core_env *env,
				 const struct xrdma_cmd *cmd);
u8 core_status(struct core_env *env, struct xrdma_cmd cmd);
u8 core_object(struct core_env *env, u16 opcode, u32 number);

/* Allocate a queue of (64 << log_depth) bytes and its record, in one block. */
u64 core_queue(struct core_env *env, u8 log_depth);
const struct xrdma_eqe *core_eqe(struct core_env *env, u32 eqn, u32 index);
struct xrdma_cq_rec *core_eq_rec(struct core_env *env, u32 eqn);
const struct xrdma_cqe *core_cqe(struct core_env *env, u32 cqn, u32 index);
struct xrdma_cq_rec *core_cq_rec(struct core_env *env, u32 cqn);
void core_arm(struct xrdma_cq_rec *rec, u32 type);

struct xrdma_cmd core_make_qp(struct core_env *env, u32 qpn);
void core_create_qp(struct core_env *env, u32 qpn, struct core_qp *cqp);
struct xrdma_cmd core_make_modify(u32 qpn, u8 state);
void core_to_rts(struct core_env *env, struct core_qp *cqp);
void core_post_send(struct core_qp *cqp, u8 flags, u64 wr_id);
void core_post_recv(struct core_qp *cqp, u64 wr_id);

/* Publish a region at bus address and IOVA @addr. Return: the key. */
u32 core_region(struct core_env *env, u32 index, u64 addr, u64 length,
		u16 access);
struct xrdma_mpt_entry *core_mpt(struct core_env *env, u32 index);

#endif /* MODEL_TEST_CORE_ENV_H */
