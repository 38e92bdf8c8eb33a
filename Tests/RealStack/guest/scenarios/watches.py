"""Watches and a band: InfiniTime, Bangle.js, Mi Smart Band; and the commands for people who bring another device."""
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

from lab import events, peripheral, set_clock, until
from scenarios.harness import Istep, Watch, check, scenario

MOVED, IDENTITY, UPDATED = "C0:DE:57:01:00:99", "C0:DE:57:01:00:05", "C0:DE:00:00:0B:0B"
PINETIME, BANGLE, BAND, BIP = "C0:DE:1F:71:00:01", "C0:DE:BA:26:1E:02", "C0:DE:57:01:00:06", "C0:DE:57:01:00:07"
CRP, NAMELESS, LOOK_ALIKE = "C0:DE:00:00:0B:11", "C0:DE:00:00:07:07", "C0:DE:0A:F0:00:02"
MOTION, STEPS = "00030000-78fc-48fe-8e23-433b3a1942d0", "00030001-78fc-48fe-8e23-433b3a1942d0"
MOTION_VALUES = "00030002-78fc-48fe-8e23-433b3a1942d0"
DAY, NEXT = "2026-11-20", "2026-11-21"

anna = Istep(TZ="Europe/Berlin")
bert = Istep(TZ="Europe/Berlin")
carla = Istep(TZ="Europe/Berlin")
dora = Istep(TZ="Europe/Berlin")
emil = Istep(TZ="Europe/Berlin")
frida = Istep(TZ="Europe/Berlin")
set_clock('TZ="Europe/Berlin" 2026-11-20 15:05:00')


def at(time):
    """Time passes for the machine and the watch: steps made within seconds are not plausible."""
    set_clock(f'TZ="Europe/Berlin" {DAY} {time}')
    peripheral("pinetime", "clock", f"{DAY}T{time}")


def synced(who, *names):
    entry, = who("sync", *names, "--json").json["pedometers"]
    return entry


@scenario
def scan():
    """scan says what each device is, and what shows it"""
    found = {p["address"]: p for p in anna("scan", "--all", "--json", "--timeout", "15").json["peripherals"]}
    known = {address: (found.get(address, {}).get("model"), found.get(address, {}).get("evidence")) for address in (PINETIME, BANGLE, BAND)}
    check(known == {PINETIME: ("infinitime", "name"), BANGLE: ("banglejs", "name"), BAND: ("miband", "advertisedData")}, f"{known}")
    check(found[BIP]["model"] is None, f"a look-alike is taken for a band: {found[BIP]}")


@scenario
def infinitime():
    """add InfiniTime, and nothing else to type: steps, firmware, and its clock is set after they were read"""
    anna("add", "InfiniTime", "--name", "pinetime")
    entry = synced(anna)
    check(entry["steps"] == 4321 and entry["firmware"] == "1.15.0", f"{entry}")
    truth = peripheral("pinetime", "truth")
    check(len(truth["writes"]) == 1 and len(truth["writes"][0]) == 20, f"its clock got {truth['writes']}")
    check(truth["clock"][:13] == f"{DAY}T15" and truth["steps"] == 4321, f"{truth}")
    check([n["kind"] for n in entry["notices"]] == ["clockCorrected"], f"{entry['notices']}")
    at("15:20:00")
    peripheral("pinetime", "walk", 679)
    check(synced(anna)["steps"] == 679 and anna.steps(DAY) == 5000, "the growth alone is new")
    check(len(peripheral("pinetime", "truth")["writes"]) == 1, "a clock that is right is left alone")


@scenario
def glitch():
    """a counter of 536 million is not counted, and the next reading is right again"""
    at("15:30:00")
    peripheral("pinetime", "glitch", 536870912)
    check([n["kind"] for n in synced(anna)["notices"]] == ["implausible"], "it is reported")
    peripheral("pinetime", "glitch", "none")
    at("15:40:00")
    peripheral("pinetime", "walk", 10)
    check(synced(anna)["steps"] == 10 and anna.steps(DAY) == 5010, "steps of the day")


@scenario
def midnight():
    """its midnight begins a new day"""
    set_clock('TZ="Europe/Berlin" 2026-11-21 09:00:00')
    peripheral("pinetime", "clock", f"{NEXT}T00:00:05")
    peripheral("pinetime", "clock", f"{NEXT}T09:00:00")
    peripheral("pinetime", "walk", 800)
    synced(anna)
    check(anna.steps(DAY) == 5010 and anna.steps(NEXT) == 800, f"{anna.steps(DAY)}, {anna.steps(NEXT)}")
    set_clock('TZ="Europe/Berlin" 2026-11-20 15:42:00')


