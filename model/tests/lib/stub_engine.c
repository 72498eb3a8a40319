// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A minimal engine, for tests of folders base/ and host/. Registers of BAR0:
 *
 *   0x00, 0x08	scratch registers of 64 bits
 *   0x10	read: number of resets
 *   0x14	read: 1 while bus mastering is on
 *   0x18	read: number of dma_unmap calls
 *   0x20	write: DMA address for the commands below
 *   0x28	write N: copy N bytes from the address to 4096 bytes above it
 *   0x30	write V: raise vector V
 *   0x38	read: errno of the last copy
 *   0x40	write N: report work in N polls, then raise vector 0
 *   0x48	write N: raise vector 1 after N nanoseconds
 *
 * Doorbells (BAR2) read back what was last written to any of them. With the
 * environment variable STUB_MMAP, the client may map BAR2 too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine.h"
#include "xrdma_regs.h"

#define REGS	0x80

struct model_engine {
	const struct model_env *env;
	u8 regs[REGS];
	u64 doorbell;
	u64 polls;
	struct model_timer timer;
	int mmap_fd;
};

static u64 get(const struct model_engine *engine, unsigned int reg)
{
	u64 value;

	memcpy(&value, engine->regs + reg, sizeof(value));
	return value;
}

static void add32(struct model_engine *engine, unsigned int reg, u32 value)
{
	u32 old;

	memcpy(&old, engine->regs + reg, sizeof(old));
	value += old;
	memcpy(engine->regs + reg, &value, sizeof(value));
}

static void copy(struct model_engine *engine, u64 len)
{
	struct model_dma *dma = engine->env->dma;
	u64 from = get(engine, 0x20);
	u8 buf[4096];
	s32 err;

	if (len > sizeof(buf))
		len = sizeof(buf);
	err = model_dma_read(dma, from, buf, len);
	if (!err)
		err = model_dma_write(dma, from + sizeof(buf), buf, len);
	if (err)
		model_host_error(engine->env->herr, MODEL_HERR_DMA_UNMAPPED,
				 "copy of %llu bytes at 0x%llx", len, from);
	err = -err;
	memcpy(engine->regs + 0x38, &err, sizeof(err));
}

static void stub_read(void *opaque, unsigned int bar, u64 off, void *buf,
		      size_t len)
{
	struct model_engine *engine = opaque;

	if (bar == 2)
		memcpy(buf, &engine->doorbell, len);
	else if (off + len <= REGS)
		memcpy(buf, engine->regs + off, len);
	else
		memset(buf, 0, len);
}

static void stub_command(struct model_engine *engine, u64 off, u64 value)
{
	switch (off) {
	case 0x28:
		copy(engine, value);
		break;
	case 0x30:
		model_vfu_irq(engine->env->vfu, value);
		break;
	case 0x40:
		engine->polls = value;
		break;
	case 0x48:
		model_timer_arm(engine->env->loop, &engine->timer,
				model_loop_now(engine->env->loop) + value);
		break;
	}
}

static void stub_write(void *opaque, unsigned int bar, u64 off, const void *buf,
		       size_t len)
{
	struct model_engine *engine = opaque;
	u64 value = 0;

	memcpy(&value, buf, len);
	if (bar == 2)
		engine->doorbell = value;
	else if (off < 0x10 || (off >= 0x20 && off < 0x28))
		memcpy(engine->regs + off, buf, len);
	else
		stub_command(engine, off, value);
}

static void stub_reset(void *opaque)
{
	struct model_engine *engine = opaque;

	memset(engine->regs, 0, 0x10);
	engine->polls = 0;
	model_timer_cancel(engine->env->loop, &engine->timer);
	add32(engine, 0x10, 1);
}

static void stub_bus_master(void *opaque, bool on)
{
	struct model_engine *engine = opaque;

	engine->regs[0x14] = on;
}

static void stub_dma_unmap(void *opaque, u64 iova, u64 len)
{
	(void)iova;
	(void)len;
	add32(opaque, 0x18, 1);
}

static const struct model_vfu_ops stub_ops = {
	.read = stub_read,
	.write = stub_write,
	.reset = stub_reset,
	.bus_master = stub_bus_master,
	.dma_unmap = stub_dma_unmap,
};

static bool stub_poll(void *opaque)
{
	struct model_engine *engine = opaque;

	if (!engine->polls)
		return false;
	if (!--engine->polls)
		model_vfu_irq(engine->env->vfu, 0);
	return true;
}

static bool stub_park(void *opaque)
{
	struct model_engine *engine = opaque;

	return engine->polls;
}

static const struct model_loop_engine stub_loop_engine = {
	.poll = stub_poll,
	.park = stub_park,
};

static void stub_timeout(void *opaque)
{
	struct model_engine *engine = opaque;

	model_vfu_irq(engine->env->vfu, 1);
}

static void offer_mmap(struct model_engine *engine)
{
	engine->mmap_fd = memfd_create("bar2", MFD_CLOEXEC);
	if (ftruncate(engine->mmap_fd, XRDMA_BAR_DB_SIZE) ||
	    model_vfu_offer_mmap(engine->env->vfu, XRDMA_BAR_DB,
				 engine->mmap_fd))
		abort();
}

struct model_engine *model_engine_create(const struct model_env *env)
{
	struct model_engine *engine = calloc(1, sizeof(*engine));

	if (!engine)
		return NULL;
	engine->env = env;
	engine->timer.fn = stub_timeout;
	engine->timer.opaque = engine;
	engine->mmap_fd = -1;
	if (getenv("STUB_MMAP"))
		offer_mmap(engine);
	model_vfu_attach(env->vfu, &stub_ops, engine);
	model_loop_set_engine(env->loop, &stub_loop_engine, engine);
	return engine;
}

void model_engine_destroy(struct model_engine *engine)
{
	if (engine->mmap_fd >= 0)
		close(engine->mmap_fd);
	free(engine);
}
