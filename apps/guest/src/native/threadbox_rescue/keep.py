"""Writes what can be kept of the kernel's state into a directory: one file for each group of connected variables."""

import json
import os
import pickle
import re
import sys
import types

from .digest import digest_of
from .limits import Deadline, OverBudget, Sink, TooSlow
from .names import is_main, type_name, user_items
from .obstacles import obstacle_of
from .patches import find_patches, find_workers
from .pickler import BUFFER_BYTES, Pickler, Unkeepable
from .runtime import Runtime
from .sharing import Sharing

INPUT_LIMIT_BYTES = 4 * 1024 * 1024
NAME_OF_TYPE = re.compile(r"cannot pickle '?([\w.]+)'?")


class Keeping:
    def __init__(self, shell, started, request):
        self.shell = Runtime.shell = shell
        Runtime.namespace = shell.user_ns
        self.started = started
        self.directory = request["directory"]
        self.variable_bytes = request["variableBytes"]
        self.total_bytes = request["totalBytes"]
        self.without_inputs = request.get("withoutInputs", False)
        self.deadline = Deadline(request["timeBudgetMs"] / 1000)
        self.sharing = Sharing()
        self.values = {}
        self.patches = []
        self.variables = {}
        self.groups = []
        self.problems = []
        self.used = 0
        self.files = 0

    def run(self):
        items = user_items(self.shell)
        patches = find_patches(self.shell.user_ns)
        self.values = dict(items)
        self.values.update({patch["name"]: patch.pop("value") for patch in patches})
        self.patches = patches
        order = list(self.values)
        # Small ones first, so that a large one does not use up what many small ones need.
        for name in sorted(order, key=lambda name: rough_size(self.values[name])):
            self.variables[name] = self.keep_one(name, self.values[name])
        self.join_connected()
        self.variables = {name: self.variables[name] for name in order}
        self.write_index()
        return {"variables": len(order)}

    def regroup(self, names, together):
        """Writes a group again with only the members in `names`: together, or each variable alone."""
        wanted = set(names)
        for group in [group for group in self.groups if wanted & set(group["names"])]:
            self.groups.remove(group)
            self.used -= group["bytes"]
            remove(os.path.join(self.directory, group["file"]))
        for part in [names] if together else [[name] for name in names]:
            path = self.new_path()
            try:
                group = self.write(path, {name: self.values[name] for name in part}, limit=self.total_bytes)
            except BaseException as error:
                remove(path)
                for name in part:
                    self.variables[name].update(outcome="lost", reason=self.words_for(error, self.values[name]))
                continue
            self.used += group["bytes"]
            self.groups.append(dict(group, names=list(part), wrapped=True))
        self.write_index()
        return {}

    def keep_one(self, name, value):
        entry = {"name": name, "type": type_name(value), "outcome": "lost", "method": "none", "bytes": None}
        entry.update(reason="", digest=None)
        if isinstance(value, types.ModuleType) and value.__name__ in sys.modules:
            return dict(entry, outcome="kept", method="import", module=value.__name__, bytes=0)
        path = self.new_path()
        try:
            with self.deadline.one():
                group = self.write(path, value, name)
                entry["digest"] = digest_of(value, self.deadline)
        except BaseException as error:
            remove(path)
            self.sharing.forget(name)
            return dict(entry, reason=self.words_for(error, value))
        group["names"] = [name]
        self.groups.append(group)
        self.used += group["bytes"]
        return dict(entry, outcome="kept", method=method_of(value), bytes=group["bytes"])

    def new_path(self):
        self.files += 1
        return os.path.join(self.directory, f"{self.files:05d}")

    def write(self, path, value, name=None, limit=None):
        """Writes one pickle and, for large buffers, a file of their bytes. `name` is for finding shared objects."""
        left = min(self.variable_bytes if limit is None else limit, self.total_bytes - self.used)
        sink = Sink(path + ".pickle", left)
        data = None
        buffers = []

        def beside(buffer):
            nonlocal data
            view = buffer.raw()
            if view.nbytes < BUFFER_BYTES:
                return True
            data = data or Sink(path + ".data", left)
            buffers.append([data.size, view.nbytes, view.readonly])
            data.limit = left - sink.size
            data.write(view)
            sink.limit = left - data.size
            return False

        options = {"namespace": self.shell.user_ns, "buffer_callback": beside}
        options["shared_roots"] = self.sharing.shared_roots if name is None else frozenset()
        try:
            pickler = Pickler(sink, options)
            pickler.dump(value)
        finally:
            sink.close()
            if data is not None:
                data.close()
        if name is not None:
            self.sharing.note(name, value, pickler, sink.size)
        size = sink.size + (data.size if data is not None else 0)
        return {"file": os.path.basename(path), "buffers": buffers, "bytes": size}

    def join_connected(self):
        """Writes variables that share objects again, together, so that they still share them when restored."""
        kept = [name for group in self.groups for name in group["names"]]
        alone = {group["names"][0]: group for group in self.groups}
        for names in self.sharing.groups(kept):
            path = self.new_path()
            before = sum(alone[name]["bytes"] for name in names)
            self.used -= before
            try:
                with self.deadline.one():
                    group = self.write(path, {name: self.values[name] for name in names}, limit=self.total_bytes)
            except BaseException as error:
                remove(path)
                self.used += before
                words = self.words_for(error, None)
                self.problems.append(f"{', '.join(names)} share objects but were saved separately: {words}")
                continue
            self.used += group["bytes"]
            self.groups = [other for other in self.groups if other.get("wrapped") or other["names"][0] not in names]
            self.groups.append(dict(group, names=list(names), wrapped=True))
            for name in names:
                remove(os.path.join(self.directory, alone[name]["file"]))
        if self.sharing.unexamined:
            names = ", ".join(self.sharing.unexamined)
            self.problems.append(f"Too large to check whether they share objects with other variables: {names}.")

    def write_index(self):
        variables = list(self.variables.values())
        environ = dict(os.environ)
        before = self.started["environ"]
        history = self.shell.history_manager
        index = {
            "version": 1,
            "executable": sys.executable,
            "python": sys.version.split()[0],
            "cwd": working_directory(),
            "environ": {
                "set": {name: value for name, value in environ.items() if before.get(name) != value},
                "unset": [name for name in before if name not in environ],
            },
            "path": list(sys.path) if sys.path != self.started["path"] else None,
            "executionCount": self.shell.execution_count,
            "inputs": [""] * len(history.input_hist_parsed) if self.without_inputs else recent(history.input_hist_parsed),
            "sources": self.sources(),
            "variables": variables,
            "groups": self.groups,
            "patches": self.patches,
            "aliases": self.sharing.aliases(self.values, {v["name"] for v in variables if v["outcome"] == "kept"}),
            "workers": find_workers(self.shell),
            "problems": self.problems,
        }
        path = os.path.join(self.directory, "index.json")
        with open(path + "~", "w", encoding="utf-8", errors="surrogatepass") as file:
            json.dump(index, file)
        os.rename(path + "~", path)

    def sources(self):
        """Code of cells that define functions and classes of the user, for tracebacks and `inspect`."""
        import linecache

        wanted = {code.co_filename for code in codes_of(self.values.values())}
        found = {name: linecache.cache.get(name) for name in wanted}
        return {name: "".join(entry[2]) for name, entry in found.items() if entry is not None and len(entry) == 4 and entry[1] is None}

    def words_for(self, error, value):
        if isinstance(error, Unkeepable):
            same = value is not None and error.value_type is type(value)
            return error.words if same else f"it contains {an(error.value_type.__qualname__)}: {error.words}"
        if isinstance(error, OverBudget):
            return f"it needs more than the limit of {self.variable_bytes} bytes for one variable, or more than what’s left of the {self.total_bytes} bytes for all"
        if isinstance(error, TooSlow):
            return "saving it would exceed the time limit"
        if isinstance(error, RecursionError) or "recursion" in str(error):
            return "it is nested too deeply"
        if isinstance(error, MemoryError):
            return "there isn’t enough memory to save it"
        if isinstance(error, OSError) and error.errno in (28, 122):
            return "the disk is full"
        named = NAME_OF_TYPE.search(str(error))
        if named is not None:
            words = obstacle_of(value) if value is not None else ""
            return words or f"it contains {an(named.group(1))}, which only exists in the running process"
        return f"{type(error).__name__}: {str(error)[:300]}"


