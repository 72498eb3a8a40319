/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-ins for what the proved files of the driver use of objects of the verbs
 * and their attributes, with the numbers of the kernel. Work requests are in
 * ib_verbs.h, which includes this file.
 */

#ifndef PROOF_IB_OBJECTS_H
#define PROOF_IB_OBJECTS_H

#include "kernel.h"

/* ---- addresses ---- */

union ib_gid {
	u8 raw[16];
};

struct in6_addr {
	u8 s6_addr[16];
};

enum rdma_network_type {
	RDMA_NETWORK_IB,
	RDMA_NETWORK_ROCE_V1,
	RDMA_NETWORK_IPV4,
	RDMA_NETWORK_IPV6,
};

enum rdma_ah_attr_type {
	RDMA_AH_ATTR_TYPE_UNDEFINED,
	RDMA_AH_ATTR_TYPE_IB,
	RDMA_AH_ATTR_TYPE_ROCE,
};

enum ib_ah_flags {
	IB_AH_GRH = 1,
};

struct ib_gid_attr {
	struct ib_device *device;
	union ib_gid gid;
	u16 index;
};

struct ib_global_route {
	const struct ib_gid_attr *sgid_attr;
	union ib_gid dgid;
	u32 flow_label;
	u8 sgid_index;
	u8 hop_limit;
	u8 traffic_class;
};

struct rdma_ah_attr {
	struct ib_global_route grh;
	u8 sl;
	u8 port_num;
	u8 ah_flags;
	enum rdma_ah_attr_type type;
	struct {
		u8 dmac[6];
	} roce;
};

struct rdma_ah_init_attr {
	struct rdma_ah_attr *ah_attr;
};

enum rdma_network_type
rdma_gid_attr_network_type(const struct ib_gid_attr *attr);
int rdma_read_gid_l2_fields(const struct ib_gid_attr *attr, u16 *vlan_id,
			    u8 *smac);

static inline const struct ib_global_route *
rdma_ah_read_grh(const struct rdma_ah_attr *attr)
{
	return &attr->grh;
}

static inline u8 rdma_ah_get_sl(const struct rdma_ah_attr *attr)
{
	return attr->sl;
}

static inline void rdma_ah_set_sl(struct rdma_ah_attr *attr, u8 sl)
{
	attr->sl = sl;
}

static inline void rdma_ah_set_port_num(struct rdma_ah_attr *attr, u8 port)
{
	attr->port_num = port;
}

static inline void rdma_ah_set_grh(struct rdma_ah_attr *attr,
				   union ib_gid *dgid, u32 flow_label,
				   u8 sgid_index, u8 hop_limit,
				   u8 traffic_class)
{
	attr->ah_flags = IB_AH_GRH;
	if (dgid)
		attr->grh.dgid = *dgid;
	attr->grh.flow_label = flow_label;
	attr->grh.sgid_index = sgid_index;
	attr->grh.hop_limit = hop_limit;
	attr->grh.traffic_class = traffic_class;
	attr->grh.sgid_attr = NULL;
}

static inline void rdma_ah_set_dgid_raw(struct rdma_ah_attr *attr,
					const void *dgid)
{
	memcpy(attr->grh.dgid.raw, dgid, sizeof(attr->grh.dgid));
}

/* The first 10 bytes are zero, the next 2 are 0xff (RFC 4291, 2.5.5.2). */
static inline bool ipv6_addr_v4mapped(const struct in6_addr *a)
{
	int i;

	for (i = 0; i < 10; i++)
		if (a->s6_addr[i])
			return false;
	return a->s6_addr[10] == 0xff && a->s6_addr[11] == 0xff;
}

static inline void ether_addr_copy(u8 *to, const u8 *from)
{
	memcpy(to, from, 6);
}

/* ---- queue pairs ---- */

enum ib_qp_type {
	IB_QPT_SMI,
	IB_QPT_GSI,
	IB_QPT_RC = 2,
	IB_QPT_UC,
	IB_QPT_UD,
	IB_QPT_RAW_PACKET = 8,
	IB_QPT_XRC_INI,
	IB_QPT_XRC_TGT,
};

enum ib_qp_state {
	IB_QPS_RESET,
	IB_QPS_INIT,
	IB_QPS_RTR,
	IB_QPS_RTS,
	IB_QPS_SQD,
	IB_QPS_SQE,
	IB_QPS_ERR,
};

enum ib_mig_state {
	IB_MIG_MIGRATED,
	IB_MIG_REARM,
	IB_MIG_ARMED,
};

enum ib_mtu {
	IB_MTU_256 = 1,
	IB_MTU_4096 = 5,
};

enum ib_qp_attr_mask {
	IB_QP_STATE = 1,
	IB_QP_CUR_STATE = 1 << 1,
	IB_QP_EN_SQD_ASYNC_NOTIFY = 1 << 2,
	IB_QP_ACCESS_FLAGS = 1 << 3,
	IB_QP_PKEY_INDEX = 1 << 4,
	IB_QP_PORT = 1 << 5,
	IB_QP_QKEY = 1 << 6,
	IB_QP_AV = 1 << 7,
	IB_QP_PATH_MTU = 1 << 8,
	IB_QP_TIMEOUT = 1 << 9,
	IB_QP_RETRY_CNT = 1 << 10,
	IB_QP_RNR_RETRY = 1 << 11,
	IB_QP_RQ_PSN = 1 << 12,
	IB_QP_MAX_QP_RD_ATOMIC = 1 << 13,
	IB_QP_ALT_PATH = 1 << 14,
	IB_QP_MIN_RNR_TIMER = 1 << 15,
	IB_QP_SQ_PSN = 1 << 16,
	IB_QP_MAX_DEST_RD_ATOMIC = 1 << 17,
	IB_QP_PATH_MIG_STATE = 1 << 18,
	IB_QP_CAP = 1 << 19,
	IB_QP_DEST_QPN = 1 << 20,
	IB_QP_ATTR_STANDARD_BITS = 0x1fffff,
};

