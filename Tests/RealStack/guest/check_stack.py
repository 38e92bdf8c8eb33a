#!/usr/bin/env python3
"""What this stack can do: drives a virtual sensor through BlueZ's D-Bus API, step by step.

    ./vm-run '$RS_VENV/bin/python guest/check_stack.py [STEP...]'

Each line is an outcome to look at, with its time; README.md says what they should be.
"""
import asyncio
import os
import subprocess
import sys
import time

from dbus_fast import Variant

from bluez_client import (ADAPTER, COUNT, DEVICE, ECHO, FIXED, INDICATE, LONG, SECURE, SERVICE,
                          Agent, Client, Failed, discover, peripheral, sig)


async def step_scan_other_uuid(c):
    try:
        await discover(c, ["12345678-0000-0000-0000-000000000000"], 2)
        return "FOUND although filtered out"
    except Failed:
        return "filtered out, as it should be"

async def step_scan(c):
    await discover(c, [SERVICE])
    o = (await c.objects())[DEVICE]["org.bluez.Device1"]
    return {k: o[k].value for k in ("Name", "AddressType", "UUIDs", "RSSI") if k in o}

async def step_connect(c):
    await c.connect()
    return sorted(u[4:8] for u in await c.get(DEVICE, "Device1", "UUIDs"))

async def step_disconnect_and_reconnect(c):
    since = time.monotonic()
    await c.disconnect()
    t = time.monotonic() - since
    await c.connect()
    return f"disconnected in {t:.2f} s, connected again in {time.monotonic() - since - t:.2f} s"

async def step_read(c):
    return [await c.read(FIXED), await c.read(sig("2a29")), await c.read(sig("2a19"))]

async def step_read_long(c):
    v = await c.read(LONG)
    return len(v), v == bytes(i & 255 for i in range(512))

async def step_read_offset(c):
    return (await c.read(LONG, offset=Variant("q", 500))).hex()

async def step_write_request(c):
    await c.write(ECHO, b"with response", type=Variant("s", "request"))
    return await peripheral("get", ECHO)

async def step_write_command(c):
    await c.write(ECHO, b"without", type=Variant("s", "command"))
    await asyncio.sleep(0.3)
    return bytes.fromhex(await peripheral("get", ECHO))

async def step_write_long(c):
    await c.write(LONG, bytes(255 - (i & 255) for i in range(512)))
    return len(await peripheral("get", LONG)) // 2

async def step_start_notify(c):
    path, since = await c.characteristic(COUNT), time.monotonic()
    await c.bluez(path, "GattCharacteristic1", "StartNotify")
    await asyncio.sleep(2)
    notifying = await c.get(path, "GattCharacteristic1", "Notifying")
    await c.bluez(path, "GattCharacteristic1", "StopNotify")
    await asyncio.sleep(0.5)
    return notifying, [int.from_bytes(bytes(v), "little") for _, v in c.changes(path, "Value", since)]

async def step_notify_burst(c):
    path = await c.characteristic(COUNT)
    await c.bluez(path, "GattCharacteristic1", "StartNotify")
    since = time.monotonic()
    await peripheral("notify", COUNT, "0x" + "ab" * 100, "200")
    await asyncio.sleep(2)
    await c.bluez(path, "GattCharacteristic1", "StopNotify")
    got = [t for t, v in c.changes(path, "Value", since) if len(v) == 100]
    return f"{len(got)} of 200 in {got[-1] - got[0]:.2f} s"

async def step_indicate(c):
    path, since = await c.characteristic(INDICATE), time.monotonic()
    await c.bluez(path, "GattCharacteristic1", "StartNotify")
    await peripheral("notify", INDICATE, "0x77")
    await asyncio.sleep(0.5)
    await c.bluez(path, "GattCharacteristic1", "StopNotify")
    return [bytes(v).hex() for _, v in c.changes(path, "Value", since)]

