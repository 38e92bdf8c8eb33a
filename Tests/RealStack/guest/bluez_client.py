"""In the guest: BlueZ's D-Bus API, without a Bluetooth library in between (for check_stack.py)."""
import asyncio
import json
import subprocess
import time

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_method as method

NAME, ADDRESS = "Lab Sensor", "C0:DE:00:00:00:01"
ADAPTER = "/org/bluez/hci0"
DEVICE = ADAPTER + "/dev_" + ADDRESS.replace(":", "_")


def U(n): return f"8f1d000{n}-7e57-4c0b-9b1d-000000000000"
def sig(n): return f"0000{n}-0000-1000-8000-00805f9b34fb"


SERVICE, FIXED, COUNT, ECHO, SECURE, LONG, INDICATE = (U(n) for n in range(1, 8))


class Failed(Exception):
    pass


class Client:
    async def open(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        self.signals, self.waiters = [], []
        self.bus.add_message_handler(self.on_message)
        for rule in ("type='signal',sender='org.bluez'",):
            await self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                            "AddMatch", "s", [rule])

    def on_message(self, m):
        if m.message_type == MessageType.SIGNAL and m.member in (
                "PropertiesChanged", "InterfacesAdded", "InterfacesRemoved"):
            self.signals.append((time.monotonic(), m.path, m.member, m.body))

    async def call(self, dest, path, interface, member, signature="", body=(), timeout=60):
        reply = await asyncio.wait_for(self.bus.call(Message(
            destination=dest, path=path, interface=interface, member=member,
            signature=signature, body=list(body))), timeout)
        if reply.message_type == MessageType.ERROR:
            raise Failed(f"{reply.error_name}: {reply.body}")
        self.fds = reply.unix_fds
        return reply.body[0] if len(reply.body) == 1 else reply.body

    async def bluez(self, path, interface, member, signature="", body=(), timeout=60):
        return await self.call("org.bluez", path, "org.bluez." + interface, member, signature, body, timeout)

    async def get(self, path, interface, name):
        return (await self.call("org.bluez", path, "org.freedesktop.DBus.Properties", "Get", "ss",
                                ["org.bluez." + interface, name])).value

    async def set(self, path, interface, name, value):
        await self.call("org.bluez", path, "org.freedesktop.DBus.Properties", "Set", "ssv",
                        ["org.bluez." + interface, name, value])

    async def objects(self):
        return await self.call("org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")

    async def until(self, what, condition, timeout=20):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            try:
                result = condition()
                if asyncio.iscoroutine(result):
                    result = await result
                if result:
                    return result
            except Failed:
                pass
            await asyncio.sleep(0.05)
        raise Failed(f"never: {what}")

    async def characteristic(self, uuid):
        for path, interfaces in (await self.objects()).items():
            c = interfaces.get("org.bluez.GattCharacteristic1")
            if c and c["UUID"].value == uuid and path.startswith(DEVICE):
                return path
        raise Failed(f"no characteristic {uuid}")

    async def read(self, uuid, **options):
        timeout = options.pop("timeout", 60)
        return bytes(await self.bluez(await self.characteristic(uuid), "GattCharacteristic1", "ReadValue",
                                      "a{sv}", [options], timeout))

    async def write(self, uuid, value, **options):
        await self.bluez(await self.characteristic(uuid), "GattCharacteristic1", "WriteValue",
                         "aya{sv}", [value, options])

    async def connect(self):
        await self.bluez(DEVICE, "Device1", "Connect")
        await self.until("ServicesResolved", lambda: self.get(DEVICE, "Device1", "ServicesResolved"))

    async def disconnect(self):
        await self.bluez(DEVICE, "Device1", "Disconnect")
        await self.until("disconnected", self.gone)

    async def gone(self):
        return not await self.get(DEVICE, "Device1", "Connected")

    def changes(self, path, name, since=0):
        return [(t, body[1][name].value) for t, p, member, body in self.signals
                if member == "PropertiesChanged" and p == path and name in body[1] and t >= since]


async def peripheral(*words):
    p = await asyncio.create_subprocess_exec("peripheral", *words, stdout=subprocess.PIPE)
    out, _ = await p.communicate()
    return json.loads(out)


async def discover(c, uuids, seconds=20):
    await c.bluez(ADAPTER, "Adapter1", "SetDiscoveryFilter", "a{sv}",
                  [{"UUIDs": Variant("as", uuids), "Transport": Variant("s", "le")}])
    await c.bluez(ADAPTER, "Adapter1", "StartDiscovery")
    try:
        await c.until("found", lambda: any(m == "InterfacesAdded" and b[0] == DEVICE for _, _, m, b in c.signals)
                      or c.changes(DEVICE, "RSSI"), seconds)
    finally:
        await c.bluez(ADAPTER, "Adapter1", "StopDiscovery")


class Agent(ServiceInterface):
    def __init__(self):
        super().__init__("org.bluez.Agent1")
        self.asked = []

    @method()
    def Release(self): self.asked.append("Release")
    @method()
    def RequestConfirmation(self, device: "o", passkey: "u"): self.asked.append(f"RequestConfirmation {passkey}")
    @method()
    def RequestAuthorization(self, device: "o"): self.asked.append("RequestAuthorization")
    @method()
    def AuthorizeService(self, device: "o", uuid: "s"): self.asked.append("AuthorizeService")
    @method()
    def Cancel(self): self.asked.append("Cancel")
