// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA queries of device and port: reports the capabilities, which xrdma_cmd.c
 * has read, the device clock, and the state of the netdev (xrdma_netdev.c). The
 * GID table is in xrdma_gid.c, queries of queues and queue pairs in xrdma_srq.c
 * and xrdma_qp_modify.c, counters in xrdma_port_stats.c.
 */

#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_cmd.h"
#include "xrdma_dm.h"
#include "xrdma_frmr.h"
#include "xrdma_ibdev.h"
#include "xrdma_odp.h"
#include "xrdma_persistent.h"
#include "xrdma_query.h"

#define UVERBS_MODULE_NAME xrdma
#include <rdma/uverbs_named_ioctl.h>

/*
 * Number 0 of each kind is never allocated, and QPN 1 is reserved too. The netdev has
 * a protection domain; its shares of the queues are in struct xrdma_ibdev.
 */
#define XRDMA_RESERVED_QPS	XRDMA_QPN_FIRST
#define XRDMA_RESERVED_CQS	1
#define XRDMA_RESERVED_SRQS	1
#define XRDMA_RESERVED_PDS	2
#define XRDMA_RESERVED_KEYS	1

/* Longest delay of an acknowledge by this device: 4.096 us * 2^n */
#define XRDMA_LOCAL_ACK_DELAY	15

/* A device reports windows of type 2A or 2B, never both (IBTA o10-37.2.31). */
static u64 xrdma_mw_flags(const struct xrdma_caps *caps)
{
	u64 flags = 0;

	if (caps->flags & XRDMA_CAP_MW_TYPE_1)
		flags |= IB_DEVICE_MEM_WINDOW;
	if (caps->flags & XRDMA_CAP_MW_TYPE_2B)
		flags |= IB_DEVICE_MEM_WINDOW_TYPE_2B;
	else if (caps->flags & XRDMA_CAP_MW_TYPE_2A)
		flags |= IB_DEVICE_MEM_WINDOW_TYPE_2A;
	return flags;
}

static void xrdma_fill_srq_limits(struct ib_device_attr *attr,
				  const struct xrdma_caps *caps)
{
	if (!(caps->flags & XRDMA_CAP_SRQ))
		return;
	attr->max_srq = caps->max_srq - XRDMA_RESERVED_SRQS;
	attr->max_srq_wr = caps->max_qp_wr;
	attr->max_srq_sge = caps->max_sge;
}

/*
 * The number of address handles has no limit: the device does not store them.
 */
static void xrdma_fill_datagram_limits(struct ib_device_attr *attr,
				       const struct xrdma_caps *caps)
{
	if (caps->flags & XRDMA_CAP_UD)
		attr->max_ah = INT_MAX;
	if (caps->flags & XRDMA_CAP_RAW_PACKET)
		attr->max_raw_ethy_qp = attr->max_qp;
	if (!(caps->flags & XRDMA_CAP_MCAST))
		return;
	attr->max_mcast_grp = caps->max_mcast;
	attr->max_mcast_qp_attach = attr->max_qp;
	attr->max_total_mcast_qp_attach = min_t(u64, INT_MAX,
						(u64)caps->max_mcast *
						attr->max_qp);
}

static u64 xrdma_queue_flags(const struct xrdma_caps *caps)
{
	u64 flags = 0;

	if (caps->flags & XRDMA_CAP_SRQ)
		flags |= IB_DEVICE_SRQ_RESIZE;
	if (caps->flags & XRDMA_CAP_XRC)
		flags |= IB_DEVICE_XRC;
	return flags;
}

static void xrdma_fill_limits(struct ib_device_attr *attr,
			      const struct xrdma_ibdev *xib)
{
	const struct xrdma_caps *caps = &xib->hw.caps;

	attr->max_mr_size = caps->max_mr_size;
	attr->page_size_cap = GENMASK_ULL(XRDMA_LEAF_SHIFT_MAX,
					  XRDMA_LEAF_SHIFT_MIN);
	attr->max_qp = caps->max_qp - XRDMA_RESERVED_QPS - xib->port_qpns.num;
	attr->max_qp_wr = caps->max_qp_wr;
	attr->max_send_sge = caps->max_sge;
	attr->max_recv_sge = caps->max_sge;
	attr->max_sge_rd = caps->max_sge;
	attr->max_cq = caps->max_cq - XRDMA_RESERVED_CQS - xib->port_cqns.num;
	attr->max_cqe = caps->max_cqe;
	attr->max_mr = (1 << caps->log_max_keys) - XRDMA_RESERVED_KEYS;
	attr->max_mw = xrdma_mw_flags(caps) ? attr->max_mr : 0;
	if (caps->flags & XRDMA_CAP_FAST_REG)
		attr->max_fast_reg_page_list_len = XRDMA_FRMR_MAX_PAGES;
	attr->max_pd = caps->max_pd - XRDMA_RESERVED_PDS;
	attr->max_qp_rd_atom = caps->max_rd_atomic;
	attr->max_qp_init_rd_atom = caps->max_rd_atomic;
	attr->max_res_rd_atom = caps->max_rd_atomic * attr->max_qp;
	attr->max_pkeys = 1;
	xrdma_fill_srq_limits(attr, caps);
	xrdma_fill_datagram_limits(attr, caps);
}

