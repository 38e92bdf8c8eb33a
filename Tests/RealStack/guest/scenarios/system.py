"""A clean machine that systemd boots: istep is installed, runs by itself, and goes without a trace.

Timers are left as they are shipped, but for their spread: the clock is put shortly before the time that systemd says. (A clock that
is set within the spread makes systemd 252 begin it anew.)"""
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from zoneinfo import ZoneInfo

from lab import adapter, events, peripheral, powered, remembered, set_clock, until
from scenarios.harness import Istep, check, scenario

RING, COUNTER = "C0:DE:00:00:00:02", "C0:DE:00:00:00:04"
ZONE = "Europe/Berlin"
# Copies, since the checkout may be below a directory of the host that the users of this machine cannot read.
CHECKOUT, PROGRAM = Path("/tmp/checkout"), Path("/tmp/istep")
for part in (".packaging", "systemd", "udev", ".github/manual"):
    shutil.copytree(Path(os.environ["RS_CHECKOUT"], part), CHECKOUT / part)
shutil.copy(os.environ["ISTEP"], PROGRAM)
CHECKOUT.chmod(0o755)
PROGRAM.chmod(0o755)
os.environ["ISTEP"] = str(PROGRAM)

subprocess.run(["ln", "-sf", f"/usr/share/zoneinfo/{ZONE}", "/etc/localtime"], check=True)
set_clock(f'TZ="{ZONE}" 2026-11-20 23:06:00')


def ran(*command, exits=0, **options):
    result = subprocess.run(command, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, **options)
    check(exits is None or result.returncode == exits,
          f"{' '.join(map(str, command))}: exit code {result.returncode}\n{result.stdout[-1500:]}{result.stderr[-1500:]}")
    return result.stdout.strip()


def as_user(user, *command, **environment):
    """With the environment of a log-in, and the user's manager where there is one."""
    number = ran("id", "-u", user)
    return ["runuser", "-u", user, "--", "env", "-i", "-C", "/", f"HOME={Path('~' + user).expanduser()}", f"USER={user}",
            "PATH=/usr/local/bin:/usr/bin:/bin", f"XDG_RUNTIME_DIR=/run/user/{number}", *map(str, command)]


class Installed(Istep):
    """What a package installed, as a user of this machine runs it."""

    def __init__(self, user):
        self.environment = {**os.environ, "TZ": ZONE}
        self.data = Path(f"~{user}").expanduser() / ".local/share/istep"
        self.command = as_user(user, "istep")

    def has_all_of(self, who):
        """Each slot that the ring reports; days that it no longer reports stay."""
        held = self.slots()
        known = remembered(peripheral(who, "truth"))
        wrong = [day for day, of in known.items() if held.get(day) != {index: slot[0] for index, slot in of["slots"].items()}]
        check(known and not wrong, f"not as the ring knows them: {', '.join(wrong)}")


class Manager:
    """systemd's, of the machine or of a user."""

    def __init__(self, user=None):
        self.words = ["systemctl"] if user is None else as_user(user, "systemctl", "--user")
        self.journal_of = "_SYSTEMD_UNIT" if user is None else "_SYSTEMD_USER_UNIT"

    def __call__(self, *words, exits=0):
        return ran(*self.words, *words, exits=exits)

    def value(self, unit, name):
        return self("show", "--value", "--property", name, unit)

    def keep(self, *units):
        """What is inactive and nobody's business is forgotten, with what came of it: this makes it somebody's. And timers punctual."""
        scope = "user" if "--user" in self.words else "system"
        kept = Path(f"/run/systemd/{scope}/keep.service")
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(f"[Unit]\nAfter={' '.join(units)}\n[Service]\nExecStart=sleep infinity\n")
        punctual = kept.parent / "istep-sync.timer.d/punctual.conf"
        punctual.parent.mkdir(exist_ok=True)
        punctual.write_text("[Timer]\nAccuracySec=1s\nRandomizedDelaySec=0\n")
        self("daemon-reload")
        self("start", "keep.service")

    def starts(self, unit):
        """When it was started last; changes with every start."""
        return self.value(unit, "ExecMainStartTimestampMonotonic"), self.value(unit, "InvocationID")

    def is_done(self, unit):
        return self.value(unit, "ActiveState") in ("inactive", "failed")

    def lines(self, unit):
        """What the program itself said in the unit's last run: priority and words."""
        ran("journalctl", "--sync")
        run = self.value(unit, "InvocationID")
        field = "_SYSTEMD_INVOCATION_ID"
        said = ran("journalctl", "--output=json", f"{field}={run}", f"{self.journal_of}={unit}")
        return [(int(line["PRIORITY"]), line["MESSAGE"]) for line in map(json.loads, said.splitlines())]

    def runs_after(self, action, unit, seconds=60):
        """The unit is started by this, and comes to its end."""
        before = self.starts(unit)
        action()
        until(lambda: self.starts(unit) != before, seconds, f"start of {unit}")
        until(lambda: self.is_done(unit), 120, f"end of {unit}")
        return int(self.value(unit, "ExecMainStatus")), self.value(unit, "Result")

    def let_fire(self, timer):
        """Puts the clock shortly before the time at which the timer runs next."""
        until(lambda: self.value(timer, "NextElapseUSecRealtime"), 10, f"next time of {timer}")
        then = self.value(timer, "NextElapseUSecRealtime")      # Sat 2026-11-21 04:12:34 CET
        moment = datetime.fromisoformat(" ".join(then.split()[1:3])).replace(tzinfo=ZoneInfo(ZONE)).timestamp()
        ran("date", "--set", f"@{moment - 2:.0f}")
        peripheral("ring", "clock", datetime.now(ZoneInfo(ZONE)).replace(tzinfo=None).isoformat(timespec="seconds"))


