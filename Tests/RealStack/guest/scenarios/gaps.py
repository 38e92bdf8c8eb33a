"""Days that a pedometer refuses, does not answer or delivers in part, and steps around midnight: whatever is missing is reported."""
from lab import events, peripheral, remembered, set_clock
from scenarios.harness import Istep, check, scenario

RING, COUNTER, CLOCKED = "C0:DE:00:00:00:02", "C0:DE:00:00:00:04", "C0:DE:00:00:00:06"
SERVICE, STEPS = "00030000-78fc-48fe-8e23-433b3a1942d0", "00030001-78fc-48fe-8e23-433b3a1942d0"
TODAY, OLDEST = "2026-11-20", "2026-11-13"

set_clock('TZ="Europe/Berlin" 2026-11-20 23:06:00')
added = Istep(TZ="Europe/Berlin")


@scenario
def add():
    """a ring is added"""
    added("add", RING, "--name", "ring")


def fails(*days, how, requests):
    peripheral("ring", "fault", "none")
    peripheral("ring", "events", "clear")
    for day in days:
        peripheral("ring", "fault", "day", day, how, requests)


def missing(istep, *options, exits=0):
    """The days that a sync names, with their reasons; and the days that the history has whole."""
    entry, = istep("sync", "--json", *options, exits=exits).json["pedometers"]
    return {gap["day"]: gap["reason"] for gap in entry["missing"]}


def whole(istep):
    """The days of which the history has each slot that the ring knows."""
    known = {day: {index: slot[0] for index, slot in of["slots"].items()}
             for day, of in remembered(peripheral("ring", "truth")).items()}
    held = istep.slots()
    return {day for day in known if held.get(day) == known[day]}


def all_days():
    return set(remembered(peripheral("ring", "truth")))


@scenario
def refused_twice():
    """a day that is refused in two syncs is named in both, and read by the third"""
    istep = Istep(added)
    fails(OLDEST, how="refuse", requests=6)
    for _ in range(2):
        check(missing(istep) == {OLDEST: "refused"}, "the refused day is not named")
        check(whole(istep) == all_days() - {OLDEST}, f"stored: {sorted(whole(istep))}")
    notices = istep("status", "--json").json["notices"]
    check([n["kind"] for n in notices] == ["daysMissing"], f"status has the notices {notices}")
    result = istep("sync")
    check(OLDEST not in result.out, f"it was answered: {result}")
    istep.expect_all_slots("ring")
    check(not istep("status", "--json").json["notices"], "the notice has not ended")


@scenario
def silent_day():
    """a day without an answer holds up neither the others nor the clock, and is read by the next sync"""
    istep = Istep(added)
    fails("2026-11-14", how="silent", requests=3)
    result = istep("sync")
    words = " ".join(result.out.split())
    check("2026-11-14 (no answer)" in words and "at the next sync" in words, f"the day is not named: {result}")
    check(events("ring", "clock set"), "the clock was not set")
    check(whole(istep) == all_days() - {"2026-11-14"}, f"stored: {sorted(whole(istep))}")
    check(missing(istep) == {}, "it was answered")
    istep.expect_all_slots("ring")


@scenario
def late_records():
    """records of another day without their header neither replace the good ones nor show anything about the clock"""
    istep = Istep(added)
    fails(how=None, requests=0)
    peripheral("ring", "fault", "late", TODAY, 3)
    result = istep("sync")
    check(len([e for e in events("ring", "fault") if e["kind"] == "late"]) == 3, "no record came late")
    check("clock" not in result.out, f"the clock is blamed: {result}")
    istep.expect_all_slots("ring")
    calories = peripheral("ring", "truth")["days"][TODAY]["calories"]
    stored = istep.energy_of(TODAY)
    check(abs(stored * 1000 - calories) < 1, f"{stored} kcal of {calories / 1000}")


@scenario
def silent_battery():
    """a ring that never answers for its battery delays one sync, not each"""
    istep = Istep(added)
    fails(how=None, requests=0)
    peripheral("ring", "fault", "battery")
    first, second = istep("sync"), istep("sync")
    check(first.seconds > 15, f"it was not asked: {first.seconds:.0f} s")
    check(second.seconds < 12, f"it was asked again: {second.seconds:.0f} s")
    istep.expect_all_slots("ring")


@scenario
def today_refused():
    """a refusal of today costs no other day"""
    istep = Istep(added)
    fails(TODAY, how="refuse", requests=3)
    result = istep("sync", "--unattended")
    check("1 day missing" in result.out, f"the line does not say so: {result}")
    check(whole(istep) == all_days() - {TODAY}, f"stored: {sorted(whole(istep))}")
    check(missing(istep) == {}, "it was answered")
    istep.expect_all_slots("ring")


