/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Section "On-demand paging": a page fault, its answer, and the way of a page out of
 * the device.
 *
 * Driver: xrdma_odp_event(), xrdma_page_fault_work() in xrdma_odp_fault.c;
 * xrdma_window_map() in xrdma_odp_map.c; xrdma_span_invalidate(), xrdma_span_retire() in
 * xrdma_span.c; xrdma_odp_begin(), xrdma_odp_put() in xrdma_odp_owner.c;
 * xrdma_odp_detach() in xrdma_odp.c; xrdma_resume_answer() in xrdma_resume.c;
 * xrdma_dereg_mr() in xrdma_mr_verbs.c. Kernel: mmu_interval_read_begin(),
 * mmu_interval_notifier_remove(). Device: model/core/pager.c, model/core/resume.c,
 * model_key_forget_range() in model/core/key.c.
 *
 * One page of a paged region, and its table of level 1, which is freed with the page
 * unless the table has another page.
 * Two queue pairs access the page. The kernel takes the page away, and the process
 * gets another one at the next page fault; then the process unmaps the address, and
 * page faults are refused. Each time the page that was taken is used for something
 * else: no byte of the device may arrive in it. A queue pair that waits forever is an
 * invalid end state. An event or an answer is lost, and the second of the one-second
 * rule is over before a slow driver has answered. As in key_fence, the device
 * translates and invalidates at the same time, which the reference device does not.
 * Page faults of reads and of writes are the same here.
 *
 * variant: PAIR - two queue pairs; events and answers are lost; no page is taken
 * variant: MAPS - as PAIR; the process maps the address at any time
 * variant: DEREG - the region is deregistered at any time
 * variant: ADVISE - advise_mr maps the page at any time, too
 * variant: STUCK - as DEREG; the page of the process may never arrive, and the region is
 *	deregistered all the same
 * mutant: WITHOUT_wmb_before_link - the device reads a table that is not yet zeroed
 * mutant: WITHOUT_read_retry - a page is mapped after it has been taken
 * mutant: WITHOUT_wait_of_begin - a page that is about to be taken is mapped
 * mutant: WITHOUT_set_seq - the look-up of a page does not miss that it is taken
 * mutant: WITHOUT_span_lock - the page is taken after the comparison of the numbers
 * mutant: WITHOUT_clear_of_valid - the device reads the entry once more
 * mutant: WITHOUT_clear_of_table - the device reads a table that has been freed
 * mutant: WITHOUT_order_of_command - the device reads the valid entry once more
 * mutant: WITHOUT_fence - the page is taken before the reply
 * mutant: WITHOUT_order_of_answer - the device reads an answer not yet written
 * mutant: WITHOUT_entries_before_answer - the translation misses again and again
 * mutant: WITHOUT_reference - a page fault looks pages up in a structure that has been
 *	freed
 * mutant: WITHOUT_unpublish - a page fault finds a region that has been freed
 * mutant: WITHOUT_begin - a page that arrives late is mapped in a region that has ended
 * mutant: WITHOUT_short_steps - a page that does not arrive holds up the deregistration
 * mutant: WITHOUT_wait_for_idle - a region is freed while a page fault writes its tables
 * mutant: WITHOUT_notifier_remove - the notifier uses a region that has been freed
 * mutant: WITHOUT_invalidate - the device uses the region after its end
 * mutant: WITHOUT_drop - the device goes on with the cached entry
 * mutant: WITHOUT_lock_of_cache - the device caches an entry read before the fence
 * mutant: WITHOUT_wait_for_accesses - an access that was translated writes later
 * mutant: WITHOUT_release_of_reply - bytes that were written arrive later
 * mutant: WITHOUT_look_again - the device caches that the translation misses
 * mutant: WITHOUT_one_second_rule - a lost event or answer stops an access
 * mutant: WITHOUT_join_in_one_step - an access waits for a page fault that has ended
 * mutant: WITHOUT_wake_of_all - only the access that raised the page fault goes on
 * mutant: WITHOUT_others_look_again - an access that begins after the process has mapped
 *	the address joins a page fault that the driver has looked up before, and is refused
 */
#ifdef MAPS
#define PAIR
#endif
#ifdef STUCK
#define DEREG
#endif
#ifdef PAIR
#define QPS		2
#define ACCESSES	1	/* of each queue pair */
#define ROUNDS		0	/* pages that are taken */
#define LOSSES		1	/* events and answers that are lost */
#else
#define QPS		1
#define ACCESSES	2
#ifdef DEREG
#define ROUNDS		1
#else
#define ROUNDS		2
#endif
#define LOSSES		0
#endif
#define ENTRIES		2	/* of the resume ring */
#define MAX_FAULTS	8	/* more of them in a row are a loop */

