# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Maps each operation that the driver gives to the core to the verbs of sweep_verbs.py
that call it, so that a test can check that no operation is missing. An operation that
destroys an object is swept with the verb that creates the object: each sweep also runs
with faults in the destruction.
"""

import re

from lib.paths import TOP

SOURCES = TOP / "drivers/infiniband/hw/xrdma"
TABLE = re.compile(r"^(?:static )?const struct ib_device_ops \w+ = \{\n(.*?)^\};",
                   re.M | re.S)
FIELD = re.compile(r"^\t\.(\w+) =", re.M)

# members that are not functions, and operations that allocate nothing, because the
# memory exists already or the core passes it
NO_CALLS = {"owner", "driver_id", "uverbs_abi_ver", "uverbs_robust_udata",
            "size_ib_rwq_ind_table", "size_rdma_counter"}
FRUGAL = {"add_gid", "del_gid", "disassociate_ucontext", "fill_res_cq_entry",
          "fill_res_mr_entry", "fill_res_mr_entry_raw", "fill_res_qp_entry",
          "fill_res_srq_entry", "fill_stat_mr_entry",
          "get_dev_fw_str", "get_link_layer", "get_port_immutable",
          "map_mr_sg", "modify_device", "poll_cq", "post_recv", "post_send",
          "post_srq_recv", "query_ah", "query_device", "query_pkey", "query_port",
          "query_ucontext", "req_notify_cq", "ufile_hw_cleanup",
          "counter_init", "counter_dealloc", "mmap_free", "mmap_get_pfns",
          "pgoff_to_mmap_entry"}
# The core calls this operation only in probe, where its allocations must not fail;
# debug/test_failslab.py has the reason.
UNSWEPT = {"alloc_hw_port_stats"}
# operation -> verbs that call it, and the operation that destroys the object or None
SWEPT = {
    "advise_mr": ("advise_mr", None),
    "alloc_dm": ("alloc_dm", "dealloc_dm"),
    "alloc_mr": ("kernel-alloc_mr", "dereg_mr"),
    "alloc_mw": ("alloc_mw-2", "dealloc_mw"),
    "alloc_pd": ("pd", "dealloc_pd"),
    "alloc_ucontext": ("context", "dealloc_ucontext"),
    "alloc_xrcd": ("xrcd", "dealloc_xrcd"),
    "attach_mcast": ("attach_mcast", "detach_mcast"),
    "counter_alloc_stats": ("bind_counter", None),
    "counter_bind_qp": ("bind_counter", "counter_unbind_qp"),
    "counter_update_stats": ("bind_counter", None),
    "create_ah": ("kernel-create_ah", "destroy_ah"),
    "create_cq": ("kernel-create_cq", "destroy_cq"),
    "create_flow": ("create_flow", "destroy_flow"),
    "create_qp": ("kernel-create_qp_rc", "destroy_qp"),
    "create_rwq_ind_table": ("create_rwq_ind_table", "destroy_rwq_ind_table"),
    "create_srq": ("kernel-create_srq", "destroy_srq"),
    "create_user_ah": ("create_ah", None),
    "create_wq": ("create_wq", "destroy_wq"),
    "get_dma_mr": ("kernel-get_dma_mr", None),
    "get_hw_stats": ("hw_counters", None),
    "mmap": ("doorbell_page", None),
    "modify_cq": ("modify_cq", None),
    "modify_qp": ("modify_qp_rc", None),
    "modify_srq": ("modify_srq-1", None),
    "modify_wq": ("modify_wq", None),
    "post_destroy_cq": ("kernel-create_cq", None),
    "pre_destroy_cq": ("kernel-create_cq", None),
    "query_qp": ("query_qp", None),
    "query_srq": ("query_srq", None),
    "reg_dm_mr": ("reg_dm_mr", None),
    "reg_user_mr": ("reg_mr-mixed", None),
    "reg_user_mr_dmabuf": ("reg_dmabuf_mr", None),
    "rereg_user_mr": ("rereg_mr-7", None),
    "resize_user_cq": ("resize_cq", None),
}


def operations():
    """The names of the driver's operations, from its tables."""
    found = set()
    for path in SOURCES.glob("*.c"):
        for table in TABLE.findall(path.read_text()):
            found |= set(FIELD.findall(table))
    return found


def accounted():
    """The names of the operations that are swept or need no sweep."""
    ends = {end for _, end in SWEPT.values()} - {None}
    return NO_CALLS | FRUGAL | UNSWEPT | set(SWEPT) | ends