@scenario
def all_silent():
    """a ring that answers for no day is given up in time, with the day, the attempts and their seconds"""
    istep = Istep(added)
    fails(*all_days(), how="silent", requests=50)
    result = istep("sync", exits=75)
    check(f"the request for the steps of {TODAY} (3 attempts, 15 seconds)" in result.out + result.err, f"in other words: {result}")
    check(result.seconds < 75, f"{result.seconds:.0f} s")
    peripheral("ring", "fault", "none")
    istep("sync")
    istep.expect_all_slots("ring")


@scenario
def cut_days():
    """days on which the link is lost each time: the others are stored, of these what came in; completed when the link holds"""
    istep = Istep(added)
    fails("2026-11-16", TODAY, how="cut", requests=50)
    for _ in range(4):
        result = istep("sync", exits=(0, 75))
        check("Received data was saved" in result.out or result.code == 0, f"nothing is said of what was stored: {result}")
    check(whole(istep) == all_days() - {"2026-11-16", TODAY}, f"stored: {sorted(whole(istep))}")
    for day in ("2026-11-16", TODAY):
        shown = istep("show", day, "--json").json
        check(shown["steps"] and shown["completeness"] == "partial", f"{day}: {shown['steps']}, {shown['completeness']}")
    peripheral("ring", "fault", "none")
    istep("sync")
    istep.expect_all_slots("ring")


def counter(address, name):
    istep = Istep(TZ="Europe/Berlin")
    istep("add", address, "--name", name, "--model", "generic", "--counts", "today", "--format", "u32le",
          "--service", SERVICE, "--characteristic", STEPS)
    return istep


@scenario
def first_reading():
    """a counter's first reading soon after midnight waits for a second, which shows that it was yesterday's"""
    set_clock('TZ="Europe/Berlin" 2026-11-21 00:10:00')
    try:
        istep = counter(COUNTER, "watch")
        walked = peripheral("counter", "truth")["steps"]
        result = istep("sync")
        check("may still be yesterday" in result.out, f"not a word of the doubt: {result}")
        check(istep.steps("2026-11-20") is None and istep.samples() == [], "counted before it was decided")
        peripheral("counter", "midnight")
        peripheral("counter", "walk", 25)
        set_clock('TZ="Europe/Berlin" 2026-11-21 00:50:00')
        result = istep("sync")
        check("restarted" not in result.out, f"a reset at midnight is no restart: {result}")
        istep.expect_steps({"2026-11-20": walked, "2026-11-21": 25})
    finally:
        set_clock('TZ="Europe/Berlin" 2026-11-20 23:10:00')


@scenario
def readable_clock():
    """a counter whose clock can be read: it decides at once"""
    set_clock('TZ="Europe/Berlin" 2026-11-21 00:03:00')
    try:
        istep = counter(CLOCKED, "clocked")
        walked = peripheral("clocked", "truth")["steps"]
        peripheral("clocked", "clock", "2026-11-20T23:58:00")
        istep("sync")
        istep.expect_steps({"2026-11-20": walked})
        peripheral("clocked", "midnight")
        peripheral("clocked", "walk", 40)
        set_clock('TZ="Europe/Berlin" 2026-11-21 09:00:00')
        result = istep("sync")
        check("restarted" not in result.out, f"a reset at midnight is no restart: {result}")
        istep.expect_steps({"2026-11-20": walked, "2026-11-21": 40})
    finally:
        set_clock('TZ="Europe/Berlin" 2026-11-20 23:10:00')


@scenario
def midnight():
    """midnight passes in the middle of a sync: no day is skipped, and none is transferred three times"""
    istep = Istep(added)
    fails(how=None, requests=0)
    before = remembered(peripheral("ring", "truth"))
    peripheral("ring", "clock", "2026-11-20T23:59:40")
    set_clock('TZ="Europe/Berlin" 2026-11-20 23:59:40')
    try:
        peripheral("ring", "midnight", 4)
        istep("sync")
        asked = [e["day"] for e in events("ring", "steps asked")]
        check(max(map(asked.count, asked)) <= 2, f"asked for {asked}")
        held = istep.slots()
        # The day that the ring forgot at its midnight was the first that it was asked for after today.
        wrong = [day for day in before if held.get(day) != {i: s[0] for i, s in before[day]["slots"].items()}]
        check(not wrong, f"not as the ring knew them: {wrong}; asked for {asked}")
    finally:
        peripheral("ring", "fault", "none")
        peripheral("ring", "clock", "2026-11-20T23:10:00")
        set_clock('TZ="Europe/Berlin" 2026-11-20 23:10:00')
