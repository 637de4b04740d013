"""What the user's code does in a kernel although no cell runs: threads, and tasks of its event loop."""

import asyncio
import threading
import weakref

# Their tasks belong to the kernel itself.
OWN_PACKAGES = ("/ipykernel/", "/tornado/", "/jupyter_client/", "/zmq/")


class AtWork:
    """Knows the kernel's own threads: those that exist when the first cell begins."""

    def __init__(self, shell):
        self.own = None
        self.loop = None
        self.shell = shell
        shell.events.register("pre_execute", self.begin)

    def begin(self):
        self.shell.events.unregister("pre_execute", self.begin)
        self.own = weakref.WeakSet(threading.enumerate())
        try:
            self.loop = asyncio.get_running_loop()
        except RuntimeError:
            pass

    def read(self):
        if self.own is None:
            return {"threads": 0, "tasks": 0}
        threads = [
            thread
            for thread in threading.enumerate()
            if thread not in self.own and thread.name != "threadbox-control"
        ]
        return {"threads": len(threads), "tasks": self.tasks()}

    def tasks(self):
        if self.loop is None:
            return 0
        return sum(1 for task in asyncio.all_tasks(self.loop) if is_users(task))


def is_users(task):
    code = getattr(task.get_coro(), "cr_code", None)
    return code is None or not any(package in code.co_filename for package in OWN_PACKAGES)
