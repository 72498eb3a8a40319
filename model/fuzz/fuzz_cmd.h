/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The fuzzer of what the host does: commands of all opcodes, pokes into rings,
 * records, tables and key entries, doorbells, registers, configuration space, device
 * memory, work requests, mappings that end under traffic. The driver is trusted by the
 * machine, so host errors and the fatal state are allowed here. The device must not
 * access memory that is not mapped, must not access memory at all unless it is enabled
 * and not in the fatal state, must not lose a frame buffer or a reference to an object,
 * and must work after a reset as a new device does.
 *
 * fuzz_cmd_world.c has the device, its memory and these checks, fuzz_cmd_make.c makes
 * correct commands and key entries, fuzz_cmd.c executes the script, fuzz_cmd_work.c has
 * the steps of work requests and packets. The fuzzer of fuzz.h is about peers and
 * processes, which must not cause a host error.
 */
#ifndef MODEL_FUZZ_CMD_H
#define MODEL_FUZZ_CMD_H

#include "host/pci.h"
#include "tests/lib/wire_env.h"

/* Host memory: pieces, each of which is one DMA mapping. */
#define FUZZ_CMD_IOVA		0x40000000ULL
#define FUZZ_CMD_PIECE		0x10000
#define FUZZ_CMD_PIECES		32
#define FUZZ_CMD_MEM		(FUZZ_CMD_PIECES * FUZZ_CMD_PIECE)
#define FUZZ_CMD_DM		0x10000 /* bytes of device memory */

/* Bus addresses of what the host makes. */
#define FUZZ_CMD_PAGE(n)	(FUZZ_CMD_IOVA + (u64)(n) * 4096)
#define FUZZ_CMD_CMDS		FUZZ_CMD_PAGE(0)
#define FUZZ_CMD_RSPS		FUZZ_CMD_PAGE(1)
#define FUZZ_CMD_TABLE		FUZZ_CMD_PAGE(2) /* maps FUZZ_CMD_DATA */
#define FUZZ_CMD_PAGED		FUZZ_CMD_PAGE(3) /* maps every second page of it */
#define FUZZ_CMD_RESUME		FUZZ_CMD_PAGE(4)
#define FUZZ_CMD_LISTS		FUZZ_CMD_PAGE(8) /* RSS table, rule, counters, ... */
#define FUZZ_CMD_MPT		FUZZ_CMD_PAGE(16)
#define FUZZ_CMD_EQ(n)		FUZZ_CMD_PAGE(32 + 8 * ((n) & 1))
#define FUZZ_CMD_EQ_ODP		FUZZ_CMD_PAGE(48)
#define FUZZ_CMD_CQ(n)		FUZZ_CMD_PAGE(64 + ((n) & 15))
#define FUZZ_CMD_SRQ(n)		FUZZ_CMD_PAGE(80 + ((n) & 7))
#define FUZZ_CMD_QP(n)		FUZZ_CMD_PAGE(96 + ((n) & 15))
#define FUZZ_CMD_SPARE(n)	FUZZ_CMD_PAGE(112 + ((n) & 15)) /* for RESIZE */
#define FUZZ_CMD_DATA		FUZZ_CMD_PAGE(256)
#define FUZZ_CMD_DATA_LOG	20

#define FUZZ_CMD_LOG		5 /* log2 of the commands in the ring */
#define FUZZ_CMD_QUEUE_LOG	4 /* log2 of the entries of a queue */
#define FUZZ_CMD_SQ_UNITS	2
#define FUZZ_CMD_STRIDE_LOG	6
#define FUZZ_CMD_PD		7
#define FUZZ_CMD_XRCD		5
#define FUZZ_CMD_QKEY		0x11
#define FUZZ_CMD_KEYS		16
#define FUZZ_CMD_QPS		16
#define FUZZ_CMD_OPCODES	32 /* kinds of commands of fuzz_cmd_make() */

