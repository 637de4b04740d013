"""usage: compare.py <before> <after>: prints how two inventories differ, one line for each file."""

import json
import sys

# The time of a directory in which something was created is the time at which its disk recorded that; until then the
# sandbox shows its own. They are milliseconds apart, more on a busy machine.
directory_tolerance_ns = 1_000_000_000


def read(path):
    with open(path, encoding="ascii") as file:
        return {line["path"]: line for line in map(json.loads, file)}


def differs(before, after, field):
    if field == "mtime" and before["mode"].startswith("0o4") and after["mode"].startswith("0o4"):
        return abs(before["mtime"] - after["mtime"]) > directory_tolerance_ns
    return before.get(field) != after.get(field)


before, after = map(read, sys.argv[1:])
for path in sorted(before.keys() | after.keys()):
    if path not in after:
        print("gone", path)
    elif path not in before:
        print("new", path)
    elif fields := [field for field in before[path] if differs(before[path], after[path], field)]:
        print("changed", path, {field: (before[path].get(field), after[path].get(field)) for field in fields})
