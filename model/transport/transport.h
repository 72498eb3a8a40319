/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The transport of the device, RoCEv2 and raw Ethernet over one wire, as a
 * table of functions for the core (struct model_transport in core/device.h).
 */
#ifndef MODEL_TRANSPORT_H
#define MODEL_TRANSPORT_H

#include "core/device.h"

extern const struct model_transport model_roce_transport;

#endif /* MODEL_TRANSPORT_H */
