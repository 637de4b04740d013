"""Kinds of objects that only exist in a running process, and the words that report their loss."""

import io
import sys
import types

# (module, class, words). Classes are looked up only in loaded modules: nothing is imported for it.
KINDS = (
    ("types", "GeneratorType", "a generator is bound to the running process"),
    ("types", "CoroutineType", "a running coroutine is bound to the running process"),
    ("types", "AsyncGeneratorType", "an asynchronous generator is bound to the running process"),
    ("types", "FrameType", "a frame is bound to the running process"),
    ("types", "TracebackType", "a traceback is bound to the running process"),
    ("_thread", "LockType", "a lock belongs to the threads of the running process"),
    ("_thread", "RLock", "a lock belongs to the threads of the running process"),
    ("_thread", "_local", "thread-local data belongs to the threads of the running process"),
    ("threading", "Thread", "a thread ends with its process"),
    ("threading", "Condition", "it holds a lock, which belongs to the running process"),
    ("threading", "Semaphore", "it holds a lock, which belongs to the running process"),
    ("threading", "Event", "it holds a lock, which belongs to the running process"),
    ("threading", "Barrier", "it holds a lock, which belongs to the running process"),
    ("_queue", "SimpleQueue", "a queue between threads belongs to the running process"),
    ("queue", "Queue", "a queue between threads belongs to the running process"),
    ("concurrent.futures", "Executor", "its workers end with their process"),
    ("concurrent.futures", "Future", "a future belongs to the running process"),
    ("_socket", "socket", "a socket closes with its process"),
    ("ssl", "SSLContext", "a TLS context holds state of the running process"),
    ("select", "epoll", "an open descriptor closes with its process"),
    ("sqlite3", "Connection", "an open database handle closes with its process"),
    ("sqlite3", "Cursor", "an open database handle closes with its process"),
    ("duckdb", "DuckDBPyConnection", "an open database handle closes with its process"),
    ("duckdb", "DuckDBPyRelation", "it belongs to an open database handle"),
    ("psycopg", "Connection", "an open database handle closes with its process"),
    ("sqlalchemy.engine", "Engine", "an open database handle closes with its process"),
    ("sqlalchemy.engine", "Connection", "an open database handle closes with its process"),
    ("sqlalchemy.orm", "Session", "an open database handle closes with its process"),
    ("mmap", "mmap", "a memory map belongs to the running process"),
    ("weakref", "ReferenceType", "a weak reference points into the running process"),
    ("weakref", "finalize", "a finalizer belongs to the running process"),
    ("contextvars", "Context", "a context belongs to the running process"),
    ("contextvars", "ContextVar", "a context variable belongs to the running process"),
    ("contextvars", "Token", "a context belongs to the running process"),
    ("subprocess", "Popen", "it is a handle on another process"),
    ("multiprocessing.process", "BaseProcess", "it is a handle on another process"),
    ("multiprocessing.pool", "Pool", "its workers end with their process"),
    ("multiprocessing.connection", "_ConnectionBase", "a pipe closes with its process"),
    ("asyncio", "AbstractEventLoop", "an event loop belongs to the running process"),
    ("_asyncio", "Future", "a task or future belongs to a running event loop"),
    ("asyncio", "Lock", "it belongs to a running event loop"),
    ("asyncio", "Queue", "it belongs to a running event loop"),
    ("tempfile", "TemporaryDirectory", "its directory is removed when its process ends"),
    ("zipfile", "ZipFile", "an open file closes with its process"),
    ("tarfile", "TarFile", "an open file closes with its process"),
    ("h5py", "File", "an open file closes with its process"),
    ("os", "DirEntry", "an entry of a directory listing belongs to the running process"),
    ("posix", "ScandirIterator", "an open directory closes with its process"),
)


def obstacle_of(value):
    """Why a value of this type cannot be kept, judged by its type alone; empty if no reason is known."""
    kind = type(value)
    if kind in (int, str, float, bool, list, dict, tuple, set, bytes, types.FunctionType, types.ModuleType):
        return ""
    if isinstance(value, memoryview):
        return "a view into memory belongs to the running process"
    if isinstance(value, io.IOBase) and not isinstance(value, (io.StringIO, io.BytesIO)):
        if value in (sys.stdout, sys.stderr, sys.stdin):
            return ""
        return "an open file closes with its process"
    for module_name, class_name, words in KINDS:
        known = getattr(sys.modules.get(module_name), class_name, None)
        if isinstance(known, type) and isinstance(value, known):
            return words
    return ""
