"""A virtual smart ring of the Colmi/QRing family (kind "ring").

Beyond every peripheral's commands:
  truth                       what the ring knows, as JSON: clock, battery, days with their slots
  walk STEPS                  now: they count for the present quarter of an hour
  clock TIME                  sets the ring's own clock (ISO 8601, no zone: it knows none)
  chatter N                   after every N-th record unasked packets: live steps and battery (0: none)
  fault drop|stall|checksum N | fault noend | fault refuse | fault none
      at the N-th packet from now the link drops, or nothing more comes on this link, or the
      checksum is wrong; the next history lacks its last packet; the next connection is cut at
      once. Each occurs once; with `always` at the end again and again.
  fault day DATE refuse|silent|cut N
      the next N requests for the steps of DATE are answered with an error, not at all, or the link
      drops in the middle of the answer; several days at once, beside the faults above
  fault late DATE N
      the next N answers for another day come after the records of DATE, without their header
  fault battery   the request for its battery is never answered
  total STEPS     by how much its own total of today differs from its slots
  bond on|off     whether it asks for a bond when it is asked what it supports
  midnight N      the ring's clock goes to the next midnight before its N-th answer from now
"""
import asyncio
import time
from datetime import datetime, timedelta

import colmi
import walking
from peripheral import Peripheral

SERVICE = "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e"
WRITE = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
NOTIFY = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"


