"""In the guest: steers the stack (peripherals, adapter, daemon, clock) from Python."""
import fcntl
import json
import os
import subprocess
import time
from datetime import date, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def control_port():
    for name in Path("/sys/class/virtio-ports").glob("*/name"):
        if name.read_text().strip() == "control":
            return f"/dev/{name.parent.name}"
    raise RuntimeError("not inside vm-run: there is no control port")


def peripheral(who, *words):
    """Sends a command to the peripheral of this id; returns its reply."""
    with open("/run/lock/peripheral", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)        # the `peripheral` command takes it too
        with open(control_port(), "r+b", buffering=0) as port:
            port.write(" ".join([f"@{who}", *map(str, words)]).encode() + b"\n")
            reply = b""
            while not reply.endswith(b"\n"):
                reply += port.read(65536)
    reply = json.loads(reply)
    if isinstance(reply, dict) and "error" in reply:
        raise RuntimeError(f"peripheral {who} {' '.join(map(str, words))}: {reply['error']}")
    return reply


def remembered(truth):
    """The 8 days of a ring's truth that it reports, without those that nobody walked on."""
    today = date.fromisoformat(truth["clock"][:10])
    days = {str(today - timedelta(days=ago)) for ago in range(8)}
    return {day: {"steps": known["steps"], "slots": known["slots"]}
            for day, known in truth["days"].items() if day in days and known["slots"]}


def events(who, kind=None):
    return [e for e in peripheral(who, "events") if kind in (None, e["event"])]


def adapter(switch):
    subprocess.run(["adapter", switch], check=True)


def daemon(action):
    subprocess.run(["daemon", action], check=True)


def powered():
    shown = subprocess.run(["busctl", "get-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1",
                            "Powered"], capture_output=True, text=True)
    return shown.stdout.strip() == "b true"


def radio_switch():
    """The file of rfkill that blocks hci0 in software: 1 or 0."""
    switch, = (path.parent / "soft" for path in Path("/sys/class/rfkill").glob("*/type")
               if path.read_text().strip() == "bluetooth" and (path.parent / "name").read_text().strip() == "hci0")
    return switch


def until(condition, seconds, what):
    """Waits for a state of the machine that nothing announces to a shell."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.1)


def set_clock(text):
    """The guest's clock, local time of $TZ."""
    subprocess.run(["date", "-s", text], check=True, stdout=subprocess.DEVNULL)


def client(address, *options, **environment):
    """What the independent client reads of a ring."""
    ran = subprocess.run([os.environ["RS_CLIENT"] + "/bin/python", HERE / "peers/colmi.py", address, *options],
                         capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    if ran.returncode:
        raise RuntimeError(f"colmi-r02-client failed:\n{ran.stderr}")
    return json.loads(ran.stdout)
