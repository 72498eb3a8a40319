# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What tests on the host expect of the findings of a scenario in a guest."""

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
    """The messages by which the driver says that the device is dead."""
    return [text for text in found["errors"] if "the device is dead" in text]


def check_works_again(found, before, cause):
    """The device must work as before. @cause: the words that the driver must have said
    about its death; None if the device must not have died."""
    assert before["works"] is not None
    assert found["works"] is not None and found["works"] < WORKS_WITHIN
    assert found["identity"] == before["identity"]
    assert found["resources"] == before["resources"]
    died = deaths(found)
    assert len(died) == (cause is not None), found["errors"]
    assert not died or cause in died[0]


def check_users_could_leave(found):
    """Users that the kernel informs must have ended by themselves, and the others must
    have ended when they were killed. The host must have given up the disk or read
    on, and must find the target again."""
    assert all(status is None for status in found["busy"])
    assert found["ended"]["disk"] in ("given up", "read")
    assert all(status is not None for status in found["ended"]["told"])
    assert found["ended"]["killed"] < ENDS_WITHIN
    assert found["disk"] is True


def check_nothing_is_left(found, end):
    """After the module was unloaded, the device must hold what it held before."""
    assert found[end]["unload"]["status"] == 0
    assert found[end]["device"] == found["before"]["device"]