def files():
    """All there is of the machine, but for what goes with every boot, logs, and what dpkg and man keep for themselves."""
    passing = {"/proc", "/sys", "/dev", "/run", "/tmp", "/lab", "/host", "/var/tmp", "/var/log", "/var/lib/dpkg", "/var/cache/man",
               "/var/cache/ldconfig", "/var/lib/bluetooth", "/var/lib/systemd/timers", "/var/lib/private"}
    found = set()
    for directory, below, names in os.walk("/"):
        below[:] = [name for name in below if os.path.join(directory, name) not in passing]
        found.update(os.path.join(directory, name) for name in below + names)
    found.update(f"{path} with {path.read_text()}" for path in map(Path, ("/etc/passwd", "/etc/group")))
    found.update(map(str, Path("/var/lib/systemd/timers").glob("*istep*")))
    return found


def left_behind(before):
    return sorted(files() - before)


SERVICES = ("istep-sync.service", "istep-midnight.service")
machine = Manager()
untouched = files()


@scenario
def checkout():
    """a checkout is installed by one command, and removed without a trace, for the machine and for a user"""
    ran(CHECKOUT / ".packaging/install")
    check(ran("istep", "--version") in ran("/usr/local/bin/istep", "--version"), "another istep is installed")
    check("/usr/local/bin/istep" in machine.value("istep-sync.service", "ExecStart"), "systemd does not know the unit")
    check(ran("man", "-w", "istep-sync"), "there is no manual page")
    check(machine("is-enabled", "istep-sync.timer", exits=1) == "disabled", "the timer is enabled by itself")
    machine("enable", "--now", "istep-sync.timer")
    without_logind = Path("/tmp/without-logind/loginctl")
    without_logind.parent.mkdir()
    without_logind.write_text("#!/bin/sh\nexit 1\n")
    without_logind.chmod(0o755)
    ran("env", f"PATH={without_logind.parent}:{os.environ['PATH']}", CHECKOUT / ".packaging/install", "--remove")
    check(not left_behind(untouched), f"left behind: {left_behind(untouched)}")
    gone = [path for path in untouched - files() if path.startswith("/usr/local/")]
    check(not gone, f"gone, though it was there before: {gone}")

    ran("useradd", "--create-home", "carla")
    before = files()
    try:
        ran(*as_user("carla", "env", f"ISTEP={PROGRAM}", CHECKOUT / ".packaging/install", "--user"))
        unit = Path("/home/carla/.local/share/systemd/user/istep-sync.service").read_text()
        check("/home/carla/.local/bin/istep" in unit, "wrong path")
        ran(*as_user("carla", CHECKOUT / ".packaging/install", "--user", "--remove"))
        check(not left_behind(before), f"left behind: {left_behind(before)}")
    finally:
        ran("userdel", "--remove", "carla", exits=None)


