# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The patches for Linux: which file belongs to which patch.

A file includes and calls only files of its own patch and of earlier patches, so each
patch compiles. Therefore lower layers come first, and a header comes with the first file
that includes it. The last patch of code adds the driver to the kernel's build.
scripts/check-series checks the table."""

from series_parts import (Part, after, at_end, cut, in_place, maintainers_entry,
                          next_driver_id, object_list, replace)

NAME = "linux"
PREFIX = "PATCH rdma-next"
DRIVER = "drivers/infiniband/hw/xrdma"
SUITES = f"{DRIVER}/tests"
DOCUMENTS = "Documentation/infiniband"
# Directories of this repository each of whose files belongs to one patch, but FOREIGN
OWN = (DRIVER, "include", "kunit", DOCUMENTS)
FOREIGN = ("kunit/run",)
# What the repository has beyond the series, as patches: each is taken back before the
# series is written, and is written as a separate series if it has a subject.
BEYOND = ("patches/series/"
          "0001-RDMA-xrdma-Bind-windows-and-flush-in-the-kernel.patch",)
BEYOND_FILES = ("include/rdma/xrdma-bind.h", "include/rdma/xrdma-flush.h")
# The list of files that grows with each patch
LIST = f"{DRIVER}/Makefile"
GROW = object_list

# The documents of the series say nothing about the rest of this repository.
UPSTREAM = {
    f"{DOCUMENTS}/xrdma.rst": [
        cut(r"^Installing on a host$", r"^The kernel loads the module by itself",
            "Driver and provider\n===================\n\nThe option of the driver is "
            "``CONFIG_INFINIBAND_XRDMA``; its module is called\n``xrdma``.\n\n"),
        cut(r"^On Debian, the packages", r"^The manual page ``xrdma",
            "The provider is part of rdma-core.\n"),
        cut(r"^\.\. The tests run the blocks below", r"^NVMe over Fabrics$"),
        cut(r"^Uplinks of the reference device$", r"^When the device fails$"),
    ],
    f"{DOCUMENTS}/xrdma-budget.rst": [
        replace("The reference device counts its own reads and writes of host memory, "
                "in section ``pcie`` of its statistics. A test runs the operations, "
                "compares the counters with the tables of this document, and computes "
                "the tables of `A port of 400 Gb/s`_ and of `Misses of keys and "
                "translations`_ from them; ``bench/run budget`` prints the counters "
                "for a program that uses libibverbs.",
                "The\nfigures are those of a device in software, which counts its "
                "operations."),
        replace("offer ``SHADOW_DB``. ``bench/run budget`` prints the polls apart.",
                "offer ``SHADOW_DB``."),
    ],
    f"{DOCUMENTS}/xrdma-hw.rst": [
        replace("The reference device in ``model/`` implements it; a driver that "
                "complies with it drives any XRDMA device.",
                "A\ndriver that complies with it drives any XRDMA device."),
        replace("the tests of the driver and of the reference device compare with "
                "those bytes, not with each other.",
                "the KUnit\nsuites of the driver compare with those bytes."),
        replace("``scripts/golden`` turns this chapter into the header that the "
                "tests compile.",
                "``golden.h`` of the\nKUnit suites has the same bytes."),
        replace("it. The reference device reads no further frames from its far end in "
                "that time; a sender that cannot hand a frame to the far end takes no "
                "further send entries.", "it."),
    ],
}

SUITE_FILES = """.kunitconfig Kconfig Makefile buf_kunit.c dm_kunit.c encode_kunit.c
    eth_clock_kunit.c eth_kunit.c frmr_kunit.c golden_cases.h golden_eth.h golden_make.h golden_net.h
    golden_odp.h key_growth_kunit.c key_kunit.c mtt_cut_kunit.c mtt_kunit.c mtt_scene.h
    ring_kunit.c
    rules_effect_kunit.c rules_kunit.c rules_scene.h sparse_kunit.c sparse_scene.h
    wqe_kunit.c xlat_kunit.c xlat_layouts.h xlat_walk.h"""

PARTS = [
    Part("RDMA/xrdma: Add the user ABI and the driver id", """
        The user ABI has the structures that the provider and the driver exchange through
        uverbs, and those that user space and the device share: queue entries, queue
        records and the doorbell page. xrdma-ring.h has the arithmetic of rings, which
        the driver and the provider both use.""",
         in_place("xrdma-abi.h xrdma-ring.h", "include/uapi/rdma"),
         {"include/uapi/rdma/ib_user_ioctl_verbs.h": [next_driver_id],
          "MAINTAINERS": [maintainers_entry(
              "XRDMA RDMA OVER CONVERGED ETHERNET DRIVER", "M:\t@MAINTAINER@",
              "L:\tlinux-rdma@vger.kernel.org", "S:\tMaintained",
              f"F:\t{DOCUMENTS}/xrdma*", f"F:\t{DRIVER}/",
              "F:\tinclude/uapi/rdma/xrdma-*.h")]}),
    Part("RDMA/xrdma: Add the contract with the device", """
        These headers define registers, commands, replies, events, key entries and
        translations. The header of the encoders fills in these structures, and
        xrdma_xlat.h and xrdma_sparse.h compute the shape of a translation from a list
        of blocks. None of the headers takes a lock, allocates memory or accesses the
        device. Documentation/infiniband/xrdma-hw.rst, which a later patch adds,
        specifies each structure.""",
         in_place("""xrdma_regs.h xrdma_hw.h xrdma_hw_cmd.h xrdma_hw_rsp.h
             xrdma_hw_steer.h xrdma_hw_eth.h xrdma_encode.h xrdma_xlat.h xrdma_sparse.h""", DRIVER)),
    Part("RDMA/xrdma: Add commands and events", """
        The driver sends commands to the device through a ring in memory, and learns
        events from event queues. A device that does not answer, or that breaks the
        contract, is declared dead once; all later commands fail at once. The device
        layer knows no verbs objects: it reports events through a table of
        handlers.""",
         in_place("""Makefile xrdma_dev.h xrdma_reset.c xrdma_clock.c xrdma_cmdq.h xrdma_cmdq.c
             xrdma_health.c xrdma_trace_cmd.h xrdma_trace_cmd.c xrdma_cmd.h
             xrdma_cmd_exec.c xrdma_cmd.c xrdma_cmd_port.c xrdma_mtt.h xrdma_mtt.c
             xrdma_buf.h xrdma_buf.c xrdma_eq.h xrdma_eq.c xrdma_resume.h
             xrdma_resume.c""", DRIVER)),
    Part("RDMA/xrdma: Add the key table", """
        The device reads key entries from a table in memory, so a key is published
        without a command. The index of a new key is drawn at random, so that keys are
        not predictable; the table grows while it is in use. INVALIDATE takes keys back
        in batches: when the command has completed, the device no longer accesses the
        memory of these keys.""",
         in_place("""xrdma_ibdev.h xrdma_quarantine.h xrdma_key.h xrdma_key.c
             xrdma_key_table.h xrdma_key_table.c xrdma_inval.h xrdma_inval.c""",
                  DRIVER)),
    Part("RDMA/xrdma: Add memory regions and on-demand paging", """
        A region is a key entry that refers to a translation. One region may mix pages
        of 4 KiB, 2 MiB and 1 GiB. A region with on-demand paging begins without
        translations. The device reports a page fault for a translation that is missing;
        the driver stores the translation, and an entry of the resume ring lets the
        device continue. MMU notifiers and dma-buf exporters take translations back.""",
         in_place("""xrdma_persistent.h xrdma_persistent.c xrdma_mr.h xrdma_mr.c
             xrdma_odp.h xrdma_odp.c xrdma_span.c xrdma_odp_map.c
             xrdma_odp_dmabuf.c xrdma_page_in.c xrdma_odp_owner.c xrdma_odp_fault.c
             xrdma_odp_verbs.c""", DRIVER)),
    Part("RDMA/xrdma: Add contexts, protection domains and address handles", """
        A context maps doorbell pages and device memory into a process. The keys of a
        context are recorded, so that all of them are invalidated by few commands when
        the process ends. Queries report a capability only if the device has it. An
        address handle needs no object of the device: the driver writes the address
        vector into each send entry.""",
         in_place("""xrdma_ctx.h xrdma_ctx.c xrdma_ctx_keys.c xrdma_mw.h xrdma_dm.h
             xrdma_dm.c xrdma_pd.h xrdma_pd.c xrdma_frmr.h xrdma_query.h xrdma_query.c
             xrdma_gid.c
             xrdma_wq.h xrdma_ubuf.h xrdma_qp.h xrdma_ah.h xrdma_ah.c""", DRIVER)),
    Part("RDMA/xrdma: Add registration of memory", """
        These are the verbs of user memory, dma-bufs, fast-register regions and memory
        windows, and the change of a region in place. Deregistration returns only when
        the device no longer accesses the memory. If a dead device may still access
        memory, its pages are kept in a quarantine until the device has been reset.""",
         in_place("""xrdma_dmabuf.h xrdma_dmabuf.c xrdma_ubuf.c xrdma_quarantine.c
             xrdma_mr_verbs.c xrdma_rereg.c xrdma_mw.c xrdma_frmr.c""", DRIVER)),
    Part("RDMA/xrdma: Add completion queues", """
        Completion queues for user space and for the kernel, their moderation and
        resizing, and polling. When the device has died, the driver completes the
        outstanding work requests with IB_WC_WR_FLUSH_ERR. Polling needs the encoding of
        receive entries, since it gives the entries of shared receive queues back;
        therefore the encoding of work requests is part of this patch.""",
         in_place("""xrdma_cq.h xrdma_cq.c xrdma_cq_modify.c xrdma_flush.h
             xrdma_flush.c xrdma_poll.h xrdma_poll.c xrdma_srq.h xrdma_srq_post.c
             xrdma_wqe.h xrdma_wqe.c""", DRIVER)),
    Part("RDMA/xrdma: Add queue pairs and shared receive queues", """
        Queue pairs of types RC, UC, UD, XRC and GSI, and raw packet queue pairs, for
        user space and for the kernel. Changes of state are checked against a table of
        the attributes that each transition needs and allows. A queue pair may hash the
        frames that it receives to an indirection table.""",
         in_place("""xrdma_srq.c xrdma_qp.c xrdma_kqp.h xrdma_kqp.c xrdma_uqp.h
             xrdma_uqp.c xrdma_post.h xrdma_post.c xrdma_rss.h xrdma_rss.c
             xrdma_qp_verbs.c xrdma_qp_modify.c""", DRIVER)),
    Part("RDMA/xrdma: Add receive work queues and flow rules", """
        A flow rule directs frames that match it to a raw packet queue pair or, through
        an indirection table, to work queues. Rules and work queues need CAP_NET_RAW.""",
         in_place("xrdma_rwq.h xrdma_rwq.c xrdma_flow.h xrdma_flow.c", DRIVER)),
    Part("RDMA/xrdma: Add counters, reports of faults and resource tracking", """
        The counters of a port and of a queue pair are read by rdma statistic. The
        device records each access that it refuses with the reason; debugfs shows the
        records, and a tracepoint reports them. debugfs also has the parameters of
        congestion control. Resource tracking adds the fields of the driver to
        rdma resource.""",
         in_place("""xrdma_fault.h xrdma_fault.c xrdma_trace.h xrdma_trace.c
             xrdma_stats.h xrdma_stats.c xrdma_counter.h xrdma_counter.c
             xrdma_port_stats.c xrdma_cc.h xrdma_cc.c xrdma_restrack.h
             xrdma_restrack.c""", DRIVER)),
    Part("RDMA/xrdma: Add the network device", """
        The Ethernet port of the adapter is a network device. It sends and receives
        through raw packet queue pairs in the kernel, with a NAPI and a page pool each,
        and distributes received frames over them by receive side scaling. A PTP
        hardware clock gives frames the time stamps of the device. The GIDs of the RDMA device follow the addresses of the network device.""",
         in_place("""xrdma_eth.h xrdma_eth_port.c xrdma_eth_rss.c xrdma_eth_stats.c
             xrdma_eth.c xrdma_eth_rx.c xrdma_eth_tx.c xrdma_ethtool.c
             xrdma_eth_tstamp.h xrdma_eth_tstamp.c
             xrdma_ethtool_queues.c xrdma_netdev.h xrdma_netdev.c""", DRIVER)),
    Part("RDMA/xrdma: Add the PCI driver and the Kconfig option", """
        Probe and remove, suspend, error recovery, and the replacement of the queues of a
        device that was reset. The table of verbs and the handlers of events connect the
        layers. This patch adds the driver to the kernel's build. The entry in Kconfig is
        outside of the block that excludes UML, since the KUnit suites run there.""",
         in_place("""Kconfig xrdma_function.h xrdma_events.c xrdma_ops.c xrdma_life.c
             xrdma_function.c xrdma_main.c""", DRIVER),
         {"drivers/infiniband/Kconfig": [after(
             r"^endif # !UML\n",
             f'source "{DRIVER}/Kconfig"\n')],
          "drivers/infiniband/hw/Makefile": [at_end(
              "obj-$(CONFIG_INFINIBAND_XRDMA)\t\t+= xrdma/\n")]}),
    Part("RDMA/xrdma: Add KUnit tests", """
        The suites compare the bytes of commands, contexts, work requests and completions
        with those that the device specification states (golden.h), and test the
        arithmetic of rings, translations and tables of paged regions, ring memory, and
        the key table. They need no device, and run in User Mode Linux. xrdma_rules.h has
        the rules by which a device decides who may access, bind and invalidate what;
        the suites test the rules against the tables of the specification.""",
         {**in_place("xrdma_rules.h", DRIVER),
          **{f"{SUITES}/{name}": f"kunit/{name}" for name in SUITE_FILES.split()}},
         {"drivers/infiniband/Kconfig": [after(
             rf'^source "{DRIVER}/Kconfig"\n',
             f'source "{SUITES}/Kconfig"\n')],
          "drivers/infiniband/hw/Makefile": [at_end(
              "obj-$(CONFIG_XRDMA_KUNIT_TEST)\t\t+= xrdma/tests/\n")]},
         {f"{SUITES}/golden.h": ["scripts/golden"]}),
    Part("Documentation: infiniband: Add the XRDMA guide and specification", """
        The guide is for users and administrators. The specification defines how a
        device behaves: registers, structures, commands, packets, and one example in
        bytes for each structure.""",
         in_place("xrdma.rst xrdma-hw.rst xrdma-budget.rst", DOCUMENTS),
         {f"{DOCUMENTS}/index.rst": [after(
             r"^   user_verbs\n", "   xrdma\n   xrdma-hw\n   xrdma-budget\n")]}),
]

TITLE = "RDMA/xrdma: Add a driver for XRDMA adapters"
LETTER = """
This series adds a driver for XRDMA adapters: PCI Express functions with one
Ethernet port and RoCEv2. The driver registers a network device and an RDMA
device. Its main subject is memory registration: a key is published by a store
to memory, without a command; keys are not predictable; one region mixes pages
of several sizes; memory may be pinned or paged on demand; and deregistration
returns only when the device no longer accesses the memory.

The patches are in the order of the driver's layers, the lowest first. A file
includes and calls only files of its own patch and of earlier ones, and each
patch compiles. The patch with the PCI driver adds the driver to the build. The
specification of the device is in the last patch.

The provider is a series for rdma-core.

The driver supports FLUSH and the binding of memory windows for user space.
Requests for these operations from the kernel are refused: InfiniBand core has
no structure for them, and no consumer in the kernel posts them.
"""
