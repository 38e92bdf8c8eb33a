#!/usr/bin/env python3
"""The least that a program by the usual Python library (bleak) does to read a ring's 7 days.

    $RS_VENV/bin/python peers/minimal.py ADDRESS

No checks, no history, nothing decoded but the end of a day: what `bench` holds istep against.
"""
import asyncio
import sys

from bleak import BleakClient

WRITE = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
NOTIFY = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"


async def main():
    day = asyncio.Queue()
    packets = []

    def notified(_, packet):
        if packet[0] == 0x43:
            packets.append(bytes(packet))
            if packet[1] == 0xFF or packet[1] != 0xF0 and packet[5] == packet[6] - 1:
                day.put_nowait(None)

    async with BleakClient(sys.argv[1]) as ring:
        await ring.start_notify(NOTIFY, notified)
        for ago in range(7):
            request = bytes([0x43, ago, 0x0F, 0x00, 0x5F, 0x01]).ljust(15, b"\0")
            await ring.write_gatt_char(WRITE, request + bytes([sum(request) & 255]), response=False)
            await day.get()
    print(len(packets), "packets")


asyncio.run(main())
