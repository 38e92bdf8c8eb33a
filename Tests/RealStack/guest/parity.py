#!/usr/bin/env python3
"""Makes the same D-Bus calls on bluetoothd and on the simulation, and prints a transcript of what they answer.

    parity.py                           in the guest: on the real bluetoothd (peripherals/sensor.json in range)
    parity.py --simulation PROGRAM      on the host: PROGRAM is SimulationHost, which it starts
    parity.py ... STEP...               only some steps (they build on each other: mostly useful with --list)

The transcript has a line for each reply, error and signal, in the order of their arrival: that order is part of the comparison.
What differs between two machines with the same stack is normalised: handles (paths are written with UUIDs), signal strength, the
names of host and controller. `run parity` compares both transcripts; differences that are accepted are in parity.accepted, with their reasons.
"""
import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as XML

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.service import PropertyAccess, ServiceInterface, dbus_method, dbus_property

QUIET = 1.0             # seconds without a message: a step is complete
LIMIT = 60              # seconds for an answer: more than BlueZ's own limits (30 s ATT and SMP, 40 s connect)
SIGNAL_LIMIT = 20       # seconds for a signal that must come
UNANSWERED = 45         # seconds after which a call counts as never answered
OBJECT_MANAGER = "org.freedesktop.DBus.ObjectManager"
PROPERTIES = "org.freedesktop.DBus.Properties"
ROOT, BLUEZ, ADAPTER = "/", "/org/bluez", "/org/bluez/hci0"
ADDRESS = "C0:DE:00:00:00:01"
SENSOR = ADAPTER + "/dev_" + ADDRESS.replace(":", "_")
SERVICE, FIXED, COUNT, ECHO, SECURE, LONG, INDICATE, COMMAND, EVENT = (
    f"8f1d000{n}-7e57-4c0b-9b1d-000000000000" for n in range(1, 10))
ABSENT = "12345678-0000-0000-0000-000000000000"
IGNORED = "2b29", "2b2a"        # what bumble has in the attribute service besides 2a05: the simulated peripheral need not have it


def sig(short):
    return f"0000{short}-0000-1000-8000-00805f9b34fb"


class Stack:
    """What the script runs on: the machine's own bluetoothd, and the commands of guest/bin."""
    bus = {"bus_type": BusType.SYSTEM}

    async def start(self, *options):
        if options:         # (the machine has started one without options)
            await asyncio.to_thread(self.restart, options)

    @staticmethod
    def restart(options):
        subprocess.run(["daemon", "stop"], check=True)
        subprocess.run(["daemon", "start"], check=True, env={**os.environ, "RS_BLUETOOTHD": " ".join(options)})

    async def peripheral(self, *words):
        command = await asyncio.create_subprocess_exec("peripheral", *words, stdout=subprocess.PIPE)
        return self.checked(words, json.loads((await command.communicate())[0]))

    async def at_once(self, *calls):
        """Makes calls that bluetoothd finds together, however busy the machine is: it stands still until all are in its queue."""
        daemon = int(open("/run/bluetoothd.pid").read())
        os.kill(daemon, signal.SIGSTOP)
        try:
            await asyncio.sleep(0.5)        # in which the calls, which are tasks, are sent
        finally:
            os.kill(daemon, signal.SIGCONT)
        return await asyncio.gather(*calls)

    @staticmethod
    def checked(words, reply):
        if isinstance(reply, dict) and "error" in reply:
            raise RuntimeError(f"{' '.join(words)}: {reply['error']}")
        return reply

    async def stop(self):
        pass


class Simulation(Stack):
    """SimulationHost: prints the address of its bus, then a line of JSON for each command on its standard input."""

    def __init__(self, program, config):
        self.program, self.config, self.process = program, config, None

    async def start(self, *options):
        await self.stop()
        self.process = await asyncio.create_subprocess_exec(
            self.program, "--config", self.config, *options, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.bus = {"bus_address": (await self.process.stdout.readline()).decode().strip()}

    async def peripheral(self, *words):
        self.process.stdin.write(" ".join(words).encode() + b"\n")
        return self.checked(words, json.loads(await self.process.stdout.readline()))

    async def at_once(self, *calls):
        return await asyncio.gather(*calls)

    async def stop(self):
        if self.process:
            self.process.stdin.close()
            await self.process.wait()


class Names:
    """Writes paths, UUIDs and values so that two stacks can be compared."""

    def __init__(self):
        self.attributes = {}        # path -> the last part of its name

    def learn(self, path, interfaces):
        for name in ("GattService1", "GattCharacteristic1", "GattDescriptor1"):
            if properties := interfaces.get("org.bluez." + name):
                self.attributes[path] = self.uuid(properties["UUID"].value)

    def path(self, path):
        if path in self.attributes:
            return self.path(path.rpartition("/")[0]) + "/" + self.attributes[path]
        return path.replace(SENSOR, "SENSOR").replace(ADAPTER, "hci0")

    @staticmethod
    def uuid(text):
        return text[4:8] if text.endswith("-0000-1000-8000-00805f9b34fb") and text.startswith("0000") else text[:8]

    def value(self, value, name=""):
        if isinstance(value, Variant):
            value = value.value
        if name in ("RSSI", "Modalias", "SupportedInstances") or name == "Name" and value != "Lab Sensor":
            return name.upper()
        if name == "Alias" and value == os.uname().nodename:
            return "NAME"
        if isinstance(value, (bytes, bytearray)):
            return "0x" + value.hex() if len(value) <= 20 else f"{len(value)} bytes"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}={self.value(v, key)}" for key, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(self.value(v) for v in value) + "]"
        if isinstance(value, str):
            if value.startswith("/"):
                return self.path(value)
            return self.uuid(value) if len(value) == 36 and value.count("-") == 4 else repr(value)
        return str(value).lower() if isinstance(value, bool) else str(value)

    def objects(self, interfaces):
        return "; ".join(f"{self.interface(name)} {self.value(properties)}" for name, properties in interfaces.items())

    @staticmethod
    def interface(name):
        return name.removeprefix("org.bluez.").removeprefix("org.freedesktop.DBus.")

    def is_ignored(self, path):
        return self.attributes.get(path) in IGNORED