def an(name):
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def method_of(value):
    if isinstance(value, (types.FunctionType, type)):
        return "source" if is_main(value) else "import"
    return "data"


def rough_size(value):
    from .describe import estimate

    try:
        return estimate(value) or 0
    except Exception:
        return 0


def codes_of(values):
    for value in values:
        if isinstance(value, types.FunctionType):
            yield value.__code__
        elif isinstance(value, type) and is_main(value):
            yield from (part.__code__ for part in vars(value).values() if isinstance(part, types.FunctionType))


def recent(inputs):
    """The last inputs that together stay below the limit; older ones become empty, so that the numbers stay correct."""
    kept = []
    size = 0
    for text in reversed(list(inputs)):
        size += len(text)
        kept.append(text if size < INPUT_LIMIT_BYTES else "")
    return kept[::-1]


def working_directory():
    try:
        return os.getcwd()
    except OSError:
        return None


def remove(path):
    for ending in (".pickle", ".data"):
        try:
            os.unlink(path + ending)
        except OSError:
            pass


def load(directory, group, into_memory):
    """The value of a group. `into_memory` is for values that stay; otherwise large buffers stay in the file."""
    path = os.path.join(directory, group["file"])
    with open(path + ".pickle", "rb") as file:
        if not group["buffers"]:
            return pickle.load(file)
        with open(path + ".data", "rb") as data:
            buffers = read_buffers(data, group["buffers"]) if into_memory else map_buffers(data, group["buffers"])
            return pickle.load(file, buffers=buffers)


def read_buffers(data, ranges):
    for start, size, is_readonly in ranges:
        data.seek(start)
        buffer = bytearray(size)
        if data.readinto(buffer) != size:
            raise EOFError("the file of large buffers is shorter than it was")
        yield bytes(buffer) if is_readonly else buffer


def map_buffers(data, ranges):
    import mmap

    # Private, so that writeable arrays stay writeable without changing the file.
    whole = memoryview(mmap.mmap(data.fileno(), 0, access=mmap.ACCESS_COPY))
    for start, size, is_readonly in ranges:
        part = whole[start : start + size]
        if part.nbytes != size:
            raise EOFError("the file of large buffers is shorter than it was")
        yield part.toreadonly() if is_readonly else part
