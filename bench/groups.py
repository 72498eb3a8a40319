# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The groups of figures: which guests each needs, and what runs in them."""

# One processor that counts: 1 ns for each instruction, and idle time in which
# the device can work. String instructions would count once for each round.
COUNTED = [
    "--smp", "1", "--mem", "4G", "--append",
    "nokaslr norandmaps init_on_alloc=0",
    "--qemu-arg", "-icount", "--qemu-arg", "shift=0,sleep=on",
    "--qemu-arg", "-cpu", "--qemu-arg", "max,la57=off,-erms,-fsrm,-fsrs",
    "--qemu-arg", "-plugin",
    "--qemu-arg", "/src/build/bench/counter.so,"
    "out=/src/build/bench/raw/counts"]

# group -> (seconds a boot may take, options of lab/vm for each boot, script in
# the guest)
GROUPS = {
    "instructions": (1200, [COUNTED], ["instructions.sh"]),
    "kernel": (600, [COUNTED, []], ["kernel.sh"]),
    "memory": (600, [["--mem", "4G", "--append", "init_on_alloc=0 "
                      "hugepagesz=1G hugepages=1 hugepagesz=2M"]],
               ["memory.sh"]),
    "wall": (1200, [[]], ["wall.sh"]),
    # soft-RoCE keeps what 1,000 queue pairs send, and its node ran out of 2 GiB
    "nodes": (1500, [["--both", "xrdma"], ["--both", "rxe", "--mem", "6G"]],
              ["nodes.sh"]),
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
# Groups of which each sample is taken by the clock, and says how long it took
TIMED = ("wall", "nodes", "consumers")
ALL = {**GROUPS, **SCALE}