class Client:
    """One connection, and the transcript of all that arrives on it."""

    def __init__(self, stack):
        self.stack, self.names, self.is_muted = stack, Names(), False
        self.calls, self.last, self.rssi, self.seen, self.found = {}, 0.0, {}, [], None
        self.news = asyncio.Event()

    async def open(self, silent=False):
        self.bus = await MessageBus(negotiate_unix_fd=True, **self.stack.bus).connect()
        if silent:
            return
        await self.adapter_is_there()
        self.bus.add_message_handler(self.arrived)
        for rule in ("type='signal',sender='org.bluez'", "type='signal',sender='org.freedesktop.DBus',arg0='org.bluez'"):
            await self.bus.call(Message(destination="org.freedesktop.DBus", path="/org/freedesktop/DBus",
                                        interface="org.freedesktop.DBus", member="AddMatch", signature="s", body=[rule]))

    async def adapter_is_there(self):
        """A stack that was just started may still be making its adapter, and the signal of that is not part of the comparison."""
        async with asyncio.timeout(LIMIT):
            while True:
                reply = await self.bus.call(Message(destination="org.bluez", path=ROOT, interface=OBJECT_MANAGER, member="GetManagedObjects"))
                if reply.message_type == MessageType.METHOD_RETURN and ADAPTER in reply.body[0]:
                    return
                await asyncio.sleep(0.1)

    def close(self):
        self.bus.disconnect()

    def say(self, line, always=False):
        if always or not self.is_muted:
            print(line, flush=True)

    # ------------------------------------------------------------ what arrives
    def arrived(self, m):
        if m.message_type in (MessageType.METHOD_RETURN, MessageType.ERROR):
            if (label := self.calls.pop(m.reply_serial, None)) is None:
                return
            if m.message_type == MessageType.ERROR:
                self.say(f"  {label} -> {m.error_name.removeprefix('org.')}: {' '.join(map(str, m.body)).rstrip()}")
            else:
                self.say(f"  {label} -> {', '.join(self.names.value(v) for v in m.body) or 'done'}")
        elif m.message_type == MessageType.SIGNAL:
            if not self.signal(m):
                return
        elif m.interface and m.interface.startswith("org.bluez."):
            arguments = ", ".join("PASSKEY" if isinstance(v, int) else self.names.value(v) for v in m.body)
            line = f"  < {m.interface.removeprefix('org.bluez.')}.{m.member}({arguments})"
            # A monitor is called for each advertisement: how often is chance.
            if m.member == "DeviceFound" and line == self.found:
                return
            self.say(line, always=True)
            if m.member == "DeviceFound":
                self.found = line
        else:
            return
        self.last = asyncio.get_running_loop().time()
        self.news.set()

    def signal(self, m):
        """False for what is not part of the transcript."""
        if m.member == "PropertiesChanged":
            interface, changed, gone = m.body
            # How strong a signal is, and how often that changes, is chance; that it is known, and no longer known, is not.
            for name in ("RSSI", "TxPower"):
                if name in changed and self.rssi.get((m.path, name)):
                    del changed[name]
                elif name in changed or name in gone:
                    self.rssi[m.path, name] = name in changed
            if not changed and not gone:
                return False
            what = [f"{name}={self.names.value(value, name)}" for name, value in sorted(changed.items())]
            what += [f"-{name}" for name in gone]
            self.say(f"  ! {self.names.path(m.path)} {interface.removeprefix('org.bluez.')} {', '.join(what)}")
            self.seen += [(m.path, name, value.value) for name, value in changed.items()]
        elif m.member == "InterfacesAdded":
            path, interfaces = m.body
            self.names.learn(path, interfaces)
            self.rssi[path, "RSSI"] = "RSSI" in interfaces.get("org.bluez.Device1", {})
            if self.names.is_ignored(path):
                return False
            self.say(f"  ! + {self.names.path(path)} {self.names.objects(interfaces)}")
            self.seen += [(path, "+", name) for name in interfaces]
        elif m.member == "InterfacesRemoved":
            path, interfaces = m.body
            if self.names.is_ignored(path):
                return False
            self.say(f"  ! - {self.names.path(path)} {', '.join(map(self.names.interface, interfaces))}")
            self.seen += [(path, "-", name) for name in interfaces]
        elif m.member == "NameOwnerChanged":
            self.seen.append(("org.bluez", "owner", bool(m.body[2])))
            return False
        return True

    # ------------------------------------------------------------ what is done
    def begin(self, path, interface, member, signature="", *body, label=None, quietly=False):
        """Sends a call; the returned task ends with its reply."""
        if interface and "." not in interface:
            interface = "org.bluez." + interface
        m = Message(destination="org.bluez", path=path, interface=interface or None, member=member,
                    signature=signature, body=list(body), serial=self.bus.next_serial())
        if not quietly:
            self.calls[m.serial] = label or f"{self.names.path(path)} {member}"
        return asyncio.ensure_future(asyncio.wait_for(self.bus.call(m), LIMIT))

    async def call(self, *arguments, **options):
        return await self.begin(*arguments, **options)

    async def get(self, path, interface, name):
        await self.call(path, PROPERTIES, "Get", "ss", "org.bluez." + interface, name, label=f"{self.names.path(path)} {name}")

    async def set(self, path, interface, name, signature, value):
        await self.call(path, PROPERTIES, "Set", "ssv", "org.bluez." + interface, name, Variant(signature, value),
                        label=f"{self.names.path(path)} {name}={self.names.value(value)}")

    async def until(self, path, name, value, since=0):
        """Until a signal has said so: (path, property, value), (path, '+' or '-', interface) or ('org.bluez', 'owner', Bool)."""
        async with asyncio.timeout(SIGNAL_LIMIT):
            while (path, name, value) not in self.seen[since:]:
                self.news.clear()
                await self.news.wait()

    async def quiet(self, seconds=QUIET):
        loop = asyncio.get_running_loop()
        self.last = loop.time()
        while (left := self.last + seconds - loop.time()) > 0:
            await asyncio.sleep(left)

    async def objects(self):
        reply = await self.call(ROOT, OBJECT_MANAGER, "GetManagedObjects", quietly=True)
        for path, interfaces in reply.body[0].items():
            self.names.learn(path, interfaces)
        return reply.body[0]

    async def show_objects(self, below=ROOT):
        for path, interfaces in (await self.objects()).items():
            if path.startswith(below) and not self.names.is_ignored(path):
                self.say(f"  {self.names.path(path)} {self.names.objects(interfaces)}")

    async def find(self, uuid, parent=None):
        """The path of an attribute by its UUID."""
        for path, interfaces in (await self.objects()).items():
            for properties in interfaces.values():
                if path.startswith(parent or SENSOR + "/") and path != parent and properties.get("UUID", Variant("s", "")).value == uuid:
                    return path
        raise LookupError(f"no attribute {uuid}")

    async def introspect(self, path):
        reply = await self.call(path, "org.freedesktop.DBus.Introspectable", "Introspect", quietly=True)
        if reply.message_type == MessageType.ERROR:
            return self.say(f"  {path}: {reply.error_name}")
        node = XML.fromstring(reply.body[0])
        children = sorted(self.names.path(path.rstrip("/") + "/" + child.get("name")).rpartition("/")[2] for child in node.findall("node"))
        self.say(f"  {self.names.path(path)}: {' '.join(children)}")
        for interface in node.findall("interface"):
            members = []
            for member in interface:
                arguments = " ".join(f"{a.get('name')}:{a.get('type')}{'>' if a.get('direction') == 'out' else ''}" for a in member.findall("arg"))
                notes = "".join(" " + a.get("name").rpartition(".")[2] for a in member.findall("annotation"))
                members.append(f"{member.tag[0]} {member.get('name')} {arguments}{member.get('type') or ''} {member.get('access') or ''}{notes}".rstrip())
            self.say(f"    {interface.get('name')}: {'; '.join(members)}")

    # ------------------------------------------------------------ whole steps, in several of the steps below
    async def filter(self, filters):
        what = ", ".join(f"{name}={self.names.value(value)}" for name, value in filters.items())
        await self.call(ADAPTER, "Adapter1", "SetDiscoveryFilter", "a{sv}", filters, label=f"filter {{{what}}}")

    async def scan(self, **filters):
        since = len(self.seen)
        await self.filter(filters)
        await self.call(ADAPTER, "Adapter1", "StartDiscovery")
        return since

    async def discover(self, path=SENSOR):
        if path in await self.objects():
            return
        since = await self.scan(UUIDs=Variant("as", [SERVICE]), Transport=Variant("s", "le"))
        await self.until(path, "+", "org.bluez.Device1", since)
        await self.call(ADAPTER, "Adapter1", "StopDiscovery")
        await self.quiet()

    async def connect(self):
        await self.discover()
        reply = await self.call(SENSOR, PROPERTIES, "Get", "ss", "org.bluez.Device1", "ServicesResolved", quietly=True)
        if reply.body[0].value:
            return
        since = len(self.seen)
        await self.call(SENSOR, "Device1", "Connect")
        await self.until(SENSOR, "ServicesResolved", True, since)
        await self.quiet()

    async def disconnect(self):
        since = len(self.seen)
        await self.call(SENSOR, "Device1", "Disconnect")
        await self.until(SENSOR, "Connected", False, since)
        await self.quiet()

    async def forget(self):
        await self.call(ADAPTER, "Adapter1", "RemoveDevice", "o", SENSOR)
        await self.quiet()


