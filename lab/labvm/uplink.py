# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The uplink of a guest: what the device's option --wire takes, as given to lab/vm
--uplink. The device opens it and reports what is wrong with it."""

import fcntl
import socket
import struct

_SIOCGIFMTU = 0x8921
_LARGEST = 9000         # largest MTU of the device's port
_USUAL = 4500           # MTU of a machine whose far end has no interface


def mtu(spec):
    """The MTU that the guest's interface should have: that of the network interface
    which spec names, but not more than the device can have. The interface exists."""
    kind, _, name = spec.partition("=")
    if kind not in ("tap", "packet"):
        return _USUAL
    request = struct.pack("16si20x", name.encode(), 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        answer = fcntl.ioctl(sock, _SIOCGIFMTU, request)
    return min(_LARGEST, struct.unpack_from("16si", answer)[1])
