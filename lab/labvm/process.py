# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Child processes that the kernel kills when this process ends: the device and QEMU."""

import ctypes
import os
import signal
import subprocess

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_parent(parent):
    def before_exec():
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    return before_exec


def start(argv, log, pass_fds=(), env=None):
    """Starts argv with its output in the file log. setsid() keeps ctrl-C away from
    the child: only this process gets SIGINT. Must be called from the main thread,
    because the kernel kills the child when the thread that started it ends.
    """
    with open(log, "ab") as out:
        return subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            pass_fds=pass_fds, start_new_session=True,
            env=None if env is None else {**os.environ, **env},
            preexec_fn=_die_with_parent(os.getpid()))


def stop(child, patience=5.0):
    """Ends child with SIGTERM, and with SIGKILL after patience seconds. Returns the
    exit status, negative for a signal."""
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(patience)
        except subprocess.TimeoutExpired:
            child.kill()
    return child.wait()
