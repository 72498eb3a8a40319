/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Diagnostics of the device process, on standard error. A device without errors
 * prints nothing at the default level.
 *
 * Host errors are not logged here: host/host_error.h counts and records them.
 */
#ifndef MODEL_LOG_H
#define MODEL_LOG_H

/**
 * enum model_log_level - severity of a message, and threshold for printing
 * @MODEL_LOG_ERROR: the process cannot do its work
 * @MODEL_LOG_WARN: a peer broke a protocol; the default
 * @MODEL_LOG_INFO: connections, resets
 * @MODEL_LOG_DEBUG: each event in the device
 */
enum model_log_level {
	MODEL_LOG_ERROR,
	MODEL_LOG_WARN,
	MODEL_LOG_INFO,
	MODEL_LOG_DEBUG,
};

int model_log_set(const char *name);
void model_log_print(enum model_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define model_err(...)	model_log_print(MODEL_LOG_ERROR, __VA_ARGS__)
#define model_warn(...)	model_log_print(MODEL_LOG_WARN, __VA_ARGS__)
#define model_info(...)	model_log_print(MODEL_LOG_INFO, __VA_ARGS__)
#define model_dbg(...)	model_log_print(MODEL_LOG_DEBUG, __VA_ARGS__)

#endif /* MODEL_LOG_H */
