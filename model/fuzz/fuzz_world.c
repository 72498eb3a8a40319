// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device of the fuzzer, its queue pairs and memory, and the checks after
 * each step. The process has one device, which is reset for each input, so that
 * an input does not depend on inputs before it. The steps are in fuzz_script.c.
 */
#include <isa-l/crc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "tests/lib/wire_raw.h"
#include "tests/lib/wire_ud.h"

#define MPT_LOG		16
#define GUARD		4096
#define SHOWN		4096
#define PEER_QPN	0x123456
#define XRCD		5
#define FLUSH_RIGHTS	(XRDMA_ACCESS_FLUSH_GLOBAL | \
			 XRDMA_ACCESS_FLUSH_PERSISTENT)

static const u8 peer_mac[6] = { 2, 0, 0, 0, 0, 0x99 };

static const u8 gid_of[FUZZ_QPS] = {
	[FUZZ_RC6] = 1,
	[FUZZ_UC] = 2,
};

/* A GID of the peer differs from the GID of the device in the last byte. */
static void peer_gid(const struct fuzz_world *w, u8 index, u8 *gid)
{
	memcpy(gid, w->env->hosts[0].dev->gids[index].gid, 16);
	gid[15] = 0x99;
}

static void modify(struct wire_qp *qp, u8 state, u32 mask,
		   const struct xrdma_qp_attr *attr)
{
	struct xrdma_cmd_modify_qp p = {
		.qpn = cpu_to_le32(qp->qpn),
		.mask = cpu_to_le32(mask | XRDMA_QPM_STATE),
		.attr = *attr,
	};

	p.attr.state = state;
	assert_int_equal(model_qp_modify(qp->host->dev, &p), XRDMA_CMD_OK);
}

/* Whether a queue pair answers packets: it needs the responder's attributes. */
static bool answers(enum fuzz_qp number)
{
	return number != FUZZ_UC;
}

/*
 * Whether a queue pair waits for answers: it needs the requester's attributes.
 */
static bool asks(enum fuzz_qp number)
{
	return number != FUZZ_UC && number != FUZZ_XRC;
}

static void connect(struct fuzz_world *w, enum fuzz_qp number)
{
	bool responds = answers(number);
	bool requests = asks(number);
	struct xrdma_qp_attr init = {
		.access = cpu_to_le16(XRDMA_ACCESS_REMOTE_WRITE |
				      XRDMA_ACCESS_REMOTE_READ |
				      XRDMA_ACCESS_REMOTE_ATOMIC |
				      FLUSH_RIGHTS),
	};
	struct xrdma_qp_attr rtr = {
		.path_mtu = FUZZ_MTU, .dest_qpn = cpu_to_le32(PEER_QPN),
		.rq_psn = cpu_to_le32(0xfffff0),
		.max_dest_rd_atomic = responds ? 4 : 0,
		.min_rnr_timer = responds ? 1 : 0,
		.av = { .hop_limit = 64, .sgid_index = gid_of[number] },
	};
	const struct xrdma_qp_attr rts = {
		.timeout = responds ? 10 : 0, .retry_cnt = requests ? 2 : 0,
		.rnr_retry = requests ? 2 : 0,
		.sq_psn = cpu_to_le32(0xfffff8),
		.max_rd_atomic = requests ? 4 : 0,
	};
	struct wire_qp *qp = &w->qps[number];

	peer_gid(w, gid_of[number], rtr.av.dgid);
	memcpy(rtr.av.dmac, peer_mac, sizeof(rtr.av.dmac));
	modify(qp, XRDMA_QPS_INIT, XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_ACCESS,
	       &init);
	modify(qp, XRDMA_QPS_RTR, XRDMA_QPM_AV | XRDMA_QPM_PATH_MTU |
	       XRDMA_QPM_DEST_QPN | XRDMA_QPM_RQ_PSN |
	       (responds ? XRDMA_QPM_MAX_DEST_RD_ATOMIC |
		XRDMA_QPM_MIN_RNR_TIMER : 0), &rtr);
	modify(qp, XRDMA_QPS_RTS, XRDMA_QPM_SQ_PSN |
	       (responds ? XRDMA_QPM_TIMEOUT : 0) |
	       (requests ? XRDMA_QPM_RETRY_CNT | XRDMA_QPM_RNR_RETRY |
		XRDMA_QPM_MAX_RD_ATOMIC : 0), &rts);
}

