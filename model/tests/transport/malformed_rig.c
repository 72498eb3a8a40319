// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Makes malformed frames and checks that they are dropped: malformed_rig.h.
 */
#include <isa-l/crc.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "packet/icrc.h"
#include "tests/transport/malformed_rig.h"
#include "transport/answer.h"

/*
 * struct snapshot - state that a dropped frame must not change
 */
struct snapshot {
	struct model_qp qp;
	struct model_qp_transport tp;
	u32 window;
	u32 answers;
	u32 memory;
	u32 available;
	u64 tx_frames;
	u64 stats[XRDMA_NUM_STATS];
};

static u32 crc(const void *data, size_t len)
{
	return crc32_gzip_refl(0, data, len);
}

static void take_snapshot(const struct rig *r, struct snapshot *s)
{
	static const enum xrdma_stat counted[] = {
		XRDMA_STAT_RX_PACKETS, XRDMA_STAT_RX_BYTES,
		XRDMA_STAT_RX_DROPPED, XRDMA_STAT_RX_ICRC_ERRORS,
	};
	const struct wire_host *host = r->p.a.host;
	const struct model_device *dev = host->dev;
	size_t i;

	memset(s, 0, sizeof(*s));
	memcpy(&s->qp, r->p.a.qp, sizeof(s->qp));
	memcpy(&s->tp, s->qp.tp, sizeof(s->tp));
	if (s->tp.req.entries)
		s->window = crc(s->tp.req.entries, (s->tp.req.mask + 1) *
				sizeof(*s->tp.req.entries));
	if (s->tp.resp.mem)
		s->answers = crc(s->tp.resp.mem, sizeof(*s->tp.resp.mem));
	s->memory = crc(r->p.a_mem, 4096);
	s->available = dev->wire->pool.available;
	s->tx_frames = dev->wire->tx_frames;
	memcpy(s->stats, dev->stats, sizeof(s->stats));
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		s->stats[counted[i]] = 0;
}

/* Return: checksum of the memory that the host has published. */
static u32 host_memory(const struct rig *r)
{
	const struct wire_host *host = r->p.a.host;

	return crc(host->mem, host->next - WIRE_IOVA);
}

void rig_begin(void **state, struct rig *r, u8 gid)
{
	struct wire_params params = wire_defaults;

	memset(r, 0, sizeof(*r));
	r->env = *state;
	r->gid = gid;
	params.gid_index = gid;
	wire_make_pair(r->env, &r->p, &params);
}

static void make_path(const struct rig *r, struct model_path *path)
{
	const struct model_gid *from = model_gid_get(r->p.b.host->dev, r->gid);
	const struct model_gid *to = model_gid_get(r->p.a.host->dev, r->gid);

	memset(path, 0, sizeof(*path));
	memcpy(path->sgid, from->gid, sizeof(path->sgid));
	memcpy(path->dgid, to->gid, sizeof(path->dgid));
	memcpy(path->smac, from->mac, sizeof(path->smac));
	memcpy(path->dmac, to->mac, sizeof(path->dmac));
	path->sport = 0xc123;
	path->flow_label = 0x54321;
	path->hop_limit = 64;
	path->vlan_tci = from->vlan_tci;
	path->has_vlan = from->flags & XRDMA_GID_VLAN;
	path->is_ipv4 = from->flags & XRDMA_GID_IPV4;
}

struct model_pkt rig_pkt(const struct rig *r, u8 opcode)
{
	struct model_pkt pkt = { 0 };

	model_pkt_init(&pkt, opcode, r->p.a.qpn, RIG_PSN);
	pkt.ackreq = true;
	pkt.va = r->p.a_buf;
	pkt.rkey = r->p.a_key;
	return pkt;
}

void rig_frame(const struct rig *r, const struct model_pkt *pkt,
	       struct frame *f)
{
	u32 roce_len = model_pkt_roce_len(pkt);
	struct model_net_template tmpl;
	struct model_path path;
	u8 *payload;

	make_path(r, &path);
	model_net_template(&tmpl, &path);
	f->l3 = tmpl.l3;
	f->is_ipv4 = tmpl.is_ipv4;
	f->bth = model_net_write(&tmpl, f->data, roce_len);
	f->udp = f->bth - MODEL_UDP_BYTES;
	payload = model_pkt_write(pkt, f->data + f->bth);
	memset(payload, 0x5a, pkt->len);
	f->len = f->bth + roce_len;
	model_icrc_write(f->data, f->l3, f->bth, f->len);
}

