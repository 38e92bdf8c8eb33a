"""Pedometers that the user describes, and one that must be paired."""
from lab import events, peripheral, set_clock
from scenarios.harness import Istep, check, scenario

COUNTER, SECURE = "C0:DE:00:00:00:04", "C0:DE:00:00:00:05"
RING, OLD_RING = "C0:DE:00:00:00:02", "C0:DE:00:00:00:03"
TODAY = "2026-11-20"
OPEN = ("--service", "00030000-78fc-48fe-8e23-433b3a1942d0",
        "--characteristic", "00030001-78fc-48fe-8e23-433b3a1942d0", "--format", "u32le", "--counts", "today")
CLOSED = ("--service", "8f1d0001-7e57-4c0b-9b1d-000000000000",
          "--characteristic", "8f1d0003-7e57-4c0b-9b1d-000000000000", "--format", "u32le", "--counts", "today")

istep = Istep()


def grows(who, name, at):
    """What is walked between two syncs, some minutes apart, is what the day grows by."""
    set_clock(f"{TODAY} {at}:00:00")
    istep("sync", name)
    before = istep.steps(TODAY) or 0
    peripheral(who, "walk", 500)
    set_clock(f"{TODAY} {at}:10:00")
    istep("sync", name)
    now = istep.steps(TODAY) or 0
    check(now - before == 500, f"{before} steps, 500 walked, {now} steps")


@scenario
def described():
    """a pedometer that counts, described by its UUIDs"""
    set_clock(f"{TODAY} 17:55:00")
    istep("add", COUNTER, "--name", "watch", "--model", "generic", *OPEN)
    grows("counter", "watch", at=18)
    istep.expect_released("counter")


@scenario
def wrong_service():
    """a device that lacks the service is refused, and this is reported"""
    result = istep("add", "C0:DE:00:00:00:03", "--name", "wrong", "--model", "generic", *OPEN, exits=69)
    check("00030000" in result.err, f"the missing service is not named: {result}")
    istep.expect_released("old-ring")


@scenario
def refused():
    """a refused pairing is reported, and leaves no link"""
    peripheral("secure", "pairing", "refuse")
    try:
        istep("add", SECURE, "--name", "locked", "--model", "generic", *CLOSED, exits=(0, 69, 75, 77))
        result = istep("sync", "locked", exits=(64, 69, 75, 77))
        check("pair" in (result.out + result.err).lower() or result.code == 64, f"nothing is said of pairing: {result}")
        istep.expect_released("secure")
    finally:
        peripheral("secure", "pairing", "accept")
        istep("forget", "locked", exits=(0, 64))


@scenario
def bond_refused():
    """a ring that asks for a bond and refuses it is not added, and the error says what to do"""
    peripheral("old-ring", "bond", "on")
    peripheral("old-ring", "pairing", "refuse")
    try:
        result = istep("add", OLD_RING, "--name", "bonded", exits=77)
        check("requires pairing, which failed" in " ".join((result.out + result.err).split()), f"{result}")
        istep.expect_released("old-ring")
    finally:
        peripheral("old-ring", "pairing", "accept")


@scenario
def bond_on_demand():
    """a ring that asks for a bond is paired when it is added, and read over the bond; another one is not paired"""
    istep("add", OLD_RING, "--name", "bonded")
    check(peripheral("old-ring", "status")["bonds"], "the ring knows of no bond")
    istep.expect_released("old-ring")
    istep("sync", "bonded")
    check(istep.steps(TODAY), "no steps were read over the bond")
    check(len(events("old-ring", "paired")) == 1, "paired more than once")
    istep.expect_released("old-ring")
    istep("add", RING, "--name", "unbonded")
    check(not peripheral("ring", "status")["bonds"], "a ring that does not ask was paired")


@scenario
def paired():
    """a pedometer that requires encryption is paired with, and read"""
    istep("add", SECURE, "--name", "stepper", "--model", "generic", *CLOSED)
    grows("secure", "stepper", at=19)
    check(peripheral("secure", "status")["bonds"], "the peripheral knows of no bond")
    check(len(events("secure", "paired")) == 1, "paired more than once")
    istep.expect_released("secure")
