#!/bin/bash
# Measures a ring's decoder against colmi_r02_client's parser on the same frames, and prints the ratio.
#
#   swift build -c release --static-swift-stdlib --product DecoderBenchmark
#   Tests/Benchmarks/decoder.sh [BUILD-DIRECTORY]
#
# Needs python3 with venv; the client comes from PyPI into a folder that is removed again.
set -euo pipefail
cd "$(dirname "$0")/../.."
bench=${1:-.build/release}/DecoderBenchmark
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" install -q -r Tests/RealStack/requirements-client.txt

peer="$directory/peer.py"
cat >"$peer" <<'PYTHON'
import sys, time
from colmi_r02_client.steps import SportDetailParser

def packet(*head):
    body = bytearray(head) + bytearray(15 - len(head))
    return body + bytearray([sum(body) & 255])

day = [packet(0x43, 0xF0, 60, 1)] + [
    packet(0x43, 0x24, 0x10, 0x04, 20 + i, i, 60, 50, 0, 144, 1, 44, 1) for i in range(60)]
start, frames = time.perf_counter(), 0
for _ in range(int(sys.argv[1])):
    parser = SportDetailParser()
    for p in day:
        parser.parse(p)
        frames += 1
print(round(frames / (time.perf_counter() - start)), file=sys.stderr)
PYTHON

rate() {        # of DecoderBenchmark, in frames a second, its start not counted
    local start=${EPOCHREALTIME/./} rounds=5000 frames
    "$bench" 0 >/dev/null
    local idle=$((${EPOCHREALTIME/./} - start))
    start=${EPOCHREALTIME/./}
    frames=$("$bench" $rounds | cut -d' ' -f1)
    echo $((frames * 1000000 / (${EPOCHREALTIME/./} - start - idle)))
}
ours=$(for _ in 1 2 3 4 5; do rate; done | sort -n | sed -n 3p)
theirs=$(for _ in 1 2 3 4 5; do "$directory/venv/bin/python" "$peer" 10000 2>&1 >/dev/null; done | sort -n | sed -n 3p)
echo "decoder: $ours frames/s, colmi_r02_client $theirs frames/s:" \
    "$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.1f", a / b }') times (budget: over 1,000,000 frames/s)"
