#!/usr/bin/env python3
"""Connects and readings under transient faults: istep beside bleak with bleak-retry-connector, and bleak alone.

usage: Tests/Benchmarks/faults.py [--sequences 300] [--first 1] [--jobs 8] [--programs istep,retry,bleak]

Each sequence has 0 to 4 faults (Sources/Simulation/SimulatedBlueZ/FaultSequence.swift) that strike while a program finds, connects to and
reads a ring with eight days. Each program has a simulated BlueZ of its own with the same faults. If its first run fails, it runs a second
time, with the faults that have not struck yet. A run succeeds if it has read every day. Prints how often the first run, and one of two,
succeeded, the median time of a first run, and whether a link was left, or a slot was read or stored with other steps than the ring's.

Needs .build/debug/SimulationHost (`swift build --product SimulationHost`), istep ($ISTEP, else .build/release or debug), dbus-daemon, and
PyPI's bleak and bleak-retry-connector, which are installed into ${XDG_CACHE_HOME:-~/.cache}/istep-faults once.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER = pathlib.Path(__file__).with_name("faults_peer.py")
RING = "C0:DE:52:02:A1:B2"
# The longest run: beyond it a person has given up.
LIMIT = 120


class Host:
    """A simulated BlueZ with a ring."""

    def __init__(self):
        self.process = subprocess.Popen(
            [ROOT / ".build/debug/SimulationHost", "--ring"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.bus = self.process.stdout.readline().strip()

    def __call__(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)


def run(command, environment, folder):
    """The exit code, and the output; 124 if it did not end in time."""
    with open(folder / "out", "w+") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        try:
            code = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = 124
        out.seek(0)
        return code, out.read()


def istep_program():
    candidates = [os.environ.get("ISTEP"), ROOT / ".build/release/istep", ROOT / ".build/debug/istep"]
    return next(str(path) for path in candidates if path and os.access(path, os.X_OK))


class Istep:
    """`istep sync`, with the ring added before the faults."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment | {"ISTEP_DB": str(folder / "history.sqlite")}
        self.program = istep_program()
        code, output = run([self.program, "add", RING, "--name", "ring"], self.environment, folder)
        if code != 0:
            raise RuntimeError(output)

    def read(self):
        code, output = run([self.program, "sync"], self.environment, self.folder)
        return code == 0 and "not received completely" not in output, f"{code}: {output.strip().splitlines()[:2]}"

    def slots(self):
        with sqlite3.connect(self.folder / "history.sqlite") as history:
            return dict(history.execute("SELECT start + utc_offset, steps FROM sample"))


class Peer:
    """The reading in Python; what an earlier run has read counts."""

    def __init__(self, folder, environment, words):
        self.folder, self.environment, self.words = folder, environment, words
        self.days = {}

    def read(self):
        result = self.folder / "result.json"
        result.unlink(missing_ok=True)
        code, output = run([sys.executable, PEER, *self.words, RING, result], self.environment, self.folder)
        if result.exists():
            self.days |= json.loads(result.read_text())
        return code == 0, f"{code}: {output.strip().splitlines()[-1:]}"

    def slots(self):
        return {int(start): steps for day in self.days.values() for start, steps in day.items()}


PROGRAMS = {
    "istep": ("istep sync", Istep),
    "retry": ("bleak + bleak-retry-connector", lambda folder, environment: Peer(folder, environment, ["retry"])),
    "bleak": ("bleak", lambda folder, environment: Peer(folder, environment, ["bleak"])),
}


def measure(name, seed):
    with tempfile.TemporaryDirectory(prefix="istep-faults-") as folder, Host() as host:
        environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder,
            "DBUS_SYSTEM_BUS_ADDRESS": host.bus, "TZ": os.environ.get("TZ", "UTC"),
        }
        program = PROGRAMS[name][1](pathlib.Path(folder), environment)
        strikes = host(f"strike {seed}")
        start = time.monotonic()
        first, report = program.read()
        seconds = time.monotonic() - start
        reports = [report]
        second = first
        if not first:
            second, report = program.read()
            reports.append(report)
        left = host("connected")
        host("calm")
        truth = {int(start): steps for start, steps in host("truth").items()}
        now = time.time() + time.localtime().tm_gmtoff
        wrong = {start for start, steps in program.slots().items() if steps != truth.get(start) and start < now - 1800}
        return {
            "program": name, "seed": seed, "first": first, "second": second, "seconds": seconds, "left": left, "wrong": len(wrong),
            "strikes": strikes, "reports": reports,
        }


def environment_with_peers():
    """Runs this script again with a Python that has the peers."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "istep-faults"
    python = cache / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", cache], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "bleak==3.1.0", "bleak-retry-connector==4.7.1"], check=True)
    if pathlib.Path(sys.prefix).resolve() != cache.resolve():
        os.execv(python, [python, *sys.argv])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sequences", type=int, default=300)
    arguments.add_argument("--first", type=int, default=1, help="the first seed")
    arguments.add_argument("--jobs", type=int, default=8)
    arguments.add_argument("--programs", default="istep,retry,bleak")
    arguments.add_argument("--log", help="a file for each run's faults and result")
    options = arguments.parse_args()
    names = options.programs.split(",")
    if names != ["istep"]:
        environment_with_peers()
    seeds = range(options.first, options.first + options.sequences)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda job: measure(*job), [(name, seed) for seed in seeds for name in names]))
    if options.log:
        pathlib.Path(options.log).write_text("".join(json.dumps(result) + "\n" for result in results))
    print(f"{len(seeds)} sequences of 0 to 4 faults")
    print(f"{'':<32}{'first run':>10}{'two runs':>10}{'median s':>10}{'links left':>12}{'wrong slots':>13}")
    for name in names:
        own = [result for result in results if result["program"] == name]
        share = lambda key: f"{100 * sum(result[key] for result in own) / len(own):.1f} %"  # noqa: E731
        median = statistics.median(result["seconds"] for result in own)
        left = sum(bool(result["left"]) for result in own)
        wrong = sum(result["wrong"] for result in own)
        print(f"{PROGRAMS[name][0]:<32}{share('first'):>10}{share('second'):>10}{median:>10.1f}{left:>12}{wrong:>13}")


if __name__ == "__main__":
    main()
