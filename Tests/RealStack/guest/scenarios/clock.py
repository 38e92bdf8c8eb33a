"""The ring's clock: set to local time, wherever that is, and noticed when somebody else set it."""
from datetime import datetime

from lab import client, events, peripheral, remembered, set_clock
from scenarios.harness import Istep, check, scenario, steps_of

RING = "C0:DE:00:00:00:02"
TODAY = "2026-11-04"        # the week before holds 1 November, which has 25 hours in New York

set_clock(f'TZ="America/New_York" {TODAY} 23:05:00')
traveller = Istep(TZ="America/New_York")


def ring_is_off_by(local):
    return abs((datetime.fromisoformat(peripheral("ring", "truth")["clock"]) - local).total_seconds())


@scenario
def local_time():
    """the ring's clock is set to local time, west of Greenwich too"""
    peripheral("ring", "clock", "2026-11-04T23:02:00")      # three minutes late
    traveller("add", RING, "--name", "ring")
    traveller("sync")
    written = events("ring", "clock set")
    check(written, "the clock was not set")
    off = ring_is_off_by(datetime.fromisoformat("2026-11-04T23:05:00"))
    check(off < 110, f"the ring's clock is {off} s off")


@scenario
def long_day():
    """a week with a day of 25 hours equals the ring's"""
    traveller.expect_all_slots("ring")
    traveller.expect_steps(steps_of(remembered(peripheral("ring", "truth"))))


@scenario
def utc():
    """a clock that another program set to UTC is noticed, reported and corrected; no steps are counted twice"""
    client(RING, "--days", "1", "--set-time", TZ="America/New_York")
    check(peripheral("ring", "truth")["clock"].startswith("2026-11-05T04"), "colmi-r02-client sets no UTC any more")
    before = traveller.slots()
    peripheral("ring", "walk", 200)         # it writes them down for tomorrow, 04:00
    result = traveller("sync")
    check("clock" in (result.out + result.err).lower(), f"nothing is said of the clock: {result}")
    off = ring_is_off_by(datetime.fromisoformat("2026-11-04T23:05:00"))
    check(off < 300, f"the ring's clock is {off} s off")
    after = traveller.slots()
    for day in sorted(before.keys() | after.keys()):
        more = sum(after.get(day, {}).values()) - sum(before.get(day, {}).values())
        check(more == 0 or (day == TODAY and more == 200), f"{day}: {more} more steps than before the sync")


@scenario
def seen_early():
    """steps that the ring stored under the next day, while its clock was ahead, are not counted when that day comes"""
    set_clock('TZ="America/New_York" 2026-11-06 12:00:00')
    peripheral("ring", "clock", "2026-11-06T12:00:00")
    traveller("sync")
    # This machine's clock is a day ahead for a time, and sets the ring's.
    set_clock('TZ="America/New_York" 2026-11-07 12:00:00')
    traveller("sync")
    peripheral("ring", "walk", 300)
    set_clock('TZ="America/New_York" 2026-11-06 12:10:00')
    result = traveller("sync")
    check("implausible" in result.out, f"nothing is said of the steps: {result}")
    off = ring_is_off_by(datetime.fromisoformat("2026-11-06T12:10:00"))
    check(off < 300, f"the ring's clock is {off} s off")
    set_clock('TZ="America/New_York" 2026-11-07 12:40:00')
    peripheral("ring", "clock", "2026-11-07T12:40:00")
    result = traveller("sync")
    check("clock" not in result.out, f"the clock is blamed: {result}")
    check("2026-11-07" not in traveller.slots(), f"counted: {traveller.slots().get('2026-11-07')}")
    peripheral("ring", "walk", 50)
    traveller("sync")
    check(traveller.slots().get("2026-11-07") == {"50": 50}, f"stored: {traveller.slots().get('2026-11-07')}")
