/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The device's part of the control socket: section "device" of "stats", faults
 * of commands, registers and the Ethernet port, failure, surprise removal.
 *
 *   {"cmd":"command_fault", "opcode":"CREATE_QP", "kind":"hang", "count":1}
 *	kind: "hang", "wrong", "fail" (with "status": number), "delay" or
 *	"late" (with "ms"); opcode: a name or "any"; "skip": so many pass before
 *   {"cmd":"command_faults_clear"}  ->  {"ok":true, "left":0}: how many
 *	commands the faults still waited for
 *   {"cmd":"eth_fault", "kind":"send"}
 *	what goes wrong with the queue pair of the Ethernet port, once: "send":
 *	a send fails; "receive": a receive fails; "stall": no send completes
 *	any more; "fatal": it is found corrupt; "none". Section "device" says
 *	which one is yet to come
 *   {"cmd":"register_lie", "register":"STATUS", "value":0, "count":1}
 *	it reads so, as often as that; without "count" until the next one
 *   {"cmd":"register_lie_clear"}
 *   {"cmd":"fatal"}: it fails and says so
 *   {"cmd":"gone", "on":true}
 */
#ifndef MODEL_DEVICE_CONTROL_H
#define MODEL_DEVICE_CONTROL_H

#include "base/control.h"

struct model_device;

int model_device_add_control(struct model_device *dev,
			     struct model_control *control);

#endif /* MODEL_DEVICE_CONTROL_H */
