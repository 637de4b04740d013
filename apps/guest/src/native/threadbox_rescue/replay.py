"""Restores what was kept, and reports what was really restored: each value is compared with the original."""

import importlib
import json
import linecache
import os
import sys

from .digest import digest_of
from .keep import load
from .runtime import Runtime


def read_index(directory):
    with open(os.path.join(directory, "index.json"), encoding="utf-8", errors="surrogatepass") as file:
        return json.load(file)


def set_surroundings(index):
    """Restores environment, directory and search path. Returns what could not be set."""
    problems = []
    os.environ.update(index["environ"]["set"])
    for name in index["environ"]["unset"]:
        os.environ.pop(name, None)
    if index["path"] is not None:
        sys.path[:] = index["path"]
    try:
        if index["cwd"] is not None:
            os.chdir(index["cwd"])
    except OSError as error:
        problems.append(f"The kernel’s directory {index['cwd']} no longer exists: {error.strerror}")
    return problems


def check_group(directory, index, group, into_memory):
    """Loads a group. Returns its values and, by name, why a value differs from the original (empty if it does not)."""
    recorded = {variable["name"]: variable["digest"] for variable in index["variables"]}
    loaded = load(directory, group, into_memory)
    values = loaded if group.get("wrapped") else {group["names"][0]: loaded}
    verdicts = {}
    for name in group["names"]:
        try:
            same = digest_of(values[name]) == recorded[name]
            verdicts[name] = "" if same else "the restored value differs from the original"
        except Exception as error:
            verdicts[name] = f"the restored value can’t be compared: {type(error).__name__}: {error}"
    return values, verdicts


def replay(shell, directory, skip, progress_path):
    """Runs in the kernel's main thread. `skip` lists groups that ended an earlier attempt.

    Writes to `progress_path`, one JSON text per line, which group it begins with, and at the end the outcome of
    everything.
    """
    index = read_index(directory)
    Runtime.namespace = shell.user_ns
    Runtime.shell = shell
    with open(progress_path, "a", buffering=1) as progress:
        say = lambda **words: print(json.dumps(words), file=progress)  # noqa: E731
        problems = set_surroundings(index)
        for name, text in index["sources"].items():
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        results = import_modules(shell, index)
        values = {}
        for number, group in enumerate(index["groups"]):
            say(begun=number)
            results.update(replay_group(directory, index, number, skip, values))
        patches = {patch["name"]: patch for patch in index["patches"]}
        for variable in index["variables"]:
            name = variable["name"]
            if name in patches and name in values:
                results[name] = apply_patch(patches[name], values[name])
            elif name in values:
                shell.user_ns[name] = values[name]
        results.update(compare_aliases(index, values, results))
        restore_history(shell, index)
        say(done=True, results=results, problems=problems)


def run(directory, skip, progress_path):
    """Entry point: the guest has the kernel execute this."""
    from IPython import get_ipython

    replay(get_ipython(), directory, set(skip), progress_path)


def replay_group(directory, index, number, skip, values):
    group = index["groups"][number]
    if number in skip:
        return {name: "restoring it crashed the kernel" for name in group["names"]}
    try:
        loaded, verdicts = check_group(directory, index, group, into_memory=True)
    except BaseException as error:
        return {name: f"it couldn’t be restored: {type(error).__name__}: {str(error)[:300]}" for name in group["names"]}
    values.update({name: loaded[name] for name, problem in verdicts.items() if problem == ""})
    return verdicts


def import_modules(shell, index):
    results = {}
    for variable in index["variables"]:
        if variable["method"] != "import" or "module" not in variable:
            continue
        name = variable["name"]
        try:
            shell.user_ns[name] = importlib.import_module(variable["module"])
            results[name] = ""
        except BaseException as error:
            results[name] = f"the module {variable['module']} can’t be imported: {type(error).__name__}: {error}"
    return results


def apply_patch(patch, value):
    try:
        holder = importlib.import_module(patch["module"])
        for step in patch["path"][:-1]:
            holder = getattr(holder, step)
        setattr(holder, patch["path"][-1], value)
        return ""
    except BaseException as error:
        return f"it couldn’t be restored in place: {type(error).__name__}: {error}"


def compare_aliases(index, values, results):
    return {
        other: f"it is no longer the same object as {name}"
        for name, other in index["aliases"]
        if results.get(other) == "" and results.get(name) == "" and values.get(name) is not values.get(other)
    }


def restore_history(shell, index):
    history = shell.history_manager
    shell.execution_count = index["executionCount"]
    history.input_hist_parsed[:] = index["inputs"]
    history.input_hist_raw[:] = index["inputs"]
    for name, value in list(shell.user_ns.items()):
        if name[:1] == "_" and name[1:].isdigit():
            shell.user_ns["_oh"][int(name[1:])] = value
