// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA tracepoints, defined once. Must not hold anything else.
 */

#define CREATE_TRACE_POINTS
#include "xrdma_trace.h"
#include "xrdma_trace_cmd.h"