/* Make a valid WRITE of 6 bytes. */
void rig_good_frame(const struct rig *r, struct frame *f)
{
	struct model_pkt pkt = rig_pkt(r, MODEL_BTH_WRITE_ONLY);

	pkt.len = 6;
	pkt.dma_len = 6;
	rig_frame(r, &pkt, f);
}

void rig_fix_sum(struct frame *f)
{
	u8 *ip = f->data + f->l3;
	u32 sum = 0;
	int i;

	if (!f->is_ipv4)
		return;
	model_put16(ip + 10, 0);
	for (i = 0; i < MODEL_IPV4_BYTES; i += 2)
		sum += model_get16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	model_put16(ip + 10, ~((sum & 0xffff) + (sum >> 16)));
}

static void fix_icrc(struct frame *f)
{
	model_icrc_write(f->data, f->l3, f->bth, f->len);
}

void rig_fix(struct frame *f)
{
	rig_fix_sum(f);
	fix_icrc(f);
}

/* Set the length field of IP: in IPv4 it includes the IP header. */
void rig_put_ip_length(struct frame *f, u32 udp_len)
{
	u8 *ip = f->data + f->l3;

	if (f->is_ipv4)
		model_put16(ip + 2, MODEL_IPV4_BYTES + udp_len);
	else
		model_put16(ip + 4, udp_len);
}

void rig_put_udp_length(struct frame *f, u32 udp_len)
{
	model_put16(f->data + f->udp + 4, udp_len);
}

/* Change the length of the frame; adjust length fields and checksums. */
void rig_resize(struct frame *f, u32 len)
{
	f->len = len;
	rig_put_ip_length(f, len - f->udp);
	rig_put_udp_length(f, len - f->udp);
	rig_fix(f);
}

/* Receive a copy on the heap, so that ASan finds reads past its end. */
enum model_rx rig_receive(struct rig *r, const u8 *data, u32 len)
{
	u8 *copy = malloc(len ? len : 1);
	enum model_rx rx;

	memcpy(copy, data, len);
	rx = model_rx_frame(r->p.a.host->dev, copy, len);
	free(copy);
	return rx;
}

void rig_dropped(struct rig *r, const struct frame *f, enum model_rx why)
{
	struct model_device *dev = r->p.a.host->dev;
	u64 drops = dev->stats[XRDMA_STAT_RX_DROPPED];
	struct snapshot before, after;
	u64 count[MODEL_RX_NUM];
	enum model_rx rx;

	take_snapshot(r, &before);
	memcpy(count, dev->wire->rx_frames, sizeof(count));
	rx = rig_receive(r, f->data, f->len);
	model_device_poll(dev);
	take_snapshot(r, &after);
	if (rx == MODEL_RX_OK || (why != RIG_ANY && rx != why))
		fail_msg("GID %u: %s, wanted %s", r->gid, model_rx_name(rx),
			 why == RIG_ANY ? "any error" : model_rx_name(why));
	count[rx]++;
	assert_memory_equal(count, dev->wire->rx_frames, sizeof(count));
	assert_int_equal(dev->stats[XRDMA_STAT_RX_DROPPED], drops + 1);
	assert_memory_equal(&before, &after, sizeof(before));
}

/* Run one kind of frames for each address family; compare memory at the end. */
void rig_each_family(void **state, void (*kind)(struct rig *r))
{
	struct rig r;
	struct frame f;
	u32 memory;
	u8 gid;

	for (gid = 0; gid < RIG_FAMILIES; gid++) {
		rig_begin(state, &r, gid);
		memory = host_memory(&r);
		kind(&r);
		assert_int_equal(memory, host_memory(&r));
		/* the queue pair still accepts a valid frame */
		if (r.p.a.qp->state != XRDMA_QPS_RTS)
			continue;
		rig_good_frame(&r, &f);
		assert_int_equal(rig_receive(&r, f.data, f.len), MODEL_RX_OK);
		assert_memory_equal(r.p.a_mem, "ZZZZZZ", 6);
		model_device_poll(r.p.a.host->dev);
	}
}
