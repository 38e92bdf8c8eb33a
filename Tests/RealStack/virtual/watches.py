"""Virtual watches, a band, and a ring that only counts.

`InfiniTime` (kind "infinitime"): steps of today, a clock that is read and set, and a firmware version. A reset of its counter is due when
its clock first shows an hour of 0; a clock that is set past that hour causes none. Asleep it shows an old count and resets it when it wakes;
1.15 does both while the motion values are subscribed to, and 1.16 always. It notifies the motion ten times a second.
  truth           {"steps": n, "clock": TIME, "writes": [HEX, …]}
  walk STEPS      adds to the counter; notifies who subscribed, unless it sleeps
  sleep, wake
  reboot          a soft reset: the counter starts from zero, the clock stays
  boot            the battery was empty: so does the clock, at 1 January
  clock TIME      sets its clock as a phone would (ISO 8601, no zone)
  firmware VERSION
  glitch STEPS|none   what it shows instead

`Bangle` (kind "bangle"): the console of a Bangle.js 2 with the apps `android` and `health`, over the Nordic UART.
  truth           {"records": {TIME: steps}, "longest": bytes of the longest packet written to it, "requests": n}
  clock TIME      makes the records of three days before; TIME is its local time
  zone SECONDS|ZONE  its offset, which it applies to all dates (`E.setTimeZone`); or a zone whose rule it follows (`E.setDST`)
  clear           has no records
  walk STEPS      adds to the last record
  record TIME STEPS COUNT  stores so many records of ten minutes from that local time on, where it has none yet
  lacks APP|none  `android` or `health` is not installed
  console on|off|locked  off: it executes requests only, and hides errors; locked: it asks for a password
  typed TEXT      another program leaves this on its console
  omit N          leaves a record out of the next N answers, and counts it

`CRP` (kind "crp"): an R11 with the other of its two protocols: its steps are read, and notified while its wearer walks; it answers
requests for the totals and half hours of past days; its clock is set.
  truth           {"steps": n, "days": {DATE: steps}, "writes": [HEX, …]}
  walk STEPS

`Band` (kind "band"): advertises today's steps. One packet has no room for both fields, and this radio has no scan responses: they
are advertised in turn, and bluetoothd joins them.
  truth           {"steps": n}
  walk STEPS
  discoverable on|off
"""
import asyncio
import json
import random
import re
import time
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from bumble import hci
from bumble.core import AdvertisingData

import walking
from peripheral import Peripheral

MOTION, STEPS = "00030000-78fc-48fe-8e23-433b3a1942d0", "00030001-78fc-48fe-8e23-433b3a1942d0"
MOTION_VALUES = "00030002-78fc-48fe-8e23-433b3a1942d0"
CURRENT_TIME, FIRMWARE = "2a2b", "2a26"
UART = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
UART_IN, UART_OUT = "6e400002-b5a3-f393-e0a9-e50e24dcca9e", "6e400003-b5a3-f393-e0a9-e50e24dcca9e"
SLOT = timedelta(minutes=10)


