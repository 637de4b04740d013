"""What the guest requests of a Python kernel besides its cells: describing, saving and restoring what it holds.

Loaded into the kernel under this name from the guest directory, never from the user's packages. Values that were kept
refer to functions of this package, so names of modules and functions that appear in pickles are a stored format.
"""
