"""Pickles values of the kernel's namespace so that they mean the same when they are restored into another kernel.

On top of cloudpickle: functions keep using the namespace itself as their globals, cells of closures stay shared,
arrays that view the same memory keep doing so, and large buffers are written unchanged beside the pickle.
"""

import functools
import sys
import types
import typing
from collections import ChainMap

from . import cloudpickle
from .obstacles import obstacle_of
from .runtime import Runtime

# Below this, a buffer inside the pickle is cheaper than one beside it.
BUFFER_BYTES = 32 * 1024


class Unkeepable(Exception):
    """A value cannot be kept; `words` says why."""

    def __init__(self, value, words):
        super().__init__(words)
        self.value_type = type(value)
        self.words = words


class Namespace:
    """Stands for the kernel's namespace in a pickle."""

    def __reduce__(self):
        return namespace, ()


def namespace():
    return sys.modules["__main__"].__dict__ if Runtime.namespace is None else Runtime.namespace


def shell():
    if Runtime.shell is None:
        raise LookupError("there is no shell in this process")
    return Runtime.shell


def make_function(code, function_globals, closure):
    return types.FunctionType(code, function_globals, None, None, closure)


def set_function_state(function, state):
    attributes, slots, used_globals = state
    function.__dict__.update(attributes)
    for name, value in slots.items():
        setattr(function, name, value)
    if used_globals is not None:
        function.__globals__.update(used_globals)
        function.__globals__.setdefault("__builtins__", __builtins__)


def make_cell():
    return types.CellType()


def set_cell(cell, state):
    (cell.cell_contents,) = state


def reduce_cell(cell):
    try:
        return make_cell, (), (cell.cell_contents,), None, None, set_cell
    except ValueError:
        return make_cell, ()


def make_cached(function, parameters, attributes):
    cached = functools.lru_cache(**parameters)(function)
    cached.__dict__.update(attributes)
    return cached


def make_view(root, offset, shape, strides, dtype, is_writeable):
    import numpy

    view = numpy.ndarray(shape, dtype, root, offset, strides)
    view.flags.writeable = is_writeable
    return view


class Pickler(cloudpickle.Pickler):
    """`shared_roots` are ids of arrays whose views are kept as views. After `dump`, `arrays` lists the arrays found."""

    dispatch_table = ChainMap({types.CellType: reduce_cell}, cloudpickle.Pickler.dispatch_table)

    def __init__(self, sink, options):
        super().__init__(sink, protocol=5, buffer_callback=options.get("buffer_callback"))
        self.namespace = options["namespace"]
        self.shared_roots = options.get("shared_roots", frozenset())
        self.array_type = getattr(sys.modules.get("numpy"), "ndarray", ())
        self.judged = {}
        self.arrays = {}
        self.managed = set()

    def reducer_override(self, value):
        kind = type(value)
        if kind is types.FunctionType:
            return super().reducer_override(value)
        if issubclass(kind, type):
            return with_slots(super().reducer_override(value), value)
        if kind is self.array_type:
            return self.reduce_array(value)
        if value is sys.stdout or value is sys.stderr:
            return getattr, (sys, "stdout" if value is sys.stdout else "stderr")
        if value is Runtime.shell:
            return shell, ()
        words = self.judged.get(kind)
        if words is None:
            words = self.judged[kind] = obstacle_of(value)
        if words:
            raise Unkeepable(value, words)
        if kind is functools._lru_cache_wrapper:
            return make_cached, (value.__wrapped__, value.cache_parameters(), dict(value.__dict__, __wrapped__=value.__wrapped__))
        if kind is typing.NewType and value.__module__ == "__main__":
            return typing.NewType, (value.__name__, value.__supertype__)
        if kind.__module__.startswith("pandas."):
            self.note_managed(value)
        return NotImplemented

    def reduce_array(self, array):
        if id(array) in self.managed:
            return NotImplemented
        root = root_of(array)
        self.arrays[id(array)] = (array, root)
        if root is array or id(root) not in self.shared_roots or not can_be_view(array, root):
            return NotImplemented
        offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        return make_view, (root, offset, array.shape, array.strides, array.dtype, array.flags.writeable)

    def note_managed(self, value):
        """Data frames share memory until one is written to; pandas manages that, so it must not become a real view."""
        for block in getattr(value, "blocks", None) or ():
            self.note_arrays(getattr(block, "values", None))
        self.note_arrays(value)

    def note_arrays(self, holder):
        if type(holder) is self.array_type:
            self.managed.add(id(holder))
        for attribute in ("_data", "_ndarray", "_mask", "_codes"):
            inner = getattr(holder, attribute, None)
            if type(inner) is self.array_type:
                self.managed.add(id(inner))
            elif inner is not None and attribute == "_data":
                nested = getattr(inner, "_ndarray", None)
                if type(nested) is self.array_type:
                    self.managed.add(id(nested))

    def _dynamic_function_reduce(self, function):
        attributes, slots = cloudpickle._function_getstate(function)
        used_globals = slots.pop("__globals__")
        slots.pop("__closure__")
        submodules = slots.pop("_cloudpickle_submodules")
        if function.__globals__ is self.namespace:
            arguments = (function.__code__, Namespace(), function.__closure__)
            used_globals = None
        else:
            arguments = (function.__code__, self.function_globals(function), function.__closure__)
            used_globals = dict(used_globals, **{f"__threadbox_{index}": module for index, module in enumerate(submodules)})
        return make_function, arguments, (attributes, slots, used_globals), None, None, set_function_state

    def function_globals(self, function):
        """One dictionary for all functions that share theirs."""
        return self._function_getnewargs(function)[1]


def with_slots(reduced, value):
    """A class is made first and filled later; slots must exist when it is made."""
    if isinstance(reduced, tuple) and reduced[0] is cloudpickle._make_skeleton_class and vars(value).get("__slots__"):
        arguments = list(reduced[1])
        arguments[3] = dict(arguments[3], __slots__=vars(value)["__slots__"])
        return (reduced[0], tuple(arguments), *reduced[2:])
    return reduced


def root_of(array):
    root = array
    while type(root.base) is type(array):
        root = root.base
    return root


def can_be_view(array, root):
    contiguous = root.flags.c_contiguous or root.flags.f_contiguous
    return contiguous and not root.dtype.hasobject and not array.dtype.hasobject
