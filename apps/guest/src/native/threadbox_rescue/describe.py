"""Describes what the kernel holds. Runs before each pause, so it must be quick and must not change anything.

Even quicker after each turn, when the user may already continue: as much as a moment allows, and how many more exist.
"""

import hashlib
import sys
import time
import types

from . import cloudpickle
from .digest import Walk
from .limits import TooSlow
from .names import is_main, type_name, user_items
from .obstacles import obstacle_of

# Larger values are compared by identity and size: a pause waits for this.
HASH_LIMIT_BYTES = 4 * 1024 * 1024
HASH_SECONDS = 0.2
HASH_STEPS = 20_000
# Limits after a turn: for everything, for its hashes, and for the size of a value that is hashed.
QUICK_SECONDS = 0.03
QUICK_HASH_SECONDS = 0.01
QUICK_HASH_LIMIT_BYTES = 64 * 1024
QUICK_HASH_STEPS = 2_000
SAMPLE = 64
PLAIN = (int, float, complex, bool, str, bytes, type(None), list, tuple, dict, set, frozenset)


def describe(shell, request):
    key = bytes.fromhex(request.get("hashKey") or "")[:64]
    limit = request.get("variableBytes")
    items = user_items(shell)
    if request.get("quick"):
        return quickly(items, key)
    until = time.monotonic() + HASH_SECONDS
    return {"variables": [variable(name, value, key, limit, until) for name, value in items], "left": 0}


def quickly(items, key):
    """Describes without judging what could be kept, because no rescue follows."""
    begun = time.monotonic()
    found = []
    for name, value in items:
        if time.monotonic() - begun > QUICK_SECONDS:
            break
        fingerprint, compared = fingerprint_of(
            value, size := estimated(value), key, begun + QUICK_HASH_SECONDS, QUICK_HASH_LIMIT_BYTES, QUICK_HASH_STEPS
        )
        found.append(described(name, value, size, fingerprint, compared, "data", ""))
    return {"variables": found, "left": len(items) - len(found)}


def variable(name, value, key, limit, until):
    size = estimated(value)
    try:
        rescue, reason = judge(value, size, limit)
    except Exception:
        rescue, reason = "data", ""
    fingerprint, compared = fingerprint_of(value, size, key, until)
    return described(name, value, size, fingerprint, compared, rescue, reason)


def estimated(value):
    try:
        return estimate(value)
    except Exception:
        return None


def described(name, value, size, fingerprint, compared, rescue, reason):
    return {
        "name": name,
        "type": type_name(value),
        "bytes": size,
        "fingerprint": fingerprint,
        "compared": compared,
        "rescue": rescue,
        "reason": reason,
    }


def judge(value, size, limit):
    if isinstance(value, types.ModuleType):
        return "import", ""
    if isinstance(value, (types.FunctionType, type)):
        return ("source" if is_main(value) else "import"), ""
    reason = obstacle_of(value)
    if reason:
        return "impossible", reason
    if limit is not None and size is not None and size > limit:
        return "over-budget", f"it needs {size} bytes, more than the limit of {limit} for one variable"
    return "data", ""


def fingerprint_of(value, size, key, until, limit_bytes=HASH_LIMIT_BYTES, steps=HASH_STEPS):
    """Which object it is, and a hash of its content if that is quick and does not run its code."""
    digest = hashlib.blake2b(digest_size=12, key=key)
    try:
        if size is not None and size > limit_bytes:
            raise TooSlow
        digest.update(QuickWalk(until, steps).of(value).encode())
        return f"{id(value):x}:{digest.hexdigest()}", "content"
    except Exception:
        digest = hashlib.blake2b(digest_size=12, key=key)
        digest.update(repr((type(value).__qualname__, size, shape_of(value))).encode())
        return f"{id(value):x}:{digest.hexdigest()}", "identity"


def shape_of(value):
    try:
        shape = value.shape if type(value).__module__.split(".")[0] in ARRAY_MODULES else None
        return shape if isinstance(shape, tuple) else None
    except Exception:
        return None


