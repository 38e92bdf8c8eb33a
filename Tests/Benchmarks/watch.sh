#!/bin/bash
# Measures what 'istep watch' costs while nothing happens: how often it wakes, and its memory. On a simulated BlueZ, with monitors of
# advertisements and without, while it looks for a ring that is away, and while it waits with all read.
#
#   swift build -c release --static-swift-stdlib --product WatchBenchmark && .packaging/build
#   Tests/Benchmarks/watch.sh [BUILD-DIRECTORY [SECONDS]]
#
# A wake is a voluntary context switch of any of its threads: a thread that slept goes on. Needs dbus-daemon.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-.build/release}") seconds=${2:-120}
istep=$build/istep
directory=$(mktemp -d)
stage= watch=
finish() {
    [ -z "$watch" ] || kill "$watch" 2>/dev/null || true
    exec 8>&- 2>/dev/null || true
    wait
    rm -rf "$directory"
}
trap finish EXIT
export HOME=$directory XDG_CONFIG_HOME=$directory XDG_DATA_HOME=$directory XDG_RUNTIME_DIR=$directory

## Switches of all threads so far: those that have ended meanwhile are lost, so it is looked at often
switches() { { cat /proc/"$1"/task/*/status 2>/dev/null || true; } | awk '/^voluntary_ctxt_switches/ { sum += $2 } END { print sum + 0 }'; }

measure() {     # WHAT: of the process $watch
    local sum=0 last now i
    last=$(switches "$watch")
    for ((i = 0; i < seconds; i++)); do
        sleep 1
        now=$(switches "$watch")
        [ "$now" -le "$last" ] || sum=$((sum + now - last))
        last=$now
    done
    awk -v what="$1" -v wakes=$sum -v seconds="$seconds" '/^VmRSS/ { rss = $2 } /^VmHWM/ { peak = $2 } END {
        printf "%s: %.2f wakes/s, %.1f MB (at most %.1f MB); budget: below 1 wake/s, 30 MB\n", what, wakes / seconds, rss / 1024, peak / 1024
    }' "/proc/$watch/status"
}

run() {         # monitor|scans away|read
    local address ring line
    rm -rf "$directory"/{istep,in,out}
    mkfifo "$directory/in"
    "$build/WatchBenchmark" "$1" <"$directory/in" >"$directory/out" &
    stage=$!
    exec 8>"$directory/in"
    until read -r address ring <"$directory/out"; do kill -0 $stage; sleep 0.1; done 2>/dev/null
    export DBUS_SYSTEM_BUS_ADDRESS=$address
    "$istep" add "$ring" --name ring --quiet
    [ "$2" = read ] || echo out >&8
    "$istep" watch --unattended >"$directory/watched" 2>&1 &
    watch=$!
    [ "$2" = away ] || until grep -q steps "$directory/watched"; do kill -0 $watch; sleep 0.5; done
    sleep 5         # what the start, or the sync, still has to do
    measure "$1, ring $2"
    kill $watch
    wait $watch
    watch=
    exec 8>&-
    wait $stage
}

for means in monitor scans; do
    for ring in away read; do run $means $ring; done
done
