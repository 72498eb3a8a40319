// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA tracepoint of refused accesses: compiles the definitions of
 * xrdma_trace.h. Those of xrdma_trace_cmd.h are compiled in xrdma_trace_cmd.c.
 */

#define CREATE_TRACE_POINTS
#include "xrdma_trace.h"
