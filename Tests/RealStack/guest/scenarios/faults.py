"""A ring that goes away, falls silent or talks rubbish, and an istep that is killed: nothing is lost."""
import contextlib
import signal

from lab import events, peripheral, set_clock, until
from scenarios.harness import Istep, check, scenario

RING = "C0:DE:00:00:00:02"

set_clock('TZ="Europe/Berlin" 2026-11-20 23:06:00')
added = Istep(TZ="Europe/Berlin")


@scenario
def add():
    """a ring is added"""
    added("add", RING, "--name", "ring")


@contextlib.contextmanager
def fault(*words):
    """Armed for as long as the block lasts."""
    peripheral("ring", "events", "clear")
    peripheral("ring", "fault", *words)
    try:
        yield
    finally:
        peripheral("ring", "fault", "none")


def expect_recovery(istep):
    """The fault is over: the next sync completes, nothing is lost and no link is left."""
    istep("sync")
    istep.expect_released("ring")
    istep.expect_all_slots("ring")


@scenario
def dropped_once():
    """the link drops once in the middle of a sync: it is made again, and the sync completes"""
    istep = Istep(added)
    with fault("drop", 100):
        istep("sync")
        check(len(events("ring", "connected")) == 2, "not one link more")
    istep.expect_all_slots("ring")
    expect_recovery(istep)


@scenario
def dropped_early():
    """each link drops after 45 packets, before a day is whole: two are made again, the third loss is reported, the next sync completes"""
    istep = Istep(added)
    with fault("drop", 45, "always"):
        result = istep("sync", exits=75)
        check(len(events("ring", "connected")) <= 10, "more links than a reading may have")
        check("lost" in result.out, str(result))
    check(istep.samples(), "nothing of what had arrived was stored")
    expect_recovery(istep)


@scenario
def dropped_always():
    """the link drops again and again, and each one brings a day: the sync goes on, with at most ten links, and nothing is lost"""
    istep = Istep(added)
    with fault("drop", 100, "always"):
        istep("sync", exits=(0, 75))
        check(3 <= len(events("ring", "connected")) <= 10, f"{len(events('ring', 'connected'))} links")
    check(len(istep.samples()) >= 60, f"{len(istep.samples())} samples kept of two whole days")
    expect_recovery(istep)


@scenario
def silent():
    """a ring that falls silent is given up in time, and reported as temporary"""
    istep = Istep(added)
    with fault("stall", 100, "always"):
        istep("sync", exits=75)
    istep.expect_released("ring")
    expect_recovery(istep)


@scenario
def refused():
    """a ring that cuts every connection at once is reported as temporary"""
    istep = Istep(added)
    with fault("refuse", "always"):
        istep("sync", exits=75)
    expect_recovery(istep)


@scenario
def garbled():
    """a packet with a wrong checksum gets no false steps into the history"""
    istep = Istep(added)
    with fault("checksum", 40):
        istep("sync", exits=(0, 65, 75))
    expect_recovery(istep)


@scenario
def endless():
    """a history whose end is missing is read as far as it came"""
    istep = Istep(added)
    with fault("noend"):
        istep("sync", exits=(0, 65, 75))
    expect_recovery(istep)


def ended_by(number):
    """Starts a sync against a ring that falls silent, and ends istep while it waits in the middle, with a day in the history.

    A day waits up to 250 ms for others that are stored with it (BatchStorage.delay), and a ring without a connection interval sends all
    150 packets in less. What is not stored yet is still in the ring.
    """
    istep = Istep(added)
    with fault("stall", 150):
        process = istep.start("sync")
        peripheral("ring", "wait", "stalled", 60)
        until(lambda: len(istep.samples_now()) >= 60, 10, "a whole day in the history")
        check(process.poll() is None, "the sync has ended before it was interrupted")
        process.send_signal(number)
        return istep, istep.finish(process, ("sync",), limit=15)


@scenario
def killed():
    """kill -9 in the middle: the history is whole, the next sync completes and lets the link go"""
    istep, result = ended_by(signal.SIGKILL)
    check(result.code == -signal.SIGKILL, str(result))
    check(len(istep.samples()) >= 60, f"{len(istep.samples())} samples kept of two whole days")
    expect_recovery(istep)


@scenario
def interrupted():
    """Ctrl-C in the middle: the link is let go at once"""
    istep, result = ended_by(signal.SIGINT)
    check(result.code != 0, str(result))
    istep.expect_released("ring", seconds=8)
    expect_recovery(istep)


@scenario
def at_once():
    """two syncs at once: the second says so and ends with 75"""
    istep = Istep(added)
    with fault("stall", 30):
        first = istep.start("sync")
        peripheral("ring", "wait", "stalled", 60)
        istep("sync", exits=75, limit=20)
        first.send_signal(signal.SIGTERM)
        istep.finish(first, ("sync",), limit=15)
    expect_recovery(istep)
