"""egglog's engine without its language for Python, whose import takes .3 s (it loads a formatter and tracing) and which is not used here."""

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
    """The module of the engine. A later `import egglog` finds the same one; but as it was not imported by the package, `egglog.bindings` is then
    no attribute: `from egglog import bindings` gets it.
    """
    if NAME in sys.modules:
        return sys.modules[NAME]
    package = PathFinder.find_spec("egglog")
    places = None if package is None else package.submodule_search_locations
    spec = None if places is None else PathFinder.find_spec(NAME, places)
    if spec is None or spec.loader is None:  # installed otherwise than as files
        return importlib.import_module(NAME)
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module  # it cannot be made twice
    spec.loader.exec_module(module)
    return module


if not TYPE_CHECKING:
    egglog = _loaded()
