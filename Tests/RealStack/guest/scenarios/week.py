"""The main job: find a ring, add it, read its week, show each day."""
from lab import client, peripheral, remembered, set_clock
from scenarios.harness import Istep, check, scenario, steps_of

RING, OLD_RING = "C0:DE:00:00:00:02", "C0:DE:00:00:00:03"

anna = Istep(TZ="Europe/Berlin")
set_clock('TZ="Europe/Berlin" 2026-11-20 23:06:00')


@scenario
def version():
    """--version and --help end well, a wrong option does not"""
    anna("--version")
    anna("--help")
    anna("sync", "--nonsense", exits=64)


@scenario
def scan():
    """scan finds the rings by name and says what they are"""
    found = {p["address"]: p for p in anna("scan", "--json", "--timeout", "10").json["peripherals"]}
    check({RING, OLD_RING} <= set(found), f"found {sorted(found)}")
    check(found[RING]["name"] == "R02_1A2B" and found[RING]["model"], f"found {found[RING]}")


@scenario
def nothing_yet():
    """show and sync without a history, with nothing added, print what to do"""
    fresh = Istep()
    check("add" in fresh("sync", exits=(64, 69, 78)).err, "sync does not advise to add a pedometer")


@scenario
def week():
    """a week is added, synced and shown, equal to the ring and to colmi-r02-client"""
    anna("add", RING, "--name", "ring", "--user", "anna")
    anna("sync")
    anna.expect_released("ring")
    anna.expect_all_slots("ring")
    ring, read = steps_of(remembered(peripheral("ring", "truth"))), steps_of(client(RING)["days"])
    check(len(ring) == 8 and ring == read, f"the ring knows {ring}, colmi-r02-client reads {read}")
    anna.expect_steps(ring)


@scenario
def twice():
    """a second sync changes nothing"""
    before = anna.samples()
    check(len(before) == 480, f"{len(before)} samples of 480")
    anna("sync")
    check(anna.samples() == before, "samples changed")


@scenario
def grown():
    """a slot that has grown grows, and the day with it"""
    day = peripheral("ring", "truth")["clock"][:10]
    before = anna.steps(day)
    for steps in (300, 700):
        peripheral("ring", "walk", steps)
        anna("sync")
    check(anna.steps(day) == before + 1000, f"{before} and 1000 are {anna.steps(day)}")
    anna.expect_all_slots("ring")


@scenario
def own_total():
    """the ring's own total of the day is compared with its slots, and never counted"""
    day = peripheral("ring", "truth")["clock"][:10]
    for off in (120, -50, 0):
        peripheral("ring", "total", off)
        peripheral("ring", "walk", 100)
        anna("sync")
        shown = anna("show", day, "--json").json
        total, = shown["deviceTotals"]
        check(total["difference"] == off and total["differs"] == (off != 0), f"{off}: {total}")
        check(shown["steps"] == total["slots"] == peripheral("ring", "truth")["days"][day]["steps"], f"{shown['steps']}, {total}")
        text = anna("show", day).out
        check(("itself reported" in text) == (off != 0), text)
    anna("sync")
    anna.expect_all_slots("ring")


@scenario
def past_days():
    """older days keep their steps when the ring forgets them; days unheard of are no zeros"""
    oldest = min(remembered(peripheral("ring", "truth")))
    before = anna.steps(oldest)
    peripheral("ring", "clock", "2026-11-27T08:00:00")
    set_clock('TZ="Europe/Berlin" 2026-11-27 08:00:00')
    try:
        anna("sync")
        check(anna.steps(oldest) == before, f"{oldest} had {before} steps, now {anna.steps(oldest)}")
        unheard = anna("show", "2026-10-01", "--json").json
        check(unheard["steps"] is None and unheard["completeness"] == "unknown", f"2026-10-01: {unheard}")
    finally:
        peripheral("ring", "clock", "2026-11-20T23:10:00")
        set_clock('TZ="Europe/Berlin" 2026-11-20 23:10:00')


@scenario
def household():
    """a second person's ring, with hourly slots and the old calorie unit, is kept apart"""
    before = anna.steps("2026-11-19", "--user", "anna")
    anna("add", OLD_RING, "--name", "old", "--user", "bert")
    anna("sync", "old")
    days = steps_of(remembered(peripheral("old-ring", "truth")))
    anna.expect_steps({day: days[day] for day in list(days)[::3]}, "--user", "bert")
    check(anna.steps("2026-11-19", "--user", "anna") == before, "anna's steps changed")
