// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Page faults of paged regions: raises them, within limits, and keeps the
 * waiters whose accesses wait for the answers. Answers are read in resume.c,
 * events are written in event.c.
 */
#include "core/device.h"
#include "core/pager.h"

/* A token is the generation of a page fault above its index. */
#define TOKEN_INDEX		(MODEL_PAGE_FAULTS - 1)
#define TOKEN_GENERATION	(UINT32_MAX >> MODEL_PAGE_FAULTS_LOG)

static void timer_fired(void *opaque);

/**
 * model_pager_init - initialize the pager of a new device
 * @dev: the device
 */
void model_pager_init(struct model_device *dev)
{
	struct model_pager *pager = &dev->pager;
	u32 i;

	TAILQ_INIT(&pager->queue);
	TAILQ_INIT(&pager->paused);
	for (i = 0; i < MODEL_PAGE_FAULTS; i++)
		TAILQ_INIT(&pager->faults[i].waiters);
	pager->timer.fn = timer_fired;
	pager->timer.opaque = dev;
}

/**
 * model_pager_reset - end all page faults, and the use of the resume ring
 * @dev: the device; its queue pairs are destroyed, so no access waits
 */
void model_pager_reset(struct model_device *dev)
{
	const struct model_pager_faults switches = dev->pager.switches;

	model_timer_cancel(dev->params.loop, &dev->pager.timer);
	dev->pager = (struct model_pager) { .switches = switches };
	model_pager_init(dev);
}

/**
 * model_pager_init_qp - initialize the waiters of a queue pair
 * @qp: the queue pair
 */
void model_pager_init_qp(struct model_qp *qp)
{
	u32 i;

	for (i = 0; i < MODEL_WAIT_SIDES; i++) {
		qp->waiters[i].qp = qp;
		qp->waiters[i].side = i;
	}
}

static u32 token_of(const struct model_pager *pager,
		    const struct model_page_fault *fault)
{
	return fault->generation << MODEL_PAGE_FAULTS_LOG |
	       (u32)(fault - pager->faults);
}

/* ---- the timer -------------------------------------------------------- */

static u64 next_ns(const struct model_page_fault *fault)
{
	if (fault->state == MODEL_PAGE_FAULT_LATE &&
	    fault->event_ns < fault->deadline_ns)
		return fault->event_ns;
	return fault->deadline_ns;
}

/* Make the timer fire at @deadline_ns or earlier. */
static void arm(struct model_device *dev, u64 deadline_ns)
{
	struct model_timer *timer = &dev->pager.timer;

	if (model_timer_armed(timer) && timer->deadline_ns <= deadline_ns)
		return;
	if (model_timer_arm(dev->params.loop, timer, deadline_ns))
		model_device_fatal(dev, XRDMA_FATAL_INTERNAL);
}

/* ---- events ----------------------------------------------------------- */

static void write_event(struct model_device *dev,
			const struct model_page_fault *fault)
{
	const struct model_miss *miss = &fault->miss;
	const struct model_qp *qp = model_qp_get(dev, miss->qpn);
	struct xrdma_eqe eqe = {
		.event = XRDMA_EVENT_PAGE_FAULT,
		.opcode = miss->opcode,
		.number = cpu_to_le32(miss->qpn),
		.key = cpu_to_le32(miss->key),
		.pd = cpu_to_le32(miss->pd),
		.addr = cpu_to_le64(miss->pos),
		.length = cpu_to_le64(miss->len),
		.token = cpu_to_le32(token_of(&dev->pager, fault)),
		.expected = cpu_to_le64(miss->expected),
	};

	if (miss->remote)
		eqe.flags |= XRDMA_FAULT_REMOTE;
	if (miss->write)
		eqe.flags |= XRDMA_FAULT_WRITE;
	if (!model_eq_page_fault(dev, dev->pager.eq, &eqe))
		return;
	model_stat_add(dev, XRDMA_STAT_PAGE_FAULTS, 1);
	if (qp)
		model_set_stat_add(qp, XRDMA_STAT_PAGE_FAULTS, 1);
}

/* Count down a fault that a test has set. Return: true if it happens. */
static bool take(u32 *count)
{
	if (!*count)
		return false;
	--*count;
	return true;
}

