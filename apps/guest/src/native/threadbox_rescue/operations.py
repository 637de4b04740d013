"""What the guest can ask of the kernel, by name."""

import os

from . import control


def serve(path, shell, started):
    def describe(request):
        from .describe import describe

        return {"pid": os.getpid(), **describe(shell, request)}

    def reseed(request):
        from .reseed import reseed

        return reseed(request)

    control.serve(path, {"describe": describe, "reseed": reseed})