static u64 xrdma_extension_flags(const struct xrdma_caps *caps)
{
	u64 flags = 0;

	if (caps->flags & XRDMA_CAP_FLUSH)
		flags |= IB_DEVICE_FLUSH_GLOBAL;
	if (caps->flags & XRDMA_CAP_FLUSH && xrdma_persistent_exists())
		flags |= IB_DEVICE_FLUSH_PERSISTENT;
	if (caps->flags & XRDMA_CAP_ATOMIC_WRITE)
		flags |= IB_DEVICE_ATOMIC_WRITE;
	if (caps->flags & XRDMA_CAP_FLOW)
		flags |= IB_DEVICE_MANAGED_FLOW_STEERING;
	return flags;
}

/* Limits of moderation, and of receive work queues and RSS for raw frames */
static void xrdma_fill_ethernet(struct ib_device_attr *attr,
				const struct xrdma_caps *caps)
{
	attr->cq_caps.max_cq_moderation_count = U16_MAX;
	attr->cq_caps.max_cq_moderation_period = U16_MAX;
	if (!(caps->flags & XRDMA_CAP_FLOW))
		return;
	/* receive work queues and RSS objects have queue pair numbers */
	attr->max_wq_type_rq = attr->max_qp;
	attr->rss_caps.supported_qpts = BIT(IB_QPT_RAW_PACKET);
	attr->rss_caps.max_rwq_indirection_tables = attr->max_qp;
	attr->rss_caps.max_rwq_indirection_table_size = caps->max_rss;
}

/**
 * xrdma_modify_device() - ib_device_ops.modify_device
 * @ibdev: the device
 * @mask: which attributes to set, enum ib_device_modify_flags
 * @modify: new values
 *
 * The node description is for people who look at a fabric: rdma-ndd writes the name of
 * the host there. The device does not use it. The next RDMA device of the function gets
 * it too.
 *
 * Context: may sleep.
 * Return: 0, or -EOPNOTSUPP: @mask has more than the node description.
 */
int xrdma_modify_device(struct ib_device *ibdev, int mask,
			struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask)
		memcpy(ibdev->node_desc, modify->node_desc,
		       sizeof(ibdev->node_desc));
	return 0;
}

/**
 * xrdma_query_device() - ib_device_ops.query_device
 * @ibdev: the device
 * @attr: output: attributes; zeroed by the caller
 * @udata: contains no driver data, and gets none
 *
 * Context: process.
 * Return: 0, or an errno of bad @udata.
 */
int xrdma_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		       struct ib_udata *udata)
{
	struct xrdma_dev *xdev = &to_xibdev(ibdev)->hw;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	xrdma_fill_limits(attr, to_xibdev(ibdev));
	attr->fw_ver = xdev->caps.fw_version;
	attr->sys_image_guid = xdev->caps.node_guid;
	attr->vendor_id = xdev->pdev->vendor;
	attr->vendor_part_id = xdev->pdev->device;
	attr->hw_ver = xdev->pdev->revision;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->local_ca_ack_delay = XRDMA_LOCAL_ACK_DELAY;
	attr->max_dm_size = xrdma_dm_size(to_xibdev(ibdev));
	/* time stamps in completions: 64 bits, in ns */
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = USEC_PER_SEC;
	attr->device_cap_flags = IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 xrdma_mw_flags(&xdev->caps) |
				 xrdma_queue_flags(&xdev->caps);
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	if (xdev->caps.flags & XRDMA_CAP_FAST_REG)
		attr->device_cap_flags |= IB_DEVICE_MEM_MGT_EXTENSIONS;
	attr->device_cap_flags |= xrdma_extension_flags(&xdev->caps);
	xrdma_fill_ethernet(attr, &xdev->caps);
	xrdma_odp_fill_caps(to_xibdev(ibdev), attr);
	return 0;
}

/*
 * Method for ibv_query_rt_values_ex(): the device clock, by which completions have
 * their time stamps.
 */
static int UVERBS_HANDLER(XRDMA_IB_METHOD_QUERY_CLOCK)
				(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ibuc = ib_uverbs_get_ucontext(attrs);
	struct xrdma_dev *xdev;
	u64 clock;
	int err;

	if (IS_ERR(ibuc))
		return PTR_ERR(ibuc);
	xdev = &to_xibdev(ibuc->device)->hw;
	if (!(xdev->caps.flags & XRDMA_CAP_CLOCK))
		return -EOPNOTSUPP;
	err = xrdma_hw_clock(xdev, &clock, NULL);
	if (err)
		return err;
	return uverbs_copy_to(attrs, XRDMA_IB_ATTR_QUERY_CLOCK_RESP, &clock,
			      sizeof(clock));
}

