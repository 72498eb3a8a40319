// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of MODIFY_PORT, QUERY_PORT and the GID table.
 */
#include <string.h>

#include "tests/lib/core_env.h"

static const u8 mac[6] = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee };

static struct xrdma_cmd make_port(u32 flags, u32 mtu, u32 eth_qpn)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_PORT);

	cmd.modify_port.flags = cpu_to_le32(flags);
	cmd.modify_port.mtu = cpu_to_le32(mtu);
	cmd.modify_port.eth_qpn = cpu_to_le32(eth_qpn);
	memcpy(cmd.modify_port.mac, mac, sizeof(mac));
	return cmd;
}

static void query(struct core_env *env, struct xrdma_rsp_query_port *rsp)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_QUERY_PORT);

	*rsp = core_cmd(env, &cmd)->query_port;
}

static void the_link_follows_port_and_carrier(void **state)
{
	struct core_env *env = *state;
	struct xrdma_rsp_query_port rsp;

	query(env, &rsp);
	assert_int_equal(rsp.flags, 0);
	assert_int_equal(rsp.speed, 0);
	assert_memory_equal(rsp.mac, mac, sizeof(mac));
	assert_int_equal(core_status(env, make_port(XRDMA_PORT_UP, 1500, 0)),
			 XRDMA_CMD_OK);
	assert_int_equal(core_status(env, make_port(XRDMA_PORT_UP, 9000, 0)),
			 XRDMA_CMD_OK);
	query(env, &rsp);
	assert_int_equal(le32_to_cpu(rsp.flags), XRDMA_PORT_UP);
	assert_int_equal(le32_to_cpu(rsp.speed), MODEL_LINK_SPEED);
	assert_int_equal(core_eqe(env, 0, 0)->event, XRDMA_EVENT_PORT_UP);
	assert_int_equal(le32_to_cpu(core_eqe(env, 0, 0)->number), 1);
	assert_null(core_eqe(env, 0, 1));
	mock_wire.carrier = false;
	model_port_link_changed(env->dev);
	assert_int_equal(core_eqe(env, 0, 1)->event, XRDMA_EVENT_PORT_DOWN);
	assert_int_equal(mock_wire.port_changes, 2);
	assert_int_equal(env->dev->port.mtu, 9000);
}

static void port_values_are_checked(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;
	struct xrdma_cmd cmd;

	core_create_qp(env, 5, &cqp);
	assert_int_equal(core_status(env, make_port(128, 1500, 0)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, make_port(XRDMA_PORT_GRO, 1500, 0)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, make_port(XRDMA_PORT_GRO |
						    XRDMA_PORT_CSUM, 1500, 0)),
			 XRDMA_CMD_OK);
	assert_int_equal(core_status(env, make_port(0, 67, 0)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, make_port(0, 9001, 0)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, make_port(0, 1500, 5)),
			 XRDMA_CMD_BAD_PARAM);
	cmd = make_port(0, 1500, 0);
	cmd.modify_port.mac[0] = 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_port(0, 1500, 0);
	cmd.modify_port.reserved[1] = 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, 7);
	assert_int_equal(core_status(env, make_port(0, 1500, 9)),
			 XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 1);
}

static void the_ethernet_qp_is_busy(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd cmd = core_make_qp(env, 5);

	cmd.create_qp.type = XRDMA_QP_RAW;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	assert_int_equal(core_status(env, make_port(0, 1500, 5)),
			 XRDMA_CMD_OK);
	cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_QP, 5);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BUSY);
	core_expect(env, MODEL_HERR_CMD_BUSY, 1);
	assert_int_equal(core_status(env, make_port(0, 1500, 0)),
			 XRDMA_CMD_OK);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
}

static struct xrdma_cmd make_gid(u32 index, u32 flags)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_SET_GID);
	static const u8 ipv4[16] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 168, 77, 1
	};

	cmd.set_gid.index = cpu_to_le32(index);
	cmd.set_gid.flags = cpu_to_le32(flags);
	if (flags) {
		memcpy(cmd.set_gid.gid, ipv4, sizeof(ipv4));
		memcpy(cmd.set_gid.mac, mac, sizeof(mac));
	}
	return cmd;
}

static void gids_come_and_go(void **state)
{
	u32 flags = XRDMA_GID_VALID | XRDMA_GID_IPV4 | XRDMA_GID_VLAN;
	struct core_env *env = *state;
	struct xrdma_cmd cmd = make_gid(63, flags);
	const struct model_gid *gid;

	cmd.set_gid.vlan_tci = cpu_to_le16(0x2064);
	assert_null(model_gid_get(env->dev, 63));
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	gid = model_gid_get(env->dev, 63);
	assert_int_equal(gid->vlan_tci, 0x2064);
	assert_memory_equal(gid->mac, mac, sizeof(mac));
	assert_true(model_gid_is_local(env->dev, cmd.set_gid.gid));
	assert_int_equal(core_status(env, make_gid(63, 0)), XRDMA_CMD_OK);
	assert_null(model_gid_get(env->dev, 63));
	assert_false(model_gid_is_local(env->dev, cmd.set_gid.gid));
	assert_null(model_gid_get(env->dev, 64));
}

static void gid_values_are_checked(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd cmd;

	assert_int_equal(core_status(env, make_gid(64, 5)),
			 XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 1);
	assert_int_equal(core_status(env, make_gid(1, XRDMA_GID_VALID)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, make_gid(1, XRDMA_GID_IPV4)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, make_gid(1, 8 | 5)),
			 XRDMA_CMD_BAD_PARAM);
	cmd = make_gid(1, 5);
	cmd.set_gid.vlan_tci = cpu_to_le16(1);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_gid(1, 5);
	cmd.set_gid.gid[0] = 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_gid(1, 0);
	cmd.set_gid.mac[5] = 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, 6);
}

/* Ports begin with an MTU of 1500, which has room for 1024 bytes and headers. */
static void a_path_mtu_fits_into_that_of_the_port(void **state)
{
	struct xrdma_cmd port = xrdma_make_cmd(XRDMA_CMD_MODIFY_PORT);
	struct xrdma_cmd cmd = core_make_modify(5, XRDMA_QPS_RTR);
	struct core_env *env = *state;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	assert_int_equal(core_status(env, core_make_modify(5, XRDMA_QPS_INIT)),
			 XRDMA_CMD_OK);
	cmd.modify_qp.attr.path_mtu = 4;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	port.modify_port.mtu = cpu_to_le32(2048 + 95);
	assert_int_equal(core_status(env, port), XRDMA_CMD_OK);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	port.modify_port.mtu = cpu_to_le32(2048 + 96);
	assert_int_equal(core_status(env, port), XRDMA_CMD_OK);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	assert_int_equal(env->herr->total, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_TEST(the_link_follows_port_and_carrier, queues),
		CORE_TEST(port_values_are_checked, queues),
		CORE_TEST(the_ethernet_qp_is_busy, queues),
		CORE_TEST(gids_come_and_go, queues),
		CORE_TEST(gid_values_are_checked, queues),
		CORE_TEST(a_path_mtu_fits_into_that_of_the_port, queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
