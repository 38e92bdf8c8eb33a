#!/usr/bin/python3
"""Measures imports of large files beside the sqlite3 shell's .import of the same rows into the same table, and beside xmllint --stream, in
the same run; prints rows a second, ratios to the budgets, and the largest memory of each import.

  .packaging/build && Tests/Benchmarks/import.py [ISTEP] [DAYS]

Needs sqlite3, for XML also xmllint (libxml2-utils), and about 1 GB in $TMPDIR for as long as it runs.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ISTEP = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/release/istep").resolve()
DAYS = int(sys.argv[2]) if len(sys.argv) > 2 else 730
if DAYS < 1:
    sys.exit("DAYS is at least 1")
FIRST = 1388534400  # 2014-01-01
ROUNDS = 3
DEVICE = ("&lt;&lt;HKDevice: 0x%x&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, "
          "software:8.1&gt;")
FORMAT = "%Y-%m-%d %H:%M:%S +0000"


def rows():
    """A minute each, from 7:00 to 23:00."""
    for day in range(DAYS):
        for minute in range(420, 1380):
            yield FIRST + day * 86400 + minute * 60, (minute * 7919 + day) % 149 + 1


def run(command, **options):
    """Runs a command, and returns its seconds and its largest memory in MB."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command} failed")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def median(values):
    return sorted(values)[len(values) // 2]


def measure(name, source, count, budget, peer_name, peer):
    ours, memory = [], []
    peers = []
    for number in range(ROUNDS):
        home = source.parent / f"home{number}"
        environment = dict(os.environ, HOME=str(home), TZ="UTC0", XDG_DATA_HOME=str(home), XDG_CONFIG_HOME=str(home))
        seconds, size = run([ISTEP, "import", "--yes", "-q", source], env=environment)
        ours.append(seconds)
        memory.append(size)
        shutil.rmtree(home)
        peers.append(peer(number))
    mine, other = median(ours), median(peers)
    print(f"{name}: {count / mine:,.0f} rows/s, {max(memory):.0f} MB (budget: below 100); {peer_name}: "
          f"{count / other:,.0f} rows/s; {other / mine:.2f} of its speed (budget: at least {budget})", flush=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, database, xml = folder / "steps.csv", folder / "Gadgetbridge.db", folder / "export.xml"
        plain, mixed, watch = folder / "rows.csv", folder / "mixed.xml", folder / "watch.xml"
        count = 0
        with table.open("w") as a, plain.open("w") as b, xml.open("w") as c, mixed.open("w") as d, watch.open("w") as e:
            a.write("time,steps\n")
            for file in (c, d, e):
                file.write('<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_GB">\n')
            for start, steps in rows():
                written = time.strftime(FORMAT, time.gmtime(start))
                a.write(f"{written[:19]},{steps}\n")
                b.write(f"1,{start},60,{steps},0.5,0.5,0,1\n")
                end = time.strftime(FORMAT, time.gmtime(start + 60))
                record = (' <Record type="HKQuantityTypeIdentifier{}" sourceName="Watch" unit="{}" '
                          f'creationDate="{end}" startDate="{written}" endDate="{end}" value="{{}}"/>\n')
                c.write(record.format("StepCount", "count", steps))
                if count % 4 == 0:
                    d.write(record.format("StepCount", "count", steps))
                    d.write(record.format("DistanceWalkingRunning", "km", steps * 0.0007))
                    d.write(record.format("HeartRate", "count/min", 60 + steps % 90))
                    d.write(record.format("ActiveEnergyBurned", "kcal", steps * 0.04))
                if count % 10 == 0:
                    # With all attributes that a watch of 2021 has; its heart rate and energy are most of an export.
                    record = record.replace(' unit="{}"', f' sourceVersion="8.1" device="{DEVICE % count}" unit="{{}}"')
                    e.write(record.format("StepCount", "count", steps))
                    for number in range(4):
                        e.write(record.format("HeartRate", "count/min", 60 + (steps + number) % 90))
                        e.write(record.format("ActiveEnergyBurned", "Cal", steps * 0.04 + number))
                    e.write(record.format("BasalEnergyBurned", "Cal", steps * 0.01))
                count += 1
            for file in (c, d, e):
                file.write("</HealthData>\n")
        print(f"{count:,} rows; XML of {xml.stat().st_size / 1e6:.0f} MB")
        subprocess.run(["sqlite3", database], text=True, check=True, input=textwrap.dedent("""
            CREATE TABLE DEVICE (_id INTEGER PRIMARY KEY, NAME TEXT, MANUFACTURER TEXT, IDENTIFIER TEXT, TYPE INTEGER);
            CREATE TABLE USER (_id INTEGER PRIMARY KEY, NAME TEXT);
            INSERT INTO DEVICE VALUES (1, 'Mi Band', 'Huami', 'AA:BB:CC:DD:EE:FF', 1);
            CREATE TABLE MI_BAND_ACTIVITY_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, RAW_INTENSITY INTEGER,
                STEPS INTEGER, RAW_KIND INTEGER, HEART_RATE INTEGER, PRIMARY KEY (TIMESTAMP, DEVICE_ID)) WITHOUT ROWID;
            CREATE TEMP TABLE r (p, start, l, steps, d, e, o, s);
            .import --csv %s r
            INSERT INTO MI_BAND_ACTIVITY_SAMPLE SELECT CAST(start AS INTEGER), 1, 1, 50, CAST(steps AS INTEGER), 1, 70 FROM r;
            """) % plain)

        empty = folder / "empty"
        subprocess.run([ISTEP, "plan", "8000", "--db", empty], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["sqlite3", empty], text=True, check=True, input="""
            PRAGMA journal_mode = DELETE;
            DROP TRIGGER day_sum_sample_insert; DROP TRIGGER seal_sample_insert;
            """, stdout=subprocess.DEVNULL)

        def imported(number):
            copy = folder / f"copy{number}"
            shutil.copy(empty, copy)
            seconds, _ = run(["sqlite3", copy, f".import --csv {plain} sample"])
            copy.unlink()
            return seconds

        measure("CSV", table, count, 0.5, "sqlite3 .import", imported)
        measure("Gadgetbridge", database, count, 0.5, "sqlite3 .import", imported)
        if shutil.which("xmllint"):
            for title, file in (("Apple Health, one record in ten of steps, with devices", watch),
                                ("Apple Health, one record in four of steps", mixed), ("Apple Health, only steps", xml)):
                measure(title, file, count, 0.5, "xmllint --stream",
                        lambda _, file=file: run(["xmllint", "--stream", "--noout", file])[0])
        else:
            print("Apple Health: not measured, because xmllint is missing")


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
main()