enum ib_sig_type {
	IB_SIGNAL_ALL_WR,
	IB_SIGNAL_REQ_WR,
};

struct ib_qp_cap {
	u32 max_send_wr;
	u32 max_recv_wr;
	u32 max_send_sge;
	u32 max_recv_sge;
	u32 max_inline_data;
};

struct ib_qp_attr {
	enum ib_qp_state qp_state;
	enum ib_qp_state cur_qp_state;
	enum ib_mtu path_mtu;
	enum ib_mig_state path_mig_state;
	u32 qkey;
	u32 rq_psn;
	u32 sq_psn;
	u32 dest_qp_num;
	int qp_access_flags;
	struct ib_qp_cap cap;
	struct rdma_ah_attr ah_attr;
	u16 pkey_index;
	u8 en_sqd_async_notify;
	u8 sq_draining;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u8 min_rnr_timer;
	u32 port_num;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
};

/* ---- objects ---- */

struct ib_udata {
	int any;
};

struct ib_ucontext {
	struct ib_device *device;
};

struct rdma_user_mmap_entry {
	int any;
};

struct uapi_definition {
	int any;
};

#define IB_DEVICE_NAME_MAX	64
#define IB_DEVICE_NODE_DESC_MAX	64

struct ib_device {
	int any;
};

struct ib_pd {
	struct ib_device *device;
};

struct ib_xrcd {
	struct ib_device *device;
};

struct ib_cq {
	struct ib_device *device;
};

struct ib_ah {
	struct ib_device *device;
};

enum ib_event_type {
	IB_EVENT_QP_FATAL = 1,
	IB_EVENT_QP_REQ_ERR,
	IB_EVENT_QP_ACCESS_ERR,
	IB_EVENT_COMM_EST,
	IB_EVENT_SQ_DRAINED,
	IB_EVENT_DEVICE_FATAL = 8,
	IB_EVENT_SRQ_ERR = 14,
	IB_EVENT_SRQ_LIMIT_REACHED,
	IB_EVENT_QP_LAST_WQE_REACHED,
};

struct ib_event {
	struct ib_device *device;
	union {
		struct ib_qp *qp;
		struct ib_srq *srq;
	} element;
	enum ib_event_type event;
};

enum ib_srq_type {
	IB_SRQT_BASIC,
	IB_SRQT_XRC,
};

enum ib_srq_attr_mask {
	IB_SRQ_MAX_WR = 1,
	IB_SRQ_LIMIT = 1 << 1,
};

struct ib_srq_attr {
	u32 max_wr;
	u32 max_sge;
	u32 srq_limit;
};

struct ib_srq_init_attr {
	struct ib_srq_attr attr;
	enum ib_srq_type srq_type;
};

struct ib_srq {
	struct ib_device *device;
	struct ib_pd *pd;
	void (*event_handler)(struct ib_event *event, void *context);
	void *srq_context;
	enum ib_srq_type srq_type;
	struct {
		struct ib_cq *cq;
		struct {
			struct ib_xrcd *xrcd;
			u32 srq_num;
		} xrc;
	} ext;
};

struct ib_wq {
	u32 wq_num;
};

struct ib_rwq_ind_table_init_attr {
	u32 log_ind_tbl_size;
};

struct ib_rwq_ind_table {
	struct ib_device *device;
	u32 log_ind_tbl_size;
	struct ib_wq **ind_tbl;
};

struct ib_qp_init_attr {
	void (*event_handler)(struct ib_event *event, void *context);
	void *qp_context;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	struct ib_srq *srq;
	struct ib_xrcd *xrcd;
	struct ib_qp_cap cap;
	enum ib_sig_type sq_sig_type;
	enum ib_qp_type qp_type;
	u32 create_flags;
	u32 port_num;
	struct ib_rwq_ind_table *rwq_ind_tbl;
};

struct ib_qp {
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	struct ib_srq *srq;
	struct ib_xrcd *xrcd;
	void (*event_handler)(struct ib_event *event, void *context);
	void *qp_context;
	u32 qp_num;
	enum ib_qp_type qp_type;
	struct ib_rwq_ind_table *rwq_ind_tbl;
};

bool ib_modify_qp_is_ok(enum ib_qp_state cur, enum ib_qp_state next,
			enum ib_qp_type type, int mask);

/* ---- messages to processes: kernel consumers have none ---- */

#define ib_no_udata_io(udata)			((void)(udata), 0)
#define ib_is_udata_in_empty(udata)		((void)(udata), 0)
#define ib_respond_empty_udata(udata)		((void)(udata), 0)
#define ib_respond_udata(udata, resp)		((void)(udata), (void)(resp), 0)
#define ibdev_dbg(device, ...)			((void)(device))

struct ib_umem;

int ib_umem_copy_from(void *to, struct ib_umem *umem, size_t offset,
		      size_t length);

#endif /* PROOF_IB_OBJECTS_H */
