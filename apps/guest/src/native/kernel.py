"""Starts the Python kernel so that it never drops output: by default ZeroMQ forgets what waits beyond 1000 messages.

Beside it a thread answers the guest, also while a cell runs (see `threadbox_rescue`).
"""

import importlib.util
import os
import sys

sys.path.pop(0)
# Its debugger would print a warning into the first cell.
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"

from ipykernel.iostream import OutStream  # noqa: E402
from ipykernel.kernelapp import IPKernelApp  # noqa: E402

# Each print asks twice for the process id, which costs more than the rest of it in a sandbox. Only a fork changes it.
is_kernel = True


def leave_kernel():
    global is_kernel
    is_kernel = False


os.register_at_fork(after_in_child=leave_kernel)
OutStream._is_master_process = lambda self: is_kernel

# As the kernel is started: what differs from this later is the user's doing.
started = {"environ": dict(os.environ), "path": list(sys.path)}
started["environ"].pop("PYDEVD_DISABLE_FILE_VALIDATION")


class Kernel(IPKernelApp):
    def initialize(self, argv=None):
        # Most kernels run nothing, and a start that writes to the disk makes a turn's snapshot a new one. A configuration of
        # the user comes after this.
        self.config.HistoryManager.hist_file = ":memory:"
        super().initialize(argv)
        os.environ.pop("PYDEVD_DISABLE_FILE_VALIDATION", None)
        directory = os.path.dirname(self.abs_connection_file)
        load_own_package()
        from threadbox_rescue import operations

        operations.serve(os.path.join(directory, "control"), self.shell, started)

    def _bind_socket(self, s, port):
        # Connections take the limit over from the socket as it is when it is bound.
        s.set_hwm(0)
        return super()._bind_socket(s, port)


def load_own_package():
    """Makes `threadbox_rescue` importable without a directory on the path that the user's imports would search too."""
    directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), "threadbox_rescue")
    spec = importlib.util.spec_from_file_location(
        "threadbox_rescue", os.path.join(directory, "__init__.py"), submodule_search_locations=[directory]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["threadbox_rescue"] = package
    spec.loader.exec_module(package)


Kernel.launch_instance()