static void make_raw(struct fuzz_world *w, enum fuzz_qp number, u8 flags)
{
	wire_create_qp(w->env, 0, XRDMA_QP_RAW, flags, FUZZ_LOG_DEPTH,
		       &w->qps[number]);
	raw_start(&w->qps[number]);
}

/* The queue pair and its queues belong to a process with a doorbell page. */
static void make_user(struct fuzz_world *w)
{
	struct wire_qp *qp = &w->qps[FUZZ_USER];

	wire_create_qp(w->env, 0, XRDMA_QP_RC, 0, FUZZ_LOG_DEPTH, qp);
	qp->qp->db_page = FUZZ_PAGE;
	qp->qp->send_cq->db_page = FUZZ_PAGE;
	qp->qp->recv_cq->db_page = FUZZ_PAGE;
}

static void make_xrc(struct fuzz_world *w)
{
	struct wire_qp *qp = &w->qps[FUZZ_XRC];
	struct xrdma_cmd_create_qp p = {
		.xrcd = cpu_to_le32(XRCD),
		.type = XRDMA_QP_XRC_TGT,
	};

	memset(qp, 0, sizeof(*qp));
	qp->env = w->env;
	qp->host = &w->env->hosts[0];
	wire_create_cq(qp->host, FUZZ_LOG_DEPTH + 1, &w->xrc_cq);
	wire_create_srq(qp->host, FUZZ_LOG_DEPTH, XRCD, w->xrc_cq.cqn,
			&w->xrc_srq);
	qp->qpn = qp->host->next_number++;
	p.qpn = cpu_to_le32(qp->qpn);
	assert_int_equal(model_qp_create(qp->host->dev, &p), XRDMA_CMD_OK);
	qp->qp = model_qp_get(qp->host->dev, qp->qpn);
}

static void make_qps(struct fuzz_world *w)
{
	static const enum fuzz_qp connected[] = {
		FUZZ_RC, FUZZ_RC6, FUZZ_UC, FUZZ_SRQ, FUZZ_XRC, FUZZ_USER,
	};
	struct wire_host *host = &w->env->hosts[0];
	size_t i;

	wire_create_srq(host, FUZZ_LOG_DEPTH, 0, 0, &w->srq);
	wire_create_qp(w->env, 0, XRDMA_QP_RC, 0, FUZZ_LOG_DEPTH,
		       &w->qps[FUZZ_RC]);
	wire_create_qp(w->env, 0, XRDMA_QP_RC, 0, FUZZ_LOG_DEPTH,
		       &w->qps[FUZZ_RC6]);
	wire_create_qp(w->env, 0, XRDMA_QP_UC, 0, FUZZ_LOG_DEPTH,
		       &w->qps[FUZZ_UC]);
	wire_create_ud(w->env, 0, XRDMA_QP_UD, 0, &w->qps[FUZZ_UD]);
	make_raw(w, FUZZ_RAW, 0);
	wire_create_qp_on(w->env, 0, XRDMA_QP_RC, XRDMA_QP_SRQ,
			  FUZZ_LOG_DEPTH, w->srq.srqn, &w->qps[FUZZ_SRQ]);
	make_xrc(w);
	make_raw(w, FUZZ_NIC, XRDMA_QP_KERNEL);
	make_raw(w, FUZZ_NIC_1, XRDMA_QP_KERNEL);
	make_user(w);
	for (i = 0; i < ARRAY_SIZE(connected); i++)
		connect(w, connected[i]);
	assert_int_equal(wire_mcast(&w->qps[FUZZ_UD], wire_group_4, true),
			 XRDMA_CMD_OK);
	fuzz_port_begin(w);
}

