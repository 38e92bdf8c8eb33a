"""A virtual pedometer that only counts (kind "counter"): one value, read or notified.

Its service and characteristic are those of InfiniTime, the PineTime's firmware; with
`"secure": true` the value requires an encrypted link, so the two must pair first.
With `"clock": true` it has a Current Time Service, which is read and never set.
Beyond every peripheral's commands:
  truth           {"steps": n}
  walk STEPS      adds to the counter, and notifies who subscribed
  reboot          the counter starts from zero
  midnight        the same, for a counter of today
  clock TIME      what its Current Time characteristic shows (ISO 8601, no zone)
"""
from datetime import datetime

from peripheral import Peripheral

SERVICE = "00030000-78fc-48fe-8e23-433b3a1942d0"
STEPS = "00030001-78fc-48fe-8e23-433b3a1942d0"
CURRENT_TIME = "2a2b"


class Counter(Peripheral):
    DEFAULTS = {
        **Peripheral.DEFAULTS,
        "name": "Counter",
        "service": SERVICE,
        "characteristic": STEPS,
        "steps": 4321,
        "width": 4,             # bytes, little-endian
        "secure": False,
        "clock": False,
    }

    def __init__(self, description, radio):
        config = {**self.DEFAULTS, **description}
        self.steps, self.width = config["steps"], config["width"]
        self.uuid = config["characteristic"].lower()
        services = [{"uuid": config["service"], "characteristics": [
            {"uuid": self.uuid, "properties": ["read", "notify"], "secure": config["secure"]}]}]
        if config["clock"]:
            services.append({"uuid": "1805", "characteristics": [
                {"uuid": CURRENT_TIME, "properties": ["read"], "value": "0x" + "00" * 10}]})
        super().__init__({**config, "services": services}, radio)
        self.show()

    def show(self):
        self.values[self.uuid] = (self.steps % (1 << 8 * self.width)).to_bytes(self.width, "little")

    async def do_truth(self):
        return {"steps": self.steps}

    async def do_walk(self, steps):
        self.steps += int(steps)
        self.show()
        await self.device.notify_subscribers(self.characteristics[self.uuid], self.values[self.uuid])

    async def do_reboot(self):
        self.steps = 0
        self.show()

    async def do_midnight(self):
        await self.do_reboot()

    async def do_clock(self, to):
        time = datetime.fromisoformat(to)
        self.values[CURRENT_TIME] = time.year.to_bytes(2, "little") + bytes(
            [time.month, time.day, time.hour, time.minute, time.second, time.isoweekday(), 0, 0])