/* Ask the driver. A fault that a test has set delays, drops or doubles it. */
static void ask(struct model_device *dev, struct model_page_fault *fault)
{
	struct model_pager_faults *switches = &dev->pager.switches;

	fault->state = MODEL_PAGE_FAULT_ASKED;
	if (take(&switches->lost))
		return;
	if (take(&switches->late)) {
		fault->state = MODEL_PAGE_FAULT_LATE;
		fault->event_ns = model_device_clock(dev) + switches->late_ns;
		return;
	}
	write_event(dev, fault);
	if (take(&switches->twice))
		write_event(dev, fault);
}

/* ---- page faults ------------------------------------------------------ */

/* Return: true if an access that misses as @miss waits for @fault. */
static bool covers(const struct model_page_fault *fault,
		   const struct model_miss *miss)
{
	return fault->state && fault->miss.key == miss->key &&
	       fault->miss.pos >> MODEL_PAGE_FAULT_SHIFT ==
	       miss->pos >> MODEL_PAGE_FAULT_SHIFT &&
	       (fault->miss.write || !miss->write);
}

static struct model_page_fault *find(struct model_pager *pager,
				     const struct model_miss *miss)
{
	u32 i;

	for (i = 0; pager->used && i < MODEL_PAGE_FAULTS; i++)
		if (covers(&pager->faults[i], miss))
			return &pager->faults[i];
	return NULL;
}

/* Return: a free structure, if the queue pairs of @pd may raise a page fault */
static struct model_page_fault *get_free(struct model_pager *pager, u32 pd)
{
	struct model_page_fault *fault, *free = NULL;
	u32 of_pd = 0;

	for (fault = pager->faults;
	     fault < pager->faults + MODEL_PAGE_FAULTS; fault++) {
		if (!fault->state && !free)
			free = fault;
		of_pd += fault->state && fault->miss.pd == pd;
	}
	return of_pd < MODEL_PAGE_FAULTS_PD ? free : NULL;
}

/*
 * Raise a page fault for @miss, which no other one covers. Return: NULL if no
 * page fault may be raised.
 */
static struct model_page_fault *raise_fault(struct model_device *dev,
					    const struct model_miss *miss)
{
	struct model_pager *pager = &dev->pager;
	struct model_page_fault *fault = get_free(pager, miss->pd);

	if (!fault)
		return NULL;
	pager->used++;
	fault->generation = fault->generation % TOKEN_GENERATION + 1;
	fault->miss = *miss;
	fault->deadline_ns = model_device_clock(dev) + MODEL_PAGE_FAULT_NS;
	ask(dev, fault);
	arm(dev, next_ns(fault));
	return fault;
}

static void wake(struct model_waiter *waiter)
{
	waiter->fault = NULL;
	waiter->paused = false;
	waiter->waiting = false;
	waiter->qp->ops->resume(waiter->qp, waiter->side);
}

/* Free a page fault, and move the accesses that wait for it to @waiters. */
static void free_fault(struct model_device *dev, struct model_page_fault *fault,
		       struct model_waiters *waiters)
{
	TAILQ_CONCAT(waiters, &fault->waiters, link);
	fault->state = MODEL_PAGE_FAULT_FREE;
	dev->pager.used--;
	dev->pager.serve = true;
}

/* End a page fault, and repeat the accesses that wait. */
static void end(struct model_device *dev, struct model_page_fault *fault,
		bool refuse)
{
	struct model_waiters waiters = TAILQ_HEAD_INITIALIZER(waiters);
	struct model_waiter *waiter;

	free_fault(dev, fault, &waiters);
	while ((waiter = TAILQ_FIRST(&waiters))) {
		TAILQ_REMOVE(&waiters, waiter, link);
		waiter->pauses = 0;
		waiter->refused = refuse && !waiter->joined;
		waiter->refused_miss = fault->miss;
		wake(waiter);
	}
}

/* Pause after an answer RESUME_LATER. Each pause in a row is twice as long. */
static u64 pause_ns(struct model_waiter *waiter)
{
	u64 ns = MODEL_PAGE_LATER_NS << waiter->pauses;

	if (waiter->pauses < MODEL_PAGE_LATER_DOUBLED)
		waiter->pauses++;
	return ns;
}

