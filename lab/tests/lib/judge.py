# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks of the findings that a scenario in a guest reports to its test on the host.
outage.py makes these findings."""

# Seconds after which a call on a device that fails must have ended
FAILS_WITHIN = 15
# Seconds until a ping-pong works again. Ten of them are for a command without a
# reply, most of the others for a busy machine.
WORKS_WITHIN = 45
# Seconds until a killed process has ended
ENDS_WITHIN = 30


def check_nothing_is_held(device, iommu):
    """The device must hold nothing of the host's. Without an IOMMU the device keeps
    the machine's memory mapped, whatever the driver does."""
    assert device["vectors"] == 0 and not device["enabled"]
    assert device["objects"] == [0, 0, 0]
    assert not iommu or device["dma"] == 0


def deaths(found):
    """The driver's messages that report a dead device."""
    return [text for text in found["errors"] if "the device is dead" in text]


def check_works_again(found, before, cause):
    """Checks that the device works as before. @cause: words of the driver's message
    that the device is dead; None if the driver must not have logged such a message."""
    assert before["works"] is not None
    assert found["works"] is not None and found["works"] < WORKS_WITHIN
    assert found["identity"] == before["identity"]
    assert found["resources"] == before["resources"]
    died = deaths(found)
    assert len(died) == (cause is not None), found["errors"]
    assert not died or cause in died[0]


def check_users_could_leave(found):
    """Checks that users whom the kernel notified have ended by themselves, and that the
    others have ended after they were killed. The host must have given up the disk
    or continued to read, and must find the target again."""
    assert all(status is None for status in found["busy"])
    assert found["ended"]["disk"] in ("given up", "read")
    assert all(status is not None for status in found["ended"]["notified"])
    assert found["ended"]["killed"] < ENDS_WITHIN
    assert found["disk"] is True


def check_nothing_is_left(found, end):
    """Checks that the module was unloaded, and that the device has no resources of the
    host that it did not have before."""
    assert found[end]["unload"]["status"] == 0
    assert found[end]["device"] == found["before"]["device"]