@scenario
def package():
    """the package is installed on a clean machine: units, manual, completions, a user of its own; nothing is enabled"""
    ran("dpkg", "--install", os.environ["RS_DEB"])
    ran("istep", "--version")
    check(Path(ran("man", "-w", "istep-sync")).name == "istep-sync.1.gz", "there is no manual page")
    check("bluetooth" in ran("id", "-Gn", "istep").split(), "the user istep is not in the group bluetooth")
    home = Path("/var/lib/istep").stat()
    check((home.st_mode & 0o777, str(home.st_uid)) == (0o700, ran("id", "-u", "istep")), "/var/lib/istep is open, or not istep's")
    enabled = [line for line in machine("list-unit-files", "istep-*", "--no-legend").splitlines() if line.split()[1] == "enabled"]
    check(not enabled, f"enabled by itself: {enabled}")
    ran("bash", "-c", "source /usr/share/bash-completion/completions/istep && complete -p istep")


@scenario
def nightly():
    """the system-wide timer fires at night: the ring is read, and the journal has one line of it"""
    machine.keep(*SERVICES)
    istep = Installed("istep")
    istep("add", RING, "--name", "ring", "--user", "istep")
    check(machine.runs_after(lambda: machine("start", "istep-sync.service"), "istep-sync.service") == (0, "success"), "no sync")
    istep.has_all_of("ring")
    ran("istep", "auto", "on", "--system")
    peripheral("ring", "walk", 321)
    status = machine.runs_after(lambda: machine.let_fire("istep-sync.timer"), "istep-sync.service")
    said = machine.lines("istep-sync.service")
    check(status == (0, "success"), f"{status}: {said}")
    istep.has_all_of("ring")
    summary = [(priority, line) for priority, line in said if "ring" in line and "steps" in line]
    check(len(summary) == 1 and summary[0][0] in (5, 6), f"the journal has {said}")
    report = json.loads(ran("istep", "auto", "--system", "--json"))
    check(report["night"]["active"] and report["night"]["last"] and report["lastRun"]["exitCode"] == 0, f"istep auto reports {report}")
    ran("istep", "auto", "off", "--system")
    report = json.loads(ran("istep", "auto", "--system", "--json"))
    check(not any(report[trigger]["enabled"] or report[trigger]["active"] for trigger in ("night", "midnight", "adapter", "watch")),
          f"after istep auto off: {report}")


@scenario
def watching():
    """istep auto on --watch: the watch notifies systemd that it is ready and of its state, uses the zone of the machine, and ends on request"""
    ran("istep", "auto", "on", "--system", "--watch")
    check(machine.value("istep-watch.service", "ActiveState") == "active", "the watch does not run")
    check(machine.value("istep-watch.service", "StatusText"), "it does not say what it does")
    arrive_in("Asia/Tokyo")
    ran("istep", "auto", "off", "--system")
    state = machine.value("istep-watch.service", "ActiveState"), machine.value("istep-watch.service", "Result")
    check(state == ("inactive", "success"), f"it ended as {state}: {machine.lines('istep-watch.service')}")


def arrive_in(zone):
    """What the watch says is by the clocks there, a minute later at the latest."""
    def next_reading():
        return machine.value("istep-watch.service", "StatusText").split()[-1]

    until(lambda: ":" in next_reading(), 60, "the ring read")
    ran("ln", "-sf", f"/usr/share/zoneinfo/{zone}", "/etc/localtime")
    try:
        hours = {(datetime.now(ZoneInfo(zone)) + timedelta(minutes=minutes)).strftime("%H") for minutes in (0, 20)}
        until(lambda: next_reading()[:2] in hours, 90, f"next reading by the clocks of {zone}: {next_reading()}")
    finally:
        ran("ln", "-sf", f"/usr/share/zoneinfo/{ZONE}", "/etc/localtime")


@scenario
def hanging():
    """a watch that hangs is ended by systemd's watchdog, and begins anew"""
    hasty = Path("/run/systemd/system/istep-watch.service.d/hasty.conf")
    hasty.parent.mkdir()
    hasty.write_text("[Service]\nWatchdogSec=4\nRestartSec=1\n")
    machine("daemon-reload")
    machine("start", "istep-watch.service")
    try:
        first = machine.value("istep-watch.service", "MainPID")
        time.sleep(10)
        check(machine.value("istep-watch.service", "MainPID") == first, "it was ended though it lives")
        os.kill(int(first), signal.SIGSTOP)
        until(lambda: machine.value("istep-watch.service", "MainPID") not in (first, "0"), 40, "another process")
        until(lambda: machine.value("istep-watch.service", "ActiveState") == "active", 20, "a watch that is ready")
        check(machine.value("istep-watch.service", "NRestarts") == "1", "it was started more than once")
    finally:
        machine("stop", "istep-watch.service")
        shutil.rmtree(hasty.parent)
        machine("daemon-reload")


