"""The main job in one boot: scan, add, sync with a fault, show, share. It is what `.ci/run` plays."""
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from lab import events, peripheral, remembered, set_clock
from scenarios.harness import Istep, check, scenario, steps_of

RING, DAY = "C0:DE:00:00:00:02", "2026-11-19"

anna = Istep(TZ="Europe/Berlin")
set_clock('TZ="Europe/Berlin" 2026-11-20 23:06:00')


@scenario
def scan():
    """scan finds the ring by name and says what it is"""
    found = {each["address"]: each for each in anna("scan", "--json", "--timeout", "10").json["peripherals"]}
    check(found.get(RING, {}).get("name") == "R02_1A2B" and found[RING]["model"], f"found {found}")


@scenario
def sync():
    """a ring is added; its link drops during the sync, is made again, and the whole week is in the history"""
    anna("add", RING, "--name", "ring", "--user", "anna")
    peripheral("ring", "events", "clear")
    peripheral("ring", "fault", "drop", 100)
    anna("sync")
    check(len(events("ring", "connected")) == 2, "not one link more")
    anna.expect_released("ring")
    anna.expect_all_slots("ring")


@scenario
def show():
    """each day is shown with the ring's steps"""
    days = steps_of(remembered(peripheral("ring", "truth")))
    check(len(days) == 8, f"the ring knows {days}")
    anna.expect_steps(days)


@scenario
def share():
    """a day is sent to a server once, with the steps that are shown"""
    received = []

    class Server(BaseHTTPRequestHandler):
        def do_PUT(self):
            received.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = anna.home / "config" / "istep" / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    with settings.open("a") as file:
        file.write(f'\n[share.diary]\nkind = "rest"\nurl = "http://127.0.0.1:{server.server_port}"\nsince = {DAY}\n')
    for _ in range(2):
        anna("share", DAY)
    server.shutdown()
    check([path for path, _ in received] == [f"/users/anna/days/{DAY}"], f"the server got {received}")
    check(received[0][1]["steps"] == anna.steps(DAY), f"the server got {received}")