class InfiniTime(Peripheral):
    DEFAULTS = {**Peripheral.DEFAULTS, "name": "InfiniTime", "advertise": ["180d"], "steps": 4321, "clock": "2026-11-20T15:00:00"}
    MTU = 256
    UPDATE = 0.1        # seconds between two updates of the counter

    def __init__(self, description, radio):
        config = {**self.DEFAULTS, **description}
        services = [
            {"uuid": "1805", "characteristics": [{"uuid": CURRENT_TIME, "properties": ["read", "write"]}]},
            {"uuid": "180a", "characteristics": [{"uuid": FIRMWARE, "properties": ["read"], "value": "1.15.0"}]},
            {"uuid": MOTION, "characteristics": [{"uuid": STEPS, "properties": ["read", "notify"]},
                                                 {"uuid": MOTION_VALUES, "properties": ["read", "notify"], "length": 6}]},
        ]
        super().__init__({**config, "services": services}, radio)
        self.device.gatt_server.max_mtu = self.MTU
        self.sensor, self.shown, self.writes = config["steps"], None, []
        self.steps, self.reset_due, self.asleep = self.sensor, False, False
        self.set_clock(datetime.fromisoformat(config["clock"]), starts=True)

    @property
    def now(self):
        return self.base + timedelta(seconds=time.monotonic() - self.since)

    @property
    def updates(self):
        """Whether the counter follows the sensor now: SystemTask.cpp, UpdateMotion."""
        version = tuple(map(int, self.values[FIRMWARE].decode().split(".")[:2]))
        subscribed = any(self.subscribed(c, self.characteristics[MOTION_VALUES]) for c in self.device.connections.values())
        return not self.asleep or version >= (1, 16) or (version == (1, 15) and subscribed)

    def set_clock(self, to, starts=False):
        if not starts:
            self.update()
            self.reset_due |= to.hour == 0 and not self.notified
        self.base, self.since, self.notified, self.last = to, time.monotonic(), to.hour == 0, to
        self.update()

    def update(self):
        now = self.now
        self.reset_due |= now.date() > self.last.date() or (now.hour == 0 and not self.notified)
        self.notified, self.last = now.hour == 0, now
        if not self.updates:
            return
        if self.reset_due:
            self.sensor, self.reset_due = 0, False
        self.steps = self.sensor

    def on_subscription(self, connection, characteristic, notify, indicate):
        super().on_subscription(connection, characteristic, notify, indicate)
        if notify and characteristic is self.characteristics[MOTION_VALUES]:
            asyncio.ensure_future(self.notify_motion(connection, characteristic))

    async def notify_motion(self, connection, characteristic):
        n = 0
        while connection.handle in self.device.connections and self.subscribed(connection, characteristic):
            await asyncio.sleep(self.UPDATE)
            self.update()
            if self.updates:
                n += 1
                await self.device.notify_subscriber(connection, characteristic, n.to_bytes(4, "little") + b"\0\4")

    async def apply_fault(self, uuid, connection):
        await super().apply_fault(uuid, connection)
        self.show()

    def show(self):
        self.update()
        now = self.last
        self.values[STEPS] = (self.steps if self.shown is None else self.shown).to_bytes(4, "little")
        # The weekday and the reason of the adjustment are what was in memory.
        self.values[CURRENT_TIME] = now.year.to_bytes(2, "little") + bytes(
            [now.month, now.day, now.hour, now.minute, now.second, 0xC4, 0, 0x20])

    def written(self, uuid, connection, value):
        if uuid != CURRENT_TIME:
            return
        self.writes.append(value.hex())
        value = value.ljust(10, b"\0")
        self.set_clock(datetime(int.from_bytes(value[:2], "little"), *value[2:7]))

    async def do_truth(self):
        self.update()
        return {"steps": self.steps, "clock": self.last.isoformat(timespec="seconds"), "writes": self.writes}

    async def do_walk(self, steps):
        self.update()
        self.sensor += int(steps)
        self.show()
        if self.updates:
            await self.device.notify_subscribers(self.characteristics[STEPS], self.values[STEPS])

    async def do_sleep(self):
        self.update()
        self.asleep = True

    async def do_wake(self):
        self.asleep = False
        self.update()

    async def do_reboot(self):
        self.sensor = self.steps = 0
        self.reset_due = self.asleep = False

    async def do_boot(self):
        await self.do_reboot()
        self.set_clock(datetime(2026, 1, 1), starts=True)

    async def do_clock(self, to):
        self.set_clock(datetime.fromisoformat(to))

    async def do_firmware(self, version):
        self.values[FIRMWARE] = version.encode()

    async def do_glitch(self, steps):
        self.shown = None if steps == "none" else int(steps)