@scenario
def upgraded():
    """the next version of the package is installed, removed and installed again: what is enabled goes on, steps and configuration stay"""
    ran("istep", "auto", "on", "--system", "--watch")
    data, settings = Path("/var/lib/istep/.local/share/istep/history.sqlite"), Path("/etc/istep/config.toml")
    settings.write_text("# the administrator's\n")
    before = Installed("istep").slots()
    process = machine.value("istep-watch.service", "MainPID")
    try:
        ran("dpkg", "--install", os.environ["RS_NEWER_DEB"])
        check(ran("dpkg-query", "--show", "--showformat=${Version}", "istep").endswith("+newer"), "it was not installed")
        check(machine.value("istep-watch.service", "Description").endswith("(newer)"), "systemd does not know the new unit")
        check(machine.value("istep-watch.service", "MainPID") not in (process, "0"), "the watch is still the old program")
        def goes_on():
            for unit in ("istep-sync.timer", "istep-watch.service"):
                check(machine("is-active", unit) == "active" and machine("is-enabled", unit) == "enabled", f"{unit} does not go on")

        goes_on()
        ran("dpkg", "--remove", "istep")
        check(machine("is-active", "istep-sync.timer", exits=None) != "active", "the timer runs without its program")
        ran("dpkg", "--install", os.environ["RS_NEWER_DEB"])
        goes_on()
        check(data.exists() and Installed("istep").slots() == before, "steps are gone")
        check(settings.read_text() == "# the administrator's\n", "the configuration was touched")
        check(not machine("list-units", "--failed", "--no-legend", "istep-*"), "a unit has failed")
    finally:
        settings.unlink()
        ran("istep", "auto", "off", "--system")


@scenario
def midnight():
    """shortly before midnight a counter is read, and the ring is left alone"""
    istep = Installed("istep")
    istep("add", COUNTER, "--name", "counter", "--model", "generic", "--counts", "today", "--format", "u32le",
          "--service", "00030000-78fc-48fe-8e23-433b3a1942d0", "--characteristic", "00030001-78fc-48fe-8e23-433b3a1942d0")
    machine("enable", "--now", "istep-midnight.timer")
    for who in ("ring", "counter"):
        peripheral(who, "events", "clear")
    status = machine.runs_after(lambda: machine.let_fire("istep-midnight.timer"), "istep-midnight.service")
    at = machine.value("istep-midnight.timer", "LastTriggerUSec").split()[2][:5]
    check(status == (0, "success"), f"{status}: {machine.lines('istep-midnight.service')}")
    check(at in ("23:30", "23:45", "23:55"), f"it fired at {at}")
    check(events("counter", "read"), "the counter was not read")
    check(not events("ring", "connected"), "the ring was connected to")
    istep("forget", "counter")


@scenario
def nights_that_go_wrong():
    """a ring out of range is no failed unit, an adapter that is gone is"""
    peripheral("ring", "range", "out")
    try:
        status = machine.runs_after(lambda: machine("start", "istep-sync.service", exits=None), "istep-sync.service")
        check(status == (75, "success"), f"out of range: {status}")
        check(machine.value("istep-sync.service", "ActiveState") == "inactive", "out of range: the unit failed")
    finally:
        peripheral("ring", "range", "in")
    adapter("off")
    try:
        until(lambda: not powered(), 10, "adapter gone")
        status = machine.runs_after(lambda: machine("start", "istep-sync.service", exits=None), "istep-sync.service")
        check(status == (69, "exit-code"), f"without an adapter: {status}")
        check(machine.value("istep-sync.service", "ActiveState") == "failed", "without an adapter: the unit did not fail")
    finally:
        adapter("on")
    until(powered, 20, "adapter powered")