class Agent(ServiceInterface):
    """Agrees to everything, or to nothing. (What it is asked is in the transcript, as all that arrives.)"""

    def __init__(self):
        super().__init__("org.bluez.Agent1")

    @dbus_method()
    def Release(self): pass
    @dbus_method()
    def RequestConfirmation(self, device: "o", passkey: "u"): pass
    @dbus_method()
    def RequestAuthorization(self, device: "o"): pass
    @dbus_method()
    def Cancel(self): pass


class Monitor(ServiceInterface):
    """A monitor of advertisements for the sensor's name, or one that BlueZ refuses."""

    def __init__(self, kind="or_patterns", pattern=b"Lab"):
        super().__init__("org.bluez.AdvertisementMonitor1")
        self.kind, self.pattern = kind, pattern

    @dbus_method()
    def Release(self): pass
    @dbus_method()
    def Activate(self): pass
    @dbus_method()
    def DeviceFound(self, device: "o"): pass
    @dbus_method()
    def DeviceLost(self, device: "o"): pass
    @dbus_property(access=PropertyAccess.READ)
    def Type(self) -> "s": return self.kind
    @dbus_property(access=PropertyAccess.READ)
    def Patterns(self) -> "a(yyay)": return [[0, 9, self.pattern]]


# ---------------------------------------------------------------- the steps, in their order
async def step_objects_at_the_start(c):
    await c.show_objects()
    for path in (ROOT, "/org", BLUEZ, ADAPTER, "/nowhere"):
        await c.introspect(path)

async def step_calls_that_do_not_exist(c):
    for path, interface, member, signature, *body in (
            (ROOT, OBJECT_MANAGER, "GetManagedObjects", "s", "x"), (ADAPTER, OBJECT_MANAGER, "GetManagedObjects", ""),
            (ROOT, "", "GetManagedObjects", ""), (ROOT, PROPERTIES, "GetAll", "s", "org.bluez.Adapter1"),
            (ROOT, "Adapter1", "StartDiscovery", ""), (BLUEZ, "Adapter1", "StartDiscovery", ""), ("/org", "Adapter1", "StartDiscovery", ""),
            ("/nowhere", "Adapter1", "StartDiscovery", ""), (SENSOR, "Device1", "Connect", ""), (ADAPTER, "Adapter1", "Fly", ""),
            (ADAPTER, "Device1", "Connect", ""), (ADAPTER, "Adapter1", "StartDiscovery", "s", "x"), (ADAPTER, "", "GetDiscoveryFilters", ""),
            (ADAPTER, "Adapter1", "RemoveDevice", ""), (ADAPTER, "Adapter1", "RemoveDevice", "s", SENSOR),
            (ADAPTER, "Adapter1", "ConnectDevice", "a{sv}", {}), ("/nowhere", PROPERTIES, "GetAll", "s", "org.bluez.Adapter1"),
            (ADAPTER, "org.freedesktop.DBus.Introspectable", "Introspect", "s", "x"),
            (ADAPTER, "org.freedesktop.DBus.Peer", "Ping", ""), ("/nowhere", "org.freedesktop.DBus.Peer", "Ping", "")):
        await c.call(path, interface, member, signature, *body,
                     label=f"{c.names.path(path)} {interface.rpartition('.')[2] or '-'}.{member}({signature})")

