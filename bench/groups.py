# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The groups of figures: the guests that each group needs, and the scripts that run in
them. targets.py lists the figures of each group."""

# Options for a guest whose instructions are counted: one processor, whose time
# advances by 1 ns for each instruction, and which is idle in real time while the
# device works. The processor has no fast string instructions (lab/labvm/machine.py), so
# the kernel uses none; each would count once for each repetition.
COUNTED = [
    "--accel", "tcg", "--smp", "1", "--mem", "4G", "--append",
    "nokaslr norandmaps init_on_alloc=0",
    "--qemu-arg", "-icount", "--qemu-arg", "shift=0,sleep=on",
    "--qemu-arg", "-plugin",
    "--qemu-arg", "/src/build/bench/counter.so,"
    "out=/src/build/bench/raw/counts"]

# group -> (time limit of a guest in seconds, options of lab/vm for each guest, script
# in the guest)
GROUPS = {
    "instructions": (1200, [COUNTED], ["instructions.sh"]),
    "kernel": (600, [COUNTED, []], ["kernel.sh"]),
    "memory": (600, [["--mem", "4G", "--append", "init_on_alloc=0 "
                      "hugepagesz=1G hugepages=1 hugepagesz=2M"]],
               ["memory.sh"]),
    "budget": (900, [["--device-arg=--no-shadow-db"], []], ["budget.py"]),
    "wall": (1200, [[]], ["wall.sh"]),
    "paging": (1800, [["--mem", "6G"]], ["paging.sh"]),
    # soft-RoCE keeps copies of the packets that 1,000 queue pairs send, for which a
    # node with 2 GiB is too small
    "nodes": (1500, [["--both", "xrdma"], ["--both", "rxe", "--mem", "6G"]],
              ["nodes.sh"]),
    "port": (600, [["--both", "xrdma"], ["--both", "rxe"]], ["port.py"]),
    "channels": (900, [["--both", "xrdma", "--smp", "4"]],
                 ["port.py", "channels"]),
    "consumers": (1200, [["--both", "xrdma"], ["--both", "rxe"]],
                  ["consumers.sh"]),
}
SCALE = {
    "scale-regions": (1800, [["--mem", "10G"]], ["scale.sh", "regions"]),
    "scale-tebibyte": (1200, [["--mem", "4G", "--append",
                               "default_hugepagesz=1G hugepagesz=1G "
                               "hugepages=1"]], ["scale.sh", "tebibyte"]),
    "scale-pages": (1200, [["--mem", "4G"]], ["scale.sh", "pages"]),
}
# Groups that choose the options of their devices, as part of what they measure
BOTH_DOORBELLS = ("budget",)
# Groups whose samples are all measured by the clock and have a duration
TIMED = ("wall", "paging", "nodes", "port", "channels", "consumers")
ALL = {**GROUPS, **SCALE}
