# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The patches for rdma-core: which file belongs to which patch. Each patch compiles; the
provider becomes part of the build with its main file. The series is for rdma-core from
version 64 on. scripts/check-series checks the table."""

from series_parts import (Part, after, before, cut, kernel_driver_ids, replace,
                          source_list)

NAME = "rdma-core"
PREFIX = "PATCH rdma-core"
PROVIDER = "providers/xrdma"
# Directories of this repository each of whose files belongs to one patch, but FOREIGN:
# what adapts the provider to older versions, and its tests, which need the device
# specification.
OWN = ("rdma-core",)
FOREIGN = (f"rdma-core/{PROVIDER}/compat.h", f"rdma-core/{PROVIDER}/tests/*")
BEYOND = ()
BEYOND_FILES = ()
LIST = f"{PROVIDER}/CMakeLists.txt"
GROW = source_list


def provider(names):
    """Files of the provider."""
    return {f"{PROVIDER}/{name}": f"rdma-core/{PROVIDER}/{name}"
            for name in names.split()}


# The provider of the series has no test programs, and calls libibverbs directly.
NO_COMPAT = cut(r'^#include "compat\.h"$', r"^#include")
UPSTREAM = {
    f"rdma-core/{PROVIDER}/CMakeLists.txt": [cut(r"^\n# The tests link", r"\Z")],
    f"rdma-core/{PROVIDER}/xrdma.c": [NO_COMPAT, replace(
        "xrdma_ibv_get_context(&ctx->ibv_ctx, &cmd, sizeof(cmd), &resp.ibv_resp, "
        "sizeof(resp));",
        "ibv_cmd_get_context(&ctx->ibv_ctx, &cmd, sizeof(cmd), NULL,\n"
        "\t\t\t\t  &resp.ibv_resp, sizeof(resp));")],
    f"rdma-core/{PROVIDER}/rwq.c": [NO_COMPAT, replace(
        "xrdma_ibv_create_qp(ibctx, &qp->verbs_qp, attr, &cmd.ibv_cmd, sizeof(cmd), "
        "&resp.ibv_resp, sizeof(resp));",
        "ibv_cmd_create_qp_ex2(ibctx, &qp->verbs_qp, attr, &cmd.ibv_cmd,\n"
        "\t\t\t\t    sizeof(cmd), &resp.ibv_resp, sizeof(resp), NULL);")],
    f"rdma-core/{PROVIDER}/mr.c": [NO_COMPAT, replace(
        "xrdma_ibv_reg_dmabuf(ibpd, offset, length, iova, fd, access, vmr);",
        "ibv_cmd_reg_dmabuf_mr(ibpd, offset, length, iova, fd, access, vmr,\n"
        "\t\t\t\t    NULL);")],
}
ABI = {f"kernel-headers/rdma/{name}": f"include/uapi/rdma/{name}"
       for name in ("xrdma-abi.h", "xrdma-ring.h")}
WHAT = "XRDMA RDMA over Converged Ethernet adapter"

PARTS = [
    Part("Update kernel headers", """
        The headers of the XRDMA driver, and the numbers of all drivers as the kernel
        has them.""",
         ABI,
         {"kernel-headers/rdma/ib_user_ioctl_verbs.h": [kernel_driver_ids],
          "kernel-headers/CMakeLists.txt": [
              replace("rdma/vmw_pvrdma-abi.h\n  )\n\npublish_internal",
                      "rdma/vmw_pvrdma-abi.h\n  rdma/xrdma-abi.h\n"
                      "  rdma/xrdma-ring.h\n  )\n\npublish_internal"),
              after(r"rdma_kernel_provider_abi\((?:\n  \S+)*?\n"
                    r"  rdma/vmw_pvrdma-abi\.h\n", "  rdma/xrdma-abi.h\n")]}),
    Part("xrdma: Add objects of the provider", """
        Protection domains, address handles, regions, windows, device memory, queues and
        flow rules. The layouts of queue entries are those of the kernel's headers. The
        patch "Register the provider" adds the directory to the build.""",
         provider("""CMakeLists.txt xrdma-abi.h xrdma.h ring.h wqe.h buf.c domain.c
             ah_pd.c mr.c mw.c dm.c cq.c cq_resize.c srq.c xrc.c qp.c qp_size.c
             qp_table.c rwq.c flow.c""")),
    Part("xrdma: Add posting and polling", """
        Work is posted, and completions are polled, without a system call: by
        ibv_post_send() and ibv_poll_cq(), and by the extended interfaces of queue pairs
        and completion queues.""",
         provider("post.c push.c wr.c recv.c poll.c")),
    Part("xrdma: Register the provider", """
        The provider is built on architectures with coherent DMA, like other providers
        of PCI devices.""",
         provider("xrdma.c man/CMakeLists.txt man/xrdma.7"),
         {"CMakeLists.txt": [after(r"^add_subdirectory\(providers/vmw_pvrdma\)\n",
                                   "add_subdirectory(providers/xrdma)\n")],
          "libibverbs/verbs.h": [after(
              r"^extern const struct verbs_device_ops verbs_provider_vmw_pvrdma;\n",
              "extern const struct verbs_device_ops verbs_provider_xrdma;\n")]}),
    Part("xrdma: Add the provider to the packages", """
        The lists of providers in README.md, MAINTAINERS and the descriptions of the
        packages for Debian, Fedora and SUSE, and the manual page in the lists of
        files.""",
         {},
         {"MAINTAINERS": [before(
             r"^PYVERBS\n", "XRDMA USERSPACE PROVIDER (for xrdma.ko)\n"
             f"M:\t@MAINTAINER@\nS:\tMaintained\nF:\t{PROVIDER}/\n\n")],
          "README.md": [after(r"^ - vmw_pvrdma\.ko\n", " - xrdma.ko\n")],
          "debian/control": [after(r"^  - vmw_pvrdma: .*\n", f"  - xrdma: {WHAT}\n")],
          "debian/copyright": [after(
              r"^Files: providers/vmw_pvrdma/\*\n(?:.+\n)+\n",
              f"Files: {PROVIDER}/*\nCopyright: @YEAR@, @HOLDER@\n"
              "License: BSD-MIT or GPL-2\n\n")],
          "debian/ibverbs-providers.install": [after(
              r"(?s)\A.*\n", "usr/share/man/man7/xrdma.7\n")],
          "debian/rules": [replace(r"mlx[45]/d'", r"mlx[45]\|xrdma/d'")],
          "redhat/rdma-core.spec": [
              after(r"^- libvmw_pvrdma: .*\n", f"- libxrdma: {WHAT}\n"),
              after(r"^%\{_mandir\}/man7/rxe\*\n", "%{_mandir}/man7/xrdma.7*\n")],
          "suse/rdma-core.spec": [
              after(r"^- libvmw_pvrdma: .*\n", f"- libxrdma: {WHAT}\n"),
              after(r"^%\{_mandir\}/man7/rxe\*\n", "%{_mandir}/man7/xrdma.7*\n")]}),
    Part("tests: Add tests of the XRDMA provider", """
        The tests are skipped without an XRDMA device.""",
         {"tests/test_xrdma.py": "rdma-core/tests/test_xrdma.py"},
         {"tests/CMakeLists.txt": [after(r"^  test_tag_matching\.py\n",
                                         "  test_xrdma.py\n")]}),
]

TITLE = "Add the provider of XRDMA adapters"
LETTER = """
This series adds the provider of the xrdma kernel driver, which was sent to
linux-rdma: RoCEv2 with RC, UC, UD and XRC queue pairs, raw packets, shared
receive queues, extended completions, memory windows, dma-buf, device memory,
on-demand paging, null regions, flow rules and receive side scaling.

Each patch compiles. The patch "Register the provider" adds the provider to the
build.
"""
