/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The device's part of the control socket: section "device" of "stats", faults
 * of commands, surprise removal.
 *
 *   {"cmd":"command_fault", "opcode":"CREATE_QP", "kind":"hang", "count":1}
 *	kind: "hang", "fail" (with "status": number), "delay" or "late" (with
 *	"ms"); opcode: a name or "any"
 *   {"cmd":"command_faults_clear"}
 *   {"cmd":"gone", "on":true}
 */
#ifndef XRDMA_MODEL_DEVICE_CONTROL_H
#define XRDMA_MODEL_DEVICE_CONTROL_H

#include "control.h"

struct xrdma_device;

int xrdma_device_add_control(struct xrdma_device *dev,
			     struct xrdma_control *control);

#endif /* XRDMA_MODEL_DEVICE_CONTROL_H */
