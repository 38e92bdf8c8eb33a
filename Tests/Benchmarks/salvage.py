#!/usr/bin/env python3
"""Repairs of damaged histories: `istep doctor --repair` beside SQLite's `.recover`.

usage: Tests/Benchmarks/salvage.py [--files 600] [--flips 200] [--first 0] [--page-size 512] [--list]

Damages copies of a small history at random: flipped bits, overwritten, swapped and zeroed pages, a cut end, a damaged header. For each file,
counts the rows of the original that each of the two saves, by table. Then flips single bits, and counts which of those that change a value
are found by `PRAGMA integrity_check` and by `istep doctor`, and what a repair makes of them. --list prints each file with fewer rows, and
each flip that was not found. Ends with 1 if a file has fewer rows than `.recover` saves, or if of the flips that change a figure more than
one in 100 was not found.

Needs HistoryBenchmark and istep from .build/debug (`swift build`; $ISTEP_BUILD for another directory), and a shell of SQLite that has
`.recover`, which Debian's has not: it is built once from Debian's sources, in ${XDG_CACHE_HOME:-~/.cache}/istep-salvage (gcc, make, tclsh).
"""
import argparse
import collections
import datetime
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ISTEP_BUILD", ROOT / ".build/debug"))
# Tables that are calculated from others.
DERIVED = {"day_sum", "seal", "sealing"}
# Tables with checksums: what people see, and what it is calculated with.
SEALED = {
    "sample", "implausible_sample", "coverage", "device_total", "correction", "excluded_time", "profile", "plan", "person", "pedometer", "sync"}


def shell():
    """The path of a shell that has `.recover`, built once."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "istep-salvage"
    program = cache / "sqlite3"
    if not program.exists():
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(["bash", "-euc", BUILD_SHELL], cwd=cache, check=True, stdout=subprocess.DEVNULL)
    return program


# The sources of this Debian's SQLite, with the virtual table of pages, which `.recover` reads.
BUILD_SHELL = """
    mkdir -p lists/partial
    . /etc/os-release
    echo "deb-src http://deb.debian.org/debian $VERSION_CODENAME main" >sources.list
    apt="apt-get -qq -o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/lists"
    apt="$apt -o APT::Sandbox::User=root"
    $apt update
    $apt --download-only source sqlite3
    mkdir -p sources built
    tar -xJf sqlite3_*.orig.tar.xz -C sources --strip-components 1
    cd built
    ../sources/configure --disable-tcl CFLAGS="-O1 -DSQLITE_ENABLE_DBPAGE_VTAB"
    make sqlite3
    cp sqlite3 ..
"""


def flip_bits(data, size, chance):
    for _ in range(chance.randint(1, 6)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def scatter(data, size, chance):
    start = chance.randrange(len(data) // size) * size
    for _ in range(20):
        data[start + chance.randrange(size)] = chance.randrange(256)


def zero(data, size, chance):
    start = chance.randrange(len(data) // size) * size
    data[start:start + size] = bytes(size)


def overwrite(data, size, chance):
    start = chance.randrange(len(data) // size) * size
    data[start:start + size] = chance.randbytes(size)


def cut(data, size, chance):
    del data[chance.randrange(size, len(data)):]


def header(data, size, chance):
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(100)] = chance.randrange(256)


def swap(data, size, chance):
    a, b = (chance.randrange(len(data) // size) * size for _ in range(2))
    data[a:a + size], data[b:b + size] = data[b:b + size], data[a:a + size]


def zero_run(data, size, chance):
    start = chance.randrange(len(data) // size) * size
    end = min(len(data), start + chance.randint(1, 8) * size)
    data[start:end] = bytes(end - start)


DAMAGES = [flip_bits, scatter, zero, overwrite, cut, header, swap, zero_run]


def base(folder, page_size):
    """The bytes of a sound history with something in each table."""
    path = folder / "base.sqlite"
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA page_size = {page_size}")
        database.execute("VACUUM")
    database.close()
    subprocess.run([BUILD / "HistoryBenchmark", "fill", path], check=True)
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO notice (key, subject, name, since, content, kept_at) VALUES ('a', 'machine', '', 0, '{}', 0)")
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return path.read_bytes()


def rows(path):
    """By table, the rows by their key."""
    database = sqlite3.connect(path)
    database.text_factory = bytes
    found = {}
    tables = [name.decode() for name, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in tables:
        if table in DERIVED or table.startswith(("sqlite_", "lost_and_found")):
            continue
        keys = [name.decode() for name, key in database.execute("SELECT name, pk FROM pragma_table_info(?)", [table]) if key]
        columns = ", ".join(keys)
        found[table] = {row[:len(keys)]: row[len(keys):] for row in database.execute(f"SELECT {columns}, * FROM {table}")} if keys else {}
    database.close()
    return found


def repair(path, folder):
    environment = dict(os.environ, HOME=str(folder), XDG_CONFIG_HOME=str(folder), TZ="UTC0")
    done = subprocess.run(
        [BUILD / "istep", "doctor", "--repair", "--json", "--db", path], env=environment, capture_output=True, text=True)
    report = json.loads(done.stdout) if done.returncode == 0 else None
    return report, done.stderr.strip()


def recover(path, target, program):
    """SQLite's `.recover` into a new file."""
    dump = subprocess.run([program, path, ".recover"], capture_output=True)
    subprocess.run([program, target], input=dump.stdout, capture_output=True)


def clean(folder, name):
    for path in folder.glob(name + "*"):
        path.unlink()