#define FUZZ_CMD_RSS_QPN	40
#define FUZZ_CMD_USER_PAGE	1 /* doorbell page of queue pairs 8 to 15 */

/*
 * struct fuzz_cmd_script - the rest of an input
 */
struct fuzz_cmd_script {
	const u8 *p;
	size_t left;
};

/*
 * struct fuzz_cmd_world - a device and its host
 * @rights: of each mapping, MODEL_DMA_*; 0: the piece is not mapped
 * @crc: of each piece that the device must not write: checksum of the piece; 0: the
 *	device could write the piece in this step or at the end of the last one
 * @cmd_pi: number of commands posted since the device was enabled
 * @sq_pi: number of send entries posted to a queue pair
 * @rq_pi: number of receives posted to a queue pair
 * @srq_pi: number of receives posted to an SRQ
 */
struct fuzz_cmd_world {
	struct model_device *dev;
	struct model_dma *dma;
	struct model_host_errors *herr;
	struct model_loop *loop;
	struct model_pci pci;
	u8 *mem;
	int fd;
	u8 rights[FUZZ_CMD_PIECES];
	u32 crc[FUZZ_CMD_PIECES];
	u32 cmd_pi;
	u32 sq_pi[FUZZ_CMD_QPS];
	u32 rq_pi[FUZZ_CMD_QPS];
	u32 srq_pi[8];
};

/* Number of queue pair @n, which has type @n % 8; that of a GSI queue pair is 1. */
static inline u32 fuzz_cmd_qpn(u8 n)
{
	return (n & 7) == XRDMA_QP_GSI ? XRDMA_QPN_GSI : 2U + (n & 15);
}

static inline u8 fuzz_cmd_8(struct fuzz_cmd_script *s)
{
	if (!s->left)
		return 0;
	s->left--;
	return *s->p++;
}

static inline u32 fuzz_cmd_16(struct fuzz_cmd_script *s)
{
	u32 low = fuzz_cmd_8(s);

	return low | (u32)fuzz_cmd_8(s) << 8;
}

static inline u64 fuzz_cmd_64(struct fuzz_cmd_script *s)
{
	u64 value = 0;
	int i;

	for (i = 0; i < 64; i += 16)
		value |= (u64)fuzz_cmd_16(s) << i;
	return value;
}

void fuzz_cmd_begin(struct fuzz_cmd_world *w);
void fuzz_cmd_end(struct fuzz_cmd_world *w);
void fuzz_cmd_judge(struct fuzz_cmd_world *w);
void *fuzz_cmd_ptr(struct fuzz_cmd_world *w, u64 addr);
void fuzz_cmd_poke(struct fuzz_cmd_world *w, u64 addr, const void *buf, u32 len);
void fuzz_cmd_map(struct fuzz_cmd_world *w, u32 piece, u8 rights);
void fuzz_cmd_reg(struct fuzz_cmd_world *w, u32 reg, u64 value, size_t len);
void fuzz_cmd_unknown(struct fuzz_cmd_world *w);
void fuzz_cmd_start(struct fuzz_cmd_world *w);
void fuzz_cmd_post(struct fuzz_cmd_world *w, const struct xrdma_cmd *cmd);

struct xrdma_cmd fuzz_cmd_make(struct fuzz_cmd_world *w, u8 kind, u8 n, u8 how);
struct xrdma_mpt_entry fuzz_cmd_key(u8 n);
void fuzz_cmd_key_write(struct fuzz_cmd_world *w, u8 n,
			const struct xrdma_mpt_entry *e);

void fuzz_cmd_wrong(const char *what) __attribute__((noreturn));
void fuzz_cmd_xor(struct fuzz_cmd_script *s, void *buf, u32 len);
void fuzz_cmd_step_send(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s);
void fuzz_cmd_step_recv(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s);
void fuzz_cmd_step_packet(struct fuzz_cmd_world *w, struct fuzz_cmd_script *s);

int fuzz_cmd_run(const u8 *data, size_t size);

#endif /* MODEL_FUZZ_CMD_H */
