#!/bin/bash
# Measures the sharing of ten years of days with a server on this machine against curl doing the same requests over one
# connection, in the same run, and prints the ratio to the budget.
#
#   swift build -c release --static-swift-stdlib --product HistoryBenchmark && .packaging/build
#   Tests/Benchmarks/sharing.sh [BUILD-DIRECTORY]
#
# Needs nginx (package nginx-light), curl and python3.
set -euo pipefail
cd "$(dirname "$0")/../.."
for program in /usr/sbin/nginx curl python3; do
    command -v "$program" >/dev/null || { echo "sharing.sh: $program is missing: apt-get install nginx-light curl python3" >&2; exit 1; }
done
build=$(realpath "${1:-.build/release}")
bench=$build/HistoryBenchmark istep=$build/istep
directory=$(mktemp -d)
# The server keeps files in memory: how a disk takes thousands of them is not what is measured. The ledger is on disk.
www=$(mktemp -d -p /dev/shm)
server=
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$directory" "$www"' EXIT

microseconds() {    # of a command, silenced
    local start=${EPOCHREALTIME/./}
    "$@" >/dev/null
    echo $((${EPOCHREALTIME/./} - start))
}
median() { sort -n | sed -n "$((($1 + 1) / 2))p"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

## A server that keeps what it is given: nginx with PUT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir -p "$www/temp"
chmod 755 "$directory" "$www"
cat >"$directory/nginx.conf" <<END
daemon off;
pid $directory/nginx.pid;
error_log $directory/error.log;
worker_processes 1;
$([ "$(id -u)" != 0 ] || echo "user root;")
events {}
http {
    access_log off;
    client_body_temp_path $www/temp;
    keepalive_requests 100000;
    server {
        listen 127.0.0.1:$port;
        root $www;
        location / { dav_methods PUT; create_full_put_path on; }
    }
}
END
/usr/sbin/nginx -c "$directory/nginx.conf" -e "$directory/error.log" &
server=$!
until curl -s -o "$directory/probe" "http://127.0.0.1:$port/"; do kill -0 $server; done

## Ten years of days
first=2014-01-01 days=3652 last=2023-12-31
"$bench" prepare "$directory/decade.sqlite"
"$bench" slots "$directory/decade.sqlite" $first $days
export TZ=UTC0 HOME=$directory XDG_CONFIG_HOME=$directory ISTEP_CONFIG=$directory/config.toml
cat >"$ISTEP_CONFIG" <<END
[share.server]
kind = "rest"
url = "http://127.0.0.1:$port/istep"
END
# The same requests for curl, as istep itself shows them.
"$istep" share --db "$directory/decade.sqlite" --from $first --to-day $last --dry-run --json >"$directory/previews.json"
python3 - "$directory" "$port" <<'END'
import json, sys
directory, port = sys.argv[1:]
blocks = []
for preview in json.load(open(f"{directory}/previews.json"))["previews"]:
    head, body = preview["content"].split("\n\n", 1)
    request, *headers = head.split("\n")
    method, target, _ = request.split(" ")
    lines = [f'url = "http://127.0.0.1:{port}{target.replace("/istep/", "/curl/")}"', f'request = "{method}"', f"data-binary = {json.dumps(body)}"]
    lines += [f"header = {json.dumps(header)}" for header in headers if header.split(":")[0] not in ("Host", "Content-Length")]
    blocks.append("\n".join(lines + ["silent", "fail", 'output = "/dev/null"']))
open(f"{directory}/curl.conf", "w").write("\nnext\n".join(blocks) + "\n")
END

rounds=5
for ((i = 0; i < rounds; i++)); do
    rm -rf "$www/istep" "$www/curl"
    cp "$directory/decade.sqlite" "$directory/round.sqlite"
    rm -f "$directory"/round.sqlite-*
    sync
    microseconds "$istep" share --db "$directory/round.sqlite" --from $first --to-day $last --quiet >>"$directory/ours"
    microseconds curl -K "$directory/curl.conf" >>"$directory/peer"
    [ "$(find "$www/istep" -type f | wc -l)" = $days ] || { echo "not all days arrived" >&2; exit 1; }
    diff -rq "$www/istep" "$www/curl" >&2 || { echo "different days" >&2; exit 1; }
done
ours=$(median $rounds <"$directory/ours") peer=$(median $rounds <"$directory/peer")
echo "sharing $days days: $((ours / 1000)) ms, curl $((peer / 1000)) ms: $(ratio "$ours" "$peer") times (budget: at most 1.5)"
