#!/usr/bin/env python3
"""Checks the virtual ring against an independent client: both must report the same steps.

    ./vm-run --config peripherals/pedometers.json '$RS_VENV/bin/python guest/check_ring.py'
"""
import os
import sys
import time
from datetime import date

from lab import HERE, client, events, peripheral, remembered, set_clock

sys.path.append(str(HERE / "virtual"))
import colmi
from walking import Slot

RINGS = {"ring": "C0:DE:00:00:00:02", "old-ring": "C0:DE:00:00:00:03"}


def same_days(who):
    truth, read = peripheral(who, "truth"), client(RINGS[who])
    assert read["battery"] == truth["battery"], read["battery"]
    assert read["days"] == remembered(truth), f"client: {read['days']}\nring: {remembered(truth)}"
    slots = sum(len(day["slots"]) for day in read["days"].values())
    return f"{len(read['days'])} days, {slots} slots, {sum(d['steps'] for d in read['days'].values())} steps"


def check_bytes_of_a_real_ring():
    """As captured by the authors of colmi-r02-client: 2024-10-15, from 23:00, 21 steps, 16 m, 1.21 kcal."""
    captured = ["43f00101000000000000000000000035", "43241015" "5c00017900150010" "00000087"]
    ours = colmi.day(date(2024, 10, 15), {92: Slot(steps=21, metres=16, calories=1210)}, tens_of_calories=True)
    assert [packet.hex() for packet in ours] == captured, ours
    return "alike"

def check_same_days():
    return same_days("ring")

def check_same_days_hourly_slots_and_old_calories():
    return same_days("old-ring")

def check_steps_walked_now():
    day = peripheral("ring", "truth")["clock"][:10]
    before = peripheral("ring", "truth")["days"][day]["steps"]
    peripheral("ring", "walk", 1234)
    assert peripheral("ring", "truth")["days"][day]["steps"] == before + 1234
    return same_days("ring")

def check_days_with_nothing():
    peripheral("ring", "clock", "2026-11-25T12:00:00")      # five days later: three days are left
    try:
        return same_days("ring")
    finally:
        peripheral("ring", "clock", "2026-11-20T23:06:00")

def check_the_client_sets_the_clock_to_utc():
    peripheral("old-ring", "events", "clear")
    os.environ["TZ"] = "America/New_York"
    time.tzset()
    set_clock("2026-11-20 17:30:00")
    client(RINGS["old-ring"], "--days", "1", "--set-time")
    clock, = events("old-ring", "clock set")
    assert clock["to"].startswith("2026-11-20T22:3"), clock
    return clock["to"]


checks = [(n[6:], f) for n, f in globals().items() if n.startswith("check_")]
failed = 0
for name, check in checks:
    try:
        print(f"ok      check: {name.replace('_', ' ')}: {check()}", flush=True)
    except Exception as error:
        failed += 1
        print(f"FAILED  check: {name.replace('_', ' ')}: {type(error).__name__} {error}", flush=True)
print("end of", len(checks), "checks", flush=True)
sys.exit(min(failed, 1))
