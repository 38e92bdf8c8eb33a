#!/usr/bin/python3
"""Checks what .editorconfig says of all text files of the checkout: UTF-8, LF, a line feed at the end, blanks for
indentation, and no blanks at the end of a line; and the length of comments in Swift files, of which swift format checks
code only. Prints a line for each fault; exit status: 0 none, 1 some.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# As in .swift-format. Rows of tables and addresses of pages cannot be wrapped.
LONGEST = 120
COMMENT = re.compile(r"\s*//+ (?!\||\S*https?:)")


def faults(path, content):
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return [f"{path}: not UTF-8: byte {error.start}"]
    found = []
    if text and not text.endswith("\n"):
        found.append(f"{path}: no line feed at the end")
    for number, line in enumerate(text.split("\n"), 1):
        if "\r" in line:
            found.append(f"{path}:{number}: a carriage return")
        elif line[:1] == "\t":
            found.append(f"{path}:{number}: a tab for indentation")
        elif line != line.rstrip(" \t") and not path.endswith(".md"):
            found.append(f"{path}:{number}: blanks at the end")
        elif path.endswith(".swift") and len(line) > LONGEST and COMMENT.match(line):
            found.append(f"{path}:{number}: a comment of more than {LONGEST} columns")
    return found


def main():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0")
    found = []
    for name in filter(None, names):
        path = ROOT / name
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" not in content:        # else a picture or a recorded file
            found += faults(name, content)
    print("\n".join(f"error: {each}" for each in found[:50]), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
