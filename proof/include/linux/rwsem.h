/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stand-in: kernel.h has what the proved files use of this header. */
#include "kernel.h"
