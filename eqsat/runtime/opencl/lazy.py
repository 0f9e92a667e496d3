"""pyopencl as `cl`, imported when something of it is first used: it takes 0.2 s, and most of eqsat works without devices."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from eqsat.runtime.processes import interrupts_wait

__all__ = ["cl"]

if TYPE_CHECKING:
    import pyopencl as cl
else:

    class _PyOpenCL:
        """Stands for the module; each name is looked up once."""

        def __getattr__(self, name: str) -> Any:
            with interrupts_wait():
                module = importlib.import_module("pyopencl")
            # What its own caches hold is pickled code, and they need a home directory that can be written. We have ours.
            module._PYOPENCL_NO_CACHE = True
            value = getattr(module, name)
            setattr(self, name, value)
            return value

    cl = _PyOpenCL()