/* Memory in this order: guard, w->area, guard, w->shown, guard. */
static void make_memory(struct fuzz_world *w)
{
	struct wire_host *host = &w->env->hosts[0];
	u64 all = wire_alloc(host, 3 * GUARD + FUZZ_AREA + SHOWN, 4096);

	wire_fill(wire_ptr(host, all), 3 * GUARD + FUZZ_AREA + SHOWN, 1);
	w->area = all + GUARD;
	w->shown = w->area + FUZZ_AREA + GUARD;
	w->key = wire_region(host, 100, w->area, FUZZ_AREA,
			     WIRE_ALL_RIGHTS | FLUSH_RIGHTS);
	w->shown_key = wire_region(host, 101, w->shown, SHOWN,
				   XRDMA_ACCESS_REMOTE_READ);
}

static u32 judged(const struct fuzz_world *w)
{
	struct wire_host *host = &w->env->hosts[0];
	u32 crc;

	crc = crc32_gzip_refl(0, wire_ptr(host, w->area - GUARD), GUARD);
	crc = crc32_gzip_refl(crc, wire_ptr(host, w->area + FUZZ_AREA),
			      GUARD + SHOWN + GUARD);
	return crc32_gzip_refl(crc, wire_ptr(host, host->mpt), 1U << MPT_LOG);
}

/* Reset the device, and make its objects and memory. */
void fuzz_world_begin(struct fuzz_world *w)
{
	struct model_device *dev;
	void *state;

	if (!w->env) {
		wire_mpt_log = MPT_LOG;
		assert_int_equal(wire_setup_1(&state), 0);
		w->env = state;
		dev = w->env->hosts[0].dev;
		dev->params.push = MODEL_PUSH_USE;
		assert_int_equal(model_push_init(dev), 0);
	} else {
		wire_restart(w->env, 0);
	}
	make_memory(w);
	make_qps(w);
	w->judged = judged(w);
}

/* Poll all completions, as the driver does. */
void fuzz_world_serve(struct fuzz_world *w)
{
	struct xrdma_cqe cqe;
	int i;

	while (wire_poll_cq(&w->xrc_cq, &cqe))
		;
	for (i = 0; i < FUZZ_QPS; i++) {
		if (i == FUZZ_XRC)
			continue;
		while (wire_poll_cq(&w->qps[i].send_cq, &cqe))
			;
		if (i == FUZZ_NIC || i == FUZZ_NIC_1)
			fuzz_port_judge(w, i);
		while (wire_poll_cq(&w->qps[i].recv_cq, &cqe))
			;
	}
}

void fuzz_wrong(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

/* Check the device after a step: abort if a peer caused one of these errors. */
void fuzz_world_judge(const struct fuzz_world *w)
{
	const struct wire_host *host = &w->env->hosts[0];
	const struct model_wire *wire = host->dev->wire;

	if (host->herr->total)
		fuzz_wrong("a host error");
	if (!host->dev->live)
		fuzz_wrong("the device is in the fatal state");
	if (wire->pool.available + wire->arrived.count != wire->pool.total)
		fuzz_wrong("a frame buffer is lost");
	if (judged(w) != w->judged)
		fuzz_wrong("memory has changed that was not granted");
}

/* Fill in the path of frames from the peer to a queue pair. */
void fuzz_world_path(const struct fuzz_world *w, enum fuzz_qp number,
		     struct model_path *path)
{
	const struct model_gid *to =
		&w->env->hosts[0].dev->gids[gid_of[number]];

	memset(path, 0, sizeof(*path));
	peer_gid(w, gid_of[number], path->sgid);
	memcpy(path->dgid, to->gid, sizeof(path->dgid));
	memcpy(path->smac, peer_mac, sizeof(path->smac));
	memcpy(path->dmac, to->mac, sizeof(path->dmac));
	path->sport = 0xc000;
	path->hop_limit = 64;
	path->vlan_tci = to->vlan_tci;
	path->has_vlan = to->flags & XRDMA_GID_VLAN;
	path->is_ipv4 = to->flags & XRDMA_GID_IPV4;
}
