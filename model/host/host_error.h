/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Host errors: violations of the device specification by the driver.
 *
 * Each host error has a named kind, is counted, and is kept with its details in
 * a bounded log. A test in which a host error occurs fails. The files that
 * detect violations call model_host_error(); stats.c shows the counts and the
 * log on the control socket.
 */
#ifndef MODEL_HOST_ERROR_H
#define MODEL_HOST_ERROR_H

#include <linux/types.h>

/*
 * X(name, description of the violation). Add kinds at the end of their group.
 * Tests and the control socket use the name.
 */
#define MODEL_HOST_ERRORS(X)						\
	/* bus */							\
	X(BAR_DISABLED, "BAR access while memory space is disabled")	\
	X(BAR_ACCESS, "BAR access of a size or alignment not allowed")	\
	X(DMA_UNMAPPED, "DMA to an address that is not mapped")		\
	X(DMA_ACCESS, "DMA against the rights of its mapping")		\
	X(DMA_BUS_MASTER, "DMA needed while bus mastering is off")	\
	X(DMA_LOST, "guest memory taken away while it was mapped")	\
	/* registers and doorbells */					\
	X(REG_RESERVED, "reserved register or bit written")		\
	X(REG_ILLEGAL, "illegal register value or state")		\
	X(DOORBELL_RANGE, "doorbell out of range")			\
	X(DOORBELL_QP, "doorbell for a queue pair that does not exist")	\
	X(DOORBELL_PUSH, "doorbell that names no slot of a push page")	\
	X(DOORBELL_ARM, "doorbell that arms no queue, or has an illegal index") \
	/* commands */							\
	X(CMD_RESERVED, "reserved field of a command not zero")		\
	X(CMD_STATE, "command in an illegal state")			\
	X(CMD_INDEX, "producer index of the command ring out of range")	\
	X(CMD_OPCODE, "command that the device does not know")		\
	X(CMD_PARAM, "command with an illegal value")			\
	X(CMD_NUMBER, "command with a number unknown or already in use") \
	X(CMD_BUSY, "command on an object that is in use")		\
	X(CMD_DMA, "command that names memory out of reach")		\
	X(INVAL_KEY, "invalidation of a key that does not exist")	\
	/* queues of the kernel */					\
	X(RING_DIRTY, "ring that the device writes was not zeroed")	\
	X(EQ_INDEX, "consumer index of an event queue out of range")	\
	X(WQ_INDEX, "producer index of a kernel work queue out of range") \
	X(RESUME_INDEX, "producer index of the resume ring out of range") \
	X(RESUME_ENTRY, "answer to no page fault, or unknown outcome")	\
	/* tables in host memory */					\
	X(MPT_RESERVED, "reserved field of a key entry not zero")	\
	X(MPT_STATE, "key entry in an unknown state")			\
	X(MPT_TYPE, "key entry of an unknown type")			\
	X(MPT_RANGE, "range of a key entry wraps")			\
	X(MPT_ROOT, "root of a key entry malformed or too small")	\
	X(MPT_BOUND, "bound window, but its region counts no windows")	\
	X(MPT_PAGED, "paged key entry before ENABLE_ODP")		\
	X(MTT_ENTRY, "translation entry malformed")			\
	X(MTT_MISSING, "translation entry missing")			\
	X(MTT_FENCE, "memory of a paged region unmapped without a fence")

#define MODEL_HOST_ERROR_ENUM(name, text) MODEL_HERR_##name,

/** enum model_host_error_kind - one value per line of MODEL_HOST_ERRORS */
enum model_host_error_kind {
	MODEL_HOST_ERRORS(MODEL_HOST_ERROR_ENUM)
	MODEL_HERR_KINDS,
};

/** MODEL_HOST_ERROR_LOG - number of entries in the log of the newest errors */
#define MODEL_HOST_ERROR_LOG	256

/**
 * struct model_host_error_entry - one host error
 * @time_ns: CLOCK_MONOTONIC, in nanoseconds
 * @kind: kind of the violation
 * @text: details, truncated to the size of the array
 */
struct model_host_error_entry {
	u64 time_ns;
	enum model_host_error_kind kind;
	char text[192];
};

/**
 * struct model_host_errors - record of host errors
 * @total: number of host errors since the process started
 * @count: number of host errors of each kind since the process started
 * @log: ring of the newest errors; error number i is at index i modulo
 *	MODEL_HOST_ERROR_LOG
 */
struct model_host_errors {
	u64 total;
	u64 count[MODEL_HERR_KINDS];
	struct model_host_error_entry log[MODEL_HOST_ERROR_LOG];
};

struct model_host_errors *model_host_errors_create(void);
void model_host_errors_destroy(struct model_host_errors *herr);
void model_host_error(struct model_host_errors *herr,
		      enum model_host_error_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
const char *model_host_error_name(enum model_host_error_kind kind);
unsigned int model_host_errors_kept(const struct model_host_errors *herr);
const struct model_host_error_entry *
model_host_errors_entry(const struct model_host_errors *herr, unsigned int i);

#endif /* MODEL_HOST_ERROR_H */
