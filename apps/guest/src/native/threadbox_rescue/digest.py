"""A hash of a value that another process computes identically for an equal value: contents, types, inner sharing.

Objects are taken apart as pickling does it. What cannot be taken apart has no digest and is never claimed to be kept.
"""

import copyreg
import enum
import hashlib
import marshal
import pickle
import sys
import types

from . import cloudpickle
from .limits import TooSlow
from .runtime import Runtime

ATOMS = frozenset((int, float, complex, bool, str, bytes, type(None), type(...)))
CHUNK_BYTES = 8 * 1024 * 1024
LARGE_BYTES = 1024 * 1024
# Attributes that Python and pydantic add to a class automatically, some of them only when they are first needed.
GENERATED_ATTRIBUTES = (
    "__firstlineno__",
    "__static_attributes__",
    "__annotate_func__",
    "__annotations_cache__",
    "__slotnames__",
    "_abc_impl",
    "__pydantic_parent_namespace__",
)


def digest_of(value, deadline=None):
    return Walk(deadline).of(value)


class Walk:
    def __init__(self, deadline=None):
        self.hash = hashlib.blake2b(digest_size=16)
        self.seen = {}
        # Keeps temporary objects, so that no two of them get the same id.
        self.alive = []
        self.stack = []
        self.deadline = deadline
        self.array_type = getattr(sys.modules.get("numpy"), "ndarray", ())

    def of(self, value):
        self.stack.append(value)
        steps = 0
        while self.stack:
            steps += 1
            if steps & 0x3FFF == 0 and self.deadline is not None and self.deadline.left <= 0:
                raise TooSlow
            self.step(self.stack.pop())
        return self.hash.hexdigest()

    def say(self, *words):
        self.hash.update("\0".join(map(str, words)).encode("utf-8", "surrogatepass") + b"\1")

    def later(self, *values):
        self.stack.extend(reversed(values))

    def step(self, value):
        kind = type(value)
        if kind in ATOMS:
            return self.atom(value, kind)
        if kind is Words:
            return self.say(*value)
        earlier = self.seen.get(id(value))
        if earlier is not None:
            return self.say("again", earlier)
        self.seen[id(value)] = len(self.seen)
        self.alive.append(value)
        place = place_of(value)
        handler = HANDLERS.get(kind)
        if place:
            self.say("place", place)
        elif handler is not None:
            handler(self, value)
        elif kind is self.array_type:
            self.array(value)
        elif issubclass(kind, type):
            self.of_class(value)
        elif kind.__module__ == "numpy" and hasattr(value, "tobytes") and hasattr(value, "dtype"):
            self.say("scalar", value.dtype.str)
            self.later(value.tobytes() if not value.dtype.hasobject else value.item())
        elif kind.__module__.startswith("numpy.dtypes") or kind.__name__ == "dtype":
            self.say("dtype", repr(value))
        elif isinstance(value, enum.Enum):
            self.say("member", value.name)
            self.later(kind)
        else:
            self.taken_apart(value)

    def atom(self, value, kind):
        if kind in (str, bytes) and len(value) > LARGE_BYTES:
            self.say(kind.__name__, len(value))
            self.hash.update(value.encode("utf-8", "surrogatepass") if kind is str else value)
        else:
            self.hash.update(marshal.dumps(value, 2))

    def sequence(self, value):
        self.say(type(value).__name__, len(value))
        if ATOMS.issuperset(map(type, value)):
            self.hash.update(marshal.dumps(value, 2))
        else:
            self.later(*value)

    def dictionary(self, value):
        self.say("dict", len(value))
        if ATOMS.issuperset(map(type, value.values())) and ATOMS.issuperset(map(type, value)):
            self.hash.update(marshal.dumps(value, 2))
        else:
            self.later(*(part for pair in list(value.items()) for part in pair))

    def unordered(self, value):
        self.say(type(value).__name__, len(value))
        for digest in sorted(Walk(self.deadline).of(member) for member in value):
            self.say(digest)

    def buffer(self, value):
        with memoryview(value) as view:
            self.say(type(value).__name__, view.nbytes)
            self.hash.update(view.cast("B") if view.contiguous else view.tobytes())

    def pickle_buffer(self, value):
        with value.raw() as view:
            self.say("buffer", view.nbytes)
            self.hash.update(view)

    def array(self, value):
        """In logical order, so that the layout in memory makes no difference."""
        self.say("array", repr(value.dtype), value.shape, value.flags.writeable)
        if value.dtype.hasobject:
            self.later(value.ravel().tolist())
        elif value.ndim == 0 or value.nbytes <= CHUNK_BYTES:
            self.hash.update(value.tobytes())
        else:
            rows = max(1, CHUNK_BYTES * len(value) // value.nbytes)
            for start in range(0, len(value), rows):
                self.hash.update(value[start : start + rows].tobytes())

    def function(self, value):
        if cloudpickle._should_pickle_by_reference(value):
            return self.say("function", value.__module__, value.__qualname__)
        self.say("function", value.__name__, value.__qualname__, value.__module__)
        attributes = dict(value.__dict__)
        self.later(value.__code__, value.__defaults__, value.__kwdefaults__, value.__doc__, attributes, value.__closure__)

    def of_class(self, value):
        if value.__module__ == "builtins" or cloudpickle._should_pickle_by_reference(value):
            return self.say("class", value.__module__, value.__qualname__)
        self.say("class", value.__name__, value.__qualname__, value.__module__)
        if issubclass(value, enum.Enum):
            members = {member.name: member.value for member in value}
            contents, _ = cloudpickle._enum_getstate(value)
        else:
            members = None
            contents, _ = cloudpickle._class_getstate(value)
        kept = sorted((name, part) for name, part in contents.items() if name not in GENERATED_ATTRIBUTES)
        self.later(members, *value.__bases__, *(part for pair in kept for part in pair))

    def code(self, value):
        self.hash.update(marshal.dumps(value, 2))

    def cell(self, value):
        try:
            self.later(Words(("cell",)), value.cell_contents)
        except ValueError:
            self.say("empty cell")

    def module(self, value):
        self.say("module", value.__name__)
        if not cloudpickle._should_pickle_by_reference(value):
            own = {name: part for name, part in value.__dict__.items() if name != "__builtins__"}
            self.later(own)

    def taken_apart(self, value):
        kind = type(value)
        reduce = cloudpickle.Pickler.dispatch_table.get(kind) or copyreg.dispatch_table.get(kind)
        parts = reduce(value) if reduce is not None else value.__reduce_ex__(5)
        self.say("object", kind.__module__, kind.__qualname__)
        # A global object: pickling keeps only its name.
        if isinstance(parts, str):
            return self.say(parts)
        make, arguments, *rest = parts
        state, items, pairs = (tuple(rest) + (None,) * 3)[:3]
        # An object without attributes may or may not have an empty dictionary for them.
        values = [kind, make, arguments, None if state == {} and type(state) is dict else state]
        values.append(list(items) if items is not None else None)
        values.append([list(pair) for pair in pairs] if pairs is not None else None)
        self.later(*values)

    def cached(self, value):
        self.say("cached", sorted(value.cache_parameters().items()))
        self.later(value.__wrapped__)

    def new_type(self, value):
        self.say("new type", value.__name__)
        self.later(value.__supertype__)


def place_of(value):
    """Name of an object that every kernel has its own of, so that only the name is kept; empty for others."""
    if value is sys.stdout:
        return "stdout"
    if value is sys.stderr:
        return "stderr"
    return "shell" if value is Runtime.shell else ""


class Words(tuple):
    """Words to hash when their turn comes."""


def handlers():
    import functools
    import typing

    return {
        list: Walk.sequence,
        tuple: Walk.sequence,
        dict: Walk.dictionary,
        set: Walk.unordered,
        frozenset: Walk.unordered,
        bytearray: Walk.buffer,
        pickle.PickleBuffer: Walk.pickle_buffer,
        types.FunctionType: Walk.function,
        types.CodeType: Walk.code,
        types.CellType: Walk.cell,
        types.ModuleType: Walk.module,
        functools._lru_cache_wrapper: Walk.cached,
        typing.NewType: Walk.new_type,
    }


HANDLERS = handlers()
