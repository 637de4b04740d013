"""What the guest asks of a Python kernel beside its cells: what it holds, what can be kept of it, and to get it back.

Loaded into the kernel under this name from the guest directory, never from the user's packages. Values that were kept
refer to functions of this package, so names of modules and functions that appear in pickles are a stored format.
"""
