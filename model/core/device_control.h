/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The commands of the device on the control socket, and the sections "device",
 * "paging" and "pcie" of "stats"; "pcie" has the numbers and bytes of reads and
 * writes of host memory by what they are for, see pcie.h. The command "chaos" is
 * in chaos.h, the commands of the wire are in wire/wire_control.c.
 *
 *   {"cmd":"command_fault", "opcode":"CREATE_QP", "kind":"hang", "count":1}
 *	sets a fault of commands, see enum model_cmd_fault_kind. kind: "hang",
 *	"wrong", "fail" (with "status": number), "delay" or "late" (with "ms");
 *	opcode: a name or "any"; "skip": number of commands before the fault
 *   {"cmd":"command_faults_clear"}  ->  {"ok":true, "left":0}
 *	removes all faults; left: number of commands still to skip or to hit
 *   {"cmd":"eth_fault", "kind":"send"}
 *	sets a fault of the queue pair of the Ethernet port, which happens once:
 *	"send": a send fails; "receive": a receive fails; "stall": sends stop
 *	completing; "fatal": the queue pair is corrupt; "merged": a frame is said
 *	to be several frames; "none": no fault.
 *	Section "device" has the fault that has not happened yet
 *   {"cmd":"register_lie", "register":"STATUS", "value":0, "count":1}
 *	"count" reads of the register return the value; without "count" all
 *	reads do
 *   {"cmd":"register_lie_clear"}
 *	ends "register_lie"
 *   {"cmd":"paging_fault", "kind":"late", "count":1, "ms":100}
 *	sets a fault of the next "count" page faults. kind: "late": the event is
 *	written after "ms"; "lost": it is never written; "twice": it is written
 *	twice; "answer_lost": the next "count" answers of the driver are not
 *	read. "count":0 ends the fault. Section "paging" has the faults that
 *	have not happened yet, the numbers of page faults without an answer and
 *	of accesses that wait to raise one, and the memory of packets that wait
 *   {"cmd":"fatal"}
 *	puts the device into the fatal state
 *   {"cmd":"deaf", "on":true}
 *	writes to registers have no effect, and reads and doorbells work as before;
 *	"on":false and a function level reset end this
 *   {"cmd":"gone", "on":true}
 *	removes the device by surprise; "on":false resets it and brings it back
 */
#ifndef MODEL_DEVICE_CONTROL_H
#define MODEL_DEVICE_CONTROL_H

#include "base/control.h"

struct model_device;

int model_device_add_control(struct model_device *dev,
			     struct model_control *control);

#endif /* MODEL_DEVICE_CONTROL_H */
