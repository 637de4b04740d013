"""Finds variables that refer to the same objects."""

import types

from .digest import ATOMS

# Two names with the same one of these are indistinguishable from two with equal ones, or it is the same in every process.
INDIFFERENT = ATOMS | frozenset((tuple, frozenset, range, slice, types.ModuleType, types.CodeType, types.BuiltinFunctionType))
INDIFFERENT_MODULES = ("datetime", "decimal", "fractions", "uuid", "pathlib", "re", "zoneinfo", "numpy.dtypes", "typing")
# A pickle of this size means millions of objects, and tracking each takes a hundred bytes.
EXAMINED_BYTES = 64 * 1024 * 1024


class Sharing:
    def __init__(self):
        self.owners = {}
        self.parent = {}
        self.arrays = {}
        self.shared_roots = frozenset()
        self.unexamined = []
        # Keeps the objects found alive, so that no two of them get the same id.
        self.alive = []

    def note(self, name, value, pickler, pickle_bytes):
        self.parent.setdefault(name, name)
        for array, root in pickler.arrays.values():
            self.alive.append(array)
            self.arrays.setdefault(id(root), (root, {}))[1].setdefault(id(array), set()).add(name)
        if pickle_bytes > EXAMINED_BYTES:
            self.unexamined.append(name)
            return self.claim(name, value)
        for _, met in pickler.memo.copy().values():
            self.claim(name, met)

    def claim(self, name, met):
        kind = type(met)
        if kind in INDIFFERENT or kind.__module__ in INDIFFERENT_MODULES:
            return
        if isinstance(met, (type, types.FunctionType)) and met.__module__ != "__main__":
            return
        self.alive.append(met)
        self.owners.setdefault(id(met), set()).add(name)

    def forget(self, name):
        self.parent.pop(name, None)
        for owners in self.owners.values():
            owners.discard(name)

    def groups(self, kept):
        """Sets of two or more connected names, and single names whose arrays view the same memory."""
        kept = set(kept)
        links = [sorted(owners & kept) for owners in self.owners.values()]
        roots = []
        joined = set()
        for root, arrays in self.arrays.values():
            names = set().union(*arrays.values()) & kept
            if len(arrays) > 1 and names:
                roots.append(id(root))
                joined |= names
                links.append(sorted(names))
        self.shared_roots = frozenset(roots)
        for names in links:
            for other in names[1:]:
                self.union(names[0], other)
        found = {}
        for name in kept:
            found.setdefault(self.find(name), []).append(name)
        return [sorted(names) for names in found.values() if len(names) > 1 or joined & set(names)]

    def find(self, name):
        while self.parent.setdefault(name, name) != name:
            name = self.parent[name]
        return name

    def union(self, left, right):
        self.parent[self.find(right)] = self.find(left)

    def aliases(self, values, kept):
        """Pairs of names of the same object, to compare after they are restored."""
        first = {}
        pairs = []
        for name, value in values.items():
            if name not in kept or type(value) in INDIFFERENT:
                continue
            if id(value) in first:
                pairs.append([first[id(value)], name])
            else:
                first[id(value)] = name
        return pairs