async def step_properties_that_do_not_exist(c):
    adapter, device = "org.bluez.Adapter1", "org.bluez.Device1"
    for member, signature, *body in (
            ("Get", "ss", adapter, "Colour"), ("Get", "ss", device, "Address"), ("Get", "s", adapter), ("Get", "", ),
            ("Get", "ss", "", "Address"), ("Get", "ss", adapter, "PowerState"), ("GetAll", "s", device), ("GetAll", "s", ""),
            ("GetAll", "s", PROPERTIES), ("GetAll", "s", "org.bluez.GattManager1"), ("GetAll", "", ),
            ("Set", "ssv", adapter, "Colour", Variant("s", "red")), ("Set", "ssv", adapter, "Address", Variant("s", "x")),
            ("Set", "ssv", adapter, "Powered", Variant("s", "yes")), ("Set", "ssv", adapter, "Alias", Variant("b", True)),
            ("Set", "ssv", device, "Alias", Variant("s", "x")), ("Set", "ss", adapter, "Alias"), ("Set", "", )):
        await c.call(ADAPTER, PROPERTIES, member, signature, *body, label=f"{member}{c.names.value(list(body))}")

async def step_adapter_properties(c):
    for name, signature, value in (
            ("Alias", "s", "Lab"), ("Alias", "s", "Lab"), ("Alias", "s", ""), ("DiscoverableTimeout", "u", 60), ("DiscoverableTimeout", "u", 180),
            ("Discoverable", "b", True), ("Discoverable", "b", True), ("Discoverable", "b", False), ("Pairable", "b", True),
            ("PairableTimeout", "u", 30), ("PairableTimeout", "u", 0), ("Pairable", "b", False), ("Powered", "b", True)):
        await c.set(ADAPTER, "Adapter1", name, signature, value)
        await c.quiet(0.5)

async def step_discovery_filters(c):
    await c.call(ADAPTER, "Adapter1", "GetDiscoveryFilters")
    for filters in (
            {"Colour": Variant("s", "red")}, {"UUIDs": Variant("s", SERVICE)}, {"UUIDs": Variant("as", ["x"])}, {"UUIDs": Variant("as", ["180f", SERVICE.upper()])},
            {"RSSI": Variant("n", -128)}, {"RSSI": Variant("n", 21)}, {"RSSI": Variant("i", -80)}, {"RSSI": Variant("n", -127)}, {"Pathloss": Variant("q", 138)},
            {"Pathloss": Variant("q", 137)}, {"RSSI": Variant("n", -80), "Pathloss": Variant("q", 20)}, {"Transport": Variant("s", "wifi")},
            {"Transport": Variant("s", "LE")}, {"Transport": Variant("s", "bredr")}, {"DuplicateData": Variant("s", "x")},
            {"Discoverable": Variant("b", False)}, {"Pattern": Variant("s", "Lab")}, {}):
        await c.filter(filters)
    await c.call(ADAPTER, "Adapter1", "StopDiscovery")

async def step_discovery_of_another_service(c):
    await c.scan(UUIDs=Variant("as", [ABSENT]))
    await c.quiet(3)
    await c.call(ADAPTER, "Adapter1", "StartDiscovery")
    await c.call(ADAPTER, "Adapter1", "StopDiscovery")
    await c.quiet()

async def step_discovery_of_other_names(c):
    await c.scan(Pattern=Variant("s", "Nobody"), Transport=Variant("s", "le"))
    await c.quiet(3)
    await c.call(ADAPTER, "Adapter1", "StopDiscovery")
    await c.quiet()

async def step_discovery_with_two_clients(c):
    other = Client(c.stack)
    await other.open(silent=True)
    await c.scan(UUIDs=Variant("as", [ABSENT]))
    await c.quiet(0.5)
    await other.call(ADAPTER, "Adapter1", "SetDiscoveryFilter", "a{sv}", {"UUIDs": Variant("as", [ABSENT])}, quietly=True)
    await other.call(ADAPTER, "Adapter1", "StartDiscovery", quietly=True)
    await c.call(ADAPTER, "Adapter1", "StopDiscovery")
    await c.quiet(2)
    other.close()           # its session ends with it
    await c.quiet(2)

async def step_discovery(c):
    since = await c.scan(UUIDs=Variant("as", [SERVICE]), Transport=Variant("s", "le"))
    await c.until(SENSOR, "+", "org.bluez.Device1", since)
    await c.call(ADAPTER, "Adapter1", "StartDiscovery")
    await c.quiet()
    await c.call(ADAPTER, "Adapter1", "StopDiscovery")
    await c.quiet()
    await c.call(ADAPTER, "Adapter1", "StopDiscovery")
    await c.show_objects(SENSOR)
    await c.introspect(SENSOR)

async def step_discovery_again(c):
    since = await c.scan(UUIDs=Variant("as", [SERVICE]), Transport=Variant("s", "le"))
    await c.until(ADAPTER, "Discovering", True, since)
    await c.quiet(2)
    await c.call(ADAPTER, "Adapter1", "StopDiscovery")
    await c.quiet()

