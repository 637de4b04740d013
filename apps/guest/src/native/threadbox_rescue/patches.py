"""What the user's code has added outside of its own namespace: to modules and classes, threads, tasks."""

import sys
import threading
import types

OWN = ("__main__", "__mp_main__", "threadbox_rescue")
OWN_THREADS = ("ipykernel", "IPython", "zmq", "tornado", "traitlets", "threadbox_rescue")


def find_patches(namespace):
    """Functions and classes of the user that replace something in a module or in a class of a module."""
    found = []
    seen = set()
    for module_name, module in list(sys.modules.items()):
        if not isinstance(module, types.ModuleType) or module_name.split(".")[0] in OWN or id(module) in seen:
            continue
        seen.add(id(module))
        for name, value in list(vars(module).items()):
            if of_user(value, namespace):
                found.append(patch(module_name, [name], value))
            elif isinstance(value, type) and value.__module__ == module_name and id(value) not in seen:
                seen.add(id(value))
                found.extend(
                    patch(module_name, [value.__name__, attribute], part)
                    for attribute, part in list(vars(value).items())
                    if of_user(part, namespace)
                )
    return found


def patch(module, path, value):
    return {"name": ".".join([module, *path]), "module": module, "path": path, "value": value}


def of_user(value, namespace):
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    elif isinstance(value, property):
        value = value.fget
    if isinstance(value, types.FunctionType):
        return value.__globals__ is namespace
    return isinstance(value, type) and value.__module__ == "__main__"


def find_workers(shell):
    """Threads and tasks that run the user's code; they end with the process."""
    found = []
    for thread in threading.enumerate():
        target = getattr(thread, "_target", None)
        of_target = getattr(target, "__module__", None) or ""
        is_own = of_target.split(".")[0] in OWN_THREADS or type(thread).__module__.split(".")[0] in OWN_THREADS
        if thread is threading.main_thread() or is_own:
            continue
        if getattr(target, "__globals__", None) is shell.user_ns or type(thread).__module__ == "__main__" or target:
            found.append({"name": f"thread {thread.name}", "type": "threading.Thread", "reason": "a thread ends with its process"})
    found.extend(find_tasks(shell))
    return found


def find_tasks(shell):
    asyncio = sys.modules.get("asyncio")
    loop = getattr(getattr(getattr(shell, "kernel", None), "io_loop", None), "asyncio_loop", None)
    if asyncio is None or loop is None:
        return
    try:
        tasks = asyncio.all_tasks(loop)
    except RuntimeError:
        return
    for task in tasks:
        frame = getattr(task.get_coro(), "cr_frame", None)
        if frame is not None and frame.f_globals is shell.user_ns and frame.f_code.co_name != "<module>":
            yield {"name": f"task {task.get_name()}", "type": "asyncio.Task", "reason": "a task belongs to a running event loop"}
