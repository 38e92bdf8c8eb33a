"""Reads all days of a ring with Python's usual library, for faults.py.

usage: faults_peer.py retry|bleak ADDRESS RESULT

With `retry`, bleak-retry-connector connects, and repeats the whole reading after an error that it counts as transient: as its
`retry_bluetooth_connection_error` does for Home Assistant. RESULT gets the days that were read: {days ago: {slot: steps}}.
"""
import asyncio
import calendar
import json
import sys

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError
from bleak_retry_connector import BleakClientWithServiceCache, establish_connection, retry_bluetooth_connection_error

WRITE = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
NOTIFY = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"
DAYS = range(8)


def packet(*content):
    value = bytes(content).ljust(15, b"\0")
    return value + bytes([sum(value) & 0xFF])


def bcd(byte):
    return (byte >> 4) * 10 + (byte & 15)


async def days_of(client):
    """The slots of each day. Raises if an answer is missing."""
    answers = asyncio.Queue()
    await client.start_notify(NOTIFY, lambda _, value: answers.put_nowait(bytes(value)))

    async def answer(command):
        while True:
            value = await asyncio.wait_for(answers.get(), 5)
            if value[0] & 0x7F == command:
                return value

    await client.write_gatt_char(WRITE, packet(0x03), response=False)
    await answer(0x03)
    days = {}
    for day in DAYS:
        await client.write_gatt_char(WRITE, packet(0x43, day, 0x0F, 0x00, 0x5F, 0x01), response=False)
        slots = {}
        while True:
            value = await answer(0x43)
            if value[1] == 0xFF:
                break
            if value[1] == 0xF0:
                continue
            midnight = calendar.timegm((2000 + bcd(value[1]), bcd(value[2]), bcd(value[3]), 0, 0, 0))
            steps = value[9] | value[10] << 8
            if steps:
                slots[midnight + value[4] * 900] = steps
            if value[5] == value[6] - 1:
                break
        days[day] = slots
    return days


async def found(address):
    device = await BleakScanner.find_device_by_address(address, timeout=20)
    if device is None:
        raise BleakError(f"{address} was not found")
    return device


@retry_bluetooth_connection_error(3)
async def with_retry(address):
    client = await establish_connection(BleakClientWithServiceCache, await found(address), address)
    try:
        return await days_of(client)
    finally:
        await client.disconnect()


async def alone(address):
    async with BleakClient(await found(address)) as client:
        return await days_of(client)


async def main():
    _, mode, address, result = sys.argv
    days = await (with_retry if mode == "retry" else alone)(address)
    with open(result, "w") as file:
        json.dump(days, file)


asyncio.run(main())
