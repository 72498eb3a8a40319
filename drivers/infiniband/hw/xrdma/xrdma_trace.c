// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA tracepoints: the one file that compiles the definitions of
 * xrdma_trace.h and xrdma_trace_cmd.h.
 */

#define CREATE_TRACE_POINTS
#include "xrdma_trace.h"
#include "xrdma_trace_cmd.h"
