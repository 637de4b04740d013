"""Bounds on what is kept: bytes for one variable and for all, and time, which also ends code that hangs."""

import ctypes
import threading
import time
from contextlib import contextmanager


class OverBudget(Exception):
    pass


class TooSlow(Exception):
    pass


class Deadline:
    """Time limit for everything together; one variable can use half of the remaining time."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.wake = threading.Event()
        self.limit = None
        self.worker = None
        threading.Thread(target=self.watch, name="threadbox-deadline", daemon=True).start()

    @property
    def left(self):
        return self.end - time.monotonic()

    @contextmanager
    def one(self):
        """Raises TooSlow inside, even in the middle of a library's Python code."""
        if self.left <= 0:
            raise TooSlow
        with self.lock:
            self.worker = threading.get_ident()
            self.limit = time.monotonic() + max(self.left / 2, min(self.left, 1.0))
        self.wake.set()
        try:
            yield
        finally:
            with self.lock:
                self.limit = None
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.worker), None)

    def watch(self):
        while self.left > 0 or self.limit is not None:
            self.wake.wait(0.5)
            self.wake.clear()
            with self.lock:
                if self.limit is not None and time.monotonic() > self.limit:
                    self.limit = None
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.worker), ctypes.py_object(TooSlow))
            time.sleep(0.02)


class Sink:
    """A file that counts its bytes and raises OverBudget above the limit."""

    def __init__(self, path, limit):
        self.file = open(path, "wb", buffering=0)
        self.limit = limit
        self.size = 0

    def write(self, data):
        view = memoryview(data)
        self.size += view.nbytes
        if self.size > self.limit:
            raise OverBudget
        view = view.cast("B")
        while len(view) > 0:
            view = view[self.file.write(view) :]

    def close(self):
        self.file.close()
