"""The push of one day by many people at once, for board.py.

The first people send it with `istep share` itself, as many at the same time as there are writers, each with a history, a role and a
connection of its own. The others' statements are those of one istep, as the server has logged them, sent by as many threads: a
machine that pushes 1,000 nights alone would be busy with 1,000 starts of a program. Beside it, as many psql as there were isteps
send the rows of as many people by \\copy and the same INSERT.
"""
import collections
import ctypes
import datetime
import json
import os
import re
import shutil
import subprocess
import threading
import time

libpq = ctypes.CDLL("libpq.so.5")
libpq.PQconnectdb.restype = libpq.PQexecParams.restype = ctypes.c_void_p
libpq.PQgetvalue.restype = libpq.PQerrorMessage.restype = ctypes.c_char_p
for name in ["PQstatus", "PQfinish", "PQresultStatus", "PQclear", "PQerrorMessage", "PQntuples"]:
    getattr(libpq, name).argtypes = [ctypes.c_void_p]
libpq.PQgetvalue.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
libpq.PQexecParams.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p,
                               ctypes.POINTER(ctypes.c_char_p), ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]


class Connection:
    def __init__(self, socket, role):
        self.pointer = libpq.PQconnectdb(f"host={socket} dbname=health user={role}".encode())
        if libpq.PQstatus(self.pointer) != 0:
            raise SystemExit(libpq.PQerrorMessage(self.pointer).decode())

    def run(self, statement, values=()):
        """The first value of each row."""
        texts = (ctypes.c_char_p * max(1, len(values)))(*[None if value is None else value.encode() for value in values])
        result = libpq.PQexecParams(self.pointer, statement.encode(), len(values), None, texts, None, None, 0)
        if libpq.PQresultStatus(result) not in (1, 2):
            raise SystemExit(libpq.PQerrorMessage(self.pointer).decode() + statement)
        rows = [libpq.PQgetvalue(result, row, 0).decode() for row in range(libpq.PQntuples(result))]
        libpq.PQclear(result)
        return rows

    def close(self):
        libpq.PQfinish(self.pointer)


class Watch:
    """Time, the processor's time of the server, what it has written, and what its connections waited for."""

    def __init__(self, title, people, rows, socket, server):
        self.title, self.people, self.rows, self.socket, self.server = title, people, rows, socket, server

    def processor(self):
        """Seconds of the server and of its processes that have ended or still run."""
        def read(process, first, last):
            with open(f"/proc/{process}/stat") as file:
                return sum(int(field) for field in file.read().rsplit(")", 1)[1].split()[first:last])
        ticks = read(self.server.pid, 11, 15)
        with open(f"/proc/{self.server.pid}/task/{self.server.pid}/children") as file:
            for child in file.read().split():
                try:
                    ticks += read(child, 11, 13)
                except OSError:
                    pass
        return ticks / os.sysconf("SC_CLK_TCK")

    def state(self):
        return [float(value) for value in self.observer.run(
            "SELECT unnest(ARRAY[wal_bytes, wal_sync, wal_sync_time::numeric]) FROM pg_stat_wal")]

    def sample(self):
        observer = Connection(self.socket, "owner")
        while not self.done.wait(0.02):
            for state in observer.run("SELECT coalesce(wait_event_type || ' ' || wait_event, 'the processor') FROM pg_stat_activity "
                                      "WHERE state = 'active' AND backend_type = 'client backend' AND usename <> 'owner'"):
                self.waits[state] += 1
        observer.close()

    def __enter__(self):
        self.observer, self.done, self.waits = Connection(self.socket, "owner"), threading.Event(), collections.Counter()
        self.thread = threading.Thread(target=self.sample)
        self.thread.start()
        self.before, self.cpu, self.began = self.state(), self.processor(), time.monotonic()
        return self

    def __exit__(self, *_):
        seconds = time.monotonic() - self.began
        self.done.set()
        self.thread.join()
        time.sleep(1)  # until processes have reported
        cpu = self.processor() - self.cpu
        written, syncs, syncing = [after - before for after, before in zip(self.state(), self.before)]
        self.observer.close()
        total = sum(self.waits.values()) or 1
        waits = ", ".join(f"{state} {count * 100 / total:.0f} %" for state, count in self.waits.most_common(4))
        print(f"{self.title}: {seconds:.2f} s, {self.people / seconds:.0f} people/s, {self.people * self.rows / seconds:.0f} samples/s\n"
              f"    server: {cpu * 1e3 / self.people:.1f} ms of processor a person ({cpu / seconds:.1f} of {os.cpu_count()}), "
              f"{written / self.people / 1024:.0f} KiB of WAL, {syncs:.0f} syncs that took {syncing / 1e3:.2f} s\n"
              f"    its connections: {waits}", flush=True)