#define TOP	0	/* the entry of the table of level 1: of the driver */
#define ENTRY	1	/* the entry of the page, 0: not valid: of the driver */
#define ANSWER	2	/* the resume ring: of the driver */
#define DATA	4	/* pages 1 and 2: of the device */
#define RANGE	6	/* replies to INVALIDATE_RANGE: of the device */
#define KEY	7	/* replies to INVALIDATE: of the device */
#define LOCS	8
#include "memory.inc"
#define GARBAGE	9	/* what a table holds before and after its use */

#define AGAIN	1	/* enum xrdma_resume_outcome, plus 1 */
#define REFUSE	2

/* The kernel */
#ifdef MAPS
bool vma;			/* the process maps the address later */
active proctype mmap() { vma = true }
#define PIDS	4		/* processes before those of the queue pairs */
#else
bool vma = true;		/* the process has mapped the address */
#define PIDS	3
#endif
byte pte, fills;		/* the page of the process, 0: none */
bool taken[2];			/* pages that are used for something else */
byte mn_seq = 2, sub_seq = 1;	/* invalidate_seq of the mm, and of the notifier */
bool registered = true;		/* the notifier */

/* The driver */
bool span_lock, published = true;
bool freed;			/* the tables, and the notifier */
byte users = 1;			/* xrdma_odp.users */
byte refs = 1;			/* xrdma_odp.refs; 0: the structure is freed */
bool busy, queued;		/* the one struct xrdma_page_fault */
byte slot_token, resume_db;
bool linked, mapped;		/* the slots of the tables are in use */
bool alone;			/* the table has no other page */
byte range_commands;		/* INVALIDATE_RANGEs posted */
bool key_command;

/* The device */
byte cached;			/* the entry in its cache */
bool cache_lock, in_flight[QPS], key_valid = true;
bool asked, unanswered;		/* a page fault; nobody is going to answer it */
byte token;
bool waiting[QPS], refused[QPS];
bool joined[QPS];		/* waits for a page fault that was raised before */
byte losses = LOSSES, early = LOSSES;

active proctype memory()
{
	atomic { mem[ENTRY] = GARBAGE; if :: alone = true :: alone = false fi }
end:	do
	DRAIN(TOP) DRAIN(ENTRY) DRAIN(ANSWER) DRAIN(ANSWER + 1) DRAIN(RANGE) DRAIN(KEY)
	:: d_step { pending[DATA] -> assert(!taken[0] && !freed);
		    pending[DATA] = false }
	:: d_step { pending[DATA + 1] -> assert(!taken[1] && !freed);
		    pending[DATA + 1] = false }
	od
}

/* ---- driver ---- */

inline begin(ok)		/* xrdma_odp_begin() */
{
	d_step {
#ifdef WITHOUT_begin
		ok = true; users++
#else
		if
		:: users -> ok = true; users++
		:: else -> ok = false
		fi
#endif
	}
}

/* xrdma_window_map(), with the reference of its caller to the structure */
inline map(outcome)
{
	do
	:: true ->
#ifdef WITHOUT_short_steps
		begin(enter);
#endif
		atomic { assert(refs); seq = sub_seq }	/* mmu_interval_read_begin() */
#ifndef WITHOUT_wait_of_begin
		mn_seq != seq;
#endif
		/* xrdma_page_in(), hmm_range_fault() */
#ifdef STUCK
		if
		:: skip
		:: skip; end_stuck: false
		fi;
#endif
		d_step {
			if
			:: vma && !pte -> fills++; pte = fills
			:: else
			fi;
			page = (vma -> pte : 0)
		}
		assert(refs);
		if
#ifdef WITHOUT_short_steps
		:: !page -> users--; outcome = REFUSE; break
#else
		:: !page -> outcome = REFUSE; break
#endif
		:: else
		fi;
		/* xrdma_window_enter() */
#ifndef WITHOUT_short_steps
		begin(enter);
#endif
		if
		:: !enter -> outcome = AGAIN; break
		:: else
		fi;
#ifndef WITHOUT_span_lock
		atomic { !span_lock -> span_lock = true }
#endif
		assert(!freed);
#ifndef WITHOUT_read_retry
		if
		:: sub_seq != seq -> d_step { span_lock = false; users-- } goto again
		:: else
		fi;
#endif
		if
		:: !linked ->
			linked = true;
			STORE(ENTRY, 0);	/* __GFP_ZERO */
#ifndef WITHOUT_wmb_before_link
			!pending[ENTRY];	/* dma_wmb() */
#endif
			STORE(TOP, 1)
		:: else
		fi;
		if
		:: !mapped -> mapped = true; STORE(ENTRY, page)
		:: else
		fi;
		assert(!freed);
		atomic {
#ifndef WITHOUT_span_lock
		span_lock = false;
#endif
		users--;				/* xrdma_odp_end() */
		outcome = AGAIN; break }
again:		skip
	od;
	atomic { seq = 0; page = 0; enter = false }
}

