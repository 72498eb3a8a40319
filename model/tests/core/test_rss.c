// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of model_flow_fields(), and of the hash of receive side scaling.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "core/flow.h"
#include "core/rss.h"
#include "packet/flow_fields.h"
#include "tests/lib/wire_raw.h"

static void fields_of_ipv4(void **state)
{
	struct xrdma_flow_fields f;
	u8 frame[RAW_FRAME];
	u32 len;

	(void)state;
	raw_make_ipv4(frame, "1.2.3.4", "5.6.7.8", 17, 1234, 5678);
	assert_int_equal(model_flow_fields(&f, frame, RAW_FRAME),
			 XRDMA_RSS_SRC_IPV4 | XRDMA_RSS_DST_IPV4 |
			 XRDMA_RSS_SRC_PORT_UDP | XRDMA_RSS_DST_PORT_UDP);
	assert_memory_equal(f.dmac, raw_dmac, 6);
	assert_memory_equal(f.smac, raw_smac, 6);
	assert_int_equal(be16_to_cpu(f.ether_type), 0x800);
	assert_int_equal(f.vlan_tci, 0);
	assert_memory_equal(f.src_ip, "\0\0\0\0\0\0\0\0\0\0\xff\xff\1\2\3\4",
			    16);
	assert_memory_equal(f.dst_ip, "\0\0\0\0\0\0\0\0\0\0\xff\xff\5\6\7\x8",
			    16);
	assert_int_equal(be16_to_cpu(f.src_port), 1234);
	assert_int_equal(be16_to_cpu(f.dst_port), 5678);
	assert_int_equal(f.ip_proto, 17);
	assert_int_equal(f.traffic_class, 0x20);
	assert_int_equal(f.hop_limit, 64);
	/* fields that are cut off are 0; no byte after the end is read */
	for (len = 14; len < RAW_FRAME; len++) {
		u8 *copy = malloc(len);

		memcpy(copy, frame, len);
		model_flow_fields(&f, copy, len);
		assert_int_equal(f.ip_proto, len < 34 ? 0 : 17);
		assert_int_equal(f.dst_port, len < 38 ? 0 : cpu_to_be16(5678));
		free(copy);
	}
}

static void fields_of_ipv6_with_a_tag(void **state)
{
	struct xrdma_flow_fields f;
	u8 frame[RAW_FRAME], addr[16];
	u32 len;

	(void)state;
	raw_make_ipv6(frame, "a0a1::a8a9", "b0b1::b8b9", 6, 1234, 5678);
	raw_add_vlan(frame, 0xbc0c);
	assert_int_equal(model_flow_fields(&f, frame, RAW_FRAME),
			 XRDMA_RSS_SRC_IPV6 | XRDMA_RSS_DST_IPV6 |
			 XRDMA_RSS_SRC_PORT_TCP | XRDMA_RSS_DST_PORT_TCP);
	assert_int_equal(be16_to_cpu(f.ether_type), 0x86dd);
	assert_int_equal(be16_to_cpu(f.vlan_tci), 0xbc0c);
	inet_pton(AF_INET6, "a0a1::a8a9", addr);
	assert_memory_equal(f.src_ip, addr, 16);
	inet_pton(AF_INET6, "b0b1::b8b9", addr);
	assert_memory_equal(f.dst_ip, addr, 16);
	assert_int_equal(be16_to_cpu(f.src_port), 1234);
	assert_int_equal(f.ip_proto, 6);
	assert_int_equal(f.traffic_class, 0xab);
	assert_int_equal(be32_to_cpu(f.flow_label), 0x12345);
	assert_int_equal(f.hop_limit, 63);
	for (len = 14; len < RAW_FRAME; len++) {
		u8 *copy = malloc(len);

		memcpy(copy, frame, len);
		model_flow_fields(&f, copy, len);
		assert_int_equal(f.ip_proto, len < 58 ? 0 : 6);
		assert_int_equal(f.dst_port, len < 62 ? 0 : cpu_to_be16(5678));
		free(copy);
	}
}

/* Options shift the ports; later fragments and other protocols have none. */
static void ports_are_where_they_are(void **state)
{
	struct xrdma_flow_fields f;
	u8 frame[RAW_FRAME];

	(void)state;
	raw_make_ipv4(frame, "1.2.3.4", "5.6.7.8", 6, 1, 2);
	frame[14] = 0x46;
	memcpy(frame + 38, "\0\3\0\4", 4);
	model_flow_fields(&f, frame, RAW_FRAME);
	assert_int_equal(be16_to_cpu(f.dst_port), 4);
	frame[14] = 0x45;
	frame[20] = 0x20; /* flag "more fragments": the first fragment */
	model_flow_fields(&f, frame, RAW_FRAME);
	assert_int_equal(be16_to_cpu(f.dst_port), 2);
	frame[21] = 1;
	assert_int_equal(model_flow_fields(&f, frame, RAW_FRAME),
			 XRDMA_RSS_SRC_IPV4 | XRDMA_RSS_DST_IPV4);
	assert_int_equal(f.dst_port, 0);
	raw_make_ipv4(frame, "1.2.3.4", "5.6.7.8", 1, 1, 2);
	model_flow_fields(&f, frame, RAW_FRAME);
	assert_int_equal(f.dst_port, 0);
	frame[14] = 0x44; /* a header that is too short */
	assert_int_equal(model_flow_fields(&f, frame, RAW_FRAME), 0);
	frame[14] = 0x65; /* wrong IP version */
	assert_int_equal(model_flow_fields(&f, frame, RAW_FRAME), 0);
	assert_int_equal(f.ip_proto, 0);
}

