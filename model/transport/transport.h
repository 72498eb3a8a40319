/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The transport of the device: RoCEv2 and raw Ethernet over one wire.
 */
#ifndef XRDMA_MODEL_TRANSPORT_H
#define XRDMA_MODEL_TRANSPORT_H

#include "core/device.h"

extern const struct xrdma_transport xrdma_roce_transport;

#endif /* XRDMA_MODEL_TRANSPORT_H */
