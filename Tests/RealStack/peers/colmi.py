#!/usr/bin/env python3
"""Reads a ring by the independent client colmi-r02-client (PyPI), prints what it read as JSON.

    $RS_CLIENT/bin/python peers/colmi.py ADDRESS [--days N] [--set-time]

Connecting, packets and decoding are the client's own. Version 0.1.0 has no command for steps: its
handler only prints each record, so the collector below takes a day when the client's parser has
come to its end. `--set-time` does what the client's own command does: it sets the ring to UTC.
"""
import argparse
import asyncio
import contextlib
import json
import sys
from datetime import datetime, timezone

from colmi_r02_client import client, packet, steps


class Days(steps.SportDetailParser):
    """The client's parser; a whole day, or no data, goes to the queue."""

    def __init__(self):
        self.read = None
        super().__init__()
        self.read = asyncio.Queue()

    def reset(self):
        if self.read is not None:
            self.read.put_nowait(self.details)
        super().reset()


async def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("address")
    parser.add_argument("--days", type=int, default=8, help="as many days, the last one today (default 8)")
    parser.add_argument("--set-time", action="store_true")
    options = parser.parse_args()

    parsed = Days()
    client.COMMAND_HANDLERS[steps.CMD_GET_STEP_SOMEDAY] = parsed.parse
    result = {"days": {}}
    with contextlib.redirect_stdout(sys.stderr):        # the parser prints
        async with client.Client(options.address) as ring:
            if options.set_time:
                await ring.set_time(datetime.now(tz=timezone.utc))
            result["battery"] = (await ring.get_battery()).battery_level
            for ago in range(options.days):
                await ring.send_packet(packet.make_packet(
                    steps.CMD_GET_STEP_SOMEDAY, bytearray([ago, 0x0F, 0x00, 0x5F, 0x01])))
                for record in await asyncio.wait_for(parsed.read.get(), 20):
                    day = result["days"].setdefault(
                        f"{record.year}-{record.month:02}-{record.day:02}", {"steps": 0, "slots": {}})
                    day["steps"] += record.steps
                    day["slots"][record.time_index] = [record.steps, record.distance, record.calories]
    print(json.dumps(result))


asyncio.run(main())
