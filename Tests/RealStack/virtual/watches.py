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
  clock TIME      makes the records of three days before
  walk STEPS      adds to the last record
  lacks APP|none  `android` or `health` is not installed
  omit N          leaves a record out of the next N answers, and counts it

`CRP` (kind "crp"): an R11 with the other of its two protocols: it notifies steps and metres to who subscribes; its clock is set.
  truth           {"steps": n, "writes": [HEX, …]}
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
from datetime import datetime, timedelta

from bumble import hci
from bumble.core import AdvertisingData

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
    DEFAULTS = {**Peripheral.DEFAULTS, "name": "SMART_RING", "steps": 1234}
    SERVICE, NOTIFY, WRITE = "fdda", "fdd1", "fdd2"

    def __init__(self, description, radio):
        config = {**self.DEFAULTS, **description}
        super().__init__({**config, "services": [{"uuid": self.SERVICE, "characteristics": [
            {"uuid": self.NOTIFY, "properties": ["notify"]},
            {"uuid": self.WRITE, "properties": ["write_without_response"]}]}]}, radio)
        self.steps, self.writes = config["steps"], []

    def on_subscription(self, connection, characteristic, notify, indicate):
        super().on_subscription(connection, characteristic, notify, indicate)
        if notify:
            asyncio.ensure_future(self.send())

    async def send(self):
        value = self.steps.to_bytes(3, "little") + (self.steps // 2).to_bytes(3, "little")
        await self.device.notify_subscribers(self.characteristics[self.NOTIFY], value)

    def written(self, uuid, connection, value):
        self.writes.append(value.hex())

    async def do_truth(self):
        return {"steps": self.steps, "writes": self.writes}

    async def do_walk(self, steps):
        self.steps += int(steps)
        await self.send()


class Bangle(Peripheral):
    DEFAULTS = {**Peripheral.DEFAULTS, "name": "Bangle.js a1b2", "clock": "2026-11-20T15:04:00", "utc_offset": 3600}

    def __init__(self, description, radio):
        config = {**self.DEFAULTS, **description}
        super().__init__({**config, "services": [{"uuid": UART, "characteristics": [
            {"uuid": UART_IN, "properties": ["write", "write_without_response"]},
            {"uuid": UART_OUT, "properties": ["notify"]}]}]}, radio)
        self.typed, self.lacks, self.omits, self.longest, self.requests = b"", None, 0, 0, 0
        self.remember(datetime.fromisoformat(config["clock"]))

    def remember(self, now):
        dice, midnight = random.Random(7), now.replace(hour=0, minute=0, second=0)
        self.records, at = {}, midnight - timedelta(days=2)
        while at + SLOT <= now:
            self.records[at] = dice.choice([0, 0, 25, 312, 640]) if 7 <= at.hour < 22 else 0
            at += SLOT

    def written(self, uuid, connection, value):
        self.longest = max(self.longest, len(value))
        self.typed += value
        while b"\n" in self.typed:
            line, _, self.typed = self.typed.partition(b"\n")
            if line := line.replace(b"\x10", b"").decode():
                asyncio.ensure_future(self.execute(line, connection))

    async def execute(self, line, connection):
        self.requests += 1
        text = self.answer(line).encode()
        size = min(connection.att_mtu - 3, 244)     # a value has at most 512 bytes, and a watch sends less
        for start in range(0, len(text), size):
            await self.device.notify_subscribers(self.characteristics[UART_OUT], text[start:start + size])
            await asyncio.sleep(self.INTERVAL)

    def answer(self, line):
        if self.lacks == "android":
            return 'Uncaught ReferenceError: "GB" is not defined\r\n at line 1 col 1\r\n'
        asked = re.fullmatch(r'GB\(\{"t":"actfetch","ts":(\d+)\}\)', line)
        if not asked:
            return "Uncaught SyntaxError: Got EOF\r\n"

        def sent(**message):        # as apps/android/lib.js prints it: an empty line before
            return "\r\n" + json.dumps(message, separators=(",", ":")) + "\r\n"

        lines, count = [sent(t="actfetch", state="start")], 0
        if self.lacks == "health":
            return lines[0] + 'Uncaught Error: Module "health" not found\r\n'
        for at, steps in self.records.items():
            end = int((at + SLOT - datetime(1970, 1, 1)).total_seconds() - self.config["utc_offset"]) * 1000
            if end < int(asked[1]):
                continue
            count += 1
            if self.omits and count == 5:
                continue
            lines.append(sent(t="act", ts=end, stp=steps, hrm=61.5, mov=120, act="WALKING"))
            if count % 20 == 0:
                lines += [sent(t="act", stp=9, hrm=70, rt=1), sent(t="status", bat=87, chg=0)]
        self.omits = max(0, self.omits - 1)
        return "".join(lines) + sent(t="actfetch", state="end", count=count)

    async def do_truth(self):
        return {"records": {at.isoformat(): steps for at, steps in self.records.items()}, "longest": self.longest,
                "requests": self.requests}

    async def do_clock(self, to):
        self.remember(datetime.fromisoformat(to))

    async def do_walk(self, steps):
        self.records[max(self.records)] += int(steps)

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