async def step_acquire_notify(c):
    fd, mtu = await c.bluez(await c.characteristic(COUNT), "GattCharacteristic1", "AcquireNotify", "a{sv}", [{}])
    fd = c.fds[fd]
    os.set_blocking(fd, False)
    got = []
    for _ in range(20):
        await asyncio.sleep(0.1)
        try:
            got.append(int.from_bytes(os.read(fd, mtu), "little"))
        except BlockingIOError:
            pass
    os.close(fd)
    return {"mtu": mtu, "values": got}

async def step_acquire_write(c):
    fd, mtu = await c.bluez(await c.characteristic(ECHO), "GattCharacteristic1", "AcquireWrite", "a{sv}", [{}])
    os.write(c.fds[fd], b"through a socket")
    await asyncio.sleep(0.5)
    os.close(c.fds[fd])
    return {"mtu": mtu, "got": bytes.fromhex(await peripheral("get", ECHO))}

async def step_fault_att_error(c):
    await peripheral("fault", FIXED, "error", "0x80")
    try:
        await c.read(FIXED)
    finally:
        await peripheral("fault", FIXED, "none")

async def step_fault_stall_3s(c):
    await peripheral("fault", FIXED, "stall", "3")
    try:
        return await c.read(FIXED)
    finally:
        await peripheral("fault", FIXED, "none")

async def step_pair(c):
    agent = Agent()
    c.bus.export("/lab/agent", agent)
    await c.bluez("/org/bluez", "AgentManager1", "RegisterAgent", "os", ["/lab/agent", "NoInputNoOutput"])
    await c.bluez("/org/bluez", "AgentManager1", "RequestDefaultAgent", "o", ["/lab/agent"])
    if not await c.get(DEVICE, "Device1", "Paired"):
        await c.bluez(DEVICE, "Device1", "Pair")
    return {"Paired": await c.get(DEVICE, "Device1", "Paired"), "Bonded": await c.get(DEVICE, "Device1", "Bonded"),
            "agent asked": agent.asked, "peripheral": (await peripheral("status"))["bonds"]}

async def step_secure_when_paired(c):
    return await c.read(SECURE)

async def step_reconnect_bonded(c):
    await c.disconnect()
    await peripheral("events", "clear")
    await c.connect()
    return await c.read(SECURE), [e["event"] for e in await peripheral("events")]

async def step_key_lost_by_peripheral(c):
    await c.disconnect()
    await peripheral("unbond")
    try:
        await c.connect()
        return await c.read(SECURE)
    finally:
        await asyncio.sleep(1)
        print("      then: Paired", await c.get(DEVICE, "Device1", "Paired"),
              "Connected", await c.get(DEVICE, "Device1", "Connected"))
        await c.bluez(ADAPTER, "Adapter1", "RemoveDevice", "o", [DEVICE])

async def step_remove_device(c):
    await c.bluez(ADAPTER, "Adapter1", "RemoveDevice", "o", [DEVICE])
    await asyncio.sleep(0.5)
    gone = DEVICE not in await c.objects()
    c.signals.clear()
    await discover(c, [SERVICE])
    await c.connect()
    return "gone" if gone else "STILL THERE", "found and connected again"

async def step_drop_mid_notify(c):
    path = await c.characteristic(COUNT)
    await c.bluez(path, "GattCharacteristic1", "StartNotify")
    await asyncio.sleep(0.5)
    since = time.monotonic()
    await peripheral("drop")
    await c.until("Connected false", c.gone)
    t = c.changes(DEVICE, "Connected", since)[0][0] - since
    await c.connect()
    return f"Connected false after {t:.2f} s; reconnected; Notifying {await c.get(path, 'GattCharacteristic1', 'Notifying')}"

async def step_drop_mid_read(c):
    await peripheral("fault", FIXED, "drop")
    try:
        return await c.read(FIXED)
    finally:
        await c.until("Connected false", c.gone)
        await c.connect()

async def step_drop_mid_long_write(c):
    await peripheral("fault", LONG, "drop")
    try:
        await c.write(LONG, bytes(512))
    finally:
        await c.until("Connected false", c.gone)
        await c.connect()

