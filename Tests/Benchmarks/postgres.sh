#!/bin/bash
# Measures the first share of years of minutes with PostgreSQL against psql's \copy of the same rows into an equal table, in
# the same run, and what a night's share of one day costs the server after it; prints the ratio, the memory and the time to their
# budgets, and the time of the processors, which says more on a busy machine.
#
#   swift build -c release --static-swift-stdlib --product HistoryBenchmark && .packaging/build
#   Tests/Benchmarks/postgres.sh [BUILD-DIRECTORY [DAYS]]
#
# Needs Debian's postgresql, and about 1 GB in $TMPDIR for a year. The server runs on a Unix socket, as nobody if this is root.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-.build/release}") days=${2:-365}
bench=$build/HistoryBenchmark istep=$build/istep
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
directory=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill -INT "$server"; wait; rm -rf "$directory"' EXIT
as=()
[ "$(id -u)" != 0 ] || { as=(setpriv --reuid=65534 --regid=65534 --clear-groups); chmod 755 "$directory"; }

## The server, with the settings of Debian
mkdir "$directory/pg"
[ "$(id -u)" != 0 ] || chown nobody "$directory/pg"
(cd "$directory/pg" && exec "${as[@]}" "$programs/initdb" -D "$directory/pg/data" -U owner -A trust -E UTF8 --locale=C >/dev/null)
(cd "$directory/pg" && exec "${as[@]}" "$programs/postgres" -D "$directory/pg/data" -k "$directory/pg" -c listen_addresses= >"$directory/log" 2>&1) &
server=$!
psql() { command psql -h "$directory/pg" -U owner -d "$@" -XAtq -v ON_ERROR_STOP=1; }
until psql postgres -c "SELECT" 2>/dev/null; do kill -0 $server; sleep 0.1; done
psql postgres -c "CREATE DATABASE health"

## Seconds of the processors that connections have taken which have ended; those that run them are reaped a moment later
processors() { sleep 0.5; awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($14 + $15) / tick }' "/proc/$server/stat"; }

export TZ=UTC0 HOME=$directory XDG_CONFIG_HOME=$directory ISTEP_CONFIG=$directory/config.toml
cat >"$ISTEP_CONFIG" <<END
[share.db]
kind = "postgres"
host = "$directory/pg"
database = "health"
username = "owner"
machine = "pi"
END
"$istep" postgres schema | psql health -f -

## Minutes of a person who wears the pedometer all day
"$bench" prepare "$directory/minutes.sqlite"
"$bench" merge "$directory/minutes.sqlite" 2014-01-01 "$days"
last=$(date -u -d "2014-01-01 + $((days - 1)) days" +%F)
before=$(processors) start=${EPOCHREALTIME/./}
/usr/bin/time -f "%M %U %S" -o "$directory/client" "$istep" share --db "$directory/minutes.sqlite" --from 2014-01-01 --to-day "$last" --quiet
ours=$((${EPOCHREALTIME/./} - start))
read -r memory user system <"$directory/client"
ours_busy=$(processors | awk -v a="$before" -v b="$user" -v c="$system" '{ print $1 - a + b + c }')
rows=$(psql health -c "SELECT count(*) FROM istep.sample")
psql health -c "\\copy (SELECT * FROM istep.sample) TO '$directory/rows'" >/dev/null

## The next day, as a sync of the night sends it: the time of all statements by the server's log, the median of five
night() {
    "$bench" merge "$directory/minutes.sqlite" "$1" 1 >/dev/null
    local from
    from=$(stat -c %s "$directory/log")
    "$istep" share --db "$directory/minutes.sqlite" --from "$1" --to-day "$1" --quiet >/dev/null
    tail -c "+$from" "$directory/log" | awk '/duration: / { sub(/.*duration: /, ""); sum += $1 } END { print sum }'
}
psql postgres -c "ALTER SYSTEM SET log_min_duration_statement = 0" -c "SELECT pg_reload_conf()" >/dev/null
before=$(processors)
nightly=$(for day in 1 2 3 4 5; do night "$(date -u -d "$last + $day days" +%F)"; done | sort -n | sed -n 3p)
nightly_busy=$(processors | awk -v a="$before" '{ print ($1 - a) / 5 * 1000 }')
psql postgres -c "ALTER SYSTEM RESET log_min_duration_statement" -c "SELECT pg_reload_conf()" >/dev/null

## The same rows by psql into an equal table: its key, its index, its partitions
"$istep" postgres schema | sed 's/istep\./peer./g; s/SCHEMA IF NOT EXISTS istep/SCHEMA IF NOT EXISTS peer/; s/TO istep_machine, istep_reader/TO istep_reader/' | psql health -f -
psql health -c "SELECT peer.prepare('2014-01-01', '$last')" >/dev/null
before=$(processors) start=${EPOCHREALTIME/./}
psql health -c "\\copy peer.sample FROM '$directory/rows'" >/dev/null
peer=$((${EPOCHREALTIME/./} - start))
peer_busy=$(processors | awk -v a="$before" '{ print $1 - a }')
awk -v a="$ours" -v b="$peer" -v rows="$rows" -v nightly="$nightly" -v memory="$memory" -v busy="$ours_busy" -v other="$peer_busy" \
    -v night="$nightly_busy" 'BEGIN {
    printf "sharing %d samples: %.1f s, \\copy %.1f s: %.2f times (budget: at most 2)\n", rows, a / 1e6, b / 1e6, a / b
    printf "    of the processors: %.2f s with istep itself, \\copy %.2f s without psql: %.2f times\n", busy, other, busy / other
    printf "memory: %.0f MB (budget: at most 60)\n", memory / 1024
    printf "a night: %.1f ms on the server (budget: at most 20)\n", nightly
    printf "    of the processors: %.1f ms, with its connection\n", night }'
