#!/bin/bash
# Measures the report and the local page on ten years of minutes (5 million samples), beside the sqlite3 shell's sums of the same samples in
# the same run.
#
#   swift build -c release --static-swift-stdlib --product HistoryBenchmark && .packaging/build
#   Tests/Benchmarks/pages.sh [BUILD-DIRECTORY]
#
# Needs sqlite3, curl and about 1 GB in $TMPDIR for as long as it runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-.build/release}
bench=$build/HistoryBenchmark istep=$build/istep
directory=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$directory"' EXIT
export TZ=UTC0 HOME=$directory XDG_CONFIG_HOME=$directory XDG_DATA_HOME=$directory XDG_RUNTIME_DIR=$directory

microseconds() {    # of a command, silenced
    local start=${EPOCHREALTIME/./}
    "$@" >/dev/null
    echo $((${EPOCHREALTIME/./} - start))
}
median() { sort -n | sed -n "$((($1 + 1) / 2))p"; }
milliseconds() { awk -v t="$1" 'BEGIN { printf "%.1f ms", t / 1000 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

database=$directory/decade.sqlite
"$bench" prepare "$database"
today=$(($(date +%s) / 86400))
days=3652
first=$(((today - days + 1) * 1440))
sqlite3 "$database" "INSERT INTO sample SELECT 1, value * 60, 60, value * 7919 % 150, NULL, NULL, 0, 1
        FROM generate_series($first, $first + $days * 1440 - 1)"
echo "samples: $(sqlite3 "$database" 'SELECT count(*) FROM sample')"

year_start=$(($(date -d "$(date +%Y)-01-01" +%s)))
by_day="SELECT start / 86400, sum(steps) FROM sample WHERE pedometer = 1"
echo "first figures after the samples were stored: $(milliseconds "$(microseconds "$istep" report --db "$database")")"
rounds=5
for ((i = 0; i < rounds; i++)); do
    microseconds "$istep" report --db "$database" >>"$directory/report"
    microseconds sqlite3 "$database" "$by_day GROUP BY 1" >>"$directory/sums"
    microseconds sqlite3 "$database" "$by_day AND start >= $year_start GROUP BY 1" >>"$directory/sums-year"
done
report=$(median $rounds <"$directory/report") sums=$(median $rounds <"$directory/sums")
echo "istep report, ten years: $(milliseconds "$report") (budget: at most 1000 ms), $("$istep" report --db "$database" | wc -c) bytes;" \
    "sqlite3, sums by day: $(milliseconds "$sums"); ratio $(ratio "$report" "$sums")"

"$istep" serve --port 0 --db "$database" >"$directory/out" &
server=$!
until address=$(grep -o 'http://127[^ ]*' "$directory/out"); do sleep 0.05; done
base=${address%/open/*} jar=$directory/jar
curl -s -o /dev/null -c "$jar" "$address"
page() { curl -s -b "$jar" -o /dev/null -w '%{time_starttransfer} %{time_total}\n' "$@"; }
echo "page of the year, the first: $(page "$base/year")  (first byte, whole; seconds)"
# One connection for all (curl keeps it), so that only the page is measured.
kept() {            # PATH: median of the time until the first byte and of the whole time, in microseconds
    local urls=() i
    for ((i = 0; i < 21; i++)); do urls+=(-o /dev/null "$base$1"); done
    curl -s -b "$jar" -w '%{time_starttransfer} %{time_total}\n' "${urls[@]}" >"$directory/pages"
    awk '{ print int($1 * 1000000) }' "$directory/pages" | median 21
    awk '{ print int($2 * 1000000) }' "$directory/pages" | median 21
}
{ read -r first_byte && read -r whole; } < <(kept /year)
{ read -r first_byte_overview && read -r whole_overview; } < <(kept /)
peer=$(median $rounds <"$directory/sums-year")
echo "page of the year, keep-alive: first byte $(milliseconds "$first_byte"), whole $(milliseconds "$whole") (budget: at most 50 ms);" \
    "sqlite3, sums of the year by day: $(milliseconds "$peer"); ratio $(ratio "$whole" "$peer")"
echo "overview, keep-alive: first byte $(milliseconds "$first_byte_overview"), whole $(milliseconds "$whole_overview") (budget: at most 50 ms)"
echo "memory of istep serve: $(awk '/VmHWM/ { print int($2 / 1024) " MB" }' "/proc/$server/status") (budget: below 60 MB)"
for ((i = 0; i < 41; i++)); do microseconds "$istep" --version >>"$directory/start"; done
echo "istep --version: $(median 41 <"$directory/start") µs (budget: at most 6,000)"
