"""Starts `threadbox_rescue.verify` with the package that lies beside this file."""

import importlib.util
import os
import sys

sys.path.pop(0)
directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), "threadbox_rescue")
spec = importlib.util.spec_from_file_location(
    "threadbox_rescue", os.path.join(directory, "__init__.py"), submodule_search_locations=[directory]
)
package = importlib.util.module_from_spec(spec)
sys.modules["threadbox_rescue"] = package
spec.loader.exec_module(package)

from threadbox_rescue.verify import run  # noqa: E402

run(sys.argv[1:])
os._exit(0)