def with_lost_time(original, ours, report):
    """The rows, with the spans of coverage that only lack the days that the report names: without their samples these are not accounted for."""
    if not report or not report["repaired"] or "coverage" not in ours:
        return ours
    names = {key[0]: row[5].decode() for key, row in ours["pedometer"].items()}
    spans = {}
    for key, row in ours["coverage"].items():
        spans.setdefault(key[0], []).append((key[1], row[2]))
    for lost in report["repaired"]["lostDays"]:
        first, last = ((datetime.date.fromisoformat(lost[name]) - datetime.date(1970, 1, 1)).days for name in ("first", "last"))
        for pedometer, name in names.items():
            if name == lost["pedometer"]:
                spans.setdefault(pedometer, []).append((first * 86400, (last + 1) * 86400))
    kept = dict(ours["coverage"])
    for key, row in original["coverage"].items():
        at = key[1]
        for start, end in sorted(spans.get(key[0], [])):
            at = max(at, end) if start <= at else at
        if at >= row[2]:
            kept[key] = row
    return dict(ours, coverage=kept)


def compare(original, ours, theirs):
    """By table: how many rows each has, and how many of the original by their keys."""
    result = {}
    for table, known in original.items():
        a, b = ours.get(table, {}), theirs.get(table, {})
        result[table] = (len(a), len(b), len(known.keys() & a.keys()), len(known.keys() & b.keys()))
    return result


def measure_repairs(options, folder, data, program):
    original_path = folder / "base.sqlite"
    original = rows(original_path)
    total = sum(len(known) for known in original.values())
    counts, fewer_by_table, more_by_table = collections.Counter(), collections.Counter(), collections.Counter()
    saved = [0, 0]
    for seed in range(options.first, options.first + options.files):
        chance = random.Random(seed)
        damage = DAMAGES[seed % len(DAMAGES)]
        bytes_ = bytearray(data)
        damage(bytes_, options.page_size, chance)
        path, other = folder / "damaged.sqlite", folder / "recovered.sqlite"
        clean(folder, "damaged"), clean(folder, "recovered")
        path.write_bytes(bytes_)
        recover(path, other, program)
        try:
            theirs = rows(other)
        except (sqlite3.Error, UnicodeDecodeError):
            theirs = {}
        clean(folder, "damaged")
        path.write_bytes(bytes_)
        report, error = repair(path, folder)
        ours = {} if report is None else with_lost_time(original, rows(path), report)
        if report is None:
            counts["refused"] += 1
        elif report["repaired"] is None:
            counts["sound"] += 1
        else:
            counts["repaired"] += 1
        differences = compare(original, ours, theirs)
        a, b = (sum(pair[place] for pair in differences.values()) for place in (2, 3))
        saved[0] += a
        saved[1] += b
        fewer = {table: pair for table, pair in differences.items() if pair[2] < pair[3]}
        counts["fewer" if a < b else "more" if a > b else "equal"] += 1
        counts["fewer in a table"] += bool(fewer)
        for table, pair in differences.items():
            if pair[2] < pair[3]:
                fewer_by_table[table] += 1
            if pair[2] > pair[3]:
                more_by_table[table] += 1
        if options.list and (fewer or report is None):
            print(f"{seed} {damage.__name__}: {error or 'repaired'}: {fewer}")
    print(f"{options.files} files of {total} rows: {counts['repaired']} repaired, {counts['sound']} sound, {counts['refused']} refused")
    print(f"rows of the original: istep {saved[0]}, .recover {saved[1]} of {total * options.files}")
    print(f"istep has more rows in {counts['more']} files, equal in {counts['equal']}, fewer in {counts['fewer']};"
          f" fewer in a table in {counts['fewer in a table']}")
    print("fewer, by table:", dict(fewer_by_table.most_common()))
    print("more, by table:", dict(more_by_table.most_common()))
    return counts["fewer"] == 0


def measure_flips(options, folder, data):
    """Single bits: whether a value of a table changed, and who noticed."""
    original = rows(folder / "base.sqlite")
    changed, unseen, passed = collections.Counter(), collections.Counter(), 0
    for seed in range(options.first, options.first + options.flips):
        chance = random.Random(seed)
        place, bit = chance.randrange(len(data)), chance.randrange(8)
        bytes_ = bytearray(data)
        bytes_[place] ^= 1 << bit
        path = folder / "flipped.sqlite"
        clean(folder, "flipped")
        path.write_bytes(bytes_)
        try:
            now = rows(path)
            with sqlite3.connect(path) as database:
                is_intact = [line for line, in database.execute("PRAGMA integrity_check")] == ["ok"]
            database.close()
        except (sqlite3.Error, UnicodeDecodeError):
            now, is_intact = {}, False
        tables = [table for table in original if now.get(table) != original[table]]
        if not tables:
            continue
        kind = "figures" if any(table in SEALED for table in tables) else "other tables"
        changed[kind] += 1
        passed += is_intact
        clean(folder, "flipped")
        path.write_bytes(bytes_)
        report, _ = repair(path, folder)
        if report is not None and report["repaired"] is None:
            unseen[kind] += 1
            if options.list:
                print(f"flip {seed}: bit {bit} of byte {place} not found: {tables}")
    print(f"{options.flips} flips: {sum(changed.values())} changed a value, {passed} of these passed integrity_check")
    for kind, count in sorted(changed.items()):
        print(f"  {kind}: {count} changed, {unseen[kind]} not found by istep")
    return unseen["figures"] * 100 <= changed["figures"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=600)
    parser.add_argument("--flips", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--page-size", type=int, default=512)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    program = shell()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = base(folder, options.page_size)
        is_met = not options.files or measure_repairs(options, folder, data, program)
        is_found = not options.flips or measure_flips(options, folder, data)
    return 0 if is_met and is_found else 1


sys.exit(main())