def together(count, work):
    """Calls it with 0 to `count` - 1, at the same time."""
    threads = [threading.Thread(target=work, args=[index]) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def recorded(log, role):
    """The statements of a role with their parameters."""
    found = []
    with open(log) as file:
        for line in file:
            entry = json.loads(line)
            if entry.get("user") == role and entry.get("message", "").startswith("execute"):
                values = re.findall(r"\$\d+ = (?:NULL|'((?:[^']|'')*)')(?=, \$|$)", entry.get("detail", ""), re.S)
                nulls = re.findall(r"\$\d+ = (NULL|')", entry.get("detail", ""))
                values = [None if null == "NULL" else value.replace("''", "'") for value, null in zip(values, nulls)]
                found.append((entry["message"].split(": ", 1)[1], values))
    return found


def measure(options, socket, server, psql, day):
    people, writers, slots = options.people, min(options.writers, options.people // 2), 96
    directory = os.path.dirname(socket)
    psql("\n".join(f"CREATE ROLE m{n:05} LOGIN IN ROLE istep_machine; SELECT istep.enrol('P-{n:05}', 'm{n:05}');"
                   for n in range(1, people + 1)))
    start = datetime.datetime.combine(day, datetime.time(), datetime.timezone.utc)
    moments = [start + datetime.timedelta(minutes=15 * slot) for slot in range(slots + 1)]
    with open(f"{directory}/day.csv", "w") as file:
        file.write("start,end,steps\n")
        for slot in range(slots):
            file.write(f"{moments[slot]:%Y-%m-%dT%H:%M:%SZ},{moments[slot + 1]:%Y-%m-%dT%H:%M:%SZ},{slot + 1}\n")
    home = dict(os.environ, HOME=directory, TZ="UTC0", XDG_CONFIG_HOME=directory, XDG_RUNTIME_DIR=directory)

    def istep(n, *words):
        return [options.istep, *words, "--db", f"{directory}/{n}.sqlite", "--config", f"{directory}/{n}.toml", "--quiet"]

    for n in range(1, writers + 2):
        with open(f"{directory}/{n}.toml", "w") as file:
            file.write(f"[share.db]\nkind = 'postgres'\nhost = '{socket}'\ndatabase = 'health'\nusername = 'm{n:05}'\n"
                       f"machine = 'machine-{n}'\nsubjects = {{ Ada = 'P-{n:05}' }}\n")
        if n == 1:
            subprocess.run(istep(1, "users", "add", "Ada"), check=True, env=home, stdout=subprocess.DEVNULL)
            subprocess.run(istep(1, "import", f"{directory}/day.csv", "--yes", "--zone", "UTC"), check=True, env=home,
                           stdout=subprocess.DEVNULL)
        else:
            shutil.copy(f"{directory}/1.sqlite", f"{directory}/{n}.sqlite")

    def share(n):
        subprocess.run(istep(n, "share", "--from", str(day), "--to-day", str(day)), check=True, env=home, stdout=subprocess.DEVNULL)

    # One that is recorded; then all other processes.
    psql("ALTER ROLE m00001 SET log_statement = 'all'")
    share(1)
    statements = recorded(f"{socket}/log.json", "m00001")
    revision = next(values[0] for text, values in statements if "INSERT INTO istep.day" in text)
    with Watch(f"{writers} istep at once", writers, slots, socket, server):
        together(writers, lambda index: share(index + 2))

    rest = list(range(writers + 2, people - writers + 1))

    def send(n):
        connection, number = Connection(socket, f"m{n:05}"), None
        for text, values in statements:
            new = [value and value.replace("P-00001", f"P-{n:05}") for value in values]
            new = [f"machine-{n}" if value == "machine-1" else number if value == revision else value for value in new]
            rows = connection.run(text, new)
            number = rows[0] if "nextval" in text else number
        connection.close()

    def sender(index):
        for n in rest[index::writers]:
            send(n)

    with Watch(f"the statements of {len(rest)} by {writers} connections", len(rest), slots, socket, server):
        together(writers, sender)

    columns = "subject, machine, source, started, seconds, steps, utc_offset, day, rank, distance_m, energy_kcal"
    for n in range(people - writers + 1, people + 1):
        with open(f"{directory}/{n}.rows", "w") as file:
            for slot in range(slots):
                file.write(f"P-{n:05}\tmachine-{n}\tring\t{moments[slot]}\t900\t{slot + 1}\t0\t{day}\t1\t\\N\t\\N\n")
        with open(f"{directory}/{n}.sql", "w") as file:
            file.write(f"""BEGIN;
                INSERT INTO istep.day VALUES ('P-{n:05}', '{day}', 'machine-{n}', 4656, NULL, NULL, NULL, 'complete', false, NULL, 0,
                    '{{}}', true, now(), nextval('istep.revision'), now()) ON CONFLICT (subject, day, machine)
                    DO UPDATE SET steps = excluded.steps, revision = excluded.revision WHERE day.revision < excluded.revision;
                CREATE TEMPORARY TABLE sent ON COMMIT DROP AS SELECT {columns} FROM istep.sample WITH NO DATA;
                \\copy sent FROM '{directory}/{n}.rows'
                INSERT INTO istep.sample ({columns}) SELECT * FROM sent ON CONFLICT (subject, started, machine, source)
                    DO UPDATE SET steps = excluded.steps;
                SELECT istep.settle(ARRAY['P-{n:05}'], ARRAY['{day}'::date]);
                COMMIT;
                """)

    def peer(index):
        n = people - writers + 1 + index
        subprocess.run(["psql", "-h", socket, "-U", f"m{n:05}", "-d", "health", "-Xq", "-v", "ON_ERROR_STOP=1",
                        "-f", f"{directory}/{n}.sql"], check=True, stdout=subprocess.DEVNULL)

    with Watch(f"{writers} psql at once, with the same rows", writers, slots, socket, server):
        together(writers, peer)
    stored = psql(f"SELECT count(*), sum(steps), sum(machines), (SELECT sum(h) FROM istep.total, unnest(hours) AS h WHERE day = '{day}') "
                  f"FROM istep.total WHERE day = '{day}'").strip()
    steps = slots * (slots + 1) // 2 * people
    expected = f"{people}|{steps}|{people}|{steps}"
    print("every day is there once" if stored == expected else f"WRONG: {stored} instead of {expected}")
