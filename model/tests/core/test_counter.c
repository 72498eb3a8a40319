// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of counter sets: each counter counts for the port and in the set of the
 * queue pair that it concerns, and in no other set.
 */
#include <string.h>

#include "tests/lib/wire_craft.h"

#define ACK		(MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS)
#define NAK(value)	(MODEL_AETH_NAK | MODEL_NAK_##value)
#define MTU		1024
#define SET		7

/* First PSN of the side under test, and first PSN that it expects. */
#define REQ_PSN		(wire_defaults.psn)
#define RESP_PSN	(wire_defaults.psn ^ 0x55)

static u8 bind(struct wire_host *host, u32 qpn, u32 counter)
{
	const struct xrdma_cmd_bind_counter p = {
		.qpn = cpu_to_le32(qpn), .counter = cpu_to_le32(counter),
	};

	return model_counter_bind(host->dev, &p);
}

/* Return: value of one counter, from QUERY_STATS. */
static u64 query(struct wire_host *host, u32 counter, enum xrdma_stat stat)
{
	u64 addr = wire_alloc(host, XRDMA_NUM_STATS * 8, 8);
	const struct xrdma_cmd_query_stats p = {
		.addr = cpu_to_le64(addr),
		.count = cpu_to_le32(XRDMA_NUM_STATS),
		.counter = cpu_to_le32(counter),
	};
	const __le64 *values = wire_ptr(host, addr);

	assert_int_equal(model_counter_query(host->dev, &p), XRDMA_CMD_OK);
	return le64_to_cpu(values[stat]);
}

/* The test is the peer of a queue pair with counter set SET. */
static void begin(void **state, struct craft *c,
		  const struct wire_params *params)
{
	craft_begin(state, c, params);
	assert_int_equal(bind(c->p.a.host, c->p.a.qpn, SET), XRDMA_CMD_OK);
}

/* Check the value of a counter, in the set and for the port. */
static void counted(struct craft *c, enum xrdma_stat stat, u64 want)
{
	u64 set = query(c->p.a.host, SET, stat);
	u64 port = query(c->p.a.host, 0, stat);

	if (set != want || port != want)
		fail_msg("counter %d: %lu in the set, %lu of the port, wanted %lu",
			 stat, set, port, want);
}

static void post(struct craft *c, u8 opcode, u32 len)
{
	struct xrdma_sge sge = wire_sge(c->p.a_buf, len, c->p.a_key);

	wire_post_signaled(&c->p.a, opcode, 0, sge, 0x1000, 0x77);
}

static void respond(struct craft *c, u8 syndrome, u32 psn)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_ACK, psn);

	pkt.syndrome = syndrome;
	craft_send(c, &pkt, NULL);
	craft_turn(c);
}

static void request(struct craft *c, u8 opcode, u32 psn, u32 len)
{
	struct model_pkt pkt = craft_pkt(c, opcode, psn);

	pkt.dma_len = len;
	if (pkt.op.flags & MODEL_PKT_PAYLOAD)
		pkt.len = len;
	craft_send(c, &pkt, NULL);
	craft_turn(c);
}

static void drain(struct craft *c)
{
	while (craft_receive(c))
		;
}