@scenario
def bangle():
    """a Bangle.js: all records of three days, in chunks that the link carries; then nothing new"""
    bert("add", "Bangle.js", "--name", "bangle")
    truth = peripheral("bangle", "truth")
    entry = synced(bert)
    check(entry["steps"] == sum(truth["records"].values()), f"{entry}")
    check(entry["battery"] == 87, "battery of its status line")
    days = {}
    for at, steps in truth["records"].items():
        days[at[:10]] = days.get(at[:10], 0) + steps
    bert.expect_steps(days)
    check(synced(bert)["steps"] == 0, "a second sync changes nothing")
    written = [bytes.fromhex(e["value"]) for e in events("bangle", "write")]
    mtu = max(e["mtu"] for e in events("bangle", "mtu")) if events("bangle", "mtu") else 23
    check(max(map(len, written)) <= mtu - 3, f"{max(map(len, written))} bytes with an MTU of {mtu}")


@scenario
def bangle_faults():
    """a missing app is named; a missing record is noticed by the count, and read in the same sync or the next"""
    peripheral("bangle", "lacks", "android")
    failed = bert("sync", exits=69)
    check("Android Integration" in failed.out + failed.err, f"{failed}")
    peripheral("bangle", "lacks", "none")
    peripheral("bangle", "clock", "2026-11-20T15:50:00")
    at("15:51:00")
    peripheral("bangle", "walk", 60)
    peripheral("bangle", "omit", 2)
    bert("sync", exits=75)
    peripheral("bangle", "omit", 1)
    bert("sync")
    day = sum(steps for at, steps in peripheral("bangle", "truth")["records"].items() if at.startswith(DAY))
    check(bert.steps(DAY) == day, f"{bert.steps(DAY)} of {day}")


def set_moment(seconds):
    set_clock(datetime.fromtimestamp(seconds, timezone.utc).strftime("TZ=\"UTC\" %Y-%m-%d %H:%M:%S"))


class BangleDays:
    """A person with the Bangle.js in a zone: records are made for the time between two syncs, and known by the day of that zone."""

    def __init__(self, zone, day):
        self.who, self.zone, self.truth = Istep(TZ=zone), ZoneInfo(zone), {}
        self.time = datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=self.zone)

    def sync(self, until, watch_offset, **options):
        """Lives until a local time, each ten minutes with 7 steps, and syncs; the watch counts local time by an offset."""
        end = datetime.fromisoformat(until).replace(tzinfo=self.zone).timestamp()
        start = int(self.time.timestamp())
        count = int(end - start) // 600
        local = datetime.fromtimestamp(start + watch_offset, timezone.utc).replace(tzinfo=None)
        peripheral("bangle", "record", local.isoformat(), 7, count)
        for n in range(count):
            day = datetime.fromtimestamp(start + n * 600, self.zone).date().isoformat()
            self.truth[day] = self.truth.get(day, 0) + 7
        self.time = datetime.fromtimestamp(start + count * 600, self.zone)
        set_moment(end + 60)
        return self.who("sync", "--json", **options).json["pedometers"][0]


def bangle_of(zone, day, watch_zone):
    """A Bangle.js without records, of a new person."""
    person = BangleDays(zone, day)
    peripheral("bangle", "clear")
    peripheral("bangle", "zone", watch_zone)
    set_moment(person.time.timestamp() + 60)
    person.who("add", "Bangle.js", "--name", "bangle")
    return person


@scenario
def bangle_west():
    """west of Greenwich, a sync in the evening reads the evening's steps: the watch takes the UTC date of the request for its own"""
    person = bangle_of("America/Los_Angeles", "2026-11-10", -28800)
    for until in ("2026-11-10T14:00", "2026-11-10T17:00", "2026-11-10T19:00", "2026-11-10T23:00", "2026-11-11T09:00"):
        person.sync(until, -28800)
    person.who.expect_steps(person.truth)


@scenario
def bangle_fixed():
    """a Bangle.js that nobody resets keeps its offset when clocks change here: its times are exact"""
    person = bangle_of("Europe/Berlin", "2026-10-24", 7200)
    for until in ("2026-10-24T18:00", "2026-10-25T10:00", "2026-10-26T10:00"):
        person.sync(until, 7200)
    person.who.expect_steps(person.truth)
    complete = person.who("show", "2026-10-25", "--json").json
    check(complete["completeness"] == "complete", f"{complete['completeness']}")


