"""Imports egglog's engine, `egglog.bindings`, without the Python language that the `egglog` package builds on it.

eqsat does not use that language, and importing it takes 0.3 s, because it loads a formatter and tracing.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

__all__ = ["egglog"]

NAME = "egglog.bindings"

if TYPE_CHECKING:
    import egglog.bindings as egglog


def _loaded() -> Any:
    """Returns the engine's module. A later `import egglog` uses this same module, but does not set the attribute `egglog.bindings`, because the
    package did not import it. Write `from egglog import bindings` instead.
    """
    if NAME in sys.modules:
        return sys.modules[NAME]
    package = PathFinder.find_spec("egglog")
    places = None if package is None else package.submodule_search_locations
    spec = None if places is None else PathFinder.find_spec(NAME, places)
    if spec is None or spec.loader is None:  # not installed as plain files
        return importlib.import_module(NAME)
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module  # a process can make the module only once
    spec.loader.exec_module(module)
    return module


if not TYPE_CHECKING:
    egglog = _loaded()