class CRP(Peripheral):
    DEFAULTS = {**Peripheral.DEFAULTS, "name": "SMART_RING", "steps": 1234, "today": "2026-11-20", "days": 3}
    SERVICE, STEPS, WRITE, ANSWERS = "fdda", "fdd1", "fdd2", "fdd3"
    TOTAL, HALF_HOURS = 0x0D, 0x12

    def __init__(self, description, radio):
        config = {**self.DEFAULTS, **description}
        super().__init__({**config, "services": [{"uuid": self.SERVICE, "characteristics": [
            {"uuid": self.STEPS, "properties": ["read", "notify"]},
            {"uuid": self.WRITE, "properties": ["write_without_response"]},
            {"uuid": self.ANSWERS, "properties": ["notify"]}]}]}, radio)
        self.steps, self.writes, self.today = config["steps"], [], date.fromisoformat(config["today"])
        self.half_hours = {}        # days ago -> 48 numbers
        for ago in range(1, config["days"] + 1):
            self.half_hours[ago] = [0] * 48
            for index, slot in walking.day("crp", self.today - timedelta(days=ago), 20).items():
                self.half_hours[ago][index // 2] += slot.steps
        self.show()

    def show(self):
        self.values[self.STEPS] = b"".join(n.to_bytes(3, "little") for n in (self.steps, self.steps // 2, self.steps // 25))

    def written(self, uuid, connection, value):
        self.writes.append(value.hex())
        if len(value) == 7 and value[:5] == bytes([0xFD, 0xDA, 0x10, 7, 2]):
            asyncio.ensure_future(self.answer(connection, value[5], value[6]))

    async def answer(self, connection, command, ago):
        slots = self.half_hours.get(ago, [0] * 48)
        if command == self.TOTAL:
            total = self.steps if ago == 0 else sum(slots)
            data = b"".join(n.to_bytes(4, "little") for n in (total, total // 2, 0, total // 25))
        elif command == self.HALF_HOURS:
            data = b"".join(n.to_bytes(2, "little") for n in slots)
        else:
            return
        frame = bytes([0xFD, 0xDA, 0x10, len(data) + 7, 2, command, ago]) + data
        size = connection.att_mtu - 3
        for start in range(0, len(frame), size):
            await self.device.notify_subscribers(self.characteristics[self.ANSWERS], frame[start:start + size])
            await asyncio.sleep(self.INTERVAL)

    async def do_truth(self):
        days = {(self.today - timedelta(days=ago)).isoformat(): sum(slots) for ago, slots in self.half_hours.items()}
        return {"steps": self.steps, "days": days, "writes": self.writes}

    async def do_walk(self, steps):
        self.steps += int(steps)
        self.show()
        await self.device.notify_subscribers(self.characteristics[self.STEPS], self.values[self.STEPS])


class Bangle(Peripheral):
    DEFAULTS = {**Peripheral.DEFAULTS, "name": "Bangle.js a1b2", "clock": "2026-11-20T15:04:00", "utc_offset": 3600}

    def __init__(self, description, radio):
        config = {**self.DEFAULTS, **description}
        super().__init__({**config, "services": [{"uuid": UART, "characteristics": [
            {"uuid": UART_IN, "properties": ["write", "write_without_response"]},
            {"uuid": UART_OUT, "properties": ["notify"]}]}]}, radio)
        self.typed, self.lacks, self.omits, self.longest, self.requests = b"", None, 0, 0, 0
        self.zone, self.console, self.unfinished, self.answering = config["utc_offset"], "on", "", None
        self.remember(datetime.fromisoformat(config["clock"]))

    def remember(self, now):
        dice, midnight = random.Random(7), now.replace(hour=0, minute=0, second=0)
        self.records, at = {}, midnight - timedelta(days=2)
        while at + SLOT <= now:
            self.records[at] = dice.choice([0, 0, 25, 312, 640]) if 7 <= at.hour < 22 else 0
            at += SLOT

    def on_subscription(self, connection, characteristic, notify, indicate):
        super().on_subscription(connection, characteristic, notify, indicate)
        if notify and self.lacks != "android":
            asyncio.ensure_future(self.greet(connection))

    async def greet(self, connection):
        """What apps/android/boot.js sends 2 s after each connection: never inside an answer, which is one run of the program."""
        await asyncio.sleep(2)
        if connection in self.device.connections.values():
            await self.send([self.sent(t="status", bat=87, chg=0), self.sent(t="ver", fw="2v29", hw=2),
                             self.sent(t="force_calendar_sync", ids=[])], connection)

    def written(self, uuid, connection, value):
        self.longest = max(self.longest, len(value))
        if b"\x03" in value and self.console == "on":   # handled at once, before the line that it is in
            self.unfinished, value = "", value.replace(b"\x03", b"")
        self.typed += value
        while b"\n" in self.typed:
            line, _, self.typed = self.typed.partition(b"\n")
            if line := line.replace(b"\x10", b"").decode():
                asyncio.ensure_future(self.send(self.execute(line), connection))

    async def send(self, lines, connection):
        text = "".join(lines).encode()
        size = min(connection.att_mtu - 3, 244)     # a value has at most 512 bytes, and a watch sends less
        before, self.answering = self.answering, asyncio.Event()
        mine = self.answering
        if before:
            await before.wait()
        try:
            for start in range(0, len(text), size):
                await self.device.notify_subscribers(self.characteristics[UART_OUT], text[start:start + size])
                await asyncio.sleep(self.INTERVAL)
        finally:
            mine.set()

    @staticmethod
    def sent(**message):        # as apps/android/lib.js prints it: an empty line before
        return "\r\n" + json.dumps(message, separators=(",", ":")) + "\r\n"

    def offset(self, moment):
        """Seconds east of Greenwich at a moment, as it calculates now."""
        if isinstance(self.zone, int):
            return self.zone
        return int(datetime.fromtimestamp(moment, self.zone).utcoffset().total_seconds())

    def moment(self, local):
        """Of a local time; of the first one, if clocks show it twice."""
        if isinstance(self.zone, int):
            return int((local - datetime(1970, 1, 1)).total_seconds()) - self.zone
        return int(local.replace(tzinfo=self.zone).timestamp())

    def execute(self, line):
        if self.console == "off":
            return self.answer(line, hides=True) if line.startswith("GB({") else []
        if self.console == "locked":
            return ["\n  Invalid password\npassword>"]
        if self.unfinished:
            return ["\r\n:"]
        if asked := re.match(r'try\{Bluetooth\.println\("\\n"\+JSON\.stringify\(\{t:"istep",now:Date\.now\(\),tz:\[([0-9,]+)\]', line):
            moments = [int(ms) // 1000 for ms in asked[1].split(",")]
            # Its clock is that of the machine in the guest, which istep asks with.
            return [self.sent(t="istep", now=moments[0] * 1000 + 0.25, tz=",".join(str(-self.offset(m) // 60) for m in moments),
                              health="0.43")]
        return self.answer(line)

    def answer(self, line, hides=False):
        self.requests += 1
        if self.lacks == "android":
            return [] if hides else ['Uncaught ReferenceError: "GB" is not defined\r\n    at REPL (:1:1)\r\n\r\n^\r\n>']
        asked = re.fullmatch(r'GB\(\{"t":"actfetch","ts":(\d+)\}\)', line)
        if not asked:
            return [] if hides else ["Uncaught SyntaxError: Got EOF\r\n"]
        since = int(asked[1])
        lines, count = [self.sent(t="actfetch", state="start")], 0
        if self.lacks == "health":
            return lines + ([] if hides else [
                'Uncaught Error: Module "health" not found\r\n    at h (:21:25)\r\n\r\n                        ^\r\n>'])
        # readAllRecordsSince: the *UTC* date of the time is taken as a day of its own calendar.
        first = datetime.min if since == 0 else datetime(1970, 1, 1) + timedelta(days=(since // 1000 - 600) // 86400)
        for at, steps in sorted(self.records.items()):
            end = (self.moment(at) + 600) * 1000
            if at < first or end < since:
                continue
            count += 1
            if self.omits and count == 5:
                continue
            lines.append(self.sent(t="act", ts=end, stp=steps, hrm=61.5, mov=120, act="WALKING"))
        self.omits = max(0, self.omits - 1)
        return ([self.sent(t="act", stp=9, hrm=70, mov=100, act="WALKING"), self.sent(t="status", bat=87, chg=0)] + lines
                + [self.sent(t="actfetch", state="end", count=count), self.sent(t="act", stp=9, hrm=70, rt=1)])

    async def do_truth(self):
        return {"records": {at.isoformat(): steps for at, steps in self.records.items()}, "longest": self.longest,
                "requests": self.requests}

    async def do_clock(self, to):
        self.remember(datetime.fromisoformat(to))

    async def do_walk(self, steps):
        self.records[max(self.records)] += int(steps)

    async def do_clear(self):
        self.records = {}

    async def do_zone(self, zone):
        self.zone = int(zone) if re.fullmatch(r"-?\d+", zone) else ZoneInfo(zone)

    async def do_record(self, at, steps, count):
        for n in range(int(count)):
            self.records.setdefault(datetime.fromisoformat(at) + n * SLOT, int(steps))

    async def do_console(self, state):
        self.console = state

    async def do_typed(self, *words):
        self.unfinished = " ".join(words)

    async def do_lacks(self, app):
        self.lacks = None if app == "none" else app

    async def do_omit(self, times):
        self.omits = int(times)


class Band(Peripheral):
    DEFAULTS = {**Peripheral.DEFAULTS, "name": "Mi Smart Band 6", "steps": 5432, "type": 2,
                "identity": None}       # the address in its data; None: that of the sender
    TURN = 0.5      # seconds

    def __init__(self, description, radio):
        super().__init__(description, radio)
        self.steps, self.discoverable, self.turn = self.config["steps"], True, 0

    async def start(self):
        await super().start()
        asyncio.ensure_future(self.take_turns())

    async def take_turns(self):
        while True:
            await asyncio.sleep(self.TURN)
            if self.advertising and not self.device.connections:
                self.turn += 1
                await self.advertise(True)

    async def advertise(self, on):
        self.advertising = on
        if self.device.is_advertising:
            await self.device.stop_advertising()
        if not on:
            return
        own = bytes(reversed(bytes(hci.Address(self.config["identity"] or self.config["address"]))))
        name = (AdvertisingData.COMPLETE_LOCAL_NAME, self.config["name"].encode())
        data = [(AdvertisingData.FLAGS, bytes([6]))]
        if not self.discoverable:
            data.append(name)
        elif self.turn % 2:
            data += [(AdvertisingData.SERVICE_DATA_16_BIT_UUID, b"\xe0\xfe" + self.steps.to_bytes(4, "little")), name]
        else:
            content = bytes([self.config["type"], 2, 1, 72]) + b"\xff" * 13 + b"\x03" + own
            data.append((AdvertisingData.MANUFACTURER_SPECIFIC_DATA, b"\x57\x01" + content))
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData(data)), advertising_interval_min=self.config["interval_ms"],
            advertising_interval_max=self.config["interval_ms"])

    async def do_truth(self):
        return {"steps": self.steps}

    async def do_walk(self, steps):
        self.steps += int(steps)

    async def do_discoverable(self, switch):
        self.discoverable = switch == "on"
