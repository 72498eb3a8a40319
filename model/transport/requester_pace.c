// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The number of packets of a connection that may be unacknowledged. It grows as
 * packets are acknowledged, since a fast wire with a long delay needs many, and
 * shrinks when packets are lost, since the buffers on the way or those of a peer
 * in software may be small. The rules are those of TCP (RFC 5681): slow start,
 * congestion avoidance, half of the window after a loss.
 *
 * Which packets are sent is decided in requester.c.
 */
#include "transport/requester.h"

/**
 * model_pace_init() - set the initial state
 * @pace: the state
 */
void model_pace_init(struct model_req_pace *pace)
{
	pace->window = MODEL_REQ_PACE_MIN;
	pace->threshold = MODEL_REQ_PACE_MAX;
	pace->acked = 0;
}

/**
 * model_pace_acked() - packets were acknowledged
 * @pace: the state
 * @num: number of packets
 */
void model_pace_acked(struct model_req_pace *pace, u32 num)
{
	pace->acked += num;
	if (pace->window < pace->threshold) {
		pace->window += pace->acked;
		pace->acked = 0;
	} else if (pace->acked >= pace->window) {
		pace->acked -= pace->window;
		pace->window++;
	}
	if (pace->window > MODEL_REQ_PACE_MAX)
		pace->window = MODEL_REQ_PACE_MAX;
}

/**
 * model_pace_lost() - a packet was lost
 * @pace: the state
 */
void model_pace_lost(struct model_req_pace *pace)
{
	pace->window /= 2;
	if (pace->window < MODEL_REQ_PACE_MIN)
		pace->window = MODEL_REQ_PACE_MIN;
	pace->threshold = pace->window;
	pace->acked = 0;
}

/**
 * model_pace_timed_out() - the peer has not answered
 * @pace: the state
 */
void model_pace_timed_out(struct model_req_pace *pace)
{
	model_pace_lost(pace);
	pace->window = MODEL_REQ_PACE_MIN;
}
