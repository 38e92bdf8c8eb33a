"""The example program of the library BlueZ (Sources/Resource/Communication/BlueZ/BlueZ.docc)."""
import os
import subprocess

from lab import peripheral, until
from scenarios.harness import check, scenario

PROGRAM = os.environ["READ_BATTERY"]


def reads(*arguments):
    check(os.access(PROGRAM, os.X_OK), f"there is no {PROGRAM}: build it first (swift build --product ReadBattery)")
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)
    result = f"exit code {done.returncode}\nstdout: {done.stdout}\nstderr: {done.stderr}"
    check(done.returncode == 0, result)
    check(done.stdout == "Found C0:DE:00:00:00:01.\nBattery: 87 %\n", result)
    until(lambda: not peripheral("ring", "status")["connections"], 10, "the link is down")


@scenario
def by_service():
    """a peripheral found by its service"""
    reads()


@scenario
def by_name():
    """the same by its name, known to BlueZ already"""
    reads("Battery")
