#!/bin/bash
# Measures the history against the sqlite3 shell in the same run, and prints ratios to the budgets.
#
#   swift build -c release --static-swift-stdlib --product HistoryBenchmark && .packaging/build
#   Tests/Benchmarks/history.sh [BUILD-DIRECTORY]
#
# Needs sqlite3 and about 1 GB in $TMPDIR for as long as it runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-.build/release}
bench=$build/HistoryBenchmark istep=$build/istep
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

microseconds() {    # of a command, silenced
    local start=${EPOCHREALTIME/./}
    "$@" >/dev/null
    echo $((${EPOCHREALTIME/./} - start))
}
median() { sort -n | sed -n "$((($1 + 1) / 2))p"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

fill() {                    # DB, first minute, minutes: rows as merging would have put them
    sqlite3 "$1" "INSERT INTO sample SELECT 1, value * 60, 60, value * 7919 % 150, NULL, NULL, 0, 1
        FROM generate_series($2, $2 + $3 - 1)"
}

## Merging: a year of minutes, a day a batch, against .import of the same rows into the same table, without istep's triggers
days=365
first=$((16071 * 1440))     # 2014-01-01
"$bench" prepare "$directory/source.sqlite"
fill "$directory/source.sqlite" $first $((days * 1440))
# The shell's .import would make an empty distance a text; so both columns have a number.
sqlite3 -csv "$directory/source.sqlite" \
    "SELECT pedometer, start, length, steps, 0.5, 0.5, utc_offset, sync FROM sample" >"$directory/rows.csv"
rounds=5
for ((i = 0; i < rounds; i++)); do
    rm -f "$directory"/merged.sqlite* "$directory"/imported.sqlite*
    "$bench" prepare "$directory/merged.sqlite"
    "$bench" prepare "$directory/imported.sqlite"
    sqlite3 "$directory/imported.sqlite" "DROP TRIGGER day_sum_sample_insert; DROP TRIGGER seal_sample_insert"
    microseconds "$bench" merge "$directory/merged.sqlite" 2014-01-01 $days >>"$directory/merge"
    microseconds sqlite3 "$directory/imported.sqlite" ".import --csv $directory/rows.csv sample" >>"$directory/import"
done
rows=$((days * 1440))
[ "$(sqlite3 "$directory/merged.sqlite" "SELECT count(*), sum(steps) FROM sample")" = \
    "$(sqlite3 "$directory/imported.sqlite" "SELECT count(*), sum(steps) FROM sample")" ] || { echo "different rows" >&2; exit 1; }
ours=$(median $rounds <"$directory/merge") peer=$(median $rounds <"$directory/import")
echo "merge: $((rows * 1000 / (ours / 1000))) rows/s, sqlite3 .import $((rows * 1000 / (peer / 1000))) rows/s:" \
    "$(ratio "$peer" "$ours") of its speed (budget: at least 0.5)"

## A day out of ten years of minutes, whole process, against the shell doing the same sum
"$bench" prepare "$directory/decade.sqlite"
fill "$directory/decade.sqlite" $first $((3652 * 1440))
day=2019-06-01
start=$((18048 * 86400))
query="SELECT sum(steps) FROM sample WHERE pedometer = 1 AND start >= $start AND start < $start + 86400"
# Wherever this machine stands, the day is that of the rows' offset.
export TZ=UTC0 HOME=$directory XDG_CONFIG_HOME=$directory
show() { "$istep" show $day --db "$directory/$1.sqlite" --json; }
counted=$(show decade | python3 -c 'import json, sys; print(json.load(sys.stdin)["steps"])')
[ "$counted" = "$(sqlite3 "$directory/decade.sqlite" "$query")" ] || { echo "different sums" >&2; exit 1; }
"$bench" prepare "$directory/month.sqlite"
fill "$directory/month.sqlite" $((18048 * 1440)) $((30 * 1440))
rounds=101
for ((i = 0; i < rounds; i++)); do
    microseconds "$istep" show $day --db "$directory/decade.sqlite" >>"$directory/show"
    microseconds "$istep" show $day --db "$directory/month.sqlite" >>"$directory/show-month"
    microseconds sqlite3 "$directory/decade.sqlite" "$query" >>"$directory/sum"
    microseconds "$istep" --version >>"$directory/start"
done
ours=$(median $rounds <"$directory/show") peer=$(median $rounds <"$directory/sum")
month=$(median $rounds <"$directory/show-month")
echo "istep show: $ours µs, sqlite3 $peer µs: $(ratio "$ours" "$peer") times (budget: at most 4)"
echo "istep show on one month: $month µs: ten years take $(ratio "$ours" "$month") times that (budget: at most 1.1)"

## The days of a year and of ten years, whole process, against the shell grouping the same samples by day
grouped() { # FROM TO: days since 1970, the last not included
    sqlite3 "$directory/decade.sqlite" "SELECT (start + utc_offset) / 86400, sum(steps) FROM sample
        WHERE pedometer = 1 AND start >= $1 * 86400 AND start < $2 * 86400 GROUP BY 1"
}
year() { "$istep" history year --on 2019-06-01 --db "$directory/decade.sqlite" "$@"; }
decade() { "$istep" history --from 2014-01-01 --to 2023-12-31 --db "$directory/decade.sqlite" "$@"; }
begin=$(microseconds decade)
sum() { awk -F, 'NR > 1 { sum += $2 } END { print sum }'; }
[ "$(decade --by day --csv | sum)" = "$(grouped 16071 19723 | awk -F'|' '{ sum += $2 } END { print sum }')" ] ||
    { echo "different sums of ten years" >&2; exit 1; }
[ "$(year --by day --csv | sum)" = "$(grouped 17897 18262 | awk -F'|' '{ sum += $2 } END { print sum }')" ] ||
    { echo "different sums of a year" >&2; exit 1; }
rounds=9
for ((i = 0; i < rounds; i++)); do
    microseconds year >>"$directory/year"
    microseconds grouped 17897 18262 >>"$directory/year-sum"
    microseconds decade >>"$directory/ten"
    microseconds grouped 16071 19723 >>"$directory/ten-sum"
done
ours=$(median $rounds <"$directory/year") peer=$(median $rounds <"$directory/year-sum")
echo "istep history year: $ours µs, sqlite3 $peer µs: $(ratio "$ours" "$peer") times (budget: at most 0.5)"
ours=$(median $rounds <"$directory/ten") peer=$(median $rounds <"$directory/ten-sum")
echo "istep history of ten years: $ours µs, sqlite3 $peer µs: $(ratio "$ours" "$peer") times (budget: at most 1.5)"
echo "istep history of ten years, the first time, when it stores the sums of days: $begin µs: $(ratio "$begin" "$peer") times"
echo "istep --version: $(median $rounds <"$directory/start") µs (budget: at most 6,000)"