async def step_out_of_range(c):
    since = time.monotonic()
    await peripheral("range", "out")
    await c.until("Connected false", c.gone)
    t = c.changes(DEVICE, "Connected", since)[0][0] - since
    failed = "connected?!"
    try:
        await c.bluez(DEVICE, "Device1", "Connect")
    except Failed as e:
        failed = f"{e} after {time.monotonic() - since - t:.1f} s"
    await peripheral("range", "in")
    await c.connect()
    return f"Connected false after {t:.2f} s; Connect out of range: {failed}; in range: connected"

async def step_connect_cancelled(c):
    await c.disconnect()
    await peripheral("advertise", "off")
    attempt = asyncio.ensure_future(c.bluez(DEVICE, "Device1", "Connect"))
    await asyncio.sleep(1.5)
    await c.bluez(DEVICE, "Device1", "Disconnect")
    outcome = (await asyncio.gather(attempt, return_exceptions=True))[0]
    await peripheral("advertise", "on")
    await c.connect()
    return f"{outcome!r}; then connected"

async def step_adapter_power(c):
    await c.set(ADAPTER, "Adapter1", "Powered", Variant("b", False))
    await c.until("Connected false", c.gone)
    refused = None
    try:
        await c.bluez(ADAPTER, "Adapter1", "StartDiscovery")
    except Failed as e:
        refused = str(e)
    seen = [e for e in await peripheral("events") if e["event"] == "disconnected"][-1:]
    await c.set(ADAPTER, "Adapter1", "Powered", Variant("b", True))
    c.signals.clear()
    await discover(c, [SERVICE])
    await c.connect()
    return f"off: link gone, StartDiscovery: {refused}; peripheral saw {seen}; on: connected again"

async def step_adapter_unplugged(c):
    subprocess.run(["adapter", "off"], check=True)
    await c.until("hci0 gone", lambda: any(m == "InterfacesRemoved" and b[0] == ADAPTER for _, _, m, b in c.signals))
    c.signals.clear()
    subprocess.run(["adapter", "on"], check=True)
    await c.until("hci0 back", lambda: c.get(ADAPTER, "Adapter1", "Powered"))
    await asyncio.sleep(0.3)
    await discover(c, [SERVICE])
    await c.connect()
    return "InterfacesRemoved, InterfacesAdded, connected again"

async def step_bluetoothd_restarted(c):
    subprocess.run(["daemon", "kill"], check=True)
    await asyncio.sleep(1)
    subprocess.run(["daemon", "start"], check=True)
    await c.until("adapter", lambda: c.get(ADAPTER, "Adapter1", "Powered"))
    c.signals.clear()
    await discover(c, [SERVICE])
    await c.connect()
    return "connected again"

async def step_fault_stall_35s(c):
    await peripheral("fault", FIXED, "stall", "35")
    try:
        return await c.read(FIXED)
    finally:
        await peripheral("fault", FIXED, "none")
        await c.until("Connected false", c.gone)
        print("      then: Connected false")

async def step_secure_without_agent(c):
    """(BlueZ 5.66 never answers this one.)"""
    try:
        return await c.read(SECURE, timeout=20)
    finally:
        await c.bluez(ADAPTER, "Adapter1", "RemoveDevice", "o", [DEVICE])


async def settle(c, name):
    """Every step but the first ones starts connected, with the peripheral in range."""
    if (await peripheral("status"))["in_range"] is False:
        await peripheral("range", "in")
    if name.startswith("scan") or name == "connect":
        return
    if DEVICE not in await c.objects():
        c.signals.clear()
        await discover(c, [SERVICE])
    if not await c.get(DEVICE, "Device1", "ServicesResolved"):
        await c.connect()


async def main():
    c = Client()
    await c.open()
    steps = {n[5:]: f for n, f in globals().items() if n.startswith("step_")}
    wanted = sys.argv[1:] or steps
    for name in wanted:
        try:
            await settle(c, name)
        except Exception as e:
            print(f"{'':10} could not settle before {name}: {type(e).__name__} {e}")
        start = time.monotonic()
        try:
            outcome = "ok    ", await steps[name](c)
        except Exception as e:
            outcome = "error ", f"{type(e).__name__} {e}"
        print(f"{time.monotonic() - start:6.2f} s  {name:24} {outcome[0]} {outcome[1]}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
