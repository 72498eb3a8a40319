/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The commands that set faults for users of verbs, and the section "inject" of
 * "stats". The guide for users describes each fault.
 *
 *   {"cmd":"inject", "kind":"completion", "qp":17, "status":"rem-access-err"}
 *	sets a fault. Each kind takes other options:
 *	"completion": the request of "qp" fails with "status", "nth", "queue"
 *	"late": a completion of "qp" is late by "ms", "nth", "queue"
 *	"lost": a completion of "qp" is lost, "nth", "queue"
 *	"cq-overrun": a completion of "cq" finds no room, "nth"
 *	"key": accesses with the lkey or rkey "key" are refused, "nth"
 *	"silence": nothing is received for "ms", by "qp" or by the port
 *	"link-down": the link is down for "ms"
 *	"event": the event "type" of "qp" or "srq" is raised at once
 *	nth: the fault happens at the nth request, completion or access from now
 *	on (default 1); queue: "send" (default) or "recv"
 *   {"cmd":"inject_list"}  ->  {"ok":true, "faults":[{"kind":"late", ...}]}
 *	describes the faults that have not happened yet, or are not over
 *   {"cmd":"inject_clear"}  ->  {"ok":true, "left":1}
 *	removes these faults; left: their number
 */
#ifndef MODEL_INJECT_CONTROL_H
#define MODEL_INJECT_CONTROL_H

struct model_control;
struct model_device;

int model_inject_add_control(struct model_device *dev,
			     struct model_control *control);

#endif /* MODEL_INJECT_CONTROL_H */