/* xrdma_page_fault_work() */
active proctype worker()
{
	byte outcome, seq, page, mine, pi;
	bool got, enter;

end:	do
	:: atomic { queued -> queued = false; mine = slot_token;
		/* xrdma_odp_event() */
		got = published;
#ifndef WITHOUT_reference
		if :: got -> assert(refs); refs++ :: else fi
#endif
		}
		outcome = AGAIN;
		if
		:: got -> map(outcome)
		:: else
		fi;
		busy = false;			/* xrdma_slot_free() */
		/* xrdma_odp_answer() */
		if
		:: got -> begin(enter)
		:: else -> enter = true
		fi;
		if
		:: enter ->
			/* xrdma_resume_answer() */
			STORE(ANSWER + (pi % ENTRIES), mine * 4 + outcome);
			pi++;
#ifndef WITHOUT_order_of_answer
			!pending[ANSWER] && !pending[ANSWER + 1];
#endif
#ifndef WITHOUT_entries_before_answer
			!pending[TOP] && !pending[ENTRY];
#endif
			d_step {
				resume_db = pi;
				if :: got -> users-- :: else fi
			}
		:: else ->
			/* an access that has missed before INVALIDATE may raise a page
			 * fault after it; the region may end before the answer */
			d_step {
				if
				:: asked && mine == token -> unanswered = true
				:: else
				fi
			}
		fi;
		d_step {
#ifndef WITHOUT_reference
			if :: got -> refs-- :: else fi;	/* xrdma_odp_put() */
#endif
			outcome = 0; mine = 0; got = false; enter = false
		}
	od
}

#ifdef ADVISE
active proctype advise()		/* xrdma_advise_one() */
{
	byte outcome, seq, page;
	bool enter;

	map(outcome)
}
#endif

/* xrdma_span_zap() with the lock of the span */
inline retract_and_reap(fence)
{
	if
	:: mapped ->
#ifndef WITHOUT_clear_of_valid
		STORE(ENTRY, 0);		/* xrdma_sparse_retract() */
#endif
#ifndef WITHOUT_clear_of_table
		if :: alone -> STORE(TOP, 0) :: else fi;
#endif
		if
		:: fence ->			/* xrdma_cmd_invalidate_range() */
#ifndef WITHOUT_order_of_command
			!pending[ENTRY] && !pending[TOP];	/* writel() */
#endif
			range_commands++;
#ifndef WITHOUT_fence
			LOAD(RANGE) == range_commands
#endif
		:: else
		fi;
		d_step {			/* xrdma_sparse_reap() */
			mapped = false;
			if
			:: alone -> linked = false; pending[ENTRY] = false;
				buffer[ENTRY] = 0; mem[ENTRY] = GARBAGE
			:: else
			fi
		}
	:: else
	fi
}

/* The kernel: the page is reclaimed, then the process unmaps the address. */
active proctype kernel()
{
	byte round;
	bool follows;

	do
	:: round < ROUNDS ->
		vma = (round < ROUNDS - 1);
		/* mmu_notifier_invalidate_range_start() */
		atomic { mn_seq = mn_seq | 1; follows = registered }
		if
		:: follows ->			/* xrdma_span_invalidate() */
			atomic { !span_lock -> span_lock = true; assert(!freed) }
#ifndef WITHOUT_set_seq
			sub_seq = mn_seq;
#endif
			retract_and_reap(true);
			span_lock = false
		:: else
		fi;
		d_step {			/* the page tables of the process */
			if
			:: pte -> taken[pte - 1] = true; pte = 0
			:: else
			fi
		}
		atomic { mn_seq++; round++ }	/* mmu_notifier_invalidate_range_end() */
	:: else -> break
	od
}

#ifdef DEREG
active proctype dereg()			/* xrdma_dereg_mr() */
{
	byte seq;

#ifndef WITHOUT_invalidate
	key_command = true;			/* xrdma_cmd_invalidate() */
	LOAD(KEY) == 1;
#endif
	/* xrdma_odp_detach() */
#ifndef WITHOUT_unpublish
	published = false;
#endif
	users--;
#ifndef WITHOUT_wait_for_idle
	users == 0;
#endif
	/* xrdma_span_retire() */
	atomic { !span_lock -> span_lock = true }
	retract_and_reap(false);
	span_lock = false;
#ifndef WITHOUT_notifier_remove
	/* mmu_interval_notifier_remove() */
	atomic { registered = false; seq = mn_seq }
	!(seq & 1) || mn_seq != seq;
#endif
	d_step { freed = true; refs-- }		/* xrdma_odp_put() */
}
#endif