@scenario
def bangle_dst():
    """a Bangle.js with the rule of daylight saving sends exact times, and does not store the hour that is shown twice"""
    person = bangle_of("Europe/Berlin", "2026-10-24", "Europe/Berlin")
    person.sync("2026-10-24T23:30", 7200)
    change = datetime(2026, 10, 25, 2, 0, tzinfo=timezone.utc)      # an hour after it
    person.sync("2026-10-25T02:50", 7200)
    person.time = change.astimezone(person.zone)
    person.sync("2026-10-25T12:00", 3600)
    person.sync("2026-10-26T12:00", 3600)
    person.who.expect_steps(person.truth)
    day = person.who("show", "2026-10-25", "--json").json
    check(day["completeness"] == "partial", f"{day['completeness']}")


@scenario
def bangle_phone():
    """a Bangle.js that a phone has reset: nothing counts twice, and the day of the change is partial"""
    person = bangle_of("Europe/Berlin", "2026-10-24", 7200)
    person.sync("2026-10-24T23:30", 7200)
    person.sync("2026-10-25T02:50", 7200)
    person.time = datetime(2026, 10, 25, 2, 0, tzinfo=timezone.utc).astimezone(person.zone)
    peripheral("bangle", "zone", 3600)
    person.sync("2026-10-25T12:00", 3600)
    person.sync("2026-10-26T12:00", 3600)
    person.who.expect_steps(person.truth)
    day = person.who("show", "2026-10-25", "--json").json
    check(day["completeness"] == "partial", f"{day['completeness']}")


@scenario
def bangle_console():
    """the console of a Bangle.js: off, locked, and with a line that another program left"""
    person = bangle_of("Europe/Berlin", "2026-11-12", 3600)
    peripheral("bangle", "typed", "print(1")
    person.sync("2026-11-12T14:00", 3600)
    peripheral("bangle", "console", "off")
    person.sync("2026-11-12T16:00", 3600)
    person.who.expect_steps(person.truth)
    peripheral("bangle", "lacks", "health")
    failed = person.who("sync", exits=69)
    check("Health Tracking" in failed.out + failed.err, f"{failed}")
    peripheral("bangle", "lacks", "none")
    peripheral("bangle", "console", "locked")
    failed = person.who("sync", exits=69)
    check("password" in failed.out + failed.err, f"{failed}")
    peripheral("bangle", "console", "on")
    set_clock('TZ="Europe/Berlin" 2026-11-20 15:55:00')


@scenario
def band():
    """a Mi Smart Band is read from its advertisements: no connection is made"""
    carla("add", BAND, "--name", "band")
    check(synced(carla)["steps"] == 5432, "steps")
    at("16:10:00")
    peripheral("band", "walk", 68)
    check(synced(carla)["steps"] == 68 and carla.steps(DAY) == 5500, "the growth alone is new")
    check(not events("band", "connected"), "it was connected to")


@scenario
def silent_band():
    """a band that is in range and not discoverable is distinguished from one that is away"""
    peripheral("band", "discoverable", "off")
    peripheral("band", "advertise", "off")
    # bluetoothd forgets what it advertised before when its object is gone.
    subprocess.run(["bluetoothctl", "remove", BAND], capture_output=True, timeout=20)
    peripheral("band", "advertise", "on")
    failed = carla("sync", exits=69)
    check("Discoverable" in failed.out + failed.err, f"{failed}")
    peripheral("band", "range", "out")
    peripheral("bip", "range", "out")
    carla("sync", "--timeout", "6", exits=(69, 75))
    peripheral("band", "range", "in")
    peripheral("band", "discoverable", "on")


@scenario
def moved_band():
    """a band is added and read by the address in its data, whatever address it is sent from"""
    dora("add", IDENTITY, "--name", "moved")
    check(synced(dora)["steps"] == 300, "steps")
    check(dora("devices", "--json").json["pedometers"][0]["address"] == IDENTITY, "its address is that of its data")


@scenario
def watched_band():
    """watch recognises a band by the address in its data, and shows its steps live without a connection"""
    watch = Watch(dora, "--live", "--json", "--every", "60")
    try:
        until(lambda: '"live"' in watch.said, 90, f"live figures: {watch.said}")
        peripheral("moved", "walk", 17)
        until(lambda: re.search(r'"steps" ?: ?317', watch.said), 60, f"317 live steps: {watch.said}")
        watch.end()
    finally:
        watch.process.kill()
        watch.process.wait()
    check(not events("moved", "connected"), "it was connected to")