@scenario
def secrets():
    """in its cage, the service gets a secret of /etc/istep/credentials and shares with a server"""
    received = []

    class Server(BaseHTTPRequestHandler):
        def do_PUT(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            received.append((self.path, self.headers.get("Authorization")))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    secret = Path("/etc/istep/credentials/diary")
    check(secret.parent.stat().st_mode & 0o777 == 0o700, "the directory of secrets is open")
    secret.write_text("s3cret\n")
    secret.chmod(0o600)
    Path("/etc/istep/config.toml").write_text(
        f'[share.diary]\nkind = "rest"\nurl = "http://127.0.0.1:{server.server_port}"\ntoken_credential = "istep_diary"\n'
        'since = 2026-11-20\n[share.file]\nkind = "file"\npath = "~/steps.csv"\nsince = 2026-11-20\n')
    try:
        peripheral("ring", "walk", 100)
        status = machine.runs_after(lambda: machine("start", "istep-sync.service", exits=None), "istep-sync.service")
        said = machine.lines("istep-sync.service")
        check(status == (0, "success"), f"{status}: {said}")
        check(received and all(token == "Bearer s3cret" for _, token in received), f"the server got {received}; {said}")
        check("s3cret" not in str(said), "the secret is in the journal")
        check("2026-11-20" in Path("/var/lib/istep/steps.csv").read_text(), "nothing in the file")
    finally:
        server.shutdown()
        Path("/etc/istep/config.toml").unlink()


@scenario
def plugged():
    """an adapter that is plugged in starts a sync, a link does not"""
    machine("enable", "istep-sync.service")
    adapter("off")
    until(lambda: not powered(), 10, "adapter gone")
    until(lambda: machine.value("istep-adapter@hci0.target", "ActiveState") == "inactive", 10, "end of the adapter's target")
    status = machine.runs_after(lambda: adapter("on"), "istep-sync.service")
    check(status == (0, "success"), f"{status}: {machine.lines('istep-sync.service')}")
    before = machine.starts("istep-sync.service")
    Installed("istep")("sync")      # makes a link, which is a device of the same subsystem
    time.sleep(1)
    check(machine.starts("istep-sync.service") == before, "a link started a sync")
    machine("disable", "istep-sync.service")


@scenario
def lingering():
    """a user who lingers: the user's own timer fires, and so does plugging the adapter in"""
    ran("useradd", "--create-home", "anna")
    ran("loginctl", "enable-linger", "anna")
    anna = Manager("anna")
    until(lambda: anna("is-system-running", exits=None) in ("running", "degraded"), 60, "manager of anna")
    anna.keep(*SERVICES)
    istep = Installed("anna")
    istep("add", RING, "--name", "ring")
    machine("stop", "istep-sync.timer")
    said = ran(*istep.command, "auto", "on")
    check("continues while anna is not logged in" in " ".join(said.split()), f"istep auto on says: {said}")
    status = anna.runs_after(lambda: anna.let_fire("istep-sync.timer"), "istep-sync.service")
    check(status == (0, "success"), f"{status}: {anna.lines('istep-sync.service')}")
    istep.has_all_of("ring")
    check(any("ring" in line for _, line in anna.lines("istep-sync.service")), "nothing in the journal")
    anna("enable", "--now", "istep-serve.socket")
    ran("dpkg", "--remove", "istep")
    ran("dpkg", "--install", os.environ["RS_NEWER_DEB"])
    for unit in ("istep-sync.timer", "istep-serve.socket"):
        check(anna("is-active", unit, exits=None) == "active", f"{unit} of anna does not go on")
    anna("disable", "--now", "istep-serve.socket")
    adapter("off")
    until(lambda: not powered(), 10, "adapter gone")
    status = anna.runs_after(lambda: adapter("on"), "istep-sync.service")
    check(status == (0, "success"), f"{status}: {anna.lines('istep-sync.service')}")


@scenario
def purged():
    """dpkg --purge leaves the users' steps, and nothing else"""
    data = Path("/var/lib/istep/.local/share/istep/history.sqlite")
    steps = data.read_bytes()
    other = Path("/etc/systemd/system/multi-user.target.wants/other.service")
    other.symlink_to("/opt/istep-dashboard/other.service")
    ran("dpkg", "--purge", "istep")
    check(data.read_bytes() == steps, "the history was touched")
    check(other.is_symlink(), "the link of another program's unit was removed")
    other.unlink()
    check(Manager("anna").value("istep-sync.timer", "ActiveState") != "active", "anna's timer still runs")
    allowed = ("/var/lib/istep", "/home/anna", "/var/mail/anna", "/var/lib/systemd/linger",      # the users', and users themselves
               "/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow", "/etc/subuid", "/etc/subgid")
    left = [path for path in left_behind(untouched) if not path.startswith(allowed)]
    check(not left, f"left behind: {left}")
