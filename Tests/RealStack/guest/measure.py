#!/usr/bin/env python3
"""In the guest, for `bench`: reads the ring's 7 days by each program in turn, and measures each.

    measure.py ROUNDS       with $ISTEP when istep takes part; writes $RS_OUT/runs.json

BlueZ ends a connection on a full second of its own (GLib rounds its pause of 2 s), so the time connected depends on when a program began.
The rounds begin at different fractions of a second, the same ones for each program.
"""
import json
import os
import subprocess
import sys
import time

from lab import HERE, events, peripheral, set_clock, until
from scenarios.harness import Istep

RING = "C0:DE:00:00:00:02"
DAYS_OF_60_SLOTS = 7

# bash counts milliseconds, GNU time the memory (of a small parent: a child's peak starts from its parent's size).
MEASURE = 'TIMEFORMAT="%3R %3U %3S"; { time /usr/bin/time -q -f %M -o "$0" "$@" >"$0.out" 2>"$0.err"; } 2>&1'


def measured(name, command, environment, phase):
    """One run, from a BlueZ that has never seen the ring, begun at this fraction of a second."""
    subprocess.run(["bluetoothctl", "remove", RING], capture_output=True)
    until(lambda: not peripheral("ring", "status")["connections"], 10, "link let go")
    peripheral("ring", "events", "clear")
    time.sleep((phase - time.monotonic()) % 1)
    start = time.time()
    ran = subprocess.run(["bash", "-c", MEASURE, "/run/measured", *command], env=environment,
                         capture_output=True, text=True)
    end = time.time()
    with open("/run/measured.err") as err, open("/run/measured") as memory:
        if ran.returncode:
            sys.exit(f"{name} failed ({ran.returncode}): {err.read()}")
        real, user, system = (float(word) for word in ran.stdout.split())
        until(lambda: not peripheral("ring", "status")["connections"], 10, "link let go")
        asked = {event["day"] for event in events("ring", "steps asked")}
        if len(asked) != DAYS_OF_60_SLOTS:
            sys.exit(f"{name} asked for {len(asked)} days")
        return {"program": name, "start": start, "end": end, "seconds": real, "cpu": user + system,
                "megabytes": int(memory.read().split()[-1]) / 1024}


def main():
    set_clock("2026-11-20 23:06:00")
    programs = {
        "minimal bleak script": [os.environ["RS_VENV"] + "/bin/python", str(HERE / "peers/minimal.py"), RING],
        "colmi_r02_client": [os.environ["RS_CLIENT"] + "/bin/python", str(HERE / "peers/colmi.py"), RING,
                             "--days", str(DAYS_OF_60_SLOTS), "--set-time"],
    }
    if os.environ.get("ISTEP"):
        added = Istep()
        added("add", RING, "--name", "ring")
        programs["istep sync"] = [os.environ["ISTEP"], "sync", "--days", str(DAYS_OF_60_SLOTS)]

    runs = []
    rounds = int(sys.argv[1])
    for round_ in range(rounds + 1):
        for name, command in programs.items():
            environment = Istep(added).environment if name == "istep sync" else dict(os.environ)
            run = measured(name, command, environment, round_ / rounds)
            if round_:          # the first one only fills the caches
                runs.append(run)
                print(f"{name:22} {run['cpu']:6.3f} s CPU  {run['megabytes']:5.1f} MB", flush=True)
    with open(os.environ["RS_OUT"] + "/runs.json", "w") as file:
        json.dump(runs, file)


main()