static void sets_belong_to_queue_pairs(void **state)
{
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct wire_pair p, other;

	wire_make_pair(env, &p, &wire_defaults);
	wire_make_pair(env, &other, &wire_defaults);
	assert_int_equal(bind(host, 999, SET), XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(bind(host, p.a.qpn, MODEL_MAX_COUNTERS),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(bind(host, p.a.qpn, MODEL_MAX_COUNTERS - 1),
			 XRDMA_CMD_OK);
	assert_int_equal(bind(host, p.a.qpn, SET), XRDMA_CMD_OK);
	model_qp_stat_add(p.a.qp, XRDMA_STAT_RNR_NAK, 5);
	model_qp_stat_add(other.a.qp, XRDMA_STAT_RNR_NAK, 100);
	assert_int_equal(query(host, SET, XRDMA_STAT_RNR_NAK), 5);
	assert_int_equal(query(host, 255, XRDMA_STAT_RNR_NAK), 0);
	assert_int_equal(query(host, 0, XRDMA_STAT_RNR_NAK), 105);
	/* bound again, and bound to a second queue pair: values are kept */
	assert_int_equal(bind(host, p.a.qpn, SET), XRDMA_CMD_OK);
	assert_int_equal(bind(host, other.a.qpn, SET), XRDMA_CMD_OK);
	model_qp_stat_add(other.a.qp, XRDMA_STAT_RNR_NAK, 1);
	assert_int_equal(query(host, SET, XRDMA_STAT_RNR_NAK), 6);
	assert_int_equal(bind(host, p.a.qpn, 0), XRDMA_CMD_OK);
	model_qp_stat_add(p.a.qp, XRDMA_STAT_RNR_NAK, 1);
	assert_int_equal(query(host, SET, XRDMA_STAT_RNR_NAK), 6);
	/* without a queue pair the set keeps its values; a bind clears them */
	assert_int_equal(model_qp_destroy(host->dev, other.a.qpn),
			 XRDMA_CMD_OK);
	assert_int_equal(query(host, SET, XRDMA_STAT_RNR_NAK), 6);
	assert_int_equal(bind(host, p.a.qpn, SET), XRDMA_CMD_OK);
	assert_int_equal(query(host, SET, XRDMA_STAT_RNR_NAK), 0);
}

static void queries_are_checked(void **state)
{
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct xrdma_cmd_query_stats p = {
		.addr = cpu_to_le64(wire_alloc(host, XRDMA_NUM_STATS * 8, 8)),
		.count = cpu_to_le32(XRDMA_NUM_STATS),
		.counter = cpu_to_le32(MODEL_MAX_COUNTERS),
	};

	assert_int_equal(model_counter_query(host->dev, &p),
			 XRDMA_CMD_BAD_PARAM);
	p.counter = cpu_to_le32(MODEL_MAX_COUNTERS - 1);
	assert_int_equal(model_counter_query(host->dev, &p), XRDMA_CMD_OK);
}

/* Bytes are bytes of whole frames; frames that are not RoCE do not count. */
static void packets_and_bytes(void **state)
{
	struct craft c;

	begin(state, &c, &wire_defaults);
	post(&c, XRDMA_OP_WRITE, 2 * MTU + 4);
	drain(&c);
	counted(&c, XRDMA_STAT_TX_PACKETS, 3);
	counted(&c, XRDMA_STAT_TX_BYTES,
		2 * MTU + 4 + 3 * (14 + 20 + 8 + 12 + 4) + 16);
	counted(&c, XRDMA_STAT_RX_PACKETS, 0);
	respond(&c, ACK, REQ_PSN + 2);
	counted(&c, XRDMA_STAT_RX_PACKETS, 1);
	counted(&c, XRDMA_STAT_RX_BYTES, 14 + 20 + 8 + 12 + 4 + 4);
	counted(&c, XRDMA_STAT_TX_RETRANSMITTED, 0);
}

static void packets_sent_again(void **state)
{
	struct craft c;

	begin(state, &c, &wire_defaults);
	post(&c, XRDMA_OP_WRITE, 4 * MTU);
	drain(&c);
	respond(&c, NAK(SEQUENCE), REQ_PSN + 1);
	drain(&c);
	counted(&c, XRDMA_STAT_RETRANSMITS, 1);
	counted(&c, XRDMA_STAT_TX_RETRANSMITTED, 2);
	fake_loop_advance(c.env->loop, fake_loop_next(c.env->loop));
	drain(&c);
	counted(&c, XRDMA_STAT_ACK_TIMEOUTS, 1);
	counted(&c, XRDMA_STAT_TX_RETRANSMITTED, 5);
	counted(&c, XRDMA_STAT_TX_PACKETS, 9);
}

static void the_peer_is_not_ready(void **state)
{
	struct craft c;

	begin(state, &c, &wire_defaults);
	post(&c, XRDMA_OP_SEND, 8);
	drain(&c);
	respond(&c, MODEL_AETH_RNR | 1, REQ_PSN);
	counted(&c, XRDMA_STAT_RNR_NAK, 1);
	counted(&c, XRDMA_STAT_OUT_OF_BUFFER, 0);
}

static void no_buffer_for_the_peer(void **state)
{
	struct craft c;

	begin(state, &c, &wire_defaults);
	request(&c, MODEL_BTH_SEND_ONLY, RESP_PSN, 8);
	counted(&c, XRDMA_STAT_OUT_OF_BUFFER, 1);
	counted(&c, XRDMA_STAT_RNR_NAK, 0);
}

/* Requests count as messages, not as packets; duplicates do not count. */
static void requests_by_kind(void **state)
{
	struct model_pkt pkt;
	struct craft c;
	u32 i;

	begin(state, &c, &wire_defaults);
	for (i = 0; i < 3; i++) {
		pkt = craft_pkt(&c, MODEL_BTH_WRITE_FIRST + i, RESP_PSN + i);
		pkt.dma_len = 3 * MTU;
		pkt.len = MTU;
		craft_send(&c, &pkt, NULL);
	}
	request(&c, MODEL_BTH_WRITE_ONLY, RESP_PSN + 3, 8);
	counted(&c, XRDMA_STAT_RX_WRITES, 2);
	request(&c, MODEL_BTH_READ_REQUEST, RESP_PSN + 4, 2 * MTU);
	request(&c, MODEL_BTH_FETCH_ADD, RESP_PSN + 6, 8);
	request(&c, MODEL_BTH_CMP_SWAP, RESP_PSN + 7, 8);
	request(&c, MODEL_BTH_ATOMIC_WRITE, RESP_PSN + 8, 8);
	counted(&c, XRDMA_STAT_RX_READS, 1);
	counted(&c, XRDMA_STAT_RX_ATOMICS, 3);
	counted(&c, XRDMA_STAT_DUPLICATES, 0);
	request(&c, MODEL_BTH_READ_REQUEST, RESP_PSN + 4, 2 * MTU);
	request(&c, MODEL_BTH_FETCH_ADD, RESP_PSN + 6, 8);
	request(&c, MODEL_BTH_WRITE_ONLY, RESP_PSN + 3, 8);
	counted(&c, XRDMA_STAT_DUPLICATES, 3);
	counted(&c, XRDMA_STAT_RX_WRITES, 2);
	counted(&c, XRDMA_STAT_RX_READS, 1);
	counted(&c, XRDMA_STAT_RX_ATOMICS, 3);
	request(&c, MODEL_BTH_WRITE_ONLY, RESP_PSN + 20, 8);
	counted(&c, XRDMA_STAT_OUT_OF_SEQUENCE, 1);
}

static void the_peer_refuses(void **state)
{
	struct craft c;

	begin(state, &c, &wire_defaults);
	post(&c, XRDMA_OP_WRITE, 8);
	post(&c, XRDMA_OP_WRITE, 8);
	drain(&c);
	respond(&c, NAK(ACCESS), REQ_PSN);
	counted(&c, XRDMA_STAT_REQ_REMOTE_ACCESS, 1);
	counted(&c, XRDMA_STAT_REQ_REMOTE_INVALID, 0);
	/* the refused entry, and the flushed entry after it */
	counted(&c, XRDMA_STAT_REQ_CQE_ERRORS, 2);
	counted(&c, XRDMA_STAT_REQ_FLUSHED, 1);
	counted(&c, XRDMA_STAT_RESP_CQE_ERRORS, 0);
}

static void the_peer_calls_it_invalid(void **state)
{
	struct craft c;

	begin(state, &c, &wire_defaults);
	post(&c, XRDMA_OP_WRITE, 8);
	drain(&c);
	respond(&c, NAK(INVALID), REQ_PSN);
	counted(&c, XRDMA_STAT_REQ_REMOTE_INVALID, 1);
	counted(&c, XRDMA_STAT_REQ_REMOTE_ACCESS, 0);
}

static void receives_that_fail(void **state)
{
	struct xrdma_sge sge;
	struct craft c;

	begin(state, &c, &wire_defaults);
	sge = wire_sge(c.p.a_buf, 4, c.p.a_key);
	wire_post_recv(&c.p.a, 1, &sge, 1);
	wire_post_recv(&c.p.a, 2, &sge, 1);
	wire_post_recv(&c.p.a, 3, &sge, 1);
	request(&c, MODEL_BTH_SEND_ONLY, RESP_PSN, 8);
	counted(&c, XRDMA_STAT_RESP_CQE_ERRORS, 3);
	counted(&c, XRDMA_STAT_RESP_FLUSHED, 2);
	counted(&c, XRDMA_STAT_REQ_CQE_ERRORS, 0);
}

static void refused_accesses(void **state)
{
	struct xrdma_sge sge;
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c, &wire_defaults);
	pkt = craft_pkt(&c, MODEL_BTH_WRITE_ONLY, RESP_PSN);
	pkt.rkey ^= 1;
	pkt.len = 8;
	pkt.dma_len = 8;
	craft_send(&c, &pkt, NULL);
	counted(&c, XRDMA_STAT_FAULTS, 1);
	counted(&c, XRDMA_STAT_REM_ACCESS_ERRORS, 1);
	/* a local error is an error completion, but none of the peer */
	wire_make_pair(c.env, &c.p, &wire_defaults);
	bind(c.p.a.host, c.p.a.qpn, SET);
	sge = wire_sge(c.p.a_buf, 8, c.p.a_key ^ 1);
	wire_post_send(&c.p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND, .sges = &sge, .num_sge = 1,
	});
	craft_turn(&c);
	assert_int_equal(query(c.p.a.host, SET, XRDMA_STAT_FAULTS), 2);
	assert_int_equal(query(c.p.a.host, SET, XRDMA_STAT_REM_ACCESS_ERRORS),
			 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(sets_belong_to_queue_pairs, 2),
		WIRE_TEST(queries_are_checked, 2),
		WIRE_TEST(packets_and_bytes, 2),
		WIRE_TEST(packets_sent_again, 2),
		WIRE_TEST(the_peer_is_not_ready, 2),
		WIRE_TEST(no_buffer_for_the_peer, 2),
		WIRE_TEST(requests_by_kind, 2),
		WIRE_TEST(the_peer_refuses, 2),
		WIRE_TEST(the_peer_calls_it_invalid, 2),
		WIRE_TEST(receives_that_fail, 2),
		WIRE_TEST(refused_accesses, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