/* The key and the vectors that Microsoft publishes for RSS. */
static const u8 ms_key[XRDMA_RSS_KEY_BYTES] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
	0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static const struct vector {
	bool ipv6;
	const char *dst;
	u16 dport;
	const char *src;
	u16 sport;
	u32 ip;
	u32 tcp;
} vectors[] = {
	{ false, "161.142.100.80", 1766, "66.9.149.187", 2794,
	  0x323e8fc2, 0x51ccc178 },
	{ false, "65.69.140.83", 4739, "199.92.111.2", 14230,
	  0xd718262a, 0xc626b0ea },
	{ false, "12.22.207.184", 38024, "24.19.198.95", 12898,
	  0xd2d0a5de, 0x5c2b394a },
	{ false, "209.142.163.6", 2217, "38.27.205.30", 48228,
	  0x82989176, 0xafc7327f },
	{ false, "202.188.127.2", 1303, "153.39.163.191", 44251,
	  0x5d1809c5, 0x10e828a2 },
	{ true, "3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794,
	  0x2cc18cd5, 0x40207d3d },
	{ true, "ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230,
	  0x0f0c461c, 0xdde51bbf },
	{ true, "fe80::200:f8ff:fe21:67cf", 38024,
	  "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251,
	  0x4b61e985, 0x02d1feef },
};

/* Return: entry that is chosen from a table of 128 entries. */
static u32 picked(const u8 *key, u8 fields, const u8 *frame)
{
	struct model_rss rss = {
		.fields = fields, .log_size = MODEL_RSS_LOG_MAX,
	};
	struct xrdma_flow_fields f;
	u8 have = model_flow_fields(&f, frame, RAW_FRAME);
	uintptr_t i;

	memcpy(rss.key, key, sizeof(rss.key));
	for (i = 0; i < 1 << MODEL_RSS_LOG_MAX; i++)
		rss.table[i] = (struct model_qp *)i;
	return (uintptr_t)model_rss_pick(&rss, &f, have);
}

static void the_hash_is_that_of_microsoft(void **state)
{
	u8 frame[RAW_FRAME], data[36];
	u32 i, len;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct vector *v = &vectors[i];

		(v->ipv6 ? raw_make_ipv6 : raw_make_ipv4)(frame, v->src, v->dst, 6,
						  v->sport, v->dport);
		len = v->ipv6 ? 32 : 8;
		memcpy(data, frame + (v->ipv6 ? 22 : 26), len);
		memcpy(data + len, frame + (v->ipv6 ? 54 : 34), 4);
		assert_int_equal(model_rss_hash(ms_key, data, len), v->ip);
		assert_int_equal(model_rss_hash(ms_key, data, len + 4),
				 v->tcp);
		/* all requested fields are hashed, in this order */
		assert_int_equal(picked(ms_key, 0x0f, frame), v->ip & 127);
		assert_int_equal(picked(ms_key, 0x3f, frame), v->tcp & 127);
		assert_int_equal(picked(ms_key, 0xcf, frame), v->ip & 127);
	}
}

static void fields_are_hashed_as_asked_for(void **state)
{
	u8 frame[RAW_FRAME];
	u32 hash;

	(void)state;
	raw_make_ipv4(frame, "1.2.3.4", "5.6.7.8", 17, 0x1122, 0x3344);
	hash = model_rss_hash(ms_key, (u8[]){ 5, 6, 7, 8, 0x11, 0x22 }, 6);
	assert_int_equal(picked(ms_key, XRDMA_RSS_DST_IPV4 |
				XRDMA_RSS_SRC_PORT_UDP |
				XRDMA_RSS_DST_PORT_TCP | XRDMA_RSS_SRC_IPV6,
				frame), hash & 127);
	hash = model_rss_hash(ms_key, (u8[]){ 1, 2, 3, 4, 0x33, 0x44 }, 6);
	assert_int_equal(picked(ms_key, XRDMA_RSS_SRC_IPV4 |
				XRDMA_RSS_DST_PORT_UDP, frame), hash & 127);
	/* the frame has none of the requested fields */
	assert_int_equal(picked(ms_key, XRDMA_RSS_SRC_IPV6 |
				XRDMA_RSS_SRC_PORT_TCP, frame), 0);
	assert_int_equal(picked(ms_key, 0, frame), 0);
	frame[13] = 6;
	assert_int_equal(picked(ms_key, 0xff, frame), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_ipv4),
		cmocka_unit_test(fields_of_ipv6_with_a_tag),
		cmocka_unit_test(ports_are_where_they_are),
		cmocka_unit_test(the_hash_is_that_of_microsoft),
		cmocka_unit_test(fields_are_hashed_as_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
