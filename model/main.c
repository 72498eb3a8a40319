// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The XRDMA reference device: a process that presents one PCI function to QEMU
 * over vfio-user. This file parses the command line, and makes and destroys the
 * loop, the servers and the engine; engine.c makes the device itself.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/log.h"
#include "core/dm.h"
#include "engine.h"
#include "host/dma_guard.h"
#include "stats.h"
#include "xrdma_hw.h"
#include "xrdma_regs.h"

#define USEC	1000ULL

/* log2 of a number of keys above the number that drivers withhold from reuse */
#define LOG_MIN_KEYS	13

/**
 * struct options - the command line
 * @socket: path of the vfio-user socket
 * @control: path of the control socket, or NULL
 * @msix_vectors: size of the MSI-X table
 * @spin_ns: how long the loop spins after the last work
 * @die_with_parent: end this process when its parent process ends
 * @realtime: run with a real-time priority
 * @env: the members of struct model_env that have an option; the other members
 *	are NULL
 */
struct options {
	const char *socket;
	const char *control;
	unsigned long msix_vectors;
	u64 spin_ns;
	bool die_with_parent;
	bool realtime;
	struct model_env env;
};

enum {
	OPT_CAPTURE = 256,
	OPT_CONTROL,
	OPT_DEVICE_MEMORY,
	OPT_DIE_WITH_PARENT,
	OPT_IMPAIR,
	OPT_LOG,
	OPT_LOG_MAX_KEYS,
	OPT_MAC,
	OPT_MAP_DEVICE_MEMORY,
	OPT_MSIX_VECTORS,
	OPT_MW_TYPE,
	OPT_NO_SHADOW_DB,
	OPT_PUSH,
	OPT_REALTIME,
	OPT_SEED,
	OPT_SOCKET,
	OPT_SPIN_US,
	OPT_WIRE,
};

static const struct option long_options[] = {
	{ "capture", required_argument, NULL, OPT_CAPTURE },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ "device-memory", required_argument, NULL, OPT_DEVICE_MEMORY },
	{ "die-with-parent", no_argument, NULL, OPT_DIE_WITH_PARENT },
	{ "help", no_argument, NULL, 'h' },
	{ "impair", required_argument, NULL, OPT_IMPAIR },
	{ "log", required_argument, NULL, OPT_LOG },
	{ "log-max-keys", required_argument, NULL, OPT_LOG_MAX_KEYS },
	{ "mac", required_argument, NULL, OPT_MAC },
	{ "map-device-memory", no_argument, NULL, OPT_MAP_DEVICE_MEMORY },
	{ "msix-vectors", required_argument, NULL, OPT_MSIX_VECTORS },
	{ "mw-type", required_argument, NULL, OPT_MW_TYPE },
	{ "no-shadow-db", no_argument, NULL, OPT_NO_SHADOW_DB },
	{ "push", required_argument, NULL, OPT_PUSH },
	{ "realtime", no_argument, NULL, OPT_REALTIME },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "socket", required_argument, NULL, OPT_SOCKET },
	{ "spin-us", required_argument, NULL, OPT_SPIN_US },
	{ "wire", required_argument, NULL, OPT_WIRE },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *to)
{
	fputs("usage: xrdma-device --socket PATH [OPTION]...\n"
	      "  --socket PATH       vfio-user socket to listen on\n"
	      "  --control PATH      control socket to listen on\n"
	      "  --wire FAR-END      what the wire leads to, one of:\n"
	      "      local=PATH,remote=PATH         Unix sockets; a datagram is a frame\n"
	      "      udp=ADDRESS:PORT,ADDRESS:PORT  UDP, this end first; a datagram is a frame\n"
	      "      tap=NAME                       a TAP, which is made if it does not exist\n"
	      "      packet=INTERFACE               a network interface of this machine\n"
	      "  --impair SPEC       impair what is sent: \"none\", or words like loss=1%,delay=50us:\n"
	      "      loss=P,dup=P,reorder=P,corrupt=P,corrupt-icrc-ok=P,ecn=P\n"
	      "                                     P: a probability, like 1% or 0.01\n"
	      "      delay=T                        T: up to 10s, like 500ns, 50us or 2ms\n"
	      "      seed=N                         seed of the random numbers\n"
	      "  --capture FILE      write what is sent, before it is impaired, and received to\n"
	      "                      FILE, as pcap\n"
	      "  --mac ADDRESS       MAC address, not multicast (default 02:00:00:78:72:01)\n"
	      "  --device-memory N   bytes of memory in BAR 4: 0, or a power of two from 4096 on\n"
	      "                      (default 1048576)\n"
	      "  --map-device-memory let clients map it; QEMU then waits for each doorbell\n"
	      "  --log-max-keys N    log2 of the key indexes, 13 to 24 (default 24)\n"
	      "  --seed N            seed of everything random (default 1)\n"
	      "  --msix-vectors N    size of the MSI-X table, 1 to 64 (default 64)\n"
	      "  --mw-type TYPE      windows of type 2: 2A or 2B (default)\n"
	      "  --no-shadow-db      a device without the capability SHADOW_DB, like a chip\n"
	      "  --push WHAT         offer push pages: use pushed entries (use), or read all\n"
	      "                      entries from memory (ignore); QEMU needs a message for\n"
	      "                      each 8 bytes that are pushed\n"
	      "  --spin-us N         microseconds to poll after the last work, 0 to 1000000\n"
	      "                      (default 100)\n"
	      "  --realtime          run with a real-time priority, for shorter latencies; needs\n"
	      "                      CAP_SYS_NICE\n"
	      "  --log LEVEL         error, warn (default), info or debug\n"
	      "  --die-with-parent   end when the parent process ends\n"
	      "  --help              print this\n", to);
}

