/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA tracepoint of refused accesses: records the raw fields of the event,
 * and decodes them when it is printed. It changes no state of the driver. The
 * tracepoint of commands is in xrdma_trace_cmd.h.
 */

#undef TRACE_SYSTEM
#define TRACE_SYSTEM xrdma

#if !defined(XRDMA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define XRDMA_TRACE_H

#include <linux/tracepoint.h>
#include "xrdma_fault.h"
#include "xrdma_ibdev.h"

#define XRDMA_FAULT_SYMBOL(symbol, name) { XRDMA_FAULT_##symbol, name },
#define show_xrdma_fault(reason) \
	__print_symbolic(reason, XRDMA_FAULTS(XRDMA_FAULT_SYMBOL) { -1, NULL })

TRACE_EVENT(xrdma_fault,
	    TP_PROTO(struct xrdma_ibdev *xib, const struct xrdma_eqe *eqe),
	    TP_ARGS(xib, eqe),
	    TP_STRUCT__entry(__string(dev, dev_name(&xib->ibdev.dev))
			     __field(u8, reason)
			     __field(u8, opcode)
			     __field(u8, flags)
			     __field(u32, qpn)
			     __field(u32, key)
			     __field(u32, pd)
			     __field(u64, addr)
			     __field(u64, length)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->reason = eqe->reason;
			   __entry->opcode = eqe->opcode;
			   __entry->flags = eqe->flags;
			   __entry->qpn = le32_to_cpu(eqe->number);
			   __entry->key = le32_to_cpu(eqe->key);
			   __entry->pd = le32_to_cpu(eqe->pd);
			   __entry->addr = le64_to_cpu(eqe->addr);
			   __entry->length = le64_to_cpu(eqe->length);
	    ),
	    TP_printk("%s reason=%s key=0x%08x addr=0x%llx length=%llu opcode=%u flags=%#x qpn=0x%x pd=0x%x",
		      __get_str(dev), show_xrdma_fault(__entry->reason),
		      __entry->key, __entry->addr, __entry->length,
		      __entry->opcode, __entry->flags, __entry->qpn,
		      __entry->pd)
);

#endif /* XRDMA_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE xrdma_trace
#include <trace/define_trace.h>
