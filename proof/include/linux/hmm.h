/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stand-in: nothing that is proved looks pages up. */
#include "kernel.h"

#define HMM_PFN_VALID	0x8000000000000000UL
#define HMM_PFN_WRITE	0x4000000000000000UL
