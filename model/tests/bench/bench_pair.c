// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Measures two devices in two processes, connected by a socket: 64 KiB WRITEs
 * and READs, 64-byte WRITEs and SENDs, the latency of 2-byte WRITEs, and 64 KiB
 * WRITEs over a wire with delay and losses. Prints wall time and processor time
 * of both processes; it checks nothing.
 *
 * Both devices are set up before fork(); after it, each process runs one of
 * them. Host memory is shared, so the processes need no messages for control.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/wire_env.h"

#define SPIN_NS		MODEL_LOOP_SPIN_NS
#define DEPTH		128

/* Functions of fake_loop.c that wire_env.c calls; unused here. */
void fake_loop_watches(struct model_loop *loop)
{
	(void)loop;
}

u64 fake_loop_next(const struct model_loop *loop)
{
	(void)loop;
	return UINT64_MAX;
}

void fake_loop_advance(struct model_loop *loop, u64 to_ns)
{
	(void)loop;
	(void)to_ns;
}

/*
 * struct shared - memory that both processes use
 * @echo: the far end answers WRITEs of its first bytes with WRITEs
 * @receive: the far end posts receives
 */
struct shared {
	bool echo;
	bool receive;
};

/*
 * struct end - one of the processes
 * @wr: work request that is posted
 * @room: buffer of receives
 * @count: number of work requests to complete
 * @depth: maximum number of posted work requests
 * @ping: 2-byte WRITEs, each after the answer to the previous one
 */
struct end {
	struct model_loop *loop;
	struct wire_host *host;
	struct wire_qp *qp;
	struct shared *shared;
	struct wire_wr wr;
	struct xrdma_sge sge;
	struct xrdma_sge room;
	u32 count;
	u32 depth;
	u32 posted;
	u32 done;
	u32 received;
	bool ping;
	const u16 *mine;
	u16 *source;
	u16 seen;
};

