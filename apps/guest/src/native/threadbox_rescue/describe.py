"""What the kernel holds, at a glance: asked before each pause, so it must be quick and must not change anything."""

import hashlib
import marshal
import sys
import types

from .names import is_main, type_name, user_items
from .obstacles import obstacle_of

# Plain data up to this size is hashed; larger values are told apart by identity and size.
HASH_LIMIT_BYTES = 64 * 1024
SAMPLE = 64
PLAIN = (int, float, complex, bool, str, bytes, type(None), list, tuple, dict, set, frozenset)


def describe(shell, request):
    key = bytes.fromhex(request.get("hashKey") or "")[:64]
    limit = request.get("variableBytes")
    return {"variables": [variable(name, value, key, limit) for name, value in user_items(shell)]}


def variable(name, value, key, limit):
    try:
        size = estimate(value)
    except Exception:
        size = None
    try:
        rescue, reason = judge(value, size, limit)
        fingerprint = fingerprint_of(value, size, key)
    except Exception as error:
        rescue, reason, fingerprint = "data", "", f"{id(value):x}:{type(error).__name__}"
    return {
        "name": name,
        "type": type_name(value),
        "bytes": size,
        "fingerprint": fingerprint,
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
        return "over-budget", f"it takes {size} bytes, more than the {limit} that are kept of one variable"
    return "data", ""


def fingerprint_of(value, size, key):
    digest = hashlib.blake2b(digest_size=12, key=key)
    kind = type(value)
    if kind in PLAIN and size is not None and size <= HASH_LIMIT_BYTES:
        try:
            digest.update(marshal.dumps(value, 2))
            return f"{id(value):x}:{digest.hexdigest()}"
        except ValueError:
            pass
    shape = getattr(value, "shape", None) if kind.__module__.split(".")[0] in ARRAY_MODULES else None
    digest.update(repr((kind.__qualname__, size, shape if isinstance(shape, tuple) else None)).encode())
    return f"{id(value):x}:{digest.hexdigest()}"


ARRAY_MODULES = ("numpy", "pandas", "polars", "pyarrow", "torch", "scipy")


def estimate(value, depth=3):
    """Roughly the memory that the value takes; None where finding out would take long."""
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
