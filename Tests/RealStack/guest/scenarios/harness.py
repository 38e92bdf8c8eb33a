"""Runs scenarios, one line each; and istep, with a home of its own."""
import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from lab import peripheral, remembered, until

scenarios = []

SAMPLES = "SELECT pedometer, start, steps FROM sample ORDER BY pedometer, start"


def scenario(function):
    """Its doc string is its name in the report."""
    scenarios.append(function)
    return function


def run():
    """All that were declared; True when none failed. A scenario that fails does not end the others."""
    failed = 0
    for each in scenarios:
        start = time.monotonic()
        try:
            each()
            verdict, reason = "ok    ", ""
        except Exception as error:
            failed += 1
            verdict, reason = "FAILED", f"\n{type(error).__name__}: {error}".replace("\n", "\n        ")
            with contextlib.suppress(RuntimeError):         # (the ring of the group may know no faults)
                peripheral("ring", "fault", "none")     # or the next ones would suffer from this one's leavings
                peripheral("ring", "drop")
        group = each.__module__.rpartition(".")[2]
        print(f"{verdict}  {group}: {each.__doc__} ({time.monotonic() - start:.1f} s){reason}", flush=True)
    print("end of", len(scenarios), "scenarios", flush=True)
    return not failed


def steps_of(days):
    """day -> steps, in a ring's truth or in what a client has read."""
    return {day: known["steps"] for day, known in days.items()}


def check(condition, words):
    if not condition:
        raise AssertionError(words)


class Result:
    def __init__(self, arguments, code, out, err, seconds):
        self.arguments, self.code, self.out, self.err, self.seconds = arguments, code, out, err, seconds

    def __str__(self):
        return (f"istep {' '.join(self.arguments)}: exit code {self.code} after {self.seconds:.1f} s\n"
                f"stdout: {self.out.strip()[-1500:]}\nstderr: {self.err.strip()[-1500:]}")

    @property
    def json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            raise AssertionError(f"no JSON from {self}") from None


class Watch:
    """istep watch in the background; what it says so far is in a file."""

    def __init__(self, home, *options):
        self.path = home.home / "watched"
        self.output = open(self.path, "w")
        self.process = subprocess.Popen([os.environ["ISTEP"], "watch", *options], env=home.environment,
                                        stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT)

    @property
    def said(self):
        return self.path.read_text()

    def reads(self, times, seconds=90):
        """Returns once the ring was read so often."""
        until(lambda: self.said.count("ring: ") - self.said.count("failed") >= times, seconds, f"sync {times}: {self.said}")

    def end(self):
        """By SIGTERM, as systemd does it: soon, and without a failure."""
        since = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=20)
        check(code == 0, f"ended with {code}: {self.said}")
        check(time.monotonic() - since < 5, f"ended after {time.monotonic() - since:.1f} s")


class Istep:
    """istep with a history and settings of its own, in a directory that ends with the machine."""

    def __init__(self, copy_of=None, **environment):
        self.home = Path(tempfile.mkdtemp(prefix="istep-home-"))
        if copy_of:
            shutil.copytree(copy_of.home, self.home, dirs_exist_ok=True)
        self.environment = {**(copy_of.environment if copy_of else os.environ), **environment, "HOME": str(self.home)}
        for variable, directory in (("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config"),
                                    ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache"), ("XDG_RUNTIME_DIR", "run")):
            path = self.home / directory
            path.mkdir(mode=0o700, exist_ok=True)
            self.environment[variable] = str(path)
        self.data = self.home / "data"
        self.command = [os.environ["ISTEP"]]

    def start(self, *arguments):
        return subprocess.Popen([*self.command, *arguments], env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process, arguments=("…",), limit=120, since=None):
        since = since or time.monotonic()
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError("no end: " + str(Result(arguments, None, out, err, limit))) from None
        return Result(arguments, process.returncode, out, err, time.monotonic() - since)

    def __call__(self, *arguments, exits=0, limit=120):
        """Runs it to its end; `exits` is the exit code, or a tuple of them, that it must end with."""
        since = time.monotonic()
        result = self.finish(self.start(*arguments), arguments, limit, since)
        codes = exits if isinstance(exits, tuple) else (exits,)
        check(result.code in codes, f"wanted exit code {' or '.join(map(str, codes))}: {result}")
        check(result.code == 0 or result.err.strip() or result.out.strip(), f"failed without a word: {result}")
        return result

    # ------------------------------------------------------------ what the history holds
    def steps(self, day, *options):
        return self("show", day, "--json", *options).json["steps"]

    def samples(self):
        """Every sample in the database: the start of its slot and its steps."""
        with tempfile.TemporaryDirectory() as copied:       # to look at it must not mend it
            shutil.copytree(self.data, copied, dirs_exist_ok=True)
            history, = Path(copied).rglob("history.sqlite")
            database = sqlite3.connect(history)
            with contextlib.closing(database):
                return database.execute(SAMPLES).fetchall()

    def samples_now(self):
        """The same while istep runs: a copy of a file that is written to could be torn."""
        history, = self.data.rglob("history.sqlite")
        with contextlib.closing(sqlite3.connect(f"file:{history}?mode=ro", uri=True)) as database:
            return database.execute(SAMPLES).fetchall()

    def slots(self):
        """The same as a ring's truth has them, by local time: day -> {quarter-hour index: steps}."""
        days, zone = {}, ZoneInfo(self.environment["TZ"])
        for _, start, steps in self.samples():
            local = datetime.fromtimestamp(start, zone)
            days.setdefault(str(local.date()), {})[str(local.hour * 4 + local.minute // 15)] = steps
        return days

    def energy_of(self, day):
        """Kilocalories of the samples of a day, by local time."""
        zone = ZoneInfo(self.environment["TZ"])
        history, = self.data.rglob("history.sqlite")
        with contextlib.closing(sqlite3.connect(f"file:{history}?mode=ro", uri=True)) as database:
            samples = database.execute("SELECT start, energy FROM sample").fetchall()
        return sum(energy for start, energy in samples if str(datetime.fromtimestamp(start, zone).date()) == day)

    def expect_steps(self, days, *options):
        """`istep show` of each of these days has these steps."""
        for day, steps in days.items():
            shown = self.steps(day, *options)
            check(shown == steps, f"{day}: istep shows {shown} steps of {steps}")

    def expect_all_slots(self, who):
        """The history has each slot that the ring reports, and no other."""
        known = {day: {index: slot[0] for index, slot in of["slots"].items()}
                 for day, of in remembered(peripheral(who, "truth")).items()}
        held = self.slots()
        wrong = [day for day in sorted(known.keys() | held.keys()) if known.get(day) != held.get(day)]
        check(not wrong, f"not as the ring knows them: {', '.join(wrong)}")

    def expect_released(self, who, seconds=10):
        until(lambda: not peripheral(who, "status")["connections"], seconds, f"link to {who} let go")
