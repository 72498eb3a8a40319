# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The samples of `scripts/lint --selftest`: for each gate of scripts/lint at least
one change of the repository in which the gate must find something."""

DRIVER = "drivers/infiniband/hw/xrdma"
PROVIDER = "rdma-core/providers/xrdma"

LICENCE = "SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB"
C_FILE = f"// {LICENCE}\n\n"
MAIN = f"{DRIVER}/xrdma_main.c"
CALL = ("\nvoid lint_sample(struct model_{0} *x);\n"
        "void lint_sample(struct model_{0} *x)\n{{\n\tmodel_{0}_destroy(x);\n}}\n")
CIRCLE = ('\n#include "xrdma_buf.h"\n'
          "void lint_sample(struct xrdma_dev *x, struct xrdma_buf *b);\n"
          "void lint_sample(struct xrdma_dev *x, struct xrdma_buf *b)\n"
          "{\n\txrdma_buf_free(x, b);\n}\n")
CALL_UP = ('\n#include "xrdma_fault.h"\n'
           "const char *lint_sample(u8 reason);\n"
           "const char *lint_sample(u8 reason)\n"
           "{\n\treturn xrdma_fault_name(reason);\n}\n")
NO_PROTOTYPE = "\nint xrdma_lint_sample(void)\n{\n\treturn 0;\n}\n"
WRONG_ENDIAN = ("\nstatic __maybe_unused __le32 lint_sample(u32 x)\n"
                "{\n\treturn x;\n}\n")
WRONG_ENDIAN_USER = ("\nstatic __attribute__((unused)) __le32 lint_sample(uint32_t x)\n"
                     "{\n\treturn x;\n}\n")


def samples(kernels, file_lines, function_lines):
    """The samples as (gate, file, text). A file that exists gets the text at its end.

    @kernels: series of the kernels that have a gate "module-SERIES"
    @file_lines, @function_lines: most lines that the gate "size" allows
    """
    return [
        ("spdx", "lab/sample.c", "int x;\n"),
        ("spdx", "lab/sample.c", "// SPDX-License-Identifier: MIT\n"),
        ("names", "lab/sample.py", "MIRROR = 'http://@HOST@/debian'\n"),
        ("names", "lab/sample.py", "CHECKOUT = '@PATH@main'\n"),
        ("text", "lab/sample.py", "x = 1 \n"),
        ("text", "lab/sample.py", "#!/usr/bin/python3\n"),
        ("size", "lab/sample.c", "int x;\n" * (file_lines + 1)),
        ("size", "lab/sample.c",
         "int f(void)\n{\n" + "\tg();\n" * function_lines + "}\n"),
        ("codespell", "lab/sample.c", "/* rec" + "ieve the packet */\n"),
        ("rst", "Documentation/sample.rst", "Title\n===\n\n`broken`_\n"),
        ("rst", "Documentation/sample.rst", "word " * 17 + "\n"),
        ("structures", f"{DRIVER}/xrdma_hw_rsp.h",
         "/**\n * struct xrdma_rsp_sample - reply to a sample\n * @x: sample\n */\n"
         "struct xrdma_rsp_sample {\n\t__le32 x;\n};\n"),
        ("shellcheck", "lab/sample.sh", "#!/bin/bash\nrm $1/*\n"),
        ("python", "lab/sample.py", "def f(:\n"),
        ("python", "lab/sample.py", "import os\n"),
        ("layers", f"{DRIVER}/xrdma_rules.h", '#include "xrdma_dev.h"\n'),
        ("layers", "include/uapi/rdma/xrdma-ring.h", "extern u32 x;\n"),
        ("layers", f"{DRIVER}/xrdma_hw.h", "#include <linux/pci.h>\n"),
        ("layers", f"{DRIVER}/xrdma_encode.h", "extern u99 x;\n"),
        ("layers", f"{DRIVER}/xrdma_new.c", C_FILE),
        ("layers", f"{DRIVER}/xrdma_mr.c", '#include "xrdma_regs.h"\n'),
        ("layers", "model/sample.c", '#include "xrdma_dev.h"\n'),
        ("layers", "model/base/sample.c", '#include "core/key.h"\n'),
        ("layers", "model/new/sample.c", "int x;\n"),
        ("calls", "model/base/log.c",
         '#include "base/control.h"\n' + CALL.format("control")),
        ("calls", "model/host/dma.c",
         '#include "core/device.h"\n' + CALL.format("device")),
        ("calls", f"{DRIVER}/xrdma_mtt.c", CIRCLE),
        ("calls", f"{DRIVER}/xrdma_cmdq.c", CALL_UP),
        ("calls", "model/base/sample.c", C_FILE + "int model_sample;\n"),
        ("layers", f"{PROVIDER}/sample.c", '#include "xrdma_hw.h"\n'),
        ("layers", "model/sample.h", "int x;\n"),
        ("layers", "model/sample.h", "#ifndef XRDMA_PD_H\n#define XRDMA_PD_H\n#endif\n"),
        ("tests", "lab/tests/guest/memory/test_sample.py",
         "from test_regions import Memory\n"),
        ("tests", "lab/tests/guest/memory/test_sample.py",
         "def test():\n    from guest.memory import test_regions\n"),
        ("tests", "lab/tests/nodes/test_sample.py", "from .test_wire import frames\n"),
        ("tests", "lab/tests/lib/sample.py", "import guest.memory.test_regions\n"),
        ("tests", "lab/tests/guest/memory/test_sample.py", "import tour\n"),
        ("tests", "lab/tests/lib/sample.py",
         'import sys\nsys.path.append("/src/lab/tour")\n'),
        ("tests", "lab/tour/sample.py", "from lib.control import ask\n"),
        ("tests", "lab/tour/sample.sh", "#!/bin/sh\n/src/lab/tests/lib/nvmet.py\n"),
        ("tests", "lab/labverbs/sample.py", "from lib.soak import soak\n"),
        ("tests", "lab/tests/guest/memory/sample.py", "x = 1\n"),
        ("tests", "lab/tests/test_sample.py", "x = 1\n"),
        ("tests", "lab/tests/scenarios/sample/guest_sample.py", "x = 1\n"),
        ("tests", "lab/tests/lib/sample.py", "def test_sample():\n    pass\n"),
        ("kernel-doc", "model/sample.c",
         C_FILE + "/**\n * f() - Does it\n */\nint f(int x)\n{\n}\n"),
        ("kernel-doc", f"{DRIVER}/xrdma_mr.c", "int sample(void)\n{\n}\n"),
        ("checkpatch", "model/sample.c", C_FILE + "int f(int x)\n{\n\treturn(x);\n}\n"),
        ("headers", f"{DRIVER}/xrdma_cc.h", "struct xrdma_cq *lint_sample(u32 x);\n"),
        ("headers", f"{DRIVER}/xrdma_cc.h", "struct lint_sample {\n};\n"),
        ("headers", "include/rdma/xrdma-new.h", "extern u99 x;\n"),
        *(("provider", f"{PROVIDER}/mr.c", text) for text in (
            NO_PROTOTYPE, WRONG_ENDIAN_USER)),
        *((f"module-{series}", *sample) for series in kernels for sample in (
            (MAIN, NO_PROTOTYPE), (MAIN, WRONG_ENDIAN),
            (f"{DRIVER}/xrdma_unbuilt.c", C_FILE))),
    ]
