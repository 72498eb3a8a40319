/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The golden bytes of the device specification, as arrays that scripts/golden
 * has written to golden.h.
 */

#ifndef GOLDEN_BYTES_H
#define GOLDEN_BYTES_H

#include <stdint.h>
#include <string.h>

#include "fake_device.h"

/* golden.h is made for the kernel too */
typedef uint8_t u8;
#define __maybe_unused __attribute__((unused))
#include "golden.h"

#define CHECK_BYTES(at, golden) CHECK(!memcmp(at, golden, sizeof(golden)))

#endif /* GOLDEN_BYTES_H */
