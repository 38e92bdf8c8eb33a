"""A virtual BLE peripheral: a GATT server made from a description, with faults to arm.

A pedometer that answers writes is a small subclass: see `ring.py` and `counter.py`.
"""
import asyncio
import json
import time

from bumble import hci
from bumble.att import ATT_Error
from bumble.controller import Controller
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, Characteristic, CharacteristicValue, Descriptor, Service
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate


READ_NOT_PERMITTED, WRITE_NOT_PERMITTED = 0x02, 0x03


def to_bytes(text):
    """Text, or bytes when written 0xHEX."""
    return bytes.fromhex(text[2:]) if text.startswith("0x") else text.encode()


class JustWorksPairing(PairingDelegate):
    """Pairs without confirmation (Just Works) while the peripheral is set to."""

    def __init__(self, peripheral):
        super().__init__(self.IoCapability.NO_OUTPUT_NO_INPUT)
        self.peripheral = peripheral

    async def accept(self):
        return self.peripheral.pairs


class Peripheral:
    """The kind "gatt". What a description leaves out keeps the value in DEFAULTS."""

    DEFAULTS = {
        "name": "Virtual",
        "address": "C0:DE:00:00:00:01",     # static random
        "advertise": [],                    # service UUIDs; see the limit in `advertise`
        "interval_ms": 100,
        "pairing": {"sc": True, "mitm": False, "bonding": True},
        "services": [],
    }
    INTERVAL = 0.0075       # seconds; a connection interval, since the link has no pace of its own

    def __init__(self, description, radio):
        self.config = {**self.DEFAULTS, **description}
        self.radio = radio
        self.events = []
        self.happened = asyncio.Condition()
        self.values = {}            # uuid -> bytes
        self.faults = {}            # uuid -> (kind, argument)
        self.characteristics = {}   # uuid -> Characteristic
        self.advertising = True
        self.pairs = True

        host = Host()
        self.controller = host.controller = Controller(self.config["name"], link=radio)
        self.device = Device(host=host, config=DeviceConfiguration(
            name=self.config["name"], address=hci.Address(self.config["address"]),
            irk=bytes.fromhex("000102030405060708090a0b0c0d0e0f")))
        self.device.keystore = MemoryKeyStore()
        self.device.pairing_config_factory = lambda connection: PairingConfig(
            delegate=JustWorksPairing(self), **self.config["pairing"])
        self.device.on("connection", self.on_connection)
        for service in self.config["services"]:
            self.device.add_service(Service(
                UUID(service["uuid"]), [self.characteristic(c) for c in service["characteristics"]]))
        self.device.gatt_server.on("characteristic_subscription", self.on_subscription)

    async def start(self):
        await self.device.power_on()
        await self.advertise(True)
        self.log("advertising", name=self.config["name"], address=self.config["address"])

    def log(self, what, **details):
        event = {"t": round(time.time(), 3), "event": what, **details}
        self.events.append(event)
        print(self.config["name"], json.dumps(event), flush=True)
        asyncio.ensure_future(self.notify_waiting())

    async def notify_waiting(self):
        async with self.happened:
            self.happened.notify_all()

    # ------------------------------------------------------------ GATT server
    def characteristic(self, spec):
        uuid = spec["uuid"].lower()
        properties, permissions = Characteristic.Properties(0), Characteristic.Permissions(0)
        for name in spec["properties"]:
            properties |= Characteristic.Properties[name.upper()]
        if "read" in spec["properties"]:
            permissions |= Characteristic.READABLE
        if any(p.startswith("write") for p in spec["properties"]):
            permissions |= Characteristic.WRITEABLE
        if spec.get("secure"):
            permissions |= Characteristic.READ_REQUIRES_ENCRYPTION | Characteristic.WRITE_REQUIRES_ENCRYPTION
        self.values[uuid] = (bytes(i & 255 for i in range(spec["length"])) if "length" in spec
                             else to_bytes(spec.get("value", "")))

        async def read(connection):
            if not permissions & Characteristic.READABLE:       # (bumble answers all the same)
                raise ATT_Error(READ_NOT_PERMITTED)
            await self.apply_fault(uuid, connection)
            self.log("read", uuid=uuid)
            return self.values[uuid]

        async def write(connection, value):
            if not permissions & Characteristic.WRITEABLE:
                raise ATT_Error(WRITE_NOT_PERMITTED)
            await self.apply_fault(uuid, connection)
            self.values[uuid] = bytes(value)
            self.log("write", uuid=uuid, value=bytes(value).hex())
            self.written(uuid, connection, bytes(value))

        descriptors = []
        if "description" in spec:
            descriptors = [Descriptor(GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, Descriptor.READABLE, spec["description"].encode())]
        made = Characteristic(UUID(uuid), properties, permissions, CharacteristicValue(read=read, write=write), descriptors)
        made.count_every = spec.get("count_every")
        self.characteristics[uuid] = made
        return made

    def written(self, uuid, connection, value):
        """For subclasses: a value was written."""

    async def apply_fault(self, uuid, connection):
        """Carries out the fault armed for this characteristic, if any."""
        kind, argument = self.faults.get(uuid, (None, None))
        if kind == "error":
            raise ATT_Error(argument)
        if kind == "stall":
            await asyncio.sleep(argument)
            if connection not in self.device.connections.values():
                await asyncio.Future()      # or the answer would go out on the next connection
        if kind == "drop":
            self.faults.pop(uuid)
            await connection.disconnect()
            raise ATT_Error(0x0E)

    def on_subscription(self, connection, characteristic, notify, indicate):
        uuid = next((u for u, c in self.characteristics.items() if c is characteristic), "?")
        self.log("subscription", uuid=uuid, notify=notify, indicate=indicate)
        if uuid in self.characteristics and characteristic.count_every and notify:
            asyncio.ensure_future(self.count(uuid, connection))

    async def count(self, uuid, connection):
        """Notifies 1, 2, 3, … (u32, little-endian) as long as somebody listens."""
        characteristic, n = self.characteristics[uuid], 0
        while connection.handle in self.device.connections and self.subscribed(connection, characteristic):
            n += 1
            self.values[uuid] = n.to_bytes(4, "little")
            await self.device.notify_subscriber(connection, characteristic, self.values[uuid])
            await asyncio.sleep(characteristic.count_every)
        self.log("count ended", uuid=uuid, sent=n)

    def subscribed(self, connection, characteristic):
        cccd = self.device.gatt_server.subscribers.get(connection, {}).get(characteristic.handle)
        return bool(cccd and cccd[0] & 1)

    # ------------------------------------------------------------ GAP
    def on_connection(self, connection):
        self.log("connected", peer=str(connection.peer_address))
        connection.on("disconnection", self.on_disconnection)
        connection.on("pairing", lambda keys: self.log("paired", keys=str(keys.__class__.__name__)))
        connection.on("pairing_failure", lambda reason: self.log("pairing failed", reason=int(reason)))
        connection.on("connection_encryption_change",
                      lambda: self.log("encryption", on=bool(connection.encryption)))
        connection.on("connection_att_mtu_update", lambda: self.log("mtu", mtu=connection.att_mtu))

    def on_disconnection(self, reason):
        self.log("disconnected", reason=int(reason))
        if self.advertising:
            asyncio.ensure_future(self.advertise(True))

    async def advertise(self, on):
        self.advertising = on
        if not on:
            return await self.device.stop_advertising()
        uuids = [UUID(u).to_bytes() for u in self.config["advertise"]]
        data = [(AdvertisingData.FLAGS, bytes([6]))]
        for kind, size in ((AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, 2),
                           (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, 16)):
            if of_this_size := b"".join(u for u in uuids if len(u) == size):
                data.append((kind, of_this_size))
        # bumble's controller never sends scan responses: the name must fit in here too (31 bytes).
        data.append((AdvertisingData.COMPLETE_LOCAL_NAME, self.config["name"].encode()))
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData(data)),
            advertising_interval_min=self.config["interval_ms"],
            advertising_interval_max=self.config["interval_ms"])

    async def drop(self, reason=hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR):
        for connection in list(self.device.connections.values()):
            await connection.disconnect(reason)

    # ------------------------------------------------------------ commands
    async def command(self, word, *args):
        """One command of the control line; `virtual/__main__.py` lists them. Returns the reply."""
        handler = getattr(self, "do_" + word, None)
        if handler is None:
            raise ValueError(f"no such command: {word}")
        reply = await handler(*args)
        return "ok" if reply is None else reply

    async def do_status(self):
        return {"advertising": self.device.is_advertising,
                "in_range": self.controller not in self.radio.away,
                "connections": [str(c.peer_address) for c in self.device.connections.values()],
                "bonds": [name for name, _ in await self.device.keystore.get_all()]}

    async def do_events(self, clear=None):
        events = self.events[:]
        if clear == "clear":
            self.events.clear()
        return events

    async def do_wait(self, event, seconds="30"):
        """Until the event is among those since the last `events clear`."""
        async def until():
            async with self.happened:
                await self.happened.wait_for(lambda: any(e["event"] == event for e in self.events))
        await asyncio.wait_for(until(), float(seconds))

    async def do_advertise(self, switch):
        await self.advertise(switch == "on")

    async def do_drop(self, reason="0x13"):
        await self.drop(int(reason, 0))

    async def do_range(self, where):
        if where == "out":
            await self.radio.move_out_of_range(self.controller)
        else:
            self.radio.away.discard(self.controller)

    async def do_set(self, uuid, *value):
        self.values[uuid.lower()] = to_bytes(" ".join(value))

    async def do_get(self, uuid):
        return self.values[uuid.lower()].hex()

    async def do_notify(self, uuid, value, times="1"):
        characteristic = self.characteristics[uuid.lower()]
        self.values[uuid.lower()] = to_bytes(value)
        indicate = characteristic.properties & Characteristic.Properties.INDICATE
        send = self.device.indicate_subscribers if indicate else self.device.notify_subscribers
        for _ in range(int(times)):
            await send(characteristic, to_bytes(value))
            await asyncio.sleep(self.INTERVAL)

    async def do_update(self, uuid):
        """As after a firmware update, it has one more service, with the two characteristics of a serial port."""
        head = uuid[4:8] and uuid[:4]
        self.device.add_service(Service(UUID(uuid), [
            self.characteristic({"uuid": f"{uuid[:4]}0002{uuid[8:]}", "properties": ["write", "write_without_response"]}),
            self.characteristic({"uuid": f"{uuid[:4]}0003{uuid[8:]}", "properties": ["notify"]})]))

    async def do_pairing(self, answer):
        self.pairs = answer == "accept"

    async def do_unbond(self):
        await self.device.keystore.delete_all()

    async def do_fault(self, uuid, kind, argument=None):
        if kind == "none":
            self.faults.pop(uuid.lower(), None)
        elif kind in ("error", "stall", "drop"):
            convert = {"error": lambda a: int(a, 0), "stall": float, "drop": lambda a: None}[kind]
            self.faults[uuid.lower()] = (kind, convert(argument))
        else:
            raise ValueError(f"no such fault: {kind}")
