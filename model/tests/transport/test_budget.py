# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The tables of xrdma-budget.rst, compared with what two devices count: the operations
of a message on each side, what comes on top, and what the document computes."""

import time

import pytest

import spec_tables
import vfu_client as vfu
import xrdma_driver as x

BUDGET = "xrdma-budget.rst"
MESSAGES = spec_tables.rows(BUDGET, "messages")
ADDITIONS = {row.pop("What"): row for row in spec_tables.rows(BUDGET, "additions")}
SIZE = 1 << 16
ROUNDS = 3
# uses whose operations belong to a message, and those of which a row of the table of
# additions says when they come on top
PER_MESSAGE = ("data", "entry", "key", "table", "cqe")
NOTHING = {"Reads": 0, "Bytes read": 0, "Writes": 0, "Bytes written": 0}
FIELDS = dict(zip(NOTHING, ("reads", "read_bytes", "writes", "write_bytes")))
LINE_RATE = 400e9 / 8
OVERHEAD = 38 + 20 + 8 + 12 + 16 + 4


class Side:
    """A device, its driver and its queue pair. Its wire leads to the other device."""

    def __init__(self, device, number, shadow):
        self.driver = x.Driver(device, shadow)
        self.driver.start(number)
        cqs = [x.CompletionQueue(self.driver, 16 + i) for i in range(2)]
        self.qp = x.QueuePair(self.driver, 15 + number, *cqs)
        self.data = self.driver.alloc(SIZE)
        self.key = self.driver.register(self.data, SIZE)
        self.seen = {}

    def forget(self):
        """Begin to count."""
        self.seen = self.driver.stats()["pcie"]

    def counted(self, *uses):
        """The sum of the operations of these uses since forget()."""
        now = self.driver.stats()["pcie"]
        return {column: sum(now[use][field] - self.seen[use][field] for use in uses)
                for column, field in FIELDS.items()}


@pytest.fixture(name="shadow", params=[True, False], ids=["shadow", "doorbell"])
def _shadow(request):
    return request.param


@pytest.fixture(name="sides")
def _sides(start_device, shadow, tmp_path):
    """Requester and responder, connected."""
    paths = [tmp_path / "a", tmp_path / "b"]
    sides = []
    for number, (local, remote) in enumerate((paths, paths[::-1]), 1):
        device = start_device("XRDMA_DEVICE", "--push", "use",
                              "--wire", f"local={local},remote={remote}",
                              "--mac", f"02:00:00:78:72:0{number}")
        sides.append(Side(device, number, shadow))
    for a, b in (sides, sides[::-1]):
        a.qp.connect(b.qp)
    yield sides
    for side in sides:
        errors = side.driver.host_errors()
        side.driver.close()
        assert not errors


def until_quiet(sides):
    """Waits until no queue pair is polled any more, so that nothing is counted later."""
    deadline = time.monotonic() + vfu.TIMEOUT
    while any(side.driver.stats()["device"]["active_qps"] for side in sides):
        assert time.monotonic() < deadline, "a queue pair stays active"
        time.sleep(0.001)


def post(requester, responder, message, size):
    """Post one message, and take its completions."""
    if message == "SEND":
        responder.qp.receive([(responder.data, SIZE, responder.key)])
    values = {"remote": responder.data, "rkey": responder.key}
    if message == "WRITE, inline":
        requester.qp.send(x.WRITE, inline=bytes(size), **values)
    elif message == "WRITE, pushed":
        # a device that polls with shadow doorbells may find the entry before the doorbell
        until_quiet([requester])
        requester.qp.push(x.WRITE, inline=bytes(size), **values)
    else:
        opcode = {"WRITE": x.WRITE, "SEND": x.SEND, "READ": x.READ}[message]
        requester.qp.send(opcode, [(requester.data, size, requester.key)], **values)
    assert requester.qp.sent()["status"] == x.WC_OK
    if message == "SEND":
        assert responder.qp.received()["status"] == x.WC_OK


def begin(sides, message="WRITE", size=64):
    """Make both devices know all keys and translations, and begin to count."""
    post(*sides, message, size)
    until_quiet(sides)
    for side in sides:
        side.forget()


def times(row, factor):
    """A row of a table, multiplied."""
    return {column: row[column] * factor for column in NOTHING}


def plus(*rows):
    """The sum of rows."""
    return {column: sum(row[column] for row in rows) for column in NOTHING}


@pytest.mark.parametrize("message,size", sorted({(r["Message"], r["Bytes"])
                                                 for r in MESSAGES}))
def test_each_message_costs_what_its_row_says(sides, message, size):
    begin(sides, message, size)
    for _ in range(ROUNDS):
        post(*sides, message, size)
    until_quiet(sides)
    for side, name in zip(sides, ("requester", "responder")):
        row, = [row for row in MESSAGES if (row["Message"], row["Bytes"], row["Side"]) ==
                (message, size, name)]
        assert side.counted(*PER_MESSAGE) == times(row, ROUNDS), name
        assert side.counted("eqe", "irq", "command") == NOTHING
    assert sides[0].counted("doorbell")["Bytes written"] == 8 * ROUNDS
    slots = 128 * ROUNDS if message.endswith("pushed") else 0
    assert sides[0].counted("push")["Bytes written"] == slots
    assert sides[1].counted("doorbell") == NOTHING


@pytest.mark.parametrize("row", spec_tables.rows(BUDGET, "entries"),
                         ids=lambda row: row["Entry"].replace(" ", "-"))
def test_an_entry_costs_its_own_length(sides, row):
    requester, responder = sides
    number, inline = int(row["Entry"].split()[0]), "inline" in row["Entry"]
    sges = [] if inline else [(requester.data, 8, requester.key)] * number
    begin(sides)
    for _ in range(ROUNDS):
        requester.qp.send(x.WRITE, sges, inline=bytes(number) if inline else None,
                          remote=responder.data, rkey=responder.key)
        assert requester.qp.sent()["status"] == x.WC_OK
    assert requester.counted("entry") == times({**NOTHING, **row}, ROUNDS)


def test_doorbells_leave_no_index_to_read_and_no_arm_word(sides, shadow):
    begin(sides)
    for _ in range(ROUNDS):
        post(*sides, "WRITE", 64)
    until_quiet(sides)
    index, arm = sides[0].counted("index"), sides[0].counted("arm")
    if shadow:
        posted = times(ADDITIONS["Shadow doorbells: send posted"], ROUNDS)
        assert (index["Reads"], index["Bytes read"]) == (posted["Reads"],
                                                         posted["Bytes read"])
        assert arm == times(ADDITIONS["Shadow doorbells: completion"], ROUNDS)
        assert sides[0].counted("poll")["Reads"] and index["Writes"]
    else:
        assert sides[0].counted("index", "arm", "poll") == NOTHING


def test_a_batch_of_receives_costs_one_read_of_the_index(sides):
    begin(sides, "SEND")
    responder = sides[1]
    for _ in range(ROUNDS):
        responder.qp.receive([(responder.data, SIZE, responder.key)])
    for _ in range(ROUNDS):
        sides[0].qp.send(x.SEND, [(sides[0].data, 64, sides[0].key)])
        assert sides[0].qp.sent()["status"] == x.WC_OK
    assert responder.counted("index") == \
        times(ADDITIONS["Receives posted since the last read"], 1)


def test_an_armed_queue_costs_an_event_and_an_interrupt(sides, shadow):
    begin(sides)
    requester = sides[0]
    requester.driver.eqs[1].arm()
    requester.qp.send_cq.arm()
    post(*sides, "WRITE", 64)
    assert requester.driver.irqs[1].wait() == 1
    assert requester.counted("cqe", "eqe") == \
        times(ADDITIONS["Completion that fires"], 1)
    assert requester.counted("irq") == times(ADDITIONS["Interrupt"], 1)
    arms = [ADDITIONS["Shadow doorbells: completion"],
            ADDITIONS["Shadow doorbells: event"]] if shadow else []
    assert requester.counted("arm") == plus(NOTHING, *arms)


def test_a_key_that_is_new_is_read_once_on_each_side(sides):
    begin(sides)
    for _ in range(ROUNDS):
        for side in sides:
            side.key = side.driver.register(side.data, SIZE)
        post(*sides, "WRITE", 64)
        post(*sides, "WRITE", 64)
    for side in sides:
        assert side.counted("key") == \
            times(ADDITIONS["Key entry that is not on the chip"], ROUNDS)


def paged_region(driver, levels, pages):
    """Register pages that are not neighbours, by tables of this number of levels.
    Returns (first address, key)."""
    table = driver.alloc(4096)
    for page in range(pages):
        driver.alloc(4096)
        driver.put64(table + 8 * page, driver.alloc(4096) | 3)
    for _ in range(levels - 1):
        upper = driver.alloc(4096)
        driver.put64(upper, table | 1)
        table = upper
    index = driver.next_key
    driver.next_key += 1
    at = driver.mpt + index * 64
    driver.put(at, x.MPT.pack(0, 0, pages << 12, x.root(table, levels, 12), 0, 0, 0, 0,
                              0, 0))
    driver.put64(at, 2 << 8 | x.ALL_RIGHTS << 16 | 1 << 32)
    return 0, index << 8


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_a_walk_reads_at_most_an_entry_for_each_level(sides, levels):
    requester, responder = sides
    responder.data, responder.key = paged_region(responder.driver, levels, ROUNDS + 1)
    requester.forget()
    responder.forget()
    post(*sides, "WRITE", 64)
    entry = ADDITIONS["Translation entry not on the chip"]
    assert responder.counted("table") == times(entry, levels)
    for page in range(1, ROUNDS + 1):
        responder.forget()
        responder.data = page << 12
        post(*sides, "WRITE", 64)
        assert responder.counted("table") == times(entry, 1)
    assert requester.counted("table") == NOTHING


def messages_per_us(size):
    """Rate at which a port of 400 Gb/s sends WRITEs of this size, in millions in a
    second."""
    return LINE_RATE / (OVERHEAD + size) / 1e6


@pytest.mark.parametrize("row", spec_tables.rows(BUDGET, "port"),
                         ids=lambda row: f"{row['Bytes']}-{row['Side']}")
def test_the_port_needs_what_its_messages_cost(row):
    cost, = [cost for cost in MESSAGES
             if [cost[key] for key in ("Message", "Bytes", "Side")] ==
             [row[key] for key in ("Message", "Bytes", "Side")]]
    rate = messages_per_us(row["Bytes"])
    assert [row[key] for key in ("Reads, M/s", "Read, GB/s", "Writes, M/s",
                                 "Written, GB/s")] == \
        [round(cost["Reads"] * rate, 1), round(cost["Bytes read"] * rate / 1e3, 1),
         round(cost["Writes"] * rate, 1), round(cost["Bytes written"] * rate / 1e3, 1)]


@pytest.mark.parametrize("row", spec_tables.rows(BUDGET, "misses"),
                         ids=lambda row: f"{row['What'].split()[0]}-{row['Bytes']}")
def test_misses_cost_their_reads_at_the_rate_of_the_port(row):
    rate = messages_per_us(row["Bytes"])
    cost = ADDITIONS[row["What"]]
    assert [row[key] for key in ("Reads, M/s", "Read, GB/s", "In flight")] == \
        [round(cost["Reads"] * rate, 1), round(cost["Bytes read"] * rate / 1e3, 1),
         round(cost["Reads"] * rate)]


@pytest.mark.parametrize("row", spec_tables.rows(BUDGET, "state"),
                         ids=lambda row: row["From"].strip("`").split()[1])
def test_state_on_the_chip_is_that_of_the_structures(row):
    assert row["Bytes"] == spec_tables.size_of(row["From"].strip("`").split()[1])


def test_a_reset_of_the_device_keeps_the_counters(sides):
    requester = sides[0]
    begin(sides)
    post(*sides, "WRITE", 64)
    before = requester.counted("data")
    requester.driver.write(x.CTRL, x.RESET)
    deadline = time.monotonic() + vfu.TIMEOUT
    while requester.driver.read(x.STATUS) != x.READY:
        assert time.monotonic() < deadline, "no reset"
    assert requester.counted("data") == before != NOTHING
