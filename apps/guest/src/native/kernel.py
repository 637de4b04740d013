"""Starts the Python kernel so that it never drops output: by default ZeroMQ forgets messages beyond the 1000th waiting one."""

import os
import sys

sys.path.pop(0)
# Its debugger would print a warning into the first cell.
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"

from ipykernel.kernelapp import IPKernelApp  # noqa: E402

del os.environ["PYDEVD_DISABLE_FILE_VALIDATION"]


class Kernel(IPKernelApp):
    def init_iopub(self, context):
        super().init_iopub(context)
        self.iopub_thread.socket.set_hwm(0)


Kernel.launch_instance()
