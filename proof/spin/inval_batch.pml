/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Section "Key entries", INVALIDATE: several callers share commands.
 *
 * Driver: xrdma_inval_join(), xrdma_inval_lead(), xrdma_inval_leave(),
 * xrdma_inval_close(), xrdma_inval_one(), xrdma_inval_list_add(),
 * xrdma_inval_list_send() in xrdma_inval.c. Device: invalidate_batch() in
 * model/core/cmd.c.
 *
 * Callers of one key each share batches; one caller has a list of two keys. The
 * device answers commands in any order. A caller that returns has its outcome,
 * and its key has been invalidated exactly once. A caller that nobody wakes is an
 * invalid end state. The memory of a command is ordered by writel() and by the
 * reply: key_fence.pml has that. What a caller does with xrdma_inval.lock held is one step.
 *
 * mutant: WITHOUT_lock - two callers take one slot
 * mutant: WITHOUT_close - a caller joins a command that has been sent
 * mutant: WITHOUT_wake_of_leave - nobody wakes those who wait for a batch
 * mutant: WITHOUT_open_of_leave - no batch opens any more
 * mutant: WITHOUT_users - a batch is used again before its callers have left
 * mutant: WITHOUT_check_of_open - a list takes the batch that others join
 * mutant: WITHOUT_up - the next command is never sent
 * mutant: WITHOUT_wait_for_done - a caller returns before the reply
 */
#define CALLERS		3	/* of one key each */
#define KEYS		5	/* the last two are the list's */
#define MAX		2	/* XRDMA_INVAL_MAX */
#define IN_FLIGHT	1	/* XRDMA_INVAL_IN_FLIGHT */
#define BATCHES		3	/* XRDMA_INVAL_BATCHES */
#define NONE		BATCHES
#define LIST		CALLERS	/* the caller that has the list */

typedef batch_t {
	byte words[MAX];
	byte count, users;
	byte sent;		/* of the command: its count, 0: not in the device */
	bool done;		/* struct completion, and the reply */
}
batch_t batch[BATCHES];
byte open = 0;			/* xrdma_inval.open */
byte sending = IN_FLIGHT;	/* xrdma_inval.sending */
byte asleep;			/* one bit for each caller; in xrdma_inval.room */
bool ended[KEYS];		/* the device has invalidated the key */
byte returned;

#ifdef WITHOUT_lock
#define LOCKED
#else
#define LOCKED	atomic
#endif

#ifdef WITHOUT_check_of_open
#define IDLE(b)	(!batch[b].users)
#else
#define IDLE(b)	(!batch[b].users && (b) != open)
#endif

/* xrdma_inval_idle_locked(): sets b to an empty batch, or to NONE */
inline idle_locked(b)
{
	d_step {
		b = (IDLE(0) -> 0 : (IDLE(1) -> 1 : (IDLE(2) -> 2 : NONE)));
		if
		:: b != NONE -> batch[b].count = 0; batch[b].done = false
		:: else
		fi
	}
}

/* xrdma_cmd_invalidate(), with the semaphore around it */
inline send(b)
{
	batch[b].sent = batch[b].count;
	batch[b].sent == 0;
#ifndef WITHOUT_up
	sending++;
#endif
	batch[b].done = true			/* complete_all() */
}

inline leave(b)				/* xrdma_inval_leave() */
{
	LOCKED {
#ifndef WITHOUT_users
	batch[b].users--;
#endif
	idle = (batch[b].users == 0);
	if
	:: idle && open == NONE ->
#ifndef WITHOUT_open_of_leave
		idle_locked(next); open = next
#else
		skip
#endif
	:: else
	fi
	}
#ifndef WITHOUT_wake_of_leave
	if
	:: idle -> asleep = 0
	:: else
	fi;
#endif
	atomic { b = NONE; next = 0; idle = false; returned++ }
}

/* xrdma_inval_one() */
active [CALLERS] proctype caller()
{
	byte b = NONE, slot, next;
	bool idle;

	do			/* xrdma_inval_join(): wait_event() */
	:: asleep = asleep | (1 << _pid);
		LOCKED {	/* xrdma_inval_try_join() */
		if
		:: open != NONE && batch[open].count < MAX ->
			b = open;
			slot = batch[b].count;
			atomic { batch[b].count = slot + 1;
				 batch[b].words[slot] = _pid }
#ifndef WITHOUT_users
			batch[b].users++
#endif
		:: else
		fi
		}
		if
		:: b != NONE -> break
		:: else -> !(asleep & (1 << _pid))
		fi
	od;
	if
	:: slot == 0 ->		/* xrdma_inval_lead() */
		atomic { sending > 0 -> sending-- }
#ifndef WITHOUT_close
		LOCKED { idle_locked(next); open = next }	/* xrdma_inval_close() */
		asleep = 0;
#endif
		send(b)
	:: else
#ifndef WITHOUT_wait_for_done
		-> batch[b].done
#endif
	fi;
	/* xrdma_inval_outcome() */
	assert(batch[b].words[slot] == _pid && ended[_pid]);
	leave(b)
}

/* xrdma_inval_list_add(), twice, and xrdma_inval_list_end() */
active proctype list()
{
	byte b = NONE, next;
	bool idle;

	do
	:: asleep = asleep | (1 << LIST);
		LOCKED {	/* xrdma_inval_try_take() */
		idle_locked(b);
		if
		:: b != NONE -> batch[b].users = 1
		:: else
		fi
		}
		if
		:: b != NONE -> break
		:: else -> !(asleep & (1 << LIST))
		fi
	od;
	atomic { batch[b].words[0] = CALLERS; batch[b].words[1] = CALLERS + 1;
		 batch[b].count = 2 }
	atomic { sending > 0 -> sending-- }
	send(b);
	assert(ended[CALLERS] && ended[CALLERS + 1]);
	leave(b)
}

/* invalidate_batch(): one command, any that is in the device */
active proctype device()
{
	byte b;
	do
	:: atomic {
		if :: batch[0].sent -> b = 0 :: batch[1].sent -> b = 1
		   :: batch[2].sent -> b = 2 fi;
		assert(!ended[batch[b].words[0]]);
		ended[batch[b].words[0]] = true;
		if
		:: batch[b].sent == 2 -> assert(!ended[batch[b].words[1]]);
			ended[batch[b].words[1]] = true
		:: else
		fi;
		batch[b].sent = 0; b = 0	/* the reply */
	   }
	:: returned == CALLERS + 1 -> break
	od
}
