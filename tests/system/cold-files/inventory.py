"""Writes what a user can see of every file below some directories, one line for each, and prints a digest of it all.

usage: inventory.py <output> <since> <directory…> -- <left out…>

The content of files that changed before `since` (seconds since 1970) is not read: programs cannot set the time of a change.
"""

import hashlib
import json
import os
import stat
import sys


def digest(path):
    hashed = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(1 << 20):
            hashed.update(piece)
    return hashed.hexdigest()


def text(path):
    return os.fsdecode(path).encode("utf-8", "surrogateescape").decode("latin-1")


def attributes(path):
    return {
        name: os.getxattr(path, name, follow_symlinks=False).hex()
        for name in sorted(os.listxattr(path, follow_symlinks=False))
    }


def entry(path, names, since):
    found = os.lstat(path)
    kind = stat.S_IFMT(found.st_mode)
    line = {
        "path": text(path),
        "mode": oct(found.st_mode),
        "owner": [found.st_uid, found.st_gid],
        "mtime": found.st_mtime_ns,
        "xattrs": attributes(path),
    }
    if kind != stat.S_IFDIR:
        names.setdefault((found.st_dev, found.st_ino), []).append(line)
        line["links"] = found.st_nlink
    if kind == stat.S_IFREG:
        line["size"] = found.st_size
        line["hash"] = digest(path) if found.st_ctime >= since else None
    if kind == stat.S_IFLNK:
        line["target"] = text(os.readlink(path))
    if kind in (stat.S_IFCHR, stat.S_IFBLK):
        line["device"] = found.st_rdev
    return line


def main():
    output, since, *rest = [os.fsencode(argument) for argument in sys.argv[1:]]
    split = rest.index(b"--")
    directories, left_out = rest[:split], set(rest[split + 1 :])
    lines = []
    names = {}
    waiting = list(directories)
    while waiting:
        path = waiting.pop()
        if path in left_out:
            continue
        line = entry(path, names, float(since))
        lines.append(line)
        if path in directories or stat.S_ISDIR(os.lstat(path).st_mode):
            waiting.extend(os.path.join(path, name) for name in os.listdir(path))
    for same in names.values():
        for line in same:
            line["same"] = sorted(other["path"] for other in same) if len(same) > 1 else []
    written = "".join(json.dumps(line, sort_keys=True) + "\n" for line in sorted(lines, key=lambda line: line["path"]))
    with open(output, "w", encoding="ascii") as file:
        file.write(written)
    print(len(lines), hashlib.sha256(written.encode("ascii")).hexdigest())


main()