@scenario
def updated():
    """services that are new since a firmware update are found, although bluetoothd knows the device"""
    failed = dora("add", UPDATED, exits=69)
    check("lacks the service" in failed.out + failed.err, f"{failed}")
    before = [s["uuid"] for s in anna("gatt", "list", UPDATED, "--json").json["services"]]  # bluetoothd stores them
    peripheral("updated", "update", "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e")
    after = dora("add", UPDATED, "--name", "updated", exits=(0, 69))
    check(after.code == 0, f"before {before}, {after}")


@scenario
def crp():
    """an R11 with the other protocol is recognised by its services, though its name is that of a Colmi ring too"""
    emil("add", "SMART_RING", "--name", "r11")
    device, = emil("devices", "--json").json["pedometers"]
    check((device["address"], device["model"]) == (CRP, "crp"), f"{device}")
    truth = peripheral("crp", "truth")
    check(synced(emil)["steps"] == 1234 + sum(truth["days"].values()) and emil.steps(DAY) == 1234, "today's count, and past days")
    emil.expect_steps(truth["days"])
    written = peripheral("crp", "truth")["writes"]
    set_clocks = [w for w in written if w.startswith("fdda100b0101")]
    check(len(set_clocks) == 1 and written[-1] == set_clocks[0], "its clock is set once, after its days were read")
    check(all(w.startswith("fdda100702") for w in written[:-1]), f"something else is written: {written}")
    at("16:40:00")
    peripheral("crp", "walk", 66)
    check(synced(emil)["steps"] == 66 and emil.steps(DAY) == 1300, "the growth alone is new")
    added = peripheral("crp", "truth")["writes"][len(written):]
    check(len(added) == 1 and added[0].startswith("fdda100b0101"), f"past days are read once a day: {added}")


@scenario
def id115_look_alike():
    """a band with the name of an ID115 and other services is not one"""
    found = {p["address"]: p for p in frida("scan", "--all", "--json", "--timeout", "15").json["peripherals"]}
    check(found[LOOK_ALIKE]["name"] == "ID115 (ID-1A2B)" and found[LOOK_ALIKE]["model"] is None, f"{found.get(LOOK_ALIKE)}")
    frida("add", LOOK_ALIKE, exits=64)
    failed = frida("add", LOOK_ALIKE, "--model", "id115", exits=69)
    check("lacks the service" in failed.out + failed.err, f"{failed}")
    check(not events("look-alike", "write"), "something was written to it")


@scenario
def unknown_name():
    """a ring whose name says nothing is recognised by its services: by scan --probe, and by add"""
    found = {p["address"]: p for p in frida("scan", "--probe", "--name", "XQ", "--json", "--timeout", "10").json["peripherals"]}
    known = (found.get(NAMELESS, {}).get("model"), found.get(NAMELESS, {}).get("evidence"))
    check(known == ("colmi", "services"), f"{found}")
    frida("add", NAMELESS, "--name", "ring")
    check(synced(frida)["steps"] > 0, "steps")


@scenario
def gatt():
    """gatt lists, reads, writes and listens to any device by UUIDs of both lengths"""
    table = anna("gatt", "list", PINETIME, "--json").json["services"]
    values = {c["uuid"]: c for s in table for c in s["characteristics"]}
    check(STEPS in values and "notify" in values[STEPS]["flags"], f"{sorted(values)}")
    check(anna("gatt", "read", PINETIME, "180a", "2a26", "--format", "text").out.strip() == "1.15.0", "text")
    steps = peripheral("pinetime", "truth")["steps"]
    check(int(anna("gatt", "read", PINETIME, MOTION, STEPS, "--format", "u32le").out) == steps, "a number")
    anna("gatt", "write", PINETIME, "1805", "2a2b", "ea 07 0b 14 0f 2d 00 05 00 00")
    check(peripheral("pinetime", "truth")["clock"].startswith("2026-11-20T15:45"), "the clock that was written")
    anna("gatt", "read", PINETIME, "180a", "ffff", exits=69)
    anna("gatt", "write", PINETIME, "1805", "2a2b", "nothing", exits=64)