/* End a page fault, and repeat each access that waits after a pause. */
static void end_later(struct model_device *dev, struct model_page_fault *fault)
{
	struct model_waiters waiters = TAILQ_HEAD_INITIALIZER(waiters);
	struct model_waiter *waiter;

	free_fault(dev, fault, &waiters);
	while ((waiter = TAILQ_FIRST(&waiters))) {
		TAILQ_REMOVE(&waiters, waiter, link);
		waiter->fault = NULL;
		waiter->paused = true;
		waiter->pause_end_ns = model_device_clock(dev) +
				       pause_ns(waiter);
		TAILQ_INSERT_TAIL(&dev->pager.paused, waiter, link);
		arm(dev, waiter->pause_end_ns);
	}
}

/* Repeat the accesses whose pause has ended. */
static void end_pauses(struct model_device *dev)
{
	u64 now = model_device_clock(dev);
	struct model_waiter *waiter, *next;

	for (waiter = TAILQ_FIRST(&dev->pager.paused); waiter; waiter = next) {
		next = TAILQ_NEXT(waiter, link);
		if (waiter->pause_end_ns > now)
			continue;
		TAILQ_REMOVE(&dev->pager.paused, waiter, link);
		wake(waiter);
	}
}

/* Wait for the page fault of a waiter. Return: false if it may not be raised */
static bool join(struct model_device *dev, struct model_waiter *waiter)
{
	struct model_page_fault *fault = find(&dev->pager, &waiter->miss);

	waiter->joined = fault && fault->state != MODEL_PAGE_FAULT_LATE;
	if (!fault)
		fault = raise_fault(dev, &waiter->miss);
	waiter->fault = fault;
	if (!fault)
		return false;
	TAILQ_INSERT_TAIL(&fault->waiters, waiter, link);
	return true;
}

static void enqueue(struct model_pager *pager, struct model_waiter *waiter)
{
	TAILQ_INSERT_TAIL(&pager->queue, waiter, link);
	pager->num_queued++;
}

static void dequeue(struct model_pager *pager, struct model_waiter *waiter)
{
	TAILQ_REMOVE(&pager->queue, waiter, link);
	pager->num_queued--;
}

/*
 * Return: true if the driver has refused to map what @miss needs. What it has
 * refused to map for a write may be there for a read.
 */
static bool is_refused(const struct model_waiter *waiter,
		       const struct model_miss *miss)
{
	const struct model_miss *refused = &waiter->refused_miss;

	return waiter->refused && refused->key == miss->key &&
	       !((refused->pos ^ miss->pos) & ~(u64)(XRDMA_PAGE_SIZE - 1)) &&
	       (miss->write || !refused->write);
}

/**
 * model_pager_miss - handle an access whose translation misses
 * @dev: the device
 * @waiter: the part of the queue pair that accesses; NULL: the access cannot
 *	wait, and the packet is dropped
 * @miss: what the access needs
 *
 * Return: MODEL_MISS: the part waits, or the packet is to be dropped;
 * XRDMA_FAULT_TRANSLATION: the driver has refused to map the page.
 */
int model_pager_miss(struct model_device *dev, struct model_waiter *waiter,
		     const struct model_miss *miss)
{
	bool refused;

	if (!waiter) {
		if (!find(&dev->pager, miss))
			raise_fault(dev, miss);
		return MODEL_MISS;
	}
	if (waiter->waiting)
		return MODEL_MISS;
	refused = is_refused(waiter, miss);
	waiter->refused = false;
	if (refused)
		return XRDMA_FAULT_TRANSLATION;
	waiter->waiting = true;
	waiter->miss = *miss;
	model_qp_stat_add(waiter->qp, XRDMA_STAT_PAGE_WAITS, 1);
	if (!join(dev, waiter))
		enqueue(&dev->pager, waiter);
	return MODEL_MISS;
}

/**
 * model_pager_hit - handle an access whose translation is there
 * @waiter: the part of the queue pair that accesses
 * @key: key index of the region
 * @pos: first position
 * @len: bytes
 *
 * Ends a refusal by the driver, if the access needs the page in question.
 */
void model_pager_hit(struct model_waiter *waiter, u32 key, u64 pos, u64 len)
{
	const struct model_miss *refused = &waiter->refused_miss;
	u64 page = refused->pos & ~(u64)(XRDMA_PAGE_SIZE - 1);

	if (refused->key == key && pos < page + XRDMA_PAGE_SIZE &&
	    pos + len > page)
		waiter->refused = false;
}

/**
 * model_pager_cancel - end the wait of a part of a queue pair, which stops
 * @waiter: the part; nothing happens unless it waits
 */
