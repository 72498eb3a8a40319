# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of the negotiation of version and capabilities."""

import struct

import pytest

import vfu_client as vfu


def test_capabilities_suit_qemu(stub):
    """QEMU refuses more than 16 descriptors or 65535 maps, and pages below 4K."""
    with stub.client() as client:
        assert client.capabilities == {
            "max_msg_fds": 16,
            "max_data_xfer_size": 65536,
            "max_dma_maps": 65535,
            "pgsizes": 4096,
            "write_multiple": True,
        }


def test_reply_fits_into_the_room_of_the_request(stub):
    """QEMU receives the reply into the buffer of its request."""
    with stub.client(negotiate=False) as client:
        text = (b'{"capabilities":{"max_msg_fds":16,"pgsizes":4096,'
                b'"write_multiple":true,"max_dma_maps":65535,'
                b'"max_data_xfer_size":1048576}}\0')
        body = struct.pack("=HH", 0, 0) + text
        assert len(client.call(vfu.VERSION, body)) <= len(body)


def test_only_proposed_capabilities_are_answered(stub):
    """The list in the reply is a subset of the proposed one."""
    with stub.client(negotiate=False) as client:
        assert client.version(capabilities={"pgsizes": 4096, "x": 1}) == {
            "pgsizes": 4096}


@pytest.mark.parametrize("text", [b"", b"{}\0", b'{"capabilities":{}}\0'])
def test_version_without_capabilities(stub, text):
    """The version data is optional, and so is each of its members."""
    with stub.client(negotiate=False) as client:
        client.call(vfu.VERSION, struct.pack("=HH", 0, 0) + text)
        client.device_info()


def test_newer_minor_is_answered_with_ours(stub):
    """The minor version of the reply is at most the proposed one."""
    with stub.client(negotiate=False) as client:
        client.version(minor=7)


@pytest.mark.parametrize("body", [
    struct.pack("=HH", 1, 0),
    struct.pack("=HH", 0, 0) + b"{}",
    struct.pack("=HH", 0, 0) + b"[]\0",
    struct.pack("=HH", 0, 0) + b"not json\0",
    struct.pack("=HH", 0, 0) + b'{"capabilities":5}\0',
    struct.pack("=HH", 0, 0) + b"\0",
    struct.pack("=H", 0),
])
def test_bad_version_is_refused(stub, body):
    """An invalid version or text is answered with an errno."""
    with stub.client(negotiate=False) as client:
        with vfu.refused():
            client.call(vfu.VERSION, body)
    with stub.client() as client:
        client.device_info()


def test_client_with_wrong_major_is_disconnected(stub):
    """After a refused version the connection is closed."""
    with stub.client(negotiate=False) as client:
        with vfu.refused():
            client.version(major=1)
        with pytest.raises(vfu.Disconnected):
            client.receive()


def test_second_negotiation_is_refused(stub):
    """A second version message is refused."""
    with stub.client() as client:
        with vfu.refused():
            client.version()


def test_nothing_before_the_version(stub):
    """Any other command before the negotiation is refused."""
    with stub.client(negotiate=False) as client:
        with vfu.refused():
            client.device_info()
        with vfu.refused():
            client.config_read(0)
        client.version()
        client.device_info()
