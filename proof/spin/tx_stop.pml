/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Section "Ethernet", with "Work queue entries" (an entry is free when its
 * completion is written): the TX queue of the netdev stops and is started
 * again.
 *
 * Driver: xrdma_tx_send(), xrdma_tx_publish(), xrdma_tx_poll(), xrdma_tx_reap() in
 * xrdma_eth_tx.c; xrdma_eth_stop() in xrdma_eth.c; xrdma_wq_room(),
 * xrdma_wq_release() in xrdma_wq.h. Kernel: netif_txq_maybe_stop(),
 * netif_txq_completed_wake() of include/net/netdev_queues.h, netif_tx_disable().
 * Device: a frame completes when it has seen sq_pi; that the NAPI runs then is
 * shown by napi.pml.
 *
 * The network stack sends FRAMES frames, and says of each whether another one
 * follows at once. A queue that nobody starts again, and a frame that nobody
 * hands to the device, leave frames unsent: an invalid end state. With STOPS the
 * netdev stops at any time; then nobody may send a frame afterwards.
 *
 * variant: STOPS
 * mutant: WITHOUT_mb_after_stop - sender and poller both read old values
 * mutant: WITHOUT_mb_before_wake - poller and sender both read old values
 * mutant: WITHOUT_wake - nobody starts the queue again
 * mutant: WITHOUT_publish_at_stop - the stack sends no other frame, the device none
 * mutant: WITHOUT_published_first - a completion looks like a fault of the device
 * mutant: WITHOUT_room_check - a frame overwrites the entry of another one: the
 *	poller has seen room, the sender has filled and stopped the queue, and then
 *	the poller has started the full queue
 * mutant: WITHOUT_napi_disable_first - the poller starts the queue again
 */
#define FRAMES	4
#define DEPTH	2		/* XRDMA_ETH_DEPTH */
#define WAKE	1		/* xrdma_tx_wake() */

#define SQ_PI		0	/* of the sender, in the record */
#define PUBLISHED	1	/* of the sender: ch->tx_published */
#define PI		2	/* of the sender: sq->pi */
#define CI		3	/* of the poller: sq->ci */
#define DONE		4	/* of the device: completions in the ring */
#define LOCS		5
#include "memory.inc"

/*
 * __QUEUE_STATE_DRV_XOFF: a change by the sender reaches memory later, one by
 * another CPU at once. 2: the sender has stored nothing that is on its way.
 */
bool xoff;
byte xoff_buffer = 2;
bool tx_lock;
bool napi = true;		/* napi_disable() has not taken it */
bool polling;
bool stopped;			/* xrdma_eth_stop() has returned */

active proctype memory()
{
end:	do
	DRAIN(SQ_PI) DRAIN(PUBLISHED) DRAIN(PI) DRAIN(CI) DRAIN(DONE)
	:: d_step { xoff_buffer != 2 -> xoff = xoff_buffer; xoff_buffer = 2 }
	od
}

/* xrdma_tx_publish() */
inline publish()
{
#ifdef WITHOUT_published_first
	STORE(SQ_PI, pi);
	STORE(PUBLISHED, pi);
#else
	STORE(PUBLISHED, pi);		/* smp_store_release() */
	!pending[PUBLISHED];		/* dma_wmb() of xrdma_publish_sq() */
	STORE(SQ_PI, pi);
#endif
	published = pi
}

/*
 * netif_txq_maybe_stop(). refused: the queue has no room, and is stopped; seen: the
 * ring was full at the first look. The stop bit may reach memory before sq->pi.
 */
inline maybe_stop()
{
	room = DEPTH - (pi - LOAD(CI));
	refused = false; seen = false;
	if
	:: room < 1 ->
		seen = true;
		xoff_buffer = true;		/* netif_tx_stop_queue() */
#ifndef WITHOUT_mb_after_stop
		xoff_buffer == 2 && !pending[PI];
#endif
		room = DEPTH - (pi - LOAD(CI));
		if
		:: room >= WAKE -> xoff_buffer = false
		:: else -> refused = true
		fi
	:: else
	fi
}

/* dev_hard_start_xmit() and xrdma_tx_send() */
active proctype sender()
{
	byte pi, left = FRAMES, room, published;
	bool more, refused, seen;

	do
	:: atomic {		/* the queue is not stopped: HARD_TX_LOCK() */
		left > 0 && !tx_lock && !xoff && xoff_buffer != 1 ->
		tx_lock = true
	   }
again:		assert(!stopped);
#ifndef WITHOUT_room_check
		maybe_stop();
		if
		:: refused -> goto busy		/* NETDEV_TX_BUSY */
		:: else
		fi;
#endif
		if
		:: left > 1 -> more = true
		:: more = false
		fi;
		assert(pi - LOAD(CI) < DEPTH);	/* the entry is free */
		atomic { pi++; left--; STORE(PI, pi) }
		maybe_stop();
#ifndef WITHOUT_publish_at_stop
		if :: seen -> more = false :: else fi;
#endif
		if
		:: !more && pi != published -> publish()
		:: else
		fi;
		/* with more frames, the stack looks whether the queue is stopped */
		if :: more && !xoff && xoff_buffer != 1 -> goto again :: else fi;
busy:		skip;
		d_step { room = 0; more = false; refused = false; seen = false;
			 tx_lock = false }
	:: left == 0 -> break
	:: stopped -> break
	od
}

/* Completes what it has been told of. */
active proctype device()
{
	byte done;
	do
	:: done < LOAD(SQ_PI) -> done++; STORE(DONE, done)
	:: done == FRAMES || stopped -> break
	od
}

/* xrdma_tx_poll(); completions are there, and the NAPI is on */
active proctype poller()
{
	byte ci, reaped, end, room;
	do
	:: atomic { napi && ci < LOAD(DONE) -> polling = true }
		end = LOAD(DONE);
		do
		:: ci < end ->
			/* smp_load_acquire(&ch->tx_published): is it a lie? */
			assert(ci < LOAD(PUBLISHED));
			ci++
		:: else -> break
		od;
		STORE(CI, ci);			/* xrdma_wq_release() */
		/* netif_txq_completed_wake() */
#ifndef WITHOUT_mb_before_wake
		!pending[CI];
#endif
#ifndef WITHOUT_wake
		room = DEPTH - (LOAD(PI) - ci);
		if
		:: room >= WAKE && xoff -> xoff = false	/* netif_tx_wake_queue() */
		:: else
		fi;
#endif
		d_step { room = 0; end = 0; polling = false }
	:: ci == FRAMES || stopped -> break
	od
}

#ifdef STOPS
inline napi_disable() { napi = false; !polling }

/* xrdma_eth_stop() */
active proctype stopper()
{
#ifndef WITHOUT_napi_disable_first
	napi_disable();
#endif
	/* netif_tx_disable() */
	atomic { !tx_lock && xoff_buffer == 2 -> tx_lock = true; xoff = true;
		 tx_lock = false }
#ifdef WITHOUT_napi_disable_first
	napi_disable();
#endif
	stopped = true
}
#endif
