// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA tracepoint of commands: compiles the definitions of xrdma_trace_cmd.h.
 * Those of xrdma_trace.h are compiled in xrdma_trace.c, in the objects layer.
 */

#define CREATE_TRACE_POINTS
#include "xrdma_trace_cmd.h"
