"""What `istep doctor` reports about a machine and its pedometers, with and without faults."""
import contextlib
import subprocess

from lab import adapter, daemon, peripheral, powered, radio_switch, set_clock, until
from scenarios.harness import Istep, check, scenario

RING, SECURE = "C0:DE:00:00:00:02", "C0:DE:00:00:00:05"
CLOSED = ("--service", "8f1d0001-7e57-4c0b-9b1d-000000000000",
          "--characteristic", "8f1d0003-7e57-4c0b-9b1d-000000000000", "--format", "u32le", "--counts", "today")

set_clock('TZ="Europe/Berlin" 2026-11-20 23:06:00')
istep = Istep(TZ="Europe/Berlin")


class Findings:
    """What it found, by the keys of its checks."""

    def __init__(self, exits, *options, of=istep):
        self.result = of("doctor", "--json", "--timeout", "8", *options, exits=exits)
        self.all = self.result.json["findings"]

    def severities(self, key):
        return [each["grade"] for each in self.all if each["check"] == key]

    def reports(self, key, severity, *words):
        """The check has a finding of this severity whose message or fix contains one of these words."""
        found = [each for each in self.all if each["check"] == key and each["grade"] == severity]
        check(found, f"{key} is {self.severities(key)}, not {severity}: {self.result}")
        said = " ".join(each["message"] + " " + (each["cure"] or "") for each in found).lower()
        check(not words or any(word in said for word in words), f"none of {', '.join(words)} is said of {key}: {said}")
        return self

    def are(self, severity, *keys):
        for key in keys:
            check(self.severities(key)[:1] == [severity], f"{key} is {self.severities(key)}, not {severity}: {self.result}")
        return self


def all_well(of=istep):
    until(powered, 20, "adapter powered")
    found = Findings(0, of=of).are(
        "fine", "kernel", "switch", "adapter", "bus", "daemon", "power", "clock", "configuration", "history", "permissions", "room",
        "scan", "syncs", "pedometer")
    bad = [each for each in found.all if each["grade"] in ("warning", "fault")]
    check(not bad, f"not all is well: {bad}")


@scenario
def healthy():
    """all is well: every check fine, exit code 0, the ring's clock and the history as they were"""
    istep("add", RING, "--name", "ring")
    istep("sync")
    before = istep.samples()
    peripheral("ring", "events", "clear")
    all_well()
    check(istep.samples() == before, "the history has changed")
    istep.expect_released("ring")


@scenario
def unplugged():
    """adapter unplugged: no adapter, and nothing above it is looked at"""
    adapter("off")
    until(lambda: not powered(), 10, "adapter gone")
    try:
        Findings(69).reports("adapter", "fault", "no bluetooth adapter").are("fine", "kernel", "bus", "history").are(
            "skipped", "daemon", "power", "scan", "pedometer")
    finally:
        adapter("on")
    all_well()


@scenario
def blocked():
    """adapter blocked by rfkill: named, with what lifts it"""
    switch = radio_switch()
    switch.write_text("1")
    until(lambda: not powered(), 10, "adapter off")
    try:
        Findings(69).reports("switch", "fault", "rfkill unblock").are("skipped", "adapter", "power")
    finally:
        switch.write_text("0")
        subprocess.run(["bluetoothctl", "power", "on"], stdout=subprocess.DEVNULL)
    until(powered, 20, "adapter powered")


@scenario
def powered_off():
    """adapter off: named, with what switches it on"""
    subprocess.run(["bluetoothctl", "power", "off"], check=True, stdout=subprocess.DEVNULL)
    until(lambda: not powered(), 10, "adapter off")
    try:
        Findings(69).reports("power", "fault", "power on").are("fine", "adapter", "daemon").are("skipped", "scan", "pedometer")
    finally:
        subprocess.run(["bluetoothctl", "power", "on"], check=True, stdout=subprocess.DEVNULL)
    until(powered, 20, "adapter powered")


@scenario
def daemon_stopped():
    """bluetoothd stopped: named, with what starts it"""
    daemon("stop")
    try:
        Findings(69).reports("daemon", "fault", "systemctl enable --now bluetooth").are("fine", "adapter", "bus").are("skipped", "power")
    finally:
        daemon("start")
    all_well()


@scenario
def no_bus():
    """no system bus: named; kernel and switches of this machine are not asked then"""
    Findings(69, of=Istep(istep, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nonexistent")).reports("bus", "fault", "d-bus").are("skipped", "daemon")


@contextlib.contextmanager
def steered(*words, back):
    peripheral("ring", *words)
    try:
        yield
    finally:
        peripheral("ring", *back)


@scenario
def out_of_range():
    """ring out of range: reported, with how long ago it was synced, exit code 75"""
    with steered("range", "out", back=("range", "in")):
        Findings(75).reports("pedometer", "fault", "not in range").are("fine", "scan", "syncs")
    all_well()


@scenario
def held_by_another():
    """ring held by another client, and so silent: the report says that it may be connected to a phone, exit code 75"""
    with steered("advertise", "off", back=("advertise", "on")):
        Findings(75).reports("pedometer", "fault", "phone")


@scenario
def refusing():
    """ring in range that cuts every connection: reported as such, exit code 75"""
    with steered("fault", "refuse", "always", back=("fault", "none")):
        Findings(75).reports("pedometer", "fault", "connecting fails")
    istep.expect_released("ring")


@scenario
def silent():
    """ring that is connected and never answers: reported, exit code 75, the link is released"""
    with steered("fault", "stall", 0, "always", back=("fault", "none")):
        Findings(75).reports("pedometer", "fault", "answer")
    istep.expect_released("ring")


@scenario
def stale_bond():
    """pedometer that lost its bond: reported, with the command to remove its pairing; then it works again"""
    paired = Istep()
    paired("add", SECURE, "--name", "stepper", "--model", "generic", *CLOSED)
    paired("sync")
    all_well(of=paired)
    peripheral("secure", "unbond")
    Findings((75, 77), of=paired).reports("pedometer", "fault", "pairing")
    subprocess.run(["bluetoothctl", "remove", SECURE], check=True, stdout=subprocess.DEVNULL)
    paired("sync")
    all_well(of=paired)
