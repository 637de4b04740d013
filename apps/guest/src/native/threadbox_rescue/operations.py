"""Operations that the guest can request of the kernel, by name."""

import os

from . import control
from .at_work import AtWork


def serve(path, shell, started):
    def describe(request):
        from .describe import describe

        return {"pid": os.getpid(), **describe(shell, request)}

    def reseed(request):
        from .reseed import reseed

        return reseed(request)

    def forget(request):
        from .forget import forget

        return forget(shell)

    keeping = None

    def keep(request):
        nonlocal keeping
        from .keep import Keeping

        keeping = Keeping(shell, started, request)
        return keeping.run()

    def regroup(request):
        return keeping.regroup(request["names"], request["together"])

    at_work = AtWork(shell)
    operations = {"describe": describe, "reseed": reseed, "forget": forget, "keep": keep, "regroup": regroup}
    control.serve(path, {**operations, "at-work": lambda request: at_work.read()})
