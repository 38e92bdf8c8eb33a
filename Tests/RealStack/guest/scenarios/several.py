"""Several pedometers in one sync: one search, results as they come, and every link down at the end."""
import sqlite3
import subprocess
import time
from pathlib import Path

from lab import events, peripheral, set_clock
from scenarios.harness import Istep, check, scenario

RING, OLD_RING, COUNTER = "C0:DE:00:00:00:02", "C0:DE:00:00:00:03", "C0:DE:00:00:00:04"
ADDRESSES = {"ring": RING, "old-ring": OLD_RING, "counter": COUNTER, "secure": "C0:DE:00:00:00:05", "clocked": "C0:DE:00:00:00:06"}
ALL = ("ring", "old-ring", "counter")

set_clock('TZ="Europe/Berlin" 2026-11-20 23:06:00')
added = Istep(TZ="Europe/Berlin")


class OutOfRange:
    """These peripherals are out of range for as long as the block lasts."""

    def __init__(self, *who):
        self.who = who

    def __enter__(self):
        for each in self.who:
            peripheral(each, "range", "out")
            # BlueZ must not know it as just heard.
            subprocess.run(["bluetoothctl", "remove", ADDRESSES[each]], capture_output=True)

    def __exit__(self, *_):
        for each in self.who:
            peripheral(each, "range", "in")


def no_links():
    for each in ALL:
        check(not peripheral(each, "status")["connections"], f"the link to {each} is up after the end of the process")


@scenario
def add():
    """three pedometers are added"""
    added("add", RING, "--user", "anna")
    added("add", OLD_RING, "--name", "old", "--user", "anna")
    added("add", COUNTER, "--name", "watch", "--user", "anna", "--model", "generic", "--service",
          "00030000-78fc-48fe-8e23-433b3a1942d0", "--characteristic", "00030001-78fc-48fe-8e23-433b3a1942d0",
          "--format", "u32le", "--counts", "today")


@scenario
def two_absent():
    """two of three are out of range: the sync takes one search time, and the third is read"""
    istep = Istep(added)
    with OutOfRange("old-ring", "counter"):
        started = time.monotonic()
        process = istep.start("sync", "--no-share", "--timeout", "20")
        first = process.stdout.readline()
        known = time.monotonic() - started
        result = istep.finish(process, ("sync",), since=started)
    check(result.code == 75, str(result))
    check(first.startswith("R02_1A2B: ") and "read in" in first, f"first line: {first!r}")
    check(known < 18, f"the ring's line came after {known:.1f} s: not before the search for the others was over")
    check("old: failed" in result.out and "watch: failed" in result.out, str(result))
    # Reading the ring takes some seconds, during which nothing is searched for; a search each would take 40 s more.
    check(result.seconds < 20 + 10, f"it took {result.seconds:.1f} s")
    no_links()


@scenario
def nothing_heard():
    """no device at all is in range: sync, scan and add say so, and refer to doctor"""
    istep = Istep(added)
    with OutOfRange(*ADDRESSES):
        for command, code, words in (
            (("sync", "--no-share", "--timeout", "12"), 75, "and no other Bluetooth device was heard"),
            (("scan", "--timeout", "12"), 0, "no other Bluetooth device was heard"),
            (("add", "--user", "anna", "--timeout", "12"), 75, "and no other Bluetooth device was heard"),
        ):
            result = istep(*command, exits=code)
            said = " ".join((result.out + result.err).split())
            check(words in said and "istep doctor" in said, str(result))
    result = istep("sync", "--no-share", "R02_1A2B")
    check("read in" in result.out, str(result))


@scenario
def all_in_range():
    """all three are read, one link at a time; the document has them in the order of their names"""
    istep = Istep(added)
    for each in ALL:
        peripheral(each, "events", "clear")
    result = istep("sync", "--no-share", "--json")
    no_links()
    entries = result.json["pedometers"]
    check([entry["name"] for entry in entries] == ["old", "R02_1A2B", "watch"], str(result))
    check(all(entry["outcome"] == "complete" for entry in entries), str(result))
    for each, entry in zip(("old-ring", "ring", "counter"), entries):
        log = events(each)
        air = sum(e["t"] for e in log if e["event"] == "disconnected") - sum(e["t"] for e in log if e["event"] == "connected")
        check(abs(air - entry["connectedSeconds"]) < 0.7, f"{each}: {air:.2f} s on the air, {entry['connectedSeconds']} s reported")
    print(f"#       three pedometers: {result.seconds:.1f} s, on the air {[entry['connectedSeconds'] for entry in entries]} s", flush=True)


@scenario
def early_result():
    """the result is printed while the link is still up, and the process ends when it is down"""
    istep = Istep(added)
    process = istep.start("sync", "--no-share", "R02_1A2B")
    started = time.monotonic()
    line = process.stdout.readline()
    printed = time.monotonic() - started
    check(peripheral("ring", "status")["connections"], "the link was down when the result was printed")
    result = istep.finish(process, ("sync",), since=started)
    no_links()
    check("new steps" in line and result.code == 0, f"{line!r} {result}")
    check(result.seconds - printed > 1, f"printed after {printed:.1f} s of {result.seconds:.1f} s")
    print(f"#       result after {printed:.1f} s, end after {result.seconds:.1f} s", flush=True)


@scenario
def interrupted_while_disconnecting():
    """SIGTERM after the result, while BlueZ disconnects: no link is left"""
    istep = Istep(added)
    process = istep.start("sync", "--no-share", "R02_1A2B")
    process.stdout.readline()
    process.terminate()
    istep.finish(process, ("sync",), limit=15)
    no_links()


@scenario
def killed_while_disconnecting():
    """a sync right after one that was killed while it disconnected completes, whenever it comes"""
    istep = Istep(added)
    for tenths in (0, 3, 6, 9, 12, 15, 18, 21):
        process = istep.start("sync", "--no-share", "R02_1A2B")
        process.stdout.readline()
        process.kill()
        process.communicate()
        time.sleep(tenths / 10)     # of the 2 s that BlueZ takes
        istep("sync", "--no-share", "R02_1A2B")
        no_links()


@scenario
def changed_address():
    """a pedometer that is in range under another address is hinted at; the advice loses and doubles no steps"""
    istep = Istep(added)
    istep("sync", "--no-share", "R02_1A2B")
    days = [f"2026-11-{day}" for day in range(14, 20)]
    before = [istep.steps(day) for day in days]
    history, = Path(istep.data).rglob("history.sqlite")
    database = sqlite3.connect(history)
    with database:
        database.execute("UPDATE pedometer SET address = 'C0:DE:00:00:00:99' WHERE address = ?", (RING,))
    database.close()
    result = istep("sync", "--no-share", "--timeout", "8", "R02_1A2B", exits=75)
    check(f"R02_1A2B is in range with another address, {RING}" in " ".join(result.out.split()), str(result))
    istep("forget", "C0:DE:00:00:00:99")
    istep("add", RING, "--user", "anna")
    istep("sync", "--no-share", RING)
    after = [istep.steps(day) for day in days]
    check(before == after and all(before), f"before {before}, after {after}")