@scenario
def capture():
    """gatt capture writes the frames of a sync without the address"""
    path = Path(anna.home) / "capture.txt"
    anna("gatt", "capture", "pinetime", "--output", str(path))
    text = path.read_text()
    check(text.startswith("pedometer capture 1\nmodel: infinitime\n") and re.search(r"^< [0-9a-f]{2} ", text, re.M), text)
    check("c0 de 1f 71" not in text and "01 00 71 1f" not in text, "the address is in it")
    anna("gatt", "capture", "pinetime", "--output", str(path), exits=64)


def moment(day, time):
    """Time passes for the machine and the watch, through the watch's midnight if the day is a new one."""
    set_clock(f'TZ="Europe/Berlin" {day} {time}')
    if peripheral("pinetime", "truth")["clock"][:10] < day:
        peripheral("pinetime", "clock", f"{day}T00:00:05")
    peripheral("pinetime", "clock", f"{day}T{time}")


def new_watch(version):
    """A history of its own, with the watch as it is after an update of its firmware."""
    peripheral("pinetime", "wake")
    peripheral("pinetime", "firmware", version)
    peripheral("pinetime", "reboot")
    peripheral("pinetime", "clock", f"{DAY}T09:00:00")
    moment(DAY, "09:00:00")
    peripheral("pinetime", "walk", 50)
    home = Istep(TZ="Europe/Berlin")
    home("add", PINETIME, "--name", "pinetime")
    synced(home)
    return home


def sleeping_watch(version):
    """6,000 steps at 18:00; 8,000 when it is looked at, at 23:00; asleep at 9:00, and read; then 5,000."""
    home = new_watch(version)
    moment(DAY, "18:00:00")
    peripheral("pinetime", "walk", 5950)
    synced(home)
    moment(DAY, "23:00:00")
    peripheral("pinetime", "walk", 2000)
    peripheral("pinetime", "sleep")
    moment(NEXT, "09:00:00")
    synced(home)
    peripheral("pinetime", "wake")
    moment(NEXT, "14:00:00")
    peripheral("pinetime", "walk", 5000)
    synced(home)
    check(peripheral("pinetime", "truth")["steps"] == 5000, "its own count")
    return home.steps(DAY), home.steps(NEXT)


@scenario
def asleep_14():
    """InfiniTime 1.14 asleep: the count that it still shows in the morning is that of the day before"""
    days = sleeping_watch("1.14.0")
    check(days == (8000, 5000), f"{days}")


@scenario
def asleep_15():
    """InfiniTime 1.15 asleep: a sync completes the day before, and has the overdue reset carried out"""
    days = sleeping_watch("1.15.0")
    check(days == (8000, 5000), f"{days}")
    check(any(e["uuid"] == MOTION_VALUES and e["notify"] for e in events("pinetime", "subscription")), "no subscription")


def mornings(version):
    home = new_watch(version)
    moment(DAY, "23:00:00")
    peripheral("pinetime", "walk", 900)
    days = {}
    for number in range(4):
        day = f"2026-11-{21 + number}"
        moment(day, f"07:{30 - 5 * number:02}:00")
        peripheral("pinetime", "walk", 1000 + 200 * number)
        days[day] = 1000 + 200 * number
        entry = synced(home)
        check(entry["steps"] == days[day], f"{day}: {entry}")
        moment(day, "22:00:00")
        peripheral("pinetime", "walk", 3000)
    home.expect_steps({DAY: 50, **days})


@scenario
def mornings_15():
    """InfiniTime 1.15: one sync each morning, with counts that rise, counts each morning's steps on its day"""
    mornings("1.15.0")


@scenario
def mornings_16():
    """InfiniTime 1.16: one sync each morning, with counts that rise, counts each morning's steps on its day"""
    mornings("1.16.0")


@scenario
def cold_boot():
    """InfiniTime after an empty battery: the count is new, though it is higher than before, and the clock is set in its first hour"""
    home = new_watch("1.16.0")
    moment(DAY, "12:00:00")
    peripheral("pinetime", "boot")
    peripheral("pinetime", "clock", "2026-01-01T00:20:00")
    peripheral("pinetime", "walk", 700)
    set_clock(f'TZ="Europe/Berlin" {DAY} 12:20:00')
    entry = synced(home)
    check({"counterRestarted", "clockCorrected"} <= {n["kind"] for n in entry["notices"]}, f"{entry}")
    check(home.steps(DAY) == 750, f"{home.steps(DAY)}")
    check(peripheral("pinetime", "truth")["clock"].startswith(f"{DAY}T12:2"), f"{peripheral('pinetime', 'truth')}")
