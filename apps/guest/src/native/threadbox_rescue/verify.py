"""A separate process that loads what was saved, before anything is called kept.

Arguments: the directory, a file to write to, and numbers of groups to leave out. Writes, one JSON text per line, which
group it begins with and the outcome of each of its variables.
"""

import importlib
import json
import sys


def main(directory, output, skip):
    from .replay import check_group, read_index, set_surroundings
    from .runtime import Runtime

    # This process has no shell, but references to the kernel's must be loadable.
    Runtime.shell = object()
    index = read_index(directory)
    with open(output, "a", buffering=1) as file:
        say = lambda **words: print(json.dumps(words), file=file)  # noqa: E731
        say(problems=set_surroundings(index))
        for variable in index["variables"]:
            if "module" in variable:
                try:
                    importlib.import_module(variable["module"])
                except BaseException as error:
                    say(verdicts={variable["name"]: f"the module can’t be imported: {type(error).__name__}: {error}"})
        for number, group in enumerate(index["groups"]):
            if number in skip:
                continue
            say(begun=number)
            try:
                _, verdicts = check_group(directory, index, group, into_memory=False)
                say(number=number, verdicts=verdicts)
            except BaseException as error:
                say(number=number, failed=f"it can’t be restored: {type(error).__name__}: {str(error)[:300]}")
        say(done=True)


def run(arguments):
    main(arguments[0], arguments[1], {int(number) for number in arguments[2:]})
    # Does not wait for threads of loaded libraries.
    sys.stdout.flush()
