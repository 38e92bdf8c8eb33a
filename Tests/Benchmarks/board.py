#!/usr/bin/env python3
"""Measures a shared PostgreSQL database with many people: the queries of Grafana's dashboard, what a row costs, and a night's push.

    swift build -c release --static-swift-stdlib --product istep
    Tests/Benchmarks/board.py [--people 1000] [--days 365] [--rounds 9] [--writers 100] [--istep PATH]

Makes the rows in the database itself: 96 samples a day of one pedometer for each person, until the day before yesterday. 1,000
people and a year are 35 million samples, which need 9 GB in $TMPDIR and some ten minutes. Needs Debian's postgresql; the server
runs on a Unix socket, as nobody if this is root. Prints

- the shortest and the median time of each query; budget: at most 100 ms;
- bytes and index bytes of a row, and how long it takes to count the hours of a day that an earlier version has stored;
- the push of yesterday by everybody (night.py), with fsync as a server has it.
"""
import argparse
import datetime
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import night

here = os.path.dirname(os.path.abspath(__file__))
arguments = argparse.ArgumentParser()
arguments.add_argument("--people", type=int, default=1000)
arguments.add_argument("--days", type=int, default=365)
arguments.add_argument("--rounds", type=int, default=9)
arguments.add_argument("--writers", type=int, default=100)
arguments.add_argument("--istep", default=os.path.join(here, "../../.build/release/istep"))
options = arguments.parse_args()
last_day = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=2)
programs = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
directory = tempfile.mkdtemp()
os.chmod(directory, 0o755)
socket = os.path.join(directory, "pg")
os.mkdir(socket)
if nobody:
    os.chown(socket, 65534, 65534)


def psql(text, database="health"):
    words = ["psql", "-h", socket, "-U", "owner", "-d", database, "-XAtq", "-v", "ON_ERROR_STOP=1"]
    return subprocess.run(words, input=text, check=True, stdout=subprocess.PIPE, text=True).stdout


def start(*settings):
    words = [programs + "/postgres", "-D", socket + "/data", "-k", socket, "-c", "listen_addresses=", "-c", "max_wal_size=4GB"]
    words += [word for setting in settings for word in ("-c", setting)]
    server = subprocess.Popen(words, cwd=socket, stderr=subprocess.DEVNULL, **nobody)
    while subprocess.run(["pg_isready", "-q", "-h", socket]).returncode:
        time.sleep(0.1)
    return server


def queries():
    with open(os.path.join(here, "../../.github/manual/dashboards/postgres.json")) as file:
        board = json.load(file)
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["rawSql"]
    for variable in board["templating"]["list"]:
        if variable.get("type") == "query":
            yield "people to choose from", variable["query"]