DECLARE_UVERBS_NAMED_METHOD(XRDMA_IB_METHOD_QUERY_CLOCK,
			    UVERBS_ATTR_PTR_OUT(XRDMA_IB_ATTR_QUERY_CLOCK_RESP,
						UVERBS_ATTR_TYPE(u64),
						UA_MANDATORY));

ADD_UVERBS_METHODS(xrdma_query_clock, UVERBS_OBJECT_DEVICE,
		   &UVERBS_METHOD(XRDMA_IB_METHOD_QUERY_CLOCK));

const struct uapi_definition xrdma_query_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &xrdma_query_clock),
	{}
};

static enum ib_mtu xrdma_ib_mtu(unsigned int mtu)
{
	return iboe_get_mtu(mtu) ?: IB_MTU_256;
}

/**
 * xrdma_active_mtu() - largest path MTU that the MTU of the netdev allows
 * @xib: the device
 *
 * Context: any.
 * Return: IB_MTU_256 to IB_MTU_4096.
 */
enum ib_mtu xrdma_active_mtu(struct xrdma_ibdev *xib)
{
	return xrdma_ib_mtu(READ_ONCE(xib->netdev->mtu));
}

/**
 * xrdma_query_port() - ib_device_ops.query_port
 * @ibdev: the device
 * @port: 1
 * @attr: output: attributes; zeroed by the caller
 *
 * State, speed and MTU are those of the netdev. ib_core sets the subnet prefix.
 *
 * Context: may sleep, takes the RTNL.
 * Return: 0, or an error of ib_get_eth_speed().
 */
int xrdma_query_port(struct ib_device *ibdev, u32 port,
		     struct ib_port_attr *attr)
{
	struct xrdma_ibdev *xib = to_xibdev(ibdev);
	struct net_device *netdev = xib->netdev;

	attr->state = IB_PORT_DOWN;
	attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	if (netif_running(netdev) && netif_carrier_ok(netdev)) {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	}
	attr->max_mtu = xrdma_ib_mtu(xib->hw.caps.max_mtu);
	attr->active_mtu = xrdma_active_mtu(xib);
	attr->gid_tbl_len = xib->hw.caps.max_gid;
	attr->ip_gids = true;
	attr->max_msg_sz = 1U << 31;
	if (xib->hw.caps.flags & XRDMA_CAP_UD)
		attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	return ib_get_eth_speed(ibdev, port, &attr->active_speed,
				&attr->active_width);
}

/**
 * xrdma_get_port_immutable() - ib_device_ops.get_port_immutable
 * @ibdev: the device
 * @port: 1
 * @immutable: output: protocols and table sizes
 *
 * The port is a RoCEv2 port. Management datagrams and the connection manager
 * need UD queue pairs; on a device without UD, applications set up connections
 * themselves.
 *
 * Context: may sleep.
 * Return: 0, or an errno of ib_query_port().
 */
int xrdma_get_port_immutable(struct ib_device *ibdev, u32 port,
			     struct ib_port_immutable *immutable)
{
	u64 flags = to_xibdev(ibdev)->hw.caps.flags;
	struct ib_port_attr attr;
	int err;

	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP |
				    RDMA_CORE_CAP_ETH_AH |
				    RDMA_CORE_CAP_AF_IB;
	if (flags & XRDMA_CAP_UD) {
		immutable->core_cap_flags |= RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
		immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	}
	if (flags & XRDMA_CAP_RAW_PACKET)
		immutable->core_cap_flags |= RDMA_CORE_CAP_PROT_RAW_PACKET;
	err = ib_query_port(ibdev, port, &attr);
	if (err)
		return err;

	immutable->gid_tbl_len = attr.gid_tbl_len;
	immutable->pkey_tbl_len = attr.pkey_tbl_len;
	return 0;
}

/**
 * xrdma_get_link_layer() - ib_device_ops.get_link_layer
 * @ibdev: the device
 * @port: 1
 *
 * Context: any.
 * Return: IB_LINK_LAYER_ETHERNET.
 */
enum rdma_link_layer xrdma_get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/**
 * xrdma_query_pkey() - ib_device_ops.query_pkey
 * @ibdev: the device
 * @port: 1
 * @index: index in the P_Key table, which has one entry
 * @pkey: output: P_Key of the default partition; RoCEv2 has no other
 *
 * Context: any.
 * Return: 0; or -EINVAL: @index is not 0.
 */
int xrdma_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

/**
 * xrdma_get_dev_fw_str() - ib_device_ops.get_dev_fw_str
 * @ibdev: the device
 * @str: output: "major.minor.patch", in IB_FW_VERSION_NAME_MAX bytes
 *
 * Context: any.
 */
void xrdma_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	u64 fw = to_xibdev(ibdev)->hw.caps.fw_version;

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u.%u", upper_32_bits(fw),
		 lower_32_bits(fw) >> 16, lower_32_bits(fw) & 0xffff);
}
