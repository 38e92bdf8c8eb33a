"""What can be missing on the machine's side: range, power, adapter, daemon, bus."""
import subprocess

from lab import adapter, daemon, peripheral, powered, radio_switch, remembered, set_clock, until
from scenarios.harness import Istep, check, scenario, steps_of

RING = "C0:DE:00:00:00:02"

set_clock('TZ="Europe/Berlin" 2026-11-20 23:06:00')
istep = Istep(TZ="Europe/Berlin")


def works_again(for_=istep):
    until(powered, 20, "adapter powered")
    for_("sync")
    for_.expect_released("ring")
    for_.expect_all_slots("ring")


def expect_report(command, exits, *words):
    result = istep(*command, exits=exits)
    # Views break lines anywhere between two words.
    text = " ".join((result.err + result.out).lower().split())
    check(any(word in text for word in words), f"the output contains none of {', '.join(words)}: {result}")


@scenario
def add():
    """a ring is added and read"""
    istep("add", RING, "--name", "ring")
    works_again()


@scenario
def out_of_range():
    """out of range: reported, exit code 75"""
    peripheral("ring", "range", "out")
    try:
        expect_report(["sync"], 75, "range", "heard")
    finally:
        peripheral("ring", "range", "in")
    works_again()


@scenario
def powered_off():
    """adapter off: reported, exit code 69"""
    subprocess.run(["bluetoothctl", "power", "off"], check=True, stdout=subprocess.DEVNULL)
    until(lambda: not powered(), 10, "adapter off")
    try:
        expect_report(["sync"], 69, "off", "power", "down")
        expect_report(["scan", "--timeout", "5"], 69, "off", "power", "down")
    finally:
        subprocess.run(["bluetoothctl", "power", "on"], check=True, stdout=subprocess.DEVNULL)
    works_again()


@scenario
def blocked():
    """adapter blocked by rfkill: reported as such, exit code 69"""
    switch = radio_switch()
    switch.write_text("1")
    until(lambda: not powered(), 10, "adapter off")
    try:
        expect_report(["sync"], 69, "rfkill")
    finally:
        switch.write_text("0")
        subprocess.run(["bluetoothctl", "power", "on"], stdout=subprocess.DEVNULL)
    works_again()


@scenario
def unplugged():
    """adapter unplugged: reported, exit code 69"""
    adapter("off")
    until(lambda: not powered(), 10, "adapter gone")
    try:
        expect_report(["sync"], 69, "no bluetooth adapter", "no adapter")
    finally:
        adapter("on")
    works_again()


@scenario
def receives_nothing():
    """an adapter that receives nothing: reported; switched off and on, once, if the configuration allows that"""
    subprocess.run(["peripheral", "ignore-advertisements"], check=True, stdout=subprocess.DEVNULL)
    expect_report(["sync"], 75, "other bluetooth device")
    allowed = Istep(istep)
    config = allowed.home / "config/istep/config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("restart-adapter = true\n")
    entry, = allowed("sync", "--json").json["pedometers"]
    check("adapterRestarted" in [each["kind"] for each in entry["notices"]], f"{entry}")
    entry, = allowed("sync", "--json").json["pedometers"]
    check("adapterRestarted" not in [each["kind"] for each in entry["notices"]], f"again: {entry}")
    works_again()


@scenario
def daemon_stopped():
    """bluetoothd stopped: reported, exit code 69; started again: works"""
    daemon("stop")
    try:
        expect_report(["sync"], 69, "bluetoothd")
        expect_report(["scan", "--timeout", "5"], 69, "bluetoothd")
    finally:
        daemon("start")
    works_again()


@scenario
def daemon_crashes():
    """bluetoothd dies in the middle of a sync: reported in time, and the next sync completes"""
    fresh = Istep(TZ="Europe/Berlin")
    fresh("add", RING, "--name", "ring")
    peripheral("ring", "events", "clear")
    peripheral("ring", "fault", "stall", 100)
    process = fresh.start("sync")
    peripheral("ring", "wait", "stalled", 60)
    daemon("kill")
    try:
        result = fresh.finish(process, ("sync",), limit=60)
        check(result.code in (69, 75), str(result))
    finally:
        daemon("start")
        peripheral("ring", "fault", "none")
    works_again(fresh)


@scenario
def daemon_restarts():
    """bluetoothd restarts in the middle of a sync: the sync goes on by itself"""
    fresh = Istep(TZ="Europe/Berlin")
    fresh("add", RING, "--name", "ring")
    peripheral("ring", "events", "clear")
    peripheral("ring", "fault", "stall", 100)
    process = fresh.start("sync")
    peripheral("ring", "wait", "stalled", 60)
    peripheral("ring", "fault", "none")
    daemon("kill")
    daemon("start")
    result = fresh.finish(process, ("sync",), limit=90)
    check(result.code == 0, str(result))
    fresh.expect_released("ring")
    fresh.expect_all_slots("ring")


@scenario
def no_bus():
    """no system bus: reported, exit code 69"""
    nowhere = Istep(istep, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nonexistent")
    result = nowhere("sync", exits=69)
    check("bus" in (result.err + result.out).lower(), f"nothing is said of the bus: {result}")


@scenario
def history_is_enough():
    """show needs neither adapter nor daemon"""
    daemon("stop")
    try:
        istep.expect_steps(dict(list(steps_of(remembered(peripheral("ring", "truth"))).items())[-2:]))
    finally:
        daemon("start")
    until(powered, 20, "adapter powered")
