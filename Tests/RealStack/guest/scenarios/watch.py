"""istep watch: stays, and reads the ring when it comes; with monitors of advertisements and with scans."""
import contextlib
import os
import signal
import subprocess
import time

from lab import adapter, daemon, peripheral, powered, set_clock, until
from scenarios.harness import Istep, Watch, check, scenario

RING = "C0:DE:00:00:00:02"

set_clock('TZ="Europe/Berlin" 2026-11-20 23:06:00')
istep = Istep(TZ="Europe/Berlin")


@contextlib.contextmanager
def watching(home, *options):
    watch = Watch(home, "--unattended", *options)
    try:
        yield watch
        watch.end()
    finally:
        watch.process.kill()
        watch.process.wait()
        peripheral("ring", "range", "in")


def restart(*options):
    os.environ["RS_BLUETOOTHD"] = " ".join(options)
    daemon("stop")
    daemon("start")
    until(powered, 20, "adapter powered")


def comes_and_goes():
    """Out of range at first; in range, read; bluetoothd anew, out and in again, and read again when it is due."""
    peripheral("ring", "range", "out")
    with watching(istep, "--every", "1") as watch:
        time.sleep(8)
        check("ring: " not in watch.said, f"said of a ring out of range: {watch.said}")
        peripheral("ring", "range", "in")
        watch.reads(1, 120)
        istep.expect_all_slots("ring")
        istep.expect_released("ring")
        peripheral("ring", "range", "out")
        daemon("kill")
        daemon("start")
        until(powered, 20, "adapter powered")
        peripheral("ring", "walk", 321)
        peripheral("ring", "range", "in")
        watch.reads(2, 180)
        istep.expect_all_slots("ring")
        istep.expect_released("ring")


@scenario
def added():
    """a ring is added"""
    istep("add", RING, "--name", "ring")


@scenario
def scans():
    """out of range, then in: read; bluetoothd dies, the ring goes and comes: read again (scans)"""
    comes_and_goes()


@scenario
def monitors():
    """the same by monitors of advertisements (bluetoothd --experimental)"""
    restart("--experimental")
    try:
        shown = subprocess.run(["busctl", "introspect", "org.bluez", "/org/bluez/hci0"], capture_output=True, text=True).stdout
        check("AdvertisementMonitorManager1" in shown, "bluetoothd offers no monitors")
        comes_and_goes()
    finally:
        restart()


@scenario
def unplugged():
    """the adapter is pulled out and plugged in again: read"""
    fresh = Istep(TZ="Europe/Berlin")       # one that is to be read at once
    fresh("add", RING, "--name", "ring")
    adapter("off")
    until(lambda: not powered(), 10, "adapter gone")
    with watching(fresh) as watch:
        until(lambda: "adapter" in watch.said, 30, f"something said of the adapter: {watch.said}")
        adapter("on")
        until(powered, 20, "adapter powered")
        watch.reads(1, 120)


@scenario
def live():
    """--live: stays connected, and shows the steps as they are made"""
    fresh = Istep(TZ="Europe/Berlin")
    fresh("add", RING, "--name", "ring")
    watch = Watch(fresh, "--live")
    try:
        watch.reads(1)
        until(lambda: peripheral("ring", "status")["connections"], 60, "connected again")
        time.sleep(3)
        peripheral("ring", "walk", 77)
        until(lambda: "steps today" in watch.said, 30, f"live steps: {watch.said}")
        watch.end()
        fresh.expect_released("ring")
    finally:
        watch.process.kill()
        watch.process.wait()
