/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Section "Key entries": a key entry is published, retracted behind the fence of
 * INVALIDATE, and published again for other memory.
 *
 * Driver: xrdma_key_publish(), xrdma_key_free(), xrdma_key_alloc() in xrdma_key.c,
 * xrdma_inval_key() in xrdma_inval.c (batches are in inval_batch.pml). Device:
 * model_key_get(), load(), model_key_invalidate() in model/core/key.c, check() and
 * model_access_write() in model/core/access.c, write_reply() in
 * model/core/cmdq.c.
 *
 * One entry is published twice: first for page 0 with key byte 1, then for page 1 with
 * key byte 2. A peer writes under both keys at any time. The engine of the device
 * that checks and writes runs at the same time as the one that invalidates, which
 * the specification permits; the reference device does both in one thread, and
 * there the order of drop() and write_ctrl() is free. A page is freed behind the
 * fence. Nobody may write to it from then on, nor check an access under its key
 * with success.
 *
 * mutant: WITHOUT_wmb_before_ctrl - the entry is valid and names the old page
 * mutant: WITHOUT_acquire_of_ctrl - the device loads the page before ctrl
 * mutant: WITHOUT_new_key_byte - the old key grants access to the new page
 * mutant: WITHOUT_write_of_ctrl - the device reads the valid entry once more
 * mutant: WITHOUT_ctrl_before_drop - the engine caches the entry once more
 * mutant: WITHOUT_drop - the device goes on with the cached entry
 * mutant: WITHOUT_wait_for_accesses - an access that was checked writes later
 * mutant: WITHOUT_release_of_reply - bytes that were written arrive later
 * mutant: WITHOUT_fence - the driver frees the page before the reply
 */
#define ROUNDS		2
#define ACCESSES	3	/* of the peer */

#define DST_PAGE	0	/* root and offset: of the driver, when it owns the entry */
#define CTRL		1	/* key byte, 0: invalid; its owner writes it */
#define DATA		2	/* pages 0 and 1 of the host's memory: of the device */
#define REPLY		4	/* number of the last command answered: of the device */
#define LOCS		5
#include "memory.inc"

bool freed[2];			/* pages that the driver has freed */
byte command;			/* INVALIDATEs posted */
bool over;

/* The key cache: struct model_key of this index. Its lock is the engine's. */
bool cached, lock;
byte cached_byte, cached_page;
bool in_flight;			/* an access has been checked and goes on */

active proctype memory()
{
end:	do
	DRAIN(DST_PAGE) DRAIN(CTRL) DRAIN(REPLY)
	:: d_step { pending[DATA] -> assert(!freed[0]); pending[DATA] = false }
	:: d_step { pending[DATA + 1] -> assert(!freed[1]);
		    pending[DATA + 1] = false }
	od
}

active proctype driver()
{
	byte round;

	do
	:: round < ROUNDS ->
		/* xrdma_key_publish(), with the byte of xrdma_key_new_byte() */
		STORE(DST_PAGE, round);
#ifndef WITHOUT_wmb_before_ctrl
		!pending[DST_PAGE];		/* dma_wmb() */
#endif
#ifdef WITHOUT_new_key_byte
		STORE(CTRL, 1);
#else
		STORE(CTRL, round + 1);
#endif
		!pending[CTRL] && !pending[DST_PAGE];	/* writel() of CMD_DB */
		command = round + 1;
#ifndef WITHOUT_fence
		LOAD(REPLY) == round + 1;	/* xrdma_cmd_invalidate() */
#endif
		freed[round] = true;
		round++
	:: else -> break
	od;
	LOAD(REPLY) == ROUNDS;
	over = true
}

/* A packet that names a key: check(), then the write; of a byte at a time */
active proctype engine()
{
	byte left = ACCESSES, key, ctrl, page;

	do
	:: left > 0 ->
		left--;
		if
		:: key = 1
		:: key = 2
		fi;
		/* model_key_get() */
		if
		:: atomic { cached -> in_flight = true; ctrl = cached_byte;
			    page = cached_page }
		:: atomic { !cached && !lock -> lock = true; in_flight = true }
			/* load(): ctrl with acquire order, then the rest */
#ifdef WITHOUT_acquire_of_ctrl
			page = LOAD(DST_PAGE);
#endif
			ctrl = LOAD(CTRL);
#ifndef WITHOUT_acquire_of_ctrl
			page = LOAD(DST_PAGE);
#endif
			if
			:: ctrl != 0 ->
				atomic { cached = true; cached_byte = ctrl;
					 cached_page = page }
			:: else
			fi;
			lock = false
		fi;
		/* xrdma_rules_check_access(): the key byte */
		if
		:: ctrl == key ->
			assert(!freed[key - 1]);	/* this key has ended */
			STORE(DATA + page, 1);
			STORE(DATA + page, 1)
		:: else
		fi;
		d_step { in_flight = false; ctrl = 0; page = 0; key = 0 }
	:: else -> break
	od
}

/* model_key_invalidate() and the reply */
active proctype invalidate()
{
	byte done;

	do
	:: command > done ->
#ifdef WITHOUT_ctrl_before_drop
		atomic { !lock -> cached = false }
#endif
#ifndef WITHOUT_write_of_ctrl
		STORE(CTRL, 0);			/* write_ctrl(), release order */
		!pending[CTRL];
#endif
#if !defined(WITHOUT_drop) && !defined(WITHOUT_ctrl_before_drop)
		atomic { !lock -> cached = false }	/* drop() */
#endif
#ifndef WITHOUT_wait_for_accesses
		!in_flight;
#endif
#ifndef WITHOUT_release_of_reply
		!pending[DATA] && !pending[DATA + 1];
#endif
		done++;
		STORE(REPLY, done)		/* write_reply() */
	:: over -> break
	od
}
