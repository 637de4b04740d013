"""Starts the Python kernel so that it never drops output: by default ZeroMQ forgets what waits beyond 1000 messages."""

import os
import sys

sys.path.pop(0)
# Its debugger would print a warning into the first cell.
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"

from ipykernel.kernelapp import IPKernelApp  # noqa: E402


class Kernel(IPKernelApp):
    def initialize(self, argv=None):
        super().initialize(argv)
        os.environ.pop("PYDEVD_DISABLE_FILE_VALIDATION", None)

    def _bind_socket(self, s, port):
        # Connections take the limit over from the socket as it is when it is bound.
        s.set_hwm(0)
        return super()._bind_socket(s, port)


Kernel.launch_instance()