static bool parse_u64(const char *text, u64 min, u64 max, u64 *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && end != text && !*end && text[0] != '-' &&
	       *value >= min && *value <= max;
}

/* Six bytes in hexadecimal; a multicast address is refused */
static bool parse_mac(const char *text, u8 *mac)
{
	int end = 0;

	return sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0],
		      &mac[1], &mac[2], &mac[3], &mac[4], &mac[5], &end) == 6 &&
	       !text[end] && !(mac[0] & 1);
}

static bool parse_mw_type(const char *text, bool *mw_2a)
{
	*mw_2a = !strcmp(text, "2A");
	return *mw_2a || !strcmp(text, "2B");
}

static bool parse_push(const char *text, enum model_push_mode *mode)
{
	*mode = !strcmp(text, "use") ? MODEL_PUSH_USE : MODEL_PUSH_IGNORE;
	return *mode == MODEL_PUSH_USE || !strcmp(text, "ignore");
}

/* Return: what an option takes that is not a text. */
static const char *takes(int opt)
{
	switch (opt) {
	case OPT_DEVICE_MEMORY:
		return "0, or a power of two from 4096 on";
	case OPT_LOG:
		return "error, warn, info or debug";
	case OPT_LOG_MAX_KEYS:
		return "a number from 13 to 24";
	case OPT_MAC:
		return "a MAC address that is not multicast, like 02:00:00:78:72:01";
	case OPT_MSIX_VECTORS:
		return "a number from 1 to 64";
	case OPT_MW_TYPE:
		return "2A or 2B";
	case OPT_PUSH:
		return "use or ignore";
	case OPT_SPIN_US:
		return "a number from 0 to 1000000";
	default:
		return "a number";
	}
}

static void refuse(int opt, const char *arg)
{
	const struct option *option = long_options;

	while (option->val != opt)
		option++;
	fprintf(stderr, "xrdma-device: --%s: '%s' is not %s\n", option->name,
		arg, takes(opt));
}

/* Return: the field that takes the argument as text; NULL: it must be parsed */
static const char **text_option(struct options *options, int opt)
{
	switch (opt) {
	case OPT_CAPTURE:
		return &options->env.capture;
	case OPT_CONTROL:
		return &options->control;
	case OPT_IMPAIR:
		return &options->env.impair;
	case OPT_SOCKET:
		return &options->socket;
	case OPT_WIRE:
		return &options->env.wire;
	default:
		return NULL;
	}
}

/* Return: the field that an option without an argument sets, or NULL. */
static bool *flag_option(struct options *options, int opt)
{
	switch (opt) {
	case OPT_DIE_WITH_PARENT:
		return &options->die_with_parent;
	case OPT_MAP_DEVICE_MEMORY:
		return &options->env.dm_mapped;
	case OPT_NO_SHADOW_DB:
		return &options->env.no_shadow_db;
	case OPT_REALTIME:
		return &options->realtime;
	default:
		return NULL;
	}
}

static bool parse_option(struct options *options, int opt, const char *arg)
{
	const char **text = text_option(options, opt);
	bool *flag = flag_option(options, opt);
	u64 value;
	bool ok = true;

	if (text) {
		*text = arg;
		return true;
	}
	if (flag) {
		*flag = true;
		return true;
	}
	switch (opt) {
	case OPT_DEVICE_MEMORY:
		ok = parse_u64(arg, 0, UINT64_MAX, &options->env.dm_size) &&
		     model_dm_size_ok(options->env.dm_size);
		break;
	case OPT_LOG:
		ok = !model_log_set(arg);
		break;
	case OPT_LOG_MAX_KEYS:
		ok = parse_u64(arg, LOG_MIN_KEYS, XRDMA_LOG_MAX_KEYS, &value);
		options->env.log_max_keys = value;
		break;
	case OPT_MAC:
		ok = parse_mac(arg, options->env.mac);
		break;
	case OPT_MSIX_VECTORS:
		ok = parse_u64(arg, 1, XRDMA_MSIX_VECTORS, &value);
		options->msix_vectors = value;
		break;
	case OPT_MW_TYPE:
		ok = parse_mw_type(arg, &options->env.mw_2a);
		break;
	case OPT_PUSH:
		ok = parse_push(arg, &options->env.push);
		break;
	case OPT_SEED:
		ok = parse_u64(arg, 0, UINT64_MAX, &options->env.seed);
		break;
	case OPT_SPIN_US:
		ok = parse_u64(arg, 0, 1000000, &value);
		options->spin_ns = value * USEC;
		break;
	default:
		usage(stderr);
		return false;
	}
	if (!ok)
		refuse(opt, arg);
	return ok;
}

