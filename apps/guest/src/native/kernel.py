"""Starts the Python kernel so that it never drops output: by default ZeroMQ forgets what waits beyond 1000 messages."""

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


class Kernel(IPKernelApp):
    def initialize(self, argv=None):
        super().initialize(argv)
        os.environ.pop("PYDEVD_DISABLE_FILE_VALIDATION", None)

    def _bind_socket(self, s, port):
        # Connections take the limit over from the socket as it is when it is bound.
        s.set_hwm(0)
        return super()._bind_socket(s, port)


Kernel.launch_instance()