class QuickWalk(Walk):
    """A walk that stops early, and at every object that controls how it is taken apart."""

    def __init__(self, until, most_steps):
        super().__init__()
        self.until = until
        self.most_steps = most_steps
        self.steps = 0

    def step(self, value):
        self.steps += 1
        if self.steps > self.most_steps or time.monotonic() > self.until:
            raise TooSlow
        room = ROOM.get(type(value))
        if room is not None and len(value) > room:
            raise TooSlow
        super().step(value)

    def unordered(self, value):
        self.say(type(value).__name__, len(value))
        digests = []
        for member in value:
            inner = QuickWalk(self.until, self.most_steps)
            inner.steps = self.steps
            digests.append(inner.of(member))
            self.steps = inner.steps
        for digest in sorted(digests):
            self.say(digest)

    def array(self, value):
        if value.nbytes > HASH_LIMIT_BYTES:
            raise TooSlow
        super().array(value)

    def taken_apart(self, value):
        kind = type(value)
        if kind.__module__.split(".")[0] == "pandas":
            return self.of_pandas(value, kind)
        if kind not in (property, classmethod, staticmethod) and kind in cloudpickle.Pickler.dispatch_table:
            raise TooSlow
        if any(getattr(kind, name, None) is not getattr(object, name, None) for name in OWN_SAY):
            raise TooSlow
        super().taken_apart(value)

    def of_pandas(self, value, kind):
        self.say("pandas", kind.__qualname__)
        if hasattr(kind, "_mgr") or "_mgr" in value.__dict__:
            return self.later(list(value._mgr.arrays), [axis._values for axis in value._mgr.axes])
        if issubclass(kind, sys.modules["pandas"].Index):
            return self.later(value._values, list(value.names))
        if getattr(value, "nbytes", HASH_LIMIT_BYTES + 1) > HASH_LIMIT_BYTES:
            raise TooSlow
        self.say(repr(value.dtype))
        if hasattr(value, "_pa_array"):
            for chunk in value._pa_array.chunks:
                self.say(chunk.offset, len(chunk))
                for buffer in chunk.buffers():
                    self.hash.update(buffer if buffer is not None else b"")
            return None
        parts = [getattr(value, name, None) for name in ("_ndarray", "_data", "_mask")]
        if all(part is None for part in parts):
            raise TooSlow
        return self.later(parts, getattr(getattr(value.dtype, "categories", None), "_values", None))


ROOM = {
    **dict.fromkeys((str, bytes, bytearray), HASH_LIMIT_BYTES),
    **dict.fromkeys((list, tuple, dict, set, frozenset), HASH_LIMIT_BYTES // 8),
}
OWN_SAY = ("__reduce_ex__", "__reduce__", "__getstate__", "__getnewargs_ex__", "__getnewargs__", "__getattribute__")
ARRAY_MODULES = ("numpy", "pandas", "polars", "pyarrow", "torch", "scipy")


def estimate(value, depth=3):
    """Roughly the memory that the value takes; None if finding out would take long."""
    kind = type(value)
    module = getattr(kind, "__module__", "")
    module = module.split(".")[0] if isinstance(module, str) else ""
    if isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return None
    if module == "numpy" and hasattr(kind, "nbytes"):
        return int(value.nbytes)
    if module == "pandas" and hasattr(kind, "memory_usage"):
        used = value.memory_usage(deep=False)
        return int(used if isinstance(used, int) else used.sum() if hasattr(used, "sum") else used)
    if module == "polars" and hasattr(kind, "estimated_size"):
        return int(value.estimated_size())
    if module == "pyarrow" and hasattr(kind, "nbytes"):
        return int(value.nbytes)
    if isinstance(value, (list, tuple, set, frozenset)):
        return sys.getsizeof(value) + spread(value, len(value), depth)
    if isinstance(value, dict):
        return sys.getsizeof(value) + spread(value.keys(), len(value), depth) + spread(value.values(), len(value), depth)
    if kind in PLAIN or kind is bytearray:
        return sys.getsizeof(value)
    return None if depth < 3 else plain_object(value)


def spread(values, count, depth):
    """Size of `count` values, judged by the first few."""
    if depth == 0 or count == 0:
        return 0
    seen = 0
    total = 0
    for value in values:
        total += estimate(value, depth - 1) or sys.getsizeof(value)
        seen += 1
        if seen == SAMPLE:
            break
    return total * count // max(seen, 1)


def plain_object(value):
    state = getattr(value, "__dict__", None)
    return estimate(state, 2) if type(state) is dict else None