void model_pager_cancel(struct model_waiter *waiter)
{
	struct model_pager *pager = &waiter->qp->dev->pager;

	if (waiter->waiting && waiter->fault)
		TAILQ_REMOVE(&waiter->fault->waiters, waiter, link);
	else if (waiter->waiting && waiter->paused)
		TAILQ_REMOVE(&pager->paused, waiter, link);
	else if (waiter->waiting)
		dequeue(pager, waiter);
	waiter->fault = NULL;
	waiter->paused = false;
	waiter->pauses = 0;
	waiter->waiting = false;
	waiter->refused = false;
}

/**
 * model_pager_end_key - end the page faults of a region
 * @dev: the device
 * @key: key index of the region, which has been invalidated
 */
void model_pager_end_key(struct model_device *dev, u32 key)
{
	struct model_pager *pager = &dev->pager;
	struct model_waiter *waiter, *next;
	u32 i, n = pager->num_queued;

	for (i = 0; pager->used && i < MODEL_PAGE_FAULTS; i++)
		if (pager->faults[i].state && pager->faults[i].miss.key == key)
			end(dev, &pager->faults[i], false);
	for (waiter = TAILQ_FIRST(&pager->paused); waiter; waiter = next) {
		next = TAILQ_NEXT(waiter, link);
		if (waiter->miss.key != key)
			continue;
		TAILQ_REMOVE(&pager->paused, waiter, link);
		wake(waiter);
	}
	while (n--) {
		waiter = TAILQ_FIRST(&pager->queue);
		dequeue(pager, waiter);
		if (waiter->miss.key == key)
			wake(waiter);
		else
			enqueue(pager, waiter);
	}
}

/**
 * model_pager_serve - raise page faults for the parts that wait to raise one
 * @dev: the device
 *
 * Does nothing unless a page fault has ended since the last call.
 */
void model_pager_serve(struct model_device *dev)
{
	struct model_pager *pager = &dev->pager;
	struct model_waiter *waiter;
	u32 n = pager->num_queued;

	if (!pager->serve)
		return;
	pager->serve = false;
	while (n--) {
		waiter = TAILQ_FIRST(&pager->queue);
		dequeue(pager, waiter);
		if (!join(dev, waiter))
			enqueue(pager, waiter);
	}
}

/**
 * model_pager_answer - handle an answer of the driver
 * @dev: the device
 * @token: token of the page fault
 * @outcome: enum xrdma_resume_outcome
 *
 * An answer to a page fault that has ended is ignored.
 */
void model_pager_answer(struct model_device *dev, u32 token, u32 outcome)
{
	struct model_page_fault *fault =
		&dev->pager.faults[token & TOKEN_INDEX];
	u32 generation = token >> MODEL_PAGE_FAULTS_LOG;

	if (outcome > XRDMA_RESUME_LATER || !generation ||
	    generation > fault->generation) {
		model_dev_herr(dev, RESUME_ENTRY, "token %#x, outcome %#x",
			       token, outcome);
		return;
	}
	if (fault->state != MODEL_PAGE_FAULT_ASKED ||
	    generation != fault->generation)
		return;
	if (outcome == XRDMA_RESUME_LATER)
		end_later(dev, fault);
	else
		end(dev, fault, outcome == XRDMA_RESUME_REFUSE);
}

/* Handle the time of one page fault. */
static void fault_due(struct model_device *dev, struct model_page_fault *fault)
{
	u64 now = model_device_clock(dev);

	if (!fault->state || next_ns(fault) > now)
		return;
	if (fault->deadline_ns <= now) {
		end(dev, fault, false);
		return;
	}
	fault->state = MODEL_PAGE_FAULT_ASKED;
	write_event(dev, fault);
}

static void timer_fired(void *opaque)
{
	struct model_device *dev = opaque;
	struct model_page_fault *fault = dev->pager.faults;
	struct model_page_fault *last = fault + MODEL_PAGE_FAULTS;
	struct model_waiter *waiter;

	if (!dev->live)
		return;
	for (; fault < last && dev->live; fault++)
		fault_due(dev, fault);
	end_pauses(dev);
	TAILQ_FOREACH(waiter, &dev->pager.paused, link)
		arm(dev, waiter->pause_end_ns);
	for (fault = dev->pager.faults; fault < last; fault++)
		if (fault->state)
			arm(dev, next_ns(fault));
}
