"""Virtual BLE peripherals, and the virtual radio they share with a BlueZ host.

One process holds both ends of the air (all of it Google's `bumble`, from PyPI):

    BlueZ host <--HCI (H4)--> adapter's controller ~~ radio ~~ peripherals (GATT servers)

Commands on the control socket, one line each; the reply is one line of JSON. `@NAME` before a
command names the peripheral, else it is the first of the description.
  every peripheral: status | events [clear] | wait EVENT [SECONDS] | advertise on|off
      drop [REASON] | range out|in | set UUID VALUE | get UUID | notify UUID VALUE [COUNT]
      pairing accept|refuse | unbond | fault UUID error CODE | stall SECONDS | drop | none
  a ring, a counter, a watch: truth | walk STEPS, and what ring.py and watches.py add
  the adapter: unplug | plug (it falls silent, or not; used by the guest's `adapter` command)
      ignore-advertisements (until it is switched off and on)
VALUE is text, or bytes when written 0xHEX.
"""
import argparse
import asyncio
import json
import logging
import signal
import sys

from bumble.transport import open_transport

from air import AdapterController, Radio
from counter import Counter
from peripheral import Peripheral
from ring import Ring
from watches import CRP, Band, Bangle, InfiniTime

KINDS = {"gatt": Peripheral, "ring": Ring, "counter": Counter, "infinitime": InfiniTime, "bangle": Bangle, "band": Band,
         "crp": CRP}


class Control:
    def __init__(self, adapter, peripherals):
        self.adapter = adapter
        self.peripherals = peripherals      # by name

    async def command(self, line):
        words = line.split()
        name = words.pop(0)[1:] if words[0].startswith("@") else next(iter(self.peripherals))
        if words[0] == "unplug":
            self.adapter.stop_all()
            self.adapter.plugged = False
            return "ok"
        if words[0] == "plug":
            self.adapter.plugged = True
            return "ok"
        if words[0] == "ignore-advertisements":
            self.adapter.receives = False
            return "ok"
        return await self.peripherals[name].command(*words)

    async def serve(self, reader, writer):
        while line := (await reader.readline()).decode().strip():
            try:
                reply = await self.command(line)
            except Exception as error:      # a bad command must not end the radio
                reply = {"error": repr(error)}
            writer.write(json.dumps(reply).encode() + b"\n")
            await writer.drain()
        writer.close()


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hci", required=True, help="any bumble transport, such as unix-server:/path")
    parser.add_argument("--control", required=True, help="UNIX socket for commands")
    parser.add_argument("--config", required=True, help="JSON: adapter_address, and a list of peripherals")
    parser.add_argument("--debug", action="store_true")
    options = parser.parse_args()
    logging.basicConfig(level=logging.DEBUG if options.debug else logging.WARNING, stream=sys.stderr,
                        format="%(asctime)s %(name)s %(message)s")
    with open(options.config) as file:
        config = json.load(file)

    radio = Radio()
    async with await open_transport(options.hci) as transport:
        adapter = AdapterController("adapter", host_source=transport.source, host_sink=transport.sink, link=radio,
                                    public_address=config.get("adapter_address", "00:1A:7D:DA:71:01"))
        peripherals = {}
        for description in config["peripherals"]:
            made = KINDS[description.get("kind", "gatt")](description, radio)
            await made.start()
            peripherals[description.get("id", made.config["name"])] = made
        await asyncio.start_unix_server(Control(adapter, peripherals).serve, options.control)
        stop = asyncio.Event()
        for s in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(s, stop.set)
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(main())