/* ---- device ---- */

#ifdef WITHOUT_join_in_one_step
#define JOIN
#else
#define JOIN	atomic
#endif

inline raise()				/* raise_fault(): atomic */
{
	token++;
	assert(token < MAX_FAULTS);
	asked = true;
	unanswered = false;
	if					/* the event; xrdma_odp_event() */
	:: losses > 0 -> losses--; unanswered = true
	:: busy -> unanswered = true
	:: !busy -> busy = true; slot_token = token; queued = true
	fi
}

/* A queue pair: model_access_write(), model_pager_miss() */
active [QPS] proctype qp()
{
	byte me = _pid - PIDS, entry, num = ACCESSES;
	bool top, miss;
#ifdef MAPS
	bool mapped_before;
#endif

#ifdef ADVISE
	me--;
#endif
#ifdef DEREG
	me--;
#endif
	do
	:: num > 0 ->
		in_flight[me] = true;
#ifdef MAPS
		mapped_before = (miss -> mapped_before : vma);
#endif
		if
		:: !key_valid -> goto done	/* refused because of the key */
		:: else
		fi;
#ifdef WITHOUT_look_again
		if
		:: miss -> goto missed
		:: else
		fi;
#endif
		if
		:: atomic { cached != 0 -> entry = cached }
#ifdef WITHOUT_lock_of_cache
		:: cached == 0 ->
#else
		:: atomic { cached == 0 && !cache_lock -> cache_lock = true }
#endif
			top = LOAD(TOP);
			entry = (top -> LOAD(ENTRY) : 0);
			atomic { cached = entry; cache_lock = false }
		fi;
		if
		:: entry ->
			assert(entry != GARBAGE);
			STORE(DATA + entry - 1, 1);
			goto done
		:: else
		fi;
missed:		miss = true;
		in_flight[me] = false;
		if
		:: refused[me] ->
#ifdef MAPS
			assert(!mapped_before);
#endif
			goto done
		:: else
		fi;
		JOIN {				/* join() */
			if
#ifdef WITHOUT_others_look_again
			:: asked
#else
			:: asked -> joined[me] = true
#endif
			:: else -> atomic { raise(); joined[me] = false }
			fi;
			waiting[me] = true
		}
		!waiting[me];
		goto next
done:		atomic { in_flight[me] = false; refused[me] = false; miss = false;
			 num-- }
next:		atomic { entry = 0; top = false }
	:: else -> break
	od
}

inline end_fault(refuse)		/* end(): atomic */
{
	asked = false;
	unanswered = false;
	if
	:: waiting[0] ->
		refused[0] = refuse && !joined[0]; waiting[0] = false
	:: else
	fi;
#ifndef WITHOUT_wake_of_all
	if
	:: waiting[QPS - 1] ->
		refused[QPS - 1] = refuse && !joined[QPS - 1];
		waiting[QPS - 1] = false
	:: else
	fi
#endif
}

/* model_resume_poll(), model_pager_answer(), timer_fired() */
active proctype pager()
{
	byte ci, answer;

end:	do
	:: ci != resume_db ->
		answer = LOAD(ANSWER + (ci % ENTRIES));
		ci++;
		atomic {
			if
			:: losses > 0 -> losses--; unanswered = true
			:: else ->
				assert(answer / 4 && answer / 4 <= token);
				if
				:: asked && answer / 4 == token ->
					end_fault((answer % 4 == REFUSE))
				:: else
				fi
			fi;
			answer = 0
		}
#ifndef WITHOUT_one_second_rule
	:: atomic { asked && unanswered && !busy -> end_fault(false) }
	:: atomic { asked && early > 0 -> early--; end_fault(false) }
#ifdef STUCK
	/* the second is over before the page arrives, and the region has ended */
	:: atomic { asked && !key_valid -> end_fault(false) }
#endif
#endif
	od
}

/* INVALIDATE_RANGE and INVALIDATE: model_key_forget_range(), and the replies */
active proctype invalidate()
{
	byte done;
	bool ended;

end:	do
	:: range_commands > done || key_command && !ended ->
		if
		:: key_command && !ended -> key_valid = false; ended = true
		:: range_commands > done -> done++
		fi;
#ifndef WITHOUT_drop
		atomic { !cache_lock -> cached = 0 }
#endif
#ifndef WITHOUT_wait_for_accesses
		!in_flight[0]; !in_flight[QPS - 1];
#endif
#ifndef WITHOUT_release_of_reply
		!pending[DATA] && !pending[DATA + 1];
#endif
		if				/* model_pager_end_key() */
		:: ended -> atomic { end_fault(false) } STORE(KEY, 1)
		:: else
		fi;
		STORE(RANGE, done)
	od
}