class Ring(Peripheral):
    DEFAULTS = {
        **Peripheral.DEFAULTS,
        "name": "R02_1A2B",
        "services": [
            {"uuid": SERVICE, "characteristics": [
                {"uuid": WRITE, "properties": ["write", "write_without_response"]},
                {"uuid": NOTIFY, "properties": ["notify"]}]},
            {"uuid": "180a", "characteristics": [
                {"uuid": "2a26", "properties": ["read"], "value": "RT02_3.10.21_250101"},
                {"uuid": "2a27", "properties": ["read"], "value": "RT02_V3.1"}]},
        ],
        "clock": None,              # its own wall clock at the start, ISO 8601; None: this machine's
        "seed": "anna",
        "days": 10,                 # days walked on, today among them (the ring reports 8)
        "slots": 60,                # quarters of an hour walked in on each
        "slot_step": 1,             # 4: hours only, as some rings have it
        "tens_of_calories": True,   # the newer of the two calorie units
        "battery": 87,
        "charging": False,
        "chatter": 0,
        "pace": 0.002,              # seconds between two packets
    }

    def __init__(self, description, radio):
        super().__init__(description, radio)
        start = datetime.fromisoformat(self.config["clock"]) if self.config["clock"] else datetime.now()
        self.days = walking.history(self.config["seed"], start, self.config["days"],
                                    self.config["slots"], self.config["slot_step"])
        self.chatter = self.config["chatter"]
        self.armed_fault = None     # (kind, packets left, whether it occurs again, packets at the start)
        self.silenced = None        # the connection that a stall fell upon
        self.bad_days = {}          # date -> [kind, requests left]
        self.late = None            # [date, answers left]
        self.hides_battery = False
        self.total_off = 0          # steps by which its own total differs from its slots
        self.asks_for_bond = False
        self.midnight_in = None     # answers until the ring's midnight
        self.requests = asyncio.Queue()
        self.set_clock(start)

    async def start(self):
        await super().start()
        self.server = asyncio.ensure_future(self.serve())

    # ------------------------------------------------------------ its clock and steps
    def set_clock(self, now):
        self.clock_ahead = now - datetime.fromtimestamp(0) - timedelta(seconds=time.monotonic())

    def now(self):
        return datetime.fromtimestamp(0) + timedelta(seconds=time.monotonic()) + self.clock_ahead

    def today(self):
        slots = self.days.get(self.now().date(), {}).values()
        return walking.Slot(*(sum(column) for column in zip(*slots))) if slots else walking.Slot.of(0)

    # ------------------------------------------------------------ requests
    def written(self, uuid, connection, value):
        if uuid == WRITE:
            self.requests.put_nowait((connection, value))

    async def serve(self):
        """Answers one request after the other, as the ring's single thread does."""
        while True:
            connection, request = await self.requests.get()
            replies, bad = self.replies(request), self.day_fault(request)
            if bad == "refuse":
                replies = [colmi.error(request[0])]
            elif bad == "silent":
                replies = []
            elif bad == "cut":
                replies = replies[:len(replies) // 2]
            for reply in replies:
                if not await self.send(connection, reply):
                    break
            if bad == "cut":
                await self.drop()

    def replies(self, request):
        if not colmi.is_whole(request):
            self.log("bad request", value=request.hex())
            return [colmi.error(request[0] if request else 0)]
        if request[0] == colmi.SET_TIME:
            return self.set_time(request)
        if request[0] == colmi.BATTERY:
            return [] if self.hides_battery else [colmi.battery(self.config["battery"], self.config["charging"])]
        if request[0] == colmi.STEPS:
            return self.steps(request)
        if request[0] == colmi.TOTAL:
            today = self.today()
            return [colmi.total(max(0, today.steps + self.total_off), today.calories, today.metres)]
        if request[0] == colmi.SUPPORT and self.asks_for_bond:
            return [colmi.support(True)]
        self.log("unknown request", value=request.hex())
        return [colmi.error(request[0])]

    def set_time(self, request):
        try:
            wanted = colmi.time_in(request)
        except ValueError as reason:
            self.log("bad request", value=request.hex(), reason=str(reason))
            return [colmi.error(request[0])]
        self.log("clock set", off_by=round((wanted - self.now()).total_seconds()), to=wanted.isoformat())
        self.set_clock(wanted)
        return [colmi.set_time_reply()]

    def day_fault(self, request):
        """The fault that is armed for the day that this request asks for; None without one."""
        if not colmi.is_whole(request) or request[0] != colmi.STEPS:
            return None
        fault = self.bad_days.get(colmi.day_asked(request, self.now().date()))
        if not fault or fault[1] == 0:
            return None
        fault[1] -= 1
        self.log("fault", kind=fault[0])
        return fault[0]

    def steps(self, request):
        if self.midnight_in is not None:
            self.midnight_in -= 1
            if self.midnight_in == 0:
                self.midnight_in = None
                self.set_clock(datetime.combine(self.now().date() + timedelta(days=1), datetime.min.time()))
                self.log("midnight")
        of = colmi.day_asked(request, self.now().date())
        packets = colmi.day(of, self.days.get(of, {}), self.config["tens_of_calories"])
        self.log("steps asked", day=str(of), packets=len(packets))
        if self.late and self.late[1] and self.late[0] != of:
            self.late[1] -= 1
            self.log("fault", kind="late")
            copies = colmi.day(self.late[0], self.days[self.late[0]], self.config["tens_of_calories"])[1:]
            return copies + packets
        if len(packets) > 1 and self.armed_fault and self.armed_fault[0] == "noend":
            self.trigger_fault()
            packets.pop()
        if not self.chatter or len(packets) == 1:
            return packets
        today, spoken = self.today(), []
        for n, each in enumerate(packets):
            spoken.append(each)
            if n and n % self.chatter == 0 and n < len(packets) - 1:
                spoken.append(colmi.live(today.steps, today.calories, today.metres))
                spoken.append(colmi.unasked_battery(self.config["battery"], self.config["charging"]))
        return spoken

    # ------------------------------------------------------------ packets out, with their faults
    async def send(self, connection, packet):
        """False when there is no use in sending more on this connection."""
        if connection not in self.device.connections.values() or self.silenced is connection:
            return False
        await asyncio.sleep(self.config["pace"])
        kind = self.packet_fault()
        if kind == "stall":
            self.silenced = connection
            self.log("stalled")
            return False
        if kind == "checksum":
            packet = packet[:15] + bytes([packet[15] ^ 0x55])
        characteristic = self.characteristics[NOTIFY]
        if not self.subscribed(connection, characteristic):
            self.log("not listened to", value=packet.hex())
            return True
        await self.device.notify_subscriber(connection, characteristic, packet)
        if kind == "drop":
            await self.drop()
            return False
        return True

    def packet_fault(self):
        if not self.armed_fault or self.armed_fault[0] not in ("drop", "stall", "checksum"):
            return None
        kind, left, *rest = self.armed_fault
        if left > 1:
            self.armed_fault = (kind, left - 1, *rest)
            return None
        self.trigger_fault()
        return kind

    def trigger_fault(self):
        kind, _, again, packets = self.armed_fault
        self.log("fault", kind=kind)
        self.armed_fault = (kind, packets, again, packets) if again else None

    def on_connection(self, connection):
        super().on_connection(connection)
        if self.armed_fault and self.armed_fault[0] == "refuse":
            self.trigger_fault()
            asyncio.ensure_future(connection.disconnect())

    # ------------------------------------------------------------ commands
    async def do_truth(self):
        return {"clock": self.now().isoformat(timespec="seconds"),
                "battery": self.config["battery"], "charging": self.config["charging"],
                "days": {str(of): {"steps": sum(s.steps for s in slots.values()),
                                   "metres": sum(s.metres for s in slots.values()),
                                   "calories": sum(s.calories for s in slots.values()),
                                   "slots": {index: list(slot) for index, slot in sorted(slots.items())}}
                         for of, slots in sorted(self.days.items())}}

    async def do_walk(self, steps):
        now = self.now()
        slots = self.days.setdefault(now.date(), {})
        index = walking.slot_of(now)
        slots[index] = slots.get(index, walking.Slot.of(0)).and_then(int(steps))
        today = self.today()
        for connection in list(self.device.connections.values()):
            await self.send(connection, colmi.live(today.steps, today.calories, today.metres))

    async def do_clock(self, to):
        self.set_clock(datetime.fromisoformat(to))

    async def do_chatter(self, every):
        self.chatter = int(every)

    async def do_total(self, steps):
        self.total_off = int(steps)

    async def do_bond(self, switch):
        self.asks_for_bond = switch == "on"

    async def do_midnight(self, answers):
        self.midnight_in = int(answers)

    async def do_fault(self, kind, *arguments):
        if kind == "day":
            of, what, requests = arguments
            if what not in ("refuse", "silent", "cut"):
                raise ValueError(f"no fault of a day: {what}")
            self.bad_days[datetime.fromisoformat(of).date()] = [what, int(requests)]
            return
        if kind == "late":
            self.late = [datetime.fromisoformat(arguments[0]).date(), int(arguments[1])]
            return
        if kind == "battery":
            self.hides_battery = True
            return
        again = arguments[-1:] == ("always",)
        arguments = arguments[:-1] if again else arguments
        if kind in ("drop", "stall", "checksum"):
            self.armed_fault = (kind, int(arguments[0]), again, int(arguments[0]))
        elif kind in ("noend", "refuse"):
            self.armed_fault = (kind, 0, again, 0)
        elif kind == "none":
            self.armed_fault = self.silenced = self.midnight_in = self.late = None
            self.hides_battery = False
            self.bad_days = {}
        else:
            await super().do_fault(kind, *arguments)
