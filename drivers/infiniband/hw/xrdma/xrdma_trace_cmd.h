/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA tracepoint of commands, in the device layer: it uses no verbs objects
 * and changes no state of the driver. The tracepoint of refused accesses is in
 * xrdma_trace.h.
 */

#undef TRACE_SYSTEM
#define TRACE_SYSTEM xrdma

/* a name of its own, since xrdma_trace.h defines the same TRACE_SYSTEM */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR xrdma_cmd

#if !defined(XRDMA_TRACE_CMD_H) || defined(TRACE_HEADER_MULTI_READ)
#define XRDMA_TRACE_CMD_H

#include <linux/tracepoint.h>
#include "xrdma_dev.h"

TRACE_EVENT(xrdma_command,
	    TP_PROTO(struct xrdma_dev *xdev, const char *name,
		     const struct xrdma_cmd *cmd, u8 status, int err, s64 us),
	    TP_ARGS(xdev, name, cmd, status, err, us),
	    TP_STRUCT__entry(__string(dev, pci_name(xdev->pdev))
			     __string(name, name)
			     __field(u32, word)
			     __field(u8, status)
			     __field(int, err)
			     __field(s64, us)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __assign_str(name);
			   __entry->word = le32_to_cpu(cmd->object.number);
			   __entry->status = status;
			   __entry->err = err;
			   __entry->us = us;
	    ),
	    TP_printk("%s %s first=0x%x status=%u err=%d us=%lld",
		      __get_str(dev), __get_str(name), __entry->word,
		      __entry->status, __entry->err, __entry->us)
);

#endif /* XRDMA_TRACE_CMD_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE xrdma_trace_cmd
#include <trace/define_trace.h>
