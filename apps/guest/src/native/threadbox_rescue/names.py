"""Finds the user's names in the kernel's namespace."""

import re

# Names that IPython adds and renews automatically. Numbered outputs (`_7`) are the user's: they can be typed.
OWN_NAMES = frozenset(
    """In Out _ih _oh _dh _ __ ___ _i _ii _iii exit quit open get_ipython
    __name__ __doc__ __package__ __loader__ __spec__ __builtin__ __builtins__ __session__ __annotations__""".split()
)
OWN_INPUT = re.compile(r"_i\d+\Z")


def user_items(shell):
    """Current pairs of name and value. Other threads can change the namespace in the meantime."""
    hidden = shell.user_ns_hidden
    absent = object()
    return [
        (name, value)
        for name, value in list(shell.user_ns.items())
        if isinstance(name, str)
        and not (name in OWN_NAMES and (name not in ("open", "exit", "quit") or hidden.get(name, absent) is value))
        and not OWN_INPUT.match(name)
        and hidden.get(name, absent) is not value
    ]


def type_name(value):
    kind = type(value)
    module = getattr(kind, "__module__", None)
    name = getattr(kind, "__qualname__", kind.__name__)
    return name if module in ("builtins", "__main__", None) or not isinstance(module, str) else f"{module}.{name}"


def is_main(value):
    return getattr(value, "__module__", None) == "__main__"
