#!/usr/bin/env python3
"""Compares two transcripts of guest/parity.py, step by step.

    compare.py REAL SIMULATED ACCEPTED

ACCEPTED lists the differences that are accepted, each group with its reason above it:

    # Why it is so, and why it may stay so.
    == the step
    -   a line of the real transcript that the simulated one has not
    +   a line of the simulated one that the real one has not

`...` in a line stands for any text. An entry that does not occur any more is an error: the file says what is true.
"""
import difflib
import re
import sys


def steps(path):
    """The lines of each step, in their order.

    BlueZ reads the PnP ID and the battery level by itself, at the same time: what comes first is chance, and is put in one order.
    """
    found, current = {}, []
    with open(path) as file:
        for line in file:
            if line.startswith("== "):
                current = found.setdefault(line[3:].strip(), [])
            else:
                current.append(line.strip())
    for lines in found.values():
        for at in range(1, len(lines)):
            if lines[at - 1].startswith("! + SENSOR Battery1 ") and lines[at].startswith("! SENSOR Device1 Modalias="):
                lines[at - 1], lines[at] = lines[at], lines[at - 1]
    return found


def accepted(path):
    """[step, sign, line, pattern] of each entry."""
    entries, step, has_reason = [], None, False
    with open(path) as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("# "):
                has_reason = True
            elif line.startswith("== "):
                step = line[3:].strip()
                if not has_reason:
                    sys.exit(f"{path}:{number}: a difference without a reason")
            elif line[:1] in ("-", "+"):
                text = line[1:].strip()
                pattern = ".*".join(re.escape(part) for part in text.split("..."))
                entries.append((step, line[0], text, re.compile(pattern)))
            elif line.strip():
                sys.exit(f"{path}:{number}: neither a reason, a step nor a line")
            else:
                has_reason = False
    return entries


def main():
    real, simulated, entries = steps(sys.argv[1]), steps(sys.argv[2]), accepted(sys.argv[3])
    for path, found in ((sys.argv[1], real), (sys.argv[2], simulated)):
        if "end" not in found:
            with open(path) as file:
                print(f"FAILED  parity: {path} does not come to its end:", *file.read().splitlines()[-20:], sep="\n        ")
            return True
    used, failed = set(), False
    for step in list(real) + [step for step in simulated if step not in real]:
        if step == "end":
            continue
        differences = []
        for line in difflib.ndiff(real.get(step, []), simulated.get(step, [])):
            sign, text = line[0], line[2:]
            if sign not in "-+":
                continue
            entry = next((e for e in entries if e[0] == step and e[1] == sign and e[3].fullmatch(text)), None)
            if entry:
                used.add(entry)
            else:
                differences.append(f"        {sign} {text}")
        print("FAILED" if differences else "ok    ", f" parity: {step}")
        print(*differences, sep="\n", end="\n" if differences else "")
        failed |= bool(differences)
    for entry in entries:
        if entry not in used:
            print(f"FAILED  parity: accepted, but it does not occur: {entry[0]}: {entry[1]} {entry[2]}")
            failed = True
    print("end of parity")
    return failed


if __name__ == "__main__":
    sys.exit(main())