def load():
    psql("CREATE DATABASE health", "postgres")
    psql(subprocess.run([options.istep, "postgres", "schema"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    people, last = f"generate_series(1, {options.people}) AS n", f"'{last_day}'::timestamp"
    first = f"{last} - interval '{options.days - 1} days'"
    psql(f"""
        INSERT INTO istep.subject SELECT 'P-' || to_char(n, 'FM00000'), 'team ' || n % 20 FROM {people};
        INSERT INTO istep.day (subject, day, machine, steps, distance_m, energy_kcal, goal, completeness, in_progress, utc_offset,
            excluded, has_samples, last_sync, revision, received, evidence)
        SELECT 'P-' || to_char(n, 'FM00000'), d::date, 'machine-' || n, 4000 + (n * 37 + extract(doy FROM d)::integer * 91) % 9000,
            5000, 200, 8000, CASE WHEN (n + extract(doy FROM d)::integer) % 11 = 0 THEN 'partial' ELSE 'complete' END, false, 0,
            '{{}}', true, d + interval '1 day', 1, d + interval '1 day',
            '{{"sources":[{{"coverage":[[1764201600,1764288000,0]],"name":"ring","rank":1}}]}}'
        FROM {people}, generate_series({first}, {last}, '1 day') AS d;
        INSERT INTO istep.total SELECT subject, day, steps, distance_m, energy_kcal, goal, completeness = 'complete', false, false, 1,
            0, last_sync FROM istep.day;
        SELECT setval('istep.revision', 2);
        SELECT istep.prepare({first}, {last} + interval '1 day');
        """)
    # A month at a time, in the order of the key.
    months = psql(f"SELECT generate_series(date_trunc('month', {first}), {last}, '1 month')::date").split()
    for month in months:
        psql(f"""
            INSERT INTO istep.sample SELECT 'P-' || to_char(n, 'FM00000'), 'machine-' || n, 'ring', t AT TIME ZONE 'UTC', 900,
                (n + extract(epoch FROM t)::bigint / 900 % 97)::integer % 120, 0, t::date, 1, NULL, NULL
            FROM {people}, generate_series(greatest('{month}'::timestamp, {first}), least('{month}'::timestamp + interval '1 month'
                - interval '15 minutes', {last} + interval '1 day' - interval '15 minutes'), '15 minutes') AS t
            """)
    psql("ANALYZE istep.sample, istep.day")
    began = time.monotonic()
    psql(subprocess.run([options.istep, "postgres", "schema"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    days = options.people * options.days
    print(f"hours of {days} days counted: {time.monotonic() - began:.0f} s, "
          f"{(time.monotonic() - began) * 1e3 / days:.2f} ms a day")
    psql("VACUUM FULL istep.total")
    psql("VACUUM ANALYZE")


def sizes():
    for table in ["sample", "day", "total"]:
        rows, heap, indexes = psql(f"""
            WITH part AS (SELECT coalesce(i.inhrelid, c.oid) AS oid FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhparent = c.oid
                WHERE c.oid = 'istep.{table}'::regclass)
            SELECT (SELECT count(*) FROM istep.{table}), sum(pg_table_size(oid)), sum(pg_indexes_size(oid)) FROM part""").split("|")
        print(f"istep.{table}: {rows} rows, {int(heap) / int(rows):.0f} bytes a row and {int(indexes) / int(rows):.0f} of indexes")


def measure(title, query, people):
    chosen = ",".join(f"'P-{n:05}'" for n in range(1, people + 1))
    month = [last_day - datetime.timedelta(days=30), last_day + datetime.timedelta(days=1)]
    query = re.sub(r"\$__timeFilter\((\w+)\)", rf"\1 BETWEEN '{month[0]}T00:00:00Z' AND '{month[1]}T00:00:00Z'", query)
    query = query.replace("$subject", chosen)
    said = psql("SET ROLE istep_reader;\n\\o /dev/null\n\\timing on\n" + (query + ";\n") * options.rounds)
    times = sorted(float(found) for found in re.findall(r"Time: ([\d.]+) ms", said))
    print(f"{title:32} {times[0]:8.1f} {times[len(times) // 2]:8.1f} ms", flush=True)


server = None
try:
    initdb = [programs + "/initdb", "-D", socket + "/data", "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C"]
    subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd=socket, **nobody)
    server = start("fsync=off")
    load()
    sizes()
    print("shortest and median time of each query (budget: at most 100 ms)")
    for title, query in queries():
        measure(title, query, 1)
    for title, query in queries():
        for people in [5, 20] if "$subject" in query else []:
            measure(f"{title}, {people} people", query, people)
    if options.writers:
        server.terminate()
        server.wait()
        server = start(f"max_connections={options.writers + 20}", "logging_collector=on", "log_destination=jsonlog",
                       f"log_directory={socket}", "log_filename=log", "track_wal_io_timing=on")
        night.measure(options, socket, server, psql, last_day + datetime.timedelta(days=1))
finally:
    if server:
        server.terminate()
        server.wait()
    shutil.rmtree(directory)