static double wall(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static double cpu_of(pid_t pid)
{
	struct timespec ts = { 0 };
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static bool is_set(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/* Return: number that the other end has written last. */
static u16 arrived(const struct end *e)
{
	return __atomic_load_n(e->mine, __ATOMIC_ACQUIRE);
}

static void post(struct end *e)
{
	e->wr.wr_id = e->posted++;
	wire_post_send(e->qp, &e->wr);
}

static bool reap(struct end *e)
{
	struct xrdma_cqe cqe;
	bool any = false;

	while (wire_poll_cq(&e->qp->send_cq, &cqe)) {
		if (cqe.status) {
			fprintf(stderr, "status %u\n", cqe.status);
			exit(1);
		}
		e->done++;
		any = true;
	}
	while (wire_poll_cq(&e->qp->recv_cq, &cqe)) {
		e->received++;
		any = true;
	}
	return any;
}

static bool near_step(struct end *e)
{
	bool any = reap(e);

	if (e->ping) {
		if (e->posted && arrived(e) != (u16)e->posted)
			return any;
		if (e->posted == e->count) {
			model_loop_stop(e->loop);
			return false;
		}
		*e->source = e->posted + 1;
		post(e);
		return true;
	}
	while (e->posted < e->count && e->posted - e->done < e->depth) {
		post(e);
		any = true;
	}
	if (e->done == e->count)
		model_loop_stop(e->loop);
	return any;
}

static bool far_step(struct end *e)
{
	bool any = reap(e);

	while (is_set(&e->shared->receive) &&
	       le32_to_cpu(e->qp->rec->rq_pi) - e->received < DEPTH)
		wire_post_recv(e->qp, 0, &e->room, 1);
	if (!is_set(&e->shared->echo) || arrived(e) == e->seen)
		return any;
	e->seen = arrived(e);
	*e->source = e->seen;
	post(e);
	return true;
}

static bool near_poll(void *opaque)
{
	struct end *e = opaque;

	return model_device_poll(e->host->dev) | near_step(e);
}

static bool far_poll(void *opaque)
{
	struct end *e = opaque;

	return model_device_poll(e->host->dev) | far_step(e);
}

static bool park(void *opaque)
{
	struct end *e = opaque;

	return model_device_park(e->host->dev);
}

static const struct model_loop_engine near_engine = { near_poll, park };
static const struct model_loop_engine far_engine = { far_poll, park };

/* Replace the loop from before fork() by a loop of this process. */
static void own_loop(struct end *e, const struct model_loop_engine *engine)
{
	struct model_device *dev = e->host->dev;

	/* best effort, as lab/vm asks for it */
	model_loop_realtime();
	e->loop = model_loop_create(SPIN_NS);
	dev->params.loop = e->loop;
	dev->wire->loop = e->loop;
	dev->wire->socket.loop = e->loop;
	model_loop_watch(e->loop, &dev->wire->socket.watch, EPOLLIN);
	model_loop_set_engine(e->loop, engine, e);
}

static void set_request(struct end *e, struct wire_pair *p, u8 opcode, u32 len)
{
	e->sge = wire_sge(p->a_buf, len, p->a_key);
	e->wr = (struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED,
		.sges = &e->sge, .num_sge = 1, .remote_addr = p->b_buf,
		.rkey = p->b_key,
	};
}

static void far_end(struct wire_env *env, struct wire_pair *p,
		    struct shared *shared, const char *impair)
{
	struct end e = {
		.host = &env->hosts[1], .qp = &p->b, .shared = shared,
		.mine = (u16 *)p->b_mem, .source = (u16 *)(p->b_mem + 0x100000),
	};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	own_loop(&e, &far_engine);
	wire_impair(e.host, impair);
	e.sge = wire_sge(p->b_buf + 0x100000, 2, p->b_key);
	e.room = wire_sge(p->b_buf + 0x200000, 4096, p->b_key);
	e.wr = (struct wire_wr) {
		.opcode = XRDMA_OP_WRITE, .flags = XRDMA_WQE_SIGNALED,
		.sges = &e.sge, .num_sge = 1, .remote_addr = p->a_buf,
		.rkey = p->a_key,
	};
	e.seen = arrived(&e);
	model_loop_run(e.loop);
	_exit(0);
}

struct bench_case {
	const char *name;
	u8 opcode;
	u32 len;
	u32 depth;
	u8 path_mtu;
	u32 count;
	bool ping;
	const char *impair;
};

static void run_case(struct wire_env *env, struct shared *shared,
		     const struct bench_case *c)
{
	const char *impair = c->impair ? c->impair : "none";
	struct wire_params params = wire_defaults;
	u64 *stats = env->hosts[0].dev->stats;
	struct end e = { .host = &env->hosts[0], .count = c->count,
			 .depth = c->depth, .ping = c->ping };
	double begin, cpu, s;
	struct wire_pair p;
	pid_t child;

	params.path_mtu = c->path_mtu;
	wire_make_pair(env, &p, &params);
	e.qp = &p.a;
	memset(p.b_mem, 0, 2);
	shared->echo = c->ping;
	shared->receive = c->opcode == XRDMA_OP_SEND;
	child = fork();
	if (!child)
		far_end(env, &p, shared, impair);
	own_loop(&e, &near_engine);
	wire_impair(e.host, impair);
	memset(stats, 0, sizeof(env->hosts[0].dev->stats));
	set_request(&e, &p, c->opcode, c->len);
	if (c->ping) {
		e.mine = (u16 *)p.a_mem;
		e.source = (u16 *)(p.a_mem + 0x100000);
		memset(p.a_mem, 0, 2);
		e.sge = wire_sge(p.a_buf + 0x100000, 2, p.a_key);
	}
	cpu = cpu_of(getpid());
	begin = wall();
	model_loop_run(e.loop);
	s = wall() - begin;
	cpu = cpu_of(getpid()) - cpu;
	printf("%-5s %5u B, MTU %4u: %9.0f/s %8.1f MiB/s %7.2f us; ",
	       c->name, c->len, 128 << c->path_mtu, c->count / s,
	       (double)c->count * c->len / s / (1 << 20),
	       s / c->count * 1e6 / (c->ping ? 2 : 1));
	printf("cpu %5.2f + %5.2f us; ", cpu / c->count * 1e6,
	       cpu_of(child) / c->count * 1e6);
	printf("%llu packets, %llu again, %llu timeouts, %llu retries; %s\n",
	       stats[XRDMA_STAT_TX_PACKETS], stats[XRDMA_STAT_TX_RETRANSMITTED],
	       stats[XRDMA_STAT_ACK_TIMEOUTS], stats[XRDMA_STAT_RETRANSMITS],
	       impair);
	fflush(stdout);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void bench(void **state)
{
	static const struct bench_case cases[] = {
		{ "WRITE", XRDMA_OP_WRITE, 65536, 64, 5, 10000, false, NULL },
		{ "WRITE", XRDMA_OP_WRITE, 65536, 64, 3, 5000, false, NULL },
		{ "READ", XRDMA_OP_READ, 65536, 64, 5, 5000, false, NULL },
		{ "WRITE", XRDMA_OP_WRITE, 64, DEPTH, 3, 200000, false, NULL },
		{ "SEND", XRDMA_OP_SEND, 64, DEPTH, 3, 200000, false, NULL },
		{ "WRITE", XRDMA_OP_WRITE, 2, 1, 3, 20000, true, NULL },
		{ "WRITE", XRDMA_OP_WRITE, 65536, DEPTH, 5, 10000, false,
		  "delay=1ms" },
		{ "WRITE", XRDMA_OP_WRITE, 65536, DEPTH, 5, 2000, false,
		  "loss=0.1%,delay=1ms" },
		{ "WRITE", XRDMA_OP_WRITE, 65536, DEPTH, 5, 2000, false,
		  "loss=1%,delay=1ms" },
		{ "WRITE", XRDMA_OP_WRITE, 65536, DEPTH, 5, 2000, false,
		  "loss=1%,dup=1%,reorder=2%,corrupt=0.5%" },
	};
	struct wire_env *env = *state;
	struct shared *shared = wire_ptr(&env->hosts[0],
					 wire_alloc(&env->hosts[0], 4096,
						    4096));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(env, shared, &cases[i]);
	model_wire_close(env->hosts[0].dev->wire);
	model_wire_close(env->hosts[1].dev->wire);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(bench, wire_setup_2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