/* Return: -1 to start the device, or the exit status of the process */
static int parse_options(struct options *options, int argc, char **argv)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (opt == 'h') {
			usage(stdout);
			return EXIT_SUCCESS;
		}
		if (!parse_option(options, opt, optarg))
			return EXIT_FAILURE;
	}
	if (options->socket && optind == argc)
		return -1;
	if (optind < argc)
		fprintf(stderr, "xrdma-device: '%s' is not an option\n",
			argv[optind]);
	else
		fputs("xrdma-device: --socket is missing\n", stderr);
	usage(stderr);
	return EXIT_FAILURE;
}

static void signal_ready(void *opaque, u32 events)
{
	(void)events;
	model_loop_stop(opaque);
}

/*
 * SIGTERM and SIGINT end the process through its loop. Whoever closes the other
 * end of a pipe or socket of this process does not end it.
 */
static int watch_signals(struct model_loop *loop, struct model_watch *watch)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	watch->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch->fd < 0)
		return -errno;
	watch->fn = signal_ready;
	watch->opaque = loop;
	return model_loop_watch(loop, watch, EPOLLIN);
}

/*
 * The kernel sends the signal only if the parent ends after prctl(). Without
 * its parent the process has another parent ID, so compare the ID afterwards.
 */
static void die_with_parent(void)
{
	pid_t parent = getppid();

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		exit(EXIT_FAILURE);
}

static int fail(const char *what)
{
	model_err("%s: %s", what, strerror(errno));
	return EXIT_FAILURE;
}

/*
 * run(), run_control(), run_server() and run_engine() each make one part, call
 * the next function of this list, and destroy the part after that function
 * returned.
 */
static int run_engine(struct model_env *env)
{
	struct model_engine *engine;
	int err;

	engine = model_engine_create(env);
	if (!engine)
		return fail("device");
	err = model_loop_run(env->loop);
	if (err) {
		errno = -err;
		fail("event loop");
	}
	model_vfu_destroy(env->vfu);
	env->vfu = NULL;
	model_loop_set_engine(env->loop, NULL, NULL);
	model_engine_destroy(engine);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run_server(struct model_env *env, const struct options *options)
{
	const struct model_vfu_params params = {
		.path = options->socket,
		.msix_vectors = options->msix_vectors,
		.loop = env->loop,
		.dma = env->dma,
		.herr = env->herr,
	};
	int status;

	env->vfu = model_vfu_create(&params);
	if (!env->vfu)
		return fail(options->socket);
	status = run_engine(env);
	if (env->vfu)
		model_vfu_destroy(env->vfu);
	return status;
}

static int run_control(struct model_env *env, const struct options *options)
{
	int status;

	if (!options->control)
		return run_server(env, options);
	env->control = model_control_create(env->loop, options->control);
	if (!env->control)
		return fail(options->control);
	if (model_stats_register(env))
		status = fail("statistics");
	else
		status = run_server(env, options);
	model_control_destroy(env->control);
	return status;
}

static int run(const struct options *options)
{
	struct model_env env = options->env;
	struct model_watch signals = { .fd = -1 };
	int status;

	env.loop = model_loop_create(options->spin_ns);
	env.dma = model_dma_create();
	env.herr = model_host_errors_create();
	if (!env.loop || !env.dma || !env.herr ||
	    watch_signals(env.loop, &signals) ||
	    model_dma_guard_begin(env.loop, env.dma, env.herr))
		return fail("start");
	status = run_control(&env, options);
	model_dma_guard_end();
	model_loop_unwatch(env.loop, &signals);
	close(signals.fd);
	model_host_errors_destroy(env.herr);
	model_dma_destroy(env.dma);
	model_loop_destroy(env.loop);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = {
		.msix_vectors = XRDMA_MSIX_VECTORS,
		.spin_ns = MODEL_LOOP_SPIN_NS,
		.env.mac = { 0x02, 0x00, 0x00, 0x78, 0x72, 0x01 },
		.env.seed = 1,
		.env.dm_size = 1 << 20,
		.env.log_max_keys = XRDMA_LOG_MAX_KEYS,
	};
	int status;

	status = parse_options(&options, argc, argv);
	if (status >= 0)
		return status;
	if (options.die_with_parent)
		die_with_parent();
	if (options.realtime && model_loop_realtime())
		model_warn("--realtime: not permitted, needs CAP_SYS_NICE");
	return run(&options);
}
