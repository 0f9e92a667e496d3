"""pyopencl as `cl`, imported when one of its names is first used: the import takes 0.2 s, and most of eqsat works without devices."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from eqsat.runtime.processes import interrupts_wait

__all__ = ["cl"]

if TYPE_CHECKING:
    import pyopencl as cl
else:

    class _PyOpenCL:
        """Stands for the module. Each name is looked up once."""

        def __getattr__(self, name: str) -> Any:
            with interrupts_wait():
                module = importlib.import_module("pyopencl")
            # pyopencl's own caches hold pickled code, and need a home directory that can be written. eqsat has caches of its own.
            module._PYOPENCL_NO_CACHE = True
            value = getattr(module, name)
            setattr(self, name, value)
            return value

    cl = _PyOpenCL()
