"""Loads the extension for direct calls, `_call.c`. It exists if there was a C compiler when eqsat was installed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eqsat.runtime.opencl import _call

# In the environment: "off" sends all calls through the queue; "python" makes direct calls without the extension.
VARIABLE = "EQSAT_DIRECT"
INTERFACE = 1  # the version of `_call.c`; an older library may lie beside newer Python code


def call_type() -> type[_call.Call] | None:
    """The extension's class of direct calls; None if there is no extension, or the environment forbids it."""
    if os.environ.get(VARIABLE) == "python":
        return None
    try:
        from eqsat.runtime.opencl import _call
    except (ImportError, RuntimeError):  # it was not built, or was built for another NumPy
        return None
    return _call.Call if _call.INTERFACE == INTERFACE else None
