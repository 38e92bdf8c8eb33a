#!/usr/bin/env python3
"""For `bench`: what each program needed for the ring's 7 days, and istep against its budget.

    report.py DIRECTORY     with runs.json and hci.btsnoop
"""
import json
import statistics
import sys
from pathlib import Path

import btsnoop

SCRIPT, CLIENT, ISTEP = "minimal bleak script", "colmi_r02_client", "istep sync"
# The client's own `sync`, with its database, is in its repository but not in the version that PyPI
# has. Counted instructions do not depend on the machine, so what it needed once stands here.
CLIENT_SYNC = {"cpu": 2.1, "megabytes": 54}


def with_links(run, links):
    """A run with the connections in its trace. (A link may outlive its program by a little.)"""
    own = [link for link in links if run["start"] <= link.start <= run["end"]]
    run["connections"] = len(own)
    run["connected"] = sum((link.end or run["end"]) - link.start for link in own)
    # From the connection to the last packet. After that BlueZ keeps a link for 1.75 to 2.75 s: see measure.py.
    run["in use"] = sum(link.last_packet - link.start for link in own)
    run["att"] = sum(link.sent.total() for link in own)
    return run


def table(medians):
    print(f"{'':22} {'CPU s':>8} {'MB':>7} {'ATT out':>8} {'in use s':>9} {'connected s':>12} {'whole s':>8}")
    for name, m in medians.items():
        print(f"{name:22} {m['cpu']:8.3f} {m['megabytes']:7.1f} {m['att']:8.0f} {m['in use']:9.2f} {m['connected']:12.2f} {m['seconds']:8.2f}")


def budgets(medians):
    """(what, istep's share, its budget) for each line of the budget."""
    istep, script = medians[ISTEP], medians[SCRIPT]
    return [
        ("CPU / bleak script", istep["cpu"] / script["cpu"], 0.4),
        ("CPU / colmi_r02_client's sync", istep["cpu"] / CLIENT_SYNC["cpu"], 0.1),
        ("memory / bleak script", istep["megabytes"] / script["megabytes"], 1),
        ("memory / colmi_r02_client's sync", istep["megabytes"] / CLIENT_SYNC["megabytes"], 0.5),
        ("ATT packets out beyond the script's", istep["att"] - script["att"], 3),
        ("connected / bleak script", istep["connected"] / script["connected"], 1),
        ("wall time / bleak script", istep["seconds"] / script["seconds"], 1),
    ]


def main():
    directory = Path(sys.argv[1])
    links = btsnoop.connections(directory / "hci.btsnoop")
    runs = [with_links(run, links) for run in json.loads((directory / "out/runs.json").read_text())]
    medians = {}
    for name in dict.fromkeys(run["program"] for run in runs):
        own = [run for run in runs if run["program"] == name]
        medians[name] = {key: (statistics.mean if key == "connected" else statistics.median)(run[key] for run in own)
                         for key in own[0] if isinstance(own[0][key], (int, float))}
    table(medians)
    if ISTEP not in medians:
        return print("(no istep took part: build it first, or set $ISTEP)")
    print()
    for what, value, budget in budgets(medians):
        print(f"{'ok  ' if value <= budget else 'OVER'}  {what:36} {value:6.2f}  budget {budget:g}")


main()
