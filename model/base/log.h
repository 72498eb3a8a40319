/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Diagnostics of the device process, on standard error. A device that is well
 * prints nothing at the default level.
 *
 * Host errors are not logged here: they have a ledger of their own
 * (host_error.h).
 */
#ifndef XRDMA_MODEL_LOG_H
#define XRDMA_MODEL_LOG_H

/**
 * enum xrdma_log_level - how much is printed
 * @XRDMA_LOG_ERROR: the process cannot do its work
 * @XRDMA_LOG_WARN: a peer broke a protocol; the default
 * @XRDMA_LOG_INFO: connections, resets
 * @XRDMA_LOG_DEBUG: each event in the device
 */
enum xrdma_log_level {
	XRDMA_LOG_ERROR,
	XRDMA_LOG_WARN,
	XRDMA_LOG_INFO,
	XRDMA_LOG_DEBUG,
};

int xrdma_log_set(const char *name);
void xrdma_log_print(enum xrdma_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define xrdma_err(...)	xrdma_log_print(XRDMA_LOG_ERROR, __VA_ARGS__)
#define xrdma_warn(...)	xrdma_log_print(XRDMA_LOG_WARN, __VA_ARGS__)
#define xrdma_info(...)	xrdma_log_print(XRDMA_LOG_INFO, __VA_ARGS__)
#define xrdma_dbg(...)	xrdma_log_print(XRDMA_LOG_DEBUG, __VA_ARGS__)

#endif /* XRDMA_MODEL_LOG_H */