async def step_device_that_is_not_connected(c):
    for member, signature, *body in (
            ("Disconnect", ""), ("CancelPairing", ""), ("DisconnectProfile", "s", SERVICE), ("DisconnectProfile", "s", "x")):
        await c.call(SENSOR, "Device1", member, signature, *body)
        await c.quiet(0.5)
    for name, signature, value in (
            ("Alias", "s", "My sensor"), ("Alias", "s", ""), ("Trusted", "b", True), ("Trusted", "b", False),
            ("Name", "s", "x"), ("Connected", "b", True), ("WakeAllowed", "b", True)):
        await c.set(SENSOR, "Device1", name, signature, value)
        await c.quiet(0.5)
    for name in ("Class", "Icon", "Modalias", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingFlags", "Sets"):
        await c.get(SENSOR, "Device1", name)

async def step_connect(c):
    await c.discover()
    since = len(c.seen)
    first = c.begin(SENSOR, "Device1", "Connect")
    await c.call(SENSOR, "Device1", "Connect", label="SENSOR Connect (second)")
    await first
    await c.until(SENSOR, "ServicesResolved", True, since)
    await c.quiet(2)

async def step_device_that_is_connected(c):
    await c.call(SENSOR, "Device1", "Connect")
    for member, signature, *body in (
            ("ConnectProfile", "s", SERVICE), ("ConnectProfile", "s", sig("180f")), ("ConnectProfile", "s", ABSENT), ("ConnectProfile", "s", "x"),
            ("DisconnectProfile", "s", SERVICE), ("DisconnectProfile", "s", ABSENT), ("CancelPairing", "")):
        await c.call(SENSOR, "Device1", member, signature, *body, label=f"SENSOR {member} {c.names.value(list(body))}")
        await c.quiet(0.5)
    await c.show_objects(SENSOR)

async def step_attributes_describe_themselves(c):
    await c.introspect(SENSOR)
    await c.introspect(await c.find(SERVICE))
    for uuid in (FIXED, COUNT):
        await c.introspect(await c.find(uuid))
    await c.introspect(await c.find(sig("2902"), await c.find(COUNT)))
    await c.introspect((await c.find(SERVICE)).rpartition("/")[0] + "/service0000")

async def step_objects_while_connected(c):
    await c.show_objects()

async def read(c, uuid, **options):
    await c.call(await c.find(uuid), "GattCharacteristic1", "ReadValue", "a{sv}", options)

async def write(c, uuid, value, **options):
    await c.call(await c.find(uuid), "GattCharacteristic1", "WriteValue", "aya{sv}", value, options,
                 label=f"{c.names.path(await c.find(uuid))} WriteValue {c.names.value(value)} {c.names.value(options)}")
    await c.quiet(0.3)

async def step_read(c):
    await read(c, FIXED)
    await read(c, FIXED)
    await read(c, sig("2a29"))
    await read(c, sig("2a19"))
    await read(c, LONG)
    await read(c, LONG, offset=Variant("q", 513))
    await read(c, FIXED, offset=Variant("i", 0))
    await read(c, FIXED, Offset=Variant("i", 0))
    await read(c, FIXED, colour=Variant("s", "red"), device=Variant("o", SENSOR))
    await read(c, COMMAND)
    await read(c, EVENT)
    await c.call(await c.find(FIXED), "GattCharacteristic1", "ReadValue")
    await c.get(await c.find(FIXED), "GattCharacteristic1", "Value")
    await c.get(await c.find(FIXED), "GattCharacteristic1", "MTU")

async def step_read_twice_at_once(c):
    path = await c.find(FIXED)
    await c.stack.at_once(*(c.begin(path, "GattCharacteristic1", "ReadValue", "a{sv}", {}, label=f"read {n}") for n in (1, 2)))
    other = await c.find(LONG)
    await c.stack.at_once(c.begin(path, "GattCharacteristic1", "ReadValue", "a{sv}", {}),
                          c.begin(other, "GattCharacteristic1", "ReadValue", "a{sv}", {}))

async def step_write(c):
    request, command = Variant("s", "request"), Variant("s", "command")
    await write(c, ECHO, b"default")
    await write(c, ECHO, b"request", type=request)
    await write(c, ECHO, b"command", type=command)
    await write(c, ECHO, b"COMMAND", type=Variant("s", "COMMAND"))
    await read(c, ECHO)
    await write(c, ECHO, b"x", type=Variant("s", "nonsense"))
    await write(c, ECHO, b"x", type=Variant("q", 1))
    await write(c, ECHO, b"x", offset=Variant("i", 1))
    await write(c, ECHO, b"x", type=command, offset=Variant("q", 1))
    await write(c, ECHO, b"")
    await write(c, LONG, bytes(512))
    await write(c, LONG, bytes(513))
    await write(c, LONG, bytes(600))
    await write(c, ECHO, bytes(515), type=command)
    await write(c, ECHO, bytes(600), type=command)
    await write(c, FIXED, b"x")
    await write(c, FIXED, b"x", type=request)
    await write(c, FIXED, b"x", type=command)
    await write(c, COMMAND, b"x")
    await write(c, COMMAND, b"x", type=request)
    await write(c, EVENT, b"x")
    await write(c, LONG, b"x", type=command)
    await c.call(await c.find(ECHO), "GattCharacteristic1", "WriteValue", "ay", b"x")
    await c.call(await c.find(ECHO), "GattCharacteristic1", "WriteValue", "sa{sv}", "x", {})

async def step_write_twice_at_once(c):
    path = await c.find(ECHO)
    await c.stack.at_once(*(c.begin(path, "GattCharacteristic1", "WriteValue", "aya{sv}", b"x", {}, label=f"write {n}") for n in (1, 2)))

async def step_write_while_reading(c):
    path = await c.find(ECHO)
    await c.stack.at_once(c.begin(path, "GattCharacteristic1", "ReadValue", "a{sv}", {}),
                          c.begin(path, "GattCharacteristic1", "WriteValue", "aya{sv}", b"y", {}))

async def step_descriptors(c):
    for parent, uuid in ((COUNT, "2902"), (FIXED, "2901")):
        path = await c.find(sig(uuid), await c.find(parent))
        await c.call(path, "GattDescriptor1", "ReadValue", "a{sv}", {})
        await c.call(path, "GattDescriptor1", "ReadValue", "a{sv}", {"offset": Variant("q", 100)})
        await c.call(path, "GattDescriptor1", "ReadValue", "a{sv}", {"offset": Variant("s", "x")})
        await c.call(path, "GattDescriptor1", "WriteValue", "aya{sv}", b"\1\0", {"offset": Variant("s", "x")})
        if uuid == "2902":
            await c.call(path, "GattDescriptor1", "WriteValue", "aya{sv}", b"\1\0", {})
        await c.quiet(0.5)

async def step_att_errors(c):
    for code in ("0x01", "0x02", "0x03", "0x05", "0x06", "0x07", "0x08", "0x0a", "0x0d", "0x11", "0x80", "0xff"):
        if code == "0x05":      # would begin to pair
            continue
        await c.stack.peripheral("fault", FIXED, "error", code)
        await c.call(await c.find(FIXED), "GattCharacteristic1", "ReadValue", "a{sv}", {}, label=f"read with {code}")
    await c.stack.peripheral("fault", FIXED, "none")
    await c.stack.peripheral("fault", ECHO, "error", "0x0d")
    await write(c, ECHO, b"x")
    await c.stack.peripheral("fault", ECHO, "none")

async def step_notify(c):
    path = await c.find(EVENT)
    for member in ("StopNotify", "StartNotify", "StartNotify"):
        await c.call(path, "GattCharacteristic1", member)
        await c.quiet(0.5)
    for value in ("one", "one", "two"):
        await c.stack.peripheral("notify", EVENT, value)
        await c.quiet(0.5)
    await c.call(path, "GattCharacteristic1", "AcquireNotify", "a{sv}", {})
    await c.call(await c.find(sig("2902"), path), "GattDescriptor1", "ReadValue", "a{sv}", {})
    for member in ("StopNotify", "StopNotify"):
        await c.call(path, "GattCharacteristic1", member)
        await c.quiet(0.5)
    await c.stack.peripheral("notify", EVENT, "three")
    await c.quiet(0.5)
    await c.call(await c.find(FIXED), "GattCharacteristic1", "StartNotify")
    await c.call(await c.find(FIXED), "GattCharacteristic1", "StopNotify")

async def step_start_notify_twice_at_once(c):
    path = await c.find(EVENT)
    await c.stack.at_once(*(c.begin(path, "GattCharacteristic1", "StartNotify", label=f"StartNotify {n}") for n in (1, 2)))
    await c.quiet(0.5)
    await c.call(path, "GattCharacteristic1", "StopNotify")
    await c.quiet(0.5)

async def step_indicate(c):
    path = await c.find(INDICATE)
    await c.call(path, "GattCharacteristic1", "AcquireNotify", "a{sv}", {})
    await c.call(path, "GattCharacteristic1", "StartNotify")
    await c.stack.peripheral("notify", INDICATE, "0x77")
    await c.quiet()
    await c.call(path, "GattCharacteristic1", "StopNotify")
    await c.quiet()

async def step_battery(c):
    await c.stack.peripheral("notify", "2a19", "0x32")
    await c.quiet()
    await c.get(SENSOR, "Battery1", "Percentage")
    await c.stack.peripheral("notify", "2a19", "0x57")
    await c.quiet()

async def step_acquire_notify(c):
    path = await c.find(EVENT)
    reply = await c.call(path, "GattCharacteristic1", "AcquireNotify", "a{sv}", {})
    await c.quiet(0.5)
    await c.call(path, "GattCharacteristic1", "AcquireNotify", "a{sv}", {})
    await c.call(path, "GattCharacteristic1", "StartNotify")
    await c.call(path, "GattCharacteristic1", "StopNotify")
    await c.quiet(0.5)
    for descriptor in reply.unix_fds:
        os.close(descriptor)
    await c.quiet()
    reply = await c.call(path, "GattCharacteristic1", "AcquireNotify", "a{sv}", {})
    for descriptor in reply.unix_fds:
        os.close(descriptor)
    await c.quiet()
    await c.call(await c.find(FIXED), "GattCharacteristic1", "AcquireNotify", "a{sv}", {})

async def step_acquire_write(c):
    path = await c.find(ECHO)
    reply = await c.call(path, "GattCharacteristic1", "AcquireWrite", "a{sv}", {})
    await c.quiet(0.5)
    await c.call(path, "GattCharacteristic1", "AcquireWrite", "a{sv}", {})
    await c.call(path, "GattCharacteristic1", "WriteValue", "aya{sv}", b"x", {})
    await read(c, ECHO)
    for descriptor in reply.unix_fds:
        os.close(descriptor)
    await c.quiet()
    await c.call(await c.find(FIXED), "GattCharacteristic1", "AcquireWrite", "a{sv}", {})

async def step_disconnect(c):
    path = await c.find(EVENT)
    await c.call(path, "GattCharacteristic1", "StartNotify")
    await c.call(await c.find(ECHO), "GattCharacteristic1", "AcquireWrite", "a{sv}", {})
    since = len(c.seen)
    first = c.begin(SENSOR, "Device1", "Disconnect")
    await c.call(SENSOR, "Device1", "Disconnect", label="SENSOR Disconnect (second)")
    await first
    await c.until(SENSOR, "Connected", False, since)
    await c.quiet()

async def step_attributes_without_a_link(c):
    await c.show_objects(SENSOR)
    for member, signature, *body in (
            ("ReadValue", "a{sv}", {}), ("WriteValue", "aya{sv}", b"x", {}), ("StartNotify", ""), ("StopNotify", ""),
            ("AcquireNotify", "a{sv}", {}), ("AcquireWrite", "a{sv}", {})):
        await c.call(await c.find(ECHO), "GattCharacteristic1", member, signature, *body)
    for member in ("StartNotify", "StopNotify"):
        await c.call(await c.find(COUNT), "GattCharacteristic1", member)
        await c.quiet(0.5)
    await c.get(await c.find(EVENT), "GattCharacteristic1", "MTU")
    await c.call(await c.find(sig("2901")), "GattDescriptor1", "ReadValue", "a{sv}", {})

async def step_connect_again(c):
    await c.connect()
    await c.stack.peripheral("notify", EVENT, "again")
    await c.quiet()
    await c.call(await c.find(EVENT), "GattCharacteristic1", "StopNotify")
    await c.quiet()

async def step_the_link_drops(c):
    path = await c.find(EVENT)
    await c.call(path, "GattCharacteristic1", "StartNotify")
    await c.quiet(0.5)
    since = len(c.seen)
    await c.stack.peripheral("drop")
    await c.until(SENSOR, "Connected", False, since)
    await c.quiet()
    await c.call(path, "GattCharacteristic1", "StopNotify")
    await c.quiet(0.5)

async def step_the_link_drops_during_a_read(c):
    await c.connect()
    since = len(c.seen)
    await c.stack.peripheral("fault", FIXED, "drop")
    await read(c, FIXED)
    await c.until(SENSOR, "Connected", False, since)
    await c.quiet()

async def step_a_read_that_is_never_answered(c):
    await c.connect()
    since = len(c.seen)
    await c.stack.peripheral("fault", FIXED, "stall", "50")
    await read(c, FIXED)
    await c.until(SENSOR, "Connected", False, since)
    await c.stack.peripheral("fault", FIXED, "none")
    await c.quiet()

async def step_out_of_range(c):
    await c.connect()
    since = len(c.seen)
    await c.stack.peripheral("range", "out")
    await c.until(SENSOR, "Connected", False, since)
    await c.quiet()
    await c.call(SENSOR, "Device1", "Connect")
    await c.stack.peripheral("range", "in")
    await c.quiet(3)

async def step_connect_cancelled(c):
    await c.stack.peripheral("advertise", "off")
    attempt = c.begin(SENSOR, "Device1", "Connect")
    await c.quiet(2)
    await c.call(SENSOR, "Device1", "Connect", label="SENSOR Connect (second)")
    await c.call(SENSOR, "Device1", "Disconnect")
    await attempt
    await c.stack.peripheral("advertise", "on")
    await c.quiet()

async def step_encrypted_without_agent(c):
    """What is there after the time that SMP allows (30 s). ATT allows as much: which of both timers is the first is chance, and with it
    whether the read fails with 0x0e or is never answered; so what happens meanwhile is not part of the transcript."""
    await c.connect()
    c.is_muted = True
    waiting = c.begin(await c.find(SECURE), "GattCharacteristic1", "ReadValue", "a{sv}", {})
    await asyncio.sleep(UNANSWERED)
    waiting.cancel()
    c.is_muted = False
    c.say(f"  after {UNANSWERED} s: {'known' if SENSOR in await c.objects() else 'removed'}")

async def step_encrypted_without_agent_trusted(c):
    await c.connect()
    await c.set(SENSOR, "Device1", "Trusted", "b", True)
    waiting = c.begin(await c.find(SECURE), "GattCharacteristic1", "ReadValue", "a{sv}", {})
    await asyncio.sleep(UNANSWERED)
    c.say(f"  after {UNANSWERED} s: {'answered' if waiting.done() else 'not answered'}")
    await c.show_objects(SENSOR)
    waiting.cancel()
    await c.quiet()
    if SENSOR in await c.objects():
        await c.forget()

async def step_pair_without_agent(c):
    await c.connect()
    await c.call(SENSOR, "Device1", "Pair")
    await c.quiet(2)
    if SENSOR in await c.objects():
        await c.forget()

async def step_agents(c):
    path, empty = "/parity/agent", "/parity/nobody"
    for member, signature, *body in (
            ("RequestDefaultAgent", "o", path), ("UnregisterAgent", "o", path), ("RegisterAgent", "os", path, "Telepathy"),
            ("RegisterAgent", "os", path, "NoInputNoOutput"), ("RegisterAgent", "os", empty, "NoInputNoOutput"), ("UnregisterAgent", "o", empty),
            ("RequestDefaultAgent", "o", empty), ("RequestDefaultAgent", "o", path), ("RegisterAgent", "o", path)):
        await c.call(BLUEZ, "AgentManager1", member, signature, *body, label=f"{member} {' '.join(body)}")
        await c.quiet(0.5)
    for member, signature, *body in (("UnregisterProfile", "o", "/parity/profile"),):
        await c.call(BLUEZ, "ProfileManager1", member, signature, *body)
    for interface, member in (("GattManager1", "UnregisterApplication"), ("LEAdvertisingManager1", "UnregisterAdvertisement")):
        await c.call(ADAPTER, interface, member, "o", "/parity/application")

async def step_pair(c):
    c.bus.export("/parity/agent", Agent())
    await c.connect()
    since = len(c.seen)
    first = c.begin(SENSOR, "Device1", "Pair")
    await c.call(SENSOR, "Device1", "Pair", label="SENSOR Pair (second)")
    await first
    await c.until(SENSOR, "Paired", True, since)
    await c.quiet(2)
    await read(c, SECURE)
    await write(c, SECURE, b"known")
    await c.disconnect()
    await c.connect()
    await read(c, SECURE)
    await c.forget()

async def step_pair_before_connecting(c):
    await c.discover()
    since = len(c.seen)
    await c.call(SENSOR, "Device1", "Pair")
    await c.until(SENSOR, "ServicesResolved", True, since)
    await c.quiet(2)
    await c.forget()

async def step_pair_refused(c):
    await c.connect()
    await c.stack.peripheral("pairing", "refuse")
    await c.call(SENSOR, "Device1", "Pair")
    await c.quiet(2)
    await c.stack.peripheral("pairing", "accept")
    if SENSOR in await c.objects():
        await c.forget()

async def step_encrypted_with_agent(c):
    """(Whether the value or the bond is there first is chance.)"""
    await c.connect()
    c.is_muted = True
    await read(c, SECURE)
    await c.quiet(2)
    c.is_muted = False
    await read(c, SECURE)
    for name in ("Bonded", "Paired"):
        await c.get(SENSOR, "Device1", name)
    await c.disconnect()
    await c.forget()

async def step_agent_leaves(c):
    await c.call(BLUEZ, "AgentManager1", "UnregisterAgent", "o", "/parity/agent")
    await c.quiet()

async def step_power_off_while_connected_and_discovering(c):
    await c.connect()
    await c.call(await c.find(EVENT), "GattCharacteristic1", "StartNotify")
    since = await c.scan(UUIDs=Variant("as", [ABSENT]))
    await c.until(ADAPTER, "Discovering", True, since)
    await c.quiet()
    since = len(c.seen)
    await c.set(ADAPTER, "Adapter1", "Powered", "b", False)
    await c.until(SENSOR, "Connected", False, since)
    await c.quiet(2)

async def step_without_power(c):
    await c.show_objects(ADAPTER)
    for member, signature, *body in (
            ("StartDiscovery", ""), ("StopDiscovery", ""), ("SetDiscoveryFilter", "a{sv}", {}), ("GetDiscoveryFilters", ""),
            ("RemoveDevice", "o", ADAPTER + "/dev_00_00_00_00_00_00")):
        await c.call(ADAPTER, "Adapter1", member, signature, *body)
    for name, signature, value in (
            ("Discoverable", "b", True), ("Discoverable", "b", False), ("DiscoverableTimeout", "u", 60), ("DiscoverableTimeout", "u", 180),
            ("Pairable", "b", True), ("Pairable", "b", False), ("Powered", "b", False)):
        await c.set(ADAPTER, "Adapter1", name, signature, value)
        await c.quiet(0.5)
    for member in ("Connect", "Disconnect", "Pair", "CancelPairing"):
        await c.call(SENSOR, "Device1", member)
    await read(c, FIXED)

async def step_remove_without_power(c):
    await c.call(ADAPTER, "Adapter1", "RemoveDevice", "o", SENSOR)
    await c.quiet()

async def step_power_on(c):
    since = len(c.seen)
    await c.set(ADAPTER, "Adapter1", "Powered", "b", True)
    await c.until(ADAPTER, "Powered", True, since)
    await c.quiet(2)
    await c.connect()
    await c.call(SENSOR, "Device1", "Disconnect")
    await c.quiet(2)

async def step_power_off_while_connecting(c):
    await c.discover()
    await c.stack.peripheral("advertise", "off")
    attempt = c.begin(SENSOR, "Device1", "Connect")
    await c.quiet(2)
    await c.set(ADAPTER, "Adapter1", "Powered", "b", False)
    await attempt
    await c.quiet()
    await c.stack.peripheral("advertise", "on")
    since = len(c.seen)
    await c.set(ADAPTER, "Adapter1", "Powered", "b", True)
    await c.until(ADAPTER, "Powered", True, since)
    await c.quiet(2)

async def step_power_off_after_discovery(c):
    await c.forget()
    await c.discover()
    since = len(c.seen)
    await c.set(ADAPTER, "Adapter1", "Powered", "b", False)
    await c.until(ADAPTER, "Powered", False, since)
    await c.quiet()
    since = len(c.seen)
    await c.set(ADAPTER, "Adapter1", "Powered", "b", True)
    await c.until(ADAPTER, "Powered", True, since)
    await c.quiet(2)

async def step_remove_device(c):
    await c.connect()
    await c.call(await c.find(EVENT), "GattCharacteristic1", "StartNotify")
    await c.quiet(0.5)
    for path in (ADAPTER, ROOT, ADAPTER + "/dev_00_00_00_00_00_00"):
        await c.call(ADAPTER, "Adapter1", "RemoveDevice", "o", path, label=f"RemoveDevice {c.names.path(path)}")
    since = len(c.seen)
    first = c.begin(ADAPTER, "Adapter1", "RemoveDevice", "o", SENSOR)
    await first
    await c.until(SENSOR, "-", "org.bluez.Device1", since)
    await c.quiet(2)
    await c.show_objects()

async def step_remove_device_while_connecting(c):
    await c.discover()
    await c.stack.peripheral("advertise", "off")
    attempt = c.begin(SENSOR, "Device1", "Connect")
    await c.quiet(2)
    await c.call(ADAPTER, "Adapter1", "RemoveDevice", "o", SENSOR)
    await c.quiet(5)
    c.say(f"  Connect {'answered' if attempt.done() else 'not answered'}")
    attempt.cancel()
    await c.stack.peripheral("advertise", "on")
    await c.quiet()

async def step_connect_while_blocked(c):
    await c.discover()
    await c.set(SENSOR, "Device1", "Blocked", "b", True)
    await c.call(SENSOR, "Device1", "Connect")
    await c.set(SENSOR, "Device1", "Blocked", "b", False)
    await c.quiet()
    await c.forget()        # (Linux 6.1 goes on refusing the address for a while)

async def step_monitors(c):
    """Only a bluetoothd with --experimental has them: another one is started."""
    c.close()
    await c.stack.start("--experimental")
    await c.open(silent=True)
    async with asyncio.timeout(LIMIT):
        while True:
            reply = await c.call(ADAPTER, PROPERTIES, "Get", "ss", "org.bluez.Adapter1", "Powered", quietly=True)
            if reply.body[0] == Variant("b", True):
                break
            await asyncio.sleep(0.1)
    c.close()
    await c.open()
    await c.quiet(2)
    for name in ("SupportedMonitorTypes", "SupportedFeatures"):
        await c.get(ADAPTER, "AdvertisementMonitorManager1", name)
    manager = "AdvertisementMonitorManager1"
    await c.call(ADAPTER, manager, "UnregisterMonitor", "o", "/parity/monitors")
    await c.call(ADAPTER, manager, "RegisterMonitor", "o", "/parity/nothing")
    await c.quiet()
    for path, monitor in (("/parity/monitors/lab", Monitor()), ("/parity/monitors/odd", Monitor("and_patterns")), ("/parity/monitors/none", Monitor(pattern=b""))):
        c.bus.export(path, monitor)
    since = len(c.seen)
    await c.call(ADAPTER, manager, "RegisterMonitor", "o", "/parity/monitors")
    await c.until(SENSOR, "+", "org.bluez.Device1", since)
    await c.quiet(3)
    await c.call(ADAPTER, manager, "RegisterMonitor", "o", "/parity/monitors")
    await c.call(ADAPTER, manager, "UnregisterMonitor", "o", "/parity/monitors")
    await c.quiet(2)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulation", metavar="PROGRAM")
    parser.add_argument("--config", default=os.path.join(os.path.dirname(os.path.realpath(__file__)), "../peripherals/sensor.json"))
    parser.add_argument("--list", action="store_true", help="only the names of the steps")
    parser.add_argument("steps", nargs="*", metavar="STEP")
    options = parser.parse_args()
    steps = {name[5:]: step for name, step in globals().items() if name.startswith("step_")}
    if options.list:
        return print("\n".join(steps))
    stack = Simulation(options.simulation, options.config) if options.simulation else Stack()
    await stack.start()
    c = Client(stack)
    await c.open()
    for name in options.steps or steps:
        c.say(f"== {name.replace('_', ' ')}")
        try:
            await steps[name](c)
        except Exception as error:
            c.say(f"  could not go on: {type(error).__name__} {error}")
            await c.call(ADAPTER, "Adapter1", "StopDiscovery", quietly=True)
            await c.quiet()
    c.close()
    await stack.stop()
    c.say("== end")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
