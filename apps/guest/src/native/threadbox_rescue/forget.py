"""Before the memory of this kernel is handed to others: removes the cells, and keeps what they have made."""

import gc
import linecache
import sys

from .keep import codes_of

# Small objects are kept in pools of one size each, larger ones by the C library.
POOLED_SIZES = range(16, 513, 16)
LARGER_SIZES = [65536, 32768, 16384, 8192, 4096, 2048, 1024, 768, 600, 560, 528]
POOLED_BYTES = 512 * 1024
LARGER_BYTES = 1024 * 1024
SMALL_PIECES = range(24, 1033, 16)
PIECES_OF_EACH = 64
BYTES_OVERHEAD = sys.getsizeof(b"")


def forget(shell):
    forget_cells(shell)
    forget_last_failure()
    forget_sources(shell)
    gc.collect()
    overwrite_free_memory()
    return {}


def forget_cells(shell):
    """Clears inputs and outputs, and closes their file: the file is removed from the disk."""
    history = shell.history_manager
    if getattr(history, "save_thread", None) is not None:
        history.save_thread.stop()
    history.enabled = False
    if getattr(history, "db", None) is not None and hasattr(history.db, "close"):
        history.db.close()
    count = len(history.input_hist_parsed)
    for name in ("input_hist_parsed", "input_hist_raw"):
        # Their numbers continue: the index of a later cell is its number.
        getattr(history, name)[:] = [""] * count
    for name in ("db_input_cache", "db_output_cache", "dir_hist"):
        getattr(history, name, []).clear()
    history.output_hist.clear()
    getattr(history, "output_hist_reprs", {}).clear()
    history._i00 = history._i = history._ii = history._iii = ""
    names = shell.user_ns
    for name in [name for name in names if is_of_cell(name)]:
        del names[name]
    for name in ("_i", "_ii", "_iii", "_", "__", "___"):
        if name in names:
            names[name] = ""
    shell.last_execution_result = None
    hook = shell.displayhook
    hook.exec_result = None
    hook._, hook.__dict__["__"], hook.__dict__["___"] = "", "", ""


def is_of_cell(name):
    return (name[:1] == "_" and name[1:].isdigit()) or (name[:2] == "_i" and name[2:].isdigit())


def forget_last_failure():
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        if hasattr(sys, name):
            delattr(sys, name)


def forget_sources(shell):
    """Drops the code of cells, except of those that define functions and classes of the user."""
    wanted = {code.co_filename for code in codes_of(list(shell.user_ns.values()))}
    known = getattr(shell.compile, "_filename_map", {})
    for name in list(known):
        if name not in wanted:
            del known[name]
            linecache.cache.pop(name, None)
    for name, entry in list(linecache.cache.items()):
        if name not in wanted and len(entry) == 4 and entry[1] is None:
            del linecache.cache[name]


def overwrite_small_pieces():
    """Overwrites pieces of the C library whose sizes belong to pools, so that no Python object ever uses them."""
    import ctypes

    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    library.malloc.argtypes = [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    library.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    for size in SMALL_PIECES:
        held = [library.malloc(size) for _ in range(PIECES_OF_EACH)]
        for piece in held:
            library.memset(piece, 0, size)
        for piece in held:
            library.free(piece)
    library.malloc_trim(0)


def overwrite_free_memory():
    """Overwrites freed memory, which otherwise keeps its content until it is used again."""
    for size in POOLED_SIZES:
        held = [bytes(size - BYTES_OVERHEAD) for _ in range(POOLED_BYTES // size)] if size > BYTES_OVERHEAD else []
        held.clear()
    for size in LARGER_SIZES:
        held = [bytes(size) for _ in range(LARGER_BYTES // size)]
        held.clear()
    try:
        overwrite_small_pieces()
    except (ImportError, OSError, AttributeError):
        # Another C library: freed memory was overwritten, and is not returned to the system.
        pass
